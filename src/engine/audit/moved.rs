//! A folder that a commit moves takes its old collisions along, and brings in none.

use std::collections::BTreeSet;

use crate::{
    diag::{Diagnostic, HolderKind, RepoPath},
    engine::{Gaps, Plan, judge_tree},
    error::Fatal,
    source::{Changed, Tree},
};

/// For each finding the one that the tree before the commit had elsewhere, where the commit only moved it.
pub(super) fn origins(
    plan: &Plan<'_>,
    before: &dyn Tree,
    changes: &[Changed],
    findings: &[Diagnostic],
) -> Result<Vec<Option<Diagnostic>>, Fatal> {
    let places: Vec<Vec<Places>> = findings.iter().map(|found| old_places(changes, found)).collect();
    let rules: BTreeSet<&str> =
        findings.iter().zip(&places).filter(|(_, places)| !places.is_empty()).map(|(found, _)| found.rule()).collect();
    if rules.is_empty() {
        return Ok(vec![None; findings.len()]);
    }
    let plan = super::alone(plan, before);
    // what can't be read there proves nothing: the collision counts as brought in
    let gaps = Gaps::default();
    let old =
        judge_tree(&plan, &gaps, &|item| rules.contains(plan.rules[usize::from(item.rule)].rule.id()), |_, _| {})?;
    let origin = |(found, places): (&Diagnostic, &Vec<Places>)| {
        let is_it = |old: &&Diagnostic| {
            let there: Places = old.sites.iter().map(|site| site.path.clone()).collect();
            old.code == found.code && places.contains(&there)
        };
        old.findings.iter().find(is_it).cloned()
    };
    Ok(findings.iter().zip(&places).map(origin).collect())
}

/// The paths of all sites of a finding.
type Places = BTreeSet<RepoPath>;

/// Where the files of a finding may have been before, if one folder was moved with all of them.
fn old_places(changes: &[Changed], found: &Diagnostic) -> Vec<Places> {
    let is_added = |path: &RepoPath| {
        let at = changes.binary_search_by(|changed| changed.path.cmp(path));
        at.is_ok_and(|at| changes[at].old.is_none())
    };
    let Some(first) = found.sites.first().map(|site| &site.path) else { return Vec::new() };
    if !found.sites.iter().all(|site| site.holder.kind == HolderKind::Head && is_added(&site.path)) {
        return Vec::new();
    }
    let removed: BTreeSet<&[u8]> =
        changes.iter().filter(|changed| changed.new.is_none()).map(|changed| changed.path.as_bytes()).collect();
    let from = |old: &&[u8]| -> Option<Places> {
        let (old_top, new_top) = tops(old, first.as_bytes())?;
        let place = |path: &RepoPath| {
            let old = [old_top, path.as_bytes().strip_prefix(new_top)?].concat();
            removed.contains(old.as_slice()).then(|| RepoPath::new(&old))
        };
        found.sites.iter().map(|site| place(&site.path)).collect()
    };
    removed.iter().filter_map(from).collect()
}

/// What two paths have before their last common components; none where the last ones differ.
fn tops<'p>(a: &'p [u8], b: &'p [u8]) -> Option<(&'p [u8], &'p [u8])> {
    let parts = |path: &'p [u8]| path.rsplit(|byte| *byte == b'/');
    let common = parts(a).zip(parts(b)).take_while(|(a, b)| a == b);
    let (count, length) = common.fold((0, 0), |(count, length), (part, _)| (count + 1, length + part.len()));
    let rest = length + usize::saturating_sub(count, 1);
    (count > 0).then(|| (&a[..a.len() - rest], &b[..b.len() - rest]))
}

#[cfg(test)]
mod tests {
    use super::tops;

    #[test]
    fn what_was_moved_is_what_differs_at_the_beginning() {
        let tops = |a: &'static str, b: &'static str| tops(a.as_bytes(), b.as_bytes());
        assert_eq!(tops("apps/a/m/1.sql", "apps/b/m/1.sql"), Some((&b"apps/a/"[..], &b"apps/b/"[..])));
        assert_eq!(tops("m/1.sql", "db/m/1.sql"), Some((&b""[..], &b"db/"[..])));
        assert_eq!(tops("1.sql", "1.sql"), Some((&b""[..], &b""[..])));
        assert_eq!(tops("a/1.sql", "a/11.sql"), None);
        assert_eq!(tops("old/x1.sql", "x1.sql"), Some((&b"old/"[..], &b""[..])));
    }
}
