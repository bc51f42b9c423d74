//! The one integration binary.

#![expect(clippy::disallowed_methods, reason = "tests make repositories and run programs")]

mod audit;
mod change;
mod cli;
mod config;
mod contention;
mod docs;
mod environment;
mod fix;
mod fleet;
mod hook;
mod lines;
mod merge;
mod next;
mod report;
mod reserve;
mod rules;
mod settings;
mod support;
