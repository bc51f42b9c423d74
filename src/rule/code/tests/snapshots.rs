//! `tests/weakened` for snapshots: removed while the test that compares with them stays.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{WEAKENED, finding};
use crate::{
    diag::{Confidence, RepoPath, Severity},
    rule::change::{Change, Said},
};

static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"toMatchSnapshot|toMatchImageSnapshot|toHaveScreenshot|assert_\w*snapshot!|==\s*snapshot\b|\bsnapshot\.assert_match|matchesSnapshot")
        .expect("a pattern of ours")
});

pub(super) fn judge(change: &Change<'_>, said: &mut Said) {
    let gone = change
        .files
        .iter()
        .filter(|file| file.is_removed() && file.before.is_some() && file.trunk.is_some() && file.to.is_none());
    for file in gone {
        for owner in owners(&file.path) {
            match change.merged_at(&owner) {
                Ok(Some(text)) if ASKS.is_match(&text) => {
                    let message = format!(
                        "The snapshots `{}` are removed, and `{}` still compares with them: the next run writes new ones from whatever the code does.",
                        file.path.lossy(),
                        owner.lossy()
                    );
                    let site = change.site(&file.path);
                    said.findings.push(finding(WEAKENED, Severity::Warning, Confidence::Medium, None, message, site));
                    break;
                }
                Ok(_) => {}
                Err(error) => said.gap(owner.lossy(), format!("can't be read: {error}")),
            }
        }
    }
}

/// The test files whose snapshots a path would hold: Jest, Vitest, syrupy, Playwright, insta.
fn owners(path: &RepoPath) -> Vec<RepoPath> {
    let text = path.lossy().into_owned();
    let Some((folder, name)) = text.rsplit_once('/') else { return Vec::new() };
    let beside = |folder: &str, name: &str| {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        RepoPath::from(path.as_str())
    };
    let (parent, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    match (last, name.strip_suffix(".snap"), name.strip_suffix(".ambr")) {
        ("__snapshots__", Some(test), _) => vec![beside(parent, test)],
        ("__snapshots__", _, Some(test)) => vec![beside(parent, &format!("{test}.py"))],
        ("snapshots", Some(test), _) => {
            let mut parts: Vec<&str> = test.split("__").collect();
            parts.pop();
            parts.retain(|part| *part != "tests" && *part != "test");
            let module = parts.last().copied().unwrap_or_default();
            [format!("{module}.rs"), format!("{module}/mod.rs"), "lib.rs".to_owned()]
                .iter()
                .map(|name| beside(parent, name))
                .collect()
        }
        _ => last.strip_suffix("-snapshots").map(|test| vec![beside(parent, test)]).unwrap_or_default(),
    }
}
