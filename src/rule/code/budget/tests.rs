use std::{io, sync::Arc};

use super::{judge, judge_tree};
use crate::{
    config::ConfigFile,
    diag::{Holder, RepoPath},
    rule::change::{Files, Said, Standing, testing::Made},
};

/// What is exceeded and at how many places.
fn found(said: &Said) -> Vec<(&str, usize)> {
    assert!(said.incomplete.is_empty(), "{:?}", said.incomplete);
    said.findings.iter().map(|found| (found.key.as_deref().unwrap_or_default(), found.sites.len())).collect()
}

fn judged(tables: &str, made: Made, lane: &str) -> Said {
    let made = made.by(tables);
    judge(&made.change(), &|name| name == lane)
}

const CHANGE: &str =
    "[agents.ps3]\nowns = [\"**\"]\n[agents.ops]\n[[budget]]\nagents = [\"ps3\"]\nfiles = 2\nlines = 3\n";

#[test]
fn a_change_within_its_budget_passes() {
    let made = || Made::new(&[("a", "1\n2\n")], &[("a", "1\nx\n"), ("b", "1\n")]);
    assert_eq!(found(&judged(CHANGE, made(), "ps3")), []);
    // a move is one file and no lines, and a binary file has none
    let moved = Made::new(&[("a", "1\n2\n3\n4\n")], &[("z", "1\n2\n3\n4\n"), ("b", "\0\n\n\n\n\n")]);
    assert_eq!(found(&judged(CHANGE, moved, "ps3")), []);
}

#[test]
fn a_large_change_exceeds_it() {
    let made = || Made::new(&[("a", "1\n2\n3")], &[("b", "x"), ("c", "y")]);
    assert_eq!(found(&judged(CHANGE, made(), "ps3")), [("files", 3), ("lines", 3)]);
    assert_eq!(found(&judged(CHANGE, made(), "ops")), []);
    let everybody = "[[budget]]\nfiles = 2\n";
    let said = judged(everybody, made(), "");
    assert_eq!(found(&said), [("files", 3)]);
    assert!(said.findings[0].message.contains("3 files") && said.findings[0].message.contains("is 2"));
    let many: Vec<String> = (0..30).map(|at| format!("{at}")).collect();
    let after: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    assert_eq!(found(&judged(everybody, Made::new(&[], &after), "")), [("files", 20)]);
}

const SET: &str = "[[budget]]\npaths = [\"memory/**\"]\nbytes = 10\nlines = 3\ncount = 2\n";

#[test]
fn a_file_may_grow_up_to_its_budget() {
    assert_eq!(found(&judged(SET, Made::new(&[], &[("memory/a", "123456789\n")]), "")), []);
    assert_eq!(found(&judged(SET, Made::new(&[], &[("memory/a", "1234567890\n")]), "")), [("bytes", 1)]);
    assert_eq!(found(&judged(SET, Made::new(&[], &[("memory/a", "1\n2\n3\n4")]), "")), [("lines", 1)]);
    assert_eq!(found(&judged(SET, Made::new(&[], &[("other/a", "1234567890\n\n\n\n")]), "")), []);
}

#[test]
fn what_the_base_exceeds_may_shrink() {
    let from = |before: &str, after: &str| {
        let said = judged(SET, Made::new(&[("memory/a", before)], &[("memory/a", after)]), "");
        said.findings.len()
    };
    assert_eq!(from("123456789012345", "1234567890123"), 0);
    assert_eq!(from("123456789012345", "543210987654321"), 0);
    assert_eq!(from("123456789012345", "1234567890123456"), 1);
    assert_eq!(
        found(&judged(SET, Made::new(&[("memory/a", "123456789012345")], &[("memory/b", "123456789012345")]), "")),
        []
    );
    assert_eq!(
        found(&judged(SET, Made::new(&[("a", "123456789012345")], &[("memory/b", "123456789012345")]), "")),
        [("bytes", 1)]
    );
    // what counts is the trunk of today: there it was shortened
    let short =
        Made::with_trunk(&[("memory/a", "123456789012345")], &[("memory/a", "1")], &[("memory/a", "12345678901234")]);
    assert_eq!(found(&judged(SET, short, "")), [("bytes", 1)]);
}

