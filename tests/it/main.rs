//! The one integration binary.

mod cli;
mod config;
mod report;
mod rules;
mod support;
