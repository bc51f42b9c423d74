//! The escape, held against the parser that GitHub's is the model of.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use comrak::{
    Arena, Options,
    nodes::{AstNode, NodeValue},
    parse_document,
};
use proptest::prelude::*;

use super::{
    escape::{code, prose},
    *,
};
use crate::{
    diag::{Holder, Severity, Site},
    report::{PolicyFrom, Skipped, escape::terminal},
};

/// All that GitHub's Markdown knows, and a little more.
fn github() -> Options<'static> {
    let mut options = Options::default();
    let known = &mut options.extension;
    (known.table, known.strikethrough, known.tasklist, known.autolink) = (true, true, true, true);
    (known.footnotes, known.inline_footnotes, known.alerts, known.math_dollars) = (true, true, true, true);
    (known.math_code, known.superscript, known.subscript, known.underline) = (true, true, true, true);
    (known.multiline_block_quotes, known.spoiler, known.highlight) = (true, true, true);
    (known.wikilinks_title_after_pipe, known.description_lists) = (true, true);
    options.parse.relaxed_autolinks = true;
    options
}

/// Text nodes and code, as they are read; anything else makes it an error.
fn read<'a>(node: &'a AstNode<'a>, blocks: &mut Vec<String>, text: &mut String) -> Result<(), String> {
    match &node.data.borrow().value {
        NodeValue::Document | NodeValue::List(_) | NodeValue::Item(_) | NodeValue::Strong => {}
        NodeValue::Paragraph | NodeValue::Heading(_) => text.push('\n'),
        NodeValue::Text(words) => text.push_str(words),
        NodeValue::Code(code) => {
            blocks.push(code.literal.clone());
            text.push('\u{1}'); // code is no text: nothing is looked up in there
        }
        NodeValue::CodeBlock(block) => blocks.push(block.literal.clone()),
        NodeValue::SoftBreak => text.push('\n'),
        other => return Err(format!("{other:?}")),
    }
    node.children().try_for_each(|child| read(child, blocks, text))
}

fn parsed(markdown: &str) -> Result<(String, Vec<String>), String> {
    let arena = Arena::new();
    let (mut code, mut text) = (Vec::new(), String::new());
    read(parse_document(&arena, markdown, &github()), &mut code, &mut text)?;
    Ok((text, code))
}

