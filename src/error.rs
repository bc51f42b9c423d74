//! What ends a run before there is a report: one variant for each thing that a person can act on. Status 2.

use std::{borrow::Cow, fmt::Write as _, io, path::PathBuf};

use crate::config::Mistake;

/// Why there is no report. Its text holds no control characters, so that it can go to any terminal or log.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Fatal {
    /// The configuration can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(Box<Mistake>),
    /// A rule file can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    RuleFile(Box<Mistake>),
    /// The baseline can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Baseline(Box<Mistake>),
    /// There are two configurations, and nothing says which one counts.
    #[error("there are two configurations: {} and {}", visible(.first), visible(.second))]
    #[diagnostic(help("keep one of them, or name one with `--config`"))]
    TwoConfigs {
        /// The path of one, relative to the repository.
        first: String,
        /// The path of the other.
        second: String,
    },
    /// A path of the command line does not exist.
    #[error("no such file or folder: {}", visible(&.path.to_string_lossy()))]
    #[diagnostic(help("paths are relative to the current folder"))]
    NotFound {
        /// The path as it was given.
        path: PathBuf,
    },
    /// What was asked for needs git, and there is none here.
    #[error("not in a git repository: {}", visible(&.path.to_string_lossy()))]
    #[diagnostic(help("run it inside a repository, or leave out what needs one (`--base`, `--head`, `--staged`)"))]
    NoRepository {
        /// The folder in which the search began.
        path: PathBuf,
    },
    /// A workflow has no repository to judge.
    #[error("there is no git repository here")]
    #[diagnostic(help("check it out first: `uses: actions/checkout`, whose `path` has to be the folder of this step"))]
    NoCheckout,
    /// A branch, tag or commit that the repository does not know.
    #[error("no such branch, tag or commit: `{}`", visible(.name))]
    #[diagnostic()]
    UnknownRef {
        /// The name as it was given.
        name: String,
        /// What to do about it; see [`Fatal::unknown_ref`].
        #[help]
        help: String,
    },
    /// An age of the command line that is none.
    #[error("`{}` is no age", visible(.age))]
    #[diagnostic(help("write a whole number and a unit: 90m, 12h, 30d, 8w, 1y; or `all`"))]
    BadAge {
        /// The age as it was given.
        age: String,
    },
    /// Lines of work were asked for, and nothing says what they are to be merged into.
    #[error("there is no trunk here: neither origin/HEAD nor a branch main or master")]
    #[diagnostic(help("name it: `--base REF`, or `base = \"REF\"` in gatekeep.toml"))]
    NoTrunk,
    /// A rule or code of the command line that no rule has.
    #[error("no rule has the id or code `{}`", visible(.word))]
    #[diagnostic()]
    UnknownCode {
        /// The word as it was given.
        word: String,
        /// What to do about it; see [`Fatal::unknown_code`].
        #[help]
        help: String,
    },
    /// A link or folder stands where a file of the policy belongs.
    #[error("`{}` is no regular file: a link is not followed, and what it leads to is nobody's policy", visible(.path))]
    #[diagnostic(code(gatekeep::no_policy_file), help("put the file itself there"))]
    NoPolicyFile {
        /// Where it should be.
        path: String,
    },
    /// No lane has the name that was given to the agent.
    #[error("no lane is called `{}`", visible(.name))]
    #[diagnostic(code(gatekeep::unknown_agent))]
    UnknownAgent {
        /// The name as it was given.
        name: String,
        /// What to do about it; see [`Fatal::unknown_agent`].
        #[help]
        help: String,
    },
    /// What `fix` planned could not be done.
    #[error("the files can't be mended: {}", visible(.why))]
    #[diagnostic(code(gatekeep::not_fixed))]
    NotFixed {
        /// What stood in the way.
        why: String,
        /// What to do about it.
        #[help]
        help: String,
    },
    /// Nothing of the repository takes names of a namespace.
    #[error("`{}` lives nowhere in this repository", visible(.namespace))]
    #[diagnostic(code(gatekeep::no_root))]
    NoRoot {
        /// The id of the rule.
        namespace: String,
        /// What its rule looks for.
        #[help]
        help: String,
    },
    /// A namespace lives in several places, and nothing says which is meant.
    #[error("`{}` lives in {} places", visible(.namespace), .places)]
    #[diagnostic(code(gatekeep::several_roots))]
    SeveralRoots {
        /// The id of the rule.
        namespace: String,
        /// How many there are.
        places: usize,
        /// What to write instead.
        #[help]
        help: String,
    },
    /// A folder of the command line in which a namespace does not live.
    #[error("`{}` does not live in `{}`", visible(.namespace), visible(.root))]
    #[diagnostic(code(gatekeep::unknown_root))]
    UnknownRoot {
        /// The id of the rule.
        namespace: String,
        /// The folder as it was given.
        root: String,
        /// Where it does.
        #[help]
        help: String,
    },
    /// There is no next name.
    #[error("nothing comes next in `{}`: {}", visible(.namespace), visible(.why))]
    #[diagnostic(code(gatekeep::no_next))]
    NoNext {
        /// The id of the rule.
        namespace: String,
        /// Why.
        why: String,
        /// What to do about it.
        #[help]
        help: String,
    },
    /// A word of the command line that can't be used for what it is meant.
    #[error("`{}` can't be used as {}: {}", visible(.word), .what, visible(.why))]
    #[diagnostic(code(gatekeep::unfit))]
    Unfit {
        /// What it is meant for, such as "a key of goose".
        what: String,
        /// The word as it was given.
        word: String,
        /// Why it can't be used.
        why: String,
        /// What to do about it.
        #[help]
        help: String,
    },
    /// A remote that the repository does not know.
    #[error("no such remote: `{}`", visible(.name))]
    #[diagnostic(code(gatekeep::unknown_remote))]
    UnknownRemote {
        /// The name as it was given.
        name: String,
        /// What to do about it; see [`Fatal::unknown_remote`].
        #[help]
        help: String,
    },
    /// There are several remotes, and nothing says which one all share.
    #[error("there are several remotes, and none is called origin: {}", visible(&.names.join(", ")))]
    #[diagnostic(
        code(gatekeep::several_remotes),
        help("name the one that all share: `--remote NAME`, or `--reservations=NAME` with a scan")
    )]
    SeveralRemotes {
        /// Their names.
        names: Vec<String>,
    },
    /// A pattern for branches that does not compile.
    #[error("the pattern `{}` can't be used: {}", visible(.glob), visible(.why))]
    #[diagnostic(help(
        "`*` stands for any letters, `/` too: `agent/*` matches `agent/ps3/users` and `origin/agent/ps3`"
    ))]
    BranchGlob {
        /// The pattern as it was given.
        glob: String,
        /// What is wrong with it.
        why: String,
    },
    /// Branches are stored in a way that can't be read.
    #[error("the branches are stored as `{}`, which can't be read yet", visible(.storage))]
    #[diagnostic(help("`git refs migrate --ref-format=files` stores them as files"))]
    RefStorage {
        /// What the repository's configuration calls it.
        storage: String,
    },
    /// A report can't be written. A verdict that nobody can read is none.
    #[error("can't write {}: {source}", visible(&.path.to_string_lossy()))]
    #[diagnostic(help("check that the folder exists and may be written to"))]
    Output {
        /// Where it should have gone.
        path: PathBuf,
        /// The system's word on it.
        source: io::Error,
    },
    /// A remote did not give what was asked of it.
    #[error("the remote `{}` did not give what is needed: {}", visible(.name), visible(.why))]
    #[diagnostic(help("`git fetch` by hand shows whether it can be reached, and who you are there"))]
    Remote {
        /// Its name.
        name: String,
        /// git's word on it.
        why: String,
    },
    /// The event that is to be judged can't be read.
    #[error("{}", visible(.0))]
    #[diagnostic(help(
        "`gatekeep ci` runs on GitHub Actions, for pull requests, pushes, merge groups and schedules; elsewhere use `gatekeep scan`"
    ))]
    Event(String),
    /// The program git is needed, and is not there.
    #[error("the program `git` was not found")]
    #[diagnostic(help("install git, or add its folder to PATH"))]
    NoGit,
    /// git's data can't be read.
    #[error("git: {}", visible(.0))]
    #[diagnostic(help("`git fsck` tells whether the repository is sound"))]
    Git(String),
    /// A file that the run can't do without can't be read.
    #[error("can't read {}: {source}", visible(&.path.to_string_lossy()))]
    #[diagnostic(help("check that the file exists and may be read"))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's word on it.
        source: io::Error,
    },
}

