//! The rules of a log: one for each code that has a result.

use std::collections::BTreeMap;

use super::model::{Configuration, Help, Properties, Rule, Text};
use crate::{
    diag::{Confidence, Diagnostic, Severity},
    report::{escape::terminal, gap::INCOMPLETE, link::is_web_address, markdown},
    rule::{self, RuleText},
};

/// GitHub's limit for a full description, in characters.
const DESCRIPTION: usize = 1024;

/// Rules in the order of their codes.
pub(super) struct Rules {
    pub(super) list: Vec<Rule>,
    index: BTreeMap<String, usize>,
}

/// What the findings of a code have in common.
struct Shared<'a> {
    gravest: Severity,
    least_sure: Confidence,
    docs: Option<&'a str>,
}

impl Rules {
    pub(super) fn of(findings: &[&Diagnostic]) -> Self {
        let mut codes: BTreeMap<&str, Shared<'_>> = BTreeMap::new();
        for found in findings {
            let docs = found.docs.as_deref();
            let shared = codes.entry(&found.code).or_insert(Shared {
                gravest: found.severity,
                least_sure: found.confidence,
                docs,
            });
            shared.gravest = shared.gravest.max(found.severity);
            shared.least_sure = shared.least_sure.min(found.confidence);
        }
        let index = codes.keys().enumerate().map(|(at, code)| ((*code).to_owned(), at)).collect();
        Self { list: codes.iter().map(|(code, shared)| described(code, shared)).collect(), index }
    }

    /// Where the rule of a code is in the list.
    pub(super) fn index(&self, code: &str) -> usize {
        self.index.get(code).copied().expect("the list was made of the codes of all results")
    }
}

fn described(code: &str, shared: &Shared<'_>) -> Rule {
    let known = if code == INCOMPLETE { Some(incomplete()) } else { rule::text(code) };
    let own = || RuleText {
        summary: format!("A rule of the repository's own: {code}"),
        details: format!("`gatekeep rules explain {code}` says what it is about."),
        help: None,
        docs: shared.docs.map(str::to_owned),
        family: "own",
    };
    let text = known.unwrap_or_else(own);
    let help = text.help.unwrap_or_else(|| format!("Run `gatekeep rules explain {code}`."));
    let docs = text.docs.filter(|docs| is_web_address(docs));
    Rule {
        id: terminal(code),
        short_description: Text { text: clipped(&text.summary) },
        full_description: Text { text: clipped(&text.details) },
        help: Help {
            text: terminal(format!("{} {help}", text.details)),
            markdown: format!("{}\n\n{}\n", markdown::prose(&text.details), markdown::prose(&help)),
        },
        help_uri: docs,
        default_configuration: Configuration { level: shared.gravest.word() },
        properties: Properties {
            tags: vec!["gatekeep", text.family],
            precision: shared.least_sure.word(),
            severity: match shared.gravest {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        },
    }
}

fn incomplete() -> RuleText {
    RuleText {
        summary: "Something could not be looked at".into(),
        details: "What could not be read, fetched or parsed was not judged: there may be findings that nobody has seen. The run \
                  ends with 3, or with 0 where somebody passed `--allow-incomplete`."
            .into(),
        help: Some("Mend what is named and run again.".into()),
        docs: None,
        family: "incomplete",
    }
}

fn clipped(text: &str) -> String {
    let text = terminal(text);
    match text.char_indices().nth(DESCRIPTION - 1) {
        Some((at, _)) if text.chars().count() > DESCRIPTION => format!("{}…", &text[..at]),
        _ => text,
    }
}
