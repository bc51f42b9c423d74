//! What an agent changed, scanned when it wants to stop.

use super::{Args, place};
use crate::{
    cli::{
        PolicyArgs,
        fleet::{self, Asked, FleetArgs},
        told::Told,
    },
    diag::{Diagnostic, HolderKind, Rename, RepoPath, Severity, Site},
    error::Fatal,
    hook::{Answer, Event},
    source::Git,
};

/// Findings that an agent is told of, at most.
const MOST: usize = 5;

/// The answer to an agent that wants to stop: errors send it back to work, gaps are told.
pub(super) fn answer(args: &Args, event: &Event) -> Result<Answer, String> {
    let folder = place::folder(event)?;
    let Some(git) = Git::discover(&folder).map_err(|fatal| fatal.to_string())? else { return Ok(Answer::default()) };
    let told = Told::default();
    // what a shell command wrote may have taken a name from another worktree, and no edit hook saw it
    let scan = FleetArgs { base: args.base.clone(), fleet: true, judges_working_tree: true, ..FleetArgs::default() };
    let asked = Asked { fleet: &scan, policy: &PolicyArgs::default(), only: &[], tracked: false, told: &told };
    let report = match fleet::judge(&git, &folder, &asked) {
        Ok((report, ..)) => report,
        Err(Fatal::NoTrunk) => return Ok(Answer::default()),
        Err(fatal) => return Err(fatal.to_string()),
    };
    let errors: Vec<String> = report
        .findings
        .iter()
        .filter(|found| found.suppressed.is_none() && found.severity == Severity::Error && is_to_do(found))
        .map(said)
        .collect();
    let more = errors.len().saturating_sub(MOST);
    let denied = (!errors.is_empty()).then(|| {
        let more = if more > 0 {
            format!(
                "\nand {more} more: `gatekeep scan --base {} --fleet` shows all",
                report.target.as_deref().unwrap_or("REF")
            )
        } else {
            String::new()
        };
        format!("What you changed can't be merged as it is:\n{}{more}", errors[..errors.len().min(MOST)].join("\n"))
    });
    let warned = (!report.complete()).then(|| {
        let gaps: Vec<String> =
            report.incomplete.iter().take(MOST).map(|gap| format!("{}: {}", gap.what, gap.why)).collect();
        format!("gatekeep could not look at everything: {}", gaps.join("; "))
    });
    Ok(Answer { denied, warned })
}

/// Whether it is for this agent to mend. Where another line of work took the same name, that is who has to move.
fn is_to_do(found: &Diagnostic) -> bool {
    let is_other =
        |site: &Site| matches!(site.holder.kind, HolderKind::Branch | HolderKind::Worktree | HolderKind::PullRequest);
    !found.sites.iter().any(is_other) || !own_renames(found).is_empty()
}

/// What has to be renamed in the change itself.
fn own_renames(found: &Diagnostic) -> Vec<&Rename> {
    let is_own =
        |path: &RepoPath| found.sites.iter().any(|site| site.holder.kind == HolderKind::Head && site.path == *path);
    found.fix.iter().flat_map(|fix| &fix.renames).filter(|one| is_own(&one.from)).collect()
}

/// One line for an agent.
fn said(found: &Diagnostic) -> String {
    let place = found.sites.first().map(|site| site.path.lossy()).unwrap_or_default();
    let renames: Vec<String> =
        own_renames(found).iter().map(|one| format!("rename `{}` to `{}`", one.from.lossy(), one.to.lossy())).collect();
    let help = match renames.is_empty() {
        true => found.help.clone().unwrap_or_default(),
        false => renames.join(", "),
    };
    format!("- {place}: {} [{}] {help}", found.message, found.code)
}
