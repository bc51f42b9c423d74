//! Revisions that say which one they come after: those of the head go on from where the base ends.

mod alembic;
mod django;
mod drizzle;
mod json;

use std::collections::BTreeSet;

use super::Draft;
use crate::{
    claim::chain::{Revision, graph::Graph},
    diag::RepoPath,
    rule::spec::ChainSpec,
};

/// What is to be joined.
pub struct Chained<'a> {
    /// The base's files in the folders of the chain, each with its content.
    pub base: &'a [(RepoPath, Vec<u8>)],
    /// The head's own files there.
    pub own: &'a [RepoPath],
    /// Further files that the head adds or changes: they may name its migrations.
    pub changed: &'a [RepoPath],
    /// What the tool calls the chain: Django's app label.
    pub label: &'a str,
}

/// Lets the head's revisions come after the base's last one. Gives what is left to do for a person.
///
/// # Errors
/// Why that can't be done, in words.
pub(crate) fn rechain(draft: &mut Draft<'_>, kind: ChainSpec, chained: &Chained<'_>) -> Result<Vec<String>, String> {
    match kind {
        ChainSpec::Alembic => alembic::rechain(draft, chained),
        ChainSpec::Django => django::rechain(draft, chained),
        ChainSpec::Drizzle => drizzle::rechain(draft, chained),
    }
}

/// A revision and its file.
#[derive(Clone, Debug)]
struct Link {
    path: RepoPath,
    revision: Revision,
}

/// The one revision that the base ends with.
fn end(links: &[Link]) -> Result<&Link, String> {
    let revisions: Vec<Revision> = links.iter().map(|link| link.revision.clone()).collect();
    let graph = Graph::new(&revisions);
    let heads: Vec<usize> = graph.components.iter().flat_map(|part| part.heads.iter().copied()).collect();
    match heads.as_slice() {
        [only] => Ok(&links[*only]),
        [] => Err("the base has no revision that it ends with".into()),
        several => {
            let ids: Vec<&str> = several.iter().map(|at| links[*at].revision.id.as_str()).collect();
            Err(format!("the base ends with several: {}; only a person can say which is meant", ids.join(", ")))
        }
    }
}

/// Lines of revisions, each in its order: in none of them does anything fork or join.
fn lines(links: &[Link]) -> Result<Vec<Vec<&Link>>, String> {
    let ids: BTreeSet<&str> = links.iter().map(|link| link.revision.id.as_str()).collect();
    for link in links {
        if link.revision.parents.len() > 1 {
            return Err(format!("`{}` joins several: only a person can say what it is to join now", link.path.lossy()));
        }
    }
    let parent = |link: &Link| link.revision.parents.first().cloned();
    let is_root = |link: &&Link| parent(link).is_none_or(|parent| !ids.contains(parent.as_str()));
    let mut all = Vec::new();
    for root in links.iter().filter(is_root) {
        let mut line = vec![root];
        while let Some(last) = line.last().filter(|_| line.len() <= links.len()) {
            let mut children = links.iter().filter(|link| parent(link).as_ref() == Some(&last.revision.id));
            match (children.next(), children.next()) {
                (Some(child), None) => line.push(child),
                (None, _) => break,
                (Some(a), Some(b)) => {
                    let (a, b) = (a.path.lossy(), b.path.lossy());
                    return Err(format!("the change forks in itself: `{a}` and `{b}` come after one"));
                }
            }
        }
        all.push(line);
    }
    match all.iter().map(Vec::len).sum::<usize>() == links.len() {
        true => Ok(all),
        false => Err("the change's revisions go round in a circle".into()),
    }
}

/// A text with other words in these places.
fn with(text: &str, mut places: Vec<(std::ops::Range<usize>, &str)>) -> String {
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut made = text.to_owned();
    places.into_iter().for_each(|(place, word)| made.replace_range(place, word));
    made
}

/// The text of a file of the head.
fn text(draft: &mut Draft<'_>, path: &RepoPath) -> Result<String, String> {
    draft.text(path)?.ok_or_else(|| format!("`{}` can't be read as text", path.lossy()))
}

/// Says that the base has to be merged first, if what the change now comes after is not there yet.
fn merge_first(draft: &mut Draft<'_>, end: &Link) -> Result<Vec<String>, String> {
    Ok(match draft.disk().read(&end.path)? {
        Some(_) => Vec::new(),
        None => {
            let (id, path) = (&end.revision.id, end.path.lossy());
            vec![format!(
                "merge the base before you run the tool: `{id}`, which the change now comes after, is only there ({path})"
            )]
        }
    })
}
