//! Whose change it is.

use globset::GlobBuilder;

use crate::{
    config::{Config, change::Agent},
    rule::change::Signals,
    source::Commit,
};

/// What points to a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It was named for this run.
    Named,
    /// The branch.
    Branch(String),
    /// Who opened the pull request.
    Login(String),
    /// Who wrote a commit.
    Author(String),
    /// A line at the end of a commit's message.
    Trailer(String),
}

impl Sign {
    /// As a phrase that follows "by".
    pub fn words(&self) -> String {
        match self {
            Self::Named => "the name given to this run".to_owned(),
            Self::Branch(name) => format!("its branch `{name}`"),
            Self::Login(name) => format!("`{name}`, who opened it"),
            Self::Author(name) => format!("`{name}`, who wrote a commit"),
            Self::Trailer(line) => format!("`{line}` in a commit"),
        }
    }
}

/// A lane that claims a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane<'c> {
    pub(super) name: &'c str,
    pub(super) agent: &'c Agent,
}

/// The lanes that claim a change.
#[derive(Debug, Default)]
pub struct Who<'c> {
    /// In the order of their names, each with the first of its signs in the order of [`Sign`].
    pub(super) lanes: Vec<(Lane<'c>, Sign)>,
    /// A name that was given for this run and is no lane's.
    pub(super) unknown: Option<String>,
}

impl Who<'_> {
    /// Whether a lane claims the change.
    pub fn is_of(&self, lane: &str) -> bool {
        self.lanes.iter().any(|(one, _)| one.name == lane)
    }

    /// The names of the lanes, each with what points to it.
    pub fn lanes(&self) -> impl ExactSizeIterator<Item = (&str, &Sign)> {
        self.lanes.iter().map(|(lane, sign)| (lane.name, sign))
    }
}

/// The lanes that any sign points to. Nothing is decided between signs that disagree: all lanes named claim the change.
pub fn lanes_of<'c>(signals: &Signals, commits: &[Commit], config: &'c Config) -> Who<'c> {
    let lanes = config.agents.iter().map(|(name, agent)| Lane { name: name.get_ref(), agent });
    let lanes = lanes.filter_map(|lane| Some((lane, sign(lane, signals, commits)?))).collect();
    let is_lane = |name: &str| config.agents.keys().any(|lane| lane.get_ref() == name);
    let unknown = signals.agent.clone().filter(|name| !config.agents.is_empty() && !is_lane(name));
    Who { lanes, unknown }
}

/// The first sign that points to a lane.
fn sign(lane: Lane<'_>, signals: &Signals, commits: &[Commit]) -> Option<Sign> {
    let Lane { name, agent } = lane;
    if signals.agent.as_deref() == Some(name) {
        return Some(Sign::Named);
    }
    if let Some(branch) = signals.branch.as_ref().filter(|branch| is_branch(&agent.branches, branch)) {
        return Some(Sign::Branch(branch.clone()));
    }
    let same_login = |login: &&String| agent.logins.iter().any(|known| known.eq_ignore_ascii_case(login));
    if let Some(login) = signals.login.as_ref().filter(same_login) {
        return Some(Sign::Login(login.clone()));
    }
    if let Some(commit) = commits.iter().find(|commit| is_author(&agent.authors, commit)) {
        return Some(Sign::Author(if commit.author.is_empty() { commit.email.clone() } else { commit.author.clone() }));
    }
    let meant = |line: &&str| agent.trailers.iter().any(|known| is_trailer(known, line));
    commits.iter().flat_map(Commit::trailers).find(meant).map(|line| Sign::Trailer(line.to_owned()))
}

/// Whether a glob of the lane matches a branch; `*` crosses `/`. Globs that do not compile were refused with the configuration.
fn is_branch(globs: &[String], branch: &str) -> bool {
    let matches = |glob: &String| {
        let glob = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build();
        glob.is_ok_and(|glob| glob.compile_matcher().is_match(branch))
    };
    globs.iter().any(matches)
}

/// Whether an author is meant: by name, or by address, in which case does not count. Only `*` is special, because names hold
/// brackets: `dependabot[bot]`.
fn is_author(patterns: &[String], commit: &Commit) -> bool {
    let meant = |pattern: &String| {
        let address = || starred(&pattern.to_lowercase(), &commit.email.to_lowercase());
        starred(pattern, &commit.author) || (pattern.contains('@') && address())
    };
    patterns.iter().any(meant)
}

