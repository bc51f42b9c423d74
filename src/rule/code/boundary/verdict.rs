//! Whether a path lies inside a lane.

use super::who::Lane;

/// What a lane says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the lane's, or may be touched.
    Inside,
    /// The lane restricts nothing here.
    Free,
    /// It is neither the lane's nor one that it may touch.
    Outside,
    /// The lane must not change it, whatever else is said.
    Never,
}

impl Lane<'_> {
    /// What the lane says of a path, which is relative to the repository.
    pub(super) fn verdict(&self, path: &[u8]) -> Verdict {
        let agent = self.agent;
        if agent.never.matches(path) {
            Verdict::Never
        } else if agent.owns.matches(path) || agent.may_touch.matches(path) {
            Verdict::Inside
        } else if agent.owns.is_empty() && agent.may_touch.is_empty() {
            Verdict::Free
        } else {
            Verdict::Outside
        }
    }
}
