//! What points to an agent: how branches are called, how authors sign, and what commits say at their end.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::literal;
use crate::source::Commit;

/// Agents that are known by their name.
const TOOLS: [&str; 14] = [
    "aider",
    "amp",
    "claude",
    "cline",
    "codegen",
    "codex",
    "copilot",
    "cursor",
    "devin",
    "gemini",
    "jules",
    "opencode",
    "openhands",
    "windsurf",
];
/// Words before the names of many agents.
const FAMILIES: [&str; 8] = ["agent", "agents", "ai", "bot", "bots", "worktree", "worktrees", "wt"];
/// Words that agents sign with beside their name.
const TITLES: [&str; 9] = ["agent", "ai", "assistant", "bot", "cli", "code", "coding", "engineer", "swe"];
/// Addresses that agents sign with.
const ADDRESSES: [(&str, &str); 4] = [
    ("noreply@anthropic.com", "claude"),
    ("cursoragent@cursor.com", "cursor"),
    ("copilot@users.noreply.github.com", "copilot"),
    ("codex@openai.com", "codex"),
];
/// Longest name of a branch, lane or author that is taken for one, in bytes.
const LONGEST: usize = 120;

/// An agent, and the pattern by which its configuration would know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) lane: String,
    pub(super) pattern: String,
}

impl Known {
    fn new(lane: &str, pattern: String) -> Self {
        Self { lane: lane.to_owned(), pattern }
    }
}

/// The branches that agents seem to work on, each with the agent and a glob. `names` are those of all branches, with how often each was
/// merged.
pub(super) fn branches(names: &BTreeMap<String, usize>) -> BTreeMap<String, Known> {
    let mut known = BTreeMap::new();
    let mut families: BTreeSet<&str> = BTreeSet::new();
    let mut left: Vec<(&String, &str)> = Vec::new();
    let shared: BTreeSet<(&str, &str)> = names.keys().filter_map(|name| deep(name)).collect();
    for (name, merged) in names.iter().filter(|(name, _)| is_name(name)) {
        let (first, rest) = name.split_once('/').unwrap_or((name.as_str(), ""));
        if let Some((family, agent)) = deep(name) {
            families.insert(family);
            known.insert(name.clone(), Known::new(agent, literal(&format!("{family}/{agent}")) + "/*"));
        } else if is_family(first) && !rest.is_empty() {
            // one agent's only branch, or one piece of work of an agent without a name
            if *merged > 1 || shared.contains(&(first, rest)) {
                families.insert(first);
                known.insert(name.clone(), Known::new(rest, literal(name)));
            } else {
                left.push((name, first));
            }
        } else if !rest.is_empty() && (is_tool(first) || is_numbered(first)) {
            known.insert(name.clone(), Known::new(first, literal(first) + "/*"));
        } else if name.strip_prefix("worktree-").is_some_and(|rest| !rest.is_empty()) {
            known.insert(name.clone(), Known::new("worktree", "worktree-*".into()));
        }
    }
    for (name, family) in left.into_iter().filter(|(_, family)| !families.contains(family)) {
        known.insert(name.clone(), Known::new(family, literal(family) + "/*"));
    }
    known
}

/// Family and agent of a name such as `agent/ps3/fix`.
fn deep(name: &str) -> Option<(&str, &str)> {
    let mut parts = name.splitn(3, '/');
    let (family, agent, work) = (parts.next()?, parts.next()?, parts.next()?);
    (is_family(family) && !work.is_empty() && is_name(name)).then_some((family, agent))
}

/// Whether git allows such a name, in short: a subject can hold anything.
fn is_name(name: &str) -> bool {
    name.len() <= LONGEST && !name.split('/').any(|part| part.trim().is_empty())
}

fn is_family(word: &str) -> bool {
    FAMILIES.iter().any(|family| family.eq_ignore_ascii_case(word))
}

fn is_tool(word: &str) -> bool {
    TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(word))
}

/// Whether a word is that of a tool or of agents and something that tells one from the next: `claude-2`, `agent-ps3`, `worktree_a`.
fn is_numbered(word: &str) -> bool {
    let Some((first, rest)) = word.split_once(['-', '_']) else { return false };
    !rest.is_empty() && (is_tool(first) || ["agent", "worktree"].contains(&first))
}

/// What a commit says of the agent that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Signed {
    Author(Known),
    Trailer(Known),
}

/// The agent that a commit names at its end, else the one that signs as its author. Co-authors are left out: most of them sat beside a
/// person.
pub(super) fn of_commit(commit: &Commit) -> Option<Signed> {
    commit.trailers().find_map(trailer).map(Signed::Trailer).or_else(|| author(commit).map(Signed::Author))
}

/// `Agent: ps3`.
fn trailer(line: &str) -> Option<Known> {
    let (key, name) = line.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.len() <= LONGEST && !name.contains(char::is_whitespace);
    (key.eq_ignore_ascii_case("agent") && is_name).then(|| Known::new(name, line.to_owned()))
}

