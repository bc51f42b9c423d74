//! From the files that agents touched to a few globs: where each of them worked alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::{config::Globs, diag::RepoPath, source::Changed};

/// Globs in one list, at most.
const MOST: usize = 6;

/// Where an agent works.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Territory {
    /// Globs for folders that nobody else touched.
    pub(super) owns: Vec<String>,
    /// Patterns of files that others touched as well, if they are few.
    pub(super) may_touch: Vec<String>,
}

/// Where one of these agents works: folders that hold four fifths of the files that it alone touched, and the shared files.
pub(super) fn territory(name: &str, touched: &BTreeMap<&str, &BTreeSet<RepoPath>>) -> Territory {
    let Some(mine) = touched.get(name) else { return Territory::default() };
    let others: BTreeSet<&[u8]> = touched
        .iter()
        .filter(|(other, _)| **other != name)
        .flat_map(|(_, paths)| paths.iter().map(RepoPath::as_bytes))
        .collect();
    let (shared, alone): (Vec<&[u8]>, Vec<&[u8]>) =
        mine.iter().map(RepoPath::as_bytes).partition(|path| others.contains(path));
    let may_touch: Vec<String> = shared.iter().filter_map(|path| pattern(path, "")).collect();
    let is_few = may_touch.len() == shared.len() && shared.len() <= MOST;
    Territory { owns: owns(&alone, &others), may_touch: if is_few { may_touch } else { Vec::new() } }
}

/// A folder, and the files below it.
type Held<'p> = (&'p [u8], &'p [&'p [u8]]);

/// As deep as four fifths of each folder's files lie, where that is still enough in all; else as high as nobody else's begin.
fn owns(alone: &[&[u8]], others: &BTreeSet<&[u8]>) -> Vec<String> {
    let mut wide = Vec::new();
    untouched(alone, 0, others, &mut wide);
    let narrow: Vec<Held<'_>> = wide.iter().map(|held| narrowed(*held)).collect();
    [narrow, wide].into_iter().find_map(|folders| globs(folders, alone.len())).unwrap_or_default()
}

/// The highest folders below a path's first `start` bytes that no other agent touched. The paths are sorted and agree in these bytes.
fn untouched<'p>(paths: &'p [&'p [u8]], start: usize, others: &BTreeSet<&[u8]>, found: &mut Vec<Held<'p>>) {
    for (folder, below) in children(paths, start) {
        let inside = [folder, b"/"].concat();
        let next = others.range(inside.as_slice()..).next();
        if next.is_some_and(|other| other.starts_with(&inside)) {
            untouched(below, inside.len(), others, found);
        } else {
            found.push((folder, below));
        }
    }
}

