//! The page for a browser. `tests/browser` opens the same pages in a real one.

use std::{fs, path::Path};

use gatekeep::{
    diag::{Diagnostic, Severity},
    report::{Format, RenderOptions, Report},
};
use proptest::prelude::*;
use regex::Regex;
use sha2::{Digest, Sha256};

use super::{
    fixture::{clean, fixture},
    fleet::{TRICKS, fleet, hostile, thousand},
    rendered,
};

/// All that may stand in a page: an element with these attributes and no other.
const TAGS: &[&str] = &[
    "a( class id href rel)*",
    "article( class id aria-labelledby)*",
    "b( class)*",
    "bdi( class)*",
    "body",
    "circle( cx cy r fill stroke stroke-width stroke-dasharray)*",
    "code( class)*",
    "dd( class)*",
    "details( class)*",
    "div( class tabindex role aria-labelledby)*",
    "dl( class)*",
    "dt",
    "footer",
    "h1",
    "h2( id)*",
    "h3( id dir)*",
    "head",
    "header( class)*",
    "html( lang)*",
    "label( class)*",
    "li( class id)*",
    "main( id)*",
    "mark",
    "meta( charset http-equiv content name)*",
    "nav( aria-label)*",
    "p( class id dir)*",
    "path( class d fill stroke stroke-width stroke-linecap)*",
    "pre( class)*",
    "section( class id aria-labelledby)*",
    "span( class dir)*",
    "strong",
    "style",
    "summary",
    "svg( class aria-hidden focusable width height)*",
    "symbol( id viewBox)*",
    "table( aria-labelledby aria-describedby)*",
    "tbody",
    "td( class)*",
    "textarea( readonly spellcheck rows)*",
    "th( scope class)*",
    "thead",
    "title",
    "tr",
    "ul( class)*",
    "use( href)*",
];

fn page(report: &Report) -> String {
    rendered(Format::Html, report, &RenderOptions::default())
}

