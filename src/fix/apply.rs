//! Writing a plan to the working tree: all of it, or nothing.
//!
//! New contents are written beside their places first. Then every file steps aside, and then each takes its new place; a failure on the
//! way puts all of them back. No place is taken that something else has.

#![expect(clippy::disallowed_methods, reason = "this is what writes")]

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use tempfile::{NamedTempFile, TempPath};

use super::{Disk, Touched, WorkingFolder};
use crate::diag::RepoPath;

/// Why nothing was changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// A file is not what the plan was made for, or is out of bounds: in words.
    Changed(String),
    /// The system did not let it happen. What could not be put back is listed.
    Failed {
        /// What went wrong, in words.
        why: String,
        /// Files that stand under another name now: where, and where they belong.
        displaced: Vec<(PathBuf, PathBuf)>,
    },
}

/// One file on its way.
struct Step<'a> {
    touched: &'a Touched,
    from: PathBuf,
    to: PathBuf,
    /// What it will hold, where that is another content.
    new: Option<NamedTempFile>,
    /// Where it stepped aside to.
    aside: Option<PathBuf>,
    /// It stands in its new place.
    placed: bool,
}

/// Renames and edits.
///
/// # Errors
/// Nothing was changed, or as little as could not be put back.
pub fn apply(top: &Path, plan: &[Touched]) -> Result<(), Refused> {
    let folder = WorkingFolder::new(top);
    let leaving: BTreeSet<&RepoPath> = plan.iter().map(|one| &one.from).collect();
    let mut steps = Vec::new();
    for one in plan {
        steps.push(checked(&folder, one, &leaving).map_err(Refused::Changed)?);
    }
    let made = prepare(&mut steps).map_err(|why| Refused::Failed { why, displaced: Vec::new() })?;
    match carry_out(&mut steps) {
        Ok(()) => {
            for step in &mut steps {
                if let Some(aside) = step.aside.take() {
                    let _ = fs::remove_file(aside); // the old content; its new one stands in its place
                }
            }
            leave_no_empty_folders(top, plan);
            Ok(())
        }
        Err(why) => {
            let displaced = put_back(&mut steps);
            made.iter().rev().for_each(|folder| _ = fs::remove_dir(folder)); // one that is not empty stays
            Err(Refused::Failed { why, displaced })
        }
    }
}

/// Looks again at what the plan was made for.
fn checked<'a>(folder: &WorkingFolder, one: &'a Touched, leaving: &BTreeSet<&RepoPath>) -> Result<Step<'a>, String> {
    let from = folder.place(one.from.as_bytes())?;
    let to = folder.place(one.to.as_bytes())?;
    match folder.read(&one.from)? {
        Some(now) if now == one.before => {}
        Some(_) => return Err(format!("`{}` was changed in the meantime", one.from.lossy())),
        None => return Err(format!("`{}` is gone", one.from.lossy())),
    }
    if one.is_renamed() && !leaving.contains(&one.to) && fs::symlink_metadata(&to).is_ok() {
        return Err(format!("`{}` is there already", one.to.lossy()));
    }
    Ok(Step { touched: one, from, to, new: None, aside: None, placed: false })
}

/// Makes the folders, and writes the new contents beside their places. Gives the folders that it made.
fn prepare(steps: &mut [Step<'_>]) -> Result<Vec<PathBuf>, String> {
    let mut made = Vec::new();
    for step in steps {
        let failed = |error: io::Error| format!("`{}` can't be written: {error}", step.touched.to.lossy());
        let folder = step.to.parent().expect("a file lies in a folder");
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(failed)?;
            made.push(folder.to_owned());
        }
        if step.touched.is_edited() {
            let file = tempfile::Builder::new().prefix(".gatekeep-").tempfile_in(folder).map_err(failed)?;
            fs::write(file.path(), &step.touched.after).map_err(failed)?;
            let permissions = fs::metadata(&step.from).map_err(failed)?.permissions();
            fs::set_permissions(file.path(), permissions).map_err(failed)?;
            file.as_file().sync_all().map_err(failed)?;
            step.new = Some(file);
        }
    }
    Ok(made)
}

