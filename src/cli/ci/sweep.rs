//! Renews the verdicts of the other open pull requests: when the trunk moves, or one of them does, a green one can become stale.

use std::path::Path;

use super::{
    CHECK, When,
    publish::{Publisher, say, warn},
    target::{Base, Target},
};
use crate::{
    cli::{
        fleet::{Asked, FleetArgs},
        told::{self, Told},
    },
    forge::{self, Check, Event, Failure, OpenPull, Trigger, Written},
    source::{Git, Trunk},
};

/// Check runs that one run writes at most: GitHub asks for less than 80 of such requests a minute.
const MOST: usize = 60;
/// What it calls them where they can't be written.
const WHAT: &str = "the check runs of other pull requests (they need `checks: write`)";

impl Publisher<'_> {
    /// Judges each other open pull request as its own run would, and renews the check runs that say something else by now.
    pub(super) fn sweep(&self, start: &Path, event: &Event, target: &Target) {
        let is_own = |pull: &&OpenPull| Some(pull.number) == target.told.number;
        let others: Vec<&OpenPull> = target.told.pulls.iter().filter(|pull| !is_own(pull)).collect();
        if self.args.sweep == When::Never || others.is_empty() || !moves(event) {
            return;
        }
        let Some(client) = self.client() else { return };
        let (mut tried, mut written, mut left) = (0, 0, 0);
        for pull in others {
            let check = match self.judge(start, target, pull) {
                Ok(Some(check)) => check,
                Ok(None) => continue,
                Err(why) => {
                    warn(&format!("the verdict of pull request #{} could not be renewed: {why}", pull.number));
                    continue;
                }
            };
            if pull.verdict.as_ref().is_some_and(|said| said.is_completed && said.external_id == check.external_id()) {
                continue;
            }
            if tried == MOST {
                left += 1;
                continue;
            }
            tried += 1;
            // it looks once more: another run may have been here since the list was made
            match check.write(client, &self.github.repository) {
                Ok(Written::AlreadyThere) => {}
                Ok(_) => written += 1,
                Err(failure) => {
                    self.failed(self.args.sweep, WHAT, &failure);
                    if failure.is_denied() || failure.is_uncertain() || matches!(failure, Failure::Limited { .. }) {
                        return;
                    }
                }
            }
        }
        if written > 0 {
            say(&format!("gatekeep: renewed the check runs of {written} other pull requests"));
        }
        if left > 0 {
            warn(&format!("{left} more check runs of other pull requests have to be renewed; the next run goes on"));
        }
    }

    /// The check run that belongs on a pull request; none where it is merged elsewhere, or its commits are not here.
    fn judge(&self, start: &Path, target: &Target, pull: &OpenPull) -> Result<Option<Check>, String> {
        let git = Git::discover(start).map_err(|fatal| fatal.to_string())?.ok_or("there is no repository")?;
        if pull.target != target.told.target {
            return Ok(None);
        }
        let Some(trunk) = self.trunk(&git, target) else { return Ok(None) };
        let told = Told {
            trunk: Some(trunk),
            target: target.told.target.clone(),
            called: Some(format!("#{}", pull.number)),
            number: Some(pull.number),
            branch: Some(pull.branch.clone()),
            login: Some(pull.author.clone()).filter(|login| !login.is_empty()),
            pulls: target.told.pulls.clone(),
            ..Told::default()
        };
        let fleet = FleetArgs { head: Some(pull.head.to_string()), ..FleetArgs::default() };
        let asked = Asked { fleet: &fleet, policy: &self.args.policy, only: &[], tracked: false, told: &told };
        let (report, ..) =
            told::judge_with(start, &asked, &|git| self.github.remote(git)).map_err(|fatal| fatal.to_string())?;
        Ok(Some(forge::check(&report, self.options, CHECK, &pull.head.to_string(), self.runner.page.clone())))
    }

    /// What the others are held against: after a push what was pushed, else what this run was held against.
    fn trunk(&self, git: &Git, target: &Target) -> Option<Trunk> {
        match target.base {
            Base::Tip(..) => target.told.trunk.clone(),
            Base::Commit(_) | Base::Nothing => {
                let reference = git.tracking(&target.told.target);
                Some(Trunk { name: target.told.target.clone(), commit: target.head, reference })
            }
        }
    }
}

/// Whether an event can change what is true of other pull requests: a merge group is none of theirs yet.
fn moves(event: &Event) -> bool {
    match &event.trigger {
        Trigger::PullRequest(_) | Trigger::Tree(_) => true,
        Trigger::Push { branch, .. } => Some(branch) == event.default_branch.as_ref(),
        Trigger::MergeGroup { .. } | Trigger::Nothing(_) => false,
    }
}
