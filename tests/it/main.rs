//! Tests through the public interface.

mod config;