fn author(commit: &Commit) -> Option<Known> {
    let (name, email) = (commit.author.as_str(), commit.email.to_lowercase());
    if name.trim().is_empty() || name.len() > LONGEST || name.contains('*') {
        return None;
    }
    let (signed, is_bot) = name.strip_suffix("[bot]").map_or((name, false), |signed| (signed, true));
    let lower = signed.to_lowercase();
    let words: Vec<&str> = lower.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let by_address = ADDRESSES.iter().find(|(end, _)| email == *end || email.ends_with(&format!("+{end}")));
    let tool = words.iter().find(|word| is_tool(word));
    // `Claude Code` and `copilot-swe-agent`, and not Claude, who has a last name or none
    let is_title = words.len() > 1 && words.iter().all(|word| is_tool(word) || TITLES.contains(word));
    let lane = match (by_address, tool, words.as_slice()) {
        (Some((_, tool)), ..) => tool,
        (None, Some(tool), _) if is_bot || is_title => tool,
        (None, None, ["agent", one] | [one, "agent"]) if !is_bot => one,
        _ => return None,
    };
    Some(Known::new(lane, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line a branch: name, lane, glob.
    fn known(names: &[(&str, usize)]) -> Vec<String> {
        let names = names.iter().map(|(name, merged)| ((*name).to_owned(), *merged)).collect();
        branches(&names).iter().map(|(name, known)| format!("{name}: {} {}", known.lane, known.pattern)).collect()
    }

    #[test]
    fn branches_of_agents_have_a_prefix_and_a_rest() {
        assert_eq!(
            known(&[
                ("agent-7/x", 0),
                ("agent/ps3/a", 1),
                ("agent/ps3/b/c", 0),
                ("claude-2/x", 0),
                ("claude/issue-7", 0),
                ("codex/add-x", 1),
                ("worktree-quick-fox", 0),
            ]),
            [
                "agent-7/x: agent-7 agent-7/*",
                "agent/ps3/a: ps3 agent/ps3/*",
                "agent/ps3/b/c: ps3 agent/ps3/*",
                "claude-2/x: claude-2 claude-2/*",
                "claude/issue-7: claude claude/*",
                "codex/add-x: codex codex/*",
                "worktree-quick-fox: worktree worktree-*",
            ]
        );
    }

    #[test]
    fn an_agent_with_one_branch_is_told_from_one_without_a_name() {
        assert_eq!(
            known(&[("agent/fix", 1), ("agent/more", 1)]),
            ["agent/fix: agent agent/*", "agent/more: agent agent/*"]
        );
        assert_eq!(
            known(&[("agent/ps1", 3), ("agent/ps2", 2)]),
            ["agent/ps1: ps1 agent/ps1", "agent/ps2: ps2 agent/ps2"]
        );
        // `agent/*` would claim the branches of ps1 too
        assert_eq!(known(&[("agent/fix", 1), ("agent/ps1/x", 1)]), ["agent/ps1/x: ps1 agent/ps1/*"]);
        assert_eq!(
            known(&[("agent/ps1", 1), ("agent/ps1/x", 1)]),
            ["agent/ps1: ps1 agent/ps1", "agent/ps1/x: ps1 agent/ps1/*"]
        );
    }

    #[test]
    fn branches_of_people_are_left_alone() {
        let long = format!("agent/{}/x", "y".repeat(200));
        let names = [
            "main",
            "feature/a",
            "fix/b",
            "joe/c",
            "dependabot/npm/d",
            "release/1.2",
            "claude",
            "agent",
            "agent/",
            "cursor-pagination",
            "agents-page",
            "bot-detection/x",
            "agent//x",
            "worktree-",
            long.as_str(),
        ];
        assert_eq!(known(&names.map(|name| (name, 1))), [""; 0]);
    }

    #[test]
    fn names_that_look_like_globs_stand_for_themselves() {
        assert_eq!(known(&[("agent/{a*/x", 0)]), ["agent/{a*/x: {a* agent/\\{a\\*/*"]);
    }

    fn commit(author: &str, email: &str, message: &str) -> Commit {
        let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
        let (author, email, message) = (author.into(), email.into(), message.into());
        Commit { id, parents: Vec::new(), time: 0, author, email, message }
    }

    #[test]
    fn authors_that_sign_as_agents_are_known() {
        for (name, email, lane) in [
            ("Claude", "noreply@anthropic.com", "claude"),
            ("Claude Code", "me@example.org", "claude"),
            ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", "copilot"),
            ("Copilot", "198982749+copilot@users.noreply.github.com", "copilot"),
            ("devin-ai-integration[bot]", "1+devin-ai-integration[bot]@users.noreply.github.com", "devin"),
            ("Cursor Agent", "cursoragent@cursor.com", "cursor"),
            ("Agent PS3", "ps3@example.org", "ps3"),
            ("ps3-agent", "ps3@example.org", "ps3"),
        ] {
            let known = Known::new(lane, name.to_owned());
            assert_eq!(of_commit(&commit(name, email, "m")), Some(Signed::Author(known)), "{name}");
        }
    }

    #[test]
    fn people_and_other_bots_are_none() {
        for (name, email) in [
            ("Claude", "claude@example.org"),
            ("Claude Dupont", "claude@example.org"),
            ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),
            ("github-actions[bot]", "x@y"),
            ("Real Estate Agent", "x@y"),
            ("agent", "x@y"),
            ("", "noreply@anthropic.com"),
            ("Mallory", "evil-noreply@anthropic.com.example"),
        ] {
            assert_eq!(
                of_commit(&commit(name, email, "m\n\nCo-authored-by: Claude <noreply@anthropic.com>")),
                None,
                "{name}"
            );
        }
    }

    #[test]
    fn a_trailer_counts_before_the_author() {
        let said = of_commit(&commit("Claude", "noreply@anthropic.com", "m\n\nAgent: ps3\n"));
        assert_eq!(said, Some(Signed::Trailer(Known::new("ps3", "Agent: ps3".into()))));
        assert_eq!(of_commit(&commit("A", "a@b", "m\n\nAgent: two words\n")), None);
    }
}
