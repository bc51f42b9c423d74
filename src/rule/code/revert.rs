//! `revert/restored`: files that are put back to what the base gave up.
//!
//! A squash from a stale checkout puts old files back without a word: git sees an edit like any other. A revert that says that it is one is
//! nobody's accident.

use std::collections::{BTreeMap, BTreeSet};

use super::{Code, CodeRule};
use crate::{
    diag::{Confidence, Diagnostic, RepoPath, Severity},
    rule::{
        change::{Change, GivenUp, Said},
        listed::counted,
        place::restore,
    },
    source::Commit,
};

const RESTORED: &str = "revert/restored";

/// Most files of one finding that are listed as sites.
const MAX_SITES: usize = 20;
/// Most files that a command names.
const SHOWN: usize = 10;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "revert",
    summary: "What was mended stays mended",
    why: "An agent that works on an old checkout commits old files over new ones. git calls that an edit, the tests of the old \
          state pass, and a fix is gone that nobody meant to undo.",
    docs: None,
    codes: &[Code {
        code: RESTORED,
        severity: Severity::Warning,
        summary: "No file goes back to what a later commit replaced",
        details: "The change puts a file, byte for byte, to a version that a commit of the base has replaced, within the last 500 \
                  commits and 90 days before the merge base, also where the file has been moved since, or the change moves it. There is one finding for each commit that is undone; files that it \
                  added and that the change removes are listed with it. It is a note where the change says that it reverts the \
                  commit, and where a deleted file comes back by itself.",
        help: "Take the files from the base again: `git checkout BASE -- FILES`. If the commit is to be undone, do it with \
               `git revert`, so that history says so.",
    }],
};

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let files: Vec<usize> = (0..change.files.len()).filter(|at| !change.files[*at].is_link()).collect();
    let past = change.ground.given_up(&files);
    let mut undone: BTreeMap<gix::ObjectId, Vec<GivenUp>> = BTreeMap::new();
    for one in past.versions {
        undone.entry(one.by).or_default().push(one);
    }
    // a file that goes away is an edit like any other, unless what it came with goes back too
    undone.retain(|_, files| files.iter().any(|one| !change.files[one.file].is_removed()));
    said.incomplete.extend(past.incomplete);
    if undone.is_empty() {
        return said;
    }
    let commits = change.ground.commits().unwrap_or_else(|why| {
        said.gap("the commits of the change", why);
        &[]
    });
    said.findings.extend(undone.into_values().map(|files| finding(change, &files, commits)));
    said
}

/// One commit that is undone.
fn finding(change: &Change<'_>, files: &[GivenUp], commits: &[Commit]) -> Diagnostic {
    let first = &files[0];
    let id = first.by.to_string();
    let short = &id[..id.len().min(9)];
    let is_back = |one: &GivenUp| !change.files[one.file].is_removed();
    let meant = commits.iter().any(|commit| says_so(commit, first));
    let returns = files.iter().all(|one| change.files[one.file].is_added() && one.new.is_none());
    let paths: BTreeSet<_> = files.iter().filter(|one| is_back(one)).map(|one| &change.files[one.file].path).collect();
    let what = match paths.iter().next() {
        Some(path) if paths.len() == 1 => format!("`{}` is", path.lossy()),
        _ => format!("{} files are", counted(paths.len())),
    };
    let removed = files.len() - paths.len();
    let gone = match removed {
        0 => String::new(),
        1 => ", and a file that it added is removed".to_owned(),
        _ => format!(", and {} files that it added are removed", counted(removed)),
    };
    let deed = if returns { "deleted" } else { "replaced" };
    let message = format!(
        "{what} put back, byte for byte, to what commit {short} (\"{}\") of `{}` {deed}{gone}. Once this is merged, that work is \
         undone{}",
        first.subject,
        change.base.name,
        if meant { ", as a commit of the change says." } else { ", and no commit of the change says so." }
    );
    let site = |one: &GivenUp| {
        let mut site = change.site(&change.files[one.file].path);
        site.note = Some(if is_back(one) { "put back" } else { "removed" }.to_owned());
        site
    };
    let mut ordered: Vec<&GivenUp> = files.iter().collect();
    ordered.sort_by_key(|one| (!is_back(one), &change.files[one.file].path));
    let sites = ordered.into_iter().take(MAX_SITES).map(site).collect();
    let severity = if meant || returns { Severity::Note } else { Severity::Warning };
    let mut found = Diagnostic::new(RESTORED, severity, message, sites);
    found.confidence = if meant || returns { Confidence::Low } else { Confidence::Medium };
    found.key = Some(short.to_owned());
    found.help =
        Some(format!("{}; if the commit is to be undone, `git revert {short}` says so", again(change, &paths)));
    found.seal();
    found
}

