//! Judgement: rule files, what they compile to, which paths they want, where their namespaces live, and what they say of collisions.

mod between;
mod builtin;
pub mod change;
pub mod code;
mod compile;
mod head;
pub(crate) mod judge;
mod lazy;
pub(crate) mod listed;
mod load;
mod mined;
mod next;
pub mod owners;
mod ownership;
mod place;
mod plan;
mod resolve;
pub(crate) mod root;
pub mod select;
pub(crate) mod series;
pub mod spec;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub(crate) use between::Names;
pub use builtin::builtin;
pub use code::{CodeRule, code_rules};
pub use compile::{Body, RuleMistake};
pub(crate) use compile::{Claim, Shape, Source};
pub use head::Rule;
pub use load::{builtin_rules, known, load, load_replacing, parse_own, schema};
pub use plan::{ActiveRule, Scope, Want, What, classifier};
pub(crate) use plan::{
    all_files, between_worktrees, classifier_near, classifier_with_named, lax_files, named_folders, policy_files,
    settings_files,
};
pub(crate) use resolve::{Facts, Item, Named, Resolved, Stray, marked, resolve};
pub(crate) use template::Template;
pub(crate) use text::{RuleText, text};
