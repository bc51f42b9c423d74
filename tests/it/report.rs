//! One report, with everything in it that a renderer must survive, through every renderer.

#![expect(clippy::unwrap_used, reason = "tests")]

mod fixture;
mod fleet;
mod formats;
mod pages;

use gatekeep::{
    diag::{Diagnostic, Fix, Holder, HolderKind, Position, Rename, RepoPath, Safety, Severity, Site, Snippet},
    report::{Format, Incomplete, RenderOptions, Report, Skipped, human::HumanOptions, json},
};
use proptest::prelude::*;

use fixture::{clean, fixture, holder, marked};
use fleet::{fleet, thousand};

fn rendered(format: Format, report: &Report, options: &RenderOptions) -> String {
    let mut out = Vec::new();
    format.render(report, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn human(change: impl FnOnce(&mut HumanOptions)) -> RenderOptions {
    let mut options = RenderOptions::default();
    change(&mut options.human);
    options
}

/// Text without the escape sequences for colours.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn text_for_people() {
    assert_eq!(rendered(Format::Human, &fixture(), &RenderOptions::default()), HUMAN);
}

const HUMAN: &str = r###"error[adr-numbers/duplicate]

  × number `7\n::error::pwned` is taken twice \x1b[31m
  │
  │ ▸ docs/adr/0007-caf\xe9.md
  │   docs/adr/0007-\x1b[2J\n::stop-commands::x.md   #\u{23}[add-mask]a
  │   docs/adr/0007,title=x:y%0A.md                  \u{202e}dlo
  help: renumber one of them: the words of this help are many, so that the text must be wrapped, and
        a line could begin with ::error::pwned

error[supabase-migrations/duplicate]

  × version 20260428000000 is taken by 3 files on 3 lines of work; git merges all of them without a
  │ word, and `supabase db push` then stops with SQLSTATE 23505
  │
  │ ▸ supabase/migrations/20260428000000_jobs.sql
  │       HEAD, must yield: uncommitted work is the youngest
  │   supabase/migrations/20260428000000_ai.sql
  │       pull request #12, keeps the name
  │   supabase/migrations/20260428000000_teams.sql
  │       branch agent/ps3, next free: 20260428000002
  help: take the next free version, 20260428000001
   fix: Rename the file of HEAD, if nothing has run under the old one yet:
        mv -n supabase/migrations/20260428000000_jobs.sql \
              supabase/migrations/20260428000001_jobs.sql
  docs: https://gatekeep.example/rules/supabase-migrations

warning[sitemap-urls/duplicate]

  ⚠ `https://example.org/about` is listed twice
   ╭─[public/sitemap.xml:4:13]
 2 │   <url><loc>https://example.org/</loc></url>
 3 │   <url><loc>https://example.org/about</loc></url>
   ·             ─────────────────────────
 4 │   <url><loc>https://example.org/about/</loc></url>
   ·             ─────────────┬────────────
   ·                          ╰── the same page once the last `/` is taken off
 5 │ \x1b]0;pwned\x07<!-- \u{202e}#\u{23}[error]x -->
   ╰────

note[edge-functions/duplicate]

  ☞ function `billing` is set twice
  │
  │   supabase/functions/billing/index.ts   reservation billing
   ╭─[supabase/config.toml:4:2]
 3 │ 
 4 │ [functions.billing]
   ·  ────────┬────────
   ·          ╰── worktree wt-2, in the worktree
   ╰────
   ╭─[supabase/generated.json:1:319]
 1 │ …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "functions.billing": 1 }
   ·                                                                        ────────┬────────
   ·                                                                                ╰── base main
   ╰────

incomplete

  × 2 things could not be looked at, so this report is not the whole truth
  │
  │   open pull requests
  │     GitHub answered 403 Forbidden; give the job `pull-requests: read`, and run it again
  │   public/big\x1b.xml
  │     larger than 256 MiB\n#\u{23}[error]x
  help: mend what is listed and run again, or accept the gaps with --allow-incomplete

Who collides with whom (E errors, N notes)
                          1   2   3   4   5
  1 base main
  2 HEAD                  ·
  3 branch agent/ps3      ·  1E
  4 pull request #12      ·  1E  1E
  5 worktree wt-2        1N   ·   ·   ·
  6 reservation billing  1N   ·   ·   ·  1N

2 errors, 1 warning, 1 note in 3,412 files; 1 suppressed
Left out: branches older than 30d (1,200), untracked files
Judged against origin/main from 89abcdef0, by the base's configuration; 5 holders compared
"###;

#[test]
fn narrow_ascii_text_keeps_paths_whole() {
    let options = human(|o| (o.width, o.unicode, o.verbose) = (60, false, true));
    let text = rendered(Format::Human, &fixture(), &options);
    assert!(text.contains(NARROW), "{text}");
}

const NARROW: &str = r###"error[supabase-migrations/duplicate]

  x version 20260428000000 is taken by 3 files on 3 lines of
  | work; git merges all of them without a word, and
  | `supabase db push` then stops with SQLSTATE 23505
  |
  | > supabase/migrations/20260428000000_jobs.sql
  |       HEAD, must yield: uncommitted work is the youngest
  |   supabase/migrations/20260428000000_ai.sql
  |       pull request #12 at 012345678, keeps the name
  |   supabase/migrations/20260428000000_teams.sql
  |       branch agent/ps3 at 012345678, next free:
  |       20260428000002
  help: take the next free version, 20260428000001
   fix: Rename the file of HEAD, if nothing has run under
        the old one yet:
        mv -n supabase/migrations/20260428000000_jobs.sql \
              supabase/migrations/20260428000001_jobs.sql
  docs: https://gatekeep.example/rules/supabase-migrations

warning[sitemap-urls/duplicate]

  ! `https://example.org/about` is listed twice
   ,-[public/sitemap.xml:4:13]
 2 |   <url><loc>https://example.org/</loc></url>
 3 |   <url><loc>https://example.org/about</loc></url>
   :             ^^^^^^^^^^^^^^^^^^^^^^^^^
 4 |   <url><loc>https://example.org/about/</loc></url>
   :             ^^^^^^^^^^^^^|^^^^^^^^^^^^
   :                          `-| the same page once the
   :                            | last `/` is taken off
 5 | \x1b]0;pwned\x07<!-- \u{202e}#\u{23}[error]x -->
   `----

note[edge-functions/duplicate]

  > function `billing` is set twice
  |
  |   supabase/functions/billing/index.ts
  |       reservation billing at 012345678
   ,-[supabase/config.toml:4:2]
 3 | 
 4 | [functions.billing]
   :  ^^^^^^^^|^^^^^^^^
   :          `-| worktree wt-2 at 012345678, in the
   :            | worktree
   `----
   ,-[supabase/generated.json:1:319]
 1 | …xxxxxxxxxxxxxxxxxxxxxxxxxx", "functions.billing": 1 }
   :                                ^^^^^^^^|^^^^^^^^
   :                                        `-- base main at 012345678
   `----

"###;

#[test]
fn colours_change_nothing_else() {
    let text = rendered(Format::Human, &fixture(), &human(|o| o.colour = true));
    assert!(text.starts_with("\x1b[31merror[adr-numbers/duplicate]\x1b[0m\n"), "{text}");
    assert_eq!(uncoloured(&text), HUMAN);
}

#[test]
fn suppressed_findings_and_long_lists_show_with_verbose() {
    let mut report = fixture();
    let text = rendered(Format::Human, &report, &human(|o| o.verbose = true));
    assert!(text.contains("suppressed error[env-ports/duplicate]\n\n  ☞ port 3000 is taken by 14 files\n"), "{text}");
    assert!(text.contains("  │   ports/13.env\n  note: suppressed by allow: one machine runs one of them\n"), "{text}");
    assert!(!HUMAN.contains("env-ports"));
    for found in &mut report.findings {
        found.suppressed = None;
    }
    let text = rendered(Format::Human, &report, &RenderOptions::default());
    assert!(text.contains("  │   ports/09.env\n  │   and 4 more; --verbose shows them all\n\n"), "{text}");
    assert!(!text.contains("ports/10.env"));
}

/// What stands between the findings and the summary.
fn matrix(report: &Report, options: &RenderOptions) -> Option<String> {
    let text = rendered(Format::Human, report, options);
    let (_, rest) = text.split_once("Who collides with whom")?;
    Some(rest.split_once("\n\n").unwrap().0.to_owned())
}

#[test]
fn a_fleet_is_shown_as_a_matrix() {
    let ascii = human(|o| (o.unicode, o.width) = (false, 72));
    assert_eq!(matrix(&fleet(), &ascii).unwrap(), MATRIX);
    let coloured = matrix(&fleet(), &human(|o| (o.unicode, o.width, o.colour) = (false, 72, true))).unwrap();
    assert!(coloured.contains("\x1b[31m1E\x1b[0m") && coloured.contains("\x1b[33m1W\x1b[0m"), "{coloured:?}");
    assert_eq!(uncoloured(&coloured), MATRIX);
    assert_eq!(matrix(&fleet(), &human(|o| o.quiet = true)), None);
}

const MATRIX: &str = " (E errors, W warnings, N notes, + lesser ones too)
                            1    2    3    4    5    6    7    8    9
   1 base origin/main
   2 worktree wt-docs       .
   3 pull request #57       .   1E
   4 worktree wt-auth       .   1E    .
   5 branch agent/billing  1E    .   1W    .
   6 branch agent/ps3       .    .    .    .    .
   7 branch agent/ps4       .    .    .    .    .   1E+
   8 branch agent/ps5       .    .    .    .    .   1E   1E
   9 branch agent/win       .    .    .    .    .   1E   1E   1E
  10 pull request #41       .    .    .    .    .    .    .   1N    .";

#[test]
fn where_the_matrix_does_not_fit_there_is_a_list() {
    let narrow = human(|o| o.width = 62);
    assert_eq!(matrix(&fleet(), &narrow).unwrap(), PAIRS);
    let wide = matrix(&thousand(), &human(|o| o.width = 140)).unwrap();
    assert_eq!(wide.lines().count(), 1 + 10 + 1, "{wide}");
    let text = matrix(&thousand(), &RenderOptions::default()).unwrap();
    assert_eq!(text.lines().count(), 1 + 2 * 10 + 1, "{text}");
    assert!(text.ends_with("\n  and 266 more pairs, and all pairs of 976 more holders"), "{text}");
    let text = matrix(&thousand(), &human(|o| (o.width, o.verbose) = (140, true))).unwrap();
    assert_eq!(text.lines().count(), 1 + 276 + 1, "{text}");
}

const PAIRS: &str = "
  branch agent/ps3 × branch agent/ps4: 1 error, 1 warning
  base origin/main × branch agent/billing: 1 error
  worktree wt-docs × pull request #57: 1 error
  worktree wt-docs × worktree wt-auth: 1 error
  branch agent/ps3 × branch agent/ps5: 1 error
  branch agent/ps3 × branch agent/win: 1 error
  branch agent/ps4 × branch agent/ps5: 1 error
  branch agent/ps4 × branch agent/win: 1 error
  branch agent/ps5 × branch agent/win: 1 error
  pull request #57 × branch agent/billing: 1 warning
  branch agent/ps5 × pull request #41: 1 note";

#[test]
fn a_change_alone_needs_no_matrix() {
    let site = |kind, name: &str| Site::path(name.into(), holder(kind, name));
    let found = |sites| Report { findings: vec![Diagnostic::new("r/k", Severity::Error, "m", sites)], ..clean() };
    let change = vec![site(HolderKind::Head, "HEAD"), site(HolderKind::Base, "main")];
    assert_eq!(matrix(&found(change.clone()), &RenderOptions::default()), None);
    let branch = [change[0].clone(), site(HolderKind::Branch, "a\x1b")];
    let text = matrix(&found(branch.to_vec()), &RenderOptions::default());
    assert_eq!(text.unwrap(), "\n  HEAD × branch a\\x1b: 1 error");
}

#[test]
fn long_lists_of_marked_lines_are_cut_too() {
    let text: String = (0..13).map(|n| format!("port = 3000 # {n}\n")).collect();
    let sites = (0..13).map(|n| marked("ports.toml", Holder::head(None), &text, "3000", n)).collect();
    let report = Report { findings: vec![Diagnostic::new("p/d", Severity::Warning, "13 times", sites)], ..clean() };
    let text = rendered(Format::Human, &report, &RenderOptions::default());
    assert_eq!(text.matches("────\n").count() - 1, 10, "ten marks in one block: {text}");
    assert!(text.ends_with("   ╰────\n  and 3 more; --verbose shows them all\n\n1 warning in 3,412 files\n"), "{text}");
}

#[test]
fn a_clean_run_says_so_and_a_quiet_one_says_nothing() {
    let text = |options: &RenderOptions| rendered(Format::Human, &clean(), options);
    assert_eq!(text(&RenderOptions::default()), "✓ All clear: nothing found in 3,412 files\n");
    assert_eq!(text(&human(|o| o.unicode = false)), "All clear: nothing found in 3,412 files\n");
    assert_eq!(text(&human(|o| o.quiet = true)), "");
    let quiet = rendered(Format::Human, &fixture(), &human(|o| o.quiet = true));
    assert!(HUMAN.starts_with(&quiet) && quiet.contains("\nincomplete\n") && !quiet.contains("3,412"), "{quiet}");
}

#[test]
fn an_incomplete_run_is_never_called_clear() {
    let gap = Report { findings: vec![], skipped: vec![], ..fixture() };
    let text = rendered(Format::Human, &gap, &RenderOptions::default());
    assert!(text.starts_with("incomplete\n\n  × 2 things could not be looked at"), "{text}");
    assert!(text.contains("Nothing found in the 3,412 files that could be looked at\n"), "{text}");
    let allowed = RenderOptions { allow_incomplete: true, ..RenderOptions::default() };
    let text = rendered(Format::Human, &gap, &allowed);
    assert!(text.contains("  ⚠ 2 things") && text.contains("help: allowed by --allow-incomplete"), "{text}");
}

#[test]
fn workflow_commands() {
    assert_eq!(rendered(Format::Github, &fixture(), &RenderOptions::default()), GITHUB);
}

const GITHUB: &str = r###"::error file=docs/adr/0007%2Ctitle=x%3Ay%250A.md,title=adr-numbers/duplicate::number `7\n::error::pwned` is taken twice \x1b[31m%0Adocs/adr/0007-caf\xe9.md%0Adocs/adr/0007-\x1b[2J\n::stop-commands::x.md (#\u{23}[add-mask]a)%0Ahere: \u{202e}dlo%0Ahelp: renumber one of them: the words of this help are many, so that the text must be wrapped, and a line could begin with ::error::pwned
::error file=supabase/migrations/20260428000000_jobs.sql,title=supabase-migrations/duplicate::version 20260428000000 is taken by 3 files on 3 lines of work; git merges all of them without a word, and `supabase db push` then stops with SQLSTATE 23505%0Ahere: HEAD, must yield: uncommitted work is the youngest%0Asupabase/migrations/20260428000000_ai.sql (pull request #12, keeps the name)%0Asupabase/migrations/20260428000000_teams.sql (branch agent/ps3, next free: 20260428000002)%0Ahelp: take the next free version, 20260428000001%0Afix: Rename the file of HEAD, if nothing has run under the old one yet%0A  supabase/migrations/20260428000000_jobs.sql → supabase/migrations/20260428000001_jobs.sql%0Adocs: https://gatekeep.example/rules/supabase-migrations
::error title=gatekeep%3A incomplete::could not be looked at: open pull requests: GitHub answered 403 Forbidden; give the job `pull-requests: read`, and run it again
::error title=gatekeep%3A incomplete::could not be looked at: public/big\x1b.xml: larger than 256 MiB\n#\u{23}[error]x
::warning file=public/sitemap.xml,line=4,col=13,endLine=4,endColumn=39,title=sitemap-urls/duplicate::`https://example.org/about` is listed twice%0Ahere: the same page once the last `/` is taken off%0Apublic/sitemap.xml:3:13
::notice title=edge-functions/duplicate::function `billing` is set twice%0Asupabase/config.toml:4:2 (worktree wt-2, in the worktree)%0Asupabase/generated.json:1:319 (base main)%0Asupabase/functions/billing/index.ts (reservation billing)
gatekeep: 2 errors, 1 warning, 1 note in 3,412 files; 1 suppressed
"###;

#[test]
fn json_as_the_contract_has_it() {
    let text = rendered(Format::Json, &fixture(), &RenderOptions::default());
    let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    let order = "schema tool complete incomplete skipped target base head policy summary findings";
    assert_eq!(keys.join(" "), order);
    let found = serde_json::to_string(&serde_json::from_str::<serde_json::Value>(&text).unwrap()["findings"][1]);
    let expected = serde_json::from_str::<serde_json::Value>(FINDING).unwrap();
    assert_eq!(found.unwrap(), serde_json::to_string(&expected).unwrap());
    let at = text.find("      \"rule\": \"supabase-migrations/duplicate\"").unwrap();
    let keys: Vec<&str> = text[at..]
        .lines()
        .map_while(|line| (line != "    },").then(|| line.strip_prefix("      \"")))
        .flatten()
        .filter_map(|line| line.split('"').next())
        .collect();
    let order = "rule severity confidence namespace partition key message help docs fingerprint suppressed sites fix";
    assert_eq!(keys.join(" "), order);
}

const FINDING: &str = r###"{
  "rule": "supabase-migrations/duplicate",
  "severity": "error",
  "confidence": "high",
  "namespace": "supabase-migrations",
  "partition": "supabase/migrations",
  "key": "20260428000000",
  "message": "version 20260428000000 is taken by 3 files on 3 lines of work; git merges all of them without a word, and `supabase db push` then stops with SQLSTATE 23505",
  "help": "take the next free version, 20260428000001",
  "docs": "https://gatekeep.example/rules/supabase-migrations",
  "fingerprint": "3b3c75e3e5cea5743598d3b136c433b7",
  "suppressed": null,
  "sites": [
    {
      "path": "supabase/migrations/20260428000000_jobs.sql",
      "holder": {
        "kind": "head",
        "name": "HEAD",
        "commit": null
      },
      "note": "must yield: uncommitted work is the youngest"
    },
    {
      "path": "supabase/migrations/20260428000000_ai.sql",
      "holder": {
        "kind": "pull-request",
        "name": "#12",
        "commit": "0123456789abcdef0123456789abcdef01234567"
      },
      "note": "keeps the name"
    },
    {
      "path": "supabase/migrations/20260428000000_teams.sql",
      "holder": {
        "kind": "branch",
        "name": "agent/ps3",
        "commit": "0123456789abcdef0123456789abcdef01234567"
      },
      "note": "next free: 20260428000002"
    }
  ],
  "fix": {
    "title": "Rename the file of HEAD",
    "safety": "unsafe",
    "renames": [
      {
        "from": "supabase/migrations/20260428000000_jobs.sql",
        "to": "supabase/migrations/20260428000001_jobs.sql"
      }
    ],
    "edits": []
  }
}"###;

#[test]
fn json_gives_positions_bytes_and_suppressions() {
    let text = rendered(Format::Json, &fixture(), &RenderOptions::default());
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let findings = &report["findings"];
    assert_eq!(findings[0]["sites"][0]["path"], "docs/adr/0007-caf\u{fffd}.md");
    assert_eq!(findings[0]["sites"][0]["path_bytes"], "ZG9jcy9hZHIvMDAwNy1jYWbpLm1k");
    assert_eq!(findings[0]["sites"][1]["path"], "docs/adr/0007-\x1b[2J\n::stop-commands::x.md");
    assert_eq!(findings[0]["sites"][1]["note"], "##[add-mask]a");
    let place = |key: &str| findings[2]["sites"][0][key].as_u64();
    assert_eq!(["line", "column", "end_line", "end_column"].map(place), [4, 13, 4, 39].map(Some));
    let silenced = serde_json::json!({"by": "allow", "reason": "one machine runs one of them"});
    assert_eq!(findings[4]["suppressed"], silenced);
    assert!(!text.contains("##["), "no line of it is a workflow command");
}

#[test]
fn json_fits_the_published_schema() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/report.schema.json");
    let made = json::schema();
    if std::env::var_os("GATEKEEP_WRITE_SCHEMAS").is_some() {
        std::fs::write(file, format!("{made:#}\n")).unwrap();
    }
    let published: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(published, made, "run this test with GATEKEEP_WRITE_SCHEMAS=1 and look at the difference");
    assert!(jsonschema::draft202012::meta::is_valid(&published));
    let schema = jsonschema::draft202012::new(&published).unwrap();
    for report in [fixture(), clean()] {
        let mut document: serde_json::Value =
            serde_json::from_str(&rendered(Format::Json, &report, &RenderOptions::default())).unwrap();
        let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        document["summary"]["error"] = "two".into();
        assert!(!schema.is_valid(&document), "the schema takes anything");
    }
}

