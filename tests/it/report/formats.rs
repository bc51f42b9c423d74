//! The formats for other programs, read back by parsers that are not ours. `tests/judges/formats.sh` shows the same reports to
//! the programs themselves.

use std::{fs, path::Path};

use gatekeep::{
    diag::{Diagnostic, Fix, Holder, HolderKind, Rename, RepoPath, Safety, Severity, Site, SuppressedBy, Suppression},
    exit::FailOn,
    report::{Format, Incomplete, RenderOptions, Report, Skipped},
};
use quick_xml::{Reader, events::Event};
use serde_json::Value;

use super::{
    fixture::{clean, fixture, holder},
    fleet::{self, thousand},
    rendered,
};

const MACHINES: [(&str, Format); 5] = [
    ("sarif", Format::Sarif),
    ("junit", Format::Junit),
    ("gitlab", Format::Gitlab),
    ("rdjson", Format::Rdjson),
    ("markdown", Format::Markdown),
];

/// Names that call people, close what they stand in, or are a command to whoever reads the log.
fn hostile() -> Report {
    let names = [
        "@everyone and #12, a/b#3, GH-12",
        "<img src=x onerror=alert(1)>",
        "a ]]> b --> c </failure></testcase>",
        "##[error]x\n::error::y\r\n%0A::set-output name=a::b",
        "[x](https://evil.example) ![y](z) | `|` ```",
        "\x1b]8;;https://evil.example\x07\u{202e}\u{200b}\0\u{ffff}",
    ];
    let path = |at: usize| match at {
        0 => RepoPath::new(b"caf\xe9/\xff%0A:##[x.sql"),
        1 => "deep/".repeat(1000).as_str().into(),
        _ => names[at % names.len()].into(),
    };
    let found = |at: usize| {
        let name = |nth: usize| names[(at + nth) % names.len()].to_owned();
        let other = Holder { kind: HolderKind::PullRequest, name: name(1), commit: Some(name(2)) };
        let mut found = Diagnostic::new(
            format!("{}/duplicate", name(3)),
            [Severity::Error, Severity::Warning, Severity::Note][at % 3],
            name(4),
            vec![
                Site { note: Some(name(5)), ..Site::path(path(at), Holder::head(None)) },
                Site { note: Some(name(1)), ..Site::path(path(at + 1), other) },
                Site::path(path(at + 2), Holder::head(None)),
            ],
        );
        (found.key, found.help, found.docs) = (Some(name(0)), Some(name(2)), Some(name(3)));
        let renames = vec![Rename { from: path(at), to: path(at + 3) }];
        found.fix = Some(Fix { title: name(5), safety: Safety::Unsafe, renames });
        found.suppressed = (at == 5)
            .then(|| Suppression { by: SuppressedBy::Inline, reason: Some(format!("{} {}", name(2), name(3))) });
        found
    };
    let mut report = Report {
        target: Some(names[0].into()),
        incomplete: names.map(|name| Incomplete { what: name.into(), why: name.into() }).into(),
        skipped: names.map(|name| Skipped { what: name.into(), count: Some(7) }).into(),
        findings: (0..names.len()).map(found).collect(),
        ..fixture()
    };
    report.sort();
    report
}

