//! What is known of a rule before its file is understood: all that a run needs of the rules that want none of its files.

use std::{
    borrow::Cow,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use super::{
    compile::{Body, RuleMistake},
    load,
    plan::What,
    root::Kind,
    select::Excludes,
    spec::{BetweenSpec, Group, PolicySpec, RuleFile},
};
use crate::config::Level;

/// What is known of a rule at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(super) id: Cow<'static, str>,
    pub(super) group: Option<Group>,
    /// Whole worktrees are held against each other, and nothing else.
    pub(super) between_worktrees: bool,
    /// The judged tool's own settings may say where files lie.
    pub(super) reads_settings: bool,
    /// Roots can be in any folder.
    pub(super) root_anywhere: bool,
    /// Only those are told of names that somebody made up who ask for it.
    pub(super) invented_if_asked: bool,
    /// The kinds of findings that the rule can have.
    pub(super) kinds: Cow<'static, [&'static str]>,
}

/// A built-in rule as `src/rule/builtin/index.rs` has it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) head: Head,
    /// The globs of all files that it wants, where no configuration says otherwise, and what they are to it.
    pub(super) wants: &'static [(What, &'static str)],
}

/// A rule. What its file says is there when it is asked for, as [`Body`]: a built-in file is understood no sooner.
#[derive(Debug)]
pub struct Rule {
    head: Cow<'static, Head>,
    built_in: Option<BuiltIn>,
    body: OnceLock<Body>,
}

/// Where the rest of a built-in rule is.
#[derive(Debug)]
struct BuiltIn {
    path: &'static str,
    text: &'static str,
    wants: &'static [(What, &'static str)],
}

impl Deref for Rule {
    type Target = Body;

    fn deref(&self) -> &Body {
        self.body.get_or_init(|| match &self.built_in {
            Some(file) => load::built_in(file.path, file.text),
            None => unreachable!("only a built-in rule is made without its body"),
        })
    }
}

impl Rule {
    /// Compiles a rule file.
    ///
    /// # Errors
    /// The first thing that can't be meant: a wrong glob, path or template. Regexes are tried by [`Rule::check`].
    pub fn compile(spec: RuleFile) -> Result<Self, RuleMistake> {
        let body = Body::compile(spec)?;
        Ok(Self { head: Cow::Owned(Head::of(&body)), built_in: None, body: body.into() })
    }

    /// A built-in rule of which the index tells what it wants.
    pub(super) fn known(known: &'static Known, path: &'static str, text: &'static str) -> Arc<Self> {
        let built_in = Some(BuiltIn { path, text, wants: known.wants });
        Arc::new(Self { head: Cow::Borrowed(&known.head), built_in, body: OnceLock::new() })
    }

    /// The id, which is the namespace too.
    pub fn id(&self) -> &str {
        &self.head.id
    }

    /// The globs of all files that the rule wants, where that is known without its file.
    pub(super) fn wants(&self) -> Option<&'static [(What, &'static str)]> {
        self.built_in.as_ref().map(|file| file.wants)
    }

    /// Whether its files are migrations, of which each folder has one runner.
    pub(crate) fn is_runner(&self) -> bool {
        self.head.group == Some(Group::Migrations)
    }

    /// Which default excludes hold for its files.
    pub(crate) fn excludes(&self) -> Excludes {
        if self.is_runner() { Excludes::Migrations } else { Excludes::Foreign }
    }

    /// Whether roots can be in any folder.
    pub(super) fn roots_are_anywhere(&self) -> bool {
        self.head.root_anywhere
    }

    /// Whether whole worktrees are held against each other, and nothing else.
    pub(crate) fn is_between_worktrees(&self) -> bool {
        self.head.between_worktrees
    }

    /// Codes of findings that only those are told of who ask for them by name.
    pub fn asked_for(&self) -> Vec<String> {
        self.head.invented_if_asked.then(|| format!("{}/invented", self.id())).into_iter().collect()
    }

    /// Whether the judged tool's own settings may say where files lie, so that a file's path alone does not tell whether the rule wants it.
    pub fn reads_settings(&self) -> bool {
        self.head.reads_settings
    }

    /// The kinds of findings that this rule can have.
    pub fn kinds(&self) -> &[&'static str] {
        &self.head.kinds
    }
}

impl Head {
    /// What the body of a rule tells.
    pub(super) fn of(body: &Body) -> Self {
        let spec = &body.spec;
        let between_worktrees = spec.between == Some(BetweenSpec::Worktrees);
        Self {
            id: spec.id.clone().into(),
            group: spec.group,
            between_worktrees,
            reads_settings: !body.root.from.is_empty(),
            root_anywhere: matches!(body.root.kind, Kind::Any { .. }),
            invented_if_asked: spec.policy.invented == Some(Level::Off),
            kinds: kinds(&spec.policy, between_worktrees).into(),
        }
    }
}

fn kinds(policy: &PolicySpec, between_worktrees: bool) -> Vec<&'static str> {
    [
        ("duplicate", policy.unique),
        ("forked", policy.one_head),
        ("frozen", policy.frozen.is_some()),
        ("invented", policy.invented.is_some()),
        ("malformed", !policy.malformed.is_empty()),
        ("out-of-band", !between_worktrees), // a lane can have one for any rule
        ("out-of-order", policy.has_late()),
        ("over-quota", !between_worktrees), // a configuration can set one for any rule
        ("reserved", !policy.reserved.is_empty()),
        ("unclaimed", !policy.unclaimed.is_empty()),
    ]
    .into_iter()
    .filter_map(|(kind, has)| has.then_some(kind))
    .collect()
}
