//! `tests/focused`: tests that are told to run alone.

use std::collections::BTreeMap;

use super::{FOCUSED, finding, site_at, stock::Stock};
use crate::{
    claim::tests::Marked,
    diag::{Confidence, Severity},
    rule::{
        change::{Change, Said},
        listed::listed,
    },
};

pub(super) fn judge(change: &Change<'_>, stock: &Stock<'_>, said: &mut Said) {
    for pair in &stock.pairs {
        let mut known: BTreeMap<&[String], usize> = BTreeMap::new();
        pair.before.focus.iter().for_each(|mark| *known.entry(&mark.titles).or_default() += 1);
        let mut new: Vec<&Marked> = Vec::new();
        for mark in &pair.after.focus {
            match known.get_mut(mark.titles.as_slice()) {
                Some(count) if *count > 0 => *count -= 1,
                _ => new.push(mark),
            }
        }
        let (Some(first), Some(text)) = (new.first(), pair.text.as_deref()) else { continue };
        let names: Vec<String> = new.iter().map(|mark| mark.titles.join(" > ")).collect();
        let message = format!(
            "`{}` lets {} run alone: every other test beside it is left out, and the run is green.",
            pair.file.path.lossy(),
            listed(names.iter().map(String::as_str))
        );
        let site = site_at(change, &pair.file.path, text, first.at.clone());
        said.findings.push(finding(FOCUSED, Severity::Error, Confidence::High, None, message, site));
    }
}
