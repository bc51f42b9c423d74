//! What is written for people says what the program does. `GATEKEEP_UPDATE=1 cargo test` writes the generated parts anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use gatekeep::{
    config::{self, ConfigFile},
    engine::example,
    report::escape::terminal,
    rule::{
        self, CodeRule, Rule, code_rules,
        spec::{ExampleSpec, Sureness},
    },
};
use serde_json::Value;

use crate::support::Repo;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether generated parts are to be written rather than compared.
fn updates() -> bool {
    std::env::var_os("GATEKEEP_UPDATE").is_some()
}

#[track_caller]
pub(crate) fn fresh(path: &str, text: &str) {
    if updates() {
        fs::write(root().join(path), text).expect("the file can be written");
    }
    let written = fs::read_to_string(root().join(path)).unwrap_or_default();
    assert!(written == text, "{path} is out of date: run the tests again with GATEKEEP_UPDATE=1");
}

/// The code blocks of a language, with the line at which each begins.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut inside, mut wanted) = (false, false);
    for (at, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("```") {
            inside = !inside;
            wanted = inside && name == language;
            if wanted {
                found.push((at + 2, String::new()));
            }
        } else if wanted && let Some((_, block)) = found.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    found
}

/// The text with what stands between two comments replaced.
pub(crate) fn replaced(text: &str, name: &str, body: &str) -> String {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&start).unwrap_or_else(|| panic!("no {start}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
    format!("{before}{start}{body}{end}{after}")
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let repo = Repo::plain();
    let mut text = read("README.md");
    text = replaced(&text, "demo", &picture(&repo.run(&["demo"]).exits(0).stdout));
    text = replaced(&text, "rules", &rules_table(&repo.run(&["rules", "list"]).exits(0).stdout));
    text = replaced(&text, "exit statuses", &statuses_table(&repo.run(&["--help"]).exits(0).stdout));
    fresh("README.md", &text);
}

/// The demo, cut down to the incident.
fn picture(demo: &str) -> String {
    let asked = demo.lines().find(|line| line.starts_with("Nothing is merged yet")).expect("it says so");
    let merged = demo.lines().find(|line| line.starts_with("git has now merged")).expect("it says so");
    let start = demo.find("error[supabase-migrations/duplicate]").expect("the demo finds it");
    let is_head = |line: &str| ["error[", "warning[", "note["].iter().any(|head| line.starts_with(head));
    let finding: Vec<&str> = demo[start..]
        .lines()
        .enumerate()
        .take_while(|(at, line)| *at == 0 || !is_head(line))
        .map(|(_, line)| line)
        .collect();
    let finding = finding.join("\n");
    format!("```text\n$ gatekeep demo\n…\n{asked}\n…\n{}\n…\n{merged}\n```\n", finding.trim_end())
}

fn rules_table(list: &str) -> String {
    let mut text = "| rule | severity | what holds |\n| --- | --- | --- |\n".to_owned();
    let mut rows: Vec<String> = Vec::new();
    for line in list.lines() {
        let (id, rest) = line.split_once(' ').expect("three columns");
        let (severity, summary) = rest.trim_start().split_once(' ').expect("three columns");
        let page = id.split('/').next().unwrap_or_default();
        rows.push(format!("| [{id}](docs/rules/{page}.md) | {severity} | {} |\n", cell(summary.trim_start())));
    }
    rows.sort();
    text.push_str(&rows.concat());
    text
}

fn statuses_table(help: &str) -> String {
    let mut text = "| status | when |\n| --- | --- |\n".to_owned();
    let lines = help.lines().skip_while(|line| *line != "Exit status:").skip(1);
    for line in lines.take_while(|line| line.starts_with("  ")) {
        let (status, when) = line.trim().split_once("  ").expect("two columns");
        let _ = writeln!(text, "| {status} | {} |", cell(when.trim_start()));
    }
    assert_eq!(text.lines().count(), 6, "{text}");
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let rules = rule::load(&[], true).expect("the rules load");
    let mut pages: BTreeSet<PathBuf> = BTreeSet::new();
    for (rule, (file, _)) in rules.iter().zip(rule::builtin()) {
        let path = format!("docs/rules/{}.md", rule.id());
        fresh(&path, &page(rule, file));
        pages.insert(root().join(path));
    }
    for rule in code_rules() {
        let path = format!("docs/rules/{}.md", rule.id);
        fresh(&path, &code_page(rule));
        pages.insert(root().join(path));
    }
    for entry in fs::read_dir(root().join("docs/rules")).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        assert!(pages.contains(&path), "no rule has the page {}", path.display());
    }
}

