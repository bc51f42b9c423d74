//! What becomes of the gate.

use crate::diag::Severity;

/// Whether a gate lets more through than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Less.
    Tightens,
    /// That can't be told.
    Unclear,
    /// More.
    Loosens,
}

impl Verdict {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Tightens => Severity::Note,
            Self::Unclear => Severity::Warning,
            Self::Loosens => Severity::Error,
        }
    }

    /// What it does when that is taken away.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Loosens => Self::Tightens,
            Self::Unclear => Self::Unclear,
            Self::Tightens => Self::Loosens,
        }
    }
}

/// What a file does to the gate, and why: the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

impl Effect {
    pub(super) fn loosens(why: impl Into<String>) -> Self {
        Self { verdict: Verdict::Loosens, why: why.into() }
    }

    pub(super) fn unclear(why: impl Into<String>) -> Self {
        Self { verdict: Verdict::Unclear, why: why.into() }
    }

    pub(super) fn tightens(why: impl Into<String>) -> Self {
        Self { verdict: Verdict::Tightens, why: why.into() }
    }
}
