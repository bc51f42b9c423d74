use std::{collections::BTreeSet, io};

use gix::ObjectId;
use proptest::prelude::*;

use super::*;
use crate::{
    diag::{Diagnostic, Holder, HolderKind},
    source::{Changed, EntryKind, Meeting, Place, Stop, StopKind, Version},
};

/// A version of which only the identity counts; 0 is none.
fn version(number: u8) -> Option<Version> {
    let place = Place::Blob(ObjectId::from_bytes_or_panic(&[number; 20]));
    (number > 0).then_some(Version { kind: EntryKind::File, place })
}

fn id(number: u8) -> ObjectId {
    ObjectId::from_bytes_or_panic(&[number; 20])
}

/// A line with a tip of this number, and what it changes: path, before, after.
fn line(name: &str, tip: u8, changes: &[(&str, u8, u8)]) -> Line {
    let changes =
        changes.iter().map(|(path, old, new)| Changed { path: (*path).into(), old: version(*old), new: version(*new) });
    let mut changes: Vec<Changed> = changes.collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Line {
        holder: Holder { kind: HolderKind::Branch, name: name.into(), commit: None },
        branch: Some(name.into()),
        number: None,
        tip: Some(id(tip)),
        fork: Some(id(200)),
        own: vec![id(tip)],
        started: None,
        changes,
    }
}

struct Case {
    lines: Vec<Line>,
    rank: Vec<u32>,
    head: Option<u32>,
    left_out: fn(&RepoPath) -> bool,
}

impl Case {
    fn new(lines: Vec<Line>) -> Self {
        Self { rank: (0..lines.len() as u32).collect(), lines, head: None, left_out: |_| false }
    }

    fn fleet<T>(&self, look: impl FnOnce(&Fleet<'_>) -> T) -> T {
        let read = |_: &Changed, version: &Version| match version.place {
            Place::Worktree(number) => Ok(vec![number as u8]),
            _ => Err(io::Error::other("only worktrees are read")),
        };
        look(&Fleet { lines: &self.lines, rank: &self.rank, head: self.head, left_out: &self.left_out, read: &read })
    }

    /// Path and holders of each contended path.
    fn contended(&self) -> Vec<String> {
        self.fleet(|fleet| {
            let names = |one: &Contended<'_>| {
                one.holders.iter().map(|(line, _)| fleet.name(*line)).collect::<Vec<_>>().join(" ")
            };
            contended(fleet).0.iter().map(|one| format!("{}: {}", one.path.lossy(), names(one))).collect()
        })
    }

    fn findings(&self, meetings: &[Meeting]) -> Vec<Diagnostic> {
        self.fleet(|fleet| same_file(fleet, &contended(fleet).0, meetings))
    }
}

fn holders(found: &Diagnostic) -> Vec<&str> {
    found.sites.iter().map(|site| site.holder.name.as_str()).collect()
}

#[test]
fn two_contents_contend_and_one_does_not() {
    let case = Case::new(vec![
        line("one", 1, &[("a", 1, 2), ("b", 1, 2), ("c", 1, 2)]),
        line("two", 2, &[("a", 1, 3), ("b", 1, 2), ("d", 1, 2)]),
    ]);
    assert_eq!(case.contended(), ["a: one two"]);
    let found = case.findings(&[]);
    assert_eq!((found[0].severity, found[0].code.as_str()), (Severity::Note, "contention/same-file"));
    assert_eq!(
        found[0].message,
        "`a` is changed by two lines of work: `one` and `two`. git merges them if their edits lie apart, and stops at the second merge if not."
    );
    assert_eq!(holders(&found[0]), ["two", "one"], "the younger one has to yield");
    assert_eq!(found[0].sites[0].note.as_deref(), Some("edits it"));
}

#[test]
fn removal_and_addition_are_said() {
    let case = Case::new(vec![
        line("one", 1, &[("a", 1, 2), ("b", 0, 2)]),
        line("two", 2, &[("a", 1, 0), ("b", 0, 3)]),
        line("three", 3, &[("a", 1, 0), ("b", 0, 2)]),
    ]);
    let found = case.findings(&[]);
    assert!(
        found[0]
            .message
            .ends_with("`two` and `three` remove it: git stops at the second merge, unless the file was only moved.")
    );
    assert!(found[1].message.ends_with("All of them add it, with different contents: git stops at the second merge."));
    let notes: Vec<_> = found[0].sites.iter().map(|site| site.note.as_deref().unwrap_or_default()).collect();
    assert_eq!(notes, ["removes it", "removes it", "edits it"]);
}

#[test]
fn both_remove_it_and_nobody_minds() {
    let case = Case::new(vec![line("one", 1, &[("a", 1, 0)]), line("two", 2, &[("a", 1, 0)])]);
    assert_eq!(case.contended(), [""; 0]);
}

#[test]
fn what_has_landed_is_nobodys_rival() {
    // `old` was squashed onto the trunk; `new` left it after that
    let case = Case::new(vec![line("old", 1, &[("a", 1, 2)]), line("new", 2, &[("a", 2, 3)])]);
    assert_eq!(case.contended(), [""; 0]);
    let more = Case::new([case.lines, vec![line("late", 3, &[("a", 1, 4)])]].concat());
    assert_eq!(more.contended(), ["a: old new late"]);
}

