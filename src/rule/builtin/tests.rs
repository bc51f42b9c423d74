//! The index says of each built-in rule what its file says.

#![expect(clippy::disallowed_methods, reason = "a test may look at the sources")]

use std::{fmt::Write, fs};

use super::builtin;
use crate::rule::{head::Head, load::built_in, plan::wanted, select::Pattern};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rule/builtin/index.rs");

const TOP: &str = "\
//! What each built-in rule wants. Written by `GATEKEEP_UPDATE=1 cargo test --lib the_index`; the same test holds it against the files.

use std::borrow::Cow::Borrowed;

use crate::rule::{
    head::{Head, Known},
    plan::What::{Beside, Claim, From, Ignored, Malformed, Manifest, Marker, Text, Unclaimed},
    spec::Group,
};

/// In the order of [`builtin`](super::builtin).
#[rustfmt::skip]
pub(in crate::rule) static INDEX: &[Known] = &[
";

/// All that the files say that belongs into the index.
fn written() -> String {
    let mut text = TOP.to_owned();
    for (path, file) in builtin() {
        let body = built_in(path, file);
        let head = Head::of(&body);
        let Head { id, group, between_worktrees, reads_settings, root_anywhere, invented_if_asked, kinds } = head;
        let group = group.map_or_else(|| "None".to_owned(), |group| format!("Some(Group::{group:?})"));
        let _ = write!(
            text,
            "    Known {{\n        head: Head {{\n            id: Borrowed({id:?}), group: {group}, between_worktrees: \
             {between_worktrees:?}, reads_settings: {reads_settings:?},\n            root_anywhere: {root_anywhere:?}, \
             invented_if_asked: {invented_if_asked:?}, kinds: Borrowed(&{kinds:?}),\n        }},\n        wants: &[\n"
        );
        for same in wanted(&body, &[]).chunk_by(|(a, _), (b, _)| a == b) {
            let pairs = same.iter().map(|(what, pattern)| format!("({what:?}, {:?}),", pattern.glob()));
            let _ = writeln!(text, "            {}", pairs.collect::<Vec<_>>().join(" "));
        }
        text.push_str("        ],\n    },\n");
    }
    text + "];\n"
}

#[test]
fn the_index_says_what_the_files_say() {
    let fresh = written();
    if std::env::var_os("GATEKEEP_UPDATE").is_some() {
        fs::write(FILE, &fresh).expect("the index is written");
    }
    let there = fs::read_to_string(FILE).expect("the index");
    assert!(there == fresh, "the index is out of date: run GATEKEEP_UPDATE=1 cargo test --lib the_index");
}

/// The index holds globs; a rule file is made into patterns. Were a pattern written otherwise than it was read, the index would want other
/// files than the rule, and be up to date all the same.
#[test]
fn the_globs_of_the_index_are_the_patterns_of_the_files() {
    for (path, text) in builtin() {
        for (what, pattern) in wanted(&built_in(path, text), &[]) {
            let read = Pattern::parse(&pattern.glob()).unwrap_or_else(|error| panic!("{path} {what:?}: {error:?}"));
            assert_eq!(format!("{read:?}"), format!("{:?}", [&pattern]), "{path} {what:?}");
        }
    }
}
