//! A change against its base, from real repositories.

mod history;
mod lanes;
mod lost;
mod trust;
