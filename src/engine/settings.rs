//! Folders that the judged tools' own settings name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Gaps, PARSED_LIMIT};
use crate::{
    rule::{ActiveRule, Named, What},
    source::{Listing, Tree},
};

/// Most lists of folders that one file can hold, and most folders that one of them can name.
const MOST: usize = 64;

/// Reads the settings that rules ask for.
pub(super) fn named(rules: &[ActiveRule], listing: &Listing, tree: &dyn Tree, gaps: &Gaps) -> Named {
    let mut named = Named::default();
    let mut lists = Lists::default();
    for hit in listing.hits() {
        let What::From(index) = hit.want.what else { continue };
        let entry = &listing.entries[hit.entry as usize];
        let from = &rules[usize::from(hit.want.rule)].rule.root.from[usize::from(index)];
        let text = match tree.read(entry, PARSED_LIMIT) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                gaps.add(entry.path.lossy(), format!("can't be read: {error}"));
                continue;
            }
        };
        let text = commands(&text);
        let here = String::from_utf8_lossy(entry.path.parent()).into_owned();
        let Some(here) = from.base(&here) else { continue };
        if from.is_lax(&text) {
            named.lax.insert((hit.want.rule, here.to_owned()));
        }
        if from.is_strict(&text) {
            named.strict.insert((hit.want.rule, here.to_owned()));
        }
        let Some(regex) = from.line.as_ref().and_then(|line| line.regex()) else { continue };
        let text = with_lines_joined(&text);
        let found = text.lines().filter_map(|line| regex.captures(line)).filter_map(|found| found.name("dir"));
        for list in found.take(MOST) {
            let words = split(list.as_str()).filter_map(plain).take(MOST);
            if from.suffix {
                named.suffixes.extend(words.map(|word| (hit.want.rule, word.trim_start_matches('/').to_owned())));
                continue;
            }
            let folders: Vec<String> = words.filter_map(|word| inside(here, word)).collect();
            named.folders.extend(folders.iter().map(|folder| (hit.want.rule, folder.clone())));
            if from.joined {
                lists.add(hit.want.rule, folders);
            }
        }
    }
    named.joined = lists.joined();
    named
}

/// A folder as it stands in a list, without what is around it; none where it is filled in at run time, or no folder at all.
fn plain(word: &str) -> Option<&str> {
    // an option between two folders, which may hold one itself
    let word = if word.starts_with('-') { word.split_once('=')?.1 } else { word };
    let plain = word.trim_matches(['"', '\'', '[', ']', ' ']);
    let plain = plain.strip_prefix("classpath:").or_else(|| plain.strip_prefix("filesystem:")).unwrap_or(plain);
    let plain = plain.strip_prefix("%(here)s/").unwrap_or(plain).trim_end_matches('/');
    (!plain.is_empty() && !plain.contains(['$', '{', '*', '%', '<'])).then_some(plain)
}

/// Lists of folders that a tool uses together, by rule.
#[derive(Default)]
struct Lists(BTreeMap<u16, BTreeSet<Vec<String>>>);

impl Lists {
    fn add(&mut self, rule: u16, folders: Vec<String>) {
        if folders.len() > 1 {
            self.0.entry(rule).or_default().insert(folders);
        }
    }

    /// For each folder the first of its list. Of lists of which one holds the other, the longer one counts. Where two share a folder and have
    /// others beside it, they are two histories that no partition can tell apart: neither counts.
    fn joined(&self) -> BTreeMap<(u16, String), String> {
        let mut joined = BTreeMap::new();
        for (rule, lists) in &self.0 {
            let sets: Vec<BTreeSet<&String>> = lists.iter().map(|list| list.iter().collect()).collect();
            for (list, set) in lists.iter().zip(&sets) {
                if sets.iter().all(|other| other.is_disjoint(set) || other.is_subset(set)) {
                    for folder in list {
                        joined.entry((*rule, folder.clone())).or_insert_with(|| list[0].clone());
                    }
                }
            }
        }
        joined
    }
}

/// What counts of a text: without lines that are comments, and with those put together of which a backslash makes one.
fn commands(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut goes_on = false;
    for line in text.lines() {
        if !goes_on && line.trim_start().starts_with(['#', ';']) {
            continue;
        }
        let line = if goes_on { line.trim_start() } else { line };
        let more = line.strip_suffix('\\').filter(|rest| !rest.ends_with('\\'));
        goes_on = more.is_some();
        all.push_str(more.map_or(line, str::trim_end));
        all.push(if goes_on { ' ' } else { '\n' });
    }
    all
}

/// Lines that stand in go on with the one before, as in ini files.
fn with_lines_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        let goes_on = line.starts_with([' ', '\t']) && !line.trim().is_empty() && !line.contains(['=', ':', '#']);
        if goes_on {
            joined.push(' ');
            joined.push_str(line.trim());
        } else {
            joined.push('\n');
            joined.push_str(line);
        }
    }
    joined
}

/// The folders of a list, between commas, blanks, semicolons or colons; `classpath:` and the like keep theirs.
fn split(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ', ';']).flat_map(|part| {
        let scheme = ["classpath:", "filesystem:"].iter().find(|scheme| part.contains(*scheme));
        part.split(if scheme.is_some() { ',' } else { ':' })
    })
}

/// A folder relative to another, as long as it stays in the tree.
fn inside(here: &str, folder: &str) -> Option<String> {
    if folder.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = here.split('/').filter(|part| !part.is_empty()).collect();
    for part in folder.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{Lists, commands, inside, plain, split};

    fn joined(lists: &[&str]) -> String {
        let mut all = Lists::default();
        lists.iter().for_each(|list| all.add(0, list.split(' ').map(str::to_owned).collect()));
        let pairs: Vec<String> = all.joined().iter().map(|((_, folder), first)| format!("{folder}:{first}")).collect();
        pairs.join(" ")
    }

    #[test]
    fn lists_that_contradict_each_other_join_nothing() {
        assert_eq!(joined(&["b a", "c d"]), "a:b b:b c:c d:c");
        assert_eq!(joined(&["a", "b"]), "");
        assert_eq!(joined(&["b a", "c b a", "a b"]), "a:c b:c c:c");
        assert_eq!(joined(&["common pg", "common sqlite", "x y"]), "x:x y:x");
        assert_eq!(joined(&["a b", "b a"]), "a:a b:a");
    }

    #[test]
    fn options_between_folders() {
        let folders = |list| split(list).filter_map(plain).collect::<Vec<_>>().join(" ");
        assert_eq!(folders("./a -d ./b/ --migrations-dir=c --strict"), "./a ./b c");
        assert_eq!(folders("['./a', \"b\"]"), "./a b");
        assert_eq!(folders("$A,%(here)s/b"), "b");
    }

    #[test]
    fn comments_count_for_nothing_and_a_backslash_goes_on() {
        assert_eq!(commands("a \\\n\t b\\\r\n c\n # d \\\n e\n;f\nC:\\\\\ng"), "a b c\n e\nC:\\\\\ng\n");
    }

    #[test]
    fn folders_stay_in_the_tree() {
        assert_eq!(inside("a/b", "../c").as_deref(), Some("a/c"));
        assert_eq!(inside("", "./db/x").as_deref(), Some("db/x"));
        assert_eq!(inside("a", "../../c"), None);
        assert_eq!(inside("a", "/etc"), None);
    }
}
