//! How grave a person wants each rule or code to be.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diag::Severity;

/// How grave a rule or code is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Not reported.
    Off,
    /// Reported as a note.
    Note,
    /// Reported as a warning.
    Warning,
    /// Reported as an error.
    Error,
}

impl Level {
    /// The severity of what is reported at this level; none for what is not.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Note,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}

/// The levels of one run. What the command line says beats the configuration; within one of them, what is said of a code
/// beats what is said of its rule, and the last word on the same counts.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    command_line: BTreeMap<String, Level>,
    configuration: BTreeMap<String, Level>,
}

impl Levels {
    /// Collects levels: `rules` from the configuration, `flags` from the command line (`-D` is [`Level::Error`], `-W`
    /// [`Level::Warning`], `-A` [`Level::Off`]) in the order in which they were given. The words are rule ids or codes.
    pub fn new<'a>(
        rules: impl IntoIterator<Item = (&'a str, Level)>,
        flags: impl IntoIterator<Item = (&'a str, Level)>,
    ) -> Self {
        let owned = |(word, level): (&str, Level)| (word.to_owned(), level);
        Self {
            command_line: flags.into_iter().map(owned).collect(),
            configuration: rules.into_iter().map(owned).collect(),
        }
    }

    /// The severity of a finding with this code; none if it is not to be reported. `default` is what its rule says.
    pub fn apply(&self, code: &str, default: Severity) -> Option<Severity> {
        self.level(code).map_or(Some(default), Level::severity)
    }

    /// The severity of a finding with this code where only those who ask for it are told; none for all others. What is said of its rule does
    /// not ask for it, but can turn it off.
    pub fn asked_for(&self, code: &str) -> Option<Severity> {
        let rule = code.split_once('/').map_or(code, |(rule, _)| rule);
        let said = |origin: &BTreeMap<String, Level>| {
            origin.get(code).copied().or_else(|| origin.get(rule).copied().filter(|level| *level == Level::Off))
        };
        said(&self.command_line).or_else(|| said(&self.configuration)).and_then(Level::severity)
    }

    /// Whether a rule need not run: it is off, and none of its codes was turned on again.
    pub fn rule_is_off(&self, rule: &str) -> bool {
        let of_rule = |word: &str| word.split_once('/').is_some_and(|(owner, _)| owner == rule);
        self.level(rule) == Some(Level::Off)
            && self
                .command_line
                .keys()
                .chain(self.configuration.keys())
                .filter(|word| of_rule(word))
                .all(|code| self.level(code) == Some(Level::Off))
    }

    /// The level that was asked for a code or rule id, if any was.
    fn level(&self, code: &str) -> Option<Level> {
        let rule = code.split_once('/').map_or(code, |(rule, _)| rule);
        [&self.command_line, &self.configuration]
            .into_iter()
            .find_map(|origin| origin.get(code).or_else(|| origin.get(rule)))
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Level::{Error, Off, Warning};

    fn levels(rules: &[(&'static str, Level)], flags: &[(&'static str, Level)]) -> Levels {
        Levels::new(rules.iter().copied(), flags.iter().copied())
    }

    fn of(levels: &Levels, code: &str) -> Option<Severity> {
        levels.apply(code, Severity::Note)
    }

    #[test]
    fn without_a_word_on_it_a_code_keeps_its_default() {
        assert_eq!(of(&levels(&[("a", Error)], &[]), "ab/x"), Some(Severity::Note));
        assert_eq!(of(&Levels::default(), "a/x"), Some(Severity::Note));
    }

    #[test]
    fn a_code_beats_its_rule_within_one_origin() {
        let set = levels(&[("a/x", Warning), ("a", Off)], &[]);
        assert_eq!(of(&set, "a/x"), Some(Severity::Warning));
        assert_eq!(of(&set, "a/y"), None);
        let set = levels(&[], &[("a/x", Warning), ("a", Off)]);
        assert_eq!(of(&set, "a/x"), Some(Severity::Warning), "the order of different words does not matter");
    }

    #[test]
    fn the_command_line_beats_the_configuration_and_its_last_word_counts() {
        let set = levels(&[("a/x", Off)], &[("a", Error)]);
        assert_eq!(of(&set, "a/x"), Some(Severity::Error), "even where it names only the rule");
        assert_eq!(of(&levels(&[], &[("a/x", Error), ("a/x", Off)]), "a/x"), None);
    }

    #[test]
    fn what_is_to_be_asked_for_is_asked_for_by_its_own_name() {
        assert_eq!(Levels::default().asked_for("a/x"), None);
        assert_eq!(levels(&[("a", Error), ("a/y", Error)], &[("a", Error)]).asked_for("a/x"), None);
        assert_eq!(levels(&[("a/x", Level::Note)], &[("a", Warning)]).asked_for("a/x"), Some(Severity::Note));
        assert_eq!(levels(&[("a/x", Level::Note)], &[("a/x", Warning)]).asked_for("a/x"), Some(Severity::Warning));
        assert_eq!(levels(&[("a/x", Level::Note)], &[("a", Off)]).asked_for("a/x"), None);
        assert_eq!(levels(&[("a", Off)], &[("a/x", Error)]).asked_for("a/x"), Some(Severity::Error));
    }

    #[test]
    fn a_rule_is_off_unless_a_code_of_it_is_on() {
        assert!(levels(&[("a", Off)], &[]).rule_is_off("a"));
        assert!(levels(&[("a", Off), ("a/x", Off), ("ab/x", Error)], &[]).rule_is_off("a"));
        assert!(!levels(&[("a", Off), ("a/x", Warning)], &[]).rule_is_off("a"));
        assert!(!levels(&[("a", Off)], &[("a/x", Error)]).rule_is_off("a"));
        assert!(levels(&[("a/x", Error)], &[("a", Off)]).rule_is_off("a"), "the command line beats the code too");
        assert!(!levels(&[("a/x", Off)], &[]).rule_is_off("a"));
        assert!(!Levels::default().rule_is_off("a"));
    }
}