fn reports() -> [(&'static str, Report); 5] {
    let others = [("clean", clean()), ("thousand", thousand()), ("tricks", fleet::hostile())];
    let [clean, thousand, tricks] = others;
    [("fixture", fixture()), ("hostile", hostile()), clean, thousand, tricks]
}

fn options() -> [(&'static str, RenderOptions); 2] {
    let allowed = RenderOptions { allow_incomplete: true, fail_on: FailOn::Never, ..RenderOptions::default() };
    [("", RenderOptions::default()), ("-allowed", allowed)]
}

fn json(format: Format, report: &Report, options: &RenderOptions) -> Value {
    serde_json::from_str(&rendered(format, report, options)).unwrap()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).unwrap()
}

#[test]
fn no_line_of_any_format_is_a_command() {
    for (name, report) in reports() {
        for (kind, options) in options() {
            for (format, which) in MACHINES {
                let text = rendered(which, &report, &options);
                assert!(!text.contains("##["), "{format} {name}");
                assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{format} {name}");
                assert!(!text.contains(['\r', '\x1b', '\0']), "{format} {name}");
                let has_paths = matches!(which, Format::Gitlab | Format::Rdjson); // for programs, as they are
                assert!(has_paths || !text.contains('\u{202e}'), "{format} {name}");
                assert_eq!(text, rendered(which, &report, &options), "{format} {name}");
                if let Some(folder) = std::env::var_os("GATEKEEP_REPORTS") {
                    fs::create_dir_all(&folder).unwrap();
                    fs::write(Path::new(&folder).join(format!("{name}{kind}.{format}")), text).unwrap();
                }
            }
        }
    }
}

#[test]
fn sarif_fits_the_schema_of_the_standard() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sarif-2.1.0.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (name, report) in reports() {
        for (_, options) in options() {
            let mut log = json(Format::Sarif, &report, &options);
            let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
            log["runs"][0]["results"] = serde_json::json!([{"level": "fatal", "message": {"text": "x"}}]);
            assert!(!schema.is_valid(&log), "the schema takes anything");
        }
    }
}

