//! `tests/weakened` for the commands and settings that run tests.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{WEAKENED, finding, site_at};
use crate::{
    diag::{Confidence, Severity},
    rule::{
        change::{Change, File, Said},
        select::Pattern,
    },
};

/// Longest file that is looked into, in bytes.
const LONGEST: usize = 1 << 20;

/// Files that say how tests are run.
static FILES: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let globs = [
        "**/package.json",
        ".github/workflows/*.{yml,yaml}",
        ".gitlab-ci.yml",
        "**/{Makefile,makefile,GNUmakefile,justfile,Justfile,Taskfile.yml,noxfile.py,tox.ini,pytest.ini,setup.cfg,pyproject.toml,.coveragerc}",
        "**/{jest,vitest,playwright,cypress}.config.{js,cjs,mjs,ts,cts,mts,json}",
    ];
    globs.iter().flat_map(|glob| Pattern::parse(glob).expect("a pattern of ours")).collect()
});

const RUNNER: &str = r"(?:\b(?:pytest|jest|vitest|mocha|tox|nox|phpunit|pest|rspec|ctest|bats|pg_prove)\b|\bplaywright test\b|\bcypress run\b|\b(?:go|cargo|npm|pnpm|yarn|bun|deno|dart|flutter|mix|dotnet|swift|make|node --)\s?(?:run )?test\b|\bcargo nextest\b|\bgradlew? .*test\b|\bmvn .*(?:test|verify)\b|\bpython3? -m (?:pytest|unittest)\b)";

pub(super) static RUNS_TESTS: LazyLock<Regex> = LazyLock::new(|| regex(RUNNER));

/// What lets a run pass that should not, and what follows from it.
static LAX: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    vec![
        (regex(&format!(r"{RUNNER}.*\|\|\s*(?:true\b|:(?:\s|$)|exit 0\b)")), "failing tests no longer fail the run"),
        (regex(r"--passWithNoTests\b|\bpassWithNoTests\s*:\s*true"), "a run without any test passes"),
        (
            regex(&format!(r#"(?:{RUNNER}|addopts).*(?:--deselect\b|--ignore(?:-glob)?=|-k\s*['"\\]*not )"#)),
            "tests are left out of the run",
        ),
        (regex(&format!(r"{RUNNER}.*--(?:testPathIgnorePatterns|exclude|skip)[= ]")), "tests are left out of the run"),
    ]
});

static TOLERATES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?:- )?(?:continue-on-error|allow_failure):\s*true\s*(?:#.*)?$"));

/// A threshold: its name and its number.
static THRESHOLD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\b(fail_under|fail-under|cov-fail-under|branches|functions|lines|statements)["']?\s*[:= ]\s*(\d+(?:\.\d+)?)"#,
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

fn is_meant(path: &[u8]) -> bool {
    FILES.iter().any(|pattern| pattern.matches(path))
}

pub(super) fn judge(change: &Change<'_>, said: &mut Said) {
    for file in change.files.iter().filter(|file| is_meant(file.path.as_bytes()) && !file.is_link()) {
        match (change.before(file), change.merged(file)) {
            (Ok(before), Ok(Some(after))) if after.len() <= LONGEST => {
                look(change, file, &before.unwrap_or_default(), &after, said)
            }
            (Ok(_), Ok(None)) => {}
            (Ok(_), Ok(Some(_))) => {
                said.gap(file.path.lossy(), "is too long to look into for what it runs (over 1 MiB)");
            }
            (Err(error), _) | (_, Err(error)) => said.gap(file.path.lossy(), format!("can't be read: {error}")),
        }
    }
}

fn look(change: &Change<'_>, file: &File, before: &[u8], after: &[u8], said: &mut Said) {
    let (before, text) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let old: BTreeSet<&str> = before.lines().map(str::trim).collect();
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let span = start..start + bare.len();
        start += line.len();
        if old.contains(bare.trim()) || bare.trim_start().starts_with('#') {
            continue;
        }
        let lax =
            LAX.iter().find(|(pattern, _)| pattern.is_match(bare) && !before.lines().any(|old| pattern.is_match(old)));
        if let Some((_, why)) = lax {
            found.push((span, why));
        } else if TOLERATES.is_match(bare) && RUNS_TESTS.is_match(step_around(&text, &span)) {
            found.push((span, "failing tests no longer fail the run"));
        }
    }
    if let Some(lowered) = lowered(&before, &text) {
        found.push((lowered, "less coverage passes"));
    }
    for (span, why) in found {
        let line = text[span.clone()].trim();
        let message = format!("`{}` now says `{}`: {why}.", file.path.lossy(), shortened(line));
        let site = site_at(change, &file.path, text.as_bytes(), span);
        said.findings.push(finding(
            WEAKENED,
            Severity::Warning,
            Confidence::Medium,
            Some(shortened(line)),
            message,
            site,
        ));
    }
}

/// The step of a workflow that a line is in: from the last `- ` above it that is no deeper, to the next one.
fn step_around<'t>(text: &'t str, line: &Range<usize>) -> &'t str {
    let starts = |line: &str| line.trim_start().starts_with("- ");
    let mut begin = 0;
    let mut at = 0;
    for one in text.split_inclusive('\n') {
        let end = at + one.len();
        if at > line.start && starts(one) {
            return &text[begin..at];
        }
        if starts(one) {
            begin = at;
        }
        at = end;
    }
    &text[begin..]
}

/// The first threshold that is lower than before. Only where both texts name the same ones in one order.
fn lowered(before: &str, after: &str) -> Option<Range<usize>> {
    let all = |text: &str| -> Vec<(String, f64, Range<usize>)> {
        let number = |found: regex::Captures<'_>| {
            let (name, value, whole) = (found.get(1)?, found.get(2)?, found.get(0)?);
            Some((name.as_str().to_owned(), value.as_str().parse().ok()?, whole.range()))
        };
        THRESHOLD.captures_iter(text).filter_map(number).collect()
    };
    let (old, new) = (all(before), all(after));
    let same = old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| old.0 == new.0);
    let pairs = old.iter().zip(&new).filter(|_| same);
    pairs.filter(|(old, new)| new.1 < old.1).map(|(_, new)| new.2.clone()).next()
}

/// The beginning of a line, as much of it as a message can hold.
pub(super) fn shortened(line: &str) -> &str {
    let end = line.char_indices().nth(120).map_or(line.len(), |(at, _)| at);
    &line[..end]
}
