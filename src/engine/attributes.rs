//! `.gitattributes`: which files are vendored or generated.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Gaps, PARSED_LIMIT};
use crate::{
    diag::RepoPath,
    rule::What,
    source::{Listing, Tree},
};

/// The lines of all attribute files that say something about `linguist-vendored` or `linguist-generated`.
pub(super) struct Attributes {
    /// Weakest first: outer folders before inner ones, first lines before later ones.
    lines: Vec<Line>,
}

struct Line {
    folder: Vec<u8>,
    pattern: Gitignore,
    attribute: &'static str,
    set: bool,
}

const ATTRIBUTES: [&str; 2] = ["linguist-vendored", "linguist-generated"];

impl Attributes {
    pub(super) fn read(listing: &Listing, tree: &dyn Tree, gaps: &Gaps) -> Self {
        let mut lines = Vec::new();
        for hit in listing.hits().filter(|hit| hit.want.what == What::Attributes) {
            let entry = &listing.entries[hit.entry as usize];
            match tree.read(entry, PARSED_LIMIT) {
                Ok(bytes) => lines.extend(parse(entry.path.parent(), &String::from_utf8_lossy(&bytes))),
                Err(error) => gaps.add(entry.path.lossy(), format!("can't be read: {error}")),
            }
        }
        lines.sort_by_key(|line| line.folder.len()); // stable: lines of one file keep their order
        Self { lines }
    }

    /// Whether a file is somebody else's or, unless those count, a machine's.
    pub(super) fn leaves_out(&self, path: &RepoPath, generated_counts: bool) -> bool {
        if self.lines.is_empty() {
            return false;
        }
        ATTRIBUTES.iter().take(if generated_counts { 1 } else { 2 }).any(|attribute| {
            let said = self.lines.iter().rev().filter(|line| line.attribute == *attribute);
            said.filter_map(|line| line.matches(path.as_bytes()).then_some(line.set)).next().unwrap_or(false)
        })
    }
}

impl Line {
    fn matches(&self, path: &[u8]) -> bool {
        let below = if self.folder.is_empty() {
            path
        } else {
            match path.strip_prefix(self.folder.as_slice()).and_then(|rest| rest.strip_prefix(b"/")) {
                Some(below) => below,
                None => return false,
            }
        };
        self.pattern.matched(crate::source::path::to_system(below), false).is_ignore()
    }
}

/// Patterns are those of ignore files, without their negation; a pattern that ends with a slash matches nothing (gitattributes(5)).
fn parse(folder: &[u8], text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with(['#', '!', '[']) || !line.contains("linguist-") {
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        let Some(glob) = words.next().filter(|glob| !glob.ends_with('/')) else { continue };
        for word in words {
            let (name, set) = match word.split_once('=') {
                Some((name, value)) => (name, value != "false"),
                None => match word.strip_prefix(['-', '!']) {
                    Some(name) => (name, false),
                    None => (word, true),
                },
            };
            let Some(attribute) = ATTRIBUTES.into_iter().find(|known| *known == name) else { continue };
            let mut builder = GitignoreBuilder::new("");
            if builder.add_line(None, glob).is_ok()
                && let Ok(pattern) = builder.build()
            {
                lines.push(Line { folder: folder.to_vec(), pattern, attribute, set });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(files: &[(&[u8], &str)], path: &str) -> bool {
        let mut lines: Vec<Line> = files.iter().flat_map(|(folder, text)| parse(folder, text)).collect();
        lines.sort_by_key(|line| line.folder.len());
        Attributes { lines }.leaves_out(&path.into(), false)
    }

    #[test]
    fn what_a_machine_wrote_can_count() {
        let lines = parse(b"", "*.py linguist-generated\n*.rb linguist-vendored\n");
        let attributes = Attributes { lines };
        assert!(!attributes.leaves_out(&"a.py".into(), true) && attributes.leaves_out(&"a.py".into(), false));
        assert!(attributes.leaves_out(&"a.rb".into(), true));
    }

    #[test]
    fn the_nearest_and_last_word_counts() {
        let top: (&[u8], &str) = (b"", "*.sql linguist-generated\nkeep/** -linguist-generated\n");
        assert!(out(&[top], "a/x.sql"));
        assert!(!out(&[top], "keep/x.sql"));
        assert!(!out(&[top, (b"a", "x.sql linguist-generated=false")], "a/x.sql"));
        assert!(out(&[(b"a", "x.sql linguist-vendored=true")], "a/b/x.sql"));
        assert!(!out(&[(b"a", "x.sql linguist-vendored")], "b/x.sql"));
    }
}
