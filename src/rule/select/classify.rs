//! One pass over all paths for all rules.
//!
//! The folders of all patterns form one automaton over path components, made as it is needed. A folder's state is the set of
//! patterns still possible in it; neighbours share it, and what a file costs does not depend on how many rules there are.

use std::{
    cell::{OnceCell, RefCell},
    sync::Arc,
};

use foldhash::{HashMap, HashMapExt};

use super::{
    files::Files,
    pattern::{Dir, File, Pattern, Wild},
};

/// Folders that no rule enters by itself: other people's code, and git's own.
const NEVER: &[&str] = &["node_modules", "vendor", "third_party", ".git"];

/// Folders that migration rules don't enter by themselves: full of copies and of duplicates on purpose
/// (`reference/migrations.md`, section 2).
const NO_MIGRATIONS: &[&str] = &[
    "target",
    "dist",
    "build",
    "out",
    ".next",
    "test",
    "tests",
    "__tests__",
    "spec",
    "testdata",
    "test-migrations",
    "test-mocks",
    "fixtures",
    "fixture",
    "__fixtures__",
    "examples",
    "example",
    "samples",
    "sample",
    "stubs",
    "template",
    "templates",
    "docs",
    "old_migrations",
    "archive",
];

/// A pattern and who asked for it.
#[derive(Hash)]
struct Entry<W> {
    pattern: Pattern,
    want: W,
    excludes: Excludes,
    /// Wanted only in folders that are entered for another pattern's sake.
    passes_by: bool,
}

/// Which default excludes keep a pattern out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Excludes {
    /// None: the configuration includes folders by hand.
    Nothing,
    /// Other people's code.
    Foreign,
    /// That, and tests, fixtures, examples and build outputs.
    Migrations,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Plain,
    Never,
    NoMigrations,
}

/// A component as the automaton sees it: which literal it is, if any, which of the wildcards it matches, and whether it is excluded by
/// default. Two components with one symbol lead to one state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Symbol {
    literal: u32,
    wilds: u64,
    kind: Kind,
}

/// Names of folders whose symbol a walk remembers, at most.
const MOST_SYMBOLS: usize = 1 << 12;

const NO_LITERAL: u32 = u32::MAX;

/// A folder's state in the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Folder(u32);

/// What is possible in a folder.
struct State {
    /// Pairs of pattern and position in its folders, sorted.
    live: Vec<(u32, u32)>,
    /// No pattern is possible but those that only pass by.
    dead: bool,
    /// Made when a file is asked for.
    files: OnceCell<Arc<Files>>,
}

/// All patterns of a run. `W` names who wants a path.
pub struct Classifier<W> {
    entries: Vec<Entry<W>>,
    literals: HashMap<Box<[u8]>, u32>,
    kinds: HashMap<&'static [u8], Kind>,
    /// The different wildcards for folder names, of all patterns.
    wilds: Vec<Wild>,
}

impl<W: Copy> Default for Classifier<W> {
    fn default() -> Self {
        let kinds = NEVER.iter().map(|name| (name.as_bytes(), Kind::Never));
        let kinds = kinds.chain(NO_MIGRATIONS.iter().map(|name| (name.as_bytes(), Kind::NoMigrations))).collect();
        Self { entries: Vec::new(), literals: HashMap::new(), kinds, wilds: Vec::new() }
    }
}

impl<W: std::hash::Hash> std::hash::Hash for Classifier<W> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (NEVER, NO_MIGRATIONS).hash(state);
        self.entries.hash(state); // all else follows from them
    }
}

impl<W: Copy> Classifier<W> {
    /// Adds a pattern that is of interest only in folders that are entered for another one's sake.
    pub(crate) fn add_in_passing(&mut self, pattern: Pattern, want: W, excludes: Excludes) {
        self.add(pattern, want, excludes);
        self.entries.last_mut().expect("it was just added").passes_by = true;
    }

    /// These patterns, in whatever folders, all for one.
    pub fn of(patterns: impl IntoIterator<Item = Pattern>, want: W) -> Self {
        let mut classifier = Self::default();
        patterns.into_iter().for_each(|pattern| classifier.add(pattern, want, Excludes::Nothing));
        classifier
    }

    /// Adds a pattern.
    pub(crate) fn add(&mut self, pattern: Pattern, want: W, excludes: Excludes) {
        for dir in &pattern.dirs {
            match dir {
                Dir::Name(name) => {
                    let next = self.literals.len() as u32;
                    self.literals.entry(name.as_bytes().into()).or_insert(next);
                }
                Dir::Glob(wild) => {
                    if !self.wilds.contains(wild) {
                        self.wilds.push(wild.clone());
                    }
                }
                Dir::Any | Dir::One => {}
            }
        }
        self.entries.push(Entry { pattern, want, excludes, passes_by: false });
    }

