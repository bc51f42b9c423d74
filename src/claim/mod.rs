//! Names: what a file takes, how two names compare, and where they collide.

pub mod chain;
pub mod extract;
pub mod normalize;
pub mod order;
