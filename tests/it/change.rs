//! A change against its base, from real repositories.

mod history;
mod trust;