#[test]
fn sarif_has_every_finding_and_says_which_do_not_count() {
    let log = json(Format::Sarif, &fixture(), &RenderOptions::default());
    let run = &log["runs"][0];
    assert_eq!(
        (&run["automationDetails"]["id"], &run["columnKind"]),
        (&"gatekeep/".into(), &"unicodeCodePoints".into())
    );
    let results = list(run, "/results");
    let shown: Vec<(&str, &str, bool)> = results
        .iter()
        .map(|one| (one["ruleId"].as_str().unwrap(), one["level"].as_str().unwrap(), one.get("suppressions").is_some()))
        .collect();
    let expected = [
        ("adr-numbers/duplicate", "error", false),
        ("supabase-migrations/duplicate", "error", false),
        ("sitemap-urls/duplicate", "warning", false),
        ("edge-functions/duplicate", "note", false),
        ("env-ports/duplicate", "error", true),
        ("gatekeep/incomplete", "error", false),
        ("gatekeep/incomplete", "error", false),
    ];
    assert_eq!(shown, expected);
    let silenced = serde_json::json!([{"kind": "external", "status": "accepted", "justification": "one machine runs one of them"}]);
    assert_eq!(results[4]["suppressions"], silenced);
    let region = serde_json::json!({"startLine": 4, "startColumn": 13, "endLine": 4, "endColumn": 39});
    assert_eq!(results[2]["locations"][0]["physicalLocation"]["region"], region);
    for one in results {
        let rule = &list(run, "/tool/driver/rules")[usize::try_from(one["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], one["ruleId"]);
    }
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn gitlab_has_the_fields_that_it_needs_and_no_fingerprint_twice() {
    let twice = |mut report: Report| {
        let again = report.findings[0].clone();
        report.findings.insert(0, again);
        report
    };
    for (name, report) in [("fixture", twice(fixture())), ("hostile", twice(hostile())), ("thousand", thousand())] {
        let issues = json(Format::Gitlab, &report, &RenderOptions::default());
        let issues = issues.as_array().unwrap();
        let counted = report.findings.iter().filter(|found| found.suppressed.is_none()).count();
        assert_eq!(issues.len(), counted + report.incomplete.len(), "{name}");
        let mut seen = std::collections::BTreeSet::new();
        for issue in issues {
            assert!(seen.insert(issue["fingerprint"].as_str().unwrap()), "{name}: {issue}");
            assert!(["info", "minor", "critical"].contains(&issue["severity"].as_str().unwrap()));
            assert!(issue["location"]["path"].as_str().is_some_and(|path| !path.is_empty() && !path.starts_with("./")));
            assert!(issue["location"]["lines"]["begin"].as_u64().is_some_and(|line| line > 0));
            assert!(!issue["description"].as_str().unwrap().is_empty() && issue["check_name"].is_string());
        }
    }
    assert_eq!(rendered(Format::Gitlab, &clean(), &RenderOptions::default()), "[]\n");
    let gap = Report { incomplete: fixture().incomplete, ..clean() };
    let [strict, allowed] = options().map(|(_, options)| json(Format::Gitlab, &gap, &options));
    assert_eq!((&strict[0]["severity"], &allowed[0]["severity"]), (&"critical".into(), &"minor".into()));
    assert_eq!(strict[0]["check_name"], "gatekeep/incomplete");
    assert_eq!(strict[0]["fingerprint"], allowed[0]["fingerprint"]);
    let why = Incomplete { why: "another reason".into(), ..gap.incomplete[0].clone() };
    let later = Report { incomplete: vec![why], ..gap.clone() };
    let later = json(Format::Gitlab, &later, &RenderOptions::default());
    assert_eq!(strict[0]["fingerprint"], later[0]["fingerprint"], "the same gap tomorrow");
}

#[test]
fn rdjson_counts_columns_in_bytes() {
    let text = "port = \"日本 3000\"\n";
    let head = || Holder::head(None);
    let site = super::marked("a.toml", head(), text, "3000", 0);
    let exact = Diagnostic::new("r/k", Severity::Error, "m", vec![site.clone(), Site::path("b.toml".into(), head())]);
    let long = format!("{}{text}", "x".repeat(500));
    let cut = Diagnostic::new("r/k", Severity::Error, "m", vec![super::marked("a.toml", head(), &long, "3000", 0)]);
    let odd =
        Diagnostic::new("r/k", Severity::Error, "m", vec![super::marked("a.toml", head(), "\u{fffd}3000", "3000", 0)]);
    let report = Report { findings: vec![exact, cut, odd], ..clean() };
    let document = json(Format::Rdjson, &report, &RenderOptions::default());
    let range = |at: usize| document["diagnostics"][at]["location"]["range"].clone();
    let column = 1 + text.find("3000").unwrap();
    assert_eq!(
        range(0),
        serde_json::json!({"start": {"line": 1, "column": column}, "end": {"line": 1, "column": column + 4}})
    );
    assert_eq!(
        (range(1), range(2)),
        (serde_json::json!({"start": {"line": 1}}), serde_json::json!({"start": {"line": 1}}))
    );
    assert_eq!(document["diagnostics"][0]["relatedLocations"], serde_json::json!([{"location": {"path": "b.toml"}}]));
    assert_eq!(document["diagnostics"][0]["code"], serde_json::json!({"value": "r/k"}));
}

#[test]
fn rdjson_has_what_counts_and_every_gap() {
    let document = json(Format::Rdjson, &fixture(), &RenderOptions::default());
    let shown: Vec<(&str, &str)> = list(&document, "/diagnostics")
        .iter()
        .map(|one| (one["code"]["value"].as_str().unwrap(), one["severity"].as_str().unwrap()))
        .collect();
    let expected = [
        ("adr-numbers/duplicate", "ERROR"),
        ("supabase-migrations/duplicate", "ERROR"),
        ("sitemap-urls/duplicate", "WARNING"),
        ("edge-functions/duplicate", "INFO"),
        ("gatekeep/incomplete", "ERROR"),
        ("gatekeep/incomplete", "ERROR"),
    ];
    assert_eq!(shown, expected);
    assert_eq!(document["diagnostics"][1]["code"]["url"], "https://gatekeep.example/rules/supabase-migrations");
}

/// A test of a suite: its class and name, and what it ended with, with the text in it.
type Test = (String, String, Option<(String, String)>);

/// The attributes of the suite, and its tests, as an XML reader has them.
fn suite(text: &str) -> (Vec<(String, String)>, Vec<Test>) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut counts, mut tests, mut inside): (_, Vec<Test>, Option<String>) = (Vec::new(), Vec::new(), None);
    let mut open = false; // inside a test
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return (counts, tests),
            Event::End(tag) if tag.name().as_ref() == "testcase" => open = false,
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let has_content = matches!(event, Event::Start(_));
                let (Event::Start(tag) | Event::Empty(tag)) = event else { unreachable!() };
                let name = tag.name().as_ref().to_owned();
                let attributes: Vec<(String, String)> = tag
                    .attributes()
                    .map(|one| one.unwrap())
                    .map(|one| {
                        (
                            one.key.as_ref().to_owned(),
                            one.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned(),
                        )
                    })
                    .collect();
                let value = |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
                match name.as_str() {
                    "testsuite" => counts = attributes,
                    "testcase" => {
                        tests.push((value("classname").unwrap(), value("name").unwrap(), None));
                        open = has_content;
                    }
                    "failure" | "error" | "skipped" | "system-out" if open => {
                        if let Some((.., end @ None)) = tests.last_mut() {
                            *end = Some((name.clone(), value("message").unwrap_or_default()));
                        }
                    }
                    _ => {}
                }
                inside = Some(name);
            }
            Event::Text(words) => {
                let shown = words.xml10_content();
                assert!(shown.chars().all(|c| !c.is_control() || c == '\n'), "{shown:?} in {inside:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn junit_fails_what_fails_the_run() {
    let kinds = |options: &RenderOptions| -> Vec<String> {
        let (_, tests) = suite(&rendered(Format::Junit, &fixture(), options));
        tests.into_iter().map(|(.., end)| end.map_or("passed".into(), |(kind, _)| kind)).collect()
    };
    let with = |fail_on, allow_incomplete| RenderOptions { fail_on, allow_incomplete, ..RenderOptions::default() };
    let gaps = ["error", "error"];
    assert_eq!(
        kinds(&with(FailOn::Error, false)),
        [&["failure", "failure", "system-out", "system-out", "skipped"][..], &gaps].concat()
    );
    assert_eq!(
        kinds(&with(FailOn::Warning, false)),
        [&["failure", "failure", "failure", "system-out", "skipped"][..], &gaps].concat()
    );
    let never = ["system-out", "system-out", "system-out", "system-out", "skipped", "skipped", "skipped"];
    assert_eq!(kinds(&with(FailOn::Never, true)), never);
    let (counts, tests) = suite(&rendered(Format::Junit, &fixture(), &RenderOptions::default()));
    let counts: Vec<(&str, &str)> = counts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(counts, [("name", "gatekeep"), ("tests", "7"), ("failures", "2"), ("errors", "2"), ("skipped", "1")]);
    assert_eq!(
        (tests[1].0.as_str(), tests[1].1.as_str()),
        ("supabase-migrations/duplicate", "supabase/migrations/20260428000000_jobs.sql: 20260428000000")
    );
    assert_eq!(tests[4].2.as_ref().unwrap().1, "suppressed by allow: one machine runs one of them");
    assert_eq!(tests[5].1, "open pull requests");
}

#[test]
fn junit_has_a_test_that_passes_where_nothing_was_found_and_none_where_that_is_not_known() {
    let (_, tests) = suite(&rendered(Format::Junit, &clean(), &RenderOptions::default()));
    assert_eq!(tests, [("gatekeep".to_owned(), "nothing found".to_owned(), None)]);
    let gap = Report { incomplete: fixture().incomplete, ..clean() };
    for (_, options) in options() {
        let (_, tests) = suite(&rendered(Format::Junit, &gap, &options));
        assert!(tests.len() == 2 && tests.iter().all(|(class, ..)| class == "gatekeep/incomplete"), "{tests:?}");
    }
}

#[test]
fn junit_names_no_test_twice_and_loses_no_text() {
    for (name, mut report) in reports() {
        let again: Vec<Diagnostic> = report.findings.first().cloned().into_iter().collect();
        report.findings.splice(0..0, again);
        let (_, tests) = suite(&rendered(Format::Junit, &report, &RenderOptions::default()));
        let names: std::collections::BTreeSet<(&str, &str)> =
            tests.iter().map(|(class, name, _)| (class.as_str(), name.as_str())).collect();
        assert_eq!(names.len(), tests.len(), "{name}");
    }
    let site = Site::path("a\u{1}]]>\n::b##[c".into(), holder(HolderKind::Branch, "x"));
    let report = Report { findings: vec![Diagnostic::new("r/k", Severity::Error, "<&\"'\n>", vec![site])], ..clean() };
    let text = rendered(Format::Junit, &report, &RenderOptions::default());
    let (_, tests) = suite(&text);
    assert_eq!(tests[0].1, "a\\x01]]>\\n::b#\\u{23}[c");
    assert_eq!(tests[0].2.as_ref().unwrap().1, "error: <&\"'\\n>");
    assert!(text.contains("a\\x01]]&gt;\\n::b#\\u{23}[c (branch x)</failure>"), "{text}");
}

#[test]
fn the_page_of_a_clean_run_is_short() {
    let text = rendered(Format::Markdown, &clean(), &RenderOptions::default());
    let expected = "## gatekeep: all clear\n\nAll clear\\: nothing found in 3,412 files\n\n\
                    Judged by itself, by the base's configuration at `89abcdef0`; 5 holders compared\n";
    assert_eq!(text, expected);
}

#[test]
fn markdown_for_a_summary() {
    assert_eq!(rendered(Format::Markdown, &fixture(), &RenderOptions::default()), MARKDOWN);
}

const MARKDOWN: &str = r###"## gatekeep: failed, and incomplete

2 errors, 1 warning, 1 note in 3,412 files; 1 suppressed

**2 things could not be looked at**, so this report is not the whole truth\.

### error: `adr-numbers/duplicate`

number `7\n::error::pwned` is taken twice \\x1b\[31m

- `docs/adr/0007-caf\xe9.md`
- `docs/adr/0007-\x1b[2J\n::stop-commands::x.md`: \#&#8203;\\u\{23\}\[add\-mask\]a
- `docs/adr/0007,title=x:y%0A.md`: \\u\{202e\}dlo

**Help:** renumber one of them\: the words of this help are many, so that the text must be wrapped, and a line could begin with \:&#8203;\:&#8203;error\:&#8203;\:&#8203;pwned

### error: `supabase-migrations/duplicate`

version 20260428000000 is taken by 3 files on 3 lines of work; git merges all of them without a word, and `supabase db push` then stops with SQLSTATE 23505

- `supabase/migrations/20260428000000_jobs.sql`: `HEAD`, must yield\: uncommitted work is the youngest
- `supabase/migrations/20260428000000_ai.sql`: pull request `#12`, keeps the name
- `supabase/migrations/20260428000000_teams.sql`: branch `agent/ps3`, next free\: 20260428000002

**Help:** take the next free version, 20260428000001

**Fix:** Rename the file of HEAD, if nothing has run under the old one yet

On `HEAD`:

```sh
mv -n supabase/migrations/20260428000000_jobs.sql supabase/migrations/20260428000001_jobs.sql
```

Docs: `https://gatekeep.example/rules/supabase-migrations`

### warning: `sitemap-urls/duplicate`

`https://example.org/about` is listed twice

- `public/sitemap.xml:4:13`: the same page once the last `/` is taken off
- `public/sitemap.xml:3:13`

### note: `edge-functions/duplicate`

function `billing` is set twice

- `supabase/config.toml:4:2`: worktree `wt-2`, in the worktree
- `supabase/generated.json:1:319`: base `main`
- `supabase/functions/billing/index.ts`: reservation `billing`

### Not looked at

- `open pull requests`: GitHub answered 403 Forbidden; give the job `pull-requests: read`, and run it again
- `public/big\x1b.xml`: larger than 256 MiB\\n\#&#8203;\\u\{23\}\[error\]x

Mend what is listed and run again, or accept the gaps with `--allow-incomplete`\.

Left out: branches older than 30d \(1,200\), untracked files

Judged against `origin/main` from `89abcdef0`, by the base's configuration at `89abcdef0`; 5 holders compared
"###;
