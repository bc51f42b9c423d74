//! The examples of `rules/tests/`, and what every text must bear.

#![expect(clippy::disallowed_methods, reason = "a test may look at the files")]

use proptest::prelude::*;

use super::{
    inventory,
    language::Language,
    query::Compiled,
    written::{FILES, File, parse},
};

#[test]
fn every_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/tests");
    let names = std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("listed").file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    assert_eq!(names, FILES.iter().map(|file| file.name.to_owned()).collect::<Vec<_>>());
}

#[test]
fn the_list_names_all_extensions() {
    for File { name, extensions, text } in FILES {
        let written = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let known = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| extensions.contains(&end));
        assert!(written.example.iter().all(|example| example.tests.is_none() || known(&example.path)), "{name}");
        let language = Language::new(written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(language.lines.is_some() || language.extensions() == *extensions, "{name}");
    }
}

#[test]
fn queries_compile_for_every_grammar() {
    for File { name, text, .. } in FILES {
        let language = parse(text).and_then(Language::new).unwrap_or_else(|error| panic!("{name}: {error}"));
        language.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        for parser in language.parsers() {
            if let Err(error) = Compiled::new(&language, &parser.grammar).and_then(|compiled| compiled.check()) {
                panic!("{name}: {error}");
            }
        }
    }
}

#[test]
fn examples_hold() {
    let mut wrong = Vec::new();
    for File { name: file, text, .. } in FILES {
        let written = parse(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(!written.example.is_empty(), "{file} has no example");
        for example in &written.example {
            let found = inventory(example.path.as_bytes(), example.text.as_bytes());
            let found = found.map(|found| found.unwrap_or_else(|why| panic!("{file}: {}: {why}", example.name)));
            let tests = found.as_ref().map(|found| found.tests.iter().map(ToString::to_string).collect::<Vec<_>>());
            let broken = found.as_ref().and_then(|found| found.broken);
            let imports = found.map(|found| found.imports).unwrap_or_default();
            if tests != example.tests || broken != example.broken {
                wrong.push(format!("{file}: {}: {tests:#?}, broken {broken:?}", example.name));
            }
            if let Some(word) = example.imports.iter().find(|word| !imports.contains(word)) {
                wrong.push(format!("{file}: {}: {word} is not in {imports:?}", example.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_too_large_or_no_text_is_said() {
    let large = vec![b' '; super::MAX_BYTES + 1];
    assert_eq!(inventory(b"a_test.go", &large).map(|found| found.map(|_| ())), Some(Err(super::Why::TooLarge)));
    assert_eq!(inventory(b"a_test.go", b"a\xff\0").map(|found| found.map(|_| ())), Some(Err(super::Why::Encoding(1))));
    assert!(inventory(b"vendor/a_test.go", b"").is_none() && inventory(b"a.go", b"").is_none());
}

/// AutoMapper keeps two of its files in Windows-1252.
#[test]
fn tests_of_an_older_encoding_are_read() {
    let text = b"// caf\xe9\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, \"\xfcber\", a())\n}\n";
    let found = inventory(b"a_test.go", text).expect("a test file").expect("its tests are told");
    assert_eq!(found.tests.iter().map(ToString::to_string).collect::<Vec<_>>(), ["TestA [1 checks]"]);
    assert!(text[found.tests[0].span.clone()].starts_with(b"func TestA"), "every byte is in its place");
}

#[test]
fn deep_texts_end() {
    let deep = format!("def test_a():\n    x = {}1{}\n", "(".repeat(3_000), ")".repeat(3_000));
    assert!(inventory(b"test_a.py", deep.as_bytes()).is_some());
}

#[test]
fn long_chains_end() {
    let calls = format!("it('a', () => {{ x{} }});", ".only()".repeat(3_000));
    assert!(inventory(b"a.test.js", calls.as_bytes()).is_some());
}

#[test]
fn nested_containers_end() {
    let nested = |depth: usize| format!("{}{}", "describe('a', () => {".repeat(depth), "})".repeat(depth));
    assert!(inventory(b"a.test.js", nested(50).as_bytes()).expect("a test file").is_ok());
    assert!(inventory(b"a.test.js", nested(1_000).as_bytes()).expect("a test file").is_err());
}

#[test]
fn what_is_repeated_too_often_is_said() {
    let decorated = |count: usize| format!("{}def test_a():\n    assert a\n", "@a\n".repeat(count));
    assert!(inventory(b"test_a.py", decorated(500).as_bytes()).expect("a test file").is_ok());
    let much = inventory(b"test_a.py", decorated(20_000).as_bytes()).expect("a test file").map(|_| ());
    assert!(matches!(much, Err(super::Why::Parser(_))), "{much:?}");
}

/// One test file's path a language.
fn paths() -> Vec<String> {
    let first = |file: &File| parse(file.text).ok()?.example.into_iter().next().map(|example| example.path);
    FILES.iter().filter_map(first).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "(test|it|describe|fn |def |class |func |#\\[test\\]|@Test|\\(|\\)|\\{|\\}|'|\"|`|é|\n|:|;|,| |<\\?php | do| end|skip|only|=>|\\[|\\]){0,40}") {
        for path in paths() {
            if let Some(Ok(found)) = inventory(path.as_bytes(), text.as_bytes()) {
                for test in found.tests {
                    let _ = (&text[test.span], &text[test.name]);
                }
            }
        }
    }
}
