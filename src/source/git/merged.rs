//! Which branches a commit says that it merged.

use super::Commit;

/// Longest first line that is read, in characters.
const LINE: usize = 1000;

impl Commit {
    /// The names of the branches that the first line of the message says were merged, without a remote's or an owner's name: as git,
    /// GitHub, GitLab and Bitbucket write it. Empty where it says nothing of the kind. The names are whatever was written there.
    pub fn merged_branches(&self) -> Vec<String> {
        merged(&self.subject(LINE)).into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

fn merged(line: &str) -> Vec<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("Merge pull request #") {
        return pull_request(rest).into_iter().collect();
    }
    if let Some(rest) = line.strip_prefix("Merged in ") {
        return rest.split_once(" (pull request #").map(|(name, _)| name).into_iter().collect();
    }
    let Some(rest) = line.strip_prefix("Merge ") else { return Vec::new() };
    for kind in ["branch ", "branches "] {
        if let Some(names) = rest.strip_prefix(kind) {
            return quoted(names);
        }
    }
    for kind in ["remote-tracking branch ", "remote-tracking branches "] {
        if let Some(names) = rest.strip_prefix(kind) {
            return quoted(names).into_iter().map(without_first).collect();
        }
    }
    // by hand: `Merge agent/ps3`, `Merge agent/ps3 into main`
    match rest.split(' ').collect::<Vec<_>>()[..] {
        [name] | [name, "into", _] => vec![name.trim_matches('\'')],
        _ => Vec::new(),
    }
}

/// Of `12 from owner/agent/ps3` (GitHub), or `12 in PROJECT/repo from agent/ps3 to main` (Bitbucket).
fn pull_request(rest: &str) -> Option<&str> {
    let (number, from) = rest.split_once(" from ")?;
    let name = from.split(' ').next()?;
    Some(if number.contains(" in ") { name } else { without_first(name) })
}

fn without_first(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

/// The names at the beginning of `'a', 'b' and 'c' into d`.
fn quoted(mut text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    while let Some((name, rest)) = text.strip_prefix('\'').and_then(|text| text.split_once('\'')) {
        names.push(name);
        let Some(next) = [", ", " and "].iter().find_map(|between| rest.strip_prefix(between)) else { break };
        text = next;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn merges_name_their_branches() {
        for (line, names) in [
            ("Merge branch 'agent/ps3/x'", &["agent/ps3/x"][..]),
            ("Merge branch 'agent/ps3/x' into main", &["agent/ps3/x"]),
            ("Merge branch 'agent/ps3/x' into 'main'", &["agent/ps3/x"]),
            ("Merge branch 'x' of https://example.org/a/b into y", &["x"]),
            ("Merge branches 'a', 'b/c' and 'd' into e", &["a", "b/c", "d"]),
            ("Merge remote-tracking branch 'origin/agent/ps3/x' into main", &["agent/ps3/x"]),
            ("Merge pull request #12 from org/agent/ps3/x", &["agent/ps3/x"]),
            ("Merge pull request #12 in PRO/repo from agent/ps3/x to main", &["agent/ps3/x"]),
            ("Merged in agent/ps3/x (pull request #12)", &["agent/ps3/x"]),
            ("Merge agent/ps3", &["agent/ps3"]),
            ("Merge agent/ps3 into main", &["agent/ps3"]),
        ] {
            assert_eq!(merged(line), names, "{line}");
        }
    }

    #[test]
    fn what_is_no_merge_names_none() {
        for line in [
            "",
            "Merge",
            "Merge ",
            "Merge the agent/ps3 things",
            "Merge branch agent/ps3",
            "Merge branch 'agent/ps3",
            "Merge tag 'v1'",
            "Merge pull request #12",
            "Revert \"Merge branch 'agent/ps3/x'\"",
            "Fix: Merge branch 'agent/ps3/x'",
            "Merged in agent/ps3/x",
        ] {
            assert!(merged(line).iter().all(|name| name.is_empty()), "{line}: {:?}", merged(line));
        }
    }
}
