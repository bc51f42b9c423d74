//! Hooks that run gatekeep.

use super::{
    claude,
    commands::{self, Commands, Member, plain},
    effect::Effect,
    workflow,
};
use crate::claim::extract::{
    ExtractError,
    document::{Kind, Node},
    toml, yaml,
};

/// Whether a file can hold a hook.
pub(super) fn is_one(path: &str) -> bool {
    let in_folder = |folder: &str| path.starts_with(folder);
    claude::is_one(path)
        || matches!(path, PRE_COMMIT | PREK)
        || is_lefthook(path)
        || in_folder(".husky/")
        || in_folder(".githooks/")
        || in_folder(".cursor/hooks")
        || path == ".codex/config.toml"
        || in_folder(".codex/hooks")
}

const PRE_COMMIT: &str = ".pre-commit-config.yaml";
const PREK: &str = "prek.toml";

fn is_lefthook(path: &str) -> bool {
    let path = path.strip_prefix(".config/").unwrap_or(path).trim_start_matches('.');
    matches!(path, "lefthook.yml" | "lefthook.yaml")
}

/// What a change of hook settings does to the gate; none where it leaves what concerns the gate alone.
pub(super) fn effect(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    match path {
        _ if claude::is_one(path) => claude::effect(old, new),
        PRE_COMMIT => of_repos(old, new, |text| yaml::parse(text).map(|all| all.into_iter().next())),
        PREK => of_repos(old, new, |text| toml::parse(text).map(Some)),
        _ if is_lefthook(path) => workflow::between(old, new),
        _ => {
            let read = |text: Option<&[u8]>| Commands::of_lines(&String::from_utf8_lossy(text.unwrap_or_default()));
            read(old).became(&read(new))
        }
    }
}

type Parse = fn(&[u8]) -> Result<Option<Node>, ExtractError>;

/// Hooks by repositories, as pre-commit and prek have them.
fn of_repos(old: Option<&[u8]>, new: Option<&[u8]>, parse: Parse) -> Option<Effect> {
    let read = |text: Option<&[u8]>| parse(text.unwrap_or_default()).map(|node| own(node.as_ref()));
    let old = read(old).unwrap_or_default();
    match read(new) {
        Ok(new) => old.became(&new),
        Err(error) if old.runs => Some(Effect::loosens(format!("gatekeep no longer runs in it: {error}"))),
        Err(_) => None,
    }
}

/// What a file of repositories has of gatekeep: its own repository, or hooks of others that run it. Other hooks are nobody's gate.
fn own(document: Option<&Node>) -> Commands {
    let mut made = Commands::default();
    let Some(Kind::Object(top)) = document.map(|node| &node.kind) else { return made };
    for repository in items(member(top, "repos")) {
        let Kind::Object(members) = &repository.kind else { continue };
        let is_own = names_it(members, &["repo"]);
        if is_own {
            plain(repository, &mut made.whole);
        }
        for hook in items(member(members, "hooks")) {
            let Kind::Object(of_hook) = &hook.kind else { continue };
            if is_own || names_it(of_hook, &["id", "entry"]) {
                made.runs = true;
                plain(hook, &mut made.whole);
                made.given(of_hook);
                member(of_hook, "entry").and_then(Node::scalar).iter().for_each(|entry| made.excuse(entry));
            }
        }
    }
    // what says for all hooks when they run, and on what
    let all = top.iter().filter(|(key, _)| made.runs && matches!(&*key.text, "default_stages" | "exclude" | "files"));
    let all: Vec<&Member> = all.collect();
    all.into_iter().for_each(|(_, value)| plain(value, &mut made.whole));
    made
}

fn member<'n>(members: &'n [Member], name: &str) -> Option<&'n Node> {
    members.iter().find(|(key, _)| key.text == name).map(|(_, value)| value)
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.kind) {
        Some(Kind::Array(items)) => items,
        _ => &[],
    }
}

fn names_it(members: &[Member], keys: &[&str]) -> bool {
    keys.iter().filter_map(|key| member(members, key)?.scalar()).any(|text| commands::speaks(&text))
}