/// What GitHub or GitLab would make of the text nodes of a page.
fn references(text: &str) -> Vec<String> {
    static LOOKED_UP: LazyLock<regex::Regex> = LazyLock::new(|| {
        let patterns = r"@\w|#\w|(?i:\bgh-\d)|!\d|~\w|%\w|\$\w|&\w|\^\w|:[\w+-]+:|://|(?i:www\.)|[\w.]+@[\w.]+";
        regex::Regex::new(patterns).unwrap()
    });
    LOOKED_UP.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

fn tricky() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "`",
        "``",
        "```",
        "\\",
        "*",
        "_",
        "**x**",
        "[",
        "](",
        ")",
        "![a](b)",
        "<img src=x>",
        "<!--",
        "-->",
        "&amp;",
        "&#64;x",
        "@user",
        "@org/team",
        "#12",
        "a/b#3",
        "GH-12",
        "gh-7",
        "https://a.b/c",
        "www.a.b",
        "WWW.a.b",
        "a@b.c",
        "mailto:a@b.c",
        ":tada:",
        "|",
        "| - |",
        "\n",
        "\r\n",
        "\n\n",
        "    x",
        "\t",
        "# ",
        "- ",
        "1. ",
        "2) ",
        "> ",
        "===",
        "---",
        "~~~",
        "~~x~~",
        "$x$",
        "$$",
        "^x^",
        "[^1]",
        "[^1]: y",
        "[ ] ",
        "[x]: /y",
        "==x==",
        "++x++",
        "[[x]]",
        "||x||",
        "::error::x",
        "##[error]",
        "\u{202e}",
        "\u{200b}",
        " ",
        "  ",
        "a",
        "word ",
        "é",
        "日本語",
        "\0",
        "\x1b[2J",
        "%0A",
        "!12",
        "%3",
        "~bug",
        "http://",
        "ftp://x.y",
        "xmpp:a@b.c",
        ":",
        ".",
    ]);
    prop::collection::vec(parts, 0..9).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_text_is_read_as_what_it_is(text in tricky()) {
        let shown = terminal(&text);
        let shown = shown.trim();
        prop_assume!(!shown.is_empty());
        for (before, after) in [("", ""), ("- ", ""), ("**Help:** ", ""), ("## x ", "\n\ny"), ("- `a`: ", "\n- b")] {
            let (read, codes) = parsed(&format!("{before}{}{after}", prose(&text))).map_err(TestCaseError::fail)?;
            prop_assert_eq!(references(&read), Vec::<String>::new());
            // as many words between backticks as there are, and all other text as it is
            let inside: Vec<&str> = shown.split('`').collect();
            let paired = inside.len() % 2 == 1;
            let expected: Vec<&str> =
                inside.iter().enumerate().filter(|(at, part)| paired && at % 2 == 1 && !part.is_empty()).map(|(_, part)| *part).collect();
            let own = usize::from(before.contains('`'));
            prop_assert_eq!(&codes[own..], &expected[..]);
            if expected.is_empty() && before.is_empty() {
                let read = read.replace('\u{200b}', "");
                prop_assert_eq!(read.trim(), shown);
            }
        }
    }

    #[test]
    fn code_is_read_as_what_it_is(text in tricky()) {
        let shown = terminal(&text);
        prop_assume!(!shown.is_empty());
        for before in ["", "- ", "# ", "On pull request "] {
            let (_, codes) = parsed(&format!("{before}{}", code(&text))).map_err(TestCaseError::fail)?;
            prop_assert_eq!(codes, vec![shown.clone()]);
        }
    }

    #[test]
    fn no_report_has_markup_of_others_and_every_one_keeps_its_limit(texts in prop::collection::vec(tricky(), 8), limit in 0usize..6000) {
        let report = report(&texts, 9);
        for limit in [limit, STEP_SUMMARY] {
            let text = rendered(&report, limit);
            prop_assert!(text.len() <= limit);
            prop_assert!(!text.contains("##["), "{}", text);
            prop_assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{}", text);
            let (read, _) = parsed(&text).map_err(TestCaseError::fail)?;
            prop_assert_eq!(references(&read), Vec::<String>::new());
        }
    }
}

fn report(texts: &[String], count: usize) -> Report {
    let found = |at: usize| {
        let text = |nth: usize| texts[(at + nth) % texts.len()].as_str();
        let path = |nth: usize| format!("{}{nth}", text(nth));
        let holder = Holder { kind: crate::diag::HolderKind::PullRequest, name: text(1).into(), commit: None };
        let mut found = Diagnostic::new(
            text(2),
            Severity::Error,
            text(3),
            vec![
                Site { note: Some(text(4).into()), ..Site::path(path(5).as_str().into(), holder) },
                Site::path(path(6).as_str().into(), Holder::head(None)),
            ],
        );
        (found.help, found.docs) = (Some(text(7).into()), Some(text(0).into()));
        let renames = vec![crate::diag::Rename { from: path(5).as_str().into(), to: path(6).as_str().into() }];
        found.fix = Some(crate::diag::Fix { title: text(1).into(), safety: crate::diag::Safety::Unsafe, renames });
        found
    };
    Report {
        target: Some(texts[0].clone()),
        base: Some(texts[1].clone()),
        head: None,
        policy: PolicyFrom::Base,
        policy_commit: Some(texts[2].clone()),
        incomplete: (0..count).map(|at| Incomplete { what: texts[at % 3].clone(), why: texts[3].clone() }).collect(),
        skipped: vec![Skipped { what: texts[4].clone(), count: Some(1200) }],
        findings: (0..count).map(found).collect(),
        files: 7,
        holders: 2,
    }
}

