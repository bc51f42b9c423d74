//! Budgets of a change.

use std::io;

use super::{Excess, line_count, origin::Origins};
use crate::{
    config::{Globs, change::Budget},
    diag::RepoPath,
    rule::change::{Change, File, Said},
    text::{
        count::{number, number_of},
        diff::counts,
    },
};

const SPLIT: &str = "Split the change into several that land one after another.";
const SHORTEN: &str = "Shorten the file, or move a part of it elsewhere.";

/// Says which budgets a change exceeds. `is_of` says whether a lane claims the change. Levels are not applied.
pub fn judge(change: &Change<'_>, is_of: &dyn Fn(&str) -> bool) -> Said {
    let mut said = Said::default();
    for budget in change.tables().budget.iter().map(|table| table.get_ref()) {
        if !budget.agents.is_empty() && !budget.agents.iter().any(|agent| is_of(agent.get_ref())) {
            continue;
        }
        let counted: Vec<&File> = change.files.iter().filter(|file| is_counted(budget, file)).collect();
        if counted.is_empty() {
            continue;
        }
        files(change, budget, &counted, &mut said);
        match &budget.paths {
            None => lines(change, budget, &counted, &mut said),
            Some(paths) => {
                each(change, budget, paths, &counted, &mut said);
                count(change, budget, paths, &counted, &mut said);
            }
        }
    }
    said
}

fn is_counted(budget: &Budget, file: &File) -> bool {
    budget.paths.as_ref().is_none_or(|paths| paths.matches(file.path.as_bytes()))
}

/// Whose budget it is, for a sentence.
fn whose(budget: &Budget) -> String {
    let names: Vec<String> = budget.agents.iter().map(|agent| format!("`{agent}`")).collect();
    if names.is_empty() { "one change".to_owned() } else { format!("one change of {}", names.join(" or ")) }
}

fn files(change: &Change<'_>, budget: &Budget, counted_files: &[&File], said: &mut Said) {
    let Some(limit) = budget.files else { return };
    // of the two sides of a move the new one counts
    let all: Vec<&&File> = counted_files.iter().filter(|file| file.to.is_none()).collect();
    if all.len() as u64 <= limit {
        return;
    }
    let message = format!(
        "This change touches {}, and the budget of {} is {}. Nobody reads so many; what is wrong in one of them is merged with the rest.",
        number_of(all.len(), "file"),
        whose(budget),
        number(limit)
    );
    let sites = all.iter().map(|file| change.site(&file.path)).collect();
    said.findings.push(Excess { what: "files", message, sites, help: SPLIT }.finding());
}

fn lines(change: &Change<'_>, budget: &Budget, counted_files: &[&File], said: &mut Said) {
    let Some(limit) = budget.lines else { return };
    let mut all: Vec<(u64, &RepoPath)> = Vec::new();
    for file in counted_files.iter().filter(|file| file.to.is_none() && file.from.is_none() && !file.is_link()) {
        match lines_of(change, file) {
            Ok(lines) => all.push((lines, &file.path)),
            Err(error) => {
                said.gap(file.path.lossy(), format!("how many lines of it the change touches (`[[budget]]`): {error}"))
            }
        }
    }
    let sum: u64 = all.iter().map(|(lines, _)| lines).sum();
    if sum <= limit {
        return;
    }
    all.sort_by(|a, b| b.cmp(a).then(a.1.cmp(b.1)));
    let message = format!(
        "This change adds and removes {}, and the budget of {} is {}. Nobody reads so many; what is wrong in one of them is merged with the rest.",
        number_of(sum, "line"),
        whose(budget),
        number(limit)
    );
    let sites = all.iter().filter(|(lines, _)| *lines > 0).map(|(lines, path)| {
        let mut site = change.site(path);
        site.note = Some(number_of(*lines, "line"));
        site
    });
    said.findings.push(Excess { what: "lines", message, sites: sites.collect(), help: SPLIT }.finding());
}

/// The lines that a change adds to a file and removes from it; a binary file has none.
fn lines_of(change: &Change<'_>, file: &File) -> io::Result<u64> {
    let (before, after) = (change.before(file)?.unwrap_or_default(), change.after(file)?.unwrap_or_default());
    Ok(counts(&before, &after).map_or(0, |counts| counts.added + counts.removed))
}

/// The sizes of single files.
fn each(change: &Change<'_>, budget: &Budget, paths: &Globs, counted_files: &[&File], said: &mut Said) {
    if budget.bytes.is_none() && budget.lines.is_none() {
        return;
    }
    let mut origins = Origins::new(counted_files);
    for file in counted_files.iter().filter(|file| !file.is_removed() && !file.is_link()) {
        // a file that moves within the set is as large as it was
        if file.from.as_ref().is_some_and(|from| paths.matches(from.as_bytes())) {
            continue;
        }
        if let Err(error) = sizes(change, budget, file, &mut origins, said) {
            said.gap(file.path.lossy(), format!("whether it stays within its `[[budget]]`: {error}"));
        }
    }
}

fn sizes(
    change: &Change<'_>,
    budget: &Budget,
    file: &File,
    origins: &mut Origins<'_>,
    said: &mut Said,
) -> io::Result<()> {
    let Some(after) = change.merged(file)? else { return Ok(()) };
    let (size, length) = (after.len() as u64, line_count(&after));
    if budget.bytes.is_none_or(|limit| size <= limit) && budget.lines.is_none_or(|limit| length <= limit) {
        return Ok(());
    }
    let before = match change.trunk(file)? {
        Some(before) => before,
        None => origins.take(change, file, &after)?.unwrap_or_default(),
    };
    let bytes = ("bytes", "byte", budget.bytes, before.len() as u64, size);
    let lines = ("lines", "line", budget.lines, line_count(&before), length);
    for (what, one, limit, was, is) in [bytes, lines] {
        if let Some(limit) = limit.filter(|limit| is > *limit && is > was) {
            let from = if was > 0 { format!("from {} ", number(was)) } else { String::new() };
            let message = format!(
                "`{}` grows {from}to {}, and the budget of such a file is {}. Whoever reads it as a whole reads less of everything else.",
                file.path.lossy(),
                number_of(is, one),
                number(limit)
            );
            said.findings.push(Excess { what, message, sites: vec![change.site(&file.path)], help: SHORTEN }.finding());
        }
    }
    Ok(())
}

/// How many files the set has.
fn count(change: &Change<'_>, budget: &Budget, paths: &Globs, counted_files: &[&File], said: &mut Said) {
    let Some(limit) = budget.count else { return };
    let added: Vec<&&File> = counted_files.iter().filter(|file| file.trunk.is_none() && !file.is_removed()).collect();
    let removed = counted_files.iter().filter(|file| file.trunk.is_some() && file.is_removed()).count();
    if added.len() <= removed {
        return; // no more than there were
    }
    let merged = match change.ground.merged_paths() {
        Ok(all) => all.iter().filter(|path| paths.matches(path.as_bytes())).count() as u64,
        Err(why) => return said.gap("the `count` of a `[[budget]]`", why),
    };
    if merged <= limit {
        return;
    }
    let message = format!(
        "This change adds {}, so that there are {} that match `{}`, and the budget is {}.",
        number_of(added.len(), "file"),
        number(merged),
        paths.written().join("`, `"),
        number(limit)
    );
    let sites = added.iter().map(|file| change.site(&file.path)).collect();
    let help = "Remove files of the set that are no longer needed, or put the new ones together.";
    said.findings.push(Excess { what: "count", message, sites, help }.finding());
}
