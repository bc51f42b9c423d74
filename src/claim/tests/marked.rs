//! Shows that no test is left out, and none runs alone, in a file without one of its language's marks.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::{
    Skip, TestPath, inventory,
    language::Language,
    query::Compiled,
    written::{FILES, parse},
};

fn may_be_marked(path: &[u8], text: &[u8]) -> bool {
    TestPath::of(path).is_some_and(|path| path.may_be_marked(text))
}

/// Whether every text that a regex matches has one of these marks in it.
fn always_marked(hir: &Hir, marks: &[String]) -> bool {
    if let Some(texts) = texts(hir) {
        return texts.iter().all(|text| is_marked(text, marks));
    }
    match hir.kind() {
        HirKind::Capture(capture) => always_marked(&capture.sub, marks),
        HirKind::Repetition(repetition) => repetition.min > 0 && always_marked(&repetition.sub, marks),
        HirKind::Alternation(all) => all.iter().all(|one| always_marked(one, marks)),
        HirKind::Concat(parts) => {
            let runs = (0..parts.len()).map(|from| Hir::concat(run(&parts[from..])));
            parts.iter().any(|part| always_marked(part, marks))
                || runs
                    .into_iter()
                    .filter_map(|run| texts(&run))
                    .any(|run| run.iter().all(|text| is_marked(text, marks)))
        }
        _ => false,
    }
}

/// The first of these parts, as long as they match few texts.
fn run(parts: &[Hir]) -> Vec<Hir> {
    parts.iter().take_while(|part| texts(part).is_some()).cloned().collect()
}

fn is_marked(text: &str, marks: &[String]) -> bool {
    marks.iter().any(|mark| text.contains(mark))
}

/// All texts that a regex matches, where they are few.
fn texts(hir: &Hir) -> Option<Vec<String>> {
    let found = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => vec![String::from_utf8(literal.0.to_vec()).ok()?],
        HirKind::Capture(capture) => texts(&capture.sub)?,
        HirKind::Class(Class::Unicode(class)) if class.ranges().iter().map(|range| range.len()).sum::<usize>() < 8 => {
            class.ranges().iter().flat_map(|range| range.start()..=range.end()).map(String::from).collect()
        }
        HirKind::Repetition(repetition) if (repetition.min, repetition.max) == (0, Some(1)) => {
            [vec![String::new()], texts(&repetition.sub)?].concat()
        }
        HirKind::Alternation(all) => all.iter().map(texts).collect::<Option<Vec<_>>>()?.concat(),
        HirKind::Concat(parts) => parts.iter().map(texts).try_fold(vec![String::new()], |begun, ends| {
            let ends = ends?;
            Some(begun.iter().flat_map(|begin| ends.iter().map(move |end| format!("{begin}{end}"))).collect())
        })?,
        _ => return None,
    };
    (found.len() < 1_000).then_some(found)
}

/// The first way to mark a test that these marks would not show.
fn overlooked(compiled: &Compiled, marks: &[String]) -> Option<Vec<Vec<String>>> {
    let shows = |regex: &String| always_marked(&regex_syntax::parse(regex).expect("it compiles"), marks);
    compiled.marking().into_iter().find(|way| !way.iter().any(|demand| demand.iter().all(shows)))
}

#[test]
fn every_way_to_mark_a_test_needs_a_mark_and_every_mark_is_needed() {
    for file in FILES {
        let language = parse(file.text).and_then(Language::new).expect("it is read");
        let all: Vec<Compiled> = language
            .parsers()
            .iter()
            .map(|parser| Compiled::new(&language, &parser.grammar).expect("it compiles"))
            .collect();
        for compiled in &all {
            assert!(!compiled.marking().is_empty(), "{}: nothing marks a test", file.name);
            assert_eq!(overlooked(compiled, &language.marks), None, "{}", file.name);
        }
        for at in 0..language.marks.len() {
            let mut fewer = language.marks.clone();
            let mark = fewer.remove(at);
            assert!(all.iter().any(|one| overlooked(one, &fewer).is_some()), "{}: who needs `{mark}`?", file.name);
        }
    }
}

#[test]
fn what_a_regex_always_holds() {
    let holds = |regex: &str, marks: &[&str]| {
        let marks: Vec<String> = marks.iter().map(|mark| (*mark).to_owned()).collect();
        always_marked(&regex_syntax::parse(regex).expect("it compiles"), &marks)
    };
    for (regex, marks) in [
        (r"^skip$", &["skip"][..]),
        (r"^(Skip|Ignore(Reason)?)$", &["Skip", "Ignore"]),
        (r"^x(it|describe)$", &["xit", "xdescribe"]),
        (r"^(it|test)(\.(each|only))*\.(skip|todo)(\.only)*$", &["skip", "todo"]),
        (r"@group\s+skip\b", &["skip"]),
        (r"(a|b)*:[io]f", &[":if", ":of"]),
    ] {
        assert!(holds(regex, marks), "{regex}");
    }
    for (regex, marks) in [
        (r"^skip?$", &["skip"][..]),
        (r"^(Skip|Ignore)$", &["Skip"]),
        (r"^(?i)skip$", &["skip"]),
        (r"^(skip)*$", &["skip"]),
        (r"^s\w*kip$", &["skip"]),
        (r"^x(it|describe)$", &["xit"]),
        (r"^\w+$", &["skip"]),
    ] {
        assert!(!holds(regex, marks), "{regex}");
    }
}

#[test]
fn examples_without_a_mark_have_none() {
    let mut unmarked = 0;
    for file in FILES {
        for example in parse(file.text).expect("it is read").example {
            // each line by itself too, and what is before it
            let ends = example.text.match_indices('\n').map(|(at, _)| at + 1);
            let texts =
                ends.flat_map(|end| [&example.text[..end], &example.text[end..]]).chain([example.text.as_str()]);
            for text in texts.filter(|text| !may_be_marked(example.path.as_bytes(), text.as_bytes())) {
                let Some(Ok(found)) = inventory(example.path.as_bytes(), text.as_bytes()) else { continue };
                let runs = found.tests.iter().all(|test| test.skip != Skip::Unconditional && !test.focused);
                assert!(runs && found.focus.is_empty(), "{}: {text}", file.name);
                unmarked += found.tests.len();
            }
        }
    }
    assert!(unmarked > 500, "{unmarked}");
}

#[test]
fn what_can_not_be_looked_into_may_be_marked() {
    let large = vec![b' '; super::MAX_BYTES + 1];
    assert!(may_be_marked(b"a_test.go", &large) && may_be_marked(b"a_test.go", b"a\xff\0"));
    assert!(may_be_marked(b"a.bats", b"") && may_be_marked(b"a_test.go", b"t.Skip()"));
    assert!(!may_be_marked(b"a_test.go", b"func TestA(t *testing.T) {}") && !may_be_marked(b"a.go", b"t.Skip()"));
}
