//! Tests through the public interface.

mod report;
