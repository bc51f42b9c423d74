//! `tests/weakened` for a workflow whose matrix lets the tests run in fewer places.

use std::{collections::BTreeMap, ops::Range};

use super::{WEAKENED, commands::RUNS_TESTS, finding, site_at};
use crate::{
    claim::extract::{
        document::{Kind, Node},
        yaml,
    },
    diag::{Confidence, Severity},
    rule::{
        change::{Change, Said},
        listed::listed,
    },
};

/// Longest file that is looked into, in bytes.
const LONGEST: usize = 1 << 20;

pub(super) fn judge(change: &Change<'_>, said: &mut Said) {
    for file in change.files.iter().filter(|file| !file.is_link()) {
        let path = file.path.lossy();
        if !path.starts_with(".github/workflows/") || !(path.ends_with(".yml") || path.ends_with(".yaml")) {
            continue;
        }
        // a file that can't be read is told of where its lines are looked at
        let (Ok(Some(before)), Ok(Some(after))) = (change.before(file), change.merged(file)) else { continue };
        if before.len().max(after.len()) > LONGEST || before == after {
            continue;
        }
        let [Ok(old), Ok(new)] = [&before, &after].map(|text| yaml::parse(text)) else { continue };
        let (old, new) = (legs(&old), legs(&new));
        for (place, now) in &new {
            let Some(was) = old.get(place) else { continue };
            let lost: Vec<&str> =
                was.values.iter().filter(|value| !now.values.contains(value)).map(String::as_str).collect();
            // a value that takes the place of another one is an upgrade
            if lost.is_empty() || now.values.len() >= was.values.len() {
                continue;
            }
            let (job, axis) = place;
            let message = format!(
                "The tests of job `{job}` in `{path}` no longer run with {axis} {}.",
                listed(lost.iter().copied())
            );
            let site = site_at(change, &file.path, &after, now.at.clone());
            let key = format!("{job} {axis}");
            said.findings.push(finding(WEAKENED, Severity::Note, Confidence::Medium, Some(&key), message, site));
        }
    }
}

/// What an axis of a matrix goes through.
struct Axis {
    values: Vec<String>,
    /// Where its name stands.
    at: Range<usize>,
}

/// The axes that are written out, of jobs that run tests, by job and name.
fn legs(documents: &[Node]) -> BTreeMap<(&str, &str), Axis> {
    let mut found = BTreeMap::new();
    let jobs = documents.iter().filter_map(|document| member(document, "jobs"));
    for (job, node) in jobs.flat_map(members) {
        let matrix = member(node, "strategy").and_then(|strategy| member(strategy, "matrix"));
        let Some(matrix) = matrix.filter(|_| runs_tests(node)) else { continue };
        let Kind::Object(axes) = &matrix.kind else { continue };
        for (name, values) in axes {
            let Kind::Array(values) = &values.kind else { continue };
            let scalars: Option<Vec<String>> =
                values.iter().map(|value| value.scalar().map(|text| text.into_owned())).collect();
            if let Some(values) = scalars.filter(|all| !all.is_empty()) {
                found.insert((job, name.text.as_str()), Axis { values, at: name.span.clone() });
            }
        }
    }
    found
}

fn runs_tests(job: &Node) -> bool {
    let Some(Node { kind: Kind::Array(steps), .. }) = member(job, "steps") else { return false };
    let mut commands = steps.iter().filter_map(|step| member(step, "run")?.scalar());
    commands.any(|command| RUNS_TESTS.is_match(&command))
}

fn members(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let all = if let Kind::Object(members) = &node.kind { members.as_slice() } else { &[] };
    all.iter().map(|(key, value)| (key.text.as_str(), value))
}

fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    members(node).find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::super::judged::said;
    use crate::rule::change::testing::Made;

    const FILE: &str = ".github/workflows/ci.yml";

    fn workflow(matrix: &str, run: &str) -> String {
        format!(
            "on: push\njobs:\n  unit:\n    strategy:\n      matrix:\n        {matrix}\n        include: [{{ os: x }}]\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          {run}\n"
        )
    }

    fn of(before: &str, after: &str, run: &str) -> Vec<String> {
        let (before, after) = (workflow(before, run), workflow(after, run));
        said(&Made::new(&[(FILE, &before)], &[(FILE, &after)]))
    }

    /// aixplain/aiXplain#1046 took legs out of the matrix beside 265 lines of tests.
    #[test]
    fn a_leg_that_goes_is_a_note() {
        let note = [format!("note tests/weakened {FILE}")];
        let three = "python: ['3.9', \"3.12\", 3.13]";
        assert_eq!(of(three, "python: ['3.12', 3.13]", "pytest -q"), note);
        assert_eq!(of("os: [linux, windows]", "os:\n          - linux", "cargo test --locked"), note);
        let nothing: [&str; 0] = [];
        assert_eq!(of(three, "python: ['3.12', 3.13]", "python -m build"), nothing, "no tests run there");
        assert_eq!(of(three, "python: ['3.12', 3.13, 3.14]", "pytest -q"), nothing, "an upgrade");
        assert_eq!(of(three, "python: [3.13, '3.12', '3.9']", "pytest -q"), nothing, "another order");
        assert_eq!(of(three, "python: ${{ fromJSON(inputs.all) }}", "pytest -q"), nothing, "made by code");
        assert_eq!(of(three, "version: [3.13]", "pytest -q"), nothing, "another axis");
    }

    #[test]
    fn the_message_names_the_job_and_what_it_loses() {
        let [before, after] =
            ["os: [linux, windows, macos]", "os: [linux]"].map(|axis| workflow(axis, "go test ./..."));
        let made = Made::new(&[(FILE, &before)], &[(FILE, &after)]);
        let found = super::super::judge(&made.change()).findings.remove(0);
        let told = "The tests of job `unit` in `.github/workflows/ci.yml` no longer run with os `windows` and `macos`.";
        assert_eq!(found.message, told);
        assert_eq!(found.sites[0].position.map(|at| at.line), Some(6));
    }
}