impl Fatal {
    /// An unknown branch, tag or commit, with the nearest of the known ones.
    pub fn unknown_ref(name: &str, nearest: Option<&str>) -> Self {
        let help = match nearest {
            Some(near) => format!("did you mean `{}`?", visible(near)),
            None => "`git branch --all` lists the branches; one that was never fetched is not known here".into(),
        };
        Self::UnknownRef { name: name.into(), help }
    }

    /// An unknown remote, with the nearest of the known ones.
    pub fn unknown_remote<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        let names: Vec<&str> = known.clone().collect();
        let help = match (crate::config::nearest(name, known), names.as_slice()) {
            (Some(near), _) => format!("did you mean `{}`?", visible(near)),
            (None, []) => "`git remote add origin URL` tells of one".into(),
            (None, names) => format!("there are: {}", visible(&names.join(", "))),
        };
        Self::UnknownRemote { name: name.into(), help }
    }

    /// An unknown rule or code, with the nearest of the known ones.
    pub fn unknown_code(word: &str, nearest: Option<&str>) -> Self {
        Self::UnknownCode { word: word.into(), help: help_for_code(nearest) }
    }

    /// An agent without a lane, with the nearest of those that there are.
    pub fn unknown_agent(name: &str, nearest: Option<&str>) -> Self {
        let help = match nearest {
            Some(near) => format!("did you mean `{}`?", visible(near)),
            None => format!("give it a table `[agents.{}]` in gatekeep.toml, on the base", visible(name)),
        };
        Self::UnknownAgent { name: name.into(), help }
    }

    /// Message and help as plain lines, for a log or for a terminal without colours.
    pub fn plain(&self) -> String {
        let mut text = format!("error: {self}\n");
        if let Some(help) = miette::Diagnostic::help(self) {
            text.push_str(&format!("help: {help}\n"));
        }
        text
    }
}

