//! What is said of keys outside the band of the agent that takes them.

use super::{Ground, Strayed};
use crate::diag::{Diagnostic, Severity, Site};

impl Ground<'_> {
    /// A key outside the band of a lane.
    pub(super) fn out_of_band(&self, strayed: &Strayed) -> Option<Diagnostic> {
        let first = strayed.claims.first()?;
        let rule = self.rule(first.rule);
        let Strayed { lane, band, .. } = strayed;
        let message = format!(
            "`{}` lies outside the band `{band}`, from which `{lane}` takes its keys. Another agent's band may hold it, and the one \
             who works there takes it too",
            first.key
        );
        let mut sites: Vec<Site> = strayed.claims.iter().map(|claim| claim.site.clone()).collect();
        sites.sort_by(|a, b| a.path.cmp(&b.path));
        let names = (&*first.partition, first.key.as_str());
        let mut found = self.finding(rule, "out-of-band", Severity::Error, names, message, sites)?;
        found.help = Some(format!("give it a key in the band `{band}` of `[agents.{lane}]`"));
        Some(found)
    }
}