#[test]
fn what_moves_and_shrinks_is_no_new_file() {
    let judged = |before: &[(&str, &str)], after: &[(&str, &str)]| {
        let said = judged(SET, Made::new(before, after), "");
        found(&said).into_iter().map(|(what, _)| what.to_owned()).collect::<Vec<_>>()
    };
    let long = "one\ntwo\nthree\nfour\nfive\n";
    let shorter = "one\ntwo\nthree\nfour\n";
    let none: [&str; 0] = [];
    assert_eq!(judged(&[("memory/a", long)], &[("memory/b", shorter)]), none);
    assert_eq!(judged(&[("memory/x/a", "123456789012345")], &[("memory/a", "12345678901234")]), none);
    // it grows, it comes from elsewhere, it is another file, and one file is not two
    assert_eq!(judged(&[("memory/b", shorter)], &[("memory/a", long)]), ["bytes", "lines"]);
    assert_eq!(judged(&[("a", long)], &[("memory/a", shorter)]), ["bytes", "lines"]);
    assert_eq!(judged(&[("memory/a", "6\n7\n8\n9\n10\n11\n12\n")], &[("memory/b", shorter)]), ["bytes", "lines"]);
    assert_eq!(judged(&[("memory/a", long)], &[("memory/b", shorter), ("memory/c", shorter)]), ["bytes", "lines"]);
    // the trunk shortened it in the meantime
    let made = Made::with_trunk(&[("memory/a", long)], &[("memory/a", "one\ntwo\n")], &[("memory/b", shorter)]);
    assert_eq!(found(&crate::rule::code::budget::tests::judged(SET, made, "")), [("bytes", 1), ("lines", 1)]);
}

#[test]
fn a_set_may_hold_so_many_files() {
    let two = [("memory/a", ""), ("memory/b", "")];
    let three = [("memory/a", ""), ("memory/b", ""), ("memory/c", "")];
    assert_eq!(found(&judged(SET, Made::new(&two[..1], &two), "")), []);
    assert_eq!(found(&judged(SET, Made::new(&two, &three), "")), [("count", 1)]);
    assert_eq!(found(&judged(SET, Made::new(&three, &[("memory/a", "x"), three[1], ("memory/d", "")]), "")), []);
    assert_eq!(found(&judged(SET, Made::new(&three, &two), "")), []);
}

struct Tree(Vec<RepoPath>);

const TEXTS: [(&str, &str); 3] = [("memory/a", "1234567890\n"), ("memory/b", "\n\n\n\n"), ("memory/c", "x")];

impl Files for Tree {
    fn paths(&self) -> Result<&[RepoPath], String> {
        Ok(&self.0)
    }

    fn read(&self, path: &RepoPath) -> io::Result<Option<Arc<[u8]>>> {
        Ok(TEXTS.iter().find(|(name, _)| RepoPath::from(*name) == *path).map(|(_, text)| text.as_bytes().into()))
    }

    fn size(&self, path: &RepoPath) -> io::Result<Option<u64>> {
        Ok(self.read(path)?.map(|text| text.len() as u64))
    }

    fn last_touched(&self, paths: &[RepoPath], oldest: i64) -> Result<Vec<Option<i64>>, String> {
        if oldest < 0 {
            return Err("this clone is shallow".into());
        }
        Ok(paths.iter().map(|path| (*path != "memory/b".into()).then_some(oldest)).collect())
    }
}

fn of_tree(tables: &str, now: i64) -> Said {
    let config =
        ConfigFile::parse("gatekeep.toml", tables.as_bytes()).unwrap_or_else(|fatal| panic!("{}", fatal.plain()));
    let files = Tree(TEXTS.iter().map(|(name, _)| (*name).into()).collect());
    judge_tree(&Standing { holder: Holder::head(None), config: &config, files: &files, now })
}

#[test]
fn a_tree_by_itself_is_judged_whole() {
    assert_eq!(found(&of_tree(SET, 0)), [("bytes", 1), ("lines", 1), ("count", 3)]);
    assert_eq!(found(&of_tree(CHANGE, 0)), []);
    assert_eq!(found(&of_tree("[[budget]]\npaths = [\"memory/*\"]\nage = \"1d\"\n", 100_000)), [("age", 1)]);
    let shallow = of_tree("[[budget]]\npaths = [\"memory/*\"]\nage = \"2d\"\n", 100_000);
    assert_eq!((shallow.findings.len(), shallow.incomplete.len()), (0, 1));
}
