//! Lines of work, in real repositories.

mod environment;
mod find;
mod staged;
#[cfg(unix)]
mod uncommitted;