/// Whether a text is this pattern, in which `*` stands for anything. Each part is taken where it comes first, so that the time
/// grows with the product of the lengths at most.
fn starred(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text.strip_prefix(start).and_then(|text| text.strip_suffix(end)) else { return false };
    middle.split('*').all(|part| match text.find(part) {
        Some(at) => {
            text = &text[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Whether a line is this trailer: as for git, the case of its key does not count.
fn is_trailer(known: &str, line: &str) -> bool {
    let parts =
        |text: &str| text.split_once(':').map(|(key, value)| (key.trim().to_lowercase(), value.trim().to_owned()));
    parts(known).is_some() && parts(known) == parts(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigFile;

    const LANES: &str = r#"
[agents.ops]
branches = ["agent/ops/*", "ops"]
logins = ["ops-bot"]
[agents.ps3]
branches = ["agent/ps3/*"]
authors = ["Agent PS3", "ps3@*"]
trailers = ["Agent: ps3"]
"#;

    fn commit(author: &str, email: &str, message: &str) -> Commit {
        let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
        let (author, email, message) = (author.into(), email.into(), message.into());
        Commit { id, parents: Vec::new(), time: 0, author, email, message }
    }

    fn who(signals: Signals, commits: &[Commit]) -> (Vec<(String, Sign)>, Option<String>) {
        let file =
            ConfigFile::parse("gatekeep.toml", LANES.as_bytes()).unwrap_or_else(|fatal| panic!("{}", fatal.plain()));
        let who = lanes_of(&signals, commits, &file.config);
        (who.lanes().map(|(name, sign)| (name.to_owned(), sign.clone())).collect(), who.unknown)
    }

    fn branch(name: &str) -> Signals {
        Signals { branch: Some(name.into()), ..Signals::default() }
    }

    #[test]
    fn each_sign_points_to_its_lane() {
        let ps3 = |sign| (vec![("ps3".to_owned(), sign)], None);
        assert_eq!(who(branch("agent/ps3/a/b"), &[]), ps3(Sign::Branch("agent/ps3/a/b".into())), "`*` crosses `/`");
        let named = Signals { agent: Some("ps3".into()), ..branch("feature") };
        assert_eq!(who(named, &[]), ps3(Sign::Named));
        let login = Signals { login: Some("Ops-Bot".into()), ..branch("feature") };
        assert_eq!(who(login, &[]).0, [("ops".to_owned(), Sign::Login("Ops-Bot".into()))]);
        assert_eq!(who(branch("x"), &[commit("Agent PS3", "a@b", "m")]), ps3(Sign::Author("Agent PS3".into())));
        assert_eq!(
            who(branch("x"), &[commit("Somebody", "PS3@bots.example", "m")]),
            ps3(Sign::Author("Somebody".into()))
        );
        assert_eq!(who(branch("x"), &[commit("", "a", "m\n\nagent: ps3\n")]), ps3(Sign::Trailer("agent: ps3".into())));
    }

    #[test]
    fn what_only_looks_like_a_sign_points_nowhere() {
        for name in ["agent/ps3", "agent/ps33/x", "x/agent/ps3/y", "OPS"] {
            assert_eq!(who(branch(name), &[]), (Vec::new(), None), "{name}");
        }
        let others = [
            commit("Agent PS33", "ps3x@a", "Agent: ps3"),
            commit("ps3", "", "m\n\nSee Agent: ps3 for more\n"),
            commit("ops-bot", "a@b", "m\n\nAgent: ps3\n\nand a last word"),
        ];
        assert_eq!(who(Signals::default(), &others), (Vec::new(), None));
    }

    #[test]
    fn stars_stand_for_anything_and_brackets_for_themselves() {
        for (pattern, text) in
            [("*", ""), ("a*", "a"), ("*[bot]", "x[bot]"), ("a*b*c", "a-b-b-c"), ("*a*", "bab"), ("a**c", "abc")]
        {
            assert!(starred(pattern, text), "{pattern} is {text}");
        }
        for (pattern, text) in
            [("a", "ab"), ("x[bot]", "xb"), ("a*a", "a"), ("a*b*c", "acb"), ("*ab*b", "ab"), ("", "a")]
        {
            assert!(!starred(pattern, text), "{pattern} is not {text}");
        }
    }

    #[test]
    fn signs_that_disagree_name_all_lanes() {
        let signals = Signals { agent: Some("ps3".into()), ..branch("agent/ops/x") };
        let both = vec![("ops".to_owned(), Sign::Branch("agent/ops/x".into())), ("ps3".to_owned(), Sign::Named)];
        assert_eq!(who(signals, &[]), (both, None));
    }

    #[test]
    fn a_name_of_no_lane_is_told() {
        let signals = Signals { agent: Some("ps33".into()), ..Signals::default() };
        assert_eq!(who(signals.clone(), &[]), (Vec::new(), Some("ps33".into())));
        let none = Config::default();
        assert_eq!(lanes_of(&signals, &[], &none).unknown, None, "without lanes nothing was meant to be restricted");
    }
}
