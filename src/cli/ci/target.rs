//! From an event to what is judged, and against what.

use gix::ObjectId;

use super::Args;
use crate::{
    cli::{
        PolicyArgs,
        fleet::{FleetArgs, trunk_holder},
        policy,
        told::Told,
    },
    forge::{self, Client, Event, Failure, Repository, Trigger},
    report::Incomplete,
    rule::code::approval::{Approvals, Label},
    source::{Git, Trunk},
};

/// What a run judges.
pub(super) struct Target {
    pub(super) fleet: FleetArgs,
    pub(super) told: Told,
    /// The commit that is judged.
    pub(super) head: ObjectId,
    /// What it is held against.
    pub(super) base: Base,
    /// Whether the open pull requests matter: to the verdict, or because theirs can change. A merge group is none of theirs yet, and each of its
    /// own was held against the others when it was judged by itself.
    pub(super) minds_pulls: bool,
    /// The pull request whose labels and reviews count.
    pub(super) number: Option<u64>,
    /// When something was pushed to it, in seconds since 1970, where the event tells.
    pushed: Option<i64>,
}

/// What a head is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The tip of a branch as it is now; the commit that the event names, where nothing tells what that is.
    Tip(String, Option<ObjectId>),
    /// This very commit.
    Commit(ObjectId),
    /// Nothing: the tree is judged by itself.
    Nothing,
}

/// What an event asks to judge, or why that is nothing. The commits may not be here yet.
pub(super) fn of(event: &Event, args: &Args) -> Result<Target, &'static str> {
    let default = || event.default_branch.clone().unwrap_or_else(|| "main".to_owned());
    let mut told = Told::default();
    let (mut number, mut pushed) = (None, None);
    let (head, base, branch) = match &event.trigger {
        Trigger::PullRequest(pull) => {
            told.number = Some(pull.number);
            told.called = Some(format!("#{}", pull.number));
            told.branch = Some(pull.branch.clone());
            told.login = Some(pull.author.clone()).filter(|login| !login.is_empty());
            told.approvals = Some(of_event(&pull.author, &pull.labels));
            (number, pushed) = (Some(pull.number), pull.pushed);
            (pull.head, Base::Tip(pull.target.clone(), Some(pull.base)), pull.target.clone())
        }
        Trigger::Push { before, after, branch } if *branch == default() => {
            told.is_landed = true;
            (*after, before.map_or(Base::Nothing, Base::Commit), branch.clone())
        }
        // a branch is judged as a whole, and not by its last push
        Trigger::Push { after, branch, before } => {
            told.branch = Some(branch.clone());
            told.called = Some(branch.clone());
            (*after, Base::Tip(default(), *before), default())
        }
        Trigger::MergeGroup { base, head, target, number: last } => {
            told.called = last.map(|last| format!("the merge group of #{last}"));
            number = *last;
            (*head, Base::Commit(*base), target.clone())
        }
        Trigger::Tree(commit) => (*commit, Base::Nothing, default()),
        Trigger::Nothing(why) => return Err(why),
    };
    told.target = branch;
    let fleet = FleetArgs {
        head: (base != Base::Nothing).then(|| head.to_string()),
        agent: args.agent.clone(),
        ..FleetArgs::default()
    };
    let minds_pulls = !matches!(event.trigger, Trigger::MergeGroup { .. });
    Ok(Target { fleet, told, head, base, minds_pulls, number, pushed })
}

/// What an event alone tells of labels: that they are there.
fn of_event(author: &str, labels: &[String]) -> Approvals {
    let label = |name: &String| Label { name: name.clone(), ..Label::default() };
    Approvals { author: author.to_owned(), labels: labels.iter().map(label).collect(), ..Approvals::default() }
}

impl Target {
    /// Says what the head is held against, once its commit is known.
    pub(super) fn against(&mut self, git: &Git, commit: ObjectId) {
        let reference = git.tracking(&self.told.target);
        self.told.trunk = Some(Trunk { name: self.told.target.clone(), commit, reference });
    }

    /// Asks what people said on the pull request, where the base's configuration asks for it.
    pub(super) fn ask_approvals(
        &mut self,
        git: &Git,
        args: &PolicyArgs,
        client: &Result<Client, Failure>,
        repository: &Repository,
    ) {
        let Some(number) = self.number.filter(|_| self.asks_people(git, args)) else { return };
        let client = client.as_ref().map_err(Clone::clone);
        match client.and_then(|client| forge::approvals(client, repository, number, self.pushed)) {
            Ok(approvals) => self.told.approvals = Some(approvals),
            Err(failure) => {
                // what the event says of labels could be anybody's word: where the truth was to be had, it does not count
                self.told.approvals = None;
                let what = format!("labels and reviews of pull request #{number}");
                self.told.incomplete.push(Incomplete { what, why: failure.to_string() });
            }
        }
    }

    /// Whether the base's configuration needs a person's word for anything. One that can't be read is judged later.
    pub(super) fn asks_people(&self, git: &Git, args: &PolicyArgs) -> bool {
        let Some(trunk) = &self.told.trunk else { return false };
        let tree = git.tree(trunk.commit, trunk_holder(&trunk.name, trunk.commit));
        let policy = tree.and_then(|tree| policy::read_commit(&tree, args, None));
        policy.is_ok_and(|policy| policy.config.is_some_and(|file| !file.config.approval.is_empty()))
    }
}
