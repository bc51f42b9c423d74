//! The place of every scalar holds that scalar: sliced back out of the text it reads the same.
#![no_main]

use gatekeep::claim::extract::{
    json,
    query::{Query, Take},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(node) = json::parse(bytes) else { return };
    let text = std::str::from_utf8(bytes).expect("what parsed is UTF-8");
    for take in [Take::Value, Take::Name] {
        let query = Query::new("$..*", take, Vec::new()).expect("a valid path");
        query.run(&node, &mut |found| {
            let written = &text[found.span.clone()];
            // Either as it stands there, or as the string literal that stands there.
            let literal = serde_json::from_str::<String>(&format!("\"{written}\""));
            assert!(written == found.key || literal.is_ok_and(|literal| literal == found.key), "{written}");
        });
    }
});
