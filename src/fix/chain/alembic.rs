//! Alembic: `revision` and `down_revision`.

use std::collections::{BTreeMap, BTreeSet};

use regex::{NoExpand, Regex};
use sha2::{Digest, Sha256};

use super::{Chained, Link, end, lines, merge_first, text, with};
use crate::{
    claim::chain::{Parsed, alembic},
    diag::RepoPath,
    fix::{Draft, file_name, in_folder},
};

/// Gives ids that are taken twice another one, and lets each line of the change come after what is there.
pub(super) fn rechain(draft: &mut Draft<'_>, chained: &Chained<'_>) -> Result<Vec<String>, String> {
    let mut base = Vec::new();
    for (path, bytes) in chained.base {
        base.extend(link(path, bytes)?);
    }
    if base.iter().any(|link| !link.revision.labels.is_empty()) {
        return Err("its branches have labels: only a person can say which one is meant".into());
    }
    let base_end = end(&base)?.clone();
    let mut own = Vec::new();
    for path in chained.own {
        let text = text(draft, path)?;
        own.extend(link(path, text.as_bytes())?);
    }
    let taken: BTreeSet<String> = base.iter().map(|link| link.revision.id.clone()).collect();
    rename(draft, &mut own, taken)?;
    let mut end = base_end.revision.id.clone();
    for line in lines(&own)? {
        let (first, last) = (line[0], line[line.len() - 1]);
        let Some(parent) = first.revision.parents.first() else { continue }; // a history of its own
        if *parent != end {
            reparent(draft, &first.path, parent, &end)?;
        }
        end.clone_from(&last.revision.id);
    }
    merge_first(draft, &base_end)
}

/// The revision of a file; none where it has none.
fn link(path: &RepoPath, bytes: &[u8]) -> Result<Option<Link>, String> {
    let name = file_name(path).unwrap_or_default();
    match alembic::parse(name.strip_suffix(".py").unwrap_or(name), bytes) {
        Parsed::NotOne => Ok(None),
        Parsed::Unclear(why) => Err(format!("`{}`: {why}", path.lossy())),
        Parsed::Revision(revision) => Ok(Some(Link { path: path.clone(), revision })),
    }
}

/// Gives revisions whose id is taken another one, and tells those that come after them.
fn rename(draft: &mut Draft<'_>, own: &mut [Link], mut taken: BTreeSet<String>) -> Result<(), String> {
    let mut renamed: BTreeMap<String, (String, RepoPath)> = BTreeMap::new();
    for link in own.iter_mut() {
        if taken.insert(link.revision.id.clone()) {
            continue;
        }
        let (old, new) = (link.revision.id.clone(), fresh(link, &taken));
        if renamed.contains_key(&old) || link.revision.id_span.is_empty() {
            return Err(format!(
                "`{}`: which of several revisions `{old}` is meant elsewhere is not known",
                link.path.lossy()
            ));
        }
        let before = text(draft, &link.path)?;
        let after = with(&before, vec![(link.revision.id_span.clone(), new.as_str())]);
        draft.edit(&link.path, said(&after, "Revision ID", &old, &new));
        let file = file_name(&link.path).unwrap_or_default();
        if let Some(rest) = file.strip_prefix(old.as_str()).filter(|rest| rest.starts_with(['_', '-', '.'])) {
            let to = in_folder(link.path.parent(), &format!("{new}{rest}"));
            draft.rename(&link.path, &to)?;
        }
        taken.insert(new.clone());
        link.revision.id.clone_from(&new);
        renamed.insert(old, (new, link.path.clone()));
    }
    for link in own.iter_mut() {
        let Some(old) = link.revision.parents.first().cloned() else { continue };
        // what was written on top of the head's own file means that one; the file itself means the base's
        if let Some((new, _)) = renamed.get(&old).filter(|(_, path)| *path != link.path) {
            reparent(draft, &link.path, &old, new)?;
            link.revision.parents[0].clone_from(new);
        }
    }
    Ok(())
}

/// Twelve hexadecimal digits, as Alembic makes them, that nobody has; the same ones each time.
fn fresh(link: &Link, taken: &BTreeSet<String>) -> String {
    let mut seed = format!("{}\n{}", link.path.lossy(), link.revision.id);
    loop {
        let digest = Sha256::digest(seed.as_bytes());
        let id: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        if !taken.contains(&id) {
            return id;
        }
        seed.push('\n');
    }
}

