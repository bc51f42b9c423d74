//! The one integration binary.

#![expect(clippy::disallowed_methods, reason = "tests make repositories and run programs")]

mod audit;
mod change;
mod cli;
mod config;
mod contention;
mod docs;
mod environment;
mod fleet;
mod lines;
mod merge;
mod report;
mod rules;
mod support;
