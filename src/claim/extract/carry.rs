//! Carries an extraction error through `Read`, whose own error knows none.

use std::{error::Error, fmt, io};

use super::ExtractError;

/// Why a stream of bytes ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The bytes are a template, not a document.
    Template,
    /// The bytes are not what they should be.
    Failed(ExtractError),
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template => f.write_str("a template"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl Error for Halt {}

impl From<ExtractError> for Halt {
    fn from(error: ExtractError) -> Self {
        Self::Failed(error)
    }
}

impl From<Halt> for io::Error {
    fn from(halt: Halt) -> Self {
        Self::other(halt)
    }
}

impl From<&io::Error> for Halt {
    /// What was carried, or that the bytes could not be had.
    fn from(error: &io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            Some(halt) => halt.clone(),
            None => Self::Failed(ExtractError::Read(error.to_string())),
        }
    }
}
