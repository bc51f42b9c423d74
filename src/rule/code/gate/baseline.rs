//! The baseline: each finding that is added to it is one that nobody sees any more.

use std::collections::BTreeSet;

use super::effect::Effect;
use crate::suppress::{BASELINE_PATH, Baseline};

/// What a baseline does to the gate; none where it lists the same findings.
pub(super) fn effect(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Effect> {
    let read = |bytes: Option<&[u8]>| match bytes {
        Some(bytes) => Baseline::read(BASELINE_PATH, bytes).map(|baseline| listed(&baseline)),
        None => Ok(BTreeSet::new()),
    };
    let new = match read(new) {
        Ok(new) => new,
        Err(fatal) => return Some(Effect::loosens(format!("once merged it can't be used: {fatal}"))),
    };
    let old = read(old).unwrap_or_default();
    let added: Vec<_> = new.difference(&old).collect();
    match (added.as_slice(), old.difference(&new).count()) {
        ([], 0) => None,
        ([], gone) => Some(Effect::tightens(format!("{gone} fewer findings are lived with"))),
        ([(code, _)], _) => Some(Effect::loosens(format!("a finding more is lived with (`{code}`)"))),
        ([(code, _), ..], _) => {
            Some(Effect::loosens(format!("{} findings more are lived with (`{code}` among them)", added.len())))
        }
    }
}

fn listed(baseline: &Baseline) -> BTreeSet<(String, String)> {
    baseline.entries().iter().map(|entry| (entry.code.clone(), entry.fingerprint.clone())).collect()
}
