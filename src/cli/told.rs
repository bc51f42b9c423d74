//! What GitHub tells of the lines of work, and of the change that is judged.

use super::fleet::Asked;
use crate::{
    config::FleetConfig,
    error::Fatal,
    forge::{OpenPull, Which, lines_of_work},
    report::{Incomplete, Skipped},
    rule::code::approval::Approvals,
    source::{Git, Pull, Since, Supply, Trunk, Work},
};

/// What GitHub tells; nothing where nobody asked it.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What the change is to be merged into.
    pub(super) trunk: Option<Trunk>,
    /// The short name of that branch.
    pub(super) target: String,
    /// What the head is called.
    pub(super) called: Option<String>,
    /// What is judged is on the trunk already, and so yields to no pull request.
    pub(super) is_landed: bool,
    /// Lines of work are held against each other by the trunk's word; what is checked out has none.
    pub(super) lines_alone: bool,
    /// The number of the change's own pull request.
    pub(super) number: Option<u64>,
    /// The short name of the change's branch.
    pub(super) branch: Option<String>,
    /// Who opened its pull request.
    pub(super) login: Option<String>,
    /// What people said on it.
    pub(super) approvals: Option<Approvals>,
    /// All open pull requests.
    pub(super) pulls: Vec<OpenPull>,
    /// What GitHub did not tell.
    pub(super) incomplete: Vec<Incomplete>,
    /// What nobody asked it for.
    pub(super) skipped: Vec<Skipped>,
}

impl Told {
    /// The pull requests that count beside the change. `now` is in seconds since 1970.
    pub(super) fn lines_of_work(
        &self,
        configured: &FleetConfig,
        since: Option<Since>,
        now: i64,
    ) -> (Vec<Pull>, Vec<Skipped>) {
        if self.is_landed {
            return (Vec::new(), Vec::new());
        }
        let stale = configured.stale.as_ref().map(|age| (now - age.seconds, age.written.clone()));
        let since =
            since.map(|since| (since.oldest, since.age)).into_iter().chain(stale).max_by_key(|(oldest, _)| *oldest);
        let since = since.as_ref().map(|(oldest, age)| (*oldest, age.as_str()));
        let which = Which { target: &self.target, drafts: configured.drafts, since };
        let others: Vec<OpenPull> =
            self.pulls.iter().filter(|pull| Some(pull.number) != self.number).cloned().collect();
        lines_of_work(&others, &which)
    }

    /// Tells the head's line what it is on GitHub.
    pub(super) fn mark_head(&self, work: &mut Work) {
        let Some(line) = work.head.map(|head| &mut work.lines[head]) else { return };
        line.number = self.number.or(line.number);
        if let Some(branch) = &self.branch {
            line.branch = Some(branch.clone());
        }
        if let Some(called) = &self.called {
            line.holder.name.clone_from(called);
        }
    }
}

/// How often what is missing is brought: what is read first tells what else has to be.
const ROUNDS: usize = 6;

/// Judges, and brings from the remote what the judgement asks for and a partial clone lacks, until nothing is missing.
///
/// # Errors
/// As for [`fleet::judge`](super::fleet::judge).
pub(super) fn judge_with(
    start: &std::path::Path,
    asked: &Asked<'_>,
    remote: &dyn for<'g> Fn(&'g Git) -> Option<Supply<'g>>,
) -> Result<super::fleet::Done, Fatal> {
    let mut round = 0;
    loop {
        // opened anew each time: what was brought since is not known to one that is open
        let git = Git::discover(start)?.ok_or_else(|| Fatal::NoRepository { path: start.to_owned() })?;
        let done = super::fleet::judge(&git, start, asked);
        let missing = git.missing();
        round += 1;
        // what can't be brought is missing in the report, and listed there
        match remote(&git).filter(|_| !missing.is_empty() && round < ROUNDS) {
            Some(remote) if remote.blobs(&missing).is_ok() => {}
            _ => return done,
        }
    }
}
