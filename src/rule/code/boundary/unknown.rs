//! `boundary/unknown-agent`: changes of which nobody knows whose they are.

use super::{UNKNOWN_AGENT, who::Who};
use crate::{
    config::change::Unmatched,
    diag::{Diagnostic, Severity},
    report::Skipped,
    rule::change::Change,
};

/// The finding, if nobody's lane claims the change and that matters, or if a name was given that is no lane's. It points at the
/// configuration, where the lanes are.
pub(super) fn unknown_agent(change: &Change<'_>, who: &Who<'_>) -> Option<Diagnostic> {
    let config = change.config.filter(|_| !change.files.is_empty())?;
    let unmatched = match config.config.lanes.unmatched {
        _ if !who.lanes.is_empty() => None,
        Unmatched::Allow => None,
        Unmatched::Warning => Some(Severity::Warning),
        Unmatched::Error => Some(Severity::Error),
    };
    let severity = unmatched.max(who.unknown.is_some().then_some(Severity::Warning))?;
    let base = &change.base.name;
    let (message, help) = match &who.unknown {
        Some(name) => (
            format!(
                "no lane is called `{name}`, which GATEKEEP_AGENT or `--agent` says made this change: it restricts nothing"
            ),
            format!("name a lane that `{}` has on `{base}`, or add the table `[agents.{name}]` there", config.file),
        ),
        None => (
            format!("no lane claims this change: {}", signs(change)),
            format!("name the agent with `--agent`, or add what tells it to its lane in `{}` on `{base}`", config.file),
        ),
    };
    let mut found = Diagnostic::new(UNKNOWN_AGENT, severity, message, vec![change.site(&config.file.as_str().into())]);
    found.help = Some(help);
    Some(found)
}

/// That no branch is known for the change, where lanes are told by branches and no other sign points to one: a detached head is nobody's.
pub(super) fn no_branch(change: &Change<'_>, who: &Who<'_>) -> Option<Skipped> {
    let is_untold = change.signals.branch.is_none() && who.lanes.is_empty() && !change.files.is_empty();
    let told_by_branch = change.tables().agents.values().filter(|lane| !lane.branches.is_empty()).count();
    let what = "lanes that are told by their branches: no branch is known for this change (a detached HEAD?), so that no lane judges it; \
                name the agent with `--agent`";
    (is_untold && told_by_branch > 0).then(|| Skipped { what: what.to_owned(), count: Some(told_by_branch) })
}

/// What there was to go by.
fn signs(change: &Change<'_>) -> String {
    let mut signs = Vec::new();
    match &change.signals.branch {
        Some(branch) => signs.push(format!("its branch is `{branch}`")),
        None => signs.push("it has no branch".to_owned()),
    }
    if let Some(login) = &change.signals.login {
        signs.push(format!("`{login}` opened it"));
    }
    signs.push("no agent was named for this run".to_owned());
    signs.join(", ")
}
