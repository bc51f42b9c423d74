//! Lanes that history suggests, as a part of the configuration that says nothing until a person takes the comment signs away.

use std::fmt::Write as _;

use super::counted;
use crate::{
    engine::learned::{DAYS, Learned, LearnedLane},
    report::escape::terminal,
};

/// The part of the proposal; empty where nothing was learned.
pub(super) fn proposal(learned: &Learned) -> String {
    if learned.lanes.is_empty() {
        return String::new();
    }
    let from = format!("{} and {}", branches(learned.branches), counted(learned.commits, "commit"));
    let mut text = format!(
        "\n# Lanes: who changes what. They were learned from {from} of the trunk in the last {DAYS} days, and are a guess:\n\
         # nothing of it holds before its comment signs are taken away. From then on an agent that changes what its lane neither\n\
         # `owns` nor `may-touch` makes a scan of the change fail. `gatekeep audit` then tells what would have failed until today.\n"
    );
    for lane in &learned.lanes {
        text.push_str("#\n");
        for line in table(lane).lines() {
            let _ = writeln!(text, "# {line}"); // a String takes all
        }
    }
    text
}

/// One sentence that tells who was seen; empty where nobody was.
pub(super) fn said(learned: &Learned) -> String {
    let names: Vec<String> = learned.lanes.iter().map(|lane| terminal(&lane.name)).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "Agents seem to be at work: {}. The file proposes a lane for each, behind comment signs.\n\n",
            names.join(", ")
        ),
    }
}

fn branches(count: usize) -> String {
    format!("{count} branch{}", if count == 1 { "" } else { "es" })
}

/// The table of one lane, without comment signs before what counts.
fn table(lane: &LearnedLane) -> String {
    let seen = [branches(lane.seen_branches), counted(lane.seen_commits, "commit"), counted(lane.files, "file")];
    let mut text = format!("[agents.{}]\n# seen on: {}\n", key(&lane.name), seen.join(", "));
    let lists = [
        ("branches", &lane.branches),
        ("authors", &lane.authors),
        ("trailers", &lane.trailers),
        ("owns", &lane.owns),
        ("may-touch", &lane.may_touch),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let list: Vec<String> = list.iter().map(|one| quoted(one)).collect();
        let _ = writeln!(text, "{name} = [{}]", list.join(", ")); // a String takes all
    }
    if lane.owns.is_empty() {
        text.push_str("# owns: no folder stands out in which it works alone\n");
    }
    text
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A text as a string of TOML on one line, in which nothing is hidden: what a terminal would obey or not show is spelt out.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        let mut bytes = [0; 4];
        let plain: &str = letter.encode_utf8(&mut bytes);
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            _ if terminal(plain) == plain => out.push(letter),
            _ => {
                let _ = write!(out, "\\U{:08X}", u32::from(letter)); // a String takes all
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::config::ConfigFile;

    fn lane(name: &str) -> LearnedLane {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        LearnedLane {
            name: name.into(),
            branches: list(&["agent/ps3/*"]),
            authors: list(&["Agent \"PS3\""]),
            trailers: list(&["Agent: ps3"]),
            owns: list(&["lib/\\{a\\}/**", "lib/b\n\u{202e}/**"]),
            may_touch: list(&["docs/ROADMAP.md"]),
            seen_branches: 2,
            seen_commits: 1,
            files: 7,
        }
    }

    /// The lines behind the words at the beginning, without their comment signs.
    fn uncommented(text: &str) -> String {
        let lines = text.lines().skip_while(|line| *line != "#");
        lines.fold(String::new(), |all, line| all + line.strip_prefix("# ").unwrap_or(&line[1..]) + "\n")
    }

    #[test]
    fn the_proposal_says_nothing_before_its_comment_signs_are_taken_away() {
        let hostile = "a]\nbase = \"x\"\u{1b}";
        let bare = LearnedLane { name: "codex".into(), branches: vec!["codex/*".into()], ..LearnedLane::default() };
        let learned = Learned { branches: 3, commits: 20, lanes: vec![lane("ps3"), lane(hostile), bare] };
        let text = proposal(&learned);
        assert!(text.lines().skip(1).all(|line| line.starts_with("# ") || line == "#"), "{text}");
        let read = ConfigFile::parse("gatekeep.toml", text.as_bytes()).unwrap();
        assert!(read.config.agents.is_empty());

        let file = ConfigFile::parse("gatekeep.toml", uncommented(&text).as_bytes()).unwrap();
        file.check(&crate::rule::known(&[])).unwrap();
        let names: Vec<&str> = file.config.agents.keys().map(|name| name.get_ref().as_str()).collect();
        assert_eq!(names, [hostile, "codex", "ps3"]);
        let agent = file.config.agents.iter().find(|(name, _)| name.get_ref() == "ps3").unwrap().1;
        let LearnedLane { branches, authors, trailers, owns, may_touch, .. } = lane("ps3");
        assert_eq!((&agent.branches, &agent.authors, &agent.trailers), (&branches, &authors, &trailers));
        assert_eq!((agent.owns.written(), agent.may_touch.written()), (&owns[..], &may_touch[..]));
        assert!(agent.owns.matches("lib/b\n\u{202e}/x".as_bytes()));
    }

    #[test]
    fn a_table_reads_well() {
        assert_eq!(
            table(&LearnedLane { owns: Vec::new(), ..lane("ps 3") }),
            "[agents.\"ps 3\"]\n# seen on: 2 branches, 1 commit, 7 files\nbranches = [\"agent/ps3/*\"]\n\
             authors = [\"Agent \\\"PS3\\\"\"]\ntrailers = [\"Agent: ps3\"]\nmay-touch = [\"docs/ROADMAP.md\"]\n\
             # owns: no folder stands out in which it works alone\n"
        );
    }

    #[test]
    fn nothing_learned_is_nothing_written() {
        let learned = Learned { branches: 1, commits: 9, lanes: Vec::new() };
        assert_eq!((proposal(&learned), said(&learned)), (String::new(), String::new()));
    }
}
