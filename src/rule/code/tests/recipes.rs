//! Commands that go by a name: the targets of a makefile, the scripts of a `package.json`, and what each of them starts.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::LazyLock,
};

use regex::Regex;

static TARGET: LazyLock<Regex> = LazyLock::new(|| regex(r"^([A-Za-z][\w.-]*)\s*::?(?:[^=]|$)"));
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*"([\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.)*)",?\s*$"#));
/// A command that starts others by their name.
static STARTS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:\$\(MAKE\)|\$\{MAKE\}|make|(?:npm|pnpm|yarn|bun) run)\s+([\w:.-]+)$"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// Most names of one file: each is followed to all that it starts, and each of these can start all others.
const MOST_NAMES: usize = 300;

/// One simple command, with where it stands in the text.
pub(super) type Command<'t> = (&'t str, Range<usize>);

/// What each name stands for.
pub(super) struct Recipes<'t> {
    named: BTreeMap<&'t str, Recipe<'t>>,
}

#[derive(Default)]
struct Recipe<'t> {
    /// Names that are started before the commands.
    first: BTreeSet<&'t str>,
    commands: Vec<Command<'t>>,
}

impl<'t> Recipes<'t> {
    /// Reads a file of one of the two kinds; none for other files, and for one with more names than people give.
    pub(super) fn read(path: &str, text: &'t str) -> Option<Self> {
        let named = match path.rsplit('/').next()? {
            "Makefile" | "makefile" | "GNUmakefile" => targets(text),
            "package.json" => scripts(text),
            _ => return None,
        };
        (named.len() <= MOST_NAMES).then_some(Self { named })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'t str> {
        self.named.keys().copied()
    }

    /// The commands that a name starts in the end, by way of others too; none where one of these is not here.
    pub(super) fn started_by(&self, name: &str) -> Option<Vec<Command<'t>>> {
        let mut found = Vec::new();
        self.collect(name, &mut BTreeSet::new(), &mut found).then_some(found)
    }

    fn collect(&self, name: &str, seen: &mut BTreeSet<String>, into: &mut Vec<Command<'t>>) -> bool {
        if !seen.insert(name.to_owned()) {
            return true;
        }
        let Some(recipe) = self.named.get(name) else { return false };
        // a file that has to be there first is no target of this text, and starts nothing
        let before = recipe.first.iter().filter(|name| self.named.contains_key(*name));
        before.into_iter().all(|name| self.collect(name, seen, into))
            && recipe.commands.iter().all(|(command, at)| match STARTS.captures(command) {
                Some(start) => self.collect(&start[1], seen, into),
                None => {
                    into.push((command, at.clone()));
                    true
                }
            })
    }
}

fn targets(text: &str) -> BTreeMap<&str, Recipe<'_>> {
    let mut named: BTreeMap<&str, Recipe<'_>> = BTreeMap::new();
    let mut open = None;
    for (line, start) in lines(text) {
        if let Some(found) = TARGET.captures(line) {
            let name = found.get(1).expect("it is in the pattern").as_str();
            let needs = line.split_once(':').map_or("", |(_, rest)| rest.trim_start_matches(':'));
            let needs = needs.split(['#', ';', '|']).next().unwrap_or_default();
            named.entry(name).or_default().first.extend(needs.split_whitespace());
            open = Some(name);
        } else if let Some(recipe) = line.strip_prefix('\t').and(open).and_then(|name| named.get_mut(name)) {
            recipe.commands.extend(commands(line, start));
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            open = None;
        }
    }
    named
}

fn scripts(text: &str) -> BTreeMap<&str, Recipe<'_>> {
    let mut named: BTreeMap<&str, Recipe<'_>> = BTreeMap::new();
    let found = lines(text).filter_map(|(line, start)| Some((SCRIPT.captures(line)?, start)));
    for (found, start) in found {
        let (name, command) =
            (found.get(1).expect("it is in the pattern"), found.get(2).expect("it is in the pattern"));
        named.entry(name.as_str()).or_default().commands.extend(commands(command.as_str(), start + command.start()));
    }
    named
}

fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (line.trim_end(), start)
    })
}

/// The simple commands of a line. What make reads of it itself (`@`, `-`) is none of them.
fn commands(line: &str, start: usize) -> Vec<Command<'_>> {
    let mut found = Vec::new();
    let mut at = start;
    for part in line.split_inclusive([';', '&', '|']) {
        let bare = part.trim_matches([';', '&', '|', ' ', '\t']).trim_start_matches(['@', '-', '+']).trim();
        if !bare.is_empty() {
            let from = at + part.find(bare).unwrap_or(0);
            found.push((bare, from..from + bare.len()));
        }
        at += part.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(path: &str, text: &str, name: &str) -> Option<Vec<String>> {
        let recipes = Recipes::read(path, text)?;
        let found = recipes.started_by(name)?;
        assert!(found.iter().all(|(command, at)| text[at.clone()] == **command), "{found:?}");
        Some(found.into_iter().map(|(command, _)| command.to_owned()).collect())
    }

    #[test]
    fn targets_start_what_they_need_and_what_they_call() {
        let text = "PY := python\n\nall: lint\n\ntest: build unit\n\t@echo hi && pytest a\n\n\t-$(MAKE) more\nunit:\n\tjest # x\nmore: test\n\tgo test ./...\nbuild: main.c\n";
        let all = ["jest # x", "echo hi", "pytest a", "go test ./..."].map(str::to_owned);
        assert_eq!(started("x/Makefile", text, "test"), Some(all.to_vec()));
        assert_eq!(started("Makefile", "test:\n\tmake other\n", "test"), None, "who knows what that is");
        assert_eq!(started("Makefile", text, "PY"), None);
        assert_eq!(started("noxfile.py", text, "test"), None);
        let chain = |count: usize| (0..count).map(|n| format!("t{n}: t{}\n", n + 1)).collect::<String>();
        assert_eq!(started("Makefile", &chain(MOST_NAMES), "t0"), Some(vec![]));
        assert_eq!(started("Makefile", &chain(50_000), "t0"), None, "no stack is that deep");
    }

    #[test]
    fn scripts_start_each_other() {
        let text = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"npm run unit && jest web\",\n    \"unit\": \"vitest run src\"\n  }\n}\n";
        let all = ["vitest run src", "jest web"].map(str::to_owned);
        assert_eq!(started("package.json", text, "test"), Some(all.to_vec()));
    }
}
