//! What miette draws: a heading, a message and marked sources.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, SourceCode};

use super::source::Source;
use crate::diag::Severity;

/// One block of the report, all text escaped and wrapped.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) severity: Severity,
    /// The heading: severity and code.
    pub(super) code: String,
    pub(super) message: String,
    pub(super) source: Source,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        (!self.source.is_empty()).then_some(&self.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.source.is_empty()).then(|| Box::new(self.source.labels()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}
