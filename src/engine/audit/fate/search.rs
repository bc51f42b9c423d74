//! Since when a collision is gone: which commits to look at, and what their trees tell.
//!
//! Numbers are places among the judged commits, of which the newest has 0. Others change nothing that a rule wants.

/// Most later commits that touched its files and are looked at one by one; of a file that all touch, halving finds it sooner.
const MOST_TOUCHING: usize = 12;

/// The search for the commit that took away one collision.
pub(super) struct Search {
    /// Later commits that touched its files: the next one is the last.
    touching: Vec<usize>,
    /// Where it was just before it was brought in again: the oldest is the last.
    again: Vec<usize>,
    /// The newest commit that is known to have it.
    there: usize,
    /// The oldest after that one that is known not to; none but the tip, at first.
    gone: Option<usize>,
    /// Whether the commit before that one was asked for.
    beside: bool,
    closed: bool,
}

impl Search {
    /// A search for what became of a collision. Both lists are in ascending order.
    pub(super) fn new(there: usize, mut touching: Vec<usize>, again: Vec<usize>) -> Self {
        touching.drain(..touching.len().saturating_sub(MOST_TOUCHING));
        Self { touching, again, there, gone: None, beside: false, closed: false }
    }

    /// The commit to look at next.
    ///
    /// First those that touched its files: mostly the first of them mended it. It did if the one before has it; else the files were renamed
    /// meanwhile, or something else mended it, and halving finds what.
    pub(super) fn next(&mut self) -> Option<usize> {
        let first = self.gone.map_or(0, |gone| gone + 1);
        if self.closed || first >= self.there {
            return None;
        }
        let open = first..self.there;
        self.touching.retain(|at| open.contains(at));
        self.again.retain(|at| open.contains(at));
        // from the oldest on, so that what came and went twice is gone since the first time
        if let Some(at) = self.touching.last().max(self.again.last()).copied() {
            self.touching.pop_if(|last| *last == at);
            self.again.pop_if(|last| *last == at);
            return Some(at);
        }
        match self.gone {
            Some(_) if !std::mem::replace(&mut self.beside, true) => Some(first),
            _ => Some(first.midpoint(self.there)),
        }
    }

    /// Takes what a look at that commit told; none where that can't be told.
    pub(super) fn tell(&mut self, at: usize, has: Option<bool>) {
        match has {
            Some(true) => self.there = at,
            Some(false) => self.gone = Some(at),
            None => self.closed = self.touching.is_empty() && self.again.is_empty(),
        }
    }

    /// The commit without it whose forerunner has it.
    pub(super) fn found(&self) -> Option<usize> {
        self.gone.filter(|gone| gone + 1 == self.there)
    }
}

#[cfg(test)]
mod tests {
    use super::Search;

    /// What the search finds where these commits, newest first, have the collision, and how often it looks.
    fn found(has: &str, touching: &[usize], again: &[usize]) -> (Option<usize>, usize) {
        let has: Vec<Option<bool>> = has.chars().map(|one| if one == '?' { None } else { Some(one == '+') }).collect();
        let mut search = Search::new(has.len() - 1, touching.to_vec(), again.to_vec());
        let mut looks = 0;
        while let Some(at) = search.next() {
            search.tell(at, has[at]);
            looks += 1;
            assert!(looks < 40, "it ends");
        }
        (search.found(), looks)
    }

    #[test]
    fn mostly_the_first_commit_that_touches_a_file_mended_it() {
        assert_eq!(found("-------+++++++", &[3, 6], &[]), (Some(6), 2));
        assert_eq!(found("-+", &[0], &[]), (Some(0), 1));
        assert_eq!(found("-------+++++++", &[2, 6, 9, 11], &[]), (Some(6), 4));
    }

    #[test]
    fn what_was_mended_under_another_name_is_found_by_halving() {
        assert_eq!(found("-------+++++++", &[], &[]).0, Some(6));
        assert_eq!(found("-------+++++++", &[2, 9], &[]).0, Some(6));
        let long = format!("{}{}", "-".repeat(5000), "+".repeat(3000));
        assert_eq!(found(&long, &[], &[]).0, Some(4999));
        let every: Vec<usize> = (0..7999).collect();
        assert_eq!(found(&long, &every, &[]).0, Some(4999));
    }

    #[test]
    fn what_came_again_is_gone_since_the_first_time() {
        assert_eq!(found("--++--++", &[], &[4]).0, Some(5));
        assert_eq!(found("--++--++", &[1], &[4]).0, Some(5));
        assert_eq!(found("-+-++", &[0, 1, 3], &[2]).0, Some(2), "it was mended under another name");
        assert_eq!(found("--++++++", &[], &[4]).0, Some(1), "a third file joined in");
    }

    #[test]
    fn what_cannot_be_looked_at_settles_nothing() {
        assert_eq!(found("--??++", &[1, 3], &[]).0, None);
        assert_eq!(found("?+", &[0], &[]).0, None);
        assert_eq!(found("-+?++", &[0, 2], &[]).0, Some(0));
        assert_eq!(found("+++", &[], &[]).0, None, "the tip alone lost it");
    }
}