/// Lets a file name another parent.
fn reparent(draft: &mut Draft<'_>, path: &RepoPath, old: &str, new: &str) -> Result<(), String> {
    let before = text(draft, path)?;
    let unclear = || format!("`{}`: `down_revision` is computed", path.lossy());
    let parents = alembic::parents(&before).ok_or_else(unclear)?;
    let places = parents.into_iter().filter(|(id, _)| id == old).map(|(_, place)| (place, new)).collect();
    let after = with(&before, places);
    draft.edit(path, said(&after, "Revises", old, new));
    Ok(())
}

/// The text with what its docstring says brought in line.
fn said(text: &str, what: &str, old: &str, new: &str) -> String {
    let line = format!(r"(?m)^({what}:[ \t]*){}[ \t]*$", regex::escape(old));
    let Ok(line) = Regex::new(&line) else { return text.to_owned() };
    let Some(found) = line.find(text) else { return text.to_owned() };
    let before = found.as_str().trim_end().len() - old.len();
    line.replace(text, NoExpand(&format!("{}{new}", &found.as_str()[..before]))).into_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    fn file(id: &str, down: &str) -> String {
        format!(
            "\"\"\"x\n\nRevision ID: {id}\nRevises: {down}\n\"\"\"\nrevision: str = '{id}'\ndown_revision = '{down}'\n"
        )
    }

    fn after(base: &[(&str, &str, &str)], own: &[(&str, &str, &str)]) -> Result<Vec<String>, String> {
        let files: Vec<(String, String)> =
            own.iter().map(|(path, id, down)| ((*path).to_owned(), file(id, down))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let disk = Memory::new(&files);
        let base: Vec<(RepoPath, Vec<u8>)> = base
            .iter()
            .map(|(path, id, down)| ((*path).into(), file(id, down).replace("'None'", "None").into_bytes()))
            .collect();
        let own: Vec<RepoPath> = own.iter().map(|(path, ..)| (*path).into()).collect();
        let mut draft = Draft::new(&disk);
        let then = rechain(&mut draft, &Chained { base: &base, own: &own, changed: &[], label: "" })?;
        assert_eq!(then.len(), 1, "what it comes after is on the base only");
        Ok(shown(draft))
    }

    const BASE: [(&str, &str, &str); 2] = [("v/a1.py", "a1", "None"), ("v/b2.py", "b2", "a1")];

    #[test]
    fn the_first_of_the_change_comes_after_the_last_of_the_base() {
        let got = after(&BASE, &[("v/c3.py", "c3", "a1"), ("v/d4.py", "d4", "c3")]).unwrap();
        assert_eq!(got, [format!("v/c3.py: {}", file("c3", "b2"))]);
        assert_eq!(after(&BASE, &[("v/c3.py", "c3", "b2")]).unwrap(), [""; 0]);
    }

    #[test]
    fn two_lines_of_a_change_come_one_after_the_other() {
        let got = after(&BASE, &[("v/c3.py", "c3", "a1"), ("v/d4.py", "d4", "a1")]).unwrap();
        assert_eq!(got, [format!("v/c3.py: {}", file("c3", "b2")), format!("v/d4.py: {}", file("d4", "c3"))]);
    }

    #[test]
    fn an_id_that_is_taken_is_changed_wherever_it_is_meant() {
        let got = after(&BASE, &[("v/b2_mine.py", "b2", "a1"), ("v/c3.py", "c3", "b2")]).unwrap();
        let new = "b9a1"; // any
        let id = got[0].split(" -> v/").nth(1).unwrap().split('_').next().unwrap().to_owned();
        assert_eq!((id.len(), id == new), (12, false));
        assert_eq!(got[0], format!("v/b2_mine.py -> v/{id}_mine.py: {}", file(&id, "b2")));
        assert_eq!(got[1], format!("v/c3.py: {}", file("c3", &id)));
    }

    #[test]
    fn what_only_a_person_can_decide_is_left() {
        let two = [BASE[0], BASE[1], ("v/e5.py", "e5", "a1")];
        assert!(after(&two, &[("v/c3.py", "c3", "a1")]).unwrap_err().contains("several"));
        assert!(after(&BASE, &[("v/c3.py", "c3", "a1', 'b2")]).unwrap_err().contains("joins"));
        let fork = [("v/c3.py", "c3", "a1"), ("v/d4.py", "d4", "c3"), ("v/e5.py", "e5", "c3")];
        assert!(after(&BASE, &fork).unwrap_err().contains("forks in itself"));
    }
}
