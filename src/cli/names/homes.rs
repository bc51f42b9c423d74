//! Which of several places is meant.

use crate::{
    engine::{Home, Names},
    error::{Fatal, visible},
    report::shell,
    rule::Rule,
};

/// So many places are listed.
const LISTED: usize = 20;

/// The place of this root or, without one, the only one.
pub(in crate::cli) fn choose<'n>(
    command: &str,
    rule: &Rule,
    names: &'n Names,
    root: Option<&str>,
) -> Result<&'n Home, Fatal> {
    let namespace = || rule.id().to_owned();
    if let Some(root) = root {
        let wanted = plain(root);
        let is_it = |home: &&Home| home.root == wanted || plain(&home.partition) == wanted;
        let found: Vec<&Home> = names.homes.iter().filter(is_it).collect();
        // a folder that is the partition of one and the root of others means the one
        let exact = found.iter().find(|home| plain(&home.partition) == wanted);
        return match (found.as_slice(), exact) {
            ([], _) if names.homes.is_empty() => Err(no_root(rule)),
            ([], _) => Err(Fatal::UnknownRoot {
                namespace: namespace(),
                root: root.to_owned(),
                help: list(command, rule, names.homes.iter().collect()),
            }),
            ([only], _) | (_, Some(only)) => Ok(only),
            (several, None) => Err(Fatal::SeveralRoots {
                namespace: namespace(),
                places: several.len(),
                help: list(command, rule, several.to_vec()),
            }),
        };
    }
    // a place that only another line of work has is meant if there is no other one
    let is_here = |home: &&Home| home.taken.is_empty() || home.taken.iter().any(|one| one.built_on);
    let here: Vec<&Home> = names.homes.iter().filter(is_here).collect();
    let homes = if here.is_empty() { names.homes.iter().collect() } else { here };
    match homes.as_slice() {
        [] => Err(no_root(rule)),
        [only] => Ok(only),
        _ => Err(Fatal::SeveralRoots { namespace: namespace(), places: homes.len(), help: list(command, rule, homes) }),
    }
}

/// A root as it is printed: `.` for the top.
pub(in crate::cli) fn shown(root: &str) -> &str {
    if root.is_empty() { "." } else { root }
}

fn plain(folder: &str) -> String {
    let parts = folder.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.collect::<Vec<_>>().join("/")
}

/// The commands that would do.
fn list(command: &str, rule: &Rule, homes: Vec<&Home>) -> String {
    let is_shared = |home: &Home| homes.iter().filter(|other| other.root == home.root).count() > 1;
    let root = |home: &Home| if is_shared(home) { home.partition.clone() } else { shown(&home.root).to_owned() };
    let one = |home: &&Home| match shell::word(root(home).as_bytes()) {
        Some(word) => format!("`gatekeep {command} {} --root {word}`", rule.id()),
        None => format!("`--root` with the folder {}", root(home)), // not every shell reads it as it stands
    };
    let listed: Vec<String> = homes.iter().take(LISTED).map(one).collect();
    let more = match homes.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    visible(&format!("name one: {}{more}", listed.join(", "))).into_owned()
}

/// What a rule looks for.
fn no_root(rule: &Rule) -> Fatal {
    let spec = rule.spec.root.as_ref();
    let marker = spec.and_then(|root| root.marker.0.first());
    let fallback = spec.and_then(|root| root.fallback.as_ref());
    let what = match (marker, fallback, &rule.spec.next) {
        (Some(marker), Some(fallback), _) => {
            format!("it looks for `{marker}` or, without one, for a folder `{fallback}`")
        }
        (Some(marker), None, _) => format!("it looks for `{marker}`"),
        (None, Some(fallback), _) => format!("it looks for a folder `{fallback}`"),
        (None, None, Some(next)) => {
            format!("it looks for files such as `{}`, where something shows whose they are", next.path)
        }
        (None, None, None) => "it looks for files that take its names".to_owned(),
    };
    let help = format!("{what}; `gatekeep rules explain {}` tells more", rule.id());
    Fatal::NoRoot { namespace: rule.id().to_owned(), help: visible(&help).into_owned() }
}
