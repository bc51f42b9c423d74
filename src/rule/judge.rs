//! What rules say of collisions, forks, faults, strays and counts.

mod band;
mod invented;
mod past;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    ActiveRule, Item, Rule, Shape, Stray, What, next,
    spec::Per,
    words::{capped, name, ruled, with_lines},
};
use crate::{
    claim::{Claim, Collision, Kind, Name, Ruling},
    config::Levels,
    diag::{Diagnostic, Holder, RepoPath, Severity, Site},
    source::Listing,
    text::Located,
};

/// What is wrong with one name by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) item: u32,
    pub(crate) kind: FaultKind,
    pub(crate) key: String,
    pub(crate) raw: String,
    pub(crate) located: Option<Located>,
}

/// How a name is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Nobody may take it.
    Reserved,
    /// It breaks the grammar of this shape.
    Malformed(u8),
    /// It is a time that somebody made up.
    Invented,
}

/// What is wrong with a name by itself.
pub(crate) fn wrong(rule: &Rule, claim: &super::Claim, name: &Name<'_>) -> Option<FaultKind> {
    let is_key = |reserved: &String| claim.compare.normalize(reserved).is_some_and(|reserved| reserved == name.key);
    if rule.spec.policy.reserved.iter().any(is_key) {
        return Some(FaultKind::Reserved);
    }
    let broken = |shape: &Shape| {
        shape.space.as_deref().unwrap_or_default() == claim.space
            && shape.grammar.as_ref().is_some_and(|regex| !regex.is_match(&name.raw))
    };
    rule.malformed.iter().position(broken).map(|at| FaultKind::Malformed(at as u8))
}

/// How much one item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) item: u32,
    pub(crate) entry: u32,
    pub(crate) keys: u64,
    /// Uncompressed.
    pub(crate) bytes: u64,
}

/// A chain with more heads than its tool takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) rule: u16,
    pub(crate) partition: Arc<str>,
    /// What the tool calls the chain: an app label, or nothing.
    pub(crate) name: String,
    /// Ids of the heads and their sites; the first one keeps its place.
    pub(crate) heads: Vec<(String, Site)>,
    /// At most so grave, where lines of work say so.
    pub(crate) cap: Option<Severity>,
    /// Who keeps the place and why, where several lines of work go on from one.
    pub(crate) ruling: Option<Ruling>,
    /// An id and the one that it comes after, if that is not there: then the tool does not get as far as to count heads. Where that is all,
    /// `heads` has what is gone too, at the places where it stood.
    pub(crate) gone: Option<(String, String)>,
}

/// A new name that comes too late: the tool has gone past its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) rule: u16,
    pub(crate) partition: Arc<str>,
    pub(crate) key: String,
    /// The newest one on the trunk.
    pub(crate) newest: String,
    /// Where their keys are equal, and the tool orders whole names: the new file and the newest one.
    pub(crate) tie: Option<(String, String)>,
    /// Never empty.
    pub(crate) claims: Vec<Claim>,
    /// The tool is told to be strict about such.
    pub(crate) strict: bool,
    /// A file that tells the tool to take late names, perhaps not in this folder.
    pub(crate) allowed_by: Option<RepoPath>,
}

/// A merged unit that is changed, or many of one partition that one line changes in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frozen {
    /// How many units there are.
    pub(crate) units: usize,
    /// Their claims by each line that changes them, in order; never empty, and not all where there are very many.
    pub(crate) claims: Vec<Claim>,
    /// What became of the first.
    pub(crate) thaw: Thaw,
    /// How grave that is, by the rule.
    pub(crate) severity: Severity,
}

/// What became of a merged unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thaw {
    /// Its content is another.
    Edited,
    /// Its content lies under another path.
    Moved(RepoPath),
    /// It is gone.
    Removed,
}

/// What holds more than it did.
#[derive(Debug, Default)]
pub(crate) struct Grown {
    /// Files.
    pub(crate) entries: BTreeSet<u32>,
    /// Partitions, by rule.
    pub(crate) partitions: BTreeSet<(u16, Arc<str>)>,
}

