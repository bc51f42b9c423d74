//! `boundary/overlap`: one finding for each pair of lanes.

use std::collections::BTreeMap;

use super::OVERLAP;
use crate::{
    config::Config,
    diag::{Diagnostic, RepoPath, Severity, Site},
};

/// How many of the files that two lanes share become sites.
const SITES: usize = 5;

/// What two lanes share.
#[derive(Default)]
struct Shared<'a> {
    first: Vec<&'a RepoPath>,
    count: usize,
}

/// The pairs of lanes that own one of these sorted paths.
pub(super) fn overlaps<'a>(
    tables: &Config,
    paths: impl Iterator<Item = &'a RepoPath>,
    site: &dyn Fn(&RepoPath) -> Site,
) -> Vec<Diagnostic> {
    let lanes: Vec<_> = tables.agents.iter().filter(|(_, agent)| !agent.owns.is_empty()).collect();
    if lanes.len() < 2 {
        return Vec::new();
    }
    let mut pairs: BTreeMap<(&str, &str), Shared<'a>> = BTreeMap::new();
    for path in paths {
        let mut owners: Vec<&str> = Vec::new();
        for (name, agent) in &lanes {
            if agent.owns.matches(path.as_bytes()) {
                for other in &owners {
                    pairs.entry((*other, name.get_ref())).or_default().add(path);
                }
                owners.push(name.get_ref());
            }
        }
    }
    pairs.iter().map(|(pair, shared)| finding(*pair, shared, site)).collect()
}

impl<'a> Shared<'a> {
    fn add(&mut self, path: &'a RepoPath) {
        self.count += 1;
        if self.first.len() < SITES {
            self.first.push(path);
        }
    }
}

fn finding((one, other): (&str, &str), shared: &Shared<'_>, site: &dyn Fn(&RepoPath) -> Site) -> Diagnostic {
    let sites = shared.first.iter().map(|path| site(path)).collect();
    let what = match (shared.count, shared.first.as_slice()) {
        (1, [path]) => format!("`{}`", path.lossy()),
        (count, paths) => {
            let example = paths.first().map(|path| path.lossy()).unwrap_or_default();
            format!("{count} files, such as `{example}`")
        }
    };
    let message = format!(
        "the lanes `{one}` and `{other}` both own {what}: either may change {} without a word to the other",
        if shared.count == 1 { "it" } else { "them" }
    );
    let mut found = Diagnostic::new(OVERLAP, Severity::Warning, message, sites);
    found.help = Some(format!(
        "let one of them own {}, and put {} under `may-touch` of the other one in gatekeep.toml",
        if shared.count == 1 { "the file" } else { "the files" },
        if shared.count == 1 { "it" } else { "them" }
    ));
    found
}
