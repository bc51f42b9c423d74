//! Budgets of the files of a tree.

use super::{Excess, line_count};
use crate::{
    config::{Globs, change::Budget},
    diag::RepoPath,
    rule::change::{Said, Standing},
    text::count::{number, number_of},
};

const SHORTEN: &str = "Shorten the file, or move a part of it elsewhere.";

/// Says which files of a tree exceed their budgets, and which sets. Levels are not applied.
pub fn judge_tree(tree: &Standing<'_>) -> Said {
    let mut said = Said::default();
    for budget in tree.tables().budget.iter().map(|table| table.get_ref()).filter(|budget| budget.agents.is_empty()) {
        let Some(paths) = &budget.paths else { continue };
        if budget.bytes.or(budget.lines).or(budget.count).is_none() && budget.age.is_none() {
            continue;
        }
        let files: Vec<RepoPath> = match tree.files.paths() {
            Ok(all) => all.iter().filter(|path| paths.matches(path.as_bytes())).cloned().collect(),
            Err(why) => {
                said.gap("the files of a `[[budget]]`", why);
                continue;
            }
        };
        for path in &files {
            each(tree, budget, path, &mut said);
        }
        count(tree, budget, paths, &files, &mut said);
        age(tree, budget, &files, &mut said);
    }
    said
}

fn each(tree: &Standing<'_>, budget: &Budget, path: &RepoPath, said: &mut Said) {
    let bytes = budget.bytes.map(|limit| (limit, tree.files.size(path)));
    let lines = budget.lines.map(|limit| {
        let read = tree.files.read(path);
        (limit, read.map(|read| read.map(|text| line_count(&text))))
    });
    for (what, one, measured) in [("bytes", "byte", bytes), ("lines", "line", lines)] {
        match measured {
            Some((limit, Ok(Some(is)))) if is > limit => {
                let message = format!(
                    "`{}` has {}, and the budget of such a file is {}. Whoever reads it as a whole reads less of everything else.",
                    path.lossy(),
                    number_of(is, one),
                    number(limit)
                );
                said.findings.push(Excess { what, message, sites: vec![tree.site(path)], help: SHORTEN }.finding());
            }
            Some((_, Err(error))) => {
                said.gap(path.lossy(), format!("whether it stays within its `[[budget]]`: {error}"))
            }
            _ => {}
        }
    }
}

fn count(tree: &Standing<'_>, budget: &Budget, paths: &Globs, files: &[RepoPath], said: &mut Said) {
    let Some(limit) = budget.count.filter(|limit| files.len() as u64 > *limit) else { return };
    let message = format!(
        "There are {} that match `{}`, and the budget is {}.",
        number_of(files.len(), "file"),
        paths.written().join("`, `"),
        number(limit)
    );
    let sites = files.iter().map(|path| tree.site(path)).collect();
    let help = "Remove files of the set that are no longer needed, or put several together.";
    said.findings.push(Excess { what: "count", message, sites, help }.finding());
}

fn age(tree: &Standing<'_>, budget: &Budget, files: &[RepoPath], said: &mut Said) {
    let Some(age) = budget.age.as_ref().filter(|_| !files.is_empty()) else { return };
    let oldest = tree.now.saturating_sub(age.seconds);
    let touched = match tree.files.last_touched(files, oldest) {
        Ok(touched) => touched,
        Err(why) => return said.gap("the `age` of a `[[budget]]`", why),
    };
    for (path, _) in files.iter().zip(touched).filter(|(_, time)| time.is_none()) {
        let message = format!(
            "No commit of the last {} has touched `{}`, and its budget is no more. What it says may have ceased to be so, and is read all \
             the same.",
            age.written,
            path.lossy()
        );
        let help = "Go through the file and bring it up to date, or remove it.";
        said.findings.push(Excess { what: "age", message, sites: vec![tree.site(path)], help }.finding());
    }
}