#[test]
fn a_line_that_another_builds_on_is_no_rival() {
    let mut stacked = line("stacked", 2, &[("a", 1, 3)]);
    stacked.own.insert(0, id(1));
    let case = Case::new(vec![line("below", 1, &[("a", 1, 2)]), stacked.clone()]);
    assert_eq!(case.contended(), [""; 0]);
    let third = Case::new([case.lines.clone(), vec![line("third", 3, &[("a", 1, 9)])]].concat());
    assert_eq!(third.contended(), ["a: stacked third"]);

    // what the one on top takes back is still the lower one's
    let mut reverted = stacked.clone();
    reverted.changes.clear();
    let case = Case::new(vec![case.lines[0].clone(), reverted, line("third", 3, &[("a", 1, 9)])]);
    assert_eq!(case.contended(), ["a: below third"]);

    // uncommitted work is in nobody's history
    let mut loose = line("loose", 1, &[("a", 1, 2)]);
    loose.changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Worktree(7) });
    assert_eq!(Case::new(vec![loose, stacked]).contended(), ["a: loose stacked"]);
}

#[test]
fn two_names_of_one_commit_do_not_hide_each_other() {
    let case = Case::new(vec![
        line("one", 1, &[("a", 1, 2)]),
        line("same", 1, &[("a", 1, 2)]),
        line("other", 2, &[("a", 1, 3)]),
    ]);
    assert_eq!(case.contended(), ["a: one same other"]);
}

#[test]
fn files_on_disk_are_compared_by_what_they_hold() {
    let on_disk = |name: &str, tip: u8, number: u16| {
        let mut made = line(name, tip, &[("a", 1, 2)]);
        made.changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Worktree(number) });
        made
    };
    assert_eq!(Case::new(vec![on_disk("x", 1, 5), on_disk("y", 2, 5)]).contended(), [""; 0]);
    assert_eq!(Case::new(vec![on_disk("x", 1, 5), on_disk("y", 2, 6)]).contended(), ["a: x y"]);
    let mut unread = on_disk("z", 3, 5);
    unread.changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Disk });
    assert_eq!(Case::new(vec![on_disk("x", 1, 5), unread]).contended(), ["a: x z"], "what can't be read may differ");
    // bytes that equal the base's are no change
    let hash = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &[5]).expect("a hash");
    let mut touched = on_disk("t", 1, 5);
    touched.changes[0].old = Some(Version { kind: EntryKind::File, place: Place::Blob(hash) });
    assert_eq!(Case::new(vec![touched, on_disk("y", 2, 6)]).contended(), [""; 0]);
}

#[test]
fn a_mode_alone_is_no_content() {
    assert_eq!(Case::new(vec![line("one", 1, &[("a", 1, 1)]), line("two", 2, &[("a", 1, 3)])]).contended(), [""; 0]);
}

#[test]
fn a_change_hears_of_its_own_rivals_only() {
    let mut case = Case::new(vec![
        line("one", 1, &[("a", 1, 2), ("b", 1, 2)]),
        line("two", 2, &[("a", 1, 3), ("b", 1, 3)]),
        line("head", 3, &[("a", 1, 3)]),
    ]);
    case.head = Some(2);
    assert_eq!(case.contended(), ["a: one head"], "`two` made the same edit");
    case.lines[2].changes.clear();
    assert_eq!(case.contended(), [""; 0]);
}

#[test]
fn what_nobody_merges_by_hand_is_left_out_and_counted() {
    let changes = [("Cargo.lock", 1, 2), ("a/package-lock.json", 1, 2), ("gen.rs", 1, 2), ("src.rs", 1, 2)];
    let other: Vec<_> = changes.iter().map(|(path, old, _)| (*path, *old, 3)).collect();
    let mut case = Case::new(vec![line("one", 1, &changes), line("two", 2, &other)]);
    case.left_out = |path| path.as_bytes() == b"gen.rs";
    assert_eq!(case.contended(), ["src.rs: one two"]);
    case.fleet(|fleet| assert_eq!(contended(fleet).1[0].count, Some(3)));
}

fn hot(count: u16) -> Case {
    let lines = (0..count).map(|at| {
        let mut made = line(&format!("b{at:03}"), 0, &[("hot", 1, 2)]);
        let mut bytes = [0; 20];
        bytes[..2].copy_from_slice(&(at + 1).to_be_bytes());
        let own = ObjectId::from_bytes_or_panic(&bytes);
        (made.tip, made.own) = (Some(own), vec![own]);
        made.changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Blob(own) });
        made
    });
    Case::new(lines.collect())
}

