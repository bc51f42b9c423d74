//! Lines of work, in real repositories.

mod damaged;
mod environment;
mod find;
mod kept;
mod staged;
#[cfg(unix)]
mod uncommitted;
