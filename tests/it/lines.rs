//! Lines of work, in real repositories.

mod find;
mod staged;
mod uncommitted;
