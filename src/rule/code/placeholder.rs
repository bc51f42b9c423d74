//! `placeholder/added`: stubs and invented data that a change adds outside tests. Only for those who ask for it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Code, CodeRule};
use crate::{
    diag::{Confidence, Diagnostic, Severity},
    rule::{
        change::{Change, File, Said},
        place::at_span,
    },
    text::diff::added_lines,
};

/// The code of the rule's one kind of finding.
pub const ADDED: &str = "placeholder/added";

/// Longest text that is looked through, in bytes.
const LONGEST: usize = 1 << 20;
/// Most findings in one file.
const MOST: usize = 20;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "placeholder",
    summary: "No stub and no invented data is merged as if it were done",
    why: "An agent that runs out of time or of knowledge leaves something that compiles: a function that is still to be written, a \
          customer called John Doe. The report says done, and nobody looks there again.",
    docs: None,
    codes: &[Code {
        code: ADDED,
        severity: Severity::Warning,
        summary: "No stub or invented data is added",
        details: "Lines that the change adds, outside tests, fixtures, examples and texts: functions that are still to be written \
                  (`todo!()`, `raise NotImplementedError`, `throw new Error(\"not implemented\")` and their like), comments that \
                  put the real thing off, and data that everybody knows to be invented (lorem ipsum, John Doe, 555-0100). It is a \
                  guess, and off: `-W placeholder/added`, or a level for it in the configuration, turns it on.",
        help: "Finish it, or say in the report of the change that it is open.",
    }],
};

/// What a line may hold, and what that is.
const SIGNS: [(&str, &str); 4] = [
    (
        r#"\b(?:todo|unimplemented)!\(|\braise NotImplementedError\b(?:\(\))?\s*$|\bthrow new \w*(?:Error|Exception)\(\s*["'`](?i:not implemented|not yet implemented|unimplemented|todo)|\bthrow new NotImplementedException\(|\bpanic\("(?i:not implemented|unimplemented|todo)|\bTODO\("|\bfatalError\("(?i:not implemented|unimplemented|todo)|\bthrow UnimplementedError\("#,
        "a stub",
    ),
    (
        r"(?i)(?://|#|--|/?\*)\s*(?:todo|fixme)\b[: (-]*.{0,20}\b(?:implement|replace|fill in|hook up|wire up|real)\b",
        "something that is put off",
    ),
    (
        r"(?i)\bin a real (?:app|application|implementation|system|world|scenario)\b|\bplaceholder (?:implementation|until|for now)\b",
        "something that is put off",
    ),
    (
        r"(?i)\blorem ipsum\b|\b(?:john|jane) (?:doe|smith)\b|\byour[-_ ]?api[-_ ]?key[-_ ]?here\b|\b555-01\d\d\b|\b123 main st(?:reet)?\b|\b(?:foo|test)@(?:bar|test)\.com\b",
        "invented data",
    ),
];

/// Folders and names in which invented data is at home.
const AT_HOME: &str = r"(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress|testdata|fixtures?|__fixtures__|mocks?|__mocks__|examples?|samples?|demos?|docs?|stories|seeds?|node_modules|vendor|third_party)/|(?:^|/)(?:test_[^/]*|conftest\.py)$|[._-](?:test|tests|spec|specs|stories|mock|mocks|fixture|seed)\.[^/]*$|(?:Test|Tests|Spec)\.[a-z]+$|\.(?:md|mdx|rst|adoc|txt|lock|snap|svg|csv|json|po|xliff|ipynb)$";

static COMPILED: LazyLock<(Vec<Regex>, Regex)> = LazyLock::new(|| {
    let compile = |text: &str| Regex::new(text).expect("the tests compile it too");
    (SIGNS.iter().map(|(text, _)| compile(text)).collect(), compile(AT_HOME))
});

/// Judges a change.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let (signs, at_home) = &*COMPILED;
    for file in change.files.iter().filter(|file| !file.is_removed() && !file.is_link() && file.from.is_none()) {
        if at_home.is_match(file.path.as_bytes()) {
            continue;
        }
        match texts(change, file) {
            Ok((old, new)) if new.len() <= LONGEST => look(change, file, &old, &new, signs, &mut said),
            Ok(_) => {} // nobody writes so long a text by hand
            Err(error) => said.gap(file.path.lossy(), format!("can't be read: {error}")),
        }
    }
    said
}

type Text = std::sync::Arc<[u8]>;

fn texts(change: &Change<'_>, file: &File) -> std::io::Result<(Text, Text)> {
    Ok((change.before(file)?.unwrap_or_else(|| [].into()), change.after(file)?.unwrap_or_else(|| [].into())))
}

fn look(change: &Change<'_>, file: &File, old: &[u8], new: &[u8], signs: &[Regex], said: &mut Said) {
    let mut count = 0;
    for line in added_lines(old, new).unwrap_or_default() {
        let text = &new[line.clone()];
        let Some((found, (_, what))) = signs.iter().zip(SIGNS).find_map(|(sign, of)| Some((sign.find(text)?, of)))
        else {
            continue;
        };
        let span = line.start + found.start()..line.start + found.end();
        let path = file.path.lossy();
        let shown = String::from_utf8_lossy(found.as_bytes()).trim().to_owned();
        let message = format!("`{path}` gets {what}: `{shown}`. Once merged, it looks as if it were done");
        let mut site = change.site(&file.path);
        at_span(&mut site, new, span);
        let mut made = Diagnostic::new(ADDED, Severity::Warning, message, vec![site]);
        made.confidence = Confidence::Low;
        made.key = Some(shown);
        made.help = Some(RULE.codes[0].help.to_owned());
        made.seal();
        said.findings.push(made);
        count += 1;
        if count == MOST {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::change::testing::Made;

    fn lines(path: &str, old: &str, new: &str) -> Vec<Option<usize>> {
        let made = Made::new(&[(path, old), ("x", "")], &[(path, new), ("x", "")]);
        let said = judge(&made.change());
        said.findings.iter().map(|found| found.sites[0].position.map(|at| at.line)).collect()
    }

    #[test]
    fn stubs_and_invented_data_are_found_where_they_are_added() {
        for stub in [
            "todo!()",
            "unimplemented!(\"x\")",
            "    raise NotImplementedError",
            "throw new Error('Not implemented yet')",
            "throw new NotImplementedException();",
            "panic(\"TODO\")",
            "// TODO: implement the real check",
            "// In a real application this would ask the server",
            "name: 'John Doe',",
            "call 555-0134",
        ] {
            assert_eq!(lines("src/a.rs", "fn a() {}\n", &format!("fn a() {{}}\n{stub}\n")), [Some(2)], "{stub}");
        }
    }

    #[test]
    fn what_is_old_or_at_home_or_only_named_is_none() {
        assert_eq!(lines("src/a.rs", "todo!()\n", "todo!()\nfn a() {}\n"), []);
        for path in [
            "tests/a.rs",
            "src/a.test.ts",
            "docs/a.html",
            "a/README.md",
            "src/FooTest.java",
            "db/seeds/a.sql",
            "x/test_a.py",
        ] {
            assert_eq!(lines(path, "", "name: 'John Doe' todo!()\n"), [], "{path}");
        }
        for code in [
            "// TODO(ann): speed",
            "except NotImplementedError:",
            "placeholder=\"Name\"",
            "raise NotImplementedError(msg)",
            "todo()",
        ] {
            assert_eq!(lines("src/a.py", "", &format!("{code}\n")), [], "{code}");
        }
    }
}
