//! The one integration binary.

mod config;
mod report;
