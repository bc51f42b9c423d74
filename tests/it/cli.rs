//! The program from outside.

mod commands;
mod files;
mod ignored;
mod lanes;
mod policy;
mod status;
