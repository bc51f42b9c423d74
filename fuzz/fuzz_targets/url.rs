//! Normalising a URL never panics, and a normal URL stays as it is.
#![no_main]

use gatekeep::claim::normalize::Compare;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(once) = Compare::Url.normalize(text) {
        assert_eq!(Compare::Url.normalize(&once).as_deref(), Some(&*once));
        assert!(once.is_ascii());
    }
});
