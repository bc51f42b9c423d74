//! Which holders meet in findings, pair by pair: what a reader who is about to merge many lines of work asks first.

use std::collections::{BTreeMap, BTreeSet};

use super::Report;
use crate::{
    diag::{Diagnostic, Holder, HolderKind, RepoPath, Severity, Site},
    text::count::number_of,
};

/// Severities, gravest first.
pub(super) const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// The holders of a report that share a finding with another one, and what each two of them share. Suppressed findings don't
/// count.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    /// Base and head, then the others: those with the gravest findings first, each followed by those that it meets, so that what
    /// belongs together stands together.
    pub(super) holders: Vec<Party<'a>>,
    /// How many more holders take part than are listed.
    pub(super) hidden: usize,
    /// By the places in `holders`, the smaller one first.
    meetings: BTreeMap<(usize, usize), Meeting>,
}

/// A holder that shares findings with others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party<'a> {
    pub(super) holder: &'a Holder,
    /// The findings that it shares with others.
    pub(super) tally: Tally,
    /// In how many of them it must yield.
    pub(super) yields: usize,
}

/// What two holders share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) tally: Tally,
    /// Places of the findings in the report, in its order.
    pub(super) findings: Vec<usize>,
}

/// Findings counted by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tally {
    error: usize,
    warning: usize,
    note: usize,
}

/// What a site has to do about its finding, where that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It must give the name up.
    Yields,
    /// It keeps the name.
    Keeps,
}

impl<'a> Pairs<'a> {
    /// Looks at a whole report, and lists at most `limit` holders. The work grows with the sites, and with the square of `limit`.
    pub(super) fn of(report: &'a Report, limit: usize) -> Self {
        let mut parties: BTreeMap<(HolderKind, &str), Party<'a>> = BTreeMap::new();
        for found in shared(report) {
            for (name, (holder, yields)) in holders(found) {
                let party = parties.entry(name).or_insert(Party { holder, tally: Tally::default(), yields: 0 });
                party.tally.add(found.severity);
                party.yields += usize::from(yields);
            }
        }
        let mut parties: Vec<Party<'a>> = parties.into_values().collect();
        parties.sort_by(|a, b| a.rank().cmp(&b.rank()));
        let hidden = parties.len().saturating_sub(limit);
        parties.truncate(limit);
        let parties = gathered(&parties, &meetings(report, &parties));
        let meetings = meetings(report, &parties);
        Self { holders: parties, hidden, meetings }
    }

    /// What two holders, by their places in the list, share; nothing where that is no finding.
    pub(super) fn between(&self, one: usize, other: usize) -> Option<&Meeting> {
        self.meetings.get(&(one.min(other), one.max(other)))
    }

    /// The pairs that share something, the gravest first.
    pub(super) fn ranked(&self) -> Vec<((usize, usize), &Meeting)> {
        let mut ranked: Vec<_> = self.meetings.iter().map(|(pair, meeting)| (*pair, meeting)).collect();
        ranked.sort_by_key(|(_, meeting)| std::cmp::Reverse(meeting.tally)); // stable: pairs of one rank stay in order
        ranked
    }

    /// How many holders take part that are neither the head nor the base.
    pub(super) fn others(&self) -> usize {
        self.hidden + self.holders.iter().filter(|party| !party.stands_first()).count()
    }
}

impl Party<'_> {
    fn stands_first(&self) -> bool {
        matches!(self.holder.kind, HolderKind::Head | HolderKind::Base)
    }

    /// Base, head, the gravest; and among equals pull request #9 before #12.
    fn rank(&self) -> impl Ord {
        let Holder { kind, name, .. } = self.holder;
        let digits = if *kind == HolderKind::PullRequest { name.len() } else { 0 };
        (!self.stands_first(), *kind == HolderKind::Head, std::cmp::Reverse(self.tally), *kind, digits, name.clone())
    }
}

impl Tally {
    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Note => self.note += 1,
        }
    }

    /// How many there are of one severity.
    pub(super) fn count(self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Note => self.note,
        }
    }

    /// The gravest severity that there is; a note where there is nothing.
    pub(super) fn worst(self) -> Severity {
        SEVERITIES.into_iter().find(|severity| self.count(*severity) > 0).unwrap_or(Severity::Note)
    }

    /// Whether there are findings beside those of the gravest severity.
    pub(super) fn mixed(self) -> bool {
        self.error + self.warning + self.note > self.count(self.worst())
    }

    /// `2 errors, 1 warning`.
    pub(super) fn words(self) -> String {
        let some = SEVERITIES.into_iter().filter(|severity| self.count(*severity) > 0);
        some.map(|severity| number_of(self.count(severity), severity.word())).collect::<Vec<_>>().join(", ")
    }
}

