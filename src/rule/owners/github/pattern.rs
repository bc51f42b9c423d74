//! A pattern of GitHub's `CODEOWNERS`: like `.gitignore`, with less in it.

use bstr::ByteSlice;

use crate::rule::owners::{PATTERN_LIMIT, first_character};

/// A pattern, as steps through the components of a path.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<Step>);

/// What matches the next component or components.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Any number of components, none included.
    Any,
    /// Exactly one component, whatever it is.
    One,
    /// A component that is exactly this.
    Name(Vec<u8>),
    /// A component with wildcards.
    Wild(Vec<Piece>),
}

/// A part of a component with wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Byte(u8),
    /// One character (`?`).
    Character,
    /// Any text (`*`).
    Text,
}

impl Pattern {
    /// Understands a pattern, or says why GitHub skips its line.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        refuse(text)?;
        let mut parts: Vec<&[u8]> = text.split(|byte| *byte == b'/').collect();
        let mut steps = Vec::with_capacity(parts.len() + 2);
        if parts[0].is_empty() {
            parts.remove(0);
        } else if parts.len() == 1 || (parts.len() == 2 && parts[1].is_empty()) {
            steps.push(Step::Any); // one name alone floats
        }
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            push(&mut steps, part);
        }
        match last {
            // what is in the folder, not a file of its name
            b"" | b"**" => steps.extend([Step::One, Step::Any]),
            // what is right in the folder: the difference from .gitignore, where the star would match a folder too
            b"*" => steps.push(Step::One),
            _ => {
                push(&mut steps, last);
                steps.push(Step::Any);
            }
        }
        Ok(Self(steps))
    }

    /// Whether the components of a path match. Takes at most steps times components comparisons.
    pub(super) fn matches(&self, parts: &[&[u8]]) -> bool {
        let steps = &self.0;
        let (mut step, mut part) = (0, 0);
        // behind the last `Any`: its step, and the component that it has not swallowed yet
        let mut again: Option<(usize, usize)> = None;
        loop {
            match steps.get(step) {
                Some(Step::Any) if step + 1 == steps.len() => return true,
                Some(Step::Any) => {
                    step += 1;
                    again = Some((step, part));
                    continue;
                }
                Some(one) if part < parts.len() && one.matches(parts[part]) => {
                    (step, part) = (step + 1, part + 1);
                    continue;
                }
                None if part == parts.len() => return true,
                _ => {}
            }
            match &mut again {
                Some((after, swallowed)) if *swallowed < parts.len() => {
                    *swallowed += 1;
                    (step, part) = (*after, *swallowed);
                }
                _ => return false,
            }
        }
    }
}

/// What GitHub calls an invalid pattern.
fn refuse(text: &[u8]) -> Result<(), String> {
    let why = match text {
        b"" => "the line has no pattern",
        b"/" => "`/` alone matches nothing",
        _ if text.ends_with(b"\\") && text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 => {
            "a backslash escapes no `#`, and nothing at the end of a pattern"
        }
        _ if text.starts_with(b"!") => "`!` does not negate here",
        _ if unescaped(text).any(|byte| matches!(byte, b'[' | b']')) => {
            "`[` and `]` make no range here; a backslash before each makes them plain characters"
        }
        _ if text.contains_str("***") => "no more than two `*` can stand together",
        _ if text.len() > PATTERN_LIMIT => "the pattern is longer than any path",
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

/// The bytes that no backslash stands before.
fn unescaped(text: &[u8]) -> impl Iterator<Item = u8> {
    let mut escaped = false;
    text.iter().copied().filter(move |byte| {
        let plain = !escaped && *byte != b'\\';
        escaped = !escaped && *byte == b'\\';
        plain
    })
}

/// Adds what matches one component; two `**` on end are as one.
fn push(steps: &mut Vec<Step>, part: &[u8]) {
    match part {
        b"**" if steps.last() == Some(&Step::Any) => {}
        b"**" => steps.push(Step::Any),
        b"*" => steps.push(Step::One),
        _ => steps.push(component(part)),
    }
}

fn component(part: &[u8]) -> Step {
    let mut pieces = Vec::with_capacity(part.len());
    let mut bytes = part.iter();
    while let Some(byte) = bytes.next() {
        pieces.push(match byte {
            b'\\' => Piece::Byte(*bytes.next().unwrap_or(byte)),
            b'*' => Piece::Text,
            b'?' => Piece::Character,
            _ => Piece::Byte(*byte),
        });
    }
    let plain = |piece: &Piece| if let Piece::Byte(byte) = piece { Some(*byte) } else { None };
    match pieces.iter().map(plain).collect() {
        Some(name) => Step::Name(name),
        None => Step::Wild(pieces),
    }
}

impl Step {
    /// Whether one component matches, the step being for one.
    fn matches(&self, part: &[u8]) -> bool {
        match self {
            Self::Any | Self::One => !part.is_empty(),
            Self::Name(name) => name == part,
            Self::Wild(pieces) => wild(pieces, part),
        }
    }
}

/// Whether pieces match the whole of a text. Takes at most pieces times bytes comparisons.
fn wild(pieces: &[Piece], text: &[u8]) -> bool {
    let (mut piece, mut at) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    loop {
        let rest = &text[at..];
        match pieces.get(piece) {
            Some(Piece::Text) => {
                piece += 1;
                again = Some((piece, at));
                continue;
            }
            Some(Piece::Character) if !rest.is_empty() => {
                (piece, at) = (piece + 1, at + first_character(rest));
                continue;
            }
            Some(Piece::Byte(byte)) if rest.first() == Some(byte) => {
                (piece, at) = (piece + 1, at + 1);
                continue;
            }
            None if rest.is_empty() => return true,
            _ => {}
        }
        match &mut again {
            Some((after, swallowed)) if *swallowed < text.len() => {
                *swallowed += first_character(&text[*swallowed..]);
                (piece, at) = (*after, *swallowed);
            }
            _ => return false,
        }
    }
}
