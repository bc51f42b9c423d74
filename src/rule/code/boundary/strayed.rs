//! What a change that was merged long ago did outside the lanes of those who made it.
//!
//! History knows less than a pull request does: one commit can be the work of several. So a file counts against a lane only where no
//! other lane that may have changed it was allowed to.

use std::collections::BTreeMap;

use super::{
    verdict::Verdict,
    who::{Sign, Who},
    whose::owning,
};
use crate::{config::Config, diag::RepoPath, report::audit::OutsideFile};

/// A part of a change, and the lanes that claim it.
#[derive(Debug)]
pub struct Part<'c> {
    /// The lanes.
    pub who: Who<'c>,
    /// The files that the part touches, sorted; none where it is the whole change.
    pub paths: Option<Vec<RepoPath>>,
}

impl Part<'_> {
    fn touches(&self, path: &RepoPath) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.binary_search(path).is_ok())
    }
}

/// What was done outside of one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strayed {
    /// The name of the lane.
    pub agent: String,
    /// What points to it: the sign of the first part that strayed.
    pub sign: Sign,
    /// The files, sorted by path.
    pub files: Vec<OutsideFile>,
}

/// What a change did outside of lanes, by their names. `paths` are those that it changed, sorted, both sides of a move.
pub fn strayed(config: &Config, paths: &[RepoPath], parts: &[Part<'_>]) -> Vec<Strayed> {
    let mut all: BTreeMap<&str, Strayed> = BTreeMap::new();
    for path in paths {
        let claims = parts.iter().filter(|part| part.touches(path)).flat_map(|part| &part.who.lanes);
        let judged: Vec<_> = claims.map(|(lane, sign)| (lane.name, sign, lane.verdict(path.as_bytes()))).collect();
        if judged.iter().any(|(_, _, verdict)| *verdict == Verdict::Inside) {
            continue;
        }
        for (name, sign, verdict) in judged {
            let never = match verdict {
                Verdict::Never => true,
                Verdict::Outside => false,
                Verdict::Inside | Verdict::Free => continue,
            };
            let new = || Strayed { agent: name.to_owned(), sign: sign.clone(), files: Vec::new() };
            let files = &mut all.entry(name).or_insert_with(new).files;
            if files.last().is_none_or(|last| last.path != *path) {
                let owners = owning(config, path.as_bytes()).into_iter().map(str::to_owned).collect();
                files.push(OutsideFile { path: path.clone(), never, owners });
            }
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::ConfigFile, rule::change::Signals, rule::code::boundary::lanes_of};

    const LANES: &str = r#"
[agents.free]
branches = ["free"]
never = ["secret"]
[agents.ops]
branches = ["ops"]
owns = [".github/**"]
[agents.ps3]
branches = ["ps3"]
owns = ["lib/**"]
may-touch = ["README.md"]
never = ["lib/frozen"]
"#;

    /// What is said of these paths, each part as a branch and what it touches; one line a file.
    fn said(paths: &[&str], parts: &[(&str, Option<&[&str]>)]) -> Vec<String> {
        let file = ConfigFile::parse("gatekeep.toml", LANES.as_bytes()).unwrap_or_else(|why| panic!("{}", why.plain()));
        let all = |paths: &[&str]| paths.iter().map(|path| (*path).into()).collect::<Vec<RepoPath>>();
        let part = |(branch, paths): &(&str, Option<&[&str]>)| {
            let signals = Signals { branch: Some((*branch).to_owned()), ..Signals::default() };
            Part { who: lanes_of(&signals, &[], &file.config), paths: paths.map(&all) }
        };
        let parts: Vec<Part<'_>> = parts.iter().map(part).collect();
        let line = |one: &Strayed, file: &OutsideFile| {
            let never = if file.never { " never" } else { "" };
            format!("{} {}{never} [{}]", one.agent, file.path.lossy(), file.owners.join(", "))
        };
        let strayed = strayed(&file.config, &all(paths), &parts);
        strayed.iter().flat_map(|one| one.files.iter().map(move |file| line(one, file))).collect()
    }

    #[test]
    fn what_lies_outside_is_told_with_its_owner() {
        let paths = [".github/ci.yml", "README.md", "lib/a", "lib/frozen", "other"];
        let expected = ["ps3 .github/ci.yml [ops]", "ps3 lib/frozen never [ps3]", "ps3 other []"];
        assert_eq!(said(&paths, &[("ps3", None)]), expected);
        assert_eq!(said(&paths, &[("free", None)]), [""; 0]);
        assert_eq!(said(&["secret"], &[("free", None)]), ["free secret never []"]);
        assert_eq!(said(&paths, &[("people", None)]), [""; 0]);
        assert_eq!(said(&paths, &[]), [""; 0]);
    }

    #[test]
    fn a_part_answers_for_its_own_files_and_nobody_for_what_one_of_them_may_change() {
        let paths = [".github/ci.yml", "lib/a", "other"];
        let parts = [("ps3", Some(&["lib/a", "gone"][..])), ("ops", Some(&[".github/ci.yml", "other"][..]))];
        assert_eq!(said(&paths, &parts), ["ops other []"]);
        assert_eq!(said(&paths, &[("ps3", None), ("ops", None)]), ["ops other []", "ps3 other []"]);
        assert_eq!(said(&paths, &[("ps3", None), ("ps3", None)]), ["ps3 .github/ci.yml [ops]", "ps3 other []"]);
        // a lane that restricts nothing allows nothing either
        assert_eq!(said(&["other"], &[("ps3", None), ("free", None)]), ["ps3 other []"]);
    }
}
