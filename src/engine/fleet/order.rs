//! What comes too late: new names that sort before the newest one on the trunk.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

mod written;

use super::scene::Scene;
use crate::{
    claim::{Claim, tie::Tie},
    engine::{locate, read::Pass},
    rule::{Named as Told, Rule, judge::Late},
};
use written::Written;

/// Within which names come after each other: rule, partition, space and, where only some folders are used together, the folder.
type Row = (u16, Arc<str>, Arc<str>, Option<String>);

/// One name of a namespace.
type Named<'c> = (u16, &'c str, &'c str, &'c str);

fn named(claim: &Claim) -> Named<'_> {
    (claim.rule, &claim.partition, &claim.space, &claim.key)
}

/// The names that paths take, all versions of all of them.
pub(super) fn path_claims(pass: &Pass<'_>) -> Vec<Claim> {
    let ordered = |at: &u32| {
        let item = &pass.items[*at as usize];
        let policy = &pass.rule(item).spec.policy;
        pass.claim(item).is_path() && (policy.has_late() || policy.frozen.is_some())
    };
    (0..pass.items.len() as u32).filter(ordered).filter_map(|at| locate::of_path(pass, at)).collect()
}

/// New names that sort before the newest one on the trunk. `named` tells below which folders the tool takes them all the same, and where it
/// is strict.
///
/// `paths` are the claims of paths. Those of texts are read here.
pub(super) fn late(scene: &Scene<'_>, pass: &Pass<'_>, paths: &[Claim], named: &Told) -> Vec<Late> {
    let written = Written::read(pass);
    let claims: Vec<&Claim> = paths.iter().chain(&written.claims).collect();
    let mut late = of_claims(scene, pass, &claims, &written, named);
    let all = late.iter_mut().flat_map(|late| &mut late.claims);
    all.filter(|claim| !pass.of(claim).is_path()).for_each(|claim| locate::place(pass, claim));
    late
}

fn of_claims(scene: &Scene<'_>, pass: &Pass<'_>, claims: &[&Claim], written: &Written, told: &Told) -> Vec<Late> {
    let rule = |claim: &Claim| -> &Rule { &pass.plan.rules[usize::from(claim.rule)].rule };
    let order = |claim: &Claim| rule(claim).claims[usize::from(claim.claim)].order;
    let is_told = |folders: &BTreeSet<(u16, String)>, claim: &Claim| {
        folders.iter().any(|(at, folder)| *at == claim.rule && is_below(&claim.partition, folder))
    };
    let is_strict = |claim: &Claim| is_told(&told.strict, claim);
    let counts = |claim: &Claim| {
        let policy = &rule(claim).spec.policy;
        !is_told(&told.lax, claim) && policy.late_level(is_strict(claim)).is_some()
    };
    let on_base = |claim: &&Claim| scene.presence(claim).base;
    let ordered = claims.iter().copied().filter(|claim| has_order(rule(claim), claim) && counts(claim));
    let ordered: Vec<&Claim> = ordered.collect();
    // of each row those with the newest key
    let mut newest: BTreeMap<Row, Vec<&Claim>> = BTreeMap::new();
    for claim in ordered.iter().copied().filter(on_base) {
        let best = newest.entry(row(rule(claim), claim)).or_default();
        match best.first().map(|best| order(claim).compare(&claim.key, &best.key)) {
            None | Some(Ordering::Equal) => best.push(claim),
            Some(Ordering::Greater) => *best = vec![claim],
            Some(Ordering::Less) => {}
        }
    }
    let tie = |claim: &Claim| rule(claim).claims[usize::from(claim.claim)].tie;
    // where whole names are ordered, an equal key is no equal name
    let rest = |claim: &'_ Claim| tie(claim).map(|_| claim.variant.clone());
    let taken: BTreeSet<(Named<'_>, Option<String>)> =
        claims.iter().copied().filter(on_base).map(|claim| (written.known_by(claim), rest(claim))).collect();
    let mut found: BTreeMap<Named<'_>, (BTreeSet<u32>, Late)> = BTreeMap::new();
    let is_new =
        |claim: &&Claim| !scene.presence(claim).base && !taken.contains(&(written.known_by(claim), rest(claim)));
    for claim in ordered.into_iter().filter(is_new) {
        let Some(all) = newest.get(&row(rule(claim), claim)) else { continue };
        let newest = all[0];
        // a path that has the newest one's name is a duplicate; a place in a text is another one that comes no later
        let compared = order(claim).compare(&claim.key, &newest.key);
        let behind = tie(claim).filter(|_| compared.is_eq()).and_then(|tie| behind(tie, claim, all));
        let is_late = compared.is_lt() || compared.is_eq() && !pass.of(claim).is_path() || behind.is_some();
        if !is_late || scene.landed_as(claim).is_some() {
            continue;
        }
        for line in new_lines(scene, claim).filter(|line| !written.had(scene, *line, claim)) {
            let (lines, late) = found.entry(named(claim)).or_insert_with(|| {
                let (partition, key, newest) = (Arc::clone(&claim.partition), claim.key.clone(), newest.key.clone());
                let tie = behind.map(|newest| (file_name(claim), file_name(newest)));
                (
                    BTreeSet::new(),
                    Late {
                        rule: claim.rule,
                        partition,
                        key,
                        newest,
                        tie,
                        claims: Vec::new(),
                        strict: is_strict(claim),
                        allowed_by: None,
                    },
                )
            });
            lines.insert(line);
            late.claims.push(scene.held(claim, Some(line)));
        }
    }
    found
        .into_iter()
        .map(|(name, (lines, late))| with_halves(scene, rule(&late.claims[0]), claims, name, &lines, late))
        .collect()
}

/// The last of those with one key that a claim's file comes before, by its whole name.
fn behind<'c>(tie: Tie, claim: &Claim, all: &[&'c Claim]) -> Option<&'c Claim> {
    let (name, others) = (claim.site.path.file_name(), all.iter().copied());
    let before =
        others.filter(|other| other.variant != claim.variant && tie.is_before(name, other.site.path.file_name()));
    before.max_by_key(|other| other.site.path.file_name())
}

