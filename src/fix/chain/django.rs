//! Django: `dependencies`, the number in a module's name, and what `django-linear-migrations` keeps beside them.

use super::{Chained, Link, end, lines, merge_first, text, with};
use crate::{
    claim::chain::{Parsed, django},
    diag::RepoPath,
    fix::{Draft, file_name, in_folder},
};

/// The file of django-linear-migrations that names the last migration.
const LAST: &str = "max_migration.txt";

/// Lets each line of the change depend on what is there, and gives its modules the next numbers.
pub(super) fn rechain(draft: &mut Draft<'_>, chained: &Chained<'_>) -> Result<Vec<String>, String> {
    let mut base = Vec::new();
    for (path, bytes) in chained.base {
        base.extend(link(path, bytes, chained.label)?);
    }
    let base_end = end(&base)?.clone();
    let mut own = Vec::new();
    for path in chained.own {
        let text = text(draft, path)?;
        own.extend(link(path, text.as_bytes(), chained.label)?);
    }
    if let Some(odd) =
        own.iter().find(|link| !link.revision.replaces.is_empty() || !link.revision.run_before.is_empty())
    {
        return Err(format!(
            "`{}` replaces others, or has to run before them: only a person can say what that comes to",
            odd.path.lossy()
        ));
    }
    let mut number =
        base.iter().filter_map(|link| numbered(&link.revision.id)).map(|(number, _)| number).max().unwrap_or(0);
    let mut end = base_end.revision.id.clone();
    let mut renamed: Vec<(&Link, String)> = Vec::new();
    for line in lines(&own)? {
        let first = line[0];
        let parent = first.revision.parents.first();
        let parent = parent.ok_or_else(|| format!("`{}` comes after nothing", first.path.lossy()))?;
        if *parent != end {
            replace(draft, &first.path, chained.label, parent, &end)?;
        }
        for link in line {
            let name = next(&link.revision.id, &mut number);
            if name != link.revision.id {
                let to = in_folder(link.path.parent(), &format!("{name}.py"));
                draft.rename(&link.path, &to)?;
                renamed.push((link, name.clone()));
            }
            end = name;
        }
    }
    for path in chained.own.iter().chain(chained.changed) {
        for (link, new) in &renamed {
            replace(draft, path, chained.label, &link.revision.id, new)?;
        }
    }
    if let Some(folder) = own.first().map(|link| link.path.parent()) {
        let last = in_folder(folder, LAST);
        if draft.text(&last)?.is_some() {
            draft.edit(&last, format!("{end}\n"));
        }
    }
    merge_first(draft, &base_end)
}

/// The migration of a module; none where it has none.
fn link(path: &RepoPath, bytes: &[u8], label: &str) -> Result<Option<Link>, String> {
    let name = file_name(path).unwrap_or_default();
    match django::parse(name.strip_suffix(".py").unwrap_or(name), bytes) {
        Parsed::NotOne => Ok(None),
        Parsed::Unclear(why) => Err(format!("`{}`: {why}", path.lossy())),
        Parsed::Revision(migration) => Ok(Some(Link { path: path.clone(), revision: migration.revision(label) })),
    }
}

