//! Exit statuses: the one place that knows them.

use std::process::ExitCode;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{diag::Severity, report::Report};

/// How a run ends, whatever the format of its report. The number is the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// Complete, and nothing at or above `--fail-on`.
    Pass = 0,
    /// Something at or above `--fail-on`, complete or not.
    Fail = 1,
    /// Unusable arguments, configuration, rule file or repository, or an output that can't be written.
    Unusable = 2,
    /// Nothing to fail on, but something could not be looked at; `--allow-incomplete` makes it 0.
    Incomplete = 3,
}

impl Outcome {
    /// The verdict on a finished report. Suppressed findings never count.
    pub fn of(report: &Report, fail_on: FailOn, allow_incomplete: bool) -> Self {
        if report.findings.iter().any(|found| found.suppressed.is_none() && fail_on.fails(found.severity)) {
            Self::Fail
        } else if report.complete() || allow_incomplete {
            Self::Pass
        } else {
            Self::Incomplete
        }
    }

    /// The exit status.
    pub fn status(self) -> u8 {
        self as u8
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        outcome.status().into()
    }
}

/// The least severity that fails a run. Notes never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Only errors fail a run.
    #[default]
    Error,
    /// Warnings and errors fail a run.
    Warning,
    /// No finding fails a run.
    Never,
}

impl FailOn {
    /// Whether a finding of this severity fails a run.
    pub(crate) fn fails(self, severity: Severity) -> bool {
        self.threshold().is_some_and(|least| severity >= least)
    }

    fn threshold(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        diag::{Diagnostic, SuppressedBy, Suppression},
        report::Incomplete,
    };

    fn report(findings: &[(Severity, bool)], complete: bool) -> Report {
        let gap = Incomplete { what: "a".into(), why: "b".into() };
        let findings = findings.iter().map(|(severity, suppressed)| Diagnostic {
            suppressed: suppressed.then_some(Suppression { by: SuppressedBy::Baseline, reason: None }),
            ..Diagnostic::new("a/b", *severity, "m", vec![])
        });
        Report {
            incomplete: if complete { vec![] } else { vec![gap] },
            findings: findings.collect(),
            holders: 1,
            ..Report::empty()
        }
    }

    fn statuses(findings: &[(Severity, bool)], complete: bool, allow: bool) -> [u8; 3] {
        [FailOn::Error, FailOn::Warning, FailOn::Never]
            .map(|fail_on| Outcome::of(&report(findings, complete), fail_on, allow).status())
    }

    #[test]
    fn the_gravest_finding_that_is_not_suppressed_decides() {
        use Severity::{Error, Note, Warning};
        assert_eq!(statuses(&[], true, false), [0, 0, 0]);
        assert_eq!(statuses(&[(Note, false)], true, false), [0, 0, 0]);
        assert_eq!(statuses(&[(Warning, false), (Note, false)], true, false), [0, 1, 0]);
        assert_eq!(statuses(&[(Note, false), (Error, false)], true, false), [1, 1, 0]);
        assert_eq!(statuses(&[(Error, true), (Warning, true)], true, false), [0, 0, 0]);
    }

    #[test]
    fn an_incomplete_run_is_not_green_and_a_failing_one_stays_failing() {
        assert_eq!(statuses(&[], false, false), [3, 3, 3]);
        assert_eq!(statuses(&[], false, true), [0, 0, 0]);
        assert_eq!(statuses(&[(Severity::Error, false)], false, false), [1, 1, 3]);
        assert_eq!(statuses(&[(Severity::Error, true)], false, false), [3, 3, 3]);
        assert_eq!(statuses(&[(Severity::Error, false)], false, true), [1, 1, 0]);
    }
}