/// All that is to be judged.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) collisions: Vec<Collision>,
    pub(crate) forks: Vec<Fork>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) strays: Vec<Stray>,
    pub(crate) counts: Vec<Count>,
    /// What is held against limits; none stands for all.
    pub(crate) grown: Option<Grown>,
    pub(crate) late: Vec<Late>,
    pub(crate) frozen: Vec<Frozen>,
    pub(crate) strayed: Vec<Strayed>,
}

/// A key outside the band of the lane that takes it.
#[derive(Clone, Debug)]
pub(crate) struct Strayed {
    /// The lane.
    pub(crate) lane: String,
    /// Its band, as it is written.
    pub(crate) band: String,
    /// Who takes the key: files of one migration, or places in a text.
    pub(crate) claims: Vec<Claim>,
}

/// What is judged by and about.
pub(crate) struct Ground<'a> {
    pub(crate) rules: &'a [ActiveRule],
    pub(crate) listing: &'a Listing,
    pub(crate) items: &'a [Item],
    pub(crate) levels: &'a Levels,
    /// Whose faults, strays and counts are judged.
    pub(crate) holder: Holder,
    /// Whether a name is held on the remote: rule, partition, set of names, and the name as it is compared.
    pub(crate) is_reserved: &'a dyn Fn(u16, &str, &str, &str) -> bool,
}

/// Judges it all. Levels are applied here; what they turn off is not reported.
pub(crate) fn judge(ground: &Ground<'_>, judged: &Judged) -> Vec<Diagnostic> {
    let judge = ground;
    let mut findings = Vec::new();
    let mut given = next::Given::default();
    findings.extend(judged.collisions.iter().filter_map(|collision| judge.collision(collision, &mut given)));
    findings.extend(judged.forks.iter().filter_map(|fork| judge.fork(fork)));
    findings.extend(judged.faults.iter().filter_map(|fault| judge.fault(fault)));
    findings.extend(judge.invented(&judged.faults));
    findings.extend(judged.strays.iter().filter_map(|stray| judge.stray(stray)));
    findings.extend(judged.late.iter().filter_map(|late| judge.late(late)));
    findings.extend(judged.frozen.iter().filter_map(|frozen| judge.frozen(frozen)));
    findings.extend(judged.strayed.iter().filter_map(|strayed| judge.out_of_band(strayed)));
    judge.counts(judged, &mut findings);
    findings
}

