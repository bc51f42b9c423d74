//! One configuration file: what it says, and its text, so that a mistake can be shown where it stands.

use std::{collections::BTreeSet, ops::Range};

use super::{Config, FileKind, Mistake, change, nearest, strict};
use crate::error::{Fatal, help_for_code, visible};

/// A configuration with the file that it was read from.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// The path of the file, as a report names it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub config: Config,
}

/// Every rule id, and every code that a finding can have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownCodes {
    /// Ids of rules: `supabase-migrations`.
    pub rules: BTreeSet<String>,
    /// Codes: `supabase-migrations/duplicate`.
    pub codes: BTreeSet<String>,
}

impl KnownCodes {
    /// Whether a word is the id of a rule or a code.
    pub fn contains(&self, word: &str) -> bool {
        self.rules.contains(word) || self.codes.contains(word)
    }

    /// The rule id or code that was most likely meant.
    pub fn nearest(&self, word: &str) -> Option<&str> {
        nearest(word, self.rules.iter().chain(&self.codes).map(String::as_str))
    }
}

impl ConfigFile {
    /// Reads a configuration. `file` is the path under which a report names it.
    ///
    /// # Errors
    /// [`Fatal::Config`] at the place of the first mistake.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, Fatal> {
        let text = strict::text(FileKind::Config, file, bytes)?;
        let config = strict::parse(FileKind::Config, file, text)?;
        Ok(Self { file: file.to_owned(), text: text.to_owned(), config })
    }

    /// Checks that every rule id and code in it is one that some rule has.
    ///
    /// # Errors
    /// [`Fatal::Config`] at the place of the first unknown word, with the nearest known one.
    pub fn check(&self, known: &KnownCodes) -> Result<(), Fatal> {
        let words = self.config.rules.keys().chain(self.config.allow.iter().map(|allow| &allow.code));
        let unknown = words
            .filter(|word| !known.contains(word.get_ref()))
            .map(|word| (word.span(), format!("no rule has the id or code `{word}`"), known.nearest(word.get_ref())));
        let ids = self.config.namespace.keys().filter(|id| !known.rules.contains(id.get_ref()));
        let unknown_ids = ids.map(|id| {
            let near = nearest(id.get_ref(), known.rules.iter().map(String::as_str));
            (id.span(), format!("no rule has the id `{id}`"), near)
        });
        let of_codes =
            unknown.chain(unknown_ids).map(|(span, message, near)| (span, message, Some(help_for_code(near))));
        let of_changes = change::mistakes(&self.config, &known.rules).into_iter().map(|(span, message, near)| {
            (span, message, near.map(|near| format!("did you mean `{}`?", visible(near))))
        });
        match of_codes.chain(of_changes).min_by_key(|(span, ..)| span.start) {
            Some((span, message, help)) => Err(self.mistake(span, &message, help.as_deref())),
            None => Ok(()),
        }
    }

    /// A mistake about a text that stands in the file.
    pub fn misplaced(&self, word: &str, message: &str) -> Fatal {
        let at = self.text.find(word).unwrap_or(0);
        let end = if self.text[at..].starts_with(word) { at + word.len() } else { at };
        FileKind::Config.fatal(Mistake::at(&self.file, &self.text, at..end, message))
    }

    fn mistake(&self, span: Range<usize>, message: &str, help: Option<&str>) -> Fatal {
        let mistake = Mistake::at(&self.file, &self.text, span, message);
        FileKind::Config.fatal(match help {
            Some(help) => mistake.with_help(help),
            None => mistake,
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{config::Level, exit::FailOn};

    fn read(text: &str) -> ConfigFile {
        ConfigFile::parse("gatekeep.toml", text.as_bytes()).unwrap()
    }

    fn refused(text: &str) -> String {
        ConfigFile::parse("gatekeep.toml", text.as_bytes()).unwrap_err().plain()
    }

    fn unknown(text: &str) -> String {
        let known = KnownCodes {
            rules: ["goose", "sitemap-urls"].map(String::from).into(),
            codes: ["goose/duplicate", "sitemap-urls/duplicate"].map(String::from).into(),
        };
        read(text).check(&known).map_or_else(|fatal| fatal.plain(), |()| String::new())
    }

    fn allow(more: &str) -> String {
        format!("[[allow]]\ncode = \"goose/duplicate\"\n{more}\n")
    }

    #[test]
    fn nothing_is_needed() {
        let config = read("# nothing yet\n").config;
        assert!(config.base.is_none() && config.fail_on.is_none() && config.rules.is_empty());
        assert!(config.namespace.is_empty() && config.allow.is_empty());
    }

    #[test]
    fn every_key_is_read() {
        let config = read(
            "base = 'origin/main'\nfail-on = 'warning'\n[rules]\ngoose = 'off'\n'goose/duplicate' = 'note'\n\
             [namespace.goose]\nroots = ['a', 'b/*']\nexclude = ['**/x/**']\ninclude = ['**/*.sql']\nquota = 50\n\
             [[allow]]\ncode = 'goose/duplicate'\npaths = ['a/*']\nkey = '1'\nreason = 'r'\nuntil = 2027-01-31\n",
        )
        .config;
        assert_eq!((config.base.as_deref(), config.fail_on), (Some("origin/main"), Some(FailOn::Warning)));
        assert_eq!((config.rules["goose"], config.rules["goose/duplicate"]), (Level::Off, Level::Note));
        let names = &config.namespace["goose"];
        assert!(names.roots.as_ref().unwrap().matches(b"b/c") && names.exclude.matches(b"a/x/1.sql"));
        assert!(names.include.as_ref().unwrap().matches(b"1.sql") && names.quota == Some(50));
        let allow = &config.allow[0];
        assert_eq!((allow.key.as_deref(), allow.reason.as_str()), (Some("1"), "r"));
        assert_eq!(allow.until, Some(jiff::civil::date(2027, 1, 31)));
        assert_eq!(allow.code.get_ref(), "goose/duplicate");
    }

    #[test]
    fn an_allowance_is_refused_without_a_reason_a_place_or_with_half_a_date() {
        assert!(refused(&allow("paths = ['a']")).contains("gatekeep.toml:1:1: missing key `reason`"));
        assert!(refused(&allow("reason = 'r'")).contains("missing key `paths`"));
        let line_four = |more: &str| refused(&allow(&format!("paths = ['a']\n{more}")));
        assert!(
            line_four("reason = ' '").contains("gatekeep.toml:4:10: the text is blank"),
            "{}",
            line_four("reason = ' '")
        );
        let dated = |until: &str| refused(&allow(&format!("paths = ['a']\nreason = 'r'\nuntil = {until}")));
        for bad in ["2027-01-31T00:00:00Z", "2027-01-31 01:00:00", "10:00:00", "'2027-01-31'", "2027-02-30", "3"] {
            assert!(dated(bad).contains("gatekeep.toml:5:9: "), "{}", dated(bad));
        }
    }

    #[test]
    fn a_bad_pattern_has_its_place() {
        let bad = refused("[namespace.goose]\nexclude = ['a', 'b[']\n");
        assert!(bad.contains("gatekeep.toml:2:17: the pattern does not compile: "), "{bad}");
        let bad = refused("[namespace.goose]\nroots = []\n");
        assert!(bad.contains("gatekeep.toml:2:9: the list is empty"), "{bad}");
        let bad = refused(&allow("paths = ['/a']\nreason = 'r'"));
        assert!(bad.contains("gatekeep.toml:3:10: the pattern can't match"), "{bad}");
        assert!(refused("base = ''\n").contains("gatekeep.toml:1:8: the text is blank"));
        assert!(refused("[namespace.goose]\nquota = -1\n").contains("gatekeep.toml:2:9: "));
    }

    #[test]
    fn an_unknown_rule_or_code_has_its_place_and_the_nearest_known_one() {
        assert_eq!(
            unknown("[rules]\nsitemap-url = 'off'\n"),
            "error: gatekeep.toml:2:1: no rule has the id or code `sitemap-url`\nhelp: did you mean `sitemap-urls`?\n"
        );
        assert_eq!(
            unknown("[[allow]]\ncode = 'goose/duplicat'\npaths = ['a']\nreason = 'r'\n"),
            "error: gatekeep.toml:2:8: no rule has the id or code `goose/duplicat`\nhelp: did you mean `goose/duplicate`?\n"
        );
        assert_eq!(
            unknown("[namespace.goos]\n"),
            "error: gatekeep.toml:1:12: no rule has the id `goos`\nhelp: did you mean `goose`?\n"
        );
        assert!(unknown("[namespace.'goose/duplicate']\n").contains("no rule has the id `goose/duplicate`"));
        assert!(unknown("[rules]\nzzz = 'off'\n").contains("help: `gatekeep rules list`"));
        assert_eq!(unknown("[rules]\ngoose = 'off'\n'goose/duplicate' = 'error'\n[namespace.goose]\n"), "");
    }

    #[test]
    fn the_first_mistake_of_the_file_is_reported() {
        assert!(unknown("[namespace.goos]\n[rules]\nzzz = 'off'\n").contains(":1:12:"));
    }
}