/// Texts that try to be something else: a command, an escape sequence, a line of their own.
fn hostile_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            prop::sample::select(vec![
                "\n",
                "\r",
                "\x1b[2J",
                "::error::x",
                "::",
                "##[",
                "#",
                "[",
                " ",
                "\u{202e}",
                "\u{9b}",
                "a",
                "/",
                "word "
            ]),
            prop::sample::select(vec![
                "a long word with many letters ",
                "日本語",
                "\u{200b}",
                "\t",
                "%0A",
                ",",
                "\u{feff}",
                "\0"
            ]),
        ],
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn nothing_from_outside_gets_through(
        texts in prop::collection::vec(hostile_text(), 10),
        path in prop::collection::vec(any::<u8>(), 1..12),
        mark in (0usize..40, 0usize..40),
        first_line in 0usize..12,
        options in (any::<(bool, bool, bool)>(), 0usize..120),
    ) {
        let text = |at: usize| texts[at].clone();
        let snippet = Snippet { text: text(0), first_line, mark: mark.0..mark.0 + mark.1 };
        let position = Position { line: first_line, column: 1, end_line: first_line, end_column: 1 };
        let branch = Holder { kind: HolderKind::Branch, name: text(1), commit: Some(text(2)) };
        let path = RepoPath::new(&path);
        let mut found = Diagnostic::new(text(3), Severity::Error, text(4), vec![
            Site { snippet: Some(snippet.clone()), position: Some(position), note: Some(text(5)), ..Site::path(path.clone(), branch) },
            Site::path(text(6).as_str().into(), Holder::head(None)),
            Site { snippet: Some(snippet), ..Site::path(path.clone(), Holder::head(None)) },
        ]);
        found.help = Some(text(7));
        found.docs = Some(text(8));
        found.fix = Some(Fix { title: text(9), safety: Safety::Safe, renames: vec![Rename { from: text(8).as_str().into(), to: path }] });
        let mut report = Report { findings: vec![found], ..fixture() };
        report.target = Some(text(5));
        report.incomplete.push(Incomplete { what: text(1), why: text(9) });
        report.skipped.push(Skipped { what: text(3), count: None });
        let ((colour, unicode, verbose), width) = options;
        let options = human(|o| *o = HumanOptions { colour, width, unicode, verbose, quiet: false });
        let shown = uncoloured(&rendered(Format::Human, &report, &options));
        prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        prop_assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{feff}']), "{shown:?}");
        prop_assert!(!shown.contains("##["), "{shown}");
        prop_assert!(shown.lines().all(|line| !line.trim_start().starts_with("::")), "{shown}");
        let commands = rendered(Format::Github, &report, &options);
        prop_assert!(!commands.contains("##[") && !commands.contains('\r'), "{commands:?}");
        prop_assert_eq!(commands.lines().filter(|line| line.trim_start().starts_with("::")).count(), 4);
        prop_assert_eq!(commands.lines().count(), 5);
        let document: serde_json::Value = serde_json::from_str(&rendered(Format::Json, &report, &options)).unwrap();
        prop_assert_eq!(&document["findings"][0]["message"], &texts[4]);
    }
}
