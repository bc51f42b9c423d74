//! One worktree: its files, read once, and the claims that come of them.

use std::collections::{BTreeMap, BTreeSet};

use super::place;
use crate::{
    claim::{
        Claim, Namer,
        extract::{self, ExtractError, compose, dotenv},
    },
    diag::{Holder, Site},
    engine::{
        Gaps, PARSED_LIMIT,
        attributes::Attributes,
        locate::joined,
        read::{Parsed, extract as extracted, inside, path_found},
        sniff,
    },
    report::{Incomplete, Skipped},
    rule::{self, ActiveRule, Item, Named, Source, Want, What},
    source::{Entry, EntryKind, Listing, Tree},
    text::Locator,
};

/// What one worktree takes.
#[derive(Default)]
pub(super) struct Found {
    pub(super) claims: Vec<Claim>,
    pub(super) incomplete: Vec<Incomplete>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) files: usize,
}

impl Found {
    pub(super) fn incomplete(gap: Incomplete) -> Self {
        Self { incomplete: vec![gap], ..Self::default() }
    }
}

/// A worktree that is being looked at.
pub(super) struct View<'a> {
    pub(super) rules: &'a [ActiveRule],
    holder: &'a Holder,
    tree: &'a dyn Tree,
    /// Tells this worktree's claims from all others.
    unit: &'a str,
    pub(super) listing: Listing,
    pub(super) items: Vec<Item>,
    gaps: Gaps,
}

/// The texts of a worktree by entry, and what was made of them. An entry without one could not be read.
#[derive(Default)]
pub(super) struct Texts<'t> {
    pub(super) bytes: BTreeMap<u32, &'t [u8]>,
    pub(super) variables: BTreeMap<u32, Vec<dotenv::Variable>>,
    pub(super) compose: BTreeMap<u32, compose::File<'t>>,
    /// Entries that are tracked, and deleted on disk.
    pub(super) gone: BTreeSet<u32>,
}

/// A name, not yet with the line that it stands in.
struct Pending {
    claim: Claim,
    entry: u32,
    span: std::ops::Range<usize>,
    secret: bool,
}

impl<'a> View<'a> {
    /// Looks at a worktree.
    pub(super) fn look(rules: &'a [ActiveRule], holder: &'a Holder, tree: &'a dyn Tree, unit: &'a str) -> Found {
        let mut listing = match tree.list(&rule::between_worktrees(rules)) {
            Ok(listing) => listing,
            Err(error) => {
                let why = format!("can't be listed: {}", error.plain());
                return Found::incomplete(Incomplete { what: place(holder, None), why });
            }
        };
        let gaps = Gaps::default();
        let attributes = Attributes::read(&listing, tree, &gaps);
        let seen = std::sync::Mutex::default();
        let facts = rule::Facts {
            left_out: &|entry, generated| attributes.leaves_out(&entry.path, generated),
            read: &|entry: &Entry| sniff(tree, entry, &seen, &gaps),
            named: &Named::default(),
            tentative: &|_| false,
            judged: None,
        };
        let resolved = rule::resolve(rules, &listing, &facts);
        let mut incomplete = std::mem::take(&mut listing.incomplete);
        let mut skipped = std::mem::take(&mut listing.skipped);
        let view = View { rules, holder, tree, unit, listing, items: resolved.items, gaps };
        let (read, gone) = view.read();
        let texts = view.parse(&read, gone);
        let (claims, left_out) = view.claims(&texts);
        skipped.extend(left_out);
        let files: BTreeSet<u32> = view.items.iter().map(|item| item.entry).collect();
        incomplete.extend(view.gaps.into_inner());
        for gap in &mut incomplete {
            gap.what = place(holder, Some(&gap.what));
        }
        for one in &mut skipped {
            one.what = place(holder, Some(&one.what));
        }
        Found { claims, incomplete, skipped, files: files.len() }
    }

