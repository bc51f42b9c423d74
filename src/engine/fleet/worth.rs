//! Which names are worth a second look: of a million in a file that a line edits, those that the line brings in.

use super::scene::Scene;
use crate::{
    claim::{Mark, Marks},
    diag::RepoPath,
    engine::read::Pass,
};

/// The marks of those names that a line takes anew and that something else has too.
pub(super) fn a_look(scene: &Scene<'_>, pass: &Pass<'_>, marks: &Marks) -> Vec<Mark> {
    let look = Look { scene, pass };
    // of the trunk's names only those count that a line has too
    let (presence, items, all) = (scene.presence, pass.items, scene.notes_old);
    let brought_in = |mark: &Mark| all || !presence[items[mark.item as usize].entry as usize].new_of.is_empty();
    let colliding = marks.colliding_with(&brought_in);
    let groups = colliding.chunk_by(|a, b| a.hash == b.hash);
    let worth = groups.filter(|group| {
        let is_one_path = group.iter().all(|mark| look.is_of_path(mark) && look.path(mark) == look.path(&group[0]));
        !is_one_path && (look.is_new(group) || scene.notes_old && look.is_twice(group))
    });
    worth.flatten().copied().collect()
}

struct Look<'a> {
    scene: &'a Scene<'a>,
    pass: &'a Pass<'a>,
}

impl Look<'_> {
    fn entry(&self, mark: &Mark) -> u32 {
        self.pass.items[mark.item as usize].entry
    }

    fn path(&self, mark: &Mark) -> &RepoPath {
        &self.scene.listing.entries[self.entry(mark) as usize].path
    }

    fn is_of_path(&self, mark: &Mark) -> bool {
        self.pass.claim(&self.pass.items[mark.item as usize]).is_path()
    }

    /// Whether some line brings a name in: it puts it where its merge base does not have it, or more often than that has it.
    fn is_new(&self, group: &[Mark]) -> bool {
        let versions: Vec<&[Mark]> = group.chunk_by(|a, b| self.entry(a) == self.entry(b)).collect();
        let presence = |version: &[Mark]| &self.scene.presence[self.entry(&version[0]) as usize];
        let old: Vec<&[Mark]> = versions.iter().copied().filter(|old| !presence(old).old_of.is_empty()).collect();
        versions.into_iter().any(|now| {
            let had = |line: &u32| {
                let before = |old: &&&[Mark]| {
                    presence(old).old_of.binary_search(line).is_ok() && self.path(&old[0]) == self.path(&now[0])
                };
                old.iter().find(before).is_some_and(|old| old.len() >= now.len())
            };
            let new_of = &presence(now).new_of;
            // whose a claim is, or how it is written, can change while its name stays
            let may_differ = |mark| self.has_owner(mark) || self.tells_case(mark);
            !new_of.is_empty() && (now.iter().any(may_differ) || !new_of.iter().all(had))
        })
    }

    /// Whether more than the place tells one claimant from another.
    fn has_owner(&self, mark: &Mark) -> bool {
        let claim = self.pass.claim(&self.pass.items[mark.item as usize]);
        claim.unit.is_some() || claim.unit_default.is_some() || claim.reach.is_some()
    }

    /// Whether the marks of names that differ in case are one, though that difference counts.
    fn tells_case(&self, mark: &Mark) -> bool {
        self.pass.rule(&self.pass.items[mark.item as usize]).spec.policy.case.is_some()
    }

    /// Whether a name stands in several files, or more than once in one.
    fn is_twice(&self, group: &[Mark]) -> bool {
        let path = |mark: &Mark| (self.path(mark), self.entry(mark));
        let first = path(&group[0]);
        let again = |mark: &Mark| path(mark) == first;
        group.iter().any(|mark| self.path(mark) != first.0) || group.iter().filter(|mark| again(mark)).count() > 1
    }
}
