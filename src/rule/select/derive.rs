//! Which paths a regex can match, found from the regex itself.

use regex_syntax::hir::{
    Class, Hir, HirKind,
    literal::{ExtractKind, Extractor},
};

use super::pattern::{Dir, File, Pattern};

/// The paths that a regex can match at most.
pub(crate) struct Selection {
    /// One pattern for each possible end of the file name.
    pub(crate) patterns: Vec<Pattern>,
    /// The literal folders that every match begins with.
    pub(crate) folders: Vec<String>,
}

/// Finds the literal folders with which every match begins, whether deeper folders are possible, and how file names can end.
///
/// # Errors
/// The regex' own error, in its own words.
pub(crate) fn derive(regex: &str) -> Result<Selection, String> {
    let hir = regex_syntax::parse(regex).map_err(|error| error.to_string())?;
    let parts = match hir.kind() {
        HirKind::Concat(parts) => parts.clone(),
        _ => vec![hir.clone()],
    };
    let mut head = String::new();
    let mut rest = parts.as_slice();
    while let Some((first, more)) = rest.split_first() {
        let HirKind::Literal(literal) = first.kind() else { break };
        let Ok(text) = std::str::from_utf8(&literal.0) else { break };
        head.push_str(text);
        rest = more;
    }
    let folders: Vec<String> = match head.rfind('/') {
        Some(at) => head[..at].split('/').map(str::to_owned).collect(),
        None => Vec::new(),
    };
    let mut dirs: Vec<Dir> = folders.iter().cloned().map(Dir::Name).collect();
    if rest.iter().any(can_be_slash) {
        dirs.push(Dir::Any);
    }
    let patterns = file_ends(&hir).into_iter().map(|file| Pattern { dirs: dirs.clone(), file }).collect();
    Ok(Selection { patterns, folders })
}

fn can_be_slash(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'/'),
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&'/')),
        HirKind::Class(Class::Bytes(class)) => class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&b'/')),
        HirKind::Repetition(repetition) => can_be_slash(&repetition.sub),
        HirKind::Capture(capture) => can_be_slash(&capture.sub),
        HirKind::Concat(all) | HirKind::Alternation(all) => all.iter().any(can_be_slash),
    }
}

/// The literal ends of all matches, cut to what lies in the file name; any name where they can't be told.
fn file_ends(hir: &Hir) -> Vec<File> {
    let ends = Extractor::new().kind(ExtractKind::Suffix).extract(hir);
    let Some(literals) = ends.literals() else { return vec![File::Any] };
    let mut files = Vec::new();
    for literal in literals {
        let Ok(text) = std::str::from_utf8(literal.as_bytes()) else { return vec![File::Any] };
        files.push(match text.rfind('/') {
            Some(at) => File::Name(text[at + 1..].to_owned()),
            None if text.is_empty() => return vec![File::Any],
            None => File::Glob { suffix: text.to_owned(), wild: None },
        });
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(regex: &str, path: &str) -> bool {
        derive(regex).expect("a good regex").patterns.iter().any(|one| one.matches(path.as_bytes()))
    }

    #[test]
    fn literal_folders_and_ends_are_found() {
        let regex = r"supabase/migrations/(?<key>[0-9]+)_(?<name>.*)\.sql";
        assert_eq!(derive(regex).expect("good").folders, ["supabase", "migrations"]);
        assert!(selects(regex, "supabase/migrations/1_a.sql"));
        assert!(!selects(regex, "supabase/migrations/1_a.txt"));
        assert!(!selects(regex, "supabase/other/1_a.sql"));
    }

    #[test]
    fn a_file_name_is_found_behind_a_group() {
        let regex = r"supabase/functions/(?<key>[A-Za-z][A-Za-z0-9_-]*)/index\.ts";
        assert!(selects(regex, "supabase/functions/a/index.ts"));
        assert!(!selects(regex, "supabase/functions/a/main.ts"));
    }

    #[test]
    fn what_is_selected_includes_all_matches() {
        let regex = r"(?:.*/)?(?<key>[0-9]+)_(?<name>[^/]*)\.(?:sql|go)";
        assert!(selects(regex, "1_a.sql") && selects(regex, "x/y/1_a.go"));
        assert!(!selects(regex, "x/1_a.ts"));
        assert!(selects(r"(?<key>.*)", "a/b"));
    }
}