impl<'a> Ground<'a> {
    fn rule(&self, at: u16) -> &'a Rule {
        &self.rules[usize::from(at)].rule
    }

    /// A finding of a rule with all that its file says; none where its level is off.
    fn finding(
        &self,
        rule: &Rule,
        kind: &str,
        severity: Severity,
        names: (&str, &str),
        message: String,
        sites: Vec<Site>,
    ) -> Option<Diagnostic> {
        let code = format!("{}/{kind}", rule.id());
        let severity = self.levels.apply(&code, severity)?;
        let mut found = Diagnostic::new(code, severity, message, sites);
        found.confidence = rule.confidence;
        found.namespace = Some(rule.id().to_owned());
        found.partition = Some(names.0.to_owned());
        found.key = Some(names.1.to_owned());
        found.docs.clone_from(&rule.spec.docs);
        found.seal();
        Some(found)
    }

    fn collision(&self, collision: &Collision, given: &mut next::Given) -> Option<Diagnostic> {
        let rule = self.rule(collision.rule);
        if !rule.spec.policy.unique {
            return None;
        }
        let sure = self.sureness(&collision.claims);
        let severity = capped(past::lowered(duplicate_severity(rule, collision)?, sure), collision.cap);
        let spec = &rule.spec.message;
        let count = units(collision).to_string();
        let words = [("key", collision.key.as_str()), ("count", &count), ("partition", &collision.partition)];
        let often = match rule.is_between_worktrees() {
            true => format!("by {count} worktrees"),
            false => format!("{count} times in {}", place(&collision.partition)),
        };
        let first = match (collision.kind, spec.as_ref().and_then(|spec| spec.duplicate.as_deref())) {
            (Kind::Case, _) => {
                let mut keys: Vec<&str> = collision.claims.iter().map(|claim| claim.key.as_str()).collect();
                keys.sort_unstable();
                keys.dedup();
                format!("{} differ in case only", quoted(&keys))
            }
            (Kind::Same, Some(text)) if collision.space.is_empty() => filled(text, &words),
            (Kind::Same, _) if !collision.space.is_empty() => {
                format!("the {} `{}` is taken {often}", collision.space, collision.key)
            }
            (Kind::Same, _) => format!("`{}` is taken {often}", collision.key),
        };
        let first = with_lines(first, collision.ruling.as_ref(), &collision.claims);
        let sites = yielding_first(collision);
        let why = spec.as_ref().and_then(|spec| spec.why_duplicate.as_deref()).or(rule.spec.why.as_deref());
        let mut found = self.finding(
            rule,
            "duplicate",
            severity,
            (&collision.partition, &collision.key),
            past::with_doubt(sentences(&first, why), rule, sure),
            sites,
        )?;
        found.yields = collision.yielding().len();
        found.confidence = found.confidence.min(sure);
        found.help = spec.as_ref().and_then(|spec| spec.help.clone());
        if collision.kind == Kind::Same && collision.space.is_empty() {
            found.fix = given.renames(rule, collision, self);
        }
        if let Some(ruling) = &collision.ruling {
            if !matches!(ruling, Ruling::Keeps { .. }) {
                found.fix = None; // what landed has its free name already, and what is old is another change's to mend
            }
            let yielding: BTreeSet<&Holder> = collision.yielding().iter().map(|claim| &claim.site.holder).collect();
            found.help = Some(ruled(ruling, &yielding, found.fix.as_ref(), found.help.as_deref()));
        }
        if found.help.is_none() {
            found.help = Some(match &found.fix {
                Some(_) => {
                    "keep the name for one of them and give the others a free one, if none of them has been applied yet"
                        .into()
                }
                None => "keep the name for one of them and give the others a free one".into(),
            });
        }
        Some(found)
    }

    fn fork(&self, fork: &Fork) -> Option<Diagnostic> {
        let rule = self.rule(fork.rule);
        let severity = capped(rule.severity?, fork.cap);
        // in one order whoever is the oldest
        let by_place: BTreeSet<(&RepoPath, &str)> =
            fork.heads.iter().map(|(id, site)| (&site.path, id.as_str())).collect();
        let mut ids: Vec<&str> = by_place.into_iter().map(|(_, id)| id).collect();
        ids.dedup();
        let spec = rule.spec.message.as_ref();
        let message = fork_message(rule, fork, &ids);
        // a parent that is taken away, where that is all that is told
        let taken = fork.gone.as_ref().map(|(_, parent)| parent).filter(|parent| ids.contains(&parent.as_str()));
        let key = match (taken, fork.name.is_empty()) {
            (_, false) => fork.name.clone(),
            (Some(parent), true) => parent.clone(),
            (None, true) => ids.join(" "),
        };
        let (kept, yielding): (Vec<_>, Vec<_>) = fork.heads.iter().partition(|(id, _)| *id == fork.heads[0].0);
        let yields = yielding.len();
        let sites = yielding.into_iter().chain(kept).map(|(_, site)| site.clone()).collect();
        let mut found = self.finding(rule, "forked", severity, (&fork.partition, &key), message, sites)?;
        found.yields = yields;
        if let Some((id, _)) = &fork.gone {
            let after = format!("let `{id}` come after what is there now");
            found.help = Some(taken.map_or(after.clone(), |parent| format!("keep `{parent}`, or {after}")));
            return Some(found);
        }
        found.help = spec.and_then(|spec| spec.help.clone());
        if let Some(Ruling::Keeps { keeper, because, itself: false, .. }) = &fork.ruling {
            let own = found.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
            found.help =
                Some(format!("{} keeps its place, because {because}; the others go on from it{own}", name(keeper)));
        }
        Some(found)
    }

    fn fault(&self, fault: &Fault) -> Option<Diagnostic> {
        let item = &self.items[fault.item as usize];
        let rule = self.rule(item.rule);
        let mut site = Site::path(item.of(self.listing).path.clone(), self.holder.clone());
        if let Some(located) = &fault.located {
            site.position = Some(located.position);
            site.snippet = Some(located.snippet.clone());
        }
        let names = (&*item.partition, fault.key.as_str());
        match fault.kind {
            FaultKind::Invented => None, // all files of one version together, see `invented`
            FaultKind::Reserved => {
                let message = format!("`{}` is reserved: nobody may take it", fault.raw);
                self.finding(rule, "reserved", rule.severity?, names, message, vec![site])
            }
            FaultKind::Malformed(at) => {
                let shape = &rule.malformed[usize::from(at)];
                let message = sentences(&format!("`{}` is malformed", fault.raw), Some(&shape.message));
                self.finding(rule, "malformed", shape.severity?, names, message, vec![site])
            }
        }
    }

    fn stray(&self, stray: &Stray) -> Option<Diagnostic> {
        let rule = self.rule(stray.rule);
        let (kind, shape, first) = match stray.what {
            What::Malformed(at) => ("malformed", &rule.malformed[usize::from(at)], "is malformed"),
            What::Unclaimed(at) => ("unclaimed", &rule.unclaimed[usize::from(at)], "takes no name"),
            _ => return None,
        };
        let path: &RepoPath = &self.listing.entries[stray.entry as usize].path;
        let file = stray.below.rsplit('/').next().unwrap_or_default();
        let key = shape
            .path
            .as_ref()
            .and_then(|regex| regex.captures(&stray.below)?.name("key").map(|key| key.as_str().to_owned()));
        let key = key.unwrap_or_else(|| file.to_owned());
        let message = sentences(&format!("`{key}` {first}"), Some(&shape.message));
        let site = Site::path(path.clone(), self.holder.clone());
        self.finding(rule, kind, shape.severity?, (&stray.partition, &key), message, vec![site])
    }

    fn counts(&self, judged: &Judged, findings: &mut Vec<Diagnostic>) {
        let mut per_partition: BTreeMap<(u16, Arc<str>), (u64, u32)> = BTreeMap::new();
        let mut said: BTreeSet<(u16, u32, &str)> = BTreeSet::new(); // two claims of a rule can count one file
        let is_judged = |entry: u32| judged.grown.as_ref().is_none_or(|grown| grown.entries.contains(&entry));
        for count in &judged.counts {
            let item = &self.items[count.item as usize];
            let rule = self.rule(item.rule);
            let path = || Site::path(item.of(self.listing).path.clone(), self.holder.clone());
            let sum = per_partition.entry((item.rule, Arc::clone(&item.partition))).or_insert((0, count.entry));
            sum.0 += count.keys;
            for quota in rule.quotas.iter().filter(|quota| quota.per == Per::File && is_judged(count.entry)) {
                for (limit, is, what) in [(quota.keys, count.keys, "names"), (quota.bytes, count.bytes, "bytes")] {
                    if let (Some(limit), Some(severity)) =
                        (limit.filter(|limit| is > *limit), quota.severity.severity())
                        && said.insert((item.rule, count.entry, what))
                    {
                        let message =
                            sentences(&format!("the file holds {is} {what}; at most {limit} are allowed"), None);
                        findings.extend(self.finding(
                            rule,
                            "over-quota",
                            severity,
                            (&item.partition, what),
                            message,
                            vec![path()],
                        ));
                    }
                }
            }
        }
        let has_grown =
            |place: &(u16, Arc<str>)| judged.grown.as_ref().is_none_or(|grown| grown.partitions.contains(place));
        for ((at, partition), (keys, entry)) in per_partition.into_iter().filter(|(place, _)| has_grown(place)) {
            let rule = self.rule(at);
            let own = rule.quotas.iter().filter(|quota| quota.per == Per::Partition);
            let own = own.filter_map(|quota| Some((quota.keys?, quota.severity.severity()?)));
            let configured = self.rules[usize::from(at)].scope.quota.map(|limit| (limit, Severity::Error));
            if let Some((limit, severity)) = own.chain(configured).find(|(limit, _)| keys > *limit) {
                let message = format!("{keys} names are taken in {}; at most {limit} are allowed", place(&partition));
                let site = Site::path(self.listing.entries[entry as usize].path.clone(), self.holder.clone());
                findings.extend(self.finding(rule, "over-quota", severity, (&partition, "names"), message, vec![site]));
            }
        }
    }
}

