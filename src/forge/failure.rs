//! Why GitHub did not do what it was asked for.

use crate::error::visible;

/// Longest text of somebody else's that a message repeats, in letters.
const QUOTED: usize = 300;

/// Why a call gave nothing. No text holds a token or control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody answered, or the answer broke off. Whether a write was carried out is unknown.
    #[error("{host} gives no answer: {why}")]
    Unreachable {
        /// Who was asked.
        host: String,
        /// What happened.
        why: String,
    },
    /// The server failed. Whether a write was carried out is unknown.
    #[error("{host} failed with status {status}")]
    Broken {
        /// Who was asked.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The token is no good, or it may not do this.
    #[error("not allowed ({status}): {why}")]
    Denied {
        /// The HTTP status.
        status: u16,
        /// GitHub's word on it.
        why: String,
    },
    /// Too many requests, and the wait would be too long.
    #[error("GitHub's rate limit is used up; it asks to wait {seconds} s")]
    Limited {
        /// How long to wait.
        seconds: u64,
    },
    /// GitHub would not have it.
    #[error("refused ({status}): {why}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// GitHub's word on it.
        why: String,
    },
    /// The answer makes no sense.
    #[error("the answer of GitHub makes no sense: {0}")]
    Senseless(String),
    /// The address or the token can't be used at all.
    #[error("GitHub can't be asked: {0}")]
    Unusable(String),
}

impl Failure {
    /// Whether a write may have been carried out all the same.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Broken { .. } | Self::Senseless(_))
    }

    /// Whether the token is not allowed to do it, as on a fork.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied { status: 403 | 404, .. })
    }
}

/// Somebody else's text, short and harmless, without the token.
pub(super) fn quoted(text: &str, token: &str) -> String {
    let text = if token.is_empty() { text.to_owned() } else { text.replace(token, "***") };
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(QUOTED).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    visible(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_elses_text_is_one_short_line_without_the_token() {
        assert_eq!(quoted("a\n  b\x1b[31m ghs_secret", "ghs_secret"), "a b\\u{1b}[31m ***");
        assert_eq!(quoted(&"x".repeat(400), "").chars().count(), QUOTED + 1);
    }
}
