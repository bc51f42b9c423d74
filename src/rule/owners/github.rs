//! `CODEOWNERS` as GitHub reads it.
//!
//! Source: [About code owners](https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners);
//! matching as in `match.go` of hmarr/codeowners, whose golden cases are in the tests; square brackets as in GitHub's own
//! message, quoted in open-sauced/pizza-cli#100.

mod pattern;
#[cfg(test)]
mod tests;

use bstr::ByteSlice;

use super::{Fault, Ownership, lines};
use pattern::Pattern;

/// From this size on, in bytes, GitHub does not load a file at all.
pub const SIZE_LIMIT: usize = 3 * 1024 * 1024;

/// Where GitHub looks, in this order. The first one that is there counts, whatever is in it.
pub const PLACES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The file that counts, given which ones there are; none where there is no such file.
pub fn place(holds: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    PLACES.into_iter().find(|place| holds(place))
}

/// The file is so large that GitHub does not load it, so that nobody owns anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("CODEOWNERS has 3 MB or more, and GitHub does not load it")]
pub struct TooLarge;

/// The rules of a file.
#[derive(Clone, Debug)]
pub struct CodeOwners {
    rules: Vec<Rule>,
    faults: Vec<Fault>,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: Pattern,
    owners: Vec<String>,
    line: usize,
}

impl CodeOwners {
    /// Reads a file. Lines that GitHub skips become faults, and the others still hold.
    ///
    /// # Errors
    /// The file has [`SIZE_LIMIT`] bytes or more.
    pub fn parse(text: &[u8]) -> Result<Self, TooLarge> {
        if text.len() >= SIZE_LIMIT {
            return Err(TooLarge);
        }
        let mut made = Self { rules: Vec::new(), faults: Vec::new() };
        for (line, text) in lines(text) {
            match rule(text, line) {
                Ok(rule) => made.rules.push(rule),
                Err(why) => made.faults.push(Fault { line, why }),
            }
        }
        Ok(made)
    }

    /// Whose this path is: the last rule that matches says it, also where it names nobody.
    pub fn owners_of(&self, path: &[u8]) -> Ownership {
        let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        match self.rules.iter().rev().find(|rule| rule.pattern.matches(&parts)) {
            Some(rule) if rule.owners.is_empty() => Ownership::Unowned(rule.line),
            Some(rule) => Ownership::Owned { owners: rule.owners.clone(), line: rule.line },
            None => Ownership::NoRule,
        }
    }

    /// Whether a line names an owner of anything.
    pub fn owns_anything(&self) -> bool {
        self.rules.iter().any(|rule| !rule.owners.is_empty())
    }

    /// The lines that GitHub skips, in order.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

/// One line, trimmed and not blank.
fn rule(text: &[u8], line: usize) -> Result<Rule, String> {
    // a comment begins at any `#`, and no backslash keeps it from that
    let text = text.find_byte(b'#').map_or(text, |at| text[..at].trim_end());
    let end = pattern_end(text);
    let pattern = Pattern::parse(&text[..end])?;
    let mut owners: Vec<String> = Vec::new();
    for owner in text[end..].fields() {
        let name = owner.to_str().ok().filter(|name| is_owner(name));
        let name = name.ok_or_else(|| format!("`{}` is no user, team or address", owner.to_str_lossy()))?;
        if !owners.iter().any(|known| known == name) {
            owners.push(name.to_owned());
        }
    }
    Ok(Rule { pattern, owners, line })
}

/// Where the first blank stands that no backslash escapes.
fn pattern_end(text: &[u8]) -> usize {
    let mut escaped = false;
    let blank = |byte: &u8| {
        let ends = !escaped && matches!(*byte, b' ' | b'\t');
        escaped = !escaped && *byte == b'\\';
        ends
    };
    text.iter().position(blank).unwrap_or(text.len())
}

/// Whether this names an owner: `@user`, `@org/team`, or an address.
fn is_owner(text: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if let Some(name) = text.strip_prefix('@') {
        return match name.split_once('/') {
            Some((org, team)) => is_name(org) && is_name(team),
            None => is_name(name),
        };
    }
    text.split_once('@').is_some_and(|(local, domain)| is_address(local, domain))
}

fn is_address(local: &str, domain: &str) -> bool {
    let of = |text: &str, more: &[u8]| text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b));
    let top = domain.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, top)| top);
    !local.is_empty()
        && of(local, b"._%+-")
        && of(domain, b".-")
        && top.is_some_and(|top| top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()))
}