/// How to get the base's files back: as a command where any shell would read it.
fn again(change: &Change<'_>, paths: &BTreeSet<&RepoPath>) -> String {
    // a file that is put back under a path of its own is not there
    let is_there = |path: &&RepoPath| change.file(path).is_some_and(|file| file.trunk.is_some());
    let command = (paths.len() <= SHOWN && paths.iter().all(is_there))
        .then(|| restore(&change.base.name, paths.iter().copied()))
        .flatten();
    match command {
        Some(command) => format!("take them from the base again: `{command}`"),
        None => format!("take them from `{}` again", change.base.name),
    }
}

/// Whether a commit says that it reverts another one, as `git revert` does.
fn says_so(commit: &Commit, undone: &GivenUp) -> bool {
    let id = undone.by.to_string();
    let words = commit.message.split(|c: char| !c.is_ascii_hexdigit());
    let names_it = words.into_iter().any(|word| word.len() >= 7 && id.starts_with(word));
    let says_revert = commit.message.to_ascii_lowercase().contains("revert");
    says_revert && (names_it || commit.message.contains(&format!("\"{}\"", undone.subject)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::change::testing::Made;

    fn undone(file: usize, by: u8, subject: &str) -> GivenUp {
        GivenUp { file, new: None, by: gix::ObjectId::from([by; 20]), time: 0, subject: subject.into() }
    }

    fn commit(message: &str) -> Commit {
        Commit {
            id: gix::ObjectId::from([9; 20]),
            parents: Vec::new(),
            time: 0,
            author: String::new(),
            email: String::new(),
            message: message.into(),
        }
    }

    fn stale() -> Made {
        let before = [("a.ts", "two"), ("b.ts", "two"), ("spec.ts", "t"), ("z", "z")];
        let mut made = Made::new(&before, &[("a.ts", "one"), ("b.ts", "one"), ("z", "z")]);
        made.past = vec![undone(0, 1, "carry the tax"), undone(1, 1, "carry the tax"), undone(2, 1, "carry the tax")];
        made
    }

    #[test]
    fn a_stale_checkout_undoes_a_commit_and_its_tests() {
        let said = judge(&stale().change());
        let [found] = said.findings.as_slice() else { panic!("{said:?}") };
        assert_eq!((found.severity, found.sites.len()), (Severity::Warning, 3));
        assert!(
            found.message.contains("\"carry the tax\"") && found.message.contains("a file that it added is removed")
        );
        assert!(found.help.as_ref().is_some_and(|help| help.contains("git checkout main -- a.ts b.ts")), "{found:?}");
    }

    #[test]
    fn a_revert_that_says_so_is_a_note() {
        let mut made = stale();
        for said in ["Revert \"carry the tax\"\n", &format!("undo\n\nThis reverts commit {}.\n", "01".repeat(20))] {
            made.commits = vec![commit(said)];
            assert_eq!(judge(&made.change()).findings[0].severity, Severity::Note, "{said}");
        }
        made.commits = vec![commit("carry the tax, again\n"), commit("Revert \"something else\"\n")];
        assert_eq!(judge(&made.change()).findings[0].severity, Severity::Warning);
    }

    #[test]
    fn a_file_that_only_goes_or_only_returns_is_no_revert() {
        let mut gone = Made::new(&[("spec.ts", "t"), ("a", "a")], &[("a", "a")]);
        gone.past = vec![undone(0, 1, "add a test")];
        assert!(judge(&gone.change()).findings.is_empty());
        let mut back = Made::new(&[("a", "a")], &[("a", "a"), ("old.ts", "x")]);
        back.past = vec![undone(0, 1, "drop it")];
        assert_eq!(judge(&back.change()).findings[0].severity, Severity::Note);
    }

    #[test]
    fn a_file_that_moves_and_goes_back_is_no_deleted_one() {
        let mut moved = Made::new(&[("a.ts", "two")], &[("b.ts", "one")]);
        moved.past = vec![GivenUp { new: Some(Made::version("two")), ..undone(1, 1, "mend it") }];
        let said = judge(&moved.change());
        let found = &said.findings[0];
        assert_eq!((found.severity, found.sites[0].path.lossy().as_ref()), (Severity::Warning, "b.ts"));
        assert!(
            found.message.contains("`b.ts` is put back") && found.message.contains("replaced"),
            "{}",
            found.message
        );
        assert!(found.help.as_ref().is_some_and(|help| !help.contains("git checkout")), "{found:?}");
    }

    #[test]
    fn what_history_hides_is_incomplete() {
        let mut made = Made::new(&[("a", "1")], &[("a", "2")]);
        made.unseen = vec![crate::report::Incomplete { what: "history".into(), why: "shallow".into() }];
        assert_eq!(judge(&made.change()).incomplete.len(), 1);
    }
}