/// All files step aside, then each takes its place.
fn carry_out(steps: &mut [Step<'_>]) -> Result<(), String> {
    for step in steps.iter_mut() {
        let failed = |error: io::Error| format!("`{}` can't be moved: {error}", step.touched.from.lossy());
        let folder = step.from.parent().expect("a file lies in a folder");
        // a name that nobody has: the empty file that holds it is replaced
        let aside = tempfile::Builder::new().prefix(".gatekeep-").tempfile_in(folder).map_err(failed)?;
        fs::rename(&step.from, aside.path()).map_err(failed)?;
        step.aside = Some(aside.into_temp_path().keep().map_err(|error| failed(error.error))?);
    }
    for step in steps.iter_mut() {
        let failed = |error: io::Error| format!("`{}` can't be written: {error}", step.touched.to.lossy());
        match step.new.take() {
            Some(file) => {
                file.persist_noclobber(&step.to).map_err(|error| failed(error.error))?;
            }
            None => {
                let aside = step.aside.as_ref().expect("it stepped aside");
                if let Err(error) = without_clobbering(aside, &step.to) {
                    return Err(failed(error));
                }
                step.aside = None;
            }
        }
        step.placed = true;
    }
    Ok(())
}

/// Renames a file to a place that nothing has.
fn without_clobbering(from: &Path, to: &Path) -> io::Result<()> {
    TempPath::try_from_path(from)?.persist_noclobber(to).map_err(|failed| {
        let _ = failed.path.keep(); // a temporary path removes its file in the end
        failed.error
    })
}

/// Puts all files back to where they were. Gives those that could not be.
fn put_back(steps: &mut [Step<'_>]) -> Vec<(PathBuf, PathBuf)> {
    // first all new places are left, as one may be the old place of another
    for step in steps.iter_mut().filter(|step| step.placed) {
        match &step.aside {
            Some(_) => _ = fs::remove_file(&step.to), // its old content is safe
            None => {
                let aside = step.from.with_file_name(format!(".gatekeep-{}", std::process::id()));
                if without_clobbering(&step.to, &aside).is_ok() {
                    step.aside = Some(aside);
                }
            }
        }
    }
    let mut displaced = Vec::new();
    for step in steps {
        let stands = match (&step.aside, step.placed) {
            (Some(aside), _) => aside.clone(),
            (None, true) => step.to.clone(),
            (None, false) => continue,
        };
        if without_clobbering(&stands, &step.from).is_err() {
            displaced.push((stands, step.from.clone()));
        }
    }
    displaced
}

/// Removes the folders that nothing lies in any more.
fn leave_no_empty_folders(top: &Path, plan: &[Touched]) {
    let folder = WorkingFolder::new(top);
    for one in plan.iter().filter(|one| one.from.parent() != one.to.parent()) {
        let Ok(place) = folder.place(one.from.as_bytes()) else { continue };
        let above = place.ancestors().skip(1).take_while(|above| *above != top && above.starts_with(top));
        // one that something lies in can't be removed, and ends it
        above.take_while(|above| fs::remove_dir(above).is_ok()).for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(files: &[(&str, &str)]) -> Self {
            let made = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                let path = made.0.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            made
        }

        fn top(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap()
        }

        fn all(&self) -> Vec<String> {
            let disk = WorkingFolder::new(&self.top());
            let line = |path: RepoPath| {
                let text = disk.read(&path).unwrap().unwrap();
                format!("{} {}", path.lossy(), String::from_utf8_lossy(&text))
            };
            disk.list(b"", true).unwrap().into_iter().map(line).collect()
        }
    }

    fn touched(from: &str, to: &str, before: &str, after: &str) -> Touched {
        Touched { from: from.into(), to: to.into(), before: before.into(), after: after.into() }
    }

    #[test]
    fn files_swap_move_and_change_and_empty_folders_go() {
        let folder =
            Folder::new(&[("m/1", "one"), ("m/2", "two"), ("d/old/up", "up"), ("d/old/meta/x", "x"), ("keep/a", "a")]);
        let plan = [
            touched("m/1", "m/2", "one", "one"),
            touched("m/2", "m/1", "two", "TWO"),
            touched("d/old/up", "d/new/up", "up", "up"),
            touched("d/old/meta/x", "d/new/meta/x", "x", "x"),
            touched("keep/a", "keep/a", "a", "b"),
        ];
        assert_eq!(apply(&folder.top(), &plan), Ok(()));
        assert_eq!(folder.all(), ["d/new/meta/x x", "d/new/up up", "keep/a b", "m/1 TWO", "m/2 one"]);
        assert!(!folder.top().join("d/old").exists());
    }

    #[test]
    fn nothing_changes_if_a_file_is_another_one_by_now_or_a_place_is_taken() {
        let folder = Folder::new(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let before = folder.all();
        for bad in [touched("b", "d", "old", "old"), touched("b", "c", "2", "2"), touched("gone", "d", "", "")] {
            let plan = [touched("a", "e", "1", "1"), bad];
            assert!(matches!(apply(&folder.top(), &plan), Err(Refused::Changed(_))));
            assert_eq!(folder.all(), before);
        }
    }

    #[test]
    fn a_failure_on_the_way_puts_all_back() {
        let folder = Folder::new(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let before = folder.all();
        // two plans for one place: the second finds it taken
        let plan = [touched("a", "n/x", "1", "1"), touched("b", "a", "2", "changed"), touched("c", "n/x", "3", "3")];
        let refused = apply(&folder.top(), &plan);
        assert!(matches!(&refused, Err(Refused::Failed { displaced, .. }) if displaced.is_empty()), "{refused:?}");
        assert_eq!(folder.all(), before);
        assert!(!folder.top().join("n").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_nothing_leaves_the_folder() {
        let folder = Folder::new(&[("in/a", "1"), ("out/x", "")]);
        let top = folder.top().join("in");
        std::os::unix::fs::symlink(folder.top().join("out"), top.join("link")).unwrap();
        std::os::unix::fs::symlink(folder.top().join("out/x"), top.join("file")).unwrap();
        for to in ["link/a", "../out/a", "file", ".git/a", "x/../../out/a"] {
            let plan = [touched("a", to, "1", "1")];
            assert!(matches!(apply(&top, &plan), Err(Refused::Changed(_))), "{to}");
        }
        let plan = [touched("file", "b", "", "")];
        assert!(matches!(apply(&top, &plan), Err(Refused::Changed(_))));
        assert_eq!(fs::read_dir(folder.top().join("out")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn an_edited_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new(&[("a", "1")]);
        let path = folder.top().join("a");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        apply(&folder.top(), &[touched("a", "b", "1", "2")]).unwrap();
        assert_eq!(fs::metadata(folder.top().join("b")).unwrap().permissions().mode() & 0o777, 0o755);
    }
}
