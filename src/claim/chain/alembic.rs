//! Alembic's revisions, from the module variables of a version file.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Parsed, Revision, python::Source};

/// Reads one file of a `versions` folder. `module` is its name without `.py`.
///
/// Only assignments at the start of a line count; what the docstring says does not. Values that are computed are unclear.
pub fn parse(module: &str, bytes: &[u8]) -> Parsed<Revision> {
    if module.starts_with("__init__") || module.starts_with(".#") {
        return Parsed::NotOne;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Parsed::Unclear("the file is not valid UTF-8".to_owned());
    };
    let source = Source::new(text);
    match (assigned(&source, "revision"), assigned(&source, "down_revision")) {
        (Ok(None), Ok(None)) => Parsed::NotOne,
        (id, down) => Parsed::from_result(read(module, &source, id, down)),
    }
}

type Place = Result<Option<usize>, String>;

fn read(module: &str, source: &Source, id: Place, down: Place) -> Result<Revision, String> {
    let (id, id_span) = match id? {
        Some(at) => match <[_; 1]>::try_from(strings(source, "revision", at)?) {
            Ok([id]) => id,
            Err(_) => return Err("`revision` is no single string".to_owned()),
        },
        None => (legacy(module)?, 0..0),
    };
    let down = down?.ok_or("there is no `down_revision`")?;
    let labels = match assigned(source, "branch_labels")? {
        Some(at) => texts(strings(source, "branch_labels", at)?),
        None => Vec::new(),
    };
    let parents = texts(strings(source, "down_revision", down)?);
    // what code computes here says nothing about the chain
    let depends = assigned(source, "depends_on").ok().flatten().and_then(|at| source.strings(at)).unwrap_or_default();
    Ok(Revision { id, id_span, parents, depends: texts(depends), labels, ..Revision::default() })
}

/// The parents that a version file names, each with its place in the text; none where the text does not tell.
pub(crate) fn parents(text: &str) -> Option<Vec<(String, Range<usize>)>> {
    let source = Source::new(text);
    source.strings(assigned(&source, "down_revision").ok()??)
}

/// Old files have no `revision`, but a hexadecimal name.
fn legacy(module: &str) -> Result<String, String> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if !module.is_empty() && module.bytes().all(hex) {
        Ok(module.to_owned())
    } else {
        Err("there is no `revision`".to_owned())
    }
}

/// Where the value begins that the module gives to a variable.
fn assigned(source: &Source, name: &str) -> Place {
    static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^(revision|down_revision|branch_labels|depends_on)\b[ \t]*((?::[^=\n]+)?=[ \t]*([^=\s]|[ \t]*$)?|[+.])")
            .expect("the pattern is valid")
    });
    let mut found = None;
    for captures in ASSIGNMENT.captures_iter(&source.code).filter(|captures| &captures[1] == name) {
        let value = match captures.get(3) {
            Some(value) if found.is_none() => value.start(),
            _ => return Err(format!("`{name}` is changed by code")),
        };
        found = Some(value);
    }
    Ok(found)
}

fn strings(source: &Source, name: &str, at: usize) -> Result<Vec<(String, Range<usize>)>, String> {
    source.strings(at).ok_or_else(|| format!("`{name}` is computed"))
}

fn texts(strings: Vec<(String, Range<usize>)>) -> Vec<String> {
    strings.into_iter().map(|(text, _)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(text: &str) -> Revision {
        match parse("x", text.as_bytes()) {
            Parsed::Revision(revision) => revision,
            other => panic!("{other:?} for {text}"),
        }
    }

    #[test]
    fn a_generated_file() {
        let text = "\"\"\"add users\n\nRevision ID: wrong\nRevises: wrong\nrevision = 'wrong'\n\"\"\"\nfrom typing import Sequence, Union\n\n\
            # revision identifiers, used by Alembic.\nrevision: str = 'b1' # here\ndown_revision: Union[str, Sequence[str], None] = \"a1\"\n\
            branch_labels: Union[str, Sequence[str], None] = None\ndepends_on: Union[str, Sequence[str], None] = 'zz'\n\n\
            def upgrade():\n    revision = 'no'\n";
        let got = revision(text);
        assert_eq!((got.id.as_str(), &text[got.id_span.clone()]), ("b1", "b1"));
        assert_eq!((got.parents, got.depends, got.labels), (vec!["a1".to_owned()], vec!["zz".to_owned()], vec![]));
    }

    #[test]
    fn parents_in_every_shape() {
        let parents = |value: &str| revision(&format!("revision = 'x'\ndown_revision = {value}\n")).parents.join(" ");
        assert_eq!(parents("None"), "");
        assert_eq!(parents("'a'"), "a");
        assert_eq!(parents("'a', 'b'"), "a b");
        assert_eq!(parents("(\n    'a',  # first\n    'b',\n)"), "a b");
        assert_eq!(parents("[\"a\", \"b\"]"), "a b");
        assert_eq!(parents("\\\n  'a'"), "a");
        assert_eq!(revision("revision='x'\r\ndown_revision='a'\r\n").parents, ["a"]);
        let labels = revision("revision = 'x'\ndown_revision = None\nbranch_labels = ('expand',)").labels;
        assert_eq!(labels, ["expand"]);
    }

    #[test]
    fn parents_have_a_place() {
        let text = "revision = 'x'\ndown_revision: str = ('a', # 'no'\n 'é')\n";
        let found = parents(text).unwrap_or_default();
        let places: Vec<&str> = found.iter().map(|(_, place)| &text[place.clone()]).collect();
        assert_eq!(places, ["a", "é"]);
        assert_eq!(parents("revision = 'x'\ndown_revision = X\n"), None);
    }

    #[test]
    fn what_code_computes_is_unclear() {
        for text in [
            "revision = make()\ndown_revision = None",
            "revision = 'x'\ndown_revision = PARENT",
            "revision = 'x'\ndown_revision = ('a',) + X",
            "revision = 'x'\ndown_revision = 'a' if y else 'b'",
            "revision = 'x'\n",
            "down_revision = 'x'\n",
            "revision = 'x'\nrevision = 'y'\ndown_revision = None",
            "revision = 'x'\ndown_revision = None\ndown_revision += ('a',)",
            "revision = 'x'\ndown_revision =",
            "revision = 'x', 'y'\ndown_revision = None",
            "revision = f'x{y}'\ndown_revision = None",
        ] {
            assert!(matches!(parse("x", text.as_bytes()), Parsed::Unclear(_)), "{text}");
        }
        assert!(matches!(parse("x", b"revision = 'x'\xFF"), Parsed::Unclear(_)));
    }

    #[test]
    fn other_files_are_none() {
        assert_eq!(parse("env", b"import os\nif revision == 'x':\n    pass\n"), Parsed::NotOne);
        assert_eq!(parse("__init__", b"revision = 'x'"), Parsed::NotOne);
        assert_eq!(parse("helpers", b"revisions = 'x'\ndef f(revision='a'): ...\n"), Parsed::NotOne);
    }

    #[test]
    fn an_old_file_is_named_by_its_id() {
        let Parsed::Revision(old) = parse("1a2b", b"down_revision = 'ff'\n") else { panic!("a revision") };
        assert_eq!(old.id, "1a2b");
    }
}
