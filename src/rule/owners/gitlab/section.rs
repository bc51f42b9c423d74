//! The heading of a section: `^[Name][2] @owner`.

use bstr::ByteSlice;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// May be empty, which GitLab reports and takes.
    pub(super) name: String,
    /// `^`: nobody has to approve.
    pub(super) optional: bool,
    /// How many have to approve, as it is written; zero where nothing is.
    pub(super) approvals: usize,
    /// The owners of its entries that name none: the rest of the line.
    pub(super) owners: &'a [u8],
    /// Whether the brackets behind the name hold no number.
    uncounted: bool,
}

impl<'a> Heading<'a> {
    /// Understands a line; none where it is no heading, such as one whose bracket is not closed.
    pub(super) fn parse(text: &'a [u8]) -> Option<Self> {
        let (optional, rest) = match text.strip_prefix(b"^") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let rest = rest.strip_prefix(b"[")?;
        let end = rest.find_byte(b']')?;
        let name = rest[..end].to_str_lossy().into_owned();
        let mut made = Self { name, optional, approvals: 0, owners: rest[end + 1..].trim(), uncounted: false };
        if let Some(rest) = rest[end + 1..].strip_prefix(b"[")
            && let Some(end) = rest.find_byte(b']')
        {
            let written = rest[..end].trim();
            let digits = written.iter().take_while(|byte| byte.is_ascii_digit()).count();
            made.uncounted = digits == 0 || digits < written.len();
            made.approvals = written[..digits].to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0);
            made.owners = rest[end + 1..].trim();
        }
        Some(made)
    }

    /// What is wrong with it although it is one.
    pub(super) fn fault(&self) -> Option<String> {
        let why = if self.name.trim().is_empty() {
            "the section has no name"
        } else if self.uncounted {
            "how many approvals the section needs is no number"
        } else if self.optional && self.approvals > 0 {
            "an optional section needs no approvals"
        } else {
            return None;
        };
        Some(why.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, bool, usize, String, bool)> {
        let heading = Heading::parse(text.as_bytes())?;
        let (owners, faulty) = (heading.owners.to_str_lossy().into_owned(), heading.fault().is_some());
        Some((heading.name, heading.optional, heading.approvals, owners, faulty))
    }

    #[test]
    fn headings_are_read_as_by_gitlab() {
        for (text, name, optional, approvals, owners, faulty) in [
            ("[Doc]", "Doc", false, 0, "", false),
            ("^[Doc]", "Doc", true, 0, "", false),
            ("[Doc][1]", "Doc", false, 1, "", false),
            ("[Doc][1] @doc", "Doc", false, 1, "@doc", false),
            ("^[Doc] @doc @rrr.dev @dev", "Doc", true, 0, "@doc @rrr.dev @dev", false),
            ("[Doc][2] @doc @rrr.dev @dev", "Doc", false, 2, "@doc @rrr.dev @dev", false),
            ("[Doc] @@developer", "Doc", false, 0, "@@developer", false),
            ("[Two Words]", "Two Words", false, 0, "", false),
            ("[]", "", false, 0, "", true),
            ("^[]", "", true, 0, "", true),
            ("[][1]@owner", "", false, 1, "@owner", true),
            ("[Doc][]", "Doc", false, 0, "", true),
            ("[Doc][] @doc", "Doc", false, 0, "@doc", true),
            ("[Doc][1 0]", "Doc", false, 1, "", true),
            ("^[Doc][1] @doc", "Doc", true, 1, "@doc", true),
            ("[Doc][ 1 ]", "Doc", false, 1, "", false),
        ] {
            assert_eq!(parsed(text), Some((name.into(), optional, approvals, owners.into(), faulty)), "{text}");
        }
        for text in ["^[Doc", "[Doc", "doc", "\\[Doc]", "/a @x"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
