//! A rule file of any bytes is refused with its place, or its examples run; nothing panics.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(rule) = gatekeep::rule::parse_own("fuzz.toml", bytes) else { return };
    let rule = Arc::new(rule);
    for example in rule.spec.example.iter().take(2) {
        let _ = gatekeep::engine::example::check(&[Arc::clone(&rule)], &rule, example); // a mismatch is no fault here
    }
});
