//! Folders that the judged tools' own settings name.

use super::{Gaps, PARSED_LIMIT};
use crate::{
    rule::{ActiveRule, Named, What},
    source::{Listing, Tree},
};

/// Most folders that one file can name.
const MOST: usize = 64;

/// Reads the settings that rules ask for.
pub(super) fn named(rules: &[ActiveRule], listing: &Listing, tree: &dyn Tree, gaps: &Gaps) -> Named {
    let mut named = Named::default();
    for hit in &listing.hits {
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
        let here = String::from_utf8_lossy(entry.path.parent()).into_owned();
        let Some(here) = from.base(&here) else { continue };
        if from.late.as_ref().is_some_and(|regex| text.lines().any(|line| regex.is_match(line))) {
            named.lax.insert((hit.want.rule, here.to_owned()));
        }
        let Some(regex) = from.line.as_ref().and_then(|line| line.regex()) else { continue };
        let text = with_lines_joined(&text);
        let folders = text.lines().filter_map(|line| regex.captures(line)).filter_map(|found| found.name("dir"));
        for folder in folders.flat_map(|list| split(list.as_str())).take(MOST) {
            let plain = folder.trim_matches(['"', '\'', '[', ']', ' ']);
            let plain = plain.strip_prefix("classpath:").or_else(|| plain.strip_prefix("filesystem:")).unwrap_or(plain);
            let plain = plain.strip_prefix("%(here)s/").unwrap_or(plain).trim_end_matches('/');
            if plain.is_empty() || plain.contains(['$', '{', '*', '%', '<']) {
                continue; // filled in at run time: not known here
            }
            if from.suffix {
                named.suffixes.insert((hit.want.rule, plain.trim_start_matches('/').to_owned()));
            } else if let Some(folder) = inside(here, plain) {
                named.folders.insert((hit.want.rule, folder));
            }
        }
    }
    named
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
    use super::inside;

    #[test]
    fn folders_stay_in_the_tree() {
        assert_eq!(inside("a/b", "../c").as_deref(), Some("a/c"));
        assert_eq!(inside("", "./db/x").as_deref(), Some("db/x"));
        assert_eq!(inside("a", "../../c"), None);
        assert_eq!(inside("a", "/etc"), None);
    }
}
