//! `atlas.sum`: what Atlas knows of the files of a folder, and of their order.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

use super::{Draft, file_name, in_folder};
use crate::diag::RepoPath;

const SUM: &str = "atlas.sum";
/// A file that says this is in the list of none.
const IGNORED: &str = "-- atlas:sum ignore";

/// A folder with a sum in it, and whether the sum is what we make of its files as they are.
pub(super) struct Listed {
    folder: Vec<u8>,
    is_understood: bool,
}

/// Which of these folders have a sum. Before anything is renamed.
pub(super) fn listed(draft: &mut Draft<'_>, folders: &BTreeSet<Vec<u8>>) -> Result<Vec<Listed>, String> {
    let mut all = Vec::new();
    for folder in folders {
        let Some(sum) = draft.text(&in_folder(folder, SUM))? else { continue };
        let is_understood = made(draft, folder)? == sum;
        all.push(Listed { folder: folder.clone(), is_understood });
    }
    Ok(all)
}

/// Writes the sum of a folder anew. Gives what is left to do where only Atlas can.
pub(super) fn update(draft: &mut Draft<'_>, listed: &Listed) -> Result<Option<String>, String> {
    let path = in_folder(&listed.folder, SUM);
    if !listed.is_understood {
        let folder = String::from_utf8_lossy(&listed.folder).into_owned();
        return Ok(Some(format!(
            "`{}` was out of step before: run `atlas migrate hash --dir file://{folder}`",
            path.lossy()
        )));
    }
    let sum = made(draft, &listed.folder)?;
    draft.edit(&path, sum);
    Ok(None)
}

/// The sum as Atlas makes it: each line is the hash of all names and contents so far, the first that of all lines.
fn made(draft: &mut Draft<'_>, folder: &[u8]) -> Result<String, String> {
    let mut files: Vec<(String, RepoPath)> = Vec::new();
    for path in draft.folder(folder)? {
        let name = file_name(draft.path_of(&path)).filter(|name| name.ends_with(".sql")).map(str::to_owned);
        files.extend(name.map(|name| (name, path)));
    }
    files.sort();
    let (mut hash, mut total, mut lines) = (Sha256::new(), Sha256::new(), String::new());
    for (name, path) in files {
        let text = draft.text(&path)?.ok_or_else(|| format!("`{}` is not UTF-8", path.lossy()))?;
        hash.update(name.as_bytes());
        if text.lines().take_while(|line| line.starts_with("--")).any(|line| line.trim_end() == IGNORED) {
            continue;
        }
        hash.update(text.as_bytes());
        let so_far = STANDARD.encode(hash.clone().finalize());
        total.update(name.as_bytes());
        total.update(so_far.as_bytes());
        lines.push_str(&format!("{name} h1:{so_far}\n"));
    }
    Ok(format!("h1:{}\n{lines}", STANDARD.encode(total.finalize())))
}
