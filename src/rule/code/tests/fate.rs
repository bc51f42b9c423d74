//! What became of a lost test, and how it is told.

use crate::diag::{Confidence, Severity};

/// Why a lost test is no error, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Deleted,
    /// The change says that it reverts another one, which may have brought it.
    Reverted,
    /// Another one stands in its place, and checks less.
    Thinned,
    /// A class that others derive from holds it.
    Inherited,
    /// The code of the change no longer says what it names.
    Faded,
    /// As many tests beside it go with what they test.
    Beside,
    /// The change makes the file shorter that its own file is named after.
    Shrunk,
    /// A new test calls what it called.
    Alike,
    /// Most of its checks stand elsewhere now.
    Scattered,
    /// Code made its title.
    Computed,
    /// It was rewritten.
    Replaced,
    /// Its checks stand elsewhere now.
    Merged,
    /// A test of its name and body stands in another file of the change.
    Namesake,
    /// Another test has the same body.
    Twin,
    /// There was nothing in it.
    Empty,
    /// What it tests is gone.
    Obsolete,
    /// It never ran.
    Skipped,
}

impl Fate {
    /// How grave it is, how sure, what tells it from other findings of the file, and why. `subject` is what stands in its place, or went
    /// with it; `is_broken` says that what is left of the file does not parse.
    pub(super) fn told(self, subject: &str, is_broken: bool) -> (Severity, Confidence, Option<&'static str>, String) {
        match self {
            Self::Deleted => {
                let confidence = if is_broken { Confidence::Medium } else { Confidence::High };
                (Severity::Error, confidence, None, "No test of that name or body stands anywhere else, and what it tests is still there: a fault there goes unseen once this is merged.".to_owned())
            }
            Self::Computed => (
                Severity::Warning,
                Confidence::Low,
                Some("computed"),
                "Code makes the title, so it may only have another one now; no body is alike.".to_owned(),
            ),
            Self::Reverted => (
                Severity::Warning,
                Confidence::Medium,
                Some("reverted"),
                "The change says that it reverts another one: look whether that one brought it.".to_owned(),
            ),
            Self::Thinned => (
                Severity::Warning,
                Confidence::Medium,
                Some("thinned"),
                format!("In its place stands `{subject}`, which checks less than half as much."),
            ),
            Self::Inherited => (
                Severity::Warning,
                Confidence::Medium,
                Some("inherited"),
                format!("`{subject}` defines it now: look whether it runs in the classes that derive from that."),
            ),
            Self::Faded => (
                Severity::Warning,
                Confidence::Medium,
                Some("faded"),
                format!("The change takes `{subject}` from the code as well: look whether that is what it tested."),
            ),
            Self::Beside => (
                Severity::Warning,
                Confidence::Low,
                Some("beside"),
                format!(
                    "The tests that go beside it go with what they test, `{subject}` and the like: look whether it is about that too."
                ),
            ),
            Self::Shrunk => (
                Severity::Warning,
                Confidence::Medium,
                Some("shrunk"),
                format!("The change makes `{subject}` shorter: look whether what it tested is what went."),
            ),
            Self::Alike => (
                Severity::Warning,
                Confidence::Low,
                Some("alike"),
                format!("`{subject}` is new and calls what it called: look whether it is the same test."),
            ),
            Self::Scattered => (
                Severity::Warning,
                Confidence::Medium,
                Some("scattered"),
                "Most of its checks stand in other tests now, and some stand nowhere.".to_owned(),
            ),
            Self::Namesake => (
                Severity::Warning,
                Confidence::Low,
                Some("namesake"),
                "A test of that name and body stands in another file: look whether it tests the same.".to_owned(),
            ),
            Self::Twin => {
                (Severity::Note, Confidence::High, Some("twin"), "Another test beside it has the same body.".to_owned())
            }
            Self::Empty => (Severity::Note, Confidence::High, Some("empty"), "There was nothing in it.".to_owned()),
            Self::Replaced => (
                Severity::Note,
                Confidence::Low,
                Some("replaced"),
                format!("It seems to be rewritten: `{subject}` stands in its place."),
            ),
            Self::Merged => (
                Severity::Note,
                Confidence::Medium,
                Some("merged"),
                "All its checks stand in other tests now.".to_owned(),
            ),
            Self::Obsolete => (
                Severity::Note,
                Confidence::Medium,
                Some("obsolete"),
                format!("What it tests goes with it: `{subject}`."),
            ),
            Self::Skipped => (
                Severity::Note,
                Confidence::High,
                Some("skipped"),
                "It was skipped, so it did not run before either.".to_owned(),
            ),
        }
    }
}