/// The folders right below the first `start` bytes of some sorted paths, each with its paths.
fn children<'p>(paths: &'p [&'p [u8]], start: usize) -> impl Iterator<Item = Held<'p>> {
    let end = move |path: &[u8]| memchr::memchr(b'/', &path[start..]).map(|at| start + at);
    let groups = paths.chunk_by(move |a, b| end(a).is_some() && end(a).map(|at| &a[..at]) == end(b).map(|at| &b[..at]));
    groups.filter_map(move |group| Some((&group[0][..end(group[0])?], group)))
}

/// The deepest folder that holds four fifths of a folder's files.
fn narrowed((folder, files): Held<'_>) -> Held<'_> {
    let (mut folder, mut inside) = (folder, files);
    while let Some((deeper, below)) =
        children(inside, folder.len() + 1).find(|(_, below)| is_most(below.len(), files.len()))
    {
        (folder, inside) = (deeper, below);
    }
    (folder, inside)
}

/// The folders with the most files, as globs in order, if they hold most of all.
fn globs(mut folders: Vec<Held<'_>>, all: usize) -> Option<Vec<String>> {
    folders.sort_by_key(|(folder, files)| (std::cmp::Reverse(files.len()), *folder));
    let written = folders.iter().filter_map(|(folder, files)| Some((pattern(folder, "/**")?, files.len())));
    let kept: Vec<(String, usize)> = written.take(MOST).collect();
    let held: usize = kept.iter().map(|(_, count)| count).sum();
    let mut globs: Vec<String> = kept.into_iter().map(|(glob, _)| glob).collect();
    globs.sort();
    (all > 0 && is_most(held, all)).then_some(globs)
}

fn is_most(part: usize, all: usize) -> bool {
    part * 5 >= all * 4
}

/// Whether nearly all files of a tree lie in these folders, so that they tell nobody's work from anybody else's.
pub(super) fn are_nearly_all(globs: &[String], tree: &[Changed]) -> bool {
    let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
    let Ok(globs) = Globs::new(&globs) else { return false };
    let held = tree.iter().filter(|file| globs.matches(file.path.as_bytes())).count();
    held > 0 && is_most(held, tree.len())
}

/// A path as a pattern that matches it alone, and what follows; none where no pattern can say it.
fn pattern(path: &[u8], end: &str) -> Option<String> {
    let pattern = literal(std::str::from_utf8(path).ok()?) + end;
    Globs::new(&[&pattern]).is_ok().then_some(pattern)
}

/// A text in which no letter has a meaning of its own, for a glob.
pub(super) fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '*' | '?' | '[' | ']' | '{' | '}' | '!') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, touched: &[(&str, &[&str])]) -> (Vec<String>, Vec<String>) {
        let sets: Vec<(&str, BTreeSet<RepoPath>)> =
            touched.iter().map(|(name, paths)| (*name, paths.iter().map(|path| (*path).into()).collect())).collect();
        let touched = sets.iter().map(|(name, paths)| (*name, paths)).collect();
        let Territory { owns, may_touch } = territory(name, &touched);
        (owns, may_touch)
    }

    fn lists(owns: &[&str], may_touch: &[&str]) -> (Vec<String>, Vec<String>) {
        let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        (owned(owns), owned(may_touch))
    }

    #[test]
    fn a_folder_is_as_deep_as_most_of_the_files_in_it() {
        let paths = ["lib/u/a/1", "lib/u/a/2", "lib/u/b", "lib/u/c", "lib/u/d"];
        assert_eq!(of("a", &[("a", &paths)]), lists(&["lib/u/**"], &[]));
        assert_eq!(
            of("a", &[("a", &["lib/u/a", "lib/u/b", "lib/u/c", "lib/u/d", "lib/e"])]),
            lists(&["lib/u/**"], &[])
        );
        assert_eq!(of("a", &[("a", &["lib/u/a", "lib/u/b", "lib/e"])]), lists(&["lib/**"], &[]));
        assert_eq!(of("a", &[("a", &["lib/u/a", "test/u/a"])]), lists(&["lib/u/**", "test/u/**"], &[]));
    }

    #[test]
    fn nobody_owns_what_another_touched() {
        let (a, b) = (&["lib/a/1", "lib/a/2", "docs/r"][..], &["lib/b/1", "docs/r"][..]);
        assert_eq!(of("a", &[("a", a), ("b", b)]), lists(&["lib/a/**"], &["docs/r"]));
        assert_eq!(of("b", &[("a", a), ("b", b)]), lists(&["lib/b/**"], &["docs/r"]));
        // the same folder, other files: nobody's
        assert_eq!(of("a", &[("a", &["lib/1"]), ("b", &["lib/2"])]), lists(&[], &[]));
        // a longer name is another folder
        assert_eq!(of("a", &[("a", &["lib/1"]), ("b", &["lib-2/1", "lib.x"])]), lists(&["lib/**"], &[]));
    }

    #[test]
    fn what_lies_all_over_the_repository_is_no_lane() {
        assert_eq!(of("a", &[("a", &["a", "b", "c", "lib/d"])]), lists(&[], &[]));
        assert_eq!(of("a", &[("a", &[])]), lists(&[], &[]));
        assert_eq!(of("a", &[]), lists(&[], &[]));
        let paths: Vec<String> = (0..12).map(|at| format!("{at}/x")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_eq!(of("a", &[("a", &paths)]), lists(&[], &[]));
        assert_eq!(of("a", &[("a", &paths[..7])]).0.len(), MOST, "six of seven are most");
        // as many shared files are not few
        assert_eq!(of("a", &[("a", &paths), ("b", &paths)]), lists(&[], &[]));
    }

    #[test]
    fn folders_that_hold_nearly_all_of_the_tree_are_nobodys() {
        let file = |path: &&str| Changed { path: (*path).into(), old: None, new: None };
        let tree: Vec<Changed> = ["app/a", "app/b", "app/c", "app/d", "x"].iter().map(file).collect();
        let globs = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(are_nearly_all(&globs(&["app/**"]), &tree) && are_nearly_all(&globs(&["app/a", "app/?"]), &tree));
        assert!(!are_nearly_all(&globs(&["app/a", "app/b", "app/c"]), &tree));
        assert!(!are_nearly_all(&[], &tree) && !are_nearly_all(&globs(&["app/**"]), &[]));
    }

    #[test]
    fn hostile_names_stand_for_themselves() {
        let (owns, _) = of("a", &[("a", &["!x/{a*}/\n\"/f"])]);
        assert_eq!(owns, ["\\!x/\\{a\\*\\}/\n\"/**"]);
        assert!(
            Globs::new(&[&owns[0]])
                .is_ok_and(|globs| globs.matches(b"!x/{a*}/\n\"/g") && !globs.matches(b"!x/{ab}/\n\"/g"))
        );
        let long = format!("{}/f", "x".repeat(2000));
        assert_eq!(of("a", &[("a", &[&long])]), lists(&[], &[]));
    }
}
