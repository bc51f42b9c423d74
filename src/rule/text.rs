//! What there is to say of a code to somebody who has never met it.

use super::{code::code_rules, load::builtin_rules, spec::Group};

/// A built-in rule's words about one of its codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleText {
    /// What it finds, in one line.
    pub(crate) summary: String,
    /// What follows where nobody mends it.
    pub(crate) details: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
    /// Where to read more.
    pub(crate) docs: Option<String>,
    /// The family that the rule belongs to.
    pub(crate) family: &'static str,
}

/// What the kinds of findings of a rule file mean.
const KINDS: [(&str, &str); 10] = [
    ("duplicate", "One name is taken twice"),
    ("forked", "A chain of names has two heads"),
    ("frozen", "What is merged was edited, moved or removed"),
    ("invented", "A version that somebody made up"),
    ("malformed", "A name that the tool can't read"),
    ("out-of-band", "A name outside the band of the one who takes it"),
    ("out-of-order", "A new name that comes before those that are merged"),
    ("over-quota", "More names than may be taken"),
    ("reserved", "A name that is reserved"),
    ("unclaimed", "A file that the tool passes over"),
];

/// What a built-in rule says of a code; nothing where the code is that of a rule of the repository's own. No such rule can have
/// the id of a built-in one.
pub(crate) fn text(code: &str) -> Option<RuleText> {
    of_code_rule(code).or_else(|| of_rule_file(code))
}

fn of_code_rule(code: &str) -> Option<RuleText> {
    let mut all = code_rules().iter().flat_map(|rule| rule.codes.iter().map(move |one| (rule, one)));
    let (rule, one) = all.find(|(_, one)| one.code == code)?;
    Some(RuleText {
        summary: one.summary.into(),
        details: format!("{} {}", one.details, rule.why),
        help: Some(one.help.into()),
        docs: rule.docs.map(str::to_owned),
        family: "change",
    })
}

fn of_rule_file(code: &str) -> Option<RuleText> {
    let (id, kind) = code.split_once('/')?;
    let (_, words) = KINDS.iter().find(|(known, _)| *known == kind)?;
    let rule = builtin_rules().iter().find(|rule| rule.id() == id)?;
    let spec = &rule.spec;
    let family = match spec.group {
        Some(Group::Migrations) => "migrations",
        Some(Group::Functions) => "functions",
        Some(Group::Routes) => "routes",
        Some(Group::Registries) => "registries",
        Some(Group::Environment) => "environment",
        None => "names",
    };
    Some(RuleText {
        summary: format!("{words}. {}", spec.summary),
        details: spec.why.clone().unwrap_or_else(|| spec.summary.clone()),
        help: spec.message.as_ref().and_then(|message| message.help.clone()),
        docs: spec.docs.clone(),
        family,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_code_has_its_words() {
        let files = builtin_rules().iter().flat_map(|rule| rule.kinds().iter().map(|k| format!("{}/{k}", rule.id())));
        let codes = code_rules().iter().flat_map(|rule| rule.codes).map(|one| one.code.to_owned());
        for code in files.chain(codes) {
            assert!(text(&code).is_some_and(|text| !text.summary.is_empty() && !text.details.is_empty()), "{code}");
        }
        assert_eq!(text("goose/no-such-kind"), None);
        assert_eq!(text("my-own/duplicate"), None);
        assert_eq!(text("goose"), None);
    }
}