    /// Whether all that is wanted lies in few folders: no pattern has a wildcard among its first two, but those that only pass by.
    pub(crate) fn is_narrow(&self) -> bool {
        let is_name = |dir: &Dir| matches!(dir, Dir::Name(_));
        let literal = |pattern: &Pattern| match pattern.dirs.is_empty() {
            false => pattern.dirs.iter().take(2).all(is_name),
            true => matches!(pattern.file, File::Name(_)),
        };
        self.entries.iter().filter(|entry| !entry.passes_by).all(|entry| literal(&entry.pattern))
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is wanted at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Tells who wants a path, as [`Walk::path`] does. For a few paths: no state is made for any folder, and each pattern is looked at.
    pub(crate) fn path(&self, path: &[u8], mut wanted: impl FnMut(W)) {
        let name_at = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        let (folders, name) = path.split_at(name_at);
        let kind = |part| (part, self.kinds.get(part).copied().unwrap_or(Kind::Plain));
        let folders: Vec<(&[u8], Kind)> =
            folders.split(|b| *b == b'/').filter(|part| !part.is_empty()).map(kind).collect();
        for Entry { pattern, want, excludes, .. } in &self.entries {
            // the whole test of a name costs most
            if pattern.file.may_match(name)
                && leads_to(&pattern.dirs, &folders, *excludes)
                && pattern.file.matches(name)
            {
                wanted(*want);
            }
        }
    }

    /// A walk with states of its own; each thread takes one.
    pub fn walk(&self) -> Walk<'_, W> {
        let mut walk = Walk {
            of: self,
            states: Vec::new(),
            known: HashMap::new(),
            steps: HashMap::new(),
            symbols: HashMap::new(),
            files: RefCell::default(),
            path: Vec::new(),
            stack: Vec::new(),
        };
        let start: Vec<(u32, u32)> = (0..self.entries.len() as u32).map(|entry| (entry, 0)).collect();
        let top = walk.intern(&start);
        walk.stack.push((0, top));
        walk
    }

    fn symbol(&self, part: &[u8]) -> Symbol {
        let literal = self.literals.get(part).copied().unwrap_or(NO_LITERAL);
        let matches = self.wilds.iter().take(64).enumerate().filter(|(_, wild)| wild.is_match(part));
        let wilds = matches.fold(0, |bits, (at, _)| bits | 1 << at);
        Symbol { literal, wilds, kind: self.kinds.get(part).copied().unwrap_or(Kind::Plain) }
    }

    /// Whether a symbol says all there is to know of a component.
    fn symbols_decide(&self) -> bool {
        self.wilds.len() <= 64
    }
}

/// Whether the folders of a pattern match those of a path, and none on the way is kept out.
fn leads_to(dirs: &[Dir], folders: &[(&[u8], Kind)], excludes: Excludes) -> bool {
    let Some((dir, rest)) = dirs.split_first() else { return folders.is_empty() };
    match (dir, folders.split_first()) {
        (Dir::Any, _) if leads_to(rest, folders, excludes) => true,
        (Dir::Any, Some(((_, kind), below))) => !excludes.keep_out(*kind) && leads_to(dirs, below, excludes),
        (Dir::Name(_), Some(((name, _), below))) => dir.matches(name) && leads_to(rest, below, excludes),
        (Dir::Glob(_) | Dir::One, Some(((name, kind), below))) => {
            !excludes.keep_out(*kind) && dir.matches(name) && leads_to(rest, below, excludes)
        }
        (_, None) => false,
    }
}

impl Excludes {
    /// Whether a path lies in a folder that these excludes keep out.
    pub(crate) fn leave_out(self, path: &[u8]) -> bool {
        let mut parts: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
        parts.pop();
        parts.iter().any(|part| {
            let named = |list: &[&str]| list.iter().any(|name| name.as_bytes() == *part);
            let kind = if named(NEVER) {
                Kind::Never
            } else if named(NO_MIGRATIONS) {
                Kind::NoMigrations
            } else {
                Kind::Plain
            };
            self.keep_out(kind)
        })
    }

    fn keep_out(self, kind: Kind) -> bool {
        match kind {
            Kind::Plain => false,
            Kind::Never => self != Self::Nothing,
            Kind::NoMigrations => self == Self::Migrations,
        }
    }
}