fn rendered(report: &Report, limit: usize) -> String {
    let mut out = Vec::new();
    render(report, &RenderOptions::default(), limit, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn what_does_not_fit_is_counted() {
    let texts = ["one", "two", "three", "four", "five", "six", "seven", "eight"].map(String::from);
    let report = report(&texts, 40);
    let whole = rendered(&report, STEP_SUMMARY);
    assert_eq!((whole.matches("### error: ").count(), whole.matches("more finding").count()), (40, 0));
    let text = rendered(&report, 8000);
    let shown = text.matches("### error: ").count();
    assert!(text.len() <= 8000 && (5..40).contains(&shown), "{shown}");
    assert!(text.contains(&format!("and {} more findings, for which there is no room here", 40 - shown)), "{text}");
    assert!(
        text.starts_with("## gatekeep: failed, and incomplete\n\n40 errors in 7 files\n\n**40 things could not be")
    );
    assert!(text.contains("### Not looked at\n\n") && text.ends_with("2 holders compared\n"), "{text}");
    let tight = rendered(&report, 200);
    assert!(tight.len() <= 200 && tight.starts_with("## gatekeep: failed, and incomplete"), "{tight}");
    assert_eq!(rendered(&report, 20), "");
}

#[test]
fn one_long_name_leaves_room_for_the_other_findings() {
    let texts = ["@", "`", "<", "a"].map(|text| text.repeat(5000)).into_iter().cycle().take(8).collect::<Vec<_>>();
    let text = rendered(&report(&texts, 30), COMMENT);
    assert!(text.len() <= COMMENT && text.matches("### error: ").count() >= 3, "{}", text.len());
}

#[test]
fn the_heading_is_the_verdict() {
    let quiet = Report {
        incomplete: vec![],
        findings: vec![],
        ..report(&["a".into(), "b".into(), "c".into(), "d".into(), "e".into()], 0)
    };
    assert!(
        rendered(&quiet, STEP_SUMMARY).starts_with("## gatekeep: all clear\n\nAll clear\\: nothing found in 7 files\n")
    );
    let note = Diagnostic::new("r/k", Severity::Note, "m", vec![Site::path("a".into(), Holder::head(None))]);
    let passed = Report { findings: vec![note], ..quiet.clone() };
    assert!(rendered(&passed, STEP_SUMMARY).starts_with("## gatekeep: passed\n\n1 note in 7 files\n"));
    let gap = Report { incomplete: vec![Incomplete { what: "a".into(), why: "b".into() }], ..quiet };
    assert!(
        rendered(&gap, STEP_SUMMARY)
            .starts_with("## gatekeep: incomplete\n\nNothing found in the 7 files that could be")
    );
    let mut out = Vec::new();
    let allowed = RenderOptions { allow_incomplete: true, ..RenderOptions::default() };
    render(&gap, &allowed, STEP_SUMMARY, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().starts_with("## gatekeep: passed, with gaps that are allowed\n"));
}

#[test]
fn only_what_a_built_in_rule_names_is_a_link() {
    let docs = crate::rule::text("goose/duplicate").unwrap().docs.unwrap();
    let shown = |code: &str, docs: &str| {
        let mut found = Diagnostic::new(code, Severity::Error, "m", vec![]);
        found.docs = Some(docs.into());
        finding::block(&found)
    };
    assert!(shown("goose/duplicate", &docs).ends_with(&format!("Docs: <{docs}>\n\n")));
    assert!(shown("goose/duplicate", "https://evil.example/").ends_with("Docs: `https://evil.example/`\n\n"));
    assert!(shown("own/duplicate", &docs).ends_with(&format!("Docs: `{docs}`\n\n")));
}
