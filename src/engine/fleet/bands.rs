//! Keys that the head takes outside the bands of its lanes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Fleet, scene::Scene};
use crate::{
    claim::{Claim, normalize::Compare},
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
        let compare = pass.claim(item).compare;
        for claim in claims(pass, at) {
            for banded in of_rule.iter().filter(|banded| !banded.holds(&claim.key, compare)) {
                let key = (claim.rule, claim.partition.clone(), claim.key.clone(), banded.lane.clone());
                let made = || Strayed { lane: banded.lane.clone(), band: banded.written.clone(), claims: Vec::new() };
                strayed.entry(key).or_insert_with(made).claims.push(claim.clone());
            }
        }
    }
    if strayed.is_empty() {
        return Vec::new();
    }
    let old = Old::read(scene, pass, head, &strayed.keys().map(|(rule, ..)| *rule).collect());
    strayed.retain(|_, strayed| {
        strayed.claims.retain(|claim| !old.holds(claim));
        !strayed.claims.is_empty()
    });
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

impl Banded {
    /// Whether a key lies in the band. Where the tool takes `7` and `007` for one number, so many zeros stand before it as the band has.
    fn holds(&self, key: &str, compare: Compare) -> bool {
        let is_number =
            matches!(compare, Compare::Number | Compare::U64 | Compare::I64 | Compare::Version | Compare::Decimal);
        let width = self.written.find("..").unwrap_or_default();
        if is_number { self.band.holds(&format!("{key:0>width$}")) } else { self.band.holds(key) }
    }
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

/// The names of an item.
fn claims(pass: &Pass<'_>, at: u32) -> Vec<Claim> {
    match pass.claim(&pass.items[at as usize]).is_path() {
        true => locate::of_path(pass, at).into_iter().collect(),
        false => locate::of_text(pass, at),
    }
}

/// Names that the change does not introduce.
#[derive(Default)]
struct Old {
    /// By rule, partition and space: what was there when the change began, or is on the trunk by now.
    there: BTreeSet<(u16, Arc<str>, Arc<str>, String)>,
    /// By rule and space: what stood in files that the change takes away. Where they turn up, they moved.
    moved: BTreeSet<(u16, Arc<str>, String)>,
}

impl Old {
    fn read(scene: &Scene<'_>, pass: &Pass<'_>, head: u32, rules: &BTreeSet<u16>) -> Self {
        let changes = &scene.line(head).changes;
        let mut old = Self::default();
        for (at, item) in (0u32..).zip(pass.items).filter(|(_, item)| rules.contains(&item.rule)) {
            let presence = &scene.presence[item.entry as usize];
            let was_there = presence.old_of.binary_search(&head).is_ok();
            if !presence.base && !was_there {
                continue;
            }
            let path = &pass.entry(item).path;
            let change = changes.binary_search_by(|changed| changed.path.cmp(path)).map(|at| &changes[at]);
            let is_gone = was_there && change.is_ok_and(|changed| changed.new.is_none());
            for Claim { rule, partition, space, key, .. } in claims(pass, at) {
                if is_gone {
                    old.moved.insert((rule, space.clone(), key.clone()));
                }
                old.there.insert((rule, partition, space, key));
            }
        }
        old
    }

    fn holds(&self, claim: &Claim) -> bool {
        let Claim { rule, partition, space, key, .. } = claim;
        self.there.contains(&(*rule, partition.clone(), space.clone(), key.clone()))
            || self.moved.contains(&(*rule, space.clone(), key.clone()))
    }
}
