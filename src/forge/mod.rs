//! GitHub: what it tells of pull requests, and what it is told of a verdict. Nothing else of gatekeep talks to a network by itself.
//!
//! All calls go through [`Client`], which blocks, gives up in time, and repeats what only reads.

mod approvals;
mod beside;
mod checks;
mod client;
mod comment;
mod event;
mod failure;
mod line_of_work;
mod pulls;
mod verdict;

pub use approvals::approvals;
pub use beside::Beside;
pub use checks::{Annotation, Check, Conclusion, Written};
pub use client::{Address, Client, Patience, Repository};
pub use comment::{Comment, MARKER};
pub use event::{Event, EventError, Given, PullRequest, Trigger};
pub use failure::Failure;
pub use line_of_work::{Which, lines_of_work};
pub use pulls::{OpenPull, Verdict};
pub use verdict::{check, markdown_of};
