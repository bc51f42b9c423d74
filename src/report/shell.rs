//! Commands that a person can paste into a shell.

use std::borrow::Cow;

use super::{escape::is_plain, words as people};
use crate::diag::{Diagnostic, Fix, Holder, Rename};

/// The two words that follow `mv -n`; none where not every shell would read both as the paths that they are.
///
/// The paths are somebody else's text, and the reader's shell is unknown: what bash, zsh, fish and PowerShell would not all take
/// literally is shown as text, never as a command.
pub(super) fn words(rename: &Rename) -> Option<[Cow<'_, str>; 2]> {
    Some([word(rename.from.as_bytes())?, word(rename.to.as_bytes())?])
}

/// A path as one word, in quotes where it needs them.
pub(crate) fn word(path: &[u8]) -> Option<Cow<'_, str>> {
    let path = std::str::from_utf8(path).ok()?;
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | '=' | ':');
    // Inside single quotes these mean nothing to any of the four. A backslash does to fish, `!` to csh, `’` to PowerShell.
    let quoted = |c: char| bare(c) || c.is_alphanumeric() || " ,()[]{}$&#~%^;".contains(c);
    let first = path.chars().next()?;
    if first == '-' || !is_plain(path) || !path.chars().all(quoted) {
        return None;
    }
    let starts_bare = first.is_ascii_alphanumeric() || matches!(first, '.' | '_'); // zsh looks up `=x`, PowerShell `@x`
    Some(if starts_bare && path.chars().all(bare) { path.into() } else { format!("'{path}'").into() })
}

/// The first renames, up to `limit`, of each holder whose file they are about, in order of its first.
pub(super) fn by_holder<'a>(
    found: &'a Diagnostic,
    fix: &'a Fix,
    limit: usize,
) -> Vec<(Option<&'a Holder>, Vec<&'a Rename>)> {
    let named = people::names_holders(found);
    let mut groups: Vec<(Option<&Holder>, Vec<&Rename>)> = Vec::new();
    for rename in fix.renames.iter().take(limit) {
        let site = found.sites.iter().find(|site| site.path == rename.from);
        let whose = site.map(|site| &site.holder).filter(|_| named);
        match groups.iter_mut().find(|(holder, _)| *holder == whose) {
            Some((_, renames)) => renames.push(rename),
            None => groups.push((whose, vec![rename])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> Option<String> {
        word(path.as_bytes()).map(Cow::into_owned)
    }

    #[test]
    fn a_path_is_one_word_to_every_shell_or_none() {
        for bare in ["a/b_1-2.sql", "supabase/config.toml", "docs/é.md".trim_end_matches("é.md"), "a@b=c:d+e"] {
            assert_eq!(shown(bare).as_deref(), Some(bare));
        }
        for quoted in
            ["app/(auth)/[id]/page.tsx", "a b", "$id.tsx", "=x", "@x", "a,b", "docs/é.md", "a;rm -rf ~", "#x", "~"]
        {
            assert_eq!(shown(quoted), Some(format!("'{quoted}'")));
        }
        for none in
            ["", "-rf", "a'b", "a\\b", "a!b", "a\u{2019}b", "a`b`", "a\nb", "a\u{202e}b", "a|b", "a\"b", "a##[b", "*"]
        {
            assert_eq!(shown(none), None, "{none:?}");
        }
        assert_eq!(word(b"a\xff"), None);
    }
}
