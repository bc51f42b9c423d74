//! Which folders and files are looked at.

use super::Folders;
use crate::rule::{
    Want,
    select::{Folder, Walk},
};

/// Goes down into folders, and says which are worth it.
pub(super) struct Pass<'c> {
    automaton: Option<Walk<'c, Want>>,
}

/// A folder on the way; all of it is wanted where there is no state.
#[derive(Clone, Copy)]
pub(super) struct State(Option<Folder>);

impl<'c> Pass<'c> {
    pub(super) fn new(folders: Folders<'c>) -> Self {
        match folders {
            Folders::All => Self { automaton: None },
            Folders::Wanted(classifier) => Self { automaton: Some(classifier.walk()) },
        }
    }

    pub(super) fn top(&self) -> State {
        State(self.automaton.as_ref().map(Walk::top))
    }

    pub(super) fn enter(&mut self, folder: State, name: &[u8]) -> State {
        State(self.automaton.as_mut().zip(folder.0).map(|(automaton, folder)| automaton.enter(folder, name)))
    }

    /// Whether nothing below this folder is wanted.
    pub(super) fn is_dead(&self, folder: State) -> bool {
        self.automaton.as_ref().zip(folder.0).is_some_and(|(automaton, folder)| automaton.is_dead(folder))
    }

    pub(super) fn wants(&self, folder: State, name: &[u8]) -> bool {
        let Some((automaton, folder)) = self.automaton.as_ref().zip(folder.0) else { return true };
        let mut is_wanted = false;
        automaton.file(folder, name, |_| is_wanted = true);
        is_wanted
    }
}
