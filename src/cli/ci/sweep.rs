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
    forge::{self, Beside, Check, Client, Event, Failure, OpenPull, Trigger, Written},
    report::Report,
    source::{Git, Trunk},
};

/// Check runs that one run writes at most: GitHub asks for less than 80 of such requests a minute.
const MOST: usize = 60;
/// What it calls them where they can't be written.
const WHAT: &str = "the check runs of other pull requests (they need `checks: write`)";

impl Publisher<'_> {
    /// Holds all open pull requests against each other and against the trunk, once. Where that can't be done, or nobody could tell which there
    /// are, no recorded verdict counts as the one that would be given now.
    pub(super) fn beside(&self, start: &Path, target: &Target) -> Beside {
        if target.told.pulls.is_empty() || self.client.is_none() {
            return Beside::unknown();
        }
        let held = self.git(start).and_then(|git| {
            let (trunk, target_branch) = (self.trunk(&git, target), target.told.target.clone());
            let pulls = target.told.pulls.clone();
            let told = Told { trunk, target: target_branch, lines_alone: true, pulls, ..Told::default() };
            let fleet = FleetArgs { pull_requests: true, ..FleetArgs::default() };
            self.held(start, &fleet, &told)
        });
        match held {
            Ok(report) => Beside::of_report(&report),
            Err(why) => {
                warn(&format!("the pull requests could not be held against each other: {why}"));
                Beside::unknown()
            }
        }
    }

    /// Judges each other open pull request that has to do with the others in another way than when it was judged, as its own run would, and
    /// renews its check run.
    pub(super) fn sweep(&self, start: &Path, event: &Event, target: &Target, beside: &Beside) {
        let is_stale = |pull: &&OpenPull| {
            let is_own = Some(pull.number) == target.told.number;
            let is_known = pull.verdict.as_ref().is_some_and(|said| said.is_of(beside.of(pull.number)));
            !is_own && !is_known && pull.target == target.told.target
        };
        let stale: Vec<&OpenPull> = target.told.pulls.iter().filter(is_stale).collect();
        if self.args.sweep == When::Never || stale.is_empty() || !moves(event) {
            return;
        }
        let Some(client) = self.client() else { return };
        let mut written = 0;
        for pull in stale.iter().take(MOST) {
            let check = match self.judge(start, target, pull, client) {
                Ok(check) => Check { beside: beside.of(pull.number).to_owned(), ..check },
                Err(why) => {
                    warn(&format!("the verdict of pull request #{} could not be renewed: {why}", pull.number));
                    continue;
                }
            };
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
        if let Some(left) = stale.len().checked_sub(MOST).filter(|left| *left > 0) {
            warn(&format!("{left} more check runs of other pull requests have to be renewed; the next run goes on"));
        }
    }

    /// The check run that belongs on a pull request.
    fn judge(&self, start: &Path, target: &Target, pull: &OpenPull, client: &Client) -> Result<Check, String> {
        let git = self.git(start)?;
        let people = match target.asks_people(&git, &self.args.policy) {
            true => Some(
                forge::approvals(client, &self.github.repository, pull.number, None).map_err(|why| why.to_string())?,
            ),
            false => None,
        };
        let told = Told {
            trunk: self.trunk(&git, target),
            target: target.told.target.clone(),
            called: Some(format!("#{}", pull.number)),
            number: Some(pull.number),
            branch: Some(pull.branch.clone()),
            login: Some(pull.author.clone()).filter(|login| !login.is_empty()),
            approvals: people,
            pulls: target.told.pulls.clone(),
            ..Told::default()
        };
        let fleet = FleetArgs { head: Some(pull.head.to_string()), ..FleetArgs::default() };
        let report = self.held(start, &fleet, &told)?;
        Ok(forge::check(&report, self.options, CHECK, &pull.head.to_string(), self.runner.page.clone()))
    }

    fn held(&self, start: &Path, fleet: &FleetArgs, told: &Told) -> Result<Report, String> {
        let asked = Asked { fleet, policy: &self.args.policy, only: &[], tracked: false, told };
        let held = told::judge_with(start, &asked, &|git| self.github.remote(git));
        held.map(|(report, ..)| report).map_err(|fatal| fatal.to_string())
    }

    fn git(&self, start: &Path) -> Result<Git, String> {
        let git = Git::discover(start).map_err(|fatal| fatal.to_string())?;
        git.ok_or_else(|| "there is no repository".to_owned())
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