/// The automaton of one thread.
pub struct Walk<'c, W> {
    of: &'c Classifier<W>,
    states: Vec<State>,
    known: HashMap<Vec<(u32, u32)>, u32>,
    steps: HashMap<(u32, Symbol), u32>,
    /// Of the first names that were met: most come again.
    symbols: HashMap<Box<[u8]>, Symbol>,
    /// By the patterns whose folders are all there: most folders share them.
    files: RefCell<HashMap<Vec<u32>, Arc<Files>>>,
    /// The folder that `stack` stands for, with a `/` behind each component.
    path: Vec<u8>,
    /// Length of `path` and state, for the top and each component.
    stack: Vec<(usize, u32)>,
}

impl<'c, W: Copy> Walk<'c, W> {
    /// The state of the top folder.
    pub fn top(&self) -> Folder {
        Folder(self.stack[0].1)
    }

    /// The state of a folder inside another.
    pub fn enter(&mut self, folder: Folder, name: &[u8]) -> Folder {
        let symbol = self.symbol(name);
        if self.of.symbols_decide()
            && let Some(next) = self.steps.get(&(folder.0, symbol))
        {
            return Folder(*next);
        }
        let mut next = Vec::new();
        for &(entry, at) in &self.states[folder.0 as usize].live {
            let Entry { pattern, excludes, .. } = &self.of.entries[entry as usize];
            match pattern.dirs.get(at as usize) {
                Some(Dir::Any) if !excludes.keep_out(symbol.kind) => next.push((entry, at)),
                Some(dir @ Dir::Name(_)) if dir.matches(name) => next.push((entry, at + 1)),
                Some(dir @ (Dir::Glob(_) | Dir::One)) if !excludes.keep_out(symbol.kind) && dir.matches(name) => {
                    next.push((entry, at + 1));
                }
                _ => {}
            }
        }
        let id = self.intern(&next);
        if self.of.symbols_decide() {
            self.steps.insert((folder.0, symbol), id);
        }
        Folder(id)
    }

    fn symbol(&mut self, name: &[u8]) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let symbol = self.of.symbol(name);
        if self.symbols.len() < MOST_SYMBOLS {
            self.symbols.insert(name.into(), symbol);
        }
        symbol
    }

    /// Whether nothing below this folder can be wanted.
    pub fn is_dead(&self, folder: Folder) -> bool {
        self.states[folder.0 as usize].dead
    }

    /// Tells who wants a file of this name in this folder.
    pub fn file(&self, folder: Folder, name: &[u8], mut wanted: impl FnMut(W)) {
        let files = self.states[folder.0 as usize].files.get_or_init(|| self.files_of(folder));
        let entry = |at: u32| &self.of.entries[at as usize];
        files.matching(name, |at| &entry(at).pattern.file, |at| wanted(entry(at).want));
    }

    fn files_of(&self, folder: Folder) -> Arc<Files> {
        let live = self.states[folder.0 as usize].live.iter();
        let here = |(entry, at): &&(u32, u32)| *at as usize == self.of.entries[*entry as usize].pattern.dirs.len();
        let entries: Vec<u32> = live.filter(here).map(|(entry, _)| *entry).collect();
        if let Some(known) = self.files.borrow().get(&entries) {
            return Arc::clone(known);
        }
        let files = Arc::new(Files::new(&entries, |at| &self.of.entries[at as usize].pattern.file));
        self.files.borrow_mut().insert(entries, Arc::clone(&files));
        files
    }

    /// Tells who wants a path. Neighbours in sorted order share their folder's state.
    pub fn path(&mut self, path: &[u8], wanted: impl FnMut(W)) {
        let folder = self.folder_of(path);
        let name_at = self.path.len();
        self.file(folder, &path[name_at..], wanted);
    }

    /// The state of the folder that a path lies in.
    pub fn folder_of(&mut self, path: &[u8]) -> Folder {
        let is_same = path.strip_prefix(self.path.as_slice()).is_some_and(|name| !name.contains(&b'/'));
        if !is_same {
            let dir = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
            self.change_to(&path[..dir]);
        }
        Folder(self.stack.last().expect("the top is never popped").1)
    }

    fn change_to(&mut self, dir: &[u8]) {
        while !dir.starts_with(&self.path) {
            self.stack.pop();
            let keep = self.stack.last().expect("every path starts with nothing").0;
            self.path.truncate(keep);
        }
        let mut at = self.path.len();
        while at < dir.len() {
            let end = at + memchr::memchr(b'/', &dir[at..]).expect("a folder ends with a slash");
            let folder = Folder(self.stack.last().expect("the top is never popped").1);
            let next = self.enter(folder, &dir[at..end]);
            at = end + 1;
            self.path.extend_from_slice(&dir[self.path.len()..at]);
            self.stack.push((at, next.0));
        }
    }

    /// The state with these patterns possible, and what `**` makes possible besides.
    fn intern(&mut self, possible: &[(u32, u32)]) -> u32 {
        let mut live = Vec::with_capacity(2 * possible.len());
        for &(entry, mut position) in possible {
            live.push((entry, position));
            while matches!(self.of.entries[entry as usize].pattern.dirs.get(position as usize), Some(Dir::Any)) {
                position += 1;
                live.push((entry, position));
            }
        }
        if !live.is_sorted_by(|a, b| a < b) {
            live.sort_unstable();
            live.dedup();
        }
        if let Some(id) = self.known.get(&live) {
            return *id;
        }
        let id = self.states.len() as u32;
        self.states.push(State::new(&live, &self.of.entries));
        self.known.insert(live, id);
        id
    }
}

