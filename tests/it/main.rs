//! The one integration binary.

#![expect(clippy::disallowed_methods, reason = "tests make repositories and run programs")]

mod cli;
mod config;
mod contention;
mod docs;
mod lines;
mod merge;
mod environment;
mod report;
mod rules;
mod support;
