//! Keys that the head takes outside the bands of its lanes.

use std::collections::BTreeMap;

use super::{Fleet, scene::Scene};
use crate::{
    claim::Claim,
    engine::{Gaps, Plan, locate, read::Pass},
    rule::{
        code::boundary::{Who, band::Band, lanes_of},
        judge::Strayed,
    },
};

/// The new keys of the head that lie outside a band, one for each key and lane.
pub(super) fn outside(
    plan: &Plan<'_>,
    fleet: &Fleet<'_>,
    scene: &Scene<'_>,
    pass: &Pass<'_>,
    gaps: &Gaps,
) -> Vec<Strayed> {
    let (Some(config), Some(by_code), Some(head)) = (&plan.config, &fleet.by_code, scene.head) else {
        return Vec::new();
    };
    let config = &config.config;
    if config.agents.values().all(|agent| agent.bands.is_empty()) {
        return Vec::new();
    }
    let line = scene.line(head);
    let commits = by_code.history.said(&line.own).unwrap_or_else(|why| {
        gaps.add("who made the commits of the change, whose bands would count", why);
        Vec::new()
    });
    let who = lanes_of(&by_code.signals, &commits, config);
    let bands = bands(plan, &who, config);
    let mut strayed: BTreeMap<_, Strayed> = BTreeMap::new();
    for (at, item) in (0u32..).zip(pass.items) {
        let of_rule: Vec<&Banded> = bands.iter().filter(|banded| banded.rule == item.rule).collect();
        let presence = &scene.presence[item.entry as usize];
        if of_rule.is_empty() || presence.base || presence.new_of.binary_search(&head).is_err() {
            continue;
        }
        for claim in new_claims(scene, pass, at, head) {
            for banded in of_rule.iter().filter(|banded| !banded.band.holds(&claim.key)) {
                let key = (claim.rule, claim.partition.clone(), claim.key.clone(), banded.lane.clone());
                let made = || Strayed { lane: banded.lane.clone(), band: banded.written.clone(), claims: Vec::new() };
                strayed.entry(key).or_insert_with(made).claims.push(claim.clone());
            }
        }
    }
    let mut all: Vec<Strayed> = strayed.into_values().collect();
    for claim in all.iter_mut().flat_map(|strayed| &mut strayed.claims) {
        if !pass.of(claim).is_path() {
            locate::place(pass, claim);
        }
        claim.site.holder = line.holder.clone();
    }
    all
}

/// A band of one lane.
struct Banded {
    rule: u16,
    lane: String,
    written: String,
    band: Band,
}

fn bands(plan: &Plan<'_>, who: &Who<'_>, config: &crate::config::Config) -> Vec<Banded> {
    let mut all = Vec::new();
    for (lane, _) in who.lanes() {
        let Some(agent) = config.agents.iter().find(|(name, _)| name.get_ref() == lane).map(|(_, agent)| agent) else {
            continue;
        };
        for (id, written) in &agent.bands {
            let rule = plan.rules.iter().position(|active| active.rule.id() == id.get_ref());
            let (Some(rule), Some(band)) = (rule, Band::parse(written.get_ref())) else { continue };
            let (rule, written) = (rule as u16, written.get_ref().clone());
            all.push(Banded { rule, lane: lane.to_owned(), written, band });
        }
    }
    all
}

/// The names of an item of the head that the file at its path did not take before.
fn new_claims(scene: &Scene<'_>, pass: &Pass<'_>, at: u32, head: u32) -> Vec<Claim> {
    let item = &pass.items[at as usize];
    if pass.claim(item).is_path() {
        let path = &pass.entry(item).path;
        let changes = &scene.line(head).changes;
        let was_there =
            changes.binary_search_by(|changed| changed.path.cmp(path)).is_ok_and(|at| changes[at].old.is_some());
        return if was_there { Vec::new() } else { locate::of_path(pass, at).into_iter().collect() };
    }
    let is_before = |other: &&u32| {
        let old = &pass.items[**other as usize];
        let presence = &scene.presence[old.entry as usize];
        (old.rule, old.claim) == (item.rule, item.claim)
            && pass.entry(old).path == pass.entry(item).path
            && presence.old_of.binary_search(&head).is_ok()
    };
    let numbers: Vec<u32> = (0..pass.items.len() as u32).collect();
    let before: Vec<Claim> = numbers.iter().filter(is_before).flat_map(|old| locate::of_text(pass, *old)).collect();
    let mut claims = locate::of_text(pass, at);
    claims.retain(|claim| !before.iter().any(|old| old.key == claim.key));
    claims
}