fn page(rule: &Rule, file: &str) -> String {
    let spec = &rule.spec;
    let mut text =
        format!("<!-- Made from rules/{file} by `GATEKEEP_UPDATE=1 cargo test`. -->\n\n# {}\n\n## What\n\n", rule.id());
    let severity = rule.severity.map_or("off", |severity| severity.word());
    let _ = writeln!(text, "{}. A duplicate is reported as `{severity}`.\n", spec.summary);
    let _ = writeln!(text, "Codes: {}.\n", codes(rule));
    for code in rule.asked_for() {
        let _ = writeln!(text, "`{code}` is off, unless somebody asks for it: `-W {code}`.\n");
    }
    if let Some(root) = spec.root.as_ref().filter(|root| !root.marker.0.is_empty()) {
        let _ = writeln!(text, "It lives where there is {}.\n", quoted(&root.marker.0));
    }
    if spec.root.iter().flat_map(|root| &root.proof).any(|proof| proof.confidence == Some(Sureness::Low)) {
        text.push_str("Where only the names of files speak for the tool, `out-of-order` and `frozen` are one step less grave.\n\n");
    }
    if spec.root.as_ref().is_some_and(|root| !root.lax.is_empty()) {
        text.push_str("Where the code, a script or the environment tells the tool to take late names, `out-of-order` is a note.\n\n");
    }
    text.push_str("## Why\n\n");
    let _ = writeln!(text, "{}\n", spec.why.as_deref().expect("a built-in rule says why"));
    text.push_str("## Examples\n\n");
    spec.example.iter().for_each(|example| shown(example, &mut text));
    text.push_str("## What to do\n\n");
    if let Some(help) = spec.message.as_ref().and_then(|message| message.help.as_deref()) {
        let _ = writeln!(text, "{}.\n", capital(help));
    }
    if let Some(next) = &spec.next {
        let _ = writeln!(text, "The next one is `{}`, with the key `{}`.\n", next.path, next.key);
    }
    let _ = writeln!(text, "A finding that is meant: `[[allow]]` in [the configuration](../configuration.md#allow).");
    if let Some(docs) = &spec.docs {
        let _ = writeln!(text, "\nThe tool's own documentation: <{docs}>.");
    }
    text
}

fn code_page(rule: &CodeRule) -> String {
    let mut text = format!(
        "<!-- Made from src/rule/code/{0}.rs by `GATEKEEP_UPDATE=1 cargo test`. -->\n\n# {0}\n\n{1}.\n\n## Why\n\n{2}\n\n",
        rule.id, rule.summary, rule.why
    );
    for code in rule.codes {
        let _ = writeln!(text, "## {}\n\n{}. Reported as `{}`.\n", code.code, code.summary, code.severity);
        let _ = writeln!(text, "{}\n\nWhat to do: {}\n", code.details, code.help);
    }
    let _ = writeln!(text, "A finding that is meant: `[[allow]]` in [the configuration](../configuration.md#allow).");
    if let Some(docs) = rule.docs {
        let _ = writeln!(text, "\nMore: <{docs}>.");
    }
    text
}

