//! What goes along when files get other names: those beside them, and what is written in and about them.

use std::collections::BTreeSet;

use super::{Draft, Moved, adr, atlas, class, file_name, in_folder};
use crate::diag::RepoPath;

/// Renames the files, and all that belongs to them. `is_merged` tells what the base has: that stays where it is. Gives what is left to do
/// for a person.
///
/// # Errors
/// Something that belongs to them can't go along, in words.
pub fn follow(
    draft: &mut Draft<'_>,
    rule: &str,
    moved: &[Moved],
    is_merged: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<String>, String> {
    let mut all: Vec<Moved> = Vec::new();
    let mut seen: BTreeSet<RepoPath> = BTreeSet::new();
    for one in moved {
        for belonging in belonging(draft, one)? {
            if !is_merged(&belonging.from) && seen.insert(belonging.from.clone()) {
                all.push(belonging);
            }
        }
    }
    let folders: BTreeSet<Vec<u8>> = all.iter().map(|one| one.from.parent().to_vec()).collect();
    let mut todo = Vec::new();
    let listed = atlas::listed(draft, &folders)?;
    for one in all.iter().filter(|one| one.from != one.to) {
        draft.rename(&one.from, &one.to)?;
    }
    for one in all.iter().filter(|one| one.from != one.to) {
        class::rename(draft, one)?;
        if rule == adr::RULE {
            adr::follow(draft, one)?;
        }
    }
    for folder in listed {
        todo.extend(atlas::update(draft, &folder)?);
    }
    Ok(todo)
}

/// A file, and what goes along with it: all of the folder that bears the number, or what has the same name with another ending.
fn belonging(draft: &Draft<'_>, one: &Moved) -> Result<Vec<Moved>, String> {
    let with = |from: RepoPath, to: RepoPath| Moved { from, to, ..one.clone() };
    if one.from == one.to {
        return Ok(vec![one.clone()]);
    }
    if let Some((old, new)) = numbered_folder(one) {
        let files = draft.disk().list(old, true)?;
        let moved = files.into_iter().filter_map(|from| {
            let below = from.as_bytes().strip_prefix(old)?;
            let to = RepoPath::new(&[new, below].concat());
            Some(with(from, to))
        });
        return Ok(moved.collect());
    }
    let mut all = vec![one.clone()];
    let Some((old, new)) = file_name(&one.from).zip(file_name(&one.to)).and_then(|(old, new)| stems(old, new)) else {
        return Ok(all);
    };
    let folder = one.from.parent();
    for path in draft.folder(folder)?.into_iter().filter(|path| *path != one.from) {
        let ending = file_name(&path).and_then(|file| file.strip_prefix(old));
        if let Some(ending) = ending.filter(|ending| ending.starts_with('.')) {
            let to = in_folder(folder, &format!("{new}{ending}"));
            all.push(with(path.clone(), to));
        }
    }
    Ok(all)
}

/// Two names without their endings: those begin with the first dot behind the number, which may have dots of its own.
fn stems<'n>(old: &'n str, new: &'n str) -> Option<(&'n str, &'n str)> {
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let dot = old.as_bytes()[old.len() - same..].iter().position(|byte| *byte == b'.')?;
    Some((old.get(..old.len() - same + dot)?, new.get(..new.len() - same + dot)?))
}

/// The folder that bears the number, and what it will be called; none where the file itself does.
fn numbered_folder(one: &Moved) -> Option<(&[u8], &[u8])> {
    let (from, to) = (one.from.as_bytes(), one.to.as_bytes());
    let same = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
    // what both end with, from its first `/` on, is below the folder
    let below = from[from.len() - same..].iter().position(|byte| *byte == b'/').map(|at| same - at)?;
    Some((&from[..from.len() - below], &to[..to.len() - below]))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    fn moved(from: &str, to: &str, old: &str, new: &str) -> Moved {
        Moved { from: from.into(), to: to.into(), old: old.into(), new: new.into() }
    }

    fn after(files: &[&str], merged: &[&str], all: &[Moved]) -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "x")).collect();
        let disk = Memory::new(&files);
        let mut draft = Draft::new(&disk);
        let is_merged = |path: &RepoPath| merged.contains(&path.lossy().as_ref());
        assert_eq!(follow(&mut draft, "any", all, &is_merged).unwrap(), [""; 0]);
        shown(draft)
    }

    #[test]
    fn a_folder_goes_along_with_all_that_it_holds() {
        let files = ["m/2_a/up.sql", "m/2_a/down.sql", "m/2_a/meta/metadata.toml", "m/2_ab/up.sql"];
        let got = after(&files, &[], &[moved("m/2_a/up.sql", "m/3_a/up.sql", "2", "3")]);
        assert_eq!(
            got,
            [
                "m/2_a/down.sql -> m/3_a/down.sql",
                "m/2_a/meta/metadata.toml -> m/3_a/meta/metadata.toml",
                "m/2_a/up.sql -> m/3_a/up.sql"
            ]
        );
    }

    #[test]
    fn what_has_the_name_with_another_ending_goes_along_unless_it_is_merged() {
        let files = ["m/V2__a.sql", "m/V2__a.sql.conf", "m/V2__a.java", "m/V2__ab.sql", "n/V2__a.sql"];
        let got = after(&files, &["m/V2__a.java"], &[moved("m/V2__a.sql", "m/V3__a.sql", "2", "3")]);
        assert_eq!(got, ["m/V2__a.sql -> m/V3__a.sql", "m/V2__a.sql.conf -> m/V3__a.sql.conf"]);
        let both =
            [moved("m/2_a.up.sql", "m/3_a.up.sql", "2", "3"), moved("m/2_a.down.sql", "m/3_a.down.sql", "2", "3")];
        let got = after(&["m/2_a.up.sql", "m/2_a.down.sql"], &[], &both);
        assert_eq!(got, ["m/2_a.down.sql -> m/3_a.down.sql", "m/2_a.up.sql -> m/3_a.up.sql"]);
    }

    #[test]
    fn a_number_may_have_dots() {
        assert_eq!(stems("V1.1__a.sql", "V1_2__a.sql"), Some(("V1.1__a", "V1_2__a")));
        assert_eq!(stems("12_a.up.sql", "22_a.up.sql"), Some(("12_a", "22_a")));
        assert_eq!(stems("2.sql", "3.sql"), Some(("2", "3")));
        assert_eq!(stems("2", "3"), None);
    }

    #[test]
    fn equal_numbers_at_two_places_of_a_path_are_told_apart() {
        let one = moved("2_a/2_b/up.sql", "2_a/3_b/up.sql", "2", "3");
        assert_eq!(numbered_folder(&one), Some((&b"2_a/2_b"[..], &b"2_a/3_b"[..])));
        assert_eq!(numbered_folder(&moved("m/2_a.sql", "m/3_a.sql", "2", "3")), None);
    }
}
