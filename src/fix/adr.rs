//! Architecture decision records: the number in the heading, and links to the file.

use std::sync::LazyLock;

use regex::Regex;

use super::{Draft, Moved, file_name};
use crate::diag::{RepoPath, parent};

/// The rule whose files these are.
pub(super) const RULE: &str = "adr-numbers";
/// Files that may link to a record.
const LINKING: [&str; 6] = [".md", ".mdx", ".markdown", ".adoc", ".rst", ".txt"];
/// Files above a record that list all records.
const LISTS: [&str; 7] =
    ["readme.md", "index.md", "summary.md", "readme.adoc", "index.adoc", "mkdocs.yml", "_sidebar.md"];

/// Gives the record its new number, and leads links to it there.
pub(super) fn follow(draft: &mut Draft<'_>, one: &Moved) -> Result<(), String> {
    if let Some(text) = draft.text(&one.from)? {
        let numbered = numbered(&text, &one.old, &one.new);
        if numbered != text {
            draft.edit(&one.from, numbered);
        }
    }
    let folder = one.from.parent().to_vec();
    for path in linking(draft, &folder)? {
        let Some(text) = draft.text(&path)? else { continue };
        let Some((old, new)) = below(path.parent(), &one.from).zip(below(path.parent(), &one.to)) else { continue };
        let linked = linked(&text, old, new);
        if linked != text {
            draft.edit(&path, linked);
        }
    }
    Ok(())
}

/// The texts of a folder, and the lists in those above it.
fn linking(draft: &Draft<'_>, folder: &[u8]) -> Result<Vec<RepoPath>, String> {
    let lower = |path: &RepoPath| file_name(path).map(str::to_lowercase).unwrap_or_default();
    let mut all = draft.folder(folder)?;
    all.retain(|path| {
        LINKING.iter().any(|ending| lower(path).ends_with(ending)) || LISTS.contains(&lower(path).as_str())
    });
    let mut above = folder;
    while !above.is_empty() {
        above = parent(above);
        all.extend(draft.folder(above)?.into_iter().filter(|path| LISTS.contains(&lower(path).as_str())));
    }
    Ok(all)
}

/// A path as it is seen from a folder above it.
fn below<'p>(folder: &[u8], path: &'p RepoPath) -> Option<&'p str> {
    let path = std::str::from_utf8(path.as_bytes()).ok()?;
    match std::str::from_utf8(folder).ok()? {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// A record with another number where its title, or its front matter, has this one.
fn numbered(text: &str, old: &str, new: &str) -> String {
    // `# 2. Title`, `# ADR-0002: Title`, `= 0002 Title`, `title: "ADR 2: Title"`, `id: 0002`, `number: 2`
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^(?:[#=]+[ \t]+|(?:title|id|number|adr):[ \t]*["']?)(?i:(?:adr|rfc|spec)[-_ #]*)?([0-9]+)"#)
            .expect("the pattern is valid")
    });
    let number = |digits: &str| digits.trim_start_matches('0').to_owned();
    let (mut made, mut in_front, mut has_title) = (String::with_capacity(text.len()), false, false);
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        if bare == "---" && (at == 0 || in_front) {
            in_front = at == 0;
        }
        let is_heading = line.starts_with(['#', '=']);
        let digits =
            TITLE.captures(line).and_then(|found| found.get(1)).filter(|_| is_heading && !has_title || in_front);
        has_title |= is_heading && !in_front;
        match digits.filter(|digits| number(digits.as_str()) == number(old)) {
            Some(digits) => {
                let width = if digits.as_str() == number(old) { 1 } else { digits.len() };
                made.push_str(&line[..digits.start()]);
                made.push_str(&format!("{:0>width$}", number(new)));
                made.push_str(&line[digits.end()..]);
            }
            None => made.push_str(line),
        }
    }
    made
}

/// A text in which all mentions of one path are of another one.
fn linked(text: &str, old: &str, new: &str) -> String {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 0x80;
    let (mut made, mut rest) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(old) {
        let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + old.len()..]);
        // `./` is this folder, any other one before it is not
        let begins = match before {
            [.., b'.', b'/'] => !matches!(before, [.., b'.' | b'/', b'.', b'/']) || before.ends_with(b"/./"),
            [.., byte] => !is_part(*byte) && !matches!(byte, b'/' | b'.'),
            [] => true,
        };
        let ends = match after {
            [byte, ..] if is_part(*byte) => false,
            [b'.', byte, ..] => !is_part(*byte), // the end of a sentence
            _ => true,
        };
        if begins && ends && at >= rest {
            made.push_str(&text[rest..at]);
            made.push_str(new);
            rest = at + old.len();
        }
    }
    made.push_str(&text[rest..]);
    made
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    #[test]
    fn a_title_is_renumbered_as_it_is_written() {
        let new = |text: &str| numbered(text, "0002", "0013");
        assert_eq!(new("# 2. Use a cache\n\n# 2. is another\n"), "# 13. Use a cache\n\n# 2. is another\n");
        assert_eq!(new("# ADR-0002: Cache"), "# ADR-0013: Cache");
        assert_eq!(new("# ADR 002 Cache"), "# ADR 013 Cache");
        assert_eq!(new("= 0002 Cache"), "= 0013 Cache");
        assert_eq!(
            new("---\nid: ADR-0002\ntitle: '2. Cache'\ndate: 2\n---\n# Cache\n"),
            "---\nid: ADR-0013\ntitle: '13. Cache'\ndate: 2\n---\n# Cache\n"
        );
        for same in ["# Cache in 2 steps\n", "# 20. Cache\n", "text\n2. first\n", "## 3\n", "# 2020 was a year\n"] {
            assert_eq!(new(same), same);
        }
    }

    #[test]
    fn links_are_led_to_the_new_name_and_to_no_other() {
        let new = |text: &str| linked(text, "0002-a.md", "0003-a.md");
        assert_eq!(
            new("[a](0002-a.md) [b](./0002-a.md#top) `0002-a.md`. 0002-a.md"),
            "[a](0003-a.md) [b](./0003-a.md#top) `0003-a.md`. 0003-a.md"
        );
        for same in
            ["10002-a.md", "x/0002-a.md", "../0002-a.md", "0002-a.mdx", "0002-a.md.bak", "0002-b.md", "x-0002-a.md"]
        {
            assert_eq!(new(same), same);
        }
    }

    #[test]
    fn the_folder_and_lists_above_it_are_looked_through() {
        let disk = Memory::new(&[
            ("docs/adr/0002-a.md", "# 2. A\nsee 0001-x.md\n"),
            ("docs/adr/0001-x.md", "amended by [2](0002-a.md)\n"),
            ("docs/README.md", "(adr/0002-a.md) (rfc/0002-a.md)\n"),
            ("docs/notes.md", "(adr/0002-a.md)\n"),
            ("README.md", "docs/adr/0002-a.md\n"),
            ("docs/rfc/0009-y.md", "0002-a.md\n"),
        ]);
        let mut draft = Draft::new(&disk);
        let one = Moved {
            from: "docs/adr/0002-a.md".into(),
            to: "docs/adr/0003-a.md".into(),
            old: "0002".into(),
            new: "0003".into(),
        };
        follow(&mut draft, &one).unwrap();
        assert_eq!(
            shown(draft),
            [
                "README.md: docs/adr/0003-a.md\n",
                "docs/README.md: (adr/0003-a.md) (rfc/0002-a.md)\n",
                "docs/adr/0001-x.md: amended by [2](0003-a.md)\n",
                "docs/adr/0002-a.md: # 3. A\nsee 0001-x.md\n",
            ]
        );
    }
}
