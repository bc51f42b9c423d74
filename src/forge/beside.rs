//! What open pull requests have to do with one another.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use super::verdict::hex;
use crate::{
    diag::{HolderKind, fingerprint},
    report::Report,
};

/// What each pull request has to do with the others and with the trunk, as a digest: where two are equal, a verdict that was true before is
/// true still.
pub struct Beside {
    /// By the names of their lines (`#12`).
    all: BTreeMap<String, String>,
    /// That of those that have to do with nobody.
    rest: String,
}

impl Beside {
    /// What stands for a digest where there is none: no recorded one is equal to it, itself included.
    pub(super) const UNKNOWN: &str = "?";

    /// Where nobody could look.
    pub fn unknown() -> Self {
        Self { all: BTreeMap::new(), rest: Self::UNKNOWN.into() }
    }

    /// What a scan of them all found. What it could not look at may have to do with any of them, so that is in every digest: when there is a
    /// new gap, or one less, each verdict is given anew, and while they stay the same none is.
    pub fn of_report(report: &Report) -> Self {
        let mut gaps = Sha256::new();
        for gap in &report.incomplete {
            gaps.update(&gap.what);
            gaps.update(&gap.why);
        }
        let mut all: BTreeMap<String, Sha256> = BTreeMap::new();
        for found in report.findings.iter().filter(|found| found.suppressed.is_none()) {
            let holders: BTreeSet<&str> = found.sites.iter().map(|site| site.holder.name.as_str()).collect();
            let pulls = found.sites.iter().filter(|site| site.holder.kind == HolderKind::PullRequest);
            for name in pulls.map(|site| &site.holder.name).collect::<BTreeSet<_>>() {
                let hash = all.entry(name.clone()).or_insert_with(|| gaps.clone());
                hash.update(fingerprint(found));
                hash.update(found.severity.word());
                holders.iter().for_each(|holder| hash.update(holder));
            }
        }
        let all = all.into_iter().map(|(name, hash)| (name, hex(hash))).collect();
        Self { all, rest: if report.complete() { "-".into() } else { hex(gaps) } }
    }

    /// That of one pull request.
    pub fn of(&self, number: u64) -> &str {
        self.all.get(&format!("#{number}")).unwrap_or(&self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{forge::Verdict, report::Incomplete};

    fn report(gaps: &[&str]) -> Report {
        let gap = |what: &&str| Incomplete { what: (*what).to_owned(), why: "it is not there".into() };
        Report { incomplete: gaps.iter().map(gap).collect(), ..Report::empty() }
    }

    fn given_beside(digest: &str) -> Verdict {
        Verdict { id: 1, external_id: format!("gatekeep:{}:{digest}", "0".repeat(32)), is_completed: true }
    }

    #[test]
    fn no_verdict_is_known_where_nobody_could_look() {
        let (known, unknown) = (Beside::of_report(&report(&[])), Beside::unknown());
        let (alone, blind) = (given_beside(known.of(3)), given_beside(unknown.of(3)));
        assert!(alone.is_of(known.of(3)));
        assert!(!alone.is_of(unknown.of(3)), "it may collide by now");
        assert!(!blind.is_of(unknown.of(3)) && !blind.is_of(known.of(3)), "nobody knew what it was given beside");
    }

    #[test]
    fn a_verdict_is_known_while_the_same_things_could_not_be_looked_at() {
        let [whole, one, other] =
            [&[][..], &["#4"], &["#5"]].map(|gaps| Beside::of_report(&report(gaps)).of(3).to_owned());
        assert!(given_beside(&one).is_of(&one));
        for (then, now) in [(&whole, &one), (&one, &whole), (&one, &other)] {
            assert!(!given_beside(then).is_of(now));
        }
    }
}