fn file_name(claim: &Claim) -> String {
    String::from_utf8_lossy(claim.site.path.file_name()).into_owned()
}

/// Whether a claim has a place in an order.
fn has_order(rule: &Rule, claim: &Claim) -> bool {
    let policy = &rule.spec.policy;
    policy.has_late()
        && rule.spec.claim[usize::from(claim.claim)].order.is_some()
        && !policy.editable.contains(&claim.variant)
}

fn row(rule: &Rule, claim: &Claim) -> Row {
    let folder = || rule.root.joined(String::from_utf8_lossy(claim.site.path.parent()).into_owned());
    let apart = rule.spec.policy.across_folders.is_some().then(folder);
    (claim.rule, Arc::clone(&claim.partition), Arc::clone(&claim.space), apart)
}

/// The lines that bring a claim in, as far as they are judged, or another version of its file.
fn new_lines(scene: &Scene<'_>, claim: &Claim) -> impl Iterator<Item = u32> {
    let is_judged = |line: &u32| scene.head.is_none_or(|head| head == *line);
    scene.presence(claim).new_of.iter().copied().filter(is_judged)
}

/// Adds what is no part of the order by itself: the down file that comes with an up file.
fn with_halves(
    scene: &Scene<'_>,
    rule: &Rule,
    claims: &[&Claim],
    name: Named<'_>,
    lines: &BTreeSet<u32>,
    mut late: Late,
) -> Late {
    let place = |claim: &Claim| (claim.site.path.clone(), claim.site.holder.clone());
    late.claims.sort_by_key(place);
    let mut halves = Vec::new();
    for claim in claims.iter().copied().filter(|claim| named(claim) == name && !has_order(rule, claim)) {
        let new = new_lines(scene, claim).filter(|line| lines.contains(line) && !scene.had(*line, &claim.site.path));
        halves.extend(new.map(|line| scene.held(claim, Some(line))));
    }
    halves.sort_by_key(place);
    late.claims.extend(halves);
    late
}

/// Whether a partition lies in a folder, or is it.
pub(super) fn is_below(partition: &str, folder: &str) -> bool {
    let rest = partition.strip_prefix(folder);
    folder.is_empty() || folder == "." || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Scene<'_> {
    /// Whether a line found something at a path in its merge base.
    pub(super) fn had(&self, line: u32, path: &crate::diag::RepoPath) -> bool {
        let changes = &self.line(line).changes;
        changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok_and(|at| changes[at].old.is_some())
    }
}
