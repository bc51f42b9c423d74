//! Whose a path is, in the words of the files that say so: `CODEOWNERS` as GitHub and as GitLab read it, and the fences in
//! Claude Code's settings. Pure: bytes in, owners out.

pub mod claude;
pub mod github;
pub mod gitlab;

use bstr::ByteSlice;

/// Longest pattern that is read, in bytes: no path of a file system is longer.
const PATTERN_LIMIT: usize = 4096;

/// Where the hosts look for owners.
pub const PLACES: [&str; 4] = ["CODEOWNERS", "docs/CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// What a file of owners says of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Somebody owns it.
    Owned {
        /// As they are written, each once: `@user`, `@org/team`, `@@role` or an address.
        owners: Vec<String>,
        /// The line that says so, from 1; the first one where several sections do.
        line: usize,
    },
    /// A rule says that nobody owns it: the line, from 1.
    Unowned(usize),
    /// No rule is about it.
    NoRule,
}

/// A line that the host skips, or reads otherwise than it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// What is wrong with it, for a person to read.
    pub why: String,
}

/// Who reads a `CODEOWNERS`: the two do not mean the same by one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A pattern with a slash inside hangs from the top, and a name owns all below it.
    GitHub,
    /// Every pattern without a leading slash floats, and a name owns a file of that name.
    GitLab,
}

/// Owners of the one file that counts.
#[derive(Clone, Debug)]
pub enum CodeOwners {
    /// As GitHub reads them.
    GitHub(github::CodeOwners),
    /// As GitLab reads them.
    GitLab(gitlab::CodeOwners),
}

/// Which file counts in a repository, and who reads it; none where there is no such file. `holds` tells of a path whether a
/// file or folder is there.
///
/// Of two hosts that could read one file, GitLab is taken only where its pipeline is there and nothing of GitHub's.
pub fn locate(holds: &dyn Fn(&str) -> bool) -> Option<(Host, &'static str)> {
    let gitlab = gitlab::place(holds).map(|place| (Host::GitLab, place));
    let github = github::place(holds).map(|place| (Host::GitHub, place));
    let is_gitlab = (holds(".gitlab-ci.yml") || holds(".gitlab")) && !holds(".github");
    if is_gitlab { gitlab.or(github) } else { github.or(gitlab) }
}

impl CodeOwners {
    /// Reads the file that [`locate`] found.
    ///
    /// # Errors
    /// See [`github::CodeOwners::parse`].
    pub fn parse(host: Host, text: &[u8]) -> Result<Self, github::TooLarge> {
        Ok(match host {
            Host::GitHub => Self::GitHub(github::CodeOwners::parse(text)?),
            Host::GitLab => Self::GitLab(gitlab::CodeOwners::parse(text)),
        })
    }

    /// Whose this path is.
    pub fn owners_of(&self, path: &[u8]) -> Ownership {
        match self {
            Self::GitHub(owners) => owners.owners_of(path),
            Self::GitLab(owners) => owners.owners_of(path),
        }
    }

    /// Whether a line names an owner of anything.
    pub fn owns_anything(&self) -> bool {
        match self {
            Self::GitHub(owners) => owners.owns_anything(),
            Self::GitLab(owners) => owners.owns_anything(),
        }
    }

    /// The lines that do not do what they look like, in order.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::GitHub(owners) => owners.faults(),
            Self::GitLab(owners) => owners.faults(),
        }
    }
}

/// The lines of a file that say something, trimmed, with their numbers from 1. Comments and blank lines are left out.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = (1..).zip(text.split(|byte| *byte == b'\n')).map(|(number, line)| (number, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(b"#"))
}

/// How many bytes the first character takes; an invalid one counts as one. Zero at the end.
fn first_character(text: &[u8]) -> usize {
    bstr::decode_utf8(text).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(paths: &[&str]) -> Option<(Host, &'static str)> {
        locate(&|asked| paths.iter().any(|path| *path == asked || path.starts_with(&format!("{asked}/"))))
    }

    #[test]
    fn the_first_place_that_holds_one_counts() {
        let all = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
        assert_eq!(located(&all), Some((Host::GitHub, ".github/CODEOWNERS")));
        assert_eq!(located(&all[1..]), Some((Host::GitHub, "CODEOWNERS")));
        assert_eq!(located(&all[2..]), Some((Host::GitHub, "docs/CODEOWNERS")));
        assert_eq!(located(&["README.md", "src/CODEOWNERS"]), None);
    }

    #[test]
    fn a_repository_with_a_pipeline_of_gitlab_alone_is_gitlabs() {
        let on_gitlab = |rest: &[&str]| located(&[&[".gitlab-ci.yml", "CODEOWNERS"], rest].concat());
        assert_eq!(on_gitlab(&[]), Some((Host::GitLab, "CODEOWNERS")));
        assert_eq!(on_gitlab(&[".github/workflows/ci.yml"]), Some((Host::GitHub, "CODEOWNERS")));
        assert_eq!(located(&[".gitlab/CODEOWNERS"]), Some((Host::GitLab, ".gitlab/CODEOWNERS")));
        assert_eq!(
            located(&[".gitlab/CODEOWNERS", "docs/CODEOWNERS"]),
            Some((Host::GitLab, "docs/CODEOWNERS")),
            "GitLab looks into its own folder last"
        );
    }

    #[test]
    fn the_places_are_those_of_both_hosts() {
        let all: std::collections::BTreeSet<&str> = github::PLACES.into_iter().chain(gitlab::PLACES).collect();
        assert_eq!(all, PLACES.into_iter().collect());
    }

    #[test]
    fn a_file_can_own_nothing() {
        let owns =
            |host, text: &str| CodeOwners::parse(host, text.as_bytes()).is_ok_and(|owners| owners.owns_anything());
        for host in [Host::GitHub, Host::GitLab] {
            assert!(owns(host, "* @x\n"));
            for nothing in ["", "# * @x\n", "*\n", "docs/\n\n"] {
                assert!(!owns(host, nothing), "{nothing:?}");
            }
        }
        assert!(owns(Host::GitLab, "[Docs] @x\ndocs/\n") && !owns(Host::GitLab, "[Docs] @x\n"));
    }

    #[test]
    fn hosts_differ_on_one_line() {
        let of = |host, path: &[u8]| CodeOwners::parse(host, b"docs/a @x\n").map(|owners| owners.owners_of(path));
        let owned = Ok(Ownership::Owned { owners: vec!["@x".into()], line: 1 });
        assert_eq!(of(Host::GitHub, b"docs/a/b"), owned);
        assert_eq!(of(Host::GitLab, b"docs/a/b"), Ok(Ownership::NoRule));
        assert_eq!(of(Host::GitLab, b"web/docs/a"), owned);
        assert_eq!(of(Host::GitHub, b"web/docs/a"), Ok(Ownership::NoRule));
    }
}