impl State {
    fn new<W>(live: &[(u32, u32)], entries: &[Entry<W>]) -> Self {
        let dead = live.iter().all(|(entry, _)| entries[*entry as usize].passes_by);
        Self { live: live.to_vec(), dead, files: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(globs: &[(&str, Excludes)], path: &str) -> Vec<usize> {
        let mut classifier = Classifier::default();
        for (at, (glob, excludes)) in globs.iter().enumerate() {
            for pattern in Pattern::parse(glob).expect("a good glob") {
                classifier.add(pattern, at, *excludes);
            }
        }
        let mut walk = classifier.walk();
        let mut found = Vec::new();
        walk.path(b"zz/unrelated.txt", |_| {});
        walk.path(path.as_bytes(), |want| found.push(want));
        found.sort_unstable();
        let mut alone = Vec::new();
        classifier.path(path.as_bytes(), |want| alone.push(want));
        alone.sort_unstable();
        assert_eq!(alone, found, "{path}: a path by itself is wanted as one of many");
        found
    }

    #[test]
    fn a_path_reaches_all_who_want_it() {
        let globs = [
            ("**/supabase/migrations/*.sql", Excludes::Migrations),
            ("**/*.sql", Excludes::Foreign),
            ("supabase/**", Excludes::Foreign),
            ("*/x.sql", Excludes::Foreign),
        ];
        assert_eq!(hits(&globs, "supabase/migrations/1_a.sql"), [0, 1, 2]);
        assert_eq!(hits(&globs, "apps/supabase/migrations/1_a.sql"), [0, 1]);
        assert_eq!(hits(&globs, "a/x.sql"), [1, 3]);
        assert_eq!(hits(&globs, "a/b/x.sql"), [1]);
        assert_eq!(hits(&globs, "a/b/x.txt"), [] as [usize; 0]);
    }

    #[test]
    fn default_excludes_keep_wildcards_out_but_not_names() {
        let globs = [
            ("**/migrations/*.sql", Excludes::Migrations),
            ("**/src/test/**/*.sql", Excludes::Migrations),
            ("**/*.md", Excludes::Foreign),
            ("**/*.sql", Excludes::Nothing),
        ];
        assert_eq!(hits(&globs, "node_modules/p/migrations/1.sql"), [3]);
        assert_eq!(hits(&globs, "tests/migrations/1.sql"), [3]);
        assert_eq!(hits(&globs, "src/test/migrations/1.sql"), [1, 3]);
        assert_eq!(hits(&globs, "docs/adr/1.md"), [2]);
    }

    proptest::proptest! {
        #[test]
        fn the_automaton_agrees_with_each_pattern_alone(
            paths in proptest::collection::vec("[ab]{1,2}(/[ab]{1,2}){0,4}(\\.x|\\.y)?", 1..20),
        ) {
            let globs = ["**/a/*.x", "a/**/b/*", "**/*", "a*/b", "**/a/**/b.y", "b/*.x"];
            let mut classifier = Classifier::default();
            let parsed: Vec<Pattern> = globs.iter().flat_map(|glob| Pattern::parse(glob).expect("good")).collect();
            for (at, pattern) in parsed.iter().enumerate() {
                classifier.add(pattern.clone(), at, Excludes::Nothing);
            }
            let mut walk = classifier.walk();
            for path in paths {
                let mut found = Vec::new();
                walk.path(path.as_bytes(), |want| found.push(want));
                found.sort_unstable();
                found.dedup();
                let want: Vec<usize> = (0..parsed.len()).filter(|at| parsed[*at].matches(path.as_bytes())).collect();
                proptest::prop_assert_eq!(&found, &want, "{}", path);
                let mut alone = Vec::new();
                classifier.path(path.as_bytes(), |want| alone.push(want));
                proptest::prop_assert_eq!(alone, want, "{}", path);
            }
        }
    }
}