#[test]
fn a_hot_file_is_one_finding_that_says_what_it_leaves_out() {
    let mut case = hot(300);
    case.head = Some(5);
    let found = case.findings(&[]);
    assert_eq!((found.len(), found[0].sites.len()), (1, 20));
    assert!(
        found[0].message.starts_with("`hot` is changed by 300 lines of work: `b000`, `b001`, `b002` and 297 more. ")
    );
    assert!(found[0].message.ends_with(" 20 of 300 are listed."));
    assert!(holders(&found[0]).contains(&"b005"), "the change itself is listed");
    assert_eq!(holders(&found[0])[0], "b299", "the youngest has to yield");
}

#[test]
fn too_many_pairs_are_said() {
    let case = hot(100);
    case.fleet(|fleet| {
        let (hot, _) = contended(fleet);
        let all = pairs(fleet, &hot, 10_000);
        assert_eq!((all.pairs.len(), all.incomplete.len()), (4950, 0));
        let some = pairs(fleet, &hot, 1000);
        assert_eq!(some.pairs.len(), 1000);
        assert_eq!(some.incomplete[0].what, "merges of up to 3950 more pairs of branches that change one file");
    });
}

#[test]
fn pairs_are_of_lines_in_each_others_way() {
    let mut case = Case::new(vec![
        line("one", 1, &[("a", 1, 2), ("b", 1, 2)]),
        line("two", 2, &[("a", 1, 2), ("b", 1, 3)]),
        line("three", 3, &[("a", 1, 4)]),
    ]);
    let of = |case: &Case| case.fleet(|fleet| pairs(fleet, &contended(fleet).0, 10).pairs);
    assert_eq!(of(&case), [(0, 1), (0, 2), (1, 2)]);
    case.head = Some(2);
    assert_eq!(of(&case), [(0, 2), (1, 2)]);
}

#[test]
fn where_git_would_stop_is_a_warning() {
    let case = Case::new(vec![
        line("one", 1, &[("a", 1, 2), ("x", 0, 2), ("z", 1, 2)]),
        line("two", 2, &[("a", 1, 3), ("x/y", 0, 2)]),
        line("three", 3, &[("a", 1, 4), ("z", 1, 3)]),
    ]);
    let stop = |path: &str, from: Option<&str>, kind| Stop { path: path.into(), from: from.map(Into::into), kind };
    let meetings = [
        Meeting { pair: (0, 2), stops: vec![stop("moved", Some("a"), StopKind::Content)] },
        Meeting { pair: (0, 1), stops: vec![stop("a", None, StopKind::Content), stop("x", None, StopKind::Folder)] },
    ];
    let found = case.findings(&meetings);
    let shown: Vec<_> = found.iter().map(|one| (one.severity, one.message.as_str())).collect();
    assert_eq!(
        shown,
        [
            (
                Severity::Warning,
                "`a` is changed by three lines of work: `one`, `two` and `three`. git would stop at the merge of `one` and `two` \
                 (both edit the same lines), of `one` and `three` at `moved` (both edit the same lines)."
            ),
            (
                Severity::Warning,
                "`x` is changed by two lines of work: `one` and `two`. git would stop at the merge of `one` and `two` (it is a file \
                 for one and a folder for the other)."
            ),
            (
                Severity::Note,
                "`z` is changed by two lines of work: `one` and `three`. git merges them if their edits lie apart, and stops at the \
                 second merge if not."
            ),
        ]
    );
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let one = (0u8..4, 0u8..4, 1u8..9, prop::collection::vec(1u8..9, 0..2));
    prop::collection::vec(one, 0..7).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(at, (old, new, tip, below))| {
            let mut made = line(&format!("l{at}"), tip, &[("a", old, new)]);
            made.own.extend(below.into_iter().map(id));
            made.own.sort();
            made.own.dedup();
            made
        });
        made.collect()
    })
}

proptest! {
    #[test]
    fn grouping_finds_what_comparing_everybody_finds(lines in lines(), head in 0usize..8) {
        let mut case = Case::new(lines);
        case.head = (head < case.lines.len()).then_some(head as u32);
        let edits = |at: usize| case.lines[at].changes.iter().filter(|one| one.old != one.new);
        let group: Vec<usize> = (0..case.lines.len()).filter(|at| edits(*at).count() > 0).collect();
        let builds_on = |top: &usize, below: &usize| {
            let (top, below) = (&case.lines[*top], &case.lines[*below]);
            top.tip != below.tip && top.own.contains(&below.tip.expect("a tip"))
        };
        let tops: Vec<usize> =
            group.iter().copied().filter(|below| !group.iter().any(|top| builds_on(top, below))).collect();
        let mut expected = BTreeSet::new();
        for a in &tops {
            for b in &tops {
                let asked = case.head.is_none_or(|head| [*a, *b].contains(&(head as usize)));
                let (one, other) = (edits(*a).next().expect("one"), edits(*b).next().expect("one"));
                if asked && one.new != other.new && one.new != other.old && one.old != other.new {
                    expected.extend([*a, *b]);
                }
            }
        }
        let names: Vec<String> = expected.iter().map(|at| format!("l{at}")).collect();
        let expected: Vec<String> = (!names.is_empty()).then(|| format!("a: {}", names.join(" "))).into_iter().collect();
        prop_assert_eq!(case.contended(), expected);
    }
}
