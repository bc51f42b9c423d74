//! What silences a finding: allowances of the configuration, allowances in the files themselves, and the baseline.
//!
//! A silenced finding stays in the report, with who silenced it. A silencer that silences nothing is a finding of its own,
//! so that none outlives its reason. Findings about silencers (`allow/*`) can't be silenced, only set to another level.

mod allow;
mod baseline;
mod inline;

use jiff::civil::Date;

pub use baseline::{Baseline, Entry, PATH as BASELINE_PATH};
pub use inline::{Carried, Inline, find};

use crate::{
    config::{ConfigFile, KnownCodes, Levels},
    diag::{Diagnostic, Holder, Position, Severity, Site},
};

/// A silencer that silences nothing.
pub const UNUSED: &str = "allow/unused";
/// An allowance whose last day is over.
pub const EXPIRED: &str = "allow/expired";

/// What has to be known of a run to say whether a silencer counts, and whether it is of use.
pub struct Run<'a> {
    /// Whose files the configuration and the baseline are.
    pub policy: Holder,
    /// The tree that is judged: its files carry the allowances in comments.
    pub head: Holder,
    /// All rule ids and codes.
    pub known: &'a KnownCodes,
    /// Whether this run would have reported every finding with this code, or of this rule. A silencer of one that was
    /// not judged (no base, no branches, `--only`, a file that could not be read) is not called unused.
    pub judged: &'a dyn Fn(&str) -> bool,
    /// Whether the change introduces what stands at a site.
    pub introduced: &'a dyn Fn(&Site) -> bool,
    /// Today.
    pub today: Date,
}

/// Silences findings and adds those about silencers. Allowances of the configuration come first, then those in files, then
/// the baseline; the first that covers a finding is named in it.
pub fn apply(
    run: &Run<'_>,
    config: Option<&ConfigFile>,
    files: &[Carried],
    baseline: Option<&Baseline>,
    levels: &Levels,
    findings: &mut Vec<Diagnostic>,
) {
    let mut own = Vec::new();
    if let Some(config) = config {
        own.extend(allow::apply(run, config, findings));
    }
    own.extend(inline::apply(run, files, findings));
    if let Some(baseline) = baseline {
        let stale = baseline.apply(run, findings);
        own.extend(baseline.report(run, &stale));
    }
    findings.extend(own.into_iter().filter_map(|found| {
        let severity = levels.apply(&found.code, found.severity)?;
        Some(Diagnostic { severity, ..found })
    }));
}

/// Whether a finding is about a silencer.
fn is_own(found: &Diagnostic) -> bool {
    found.rule() == "allow"
}

/// Whether a word of a silencer, a code or the id of a rule, names the code of a finding.
fn names(word: &str, found: &Diagnostic) -> bool {
    word == found.code || word == found.rule()
}

/// A warning about a silencer, at its place. `key` tells it from others in the same file.
fn warning(code: &str, key: String, site: Site, message: String, help: &str) -> Diagnostic {
    let mut made = Diagnostic::new(code, Severity::Warning, message, vec![site]);
    made.key = Some(key);
    made.help = Some(help.into());
    made.seal();
    made
}

fn site(path: &str, position: Position, holder: &Holder) -> Site {
    Site { position: Some(position), ..Site::path(path.into(), holder.clone()) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::{config::Level, diag::SuppressedBy};

    /// A finding on these paths of the head.
    pub(super) fn found(code: &str, key: &str, paths: &[&str]) -> Diagnostic {
        let sites = paths.iter().map(|path| Site::path((*path).into(), Holder::head(None))).collect();
        let mut made = Diagnostic::new(code, Severity::Error, "m", sites);
        made.key = Some(key.into());
        made.seal();
        made
    }

    pub(super) fn known() -> KnownCodes {
        KnownCodes {
            rules: ["goose", "allow"].map(String::from).into(),
            codes: ["goose/duplicate", "goose/late", UNUSED, EXPIRED].map(String::from).into(),
        }
    }

    pub(super) fn run(known: &KnownCodes) -> Run<'_> {
        Run {
            policy: Holder::head(None),
            head: Holder::head(None),
            known,
            judged: &|_| true,
            introduced: &|_| false,
            today: jiff::civil::date(2026, 5, 1),
        }
    }

    pub(super) fn config(text: &str) -> ConfigFile {
        ConfigFile::parse("gatekeep.toml", text.as_bytes()).unwrap()
    }

    fn by(findings: &[Diagnostic]) -> Vec<Option<SuppressedBy>> {
        findings.iter().map(|found| found.suppressed.as_ref().map(|s| s.by)).collect()
    }

    const ALLOW: &str = "[[allow]]\ncode = 'goose'\npaths = ['a/*']\nreason = 'r'\n";

    #[test]
    fn the_first_silencer_is_named_and_the_others_count_as_used() {
        let mut findings = vec![found("goose/duplicate", "1", &["a/1"]), found("goose/duplicate", "2", &["b/2"])];
        let baseline = Baseline::read("b.json", Baseline::write(&findings).as_bytes()).unwrap();
        let files = [Carried { path: "a/1".into(), allowances: find(b"gatekeep: allow goose -- known") }];
        let known = known();
        let levels = Levels::default();
        apply(&run(&known), Some(&config(ALLOW)), &files, Some(&baseline), &levels, &mut findings);
        assert_eq!(by(&findings), [Some(SuppressedBy::Allow), Some(SuppressedBy::Baseline)]);
    }

    #[test]
    fn findings_about_silencers_have_levels_but_no_silencers() {
        let known = known();
        let text = format!("{ALLOW}[[allow]]\ncode = 'allow'\npaths = ['**']\nreason = 'r'\n");
        let unused = |level| {
            let levels = Levels::new([(UNUSED, level)], []);
            let mut findings = vec![];
            apply(&run(&known), Some(&config(&text)), &[], None, &levels, &mut findings);
            findings
        };
        let as_errors = unused(Level::Error);
        assert_eq!(as_errors.iter().map(|f| f.severity).collect::<Vec<_>>(), [Severity::Error; 2]);
        assert_eq!(by(&as_errors), [None, None]);
        assert_ne!(as_errors[0].fingerprint, as_errors[1].fingerprint);
        assert_eq!(unused(Level::Off), []);
    }
}