/// The number that a module's name begins with, and how it is written.
fn numbered(name: &str) -> Option<(u64, &str)> {
    let digits = &name[..name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
    let is_whole = name[digits.len()..].starts_with('_') || digits.len() == name.len();
    Some((digits.parse().ok().filter(|_| is_whole)?, digits))
}

/// The name of a module that comes after this number; one without a number keeps its name, and so does one with a higher number.
fn next(name: &str, number: &mut u64) -> String {
    match numbered(name) {
        Some((own, digits)) if own <= *number => {
            *number += 1;
            format!("{:0>width$}{}", number, &name[digits.len()..], width = digits.len())
        }
        Some((own, _)) => {
            *number = own;
            name.to_owned()
        }
        None => name.to_owned(),
    }
}

/// Lets a file name another migration of the app.
fn replace(draft: &mut Draft<'_>, path: &RepoPath, label: &str, old: &str, new: &str) -> Result<(), String> {
    let Some(before) = draft.text(path)? else { return Ok(()) };
    let places = django::mentions(&before, label, old).into_iter().map(|place| (place, new)).collect();
    let after = with(&before, places);
    if after != before {
        draft.edit(path, after);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    fn module(parents: &[(&str, &str)]) -> String {
        let pairs: Vec<String> = parents.iter().map(|(app, name)| format!("(\"{app}\", \"{name}\")")).collect();
        format!("class Migration(migrations.Migration):\n    dependencies = [{}]\n", pairs.join(", "))
    }

    fn after(base: &[(&str, &str)], own: &[(&str, &str)], more: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let path = |name: &str| format!("shop/migrations/{name}.py");
        let own_files: Vec<(String, String)> =
            own.iter().map(|(name, parent)| (path(name), module(&[("auth", "0001_x"), ("shop", parent)]))).collect();
        let mut files: Vec<(&str, &str)> =
            own_files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        files.extend(more);
        let disk = Memory::new(&files);
        let base: Vec<(RepoPath, Vec<u8>)> = base
            .iter()
            .map(|(name, parent)| {
                let parents = if parent.is_empty() { vec![] } else { vec![("shop", *parent)] };
                (path(name).as_str().into(), module(&parents).into_bytes())
            })
            .collect();
        let own: Vec<RepoPath> = own_files.iter().map(|(path, _)| path.as_str().into()).collect();
        let changed: Vec<RepoPath> = more.iter().map(|(path, _)| (*path).into()).collect();
        let mut draft = Draft::new(&disk);
        rechain(&mut draft, &Chained { base: &base, own: &own, changed: &changed, label: "shop" })?;
        Ok(shown(draft))
    }

    const BASE: [(&str, &str); 2] = [("0001_initial", ""), ("0002_price", "0001_initial")];

    #[test]
    fn the_change_goes_on_from_the_base_with_the_next_numbers() {
        let got = after(
            &BASE,
            &[("0002_stock", "0001_initial"), ("0003_more", "0002_stock")],
            &[
                ("blog/migrations/0002_a.py", "('shop', '0002_stock')\n"),
                ("shop/migrations/max_migration.txt", "0003_more\n"),
            ],
        )
        .unwrap();
        let dep = |parent: &str| module(&[("auth", "0001_x"), ("shop", parent)]);
        assert_eq!(
            got,
            [
                "blog/migrations/0002_a.py: ('shop', '0003_stock')\n".to_owned(),
                format!("shop/migrations/0002_stock.py -> shop/migrations/0003_stock.py: {}", dep("0002_price")),
                format!("shop/migrations/0003_more.py -> shop/migrations/0004_more.py: {}", dep("0003_stock")),
                "shop/migrations/max_migration.txt: 0004_more\n".to_owned(),
            ]
        );
    }

    #[test]
    fn a_number_that_is_high_enough_stays_and_so_does_a_name_without_one() {
        let got = after(&BASE, &[("0007_stock", "0001_initial"), ("more", "0007_stock")], &[]).unwrap();
        assert_eq!(
            got,
            [format!("shop/migrations/0007_stock.py: {}", module(&[("auth", "0001_x"), ("shop", "0002_price")]))]
        );
    }

    #[test]
    fn what_only_a_person_can_decide_is_left() {
        let two = [BASE[0], BASE[1], ("0002_x", "0001_initial")];
        assert!(after(&two, &[("0003_a", "0002_x")], &[]).unwrap_err().contains("several"));
        assert!(
            after(&BASE, &[("0002_a", "0001_initial"), ("0002_b", "0002_a"), ("0002_c", "0002_a")], &[])
                .unwrap_err()
                .contains("forks")
        );
    }
}
