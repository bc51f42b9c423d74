//! Who may change what: lanes of the configuration, owners, and the fences of Claude Code.

pub mod band;
mod outside;
mod overlap;
mod strayed;
#[cfg(test)]
mod tests;
mod unknown;
mod verdict;
mod who;
mod whose;

pub use strayed::{Part, Strayed, strayed};
pub use who::{Sign, Who, lanes_of};

use super::{Code, CodeRule};
use crate::{
    diag::Severity,
    report::Incomplete,
    rule::change::{Change, Said, Standing},
    source::Commit,
};

/// A change left its lane.
pub const OUTSIDE: &str = "boundary/outside";
const OVERLAP: &str = "boundary/overlap";
const UNKNOWN_AGENT: &str = "boundary/unknown-agent";

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "boundary",
    summary: "Each agent changes its own files",
    why: "An agent that mends what is somebody else's takes it from under work that is under way there: the other change fails \
          to merge, or merges and is undone, and nobody who knows the file has seen it.",
    docs: None,
    codes: &[
        Code {
            code: OUTSIDE,
            severity: Severity::Error,
            summary: "A change stays in its lane",
            details: "A file that a change adds, edits or removes although the lane of its agent, `[agents.NAME]`, neither owns \
                      it nor may touch it, or has it under `never`. Both sides of a move count: a file that is moved out of a \
                      lane is removed there and added elsewhere. The lane is the one that `--agent` or GATEKEEP_AGENT names, \
                      and each one that the branch, the pull request's author, or the authors and trailers of the commits point \
                      to; where they disagree, the change has to stay in every lane named. A lane with neither `owns` nor \
                      `may-touch` restricts nothing but `never`. What the trunk holds already is nobody's change. Lanes and \
                      owners are the base's, so that a change to them judges none but the next change. \
                      The message tells whose the file is: the lane that owns it, else its owner in CODEOWNERS, read as GitHub \
                      reads it, or as GitLab does in a repository that is only there. \
                      `.claude/settings.json` binds too: a file that it denies to edit or to read is an error where an agent \
                      made the change (a lane was named, or a commit was written with Claude Code), and a note where nobody \
                      knows, because settings of an agent do not bind people. What an agent has to ask for is a note, because \
                      the answer is not in the repository. A lane that owns the file, or may touch it, outweighs these settings.",
            help: "Take the file out of the change and leave it to its owner, or let the owner add it to `may-touch` on the base.",
        },
        Code {
            code: OVERLAP,
            severity: Severity::Warning,
            summary: "No file has two lanes",
            details: "A file that two lanes own. Both may change it at once, and neither has to ask. One finding for each pair of \
                      lanes, with the first of the files that they share: of the whole tree in a scan of a tree, of the files \
                      that it changes in a scan of a change. Files that a lane `may-touch` are shared on purpose and count for \
                      nobody.",
            help: "Let one lane own the file, and put it under `may-touch` of the other one.",
        },
        Code {
            code: UNKNOWN_AGENT,
            severity: Severity::Warning,
            summary: "Somebody's lane claims each change",
            details: "A change that no lane claims, if `[lanes] unmatched` is `warning` or `error`; by default it is allowed, \
                      because people have no lanes. Also a GATEKEEP_AGENT that is the name of no lane, where there are lanes: \
                      it was meant to restrict the change, and restricts nothing.",
            help: "Name the agent with `--agent`, or add its branch, login, author or trailer to its lane on the base.",
        },
    ],
};

/// The lanes that claim a change. Reads its commits if a lane is known by them.
pub fn who<'c>(change: &'c Change<'_>, said: &mut Said) -> Who<'c> {
    let tables = change.tables();
    let by_commits = tables.agents.values().any(|lane| !(lane.authors.is_empty() && lane.trailers.is_empty()));
    let commits = if by_commits { commits(change, said) } else { &[] };
    lanes_of(&change.signals, commits, tables)
}

fn commits<'c>(change: &'c Change<'_>, said: &mut Said) -> &'c [Commit] {
    let read = if change.files.is_empty() { Ok(&[][..]) } else { change.ground.commits() };
    read.unwrap_or_else(|why| {
        let gap = Incomplete { what: "who made the commits of the change".into(), why };
        if !said.incomplete.contains(&gap) {
            said.incomplete.push(gap);
        }
        &[]
    })
}

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let tables = change.tables();
    let fences = outside::fences(change, &mut said);
    let commits = if fences.is_empty() { &[] } else { commits(change, &mut said) };
    let who = who(change, &mut said);
    said.skipped.extend(unknown::no_branch(change, &who));
    said.findings.extend(unknown::unknown_agent(change, &who));
    outside::outside(change, &who, &outside::Fenced { fences: &fences, commits }, &mut said);
    let touched = change.files.iter().filter(|file| !file.is_removed()).map(|file| &file.path);
    said.findings.extend(overlap::overlaps(tables, touched, &|path| change.site(path)));
    said
}

/// Judges the lanes against all files of a tree.
pub fn judge_tree(tree: &Standing<'_>) -> Said {
    let mut said = Said::default();
    if tree.tables().agents.values().filter(|lane| !lane.owns.is_empty()).count() < 2 {
        return said;
    }
    match tree.files.paths() {
        Ok(paths) => said.findings = overlap::overlaps(tree.tables(), paths.iter(), &|path| tree.site(path)),
        Err(why) => said.gap("which files two lanes own", why),
    }
    said
}
