//! Whose word counts where a change is judged: the base's, never the change's own (design, section 11).

use std::path::{Component, Path, PathBuf};

use super::{
    PolicyArgs,
    fleet::Asked,
    policy::{self, Policy},
};
use crate::{
    diag::{Holder, RepoPath},
    error::Fatal,
    source::{EntryKind, Git, Head, Place, Tree, Trunk, Work, path},
};

/// The policy of the base, by which a change is judged.
///
/// # Errors
/// It can't be used, and the change does not mend it.
pub(super) fn of_base(
    git: &Git,
    trunk: Option<&Trunk>,
    top: Option<&Path>,
    tree: &dyn Tree,
    args: &Asked<'_>,
) -> Result<Policy, Fatal> {
    let inside = inside(git, trunk, top, args.policy)?;
    let read = policy::read_commit(tree, args.policy, inside.as_ref());
    read.or_else(|fatal| mended(git, top, args, fatal))
}

/// Where the base's policy can't be used and the change brings one that can: the built-in rules, so that it can be merged. The rule `gate`
/// names it.
fn mended(git: &Git, top: Option<&Path>, args: &Asked<'_>, fatal: Fatal) -> Result<Policy, Fatal> {
    let of_policy = matches!(
        fatal,
        Fatal::Config(_)
            | Fatal::RuleFile(_)
            | Fatal::Baseline(_)
            | Fatal::TwoConfigs { .. }
            | Fatal::NoPolicyFile { .. }
    );
    match of_policy && of_head(git, top, args).is_ok() {
        true => policy::built_in(args.policy),
        false => Err(fatal),
    }
}

/// What the head itself says: no word in the judgement of a change, but once merged it counts.
fn of_head(git: &Git, top: Option<&Path>, args: &Asked<'_>) -> Result<Policy, Fatal> {
    let own = PolicyArgs { config: None, ..args.policy.clone() };
    match (args.fleet.head(top.is_none()), top) {
        (Head::Commit(name), _) => {
            let commit = git.commit(name)?;
            policy::read_commit(&git.tree(commit, Holder::head(Some(commit.to_string())))?, &own, None)
        }
        (Head::Index, _) => policy::read_commit(&git.index_tree(), &own, None),
        (_, Some(top)) => policy::read(top, &own, false),
        (_, None) => policy::built_in(&own),
    }
}

/// Why nothing of what a change makes of the policy could be used, where it touches it.
pub(super) fn unusable(git: &Git, top: Option<&Path>, args: &Asked<'_>, work: &Work) -> Option<String> {
    let line = &work.lines[work.head?];
    let touches = line.changes.iter().any(|changed| policy::is_part(&changed.path.lossy()));
    if !touches || args.policy.no_config {
        return None;
    }
    of_head(git, top, args).err().map(|fatal| fatal.to_string())
}

/// The configuration that the command line names, as the trunk holds it, where it lies in the repository: a change could write its own.
fn inside(
    git: &Git,
    trunk: Option<&Trunk>,
    top: Option<&Path>,
    args: &PolicyArgs,
) -> Result<Option<policy::Inside>, Fatal> {
    let (Some(file), Some(top)) = (&args.config, top) else { return Ok(None) };
    let Some(below) = below(top, file)? else { return Ok(None) };
    let path = RepoPath::new(&path::from_system(&below));
    let version = match trunk {
        Some(trunk) => git.at(trunk.commit, path.as_bytes())?,
        None => None,
    };
    let bytes = match version.map(|version| (version.kind, version.place)) {
        Some((EntryKind::File, Place::Blob(id))) => {
            Some(git.blob(id, policy::POLICY_LIMIT).map_err(|source| Fatal::Io { path: file.clone(), source })?)
        }
        _ => None,
    };
    Ok(Some(policy::Inside { path: path.lossy().into_owned(), bytes }))
}

/// Where a file lies in the repository by its name: a change could put a link to somewhere else there. None of a file that lies outside, by its
/// name and by where links lead.
fn below(top: &Path, file: &Path) -> Result<Option<PathBuf>, Fatal> {
    let io = |source| Fatal::Io { path: file.to_owned(), source };
    let top = top.canonicalize().map_err(io)?;
    let mut named = PathBuf::new();
    for part in policy::here()?.join(file).components() {
        match part {
            Component::ParentDir => drop(named.pop()),
            Component::CurDir => {}
            part => named.push(part),
        }
    }
    let is_top = |folder: &&Path| folder.canonicalize().is_ok_and(|folder| folder == top);
    if let Some(folder) = named.ancestors().skip(1).find(is_top) {
        return Ok(named.strip_prefix(folder).ok().map(Path::to_owned));
    }
    let full = file.canonicalize().map_err(io)?;
    Ok(full.strip_prefix(&top).ok().map(Path::to_owned))
}
