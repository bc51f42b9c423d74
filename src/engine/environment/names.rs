//! Names that several files of a folder make together: variables in layers, compose projects.

use std::collections::{BTreeMap, BTreeSet};

use super::view::{Texts, View};
use crate::{
    claim::extract::{self, Found, compose, dotenv::Variables},
    report::Skipped,
    rule::{Item, Names, Source},
};

/// Takes names, each with the item that it is a name of.
type Sink<'s> = dyn FnMut(&Item, &Found<'_>) + 's;

/// Most files that a project takes in from its own folder.
const MOST_INCLUDED: usize = 64;

/// What is said of the inside of containers.
#[derive(Default)]
struct Inside {
    /// Files of variables.
    files: BTreeSet<String>,
    /// Variables, by the folder of the project that refers to them.
    names: BTreeMap<String, BTreeSet<String>>,
}

impl View<'_> {
    /// Tells the names; gives what was left out.
    pub(super) fn together(&self, texts: &Texts<'_>, sink: &mut Sink<'_>) -> Vec<Skipped> {
        let folders = self.folders(texts);
        let inside = self.inside(texts, &folders);
        let mut skipped = BTreeSet::new();
        // items are sorted by rule, partition and claim
        for items in self.items.chunk_by(|a, b| (a.rule, &a.partition, a.claim) == (b.rule, &b.partition, b.claim)) {
            match &self.claim(&items[0]).source {
                Source::Dotenv(names) => {
                    let mut by_folder: BTreeMap<String, Vec<&Item>> = BTreeMap::new();
                    items.iter().for_each(|item| by_folder.entry(self.folder(item.entry)).or_default().push(item));
                    by_folder.values_mut().for_each(|items| self.variables(names, items, texts, &inside, sink));
                }
                Source::Compose(part) => self.projects(*part, items, texts, &folders, &mut skipped, sink),
                _ => {}
            }
        }
        skipped.into_iter().collect()
    }

    fn folder(&self, entry: u32) -> String {
        let path = self.path(entry);
        path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
    }

    /// What is said of the inside of containers: in a file that a service takes into its own, and in variables that a project fills in.
    /// Which of those it publishes is the project's own claim.
    fn inside(&self, texts: &Texts<'_>, folders: &BTreeMap<String, Variables>) -> Inside {
        let mut inside = Inside::default();
        for (entry, file) in &texts.compose {
            let folder = self.folder(*entry);
            let files = file.env_files();
            inside.files.extend(files.iter().filter_map(|path| compose::inside(&folder, path)));
        }
        let entries: Vec<u32> = texts.compose.keys().copied().collect();
        let paths: Vec<_> = entries.iter().map(|entry| self.path(*entry)).collect();
        let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
        for project in compose::projects(&paths, folders) {
            let files = project.files.iter().filter_map(|at| texts.compose.get(&entries[*at]));
            let names: BTreeSet<String> = files.flat_map(compose::File::references).collect();
            inside.names.insert(project.folder, names);
        }
        inside
    }

    /// The variables that compose reads in each folder that has any.
    fn folders(&self, texts: &Texts<'_>) -> BTreeMap<String, Variables> {
        let mut folders = BTreeMap::new();
        for (at, entry) in (0..).zip(&self.listing.entries) {
            if entry.path.file_name() == b".env" && !texts.gone.contains(&at) {
                let variables = match texts.variables.get(&at) {
                    Some(own) => Variables::of(own.clone()),
                    None => Variables::unknown(), // a link, or no text
                };
                folders.insert(self.folder(at), variables);
            }
        }
        folders
    }

    /// The variables of one folder that are meant.
    fn variables(&self, names: &Names, items: &mut [&Item], texts: &Texts<'_>, inside: &Inside, sink: &mut Sink<'_>) {
        let rank = |item: &Item| {
            let globs = &self.claim(item).files;
            globs.iter().rposition(|glob| glob.matches(item.below.as_bytes()))
        };
        items.sort_by_key(|item| rank(item));
        let mut all = Variables::default();
        for (layer, item) in items.iter().enumerate() {
            match texts.variables.get(&item.entry) {
                Some(own) => all.add(layer, own.clone()),
                None if texts.gone.contains(&item.entry) => {}
                None => return, // it may hide any of the others
            }
        }
        let folder = items.first().map(|item| self.folder(item.entry)).unwrap_or_default();
        let filled_in = inside.names.get(&folder);
        let value = |name: &str| all.is_set(name).then(|| all.get(name).unwrap_or_else(|| "?".to_owned()));
        for (name, layer, span) in all.iter() {
            let item = items[layer];
            let is_inside = || {
                inside.files.contains(&*self.path(item.entry)) || filled_in.is_some_and(|names| names.contains(name))
            };
            if names.outside_containers && is_inside() {
                continue;
            }
            let Some(parts) = names.meant(name, value) else { continue };
            let Some(text) = all.get(name) else { continue };
            let own = [("name", name.into())];
            let fields = own.into_iter().chain(parts.into_iter().map(|(part, text)| (part, text.into()))).collect();
            sink(item, &Found { key: text.into(), span, fields });
        }
    }

    /// The projects that the files of one claim make up.
    fn projects(
        &self,
        part: compose::Part,
        items: &[Item],
        texts: &Texts<'_>,
        folders: &BTreeMap<String, Variables>,
        skipped: &mut BTreeSet<Skipped>,
        sink: &mut Sink<'_>,
    ) {
        let paths: Vec<_> = items.iter().map(|item| self.path(item.entry)).collect();
        let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
        let by_path: BTreeMap<&str, usize> = paths.iter().enumerate().map(|(at, path)| (*path, at)).collect();
        for project in compose::projects(&paths, folders) {
            if project.missing > 0 {
                let what =
                    format!("compose files that COMPOSE_FILE names beside {}", in_folder(&project.folder, ".env"));
                skipped.insert(Skipped { what, count: Some(project.missing) });
            }
            let mut at = project.files.clone();
            self.include(&project.folder, &by_path, items, texts, &mut at);
            let files: Vec<&compose::File<'_>> =
                at.iter().filter_map(|at| texts.compose.get(&items[*at].entry)).collect();
            if files.len() < at.len() || files.is_empty() {
                continue; // said under `incomplete`, or nothing is there
            }
            let variables = in_force(&project.folder, folders);
            let name = project.folder.rsplit('/').next().unwrap_or_default();
            let mut tell = |file: usize, found: extract::Found<'_>| sink(&items[at[file]], &found);
            if let Err(error) = compose::names(part, &files, name, &variables, &mut tell) {
                self.refused(items[at[0]].entry, &error);
            }
        }
    }

    /// Adds the files of the same folder that a project includes.
    fn include(
        &self,
        folder: &str,
        by_path: &BTreeMap<&str, usize>,
        items: &[Item],
        texts: &Texts<'_>,
        at: &mut Vec<usize>,
    ) {
        let mut next = 0;
        while next < at.len() {
            let included = texts.compose.get(&items[at[next]].entry).map(compose::File::includes).unwrap_or_default();
            let known = included.iter().filter_map(|name| by_path.get(in_folder(folder, name).as_str()));
            for found in known {
                if at.len() < MOST_INCLUDED && !at.contains(found) {
                    at.push(*found);
                }
            }
            next += 1;
        }
    }
}

fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The variables of a project. Which folder compose is called from is not known: what a folder above sets, it may take or not.
fn in_force(folder: &str, folders: &BTreeMap<String, Variables>) -> Variables {
    let mut own = folders.get(folder).cloned().unwrap_or_default();
    let mut above = folder;
    while !above.is_empty() {
        above = above.rsplit_once('/').map_or("", |(above, _)| above);
        if let Some(others) = folders.get(above) {
            own.doubt(others);
        }
    }
    own
}
