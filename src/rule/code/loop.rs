//! `loop/oscillating`: a path that comes back to where it was, again and again.

use std::collections::BTreeMap;

use super::{Code, CodeRule};
use crate::{
    diag::{Confidence, Diagnostic, RepoPath, Severity},
    report::Skipped,
    rule::change::{Change, Said},
    source::{Commit, Version},
};

const OSCILLATING: &str = "loop/oscillating";

/// So often a path comes back before somebody should look.
const TIMES: usize = 3;
/// Commits of one change that are walked, at most.
const MOST_COMMITS: usize = 2_000;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "loop",
    summary: "A change that gets somewhere",
    why: "An agent that tries, undoes and tries again burns hours, and what it leaves at the end is one of the tries. The net \
          change shows nothing of it.",
    docs: None,
    codes: &[Code {
        code: OSCILLATING,
        severity: Severity::Warning,
        summary: "No file comes back to an earlier content three times",
        details: "Walks the change's own commits, the oldest first, and counts how often a file comes back, byte for byte, to what \
                  the base holds, or to an earlier content of the same branch. From three times on it is reported, with the \
                  commits in which it came back. What a merge of another branch brings does not count.",
        help: "Stop the agent, look at what it tries to satisfy, and squash the tries before the branch is merged.",
    }],
};

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let commits = match change.ground.commits() {
        Ok(commits) => own_line(commits),
        Err(why) => {
            said.gap("the commits of the change", why);
            return said;
        }
    };
    if commits.len() < 2 * TIMES {
        return said; // a path leaves once for each time that it comes back
    }
    if commits.len() > MOST_COMMITS {
        let what =
            format!("loops among the {} commits of the change, as there are more than {MOST_COMMITS}", commits.len());
        said.skipped.push(Skipped { what, count: None });
        return said;
    }
    let mut paths: BTreeMap<RepoPath, Walked> = BTreeMap::new();
    for commit in commits.iter().rev() {
        let done = match change.ground.done_by(commit) {
            Ok(done) => done,
            Err(why) => {
                said.gap(format!("commit {}", commit.id), why);
                return said;
            }
        };
        for changed in done {
            let walked = paths.entry(changed.path).or_insert_with(|| Walked::from(changed.old));
            walked.step(commit, changed.new);
        }
    }
    said.findings = paths.iter().filter_map(|(path, walked)| walked.finding(change, path)).collect();
    said
}

/// The first parents of the newest commit, as far as they are the change's own; newest first.
fn own_line(commits: &[Commit]) -> Vec<&Commit> {
    let by_id: BTreeMap<_, _> = commits.iter().map(|commit| (commit.id, commit)).collect();
    let mut line = Vec::new();
    let mut next = commits.first();
    while let Some(commit) = next {
        line.push(commit);
        next = commit.parents.first().and_then(|parent| by_id.get(parent).copied());
    }
    line
}

/// What a path went through: each content that stood there, and the commits that came back to it.
struct Walked {
    first: Option<Version>,
    now: Option<Version>,
    met: BTreeMap<Option<Version>, Vec<gix::ObjectId>>,
}

impl Walked {
    fn from(first: Option<Version>) -> Self {
        Self { first, now: first, met: BTreeMap::from([(first, Vec::new())]) }
    }

    fn step(&mut self, commit: &Commit, new: Option<Version>) {
        if new == self.now {
            return;
        }
        self.now = new;
        let is_merge = commit.parents.len() > 1;
        match self.met.get_mut(&new) {
            Some(returns) if !is_merge => returns.push(commit.id),
            Some(_) => {}
            None => drop(self.met.insert(new, Vec::new())),
        }
    }

    fn finding(&self, change: &Change<'_>, path: &RepoPath) -> Option<Diagnostic> {
        // of two contents between which a path goes back and forth, the first one is named
        let of_first = self.met.get(&self.first).filter(|returns| returns.len() >= TIMES);
        let most = || self.met.values().max_by_key(|returns| returns.len()).filter(|returns| returns.len() >= TIMES);
        let returns = of_first.or_else(most)?;
        let where_to = match (of_first, self.first) {
            (Some(_), Some(_)) => format!("to what `{}` held when the branch began", change.base.name),
            (Some(_), None) => "to not being there at all".to_owned(),
            (None, _) => "to one and the same content".to_owned(),
        };
        let short: Vec<String> = returns.iter().take(5).map(|id| id.to_string()[..9].to_owned()).collect();
        let more = if returns.len() > short.len() { ", …" } else { "" };
        let message = format!(
            "`{}` came back {where_to} {} times in the commits of this change ({}{more}). Whoever makes it goes in circles: what \
             stands there at the end is one of the tries",
            path.lossy(),
            returns.len(),
            short.join(", ")
        );
        let mut found = Diagnostic::new(OSCILLATING, Severity::Warning, message, vec![change.site(path)]);
        found.confidence = Confidence::High;
        found.help = Some(RULE.codes[0].help.to_owned());
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rule::change::testing::Made, source::Changed};

    /// A change whose commits, the oldest first, leave these contents at one path; a number of parents each.
    fn walked(base: Option<&str>, steps: &[(Option<&str>, usize)]) -> Made {
        let mut made = Made::new(&[("x", "1")], &[("x", "2")]);
        let version = |text: Option<&str>| text.map(Made::version);
        let mut old = version(base);
        for (at, (text, parents)) in steps.iter().enumerate() {
            let id = |at: usize| gix::ObjectId::from([(at as u8).wrapping_add(1); 20]);
            let parents =
                (0..*parents).map(|other| if other == 0 { id(at.wrapping_sub(1)) } else { id(200) }).collect();
            let (author, email, message) = (String::new(), String::new(), String::new());
            made.commits.insert(0, Commit { id: id(at), parents, time: at as i64, author, email, message });
            let new = version(*text);
            made.done.insert(id(at), vec![Changed { path: "a.ts".into(), old, new }]);
            old = new;
        }
        made
    }

    fn said(base: Option<&str>, steps: &[Option<&str>]) -> Vec<String> {
        let steps: Vec<_> = steps.iter().map(|text| (*text, 1)).collect();
        judge(&walked(base, &steps).change()).findings.into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn three_returns_are_a_loop_and_two_are_not() {
        let circle = [Some("two"), Some("one"), Some("3"), Some("one"), Some("4"), Some("one")];
        assert!(said(Some("one"), &circle)[0].contains("came back to what `main` held when the branch began 3 times"));
        assert_eq!(said(Some("one"), &circle[..5]), [""; 0]);
        let forward = [Some("1"), Some("2"), Some("3"), Some("4"), Some("5"), Some("6"), Some("7")];
        assert_eq!(said(Some("0"), &forward), [""; 0]);
    }

    #[test]
    fn a_content_of_the_branch_counts_and_so_does_nothing() {
        let steps = [Some("a"), Some("b"), Some("a"), Some("c"), Some("a"), Some("d"), Some("a")];
        assert!(said(Some("0"), &steps)[0].contains("to one and the same content 3 times"));
        let come_and_go = [Some("a"), None, Some("b"), None, Some("c"), None];
        assert!(said(None, &come_and_go)[0].contains("to not being there at all 3 times"));
    }

    #[test]
    fn what_a_merge_brings_is_nobodys_loop() {
        let steps =
            [("two", 1), ("one", 2), ("3", 1), ("one", 2), ("4", 1), ("one", 2)].map(|(text, n)| (Some(text), n));
        assert!(judge(&walked(Some("one"), &steps).change()).findings.is_empty());
    }
}
