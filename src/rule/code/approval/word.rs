//! What people said of a pull request, and whether it is the word that is needed.

use crate::config::change::Needs;

/// What people said of a pull request, as far as its forge tells. Times are in seconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    /// Who opened it.
    pub author: String,
    /// When something was last pushed to it; none where that can't be told.
    pub pushed: Option<i64>,
    /// The labels that it carries now.
    pub labels: Vec<Label>,
    /// The last review of each person.
    pub reviews: Vec<Review>,
}

/// A label on a pull request.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Who set it; none where that can't be told.
    pub by: Option<String>,
    /// Whether that is a program.
    pub is_bot: bool,
    /// When it was set last; none where that can't be told.
    pub time: Option<i64>,
}

/// A review of a pull request.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// Whose it is.
    pub by: String,
    /// Whether that is a program.
    pub is_bot: bool,
    /// The teams that this person is in: `org/team`.
    pub teams: Vec<String>,
    /// Whether it approves.
    pub approves: bool,
    /// Whether it is of the commit that was pushed last.
    pub is_of_last_push: bool,
}

/// Whether the word that is needed was given.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word {
    Given,
    /// It is there, but who gave it, or when, can't be told.
    Unknown,
    /// Why it does not count, or that it is not there.
    Lacking(String),
}

impl Word {
    /// All that is needed has to be there.
    pub(super) fn of(needs: &Needs, approvals: Option<&Approvals>) -> Self {
        let Some(approvals) = approvals else {
            return Self::Lacking("there is no pull request here to give it on".into());
        };
        let label = needs.label.as_deref().map_or(Self::Given, |name| label(name, approvals));
        let review = if needs.review_from.is_empty() { Self::Given } else { review(&needs.review_from, approvals) };
        match (label, review) {
            (Self::Lacking(why), _) | (_, Self::Lacking(why)) => Self::Lacking(why),
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            _ => Self::Given,
        }
    }
}

fn label(name: &str, approvals: &Approvals) -> Word {
    let Some(label) = approvals.labels.iter().find(|label| label.name.eq_ignore_ascii_case(name)) else {
        return Word::Lacking("the label is not set".into());
    };
    let Some(by) = &label.by else { return Word::Unknown };
    if label.is_bot {
        return Word::Lacking(format!("a program set it, `{by}`, and not a person"));
    }
    if by.eq_ignore_ascii_case(&approvals.author) {
        return Word::Lacking(format!("the author set it, `{by}`, and not another person"));
    }
    match (label.time, approvals.pushed) {
        (Some(set), Some(pushed)) if set > pushed => Word::Given,
        (Some(_), Some(_)) => Word::Lacking("it was set before the last push; take it off and set it again".into()),
        _ => Word::Unknown,
    }
}

fn review(wanted: &[String], approvals: &Approvals) -> Word {
    let is_wanted = |review: &&Review| {
        wanted.iter().any(|name| {
            let name = name.strip_prefix('@').unwrap_or(name);
            name.eq_ignore_ascii_case(&review.by) || review.teams.iter().any(|team| team.eq_ignore_ascii_case(name))
        })
    };
    let mut why = "none of them has approved it";
    for review in approvals.reviews.iter().filter(|review| review.approves).filter(is_wanted) {
        if review.is_bot || review.by.eq_ignore_ascii_case(&approvals.author) {
            why = "the one who approved it is a program or the author";
        } else if review.is_of_last_push {
            return Word::Given;
        } else {
            why = "something was pushed after it was approved";
        }
    }
    Word::Lacking(why.into())
}

/// Those whose review is needed.
fn names(needs: &Needs) -> String {
    needs.review_from.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}

/// What is needed, for a sentence.
pub(super) fn wanted(needs: &Needs) -> String {
    let label = needs.label.as_ref().map(|label| format!("the label `{label}`"));
    let names = names(needs);
    let review = (!names.is_empty()).then(|| format!("an approving review from {names}"));
    label.into_iter().chain(review).collect::<Vec<_>>().join(" and ")
}

/// What to do to get it.
pub(super) fn help(needs: &Needs) -> String {
    let mut help = String::new();
    if let Some(label) = &needs.label {
        help.push_str(&format!(
            "A person other than the author sets the label `{label}` on the pull request, after the last push."
        ));
    }
    if !needs.review_from.is_empty() {
        help.push_str(if help.is_empty() { "" } else { " " });
        help.push_str(&format!("Ask {} to review and approve the last push.", names(needs)));
    }
    help
}