fn codes(rule: &Rule) -> String {
    let codes: Vec<String> = rule.kinds().iter().map(|kind| format!("{}/{kind}", rule.id())).collect();
    quoted(&codes)
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn shown(example: &ExampleSpec, text: &mut String) {
    let _ = writeln!(text, "### {}\n\n```text", capital(&example.name));
    for side in example.sides() {
        if let Some(whose) = &side.whose {
            let _ = writeln!(text, "# {}", terminal(whose));
        }
        for (path, content) in side.files {
            let _ = writeln!(text, "{}", terminal(path));
            for line in content.lines() {
                let _ = writeln!(text, "{}", format!("    {}", terminal(line.replace('\t', "    "))).trim_end());
            }
        }
        for path in side.removes {
            let _ = writeln!(text, "{} (removed)", terminal(path));
        }
    }
    text.push_str("```\n\n");
    let found = if example.finds.is_empty() { "nothing".to_owned() } else { quoted(&example.finds) };
    let asked = if example.warn.is_empty() { String::new() } else { format!("Asked for {}: ", quoted(&example.warn)) };
    let _ = writeln!(text, "{asked}{} {found}.\n", if asked.is_empty() { "Finds" } else { "finds" });
    if !example.incomplete.is_empty() {
        let _ = writeln!(text, "Can't look at {}.\n", quoted(&example.incomplete));
    }
}

#[test]
fn every_configuration_in_the_documentation_is_one() {
    let known = rule::known(&rule::load(&[], false).expect("the rules load"));
    let mut count = 0;
    for file in ["README.md", "docs/configuration.md"] {
        for (line, block) in blocks(&read(file), "toml").iter().filter(|(_, block)| !block.contains("schema ")) {
            let config = ConfigFile::parse(&format!("{file}:{line}"), block.as_bytes());
            config
                .and_then(|config| config.check(&known))
                .unwrap_or_else(|error| panic!("{file}:{line}: {}", error.plain()));
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

/// What a piece of a rule file needs to be a whole one.
const REST: &str = "schema = 1\nid = 'piece'\nsummary = 's'\nseverity = 'error'\n[[claim]]\npath = 'x/(?<key>y)'\n[policy]\nunique = true\n";

#[test]
fn every_rule_in_the_documentation_works() {
    let mut examples = 0;
    for file in ["README.md", "docs/rules.md"] {
        let all = blocks(&read(file), "toml");
        for (line, block) in all.iter().filter(|(_, block)| file != "README.md" || block.contains("schema ")) {
            let at = format!("{file}:{line}");
            let mut whole: toml::Table = toml::from_str(REST).expect("it is TOML");
            let piece: toml::Table = toml::from_str(block).unwrap_or_else(|error| panic!("{at}: {error}"));
            for (word, value) in piece {
                match (whole.get_mut(&word), value) {
                    (Some(toml::Value::Table(rest)), toml::Value::Table(given)) => rest.extend(given),
                    (_, value) => {
                        whole.insert(word, value);
                    }
                }
            }
            let text = toml::to_string(&whole).expect("it is TOML");
            let rules = rule::load_replacing(&[(at.clone(), text.into_bytes())])
                .unwrap_or_else(|error| panic!("{}", error.plain()));
            let rule = rules.last().expect("it was loaded");
            for one in &rule.spec.example {
                assert_eq!(example::check(&rules, rule, one).expect("it runs"), None, "{at}: {}", one.name);
                examples += 1;
            }
        }
    }
    assert!(examples >= 4, "{examples}");
}

#[test]
fn every_word_of_both_languages_is_documented() {
    for (file, schema) in [("docs/rules.md", rule::schema()), ("docs/configuration.md", config::schema())] {
        let text = read(file);
        let mut words = BTreeMap::new();
        gather(&schema, &mut words);
        let missing: Vec<&String> = words
            .keys()
            .filter(|word| {
                !text.contains(&format!("`{word}`"))
                    && !["]", "."].iter().any(|end| text.contains(&format!("[{word}{end}")))
            })
            .collect();
        assert!(missing.is_empty(), "{file} does not say {missing:?}");
    }
}

/// Names of all members, and all constants, of a schema.
fn gather(schema: &Value, words: &mut BTreeMap<String, ()>) {
    match schema {
        Value::Object(object) => {
            for (name, value) in object {
                match (name.as_str(), value) {
                    ("properties", Value::Object(members)) => {
                        words.extend(members.keys().map(|name| (name.clone(), ())))
                    }
                    ("const", Value::String(word)) => {
                        words.insert(word.clone(), ());
                    }
                    _ => {}
                }
                gather(value, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, words)),
        _ => {}
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let guides =
        ["agents", "changes", "configuration", "fleet", "formats", "github", "hooks", "next", "rules", "security"];
    let mut files = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(String::from).to_vec();
    files.extend(guides.map(|guide| format!("docs/{guide}.md")));
    files.extend(
        rule::load(&[], false).expect("the rules load").iter().map(|rule| format!("docs/rules/{}.md", rule.id())),
    );
    for file in files {
        let folder = root().join(&file).parent().expect("a file lies in a folder").to_owned();
        let text = read(&file);
        for (_, rest) in text.match_indices("](").map(|(at, mark)| (at, &text[at + mark.len()..])) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            let outside = target.is_empty() || target.starts_with("http");
            assert!(outside || folder.join(target).exists(), "{file}: {target}");
        }
    }
}
