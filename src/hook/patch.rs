//! The patch text of `apply_patch`, which Codex and others send instead of a path.

use super::{Edit, Text};

/// What a patch does to which files. Text that is no patch does nothing.
pub(super) fn edits(patch: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for line in patch.lines() {
        let named = |word: &str| line.strip_prefix(word).map(|path| path.trim().to_owned());
        if let Some(path) = named("*** Add File: ") {
            edits.push(Edit { path, text: Text::Whole(String::new()) });
        } else if let Some(path) = named("*** Update File: ") {
            edits.push(Edit { path, text: Text::Unknown });
        } else if let Some(path) = named("*** Delete File: ") {
            edits.push(Edit { path, text: Text::Gone });
        } else if let Some(path) = named("*** Move to: ") {
            if let Some(last) = edits.last_mut() {
                last.text = Text::Gone;
            }
            edits.push(Edit { path, text: Text::Unknown });
        } else if let (Some(Edit { text: Text::Whole(text), .. }), Some(added)) =
            (edits.last_mut(), line.strip_prefix('+'))
        {
            text.push_str(added);
            text.push('\n');
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_the_files_that_it_touches() {
        let patch = "*** Begin Patch\n*** Add File: a.sql\n+create table a();\n+-- end\n*** Update File: b.txt\n@@\n-x\n+y\n\
                     *** Update File: c.txt\n*** Move to: d.txt\n*** Delete File: e.txt\n*** End Patch\n";
        let found: Vec<(String, Text)> = edits(patch).into_iter().map(|edit| (edit.path, edit.text)).collect();
        let expected = [
            ("a.sql", Text::Whole("create table a();\n-- end\n".into())),
            ("b.txt", Text::Unknown),
            ("c.txt", Text::Gone),
            ("d.txt", Text::Unknown),
            ("e.txt", Text::Gone),
        ];
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text)));
        assert!(edits("rm -rf /").is_empty());
    }
}
