//! The program from outside.

mod commands;
mod files;
mod ignored;
mod policy;
mod status;
