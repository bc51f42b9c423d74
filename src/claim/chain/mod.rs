//! Names in a chain: revisions that say which others they come after, as Alembic's and Django's migrations do.

pub mod alembic;
pub mod django;
pub mod drizzle;
pub mod graph;
mod python;

use std::ops::Range;

/// One link of a chain, in the terms that all tools share. Ids are those of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// The name that others refer to.
    pub id: String,
    /// The bytes of the file that say so; for Django, whose id is the file's name, the dependencies.
    pub id_span: Range<usize>,
    /// What this comes after. None for a base.
    pub parents: Vec<String>,
    /// What else has to be there, by its id or a label of its branch, and stays a head all the same: Alembic's `depends_on`.
    pub depends: Vec<String>,
    /// What this stands for: those are no links of their own any more.
    pub replaces: Vec<String>,
    /// What comes after this, though it does not say so itself.
    pub run_before: Vec<String>,
    /// Names of the branch that begins or goes on here.
    pub labels: Vec<String>,
    /// Whose chain it is where a folder's name does not tell: Django's app label.
    pub group: Option<String>,
}

impl Revision {
    /// What has to be there for this one: what it comes after, then what it depends on.
    pub fn needs(&self) -> impl Iterator<Item = &str> {
        self.parents.iter().chain(&self.depends).map(String::as_str)
    }

    /// The names by which others need this one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.replaces).chain(&self.labels).map(String::as_str)
    }
}

/// What a file is to a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed<T> {
    /// No link of the chain.
    NotOne,
    /// A link, but its text does not tell which: the chain can't be judged. Says why, in a few words.
    Unclear(String),
    /// A link.
    Revision(T),
}

impl<T> Parsed<T> {
    fn from_result(result: Result<T, String>) -> Self {
        match result {
            Ok(revision) => Self::Revision(revision),
            Err(reason) => Self::Unclear(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_a_reader_panic(
            text in "(class Migration\\(|\n    dependencies ?[=:+.]|\n(down_)?revision ?[=:]|branch_labels =|[rf]?['\"é\\\\#(), \n\rx;]|\\[|\\]|'''|\"\"\"|None|swappable_dependency\\(|\\('a', 'b'\\)){0,24}"
        ) {
            let _ = super::alembic::parse("x", text.as_bytes());
            let _ = super::django::parse("x", text.as_bytes());
        }

        #[test]
        fn no_snapshot_makes_a_reader_panic(text in "([{}\\[\\],:\"\\\\é \n]|\"id\":|\"prevId\":|\"a\"){0,24}") {
            let _ = super::drizzle::parse(text.as_bytes());
        }
    }
}
