//! What an agent changed, scanned when it wants to stop.

use super::{Args, place};
use crate::{
    cli::{
        PolicyArgs,
        fleet::{self, Asked, FleetArgs},
        told::Told,
    },
    diag::Severity,
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
    let scan = FleetArgs { base: args.base.clone(), judges_working_tree: true, ..FleetArgs::default() };
    let asked = Asked { fleet: &scan, policy: &PolicyArgs::default(), only: &[], tracked: false, told: &told };
    let report = match fleet::judge(&git, &folder, &asked) {
        Ok((report, ..)) => report,
        Err(Fatal::NoTrunk) => return Ok(Answer::default()),
        Err(fatal) => return Err(fatal.to_string()),
    };
    let errors: Vec<String> = report
        .findings
        .iter()
        .filter(|found| found.suppressed.is_none() && found.severity == Severity::Error)
        .map(|found| {
            let place = found.sites.first().map(|site| site.path.lossy()).unwrap_or_default();
            let help = found.help.as_deref().unwrap_or_default();
            format!("- {place}: {} [{}] {help}", found.message, found.code)
        })
        .collect();
    let more = errors.len().saturating_sub(MOST);
    let denied = (!errors.is_empty()).then(|| {
        let more = if more > 0 {
            format!("\nand {more} more: `gatekeep scan --base {}` shows all", report.target.as_deref().unwrap_or("REF"))
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
