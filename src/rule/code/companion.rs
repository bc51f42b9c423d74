//! Files that change together.

use super::{Code, CodeRule};
use crate::{
    config::{Globs, change::Companion},
    diag::{Diagnostic, RepoPath, Severity},
    rule::{
        change::{Change, File, Said},
        place::paths_listed,
    },
};

const MISSING: &str = "companion/missing";
/// How many files that ask for a companion are listed as sites.
const MAX_SITES: usize = 20;

/// What the rule says of itself.
pub const RULE: CodeRule = CodeRule {
    id: "companion",
    summary: "Files that change together",
    why: "Code without its test, a schema without its types, work without its hand-off: each is green by itself, and whoever \
          comes next starts from half of it.",
    docs: None,
    codes: &[Code {
        code: MISSING,
        severity: Severity::Error,
        summary: "What changes together is changed together",
        details: "A change adds or changes a file that a `when` of `[[companion]]` matches, and adds or changes none for a \
                  pattern of `need`, or none for any of `one-of`. A file that is only removed neither asks for a companion nor \
                  is one.",
        help: "Add or change the file that belongs to it.",
    }],
};

/// Says which companions a change lacks: one finding for each table. Levels are not applied.
pub fn judge(change: &Change<'_>) -> Said {
    let mut said = Said::default();
    let kept: Vec<&File> = change.files.iter().filter(|file| !file.is_removed()).collect();
    for table in change.tables().companion.iter().map(|table| table.get_ref()) {
        let asking: Vec<&RepoPath> =
            kept.iter().map(|file| &file.path).filter(|path| table.when.matches(path.as_bytes())).collect();
        if asking.is_empty() {
            continue;
        }
        match lacks(table, &kept) {
            Ok(None) => {}
            Ok(Some(lacks)) => said.findings.push(finding(change, &asking, &lacks)),
            Err(why) => said.gap("`[[companion]]` of the configuration", why),
        }
    }
    said
}

/// The patterns for which there is no file, and how they are to be read together; none where nothing lacks.
fn lacks(table: &Companion, kept: &[&File]) -> Result<Option<Lacks>, String> {
    let is_there = |globs: &Globs| kept.iter().any(|file| globs.matches(file.path.as_bytes()));
    let mut needed = Vec::new();
    for pattern in table.need.written() {
        if !is_there(&Globs::new(&[pattern])?) {
            needed.push(pattern.clone());
        }
    }
    if !needed.is_empty() {
        return Ok(Some(Lacks { patterns: needed, any: false }));
    }
    let any = !table.one_of.is_empty() && !is_there(&table.one_of);
    Ok(any.then(|| Lacks { patterns: table.one_of.written().to_vec(), any: true }))
}

struct Lacks {
    patterns: Vec<String>,
    /// Whether one of them would do.
    any: bool,
}

fn finding(change: &Change<'_>, asking: &[&RepoPath], lacks: &Lacks) -> Diagnostic {
    let written = lacks.patterns.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>();
    let (patterns, wanted) = match (lacks.any, written.len()) {
        (_, 1) => (written[0].clone(), "no file that matches"),
        (true, _) => (written.join(" or "), "no file for any of"),
        (false, _) => (written.join(" and "), "no file for each of"),
    };
    let files = paths_listed(asking.iter().copied());
    let mut message = format!(
        "This change touches {files}, and {wanted} {patterns}. By `[[companion]]` they change together; merged like this, one half is \
         missing."
    );
    if asking.len() > MAX_SITES {
        message.push_str(&format!(" {MAX_SITES} of {} are listed.", asking.len()));
    }
    let sites = asking.iter().take(MAX_SITES).map(|path| change.site(path));
    let mut found = Diagnostic::new(MISSING, Severity::Error, message, sites.collect());
    found.key = Some(lacks.patterns.join(if lacks.any { " or " } else { " and " }));
    found.help = Some(format!("Add or change a file that matches {patterns} in this change."));
    found.seal();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::change::testing::Made;

    fn found(tables: &str, before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(String, usize)> {
        let made = Made::new(before, after).by(tables);
        let said = judge(&made.change());
        assert!(said.incomplete.is_empty());
        said.findings.iter().map(|found| (found.key.clone().unwrap_or_default(), found.sites.len())).collect()
    }

    const NEED: &str = "[[companion]]\nwhen = [\"lib/**\"]\nneed = [\"test/**\", \"docs/*.md\"]\n";
    const ONE_OF: &str = "[[companion]]\nwhen = [\"lib/**\"]\none-of = [\"test/**\", \"docs/*.md\"]\n";

    #[test]
    fn each_needed_pattern_wants_a_file() {
        let key = |text: &str, sites| vec![(text.to_owned(), sites)];
        assert_eq!(found(NEED, &[], &[("lib/a", ""), ("lib/b", "")]), key("test/** and docs/*.md", 2));
        assert_eq!(found(NEED, &[], &[("lib/a", ""), ("test/a", "")]), key("docs/*.md", 1));
        assert_eq!(found(NEED, &[], &[("lib/a", ""), ("test/a", ""), ("docs/a.md", "")]), []);
        assert_eq!(found(NEED, &[("lib/a", "1")], &[("lib/a", "2")]), key("test/** and docs/*.md", 1));
    }

    #[test]
    fn one_of_several_is_enough() {
        assert_eq!(found(ONE_OF, &[], &[("lib/a", ""), ("docs/a.md", "")]), []);
        assert_eq!(found(ONE_OF, &[], &[("lib/a", "")]), [("test/** or docs/*.md".to_owned(), 1)]);
    }

    #[test]
    fn what_is_removed_neither_asks_nor_answers() {
        let before = [("lib/a", "1"), ("test/a", "1"), ("docs/a.md", "1")];
        assert_eq!(found(ONE_OF, &before, &before[1..]), []);
        assert_eq!(found(ONE_OF, &before, &[("lib/a", "2"), ("docs/a.md", "1")]).len(), 1);
        assert_eq!(found(ONE_OF, &before, &[("lib/a", "1"), ("test/a", "1")]), []);
        assert_eq!(found(ONE_OF, &before, &[("lib/z", "1"), ("test/z", "1"), ("docs/a.md", "1")]), []);
    }

    #[test]
    fn a_pattern_without_its_table_asks_nothing() {
        assert_eq!(found("", &[], &[("lib/a", "")]), []);
        assert_eq!(found(NEED, &[], &[("src/a", "")]), []);
    }
}