/// What to do about an id or code that no rule has.
pub(crate) fn help_for_code(nearest: Option<&str>) -> String {
    match nearest {
        Some(near) => format!("did you mean `{}`?", visible(near)),
        None => "`gatekeep rules list` shows all rules and their codes".into(),
    }
}

/// The text with everything escaped that could move a cursor, change a colour, start a line or turn the direction of writing; and a `##[`, which
/// a GitHub runner takes for a command wherever it stands in a line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(COMMAND) {
        return Cow::Owned(visible(&text.replace(COMMAND, "#\\u{23}[")).into_owned());
    }
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_invisible(c) {
            let _ = write!(shown, "{}", c.escape_default()); // writing to a String can't fail
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// What begins a workflow command of the old form.
const COMMAND: &str = "##[";

/// Control characters, line separators, direction marks, and the letters that no font shows.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_letters_kept() {
        assert_eq!(visible("a\x1b[31m\nb\u{202e}c\u{9b}"), "a\\u{1b}[31m\\nb\\u{202e}c\\u{9b}");
        assert!(matches!(visible("日本 é `x`"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_command_of_a_runner_is_left() {
        assert_eq!(visible("a ##[error]b\n###[c #[d"), "a #\\u{23}[error]b\\n##\\u{23}[c #[d");
    }

    #[test]
    fn every_message_is_one_safe_line_and_carries_its_help() {
        let hostile = "x\x1b]0;pwned\x07\n::error::y";
        let io = || io::Error::from(io::ErrorKind::PermissionDenied);
        let all = [
            Fatal::TwoConfigs { first: hostile.into(), second: "b".into() },
            Fatal::NotFound { path: hostile.into() },
            Fatal::NoRepository { path: hostile.into() },
            Fatal::unknown_ref(hostile, Some(hostile)),
            Fatal::unknown_ref(hostile, None),
            Fatal::unknown_code(hostile, Some(hostile)),
            Fatal::NoPolicyFile { path: hostile.into() },
            Fatal::unknown_agent(hostile, None),
            Fatal::unknown_agent(hostile, Some(hostile)),
            Fatal::BranchGlob { glob: hostile.into(), why: hostile.into() },
            Fatal::RefStorage { storage: hostile.into() },
            Fatal::NoRoot { namespace: hostile.into(), help: "h".into() },
            Fatal::SeveralRoots { namespace: hostile.into(), places: 2, help: "h".into() },
            Fatal::UnknownRoot { namespace: hostile.into(), root: hostile.into(), help: "h".into() },
            Fatal::NoNext { namespace: hostile.into(), why: hostile.into(), help: "h".into() },
            Fatal::Unfit { what: "a key".into(), word: hostile.into(), why: hostile.into(), help: "h".into() },
            Fatal::unknown_remote(hostile, [hostile, "x"].into_iter()),
            Fatal::SeveralRemotes { names: vec![hostile.into()] },
            Fatal::Output { path: hostile.into(), source: io() },
            Fatal::Remote { name: hostile.into(), why: hostile.into() },
            Fatal::Event(hostile.into()),
            Fatal::NotFixed { why: hostile.into(), help: "h".into() },
            Fatal::NoGit,
            Fatal::NoCheckout,
            Fatal::Git(hostile.into()),
            Fatal::Io { path: hostile.into(), source: io() },
        ];
        for fatal in all {
            let text = fatal.plain();
            assert_eq!(text.lines().count(), 2, "{text:?}");
            assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
            assert!(text.contains("\nhelp: "), "{text:?}");
        }
    }
}
