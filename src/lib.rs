//! gatekeep finds the names that two files, branches or worktrees both take, before git merges them in silence.
//!
//! The flow, one direction only:
//!
//! ```text
//! argv + gatekeep.toml + rules/*.toml + .gatekeep/rules/*.toml        cli/ config/ rule/
//!     -> plan -> listing of one tree, classified path by path          source/ (bytes and paths)
//!     -> items (rule, path, blob) -> claims                            claim/  (names)
//!     -> collisions -> diagnostics                                     rule/   (judgement)
//!     -> allowances, baseline                                          suppress/
//!     -> report -> exit status, and one renderer a format              report/ (looks)
//! ```
//!
//! `claim/`, `rule/`, `diag/` and `report/` never touch files, git or the network.

pub mod claim;
pub mod cli;
pub mod config;
pub mod diag;
pub mod engine;
pub mod error;
pub mod exit;
pub mod fix;
pub mod forge;
pub mod hook;
pub mod report;
pub mod reserve;
pub mod rule;
pub mod source;
pub mod suppress;
pub mod text;
mod threads;
