//! The published JSON Schema of the configuration.

use super::Config;

/// The JSON Schema of `gatekeep.toml`, for editors. Dates are strings in it, as TOML editors expect.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Config).to_value()
}