fn pages() -> [(&'static str, Report); 7] {
    let gaps = Report { findings: vec![], skipped: vec![], ..fixture() };
    let one = Diagnostic::new(
        "r/k",
        Severity::Note,
        "m",
        vec![gatekeep::diag::Site::path("a".into(), gatekeep::diag::Holder::head(None))],
    );
    [
        ("fleet", fleet()),
        ("everything", fixture()),
        ("hostile", hostile()),
        ("thousand", thousand()),
        ("clean", clean()),
        ("gaps", gaps),
        ("note", Report { findings: vec![one], ..clean() }),
    ]
}

/// What a page holds beside text: its tags, each of which is one of ours.
#[track_caller]
fn tags(page: &str) -> Vec<String> {
    let known: Vec<(&str, Vec<&str>)> = TAGS
        .iter()
        .map(|tag| {
            let (name, rest) = tag.split_once('(').unwrap_or((tag, ""));
            (name, rest.trim_end_matches(")*").split_whitespace().collect())
        })
        .collect();
    let tag = Regex::new(r#"<(/?)([a-z0-9]+)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)(/?)>"#).unwrap();
    let attribute = Regex::new(r#" ([a-zA-Z-]+)(?:="[^"]*")?"#).unwrap();
    let text = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let found: Vec<String> = tag.captures_iter(text).map(|one| one[2].to_owned()).collect();
    for one in tag.captures_iter(text) {
        let (_, allowed) = known.iter().find(|(name, _)| *name == &one[2]).unwrap_or_else(|| panic!("{}", &one[0]));
        for given in attribute.captures_iter(&one[3]) {
            assert!(allowed.contains(&&given[1]), "{}", &one[0]);
        }
    }
    assert_eq!(text.matches('<').count(), found.len(), "each `<` begins a tag of ours");
    found
}

/// What holds of every page, whatever is in it.
#[track_caller]
fn is_safe(page: &str) {
    let tags = tags(page);
    let count = |name: &str| tags.iter().filter(|tag| *tag == name).count();
    assert_eq!((count("style"), count("title"), count("main"), count("h1")), (2, 2, 2, 2));
    let links = Regex::new("href=\"([^\"]*)\"").unwrap();
    for link in links.captures_iter(page) {
        assert!(["#", "https://", "http://"].iter().any(|start| link[1].starts_with(start)), "{}", &link[0]);
    }
    for link in links.captures_iter(page).filter(|link| link[1].starts_with('#')) {
        assert!(page.contains(&format!(" id=\"{}\"", &link[1][1..])), "{} leads nowhere", &link[0]);
    }
    assert!(!page.contains("##["));
    assert!(page.lines().all(|line| !line.trim_start().starts_with("::")), "no line is a workflow command");
    assert!(!page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
    assert!(!page.contains(['\u{202e}', '\u{200b}', '\u{200f}', '\u{feff}']));
}

#[test]
fn every_page_holds_nothing_but_text_and_our_tags() {
    for (name, report) in pages() {
        let page = page(&report);
        is_safe(&page);
        if let Some(folder) = std::env::var_os("GATEKEEP_PAGES") {
            fs::create_dir_all(&folder).unwrap();
            fs::write(Path::new(&folder).join(format!("{name}.html")), page).unwrap();
        }
    }
}

#[test]
fn the_policy_names_the_style() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report/html");
    let style = fs::read(folder.join("style.css")).unwrap();
    let hash = base64(&Sha256::digest(&style));
    let updates = std::env::var_os("GATEKEEP_UPDATE").is_some();
    if updates {
        fs::write(folder.join("style.sha256"), &hash).unwrap();
    }
    let written = fs::read_to_string(folder.join("style.sha256")).unwrap();
    assert_eq!(written, hash, "run the tests again with GATEKEEP_UPDATE=1");
    if updates {
        return; // the program knows the old one
    }
    let page = page(&clean());
    assert!(page.contains(&format!(
        "content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\""
    )));
    assert!(page.contains(&format!("<style>{}</style>", String::from_utf8(style).unwrap())));
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |at: usize| bytes.get(at / 8).map_or(0, |byte| usize::from(byte >> (7 - at % 8) & 1));
    let digits = (0..bytes.len() * 8).step_by(6).map(|at| (at..at + 6).fold(0, |word, at| word << 1 | bits(at)));
    let mut text: String = digits.map(|digit| char::from(DIGITS[digit])).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[test]
fn the_verdict_is_one_line() {
    let heading = |report: &Report| {
        let page = page(report);
        let (_, rest) = page.split_once("</svg><span>").unwrap();
        rest.split_once("</span></h1>")
            .unwrap()
            .0
            .replace("<span class=\"but\">", "")
            .replace("</span>", "")
            .replace('\u{a0}', " ")
    };
    assert_eq!(heading(&fleet()), "4 errors, 2 warnings and 1 note; incomplete");
    assert_eq!(heading(&clean()), "All clear");
    let gaps = Report { findings: vec![], ..fixture() };
    assert_eq!(heading(&gaps), "Nothing found in what could be looked at");
    let page = page(&gaps);
    assert!(page.contains(
        "<title>Nothing found in what could be looked at; 2 things could not be looked at · gatekeep</title>"
    ));
    assert!(!page.contains("class=\"top good\""), "what was not looked at is never green");
}

#[test]
fn the_matrix_says_who_collides_with_whom_over_what() {
    let page = page(&fleet());
    let (_, rest) = page.split_once("<tbody>").unwrap();
    let (table, list) = rest.split_once("</tbody>").unwrap();
    let rows: Vec<&str> = table.trim().lines().collect();
    let names: Vec<&str> =
        rows.iter().map(|row| row.split("</bdi>").next().unwrap().rsplit('>').next().unwrap()).collect();
    let expected = [
        "origin/main",
        "wt-docs",
        "agent/billing",
        "#57",
        "agent/ps3",
        "agent/ps4",
        "agent/ps5",
        "agent/win",
        "wt-auth",
        "#41",
    ];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    for name in expected {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for (row, line) in rows.iter().enumerate() {
        let cells: Vec<&str> = line.split("<td").skip(1).collect();
        assert_eq!(cells.len(), names.len() + 1, "a cell each, and what it must yield");
        assert!(cells[row].starts_with(" class=\"self\""));
        for (column, cell) in cells.iter().take(names.len()).enumerate() {
            let mirrored = rows[column].split("<td").nth(row + 1).unwrap();
            assert_eq!(*cell, mirrored.trim_end_matches("</tr>"), "{row}, {column}");
        }
    }
    assert!(list.contains("<a href=\"#finding-"), "{list}");
    assert!(page.contains(">edge-functions <code>billing</code></a>"));
}

#[test]
fn a_thousand_branches_are_cut_and_it_says_so() {
    let page = page(&thousand());
    assert_eq!(page.matches("<th scope=\"row\">").count(), 24);
    assert!(page.contains("and 976 more holders"));
    assert!(page.contains("1,000 of 1,001 holders"));
    assert_eq!(page.matches("<article").count(), 500 + 225);
    assert!(page.contains("and 176 more, which this page leaves out; <code>--format json</code> lists them all"));
    assert!(page.contains("<summary>and 988 more</summary>"), "places are folded away");
    assert!(page.contains("and 700 more, which this page leaves out"), "and bounded");
    assert!(page.len() < 4_000_000, "{}", page.len());
}

#[test]
fn findings_show_all_that_there_is() {
    let page = page(&fleet());
    for part in [
        "<h3 id=\"title-2\" dir=\"auto\">",
        "<dt>Key</dt><dd class=\"key\"><code>20260428000000</code>",
        "<dt>Namespace</dt><dd><code>supabase-migrations</code>",
        "<span class=\"role\">yields</span>",
        "<span class=\"role\">keeps</span>",
        "mv -n supabase/migrations/20260428000000_competitor_pages.sql supabase/migrations/20260428000001_competitor_pages.sql</textarea>",
        "mv -n &#39;docs/adr/0017-Why we left (the) queue.md&#39; &#39;docs/adr/0018-Why we left (the) queue.md&#39;</textarea>",
        ", if nothing has run under the old one yet",
        "\" href=\"https://supabase.com/docs/guides/deployment/database-migrations\">https://supabase.com/docs",
        "[<mark>functions.Billing</mark>]",
        "by allow: both were applied by hand in November",
        "<b class=\"path\">worktree wt-seo</b>",
        "branches older than 30d <span class=\"count\">1,204</span>",
        "medium: true unless",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let hostile = self::page(&hostile());
    assert!(!hostile.contains("mv -n &#39;`a`"), "nothing that a shell could act on is a command");
    assert!(!hostile.contains("href=\"javascript") && hostile.contains("<b>Docs</b> <span>javascript:document"));
    for trick in TRICKS {
        assert!(!trick.contains('<') || !hostile.contains(trick));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_text_changes_what_a_page_is(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![
            "<", ">", "</", "script", "style", "textarea", "title", "\"", "'", "&", "`", "=", " ", "\n", "\t", "::", "##[", "%0A",
            "<!--", "-->", "]]>", "/", "\u{202e}", "\0", "a", "\u{ffff}", ". ", "javascript:", "https://", "é",
        ]), 0..14).prop_map(|parts| parts.concat()), 4),
        marks in (0usize..40, 0usize..40),
    ) {
        let mut report = hostile();
        report.findings.truncate(4);
        for (at, found) in report.findings.iter_mut().enumerate() {
            let text = |n: usize| texts[(at + n) % texts.len()].clone();
            (found.message, found.code, found.key, found.help) = (text(0), text(1), Some(text(2)), Some(text(3)));
            (found.docs, found.partition) = (Some(text(1)), Some(text(3)));
            for site in &mut found.sites {
                site.note = Some(text(2));
                site.holder.name = text(0);
                if let Some(snippet) = &mut site.snippet {
                    (snippet.text, snippet.mark) = (text(3), marks.0..marks.1);
                }
            }
        }
        (report.target, report.head) = (Some(texts[0].clone()), Some(texts[1].clone()));
        is_safe(&page(&report));
    }
}