/// The sites of a collision: those that have to yield come first.
fn yielding_first(collision: &Collision) -> Vec<Site> {
    let mut kept: Vec<&Claim> = collision.kept().iter().collect();
    let mut sites: Vec<&Claim> = collision.yielding().iter().collect();
    if sites.is_empty() {
        kept.rotate_left(1); // places in one file
    }
    sites.extend(kept);
    sites.into_iter().map(|claim| claim.site.clone()).collect()
}

/// How many claimants there are: up and down files, or translations, are one.
fn units(collision: &Collision) -> usize {
    let stems: BTreeSet<(&str, &str)> =
        collision.claims.iter().map(|claim| (claim.variant.as_str(), claim.unit.as_str())).collect();
    let mut variants: BTreeMap<&str, usize> = BTreeMap::new();
    stems.into_iter().for_each(|(variant, _)| *variants.entry(variant).or_default() += 1);
    variants.into_values().max().unwrap_or_default()
}

/// How grave a duplicate is, by how its keys are one and by where its claimants lie.
fn duplicate_severity(rule: &Rule, collision: &Collision) -> Option<Severity> {
    let policy = &rule.spec.policy;
    if collision.kind == Kind::Case {
        return policy.case.filter(|_| collision.space.is_empty()).and_then(crate::config::Level::severity);
    }
    if let (Some(Ruling::Keeps { apart: true, .. }), Some(level)) = (&collision.ruling, policy.across_lines)
        && collision.space.is_empty()
    {
        return level.severity();
    }
    let own = match rule.claims[usize::from(collision.claims[0].claim)].severity {
        Some(level) => level.severity()?,
        None => rule.severity?,
    };
    let apart = |place: &dyn Fn(&RepoPath) -> Vec<u8>| {
        let mut places: Vec<Vec<u8>> = collision.claims.iter().map(|claim| place(&claim.site.path)).collect();
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0] != pair[1])
    };
    if let Some(level) = policy.across_files
        && apart(&|path| path.as_bytes().to_vec())
    {
        return level.severity();
    }
    if let Some(level) = policy.across_folders
        && apart(&|path| rule.root.joined(String::from_utf8_lossy(path.parent()).into_owned()).into_bytes())
    {
        return level.severity();
    }
    Some(own)
}