/// What each site of a finding has to do. The first one yields, and so does each that the fix renames; the last that is left
/// then keeps the name. Of more than one that is left it can't be told.
pub(super) fn roles(found: &Diagnostic) -> Vec<Option<Role>> {
    if found.sites.len() < 2 {
        return vec![None; found.sites.len()];
    }
    let renamed: BTreeSet<&RepoPath> =
        found.fix.iter().flat_map(|fix| &fix.renames).map(|rename| &rename.from).collect();
    let yields = |(at, site): (usize, &Site)| at == 0 || renamed.contains(&site.path);
    let yields: Vec<bool> = found.sites.iter().enumerate().map(yields).collect();
    let left = yields.iter().filter(|yields| !**yields).count();
    let role = |yields: bool| if yields { Some(Role::Yields) } else { (left == 1).then_some(Role::Keeps) };
    yields.into_iter().map(role).collect()
}

/// The findings that count and that several holders take part in.
fn shared(report: &Report) -> impl Iterator<Item = &Diagnostic> {
    report.findings.iter().filter(|found| is_shared(found))
}

fn is_shared(found: &Diagnostic) -> bool {
    let first = found.sites.first().map(|site| identity(&site.holder));
    found.suppressed.is_none() && found.sites.iter().any(|site| Some(identity(&site.holder)) != first)
}

/// The holders of a finding, each once, and whether one of its sites must yield.
fn holders(found: &Diagnostic) -> BTreeMap<(HolderKind, &str), (&Holder, bool)> {
    let mut holders = BTreeMap::new();
    for (site, role) in found.sites.iter().zip(roles(found)) {
        let (_, yields) = holders.entry(identity(&site.holder)).or_insert((&site.holder, false));
        *yields |= role == Some(Role::Yields);
    }
    holders
}

/// A holder whatever commit it was read at.
fn identity(holder: &Holder) -> (HolderKind, &str) {
    (holder.kind, &holder.name)
}

/// The parties in another order: behind each, those that it meets and that are not placed yet.
fn gathered<'a>(ranked: &[Party<'a>], meetings: &BTreeMap<(usize, usize), Meeting>) -> Vec<Party<'a>> {
    let first = ranked.iter().take_while(|party| party.stands_first()).count(); // the base meets everybody
    let mut placed: Vec<usize> = (0..first).collect();
    let mut at = first;
    for next in first..ranked.len() {
        if !placed.contains(&next) {
            placed.push(next);
        }
        while let Some(one) = placed.get(at).copied() {
            at += 1;
            let meets = |other: &usize| meetings.contains_key(&(one.min(*other), one.max(*other)));
            let new: Vec<usize> = (first..ranked.len()).filter(meets).filter(|other| !placed.contains(other)).collect();
            placed.extend(new);
        }
    }
    placed.into_iter().map(|at| ranked[at]).collect()
}