    pub(super) fn claim(&self, item: &Item) -> &'a rule::Claim {
        &self.rules[usize::from(item.rule)].rule.claims[usize::from(item.claim)]
    }

    pub(super) fn path(&self, entry: u32) -> std::borrow::Cow<'_, str> {
        self.listing.entries[entry as usize].path.lossy()
    }

    /// Files that say how others are to be read, each with the source of names that asks for it.
    fn beside(&self) -> impl Iterator<Item = (u32, &'a Source)> + use<'_, 'a> {
        self.listing.hits().filter_map(|hit| match hit.want {
            Want { rule, what: What::Beside(claim) } => {
                Some((hit.entry, &self.rules[usize::from(rule)].rule.claims[usize::from(claim)].source))
            }
            _ => None,
        })
    }

    /// The bytes of all files that are read as a whole, and those that are gone.
    fn read(&self) -> (BTreeMap<u32, Vec<u8>>, BTreeSet<u32>) {
        let own = self.items.iter().filter(|item| !self.claim(item).is_path()).map(|item| item.entry);
        let wanted: BTreeSet<u32> = own.chain(self.beside().map(|(entry, _)| entry)).collect();
        let is_link = |at: &u32| self.listing.entries[*at as usize].kind == EntryKind::Link;
        let (links, files): (Vec<u32>, Vec<u32>) = wanted.into_iter().partition(is_link);
        let (mut read, mut gone) = (BTreeMap::new(), BTreeSet::new());
        for at in files {
            match self.tree.read(&self.listing.entries[at as usize], PARSED_LIMIT) {
                Ok(bytes) => {
                    read.insert(at, bytes);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    gone.insert(at);
                }
                Err(error) => self.gaps.add(self.path(at), format!("can't be read: {error}")),
            }
        }
        for link in links {
            if let Some(bytes) = self.behind(link).and_then(|target| read.get(&target)).cloned() {
                read.insert(link, bytes);
            }
        }
        (read, gone)
    }

    /// The file that a link leads to, if it is one that is read anyway. No link is followed: only its text is looked at.
    fn behind(&self, link: u32) -> Option<u32> {
        let entry = &self.listing.entries[link as usize];
        let target = self.tree.link_target(entry).ok().and_then(|target| inside(entry.path.parent(), &target));
        let entries = &self.listing.entries;
        let found = target.and_then(|target| entries.binary_search_by(|one| one.path.as_bytes().cmp(&target)).ok());
        if found.is_none() {
            let why = "a link to a file that is not looked at; links are not followed, so nothing is known of what it says. If it leads to \
                       another worktree's file, the two share every name in it";
            self.gaps.add(self.path(link), why);
        }
        found.map(|at| at as u32)
    }

    fn parse<'t>(&self, read: &'t BTreeMap<u32, Vec<u8>>, gone: BTreeSet<u32>) -> Texts<'t> {
        let mut texts = Texts { gone, ..Texts::default() };
        let items = self.items.iter().map(|item| (item.entry, &self.claim(item).source, true));
        let beside = self.beside().map(|(entry, source)| (entry, source, false));
        let mut seen = BTreeSet::new();
        for (entry, source, own) in items.chain(beside) {
            let Some(bytes) = read.get(&entry) else { continue };
            texts.bytes.insert(entry, bytes);
            // beside compose files lie variables, and the other way round
            let variables = matches!((source, own), (Source::Dotenv(_), true) | (Source::Compose(_), false));
            let compose = matches!((source, own), (Source::Compose(_), true) | (Source::Dotenv(_), false));
            if variables && seen.insert((entry, true)) {
                self.keep(entry, dotenv::parse(bytes), &mut texts.variables);
            } else if compose && seen.insert((entry, false)) {
                self.keep(entry, compose::File::parse(bytes), &mut texts.compose);
            }
        }
        texts
    }

    fn keep<T>(&self, entry: u32, parsed: Result<T, ExtractError>, all: &mut BTreeMap<u32, T>) {
        match parsed {
            Ok(parsed) => {
                all.insert(entry, parsed);
            }
            Err(error) => self.refused(entry, &error),
        }
    }

    /// Says that a file could not be understood, and nothing of what is in it: a parser's own words may quote it.
    pub(super) fn refused(&self, entry: u32, error: &ExtractError) {
        let why = match error {
            ExtractError::Syntax { format, line, .. } => format!("{format} does not parse at line {line}"),
            other => other.to_string(),
        };
        self.gaps.add(self.path(entry), why);
    }

    fn claims(&self, texts: &Texts<'_>) -> (Vec<Claim>, Vec<Skipped>) {
        let mut pending: Vec<Pending> = Vec::new();
        let mut sink = |item: &Item, found: &extract::Found<'_>| pending.extend(self.pending(item, found));
        for item in &self.items {
            self.alone(item, texts, &mut sink);
        }
        let skipped = self.together(texts, &mut sink);
        (located(pending, texts), skipped)
    }

    /// Names of a file that no other has a say in.
    fn alone(&self, item: &Item, texts: &Texts<'_>, sink: &mut dyn FnMut(&Item, &extract::Found<'_>)) {
        let claim = self.claim(item);
        match &claim.source {
            Source::Path(_) => sink(item, &path_found(claim, &item.below)),
            Source::Dotenv(_) | Source::Compose(_) | Source::Xml(_) | Source::Chain(_) => {}
            Source::Line(_) | Source::Json(_) | Source::Yaml(_) | Source::Toml(_) | Source::Changelog => {
                let Some(bytes) = texts.bytes.get(&item.entry) else { return };
                if let Err(error) = extracted(claim, bytes, &mut Parsed::default(), &mut |found| sink(item, &found)) {
                    self.refused(item.entry, &error);
                }
            }
        }
    }

    /// The claim that a name makes, if it is one.
    fn pending(&self, item: &Item, found: &extract::Found<'_>) -> Option<Pending> {
        let fold_case = self.rules[usize::from(item.rule)].rule.spec.policy.case.is_some();
        let own = self.claim(item);
        let namer = Namer::new(own, item.rule, &item.partition, &item.below, fold_case);
        let name = namer.name(found)?;
        let partition = match &name.group {
            Some(group) => joined(&item.partition, group).into(),
            None => item.partition.clone(),
        };
        let claim = Claim {
            rule: item.rule,
            claim: item.claim,
            entry: item.entry,
            placed: false,
            apart: false,
            partition,
            space: own.space.as_str().into(),
            key: name.key.into_owned(),
            unit: self.unit.to_owned(),
            variant: name.variant.unwrap_or_default().into_owned(),
            reach: name.reach.unwrap_or_default().into_owned(),
            site: Site::path(self.listing.entries[item.entry as usize].path.clone(), self.holder.clone()),
        };
        Some(Pending { claim, entry: item.entry, span: name.span, secret: own.secret })
    }
}

/// Gives claims the places of their names, file by file. What is secret has no lines shown.
fn located(mut pending: Vec<Pending>, texts: &Texts<'_>) -> Vec<Claim> {
    pending.sort_by_key(|one| one.entry); // stable: names of a file stay as they were found
    for same in pending.chunk_by_mut(|a, b| a.entry == b.entry) {
        let mut named: Vec<&mut Pending> = same.iter_mut().filter(|one| !one.span.is_empty()).collect();
        let Some(bytes) = named.first().and_then(|one| texts.bytes.get(&one.entry)) else { continue };
        let mut locator = Locator::new(named.iter().map(|one| one.span.clone()).collect());
        locator.feed(bytes);
        for (one, place) in named.iter_mut().zip(locator.finish()) {
            one.claim.site.position = Some(place.position);
            one.claim.site.snippet = (!one.secret).then_some(place.snippet);
        }
    }
    pending.into_iter().map(|one| one.claim).collect()
}