/// What is wrong with a chain that has these heads.
fn fork_message(rule: &Rule, fork: &Fork, ids: &[&str]) -> String {
    let spec = rule.spec.message.as_ref();
    if let Some((id, parent)) = &fork.gone {
        let first = format!("`{id}` comes after `{parent}`, which is not there");
        return sentences(&first, spec.and_then(|spec| spec.gone.as_deref()));
    }
    let (heads, count) = (quoted(ids), ids.len().to_string());
    let words = [("key", fork.name.as_str()), ("count", &count), ("partition", &fork.partition), ("heads", &heads)];
    let first = match spec.and_then(|spec| spec.forked.as_deref()) {
        Some(text) => filled(text, &words),
        None => format!("{} has {count} heads: {heads}", place(&fork.partition)),
    };
    sentences(&first, rule.spec.why.as_deref())
}

/// `.` is the whole repository.
fn place(partition: &str) -> String {
    if partition == "." { "the repository".into() } else { format!("`{partition}`") }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn filled(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_owned(), |text, (name, word)| text.replace(&format!("{{{name}}}"), word))
}

/// A first sentence, and what follows from it.
fn sentences(first: &str, then: Option<&str>) -> String {
    let first = first.trim_end_matches('.');
    match then {
        Some(then) => format!("{first}. {}", then.trim()),
        None => first.to_owned(),
    }
}