fn meetings(report: &Report, parties: &[Party<'_>]) -> BTreeMap<(usize, usize), Meeting> {
    let places: BTreeMap<_, usize> =
        parties.iter().enumerate().map(|(at, party)| (identity(party.holder), at)).collect();
    let mut meetings: BTreeMap<(usize, usize), Meeting> = BTreeMap::new();
    for (number, found) in report.findings.iter().enumerate().filter(|(_, found)| is_shared(found)) {
        let mut present: Vec<usize> =
            holders(found).into_keys().filter_map(|name| places.get(&name).copied()).collect();
        present.sort_unstable();
        for (at, one) in present.iter().enumerate() {
            for other in &present[at + 1..] {
                let meeting = meetings.entry((*one, *other)).or_default();
                meeting.tally.add(found.severity);
                meeting.findings.push(number);
            }
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::diag::{Fix, Rename, Safety};

    fn holder(name: &str) -> Holder {
        let kind = match name {
            "HEAD" => HolderKind::Head,
            "main" => HolderKind::Base,
            _ if name.starts_with('#') => HolderKind::PullRequest,
            _ => HolderKind::Branch,
        };
        Holder { kind, name: name.into(), commit: None }
    }

    fn found(severity: Severity, holders: &[&str]) -> Diagnostic {
        let site = |(at, name): (usize, &&str)| Site::path(format!("{at}-{name}").as_str().into(), holder(name));
        Diagnostic::new("r/k", severity, "m", holders.iter().enumerate().map(site).collect())
    }

    fn report(findings: Vec<Diagnostic>) -> Report {
        Report { findings, ..Report::empty() }
    }

    fn names<'a>(pairs: &Pairs<'a>) -> Vec<&'a str> {
        pairs.holders.iter().map(|party| party.holder.name.as_str()).collect()
    }

    #[test]
    fn holders_that_share_nothing_are_left_out() {
        let mut silenced = found(Severity::Error, &["s", "t"]);
        silenced.suppressed = Some(crate::diag::Suppression { by: crate::diag::SuppressedBy::Baseline, reason: None });
        let report = report(vec![
            found(Severity::Error, &["a"]),
            found(Severity::Error, &["HEAD", "HEAD"]),
            silenced,
            found(Severity::Note, &["b", "c"]),
        ]);
        let pairs = Pairs::of(&report, 9);
        assert_eq!((names(&pairs), pairs.hidden, pairs.others()), (vec!["b", "c"], 0, 2));
        assert_eq!(pairs.between(1, 0).unwrap().findings, [3]);
        assert_eq!(pairs.between(0, 0), None);
    }

    #[test]
    fn base_and_head_come_first_then_the_gravest() {
        let report = report(vec![
            found(Severity::Warning, &["a", "HEAD"]),
            found(Severity::Error, &["z", "main", "#12", "#9"]),
            found(Severity::Note, &["b", "z"]),
        ]);
        let pairs = Pairs::of(&report, 9);
        assert_eq!(names(&pairs), ["main", "HEAD", "z", "#9", "#12", "b", "a"]);
        let ranked: Vec<_> = pairs.ranked().into_iter().map(|(pair, meeting)| (pair, meeting.tally.words())).collect();
        assert_eq!(ranked[0], ((0, 2), "1 error".into()));
        assert_eq!(ranked[6], ((1, 6), "1 warning".into()));
        assert_eq!(ranked[7], ((2, 5), "1 note".into()));
        assert_eq!(ranked.len(), 8);
    }

    #[test]
    fn those_that_meet_stand_together() {
        let pair = |one, other| found(Severity::Error, &[one, other]);
        let report = report(vec![pair("a", "x"), pair("b", "y"), pair("c", "x"), pair("c", "z"), pair("main", "y")]);
        assert_eq!(names(&Pairs::of(&report, 9)), ["main", "c", "x", "z", "a", "y", "b"]);
    }

    #[test]
    fn severities_of_one_pair_are_counted_apart() {
        let report = report(vec![
            found(Severity::Warning, &["a", "b", "a"]),
            found(Severity::Error, &["b", "a"]),
            found(Severity::Error, &["a", "b"]),
        ]);
        let pairs = Pairs::of(&report, 9);
        let tally = pairs.between(0, 1).unwrap().tally;
        assert_eq!(
            (tally.words().as_str(), tally.worst(), tally.mixed()),
            ("2 errors, 1 warning", Severity::Error, true)
        );
        assert!(!Tally { error: 2, ..Tally::default() }.mixed());
        assert_eq!(pairs.holders.iter().map(|party| party.yields).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_thousand_holders_are_cut_to_the_gravest() {
        let names: Vec<String> = (0..1000).map(|n| format!("agent/{n:04}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let report =
            report(vec![found(Severity::Warning, &all), found(Severity::Error, &["agent/0700", "agent/0900"])]);
        let pairs = Pairs::of(&report, 24);
        assert_eq!((pairs.holders.len(), pairs.hidden, pairs.others()), (24, 976, 1000));
        assert_eq!(super::tests::names(&pairs)[..3], ["agent/0700", "agent/0900", "agent/0000"]);
        assert_eq!(pairs.ranked().len(), 24 * 23 / 2);
    }

    #[test]
    fn who_yields_and_who_keeps() {
        use Role::{Keeps, Yields};
        assert_eq!(roles(&found(Severity::Error, &["a"])), [None]);
        assert_eq!(roles(&found(Severity::Error, &["a", "b"])), [Some(Yields), Some(Keeps)]);
        let mut three = found(Severity::Error, &["a", "b", "c"]);
        assert_eq!(roles(&three), [Some(Yields), None, None], "it can't be told which of the two stays");
        let renames = vec![Rename { from: "1-b".into(), to: "2".into() }];
        three.fix = Some(Fix { title: "t".into(), safety: Safety::Safe, renames });
        assert_eq!(roles(&three), [Some(Yields), Some(Yields), Some(Keeps)]);
    }
}
