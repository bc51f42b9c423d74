//! What is said of versions that nobody's clock has shown.

use std::collections::BTreeMap;

use super::{Fault, FaultKind, Ground};
use crate::diag::{Diagnostic, Site};

const MESSAGE: &str = "is a time that somebody made up, not one that a clock showed: the next one who makes up a round or counted time \
                       may well take the same";
const HELP: &str = "let the tool give the name, or take the time from the clock: `date -u +%Y%m%d%H%M%S`";

impl Ground<'_> {
    /// Times that somebody made up, one for each version: an up and a down file have the same.
    pub(super) fn invented(&self, faults: &[Fault]) -> Vec<Diagnostic> {
        let mut versions: BTreeMap<_, Vec<Site>> = BTreeMap::new();
        for fault in faults.iter().filter(|fault| fault.kind == FaultKind::Invented) {
            let item = &self.items[fault.item as usize];
            let site = Site::path(item.of(self.listing).path.clone(), self.holder.clone());
            versions.entry((item.rule, &*item.partition, fault.key.as_str())).or_default().push(site);
        }
        let finding = |((at, partition, key), mut sites): ((u16, &str, &str), Vec<Site>)| {
            sites.sort_by(|a, b| a.path.cmp(&b.path));
            sites.dedup_by(|b, a| a.path == b.path);
            let rule = self.rule(at);
            let severity = rule.invented(self.levels)?;
            let message = format!("`{key}` {MESSAGE}");
            let mut found = self.finding(rule, "invented", severity, (partition, key), message, sites)?;
            found.severity = severity; // a word on the rule as a whole does not make it graver
            found.help = Some(HELP.to_owned());
            Some(found)
        };
        versions.into_iter().filter_map(finding).collect()
    }
}
