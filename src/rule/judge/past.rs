//! What rules say of names that come too late, and of merged units that are changed.

use super::{Frozen, Ground, Late, Thaw, sentences};
use crate::{
    claim::Claim,
    diag::{Confidence, Diagnostic, Severity},
    rule::{
        Rule,
        words::{capped, changed_by},
    },
};

impl Ground<'_> {
    pub(super) fn late(&self, late: &Late) -> Option<Diagnostic> {
        let rule = self.rule(late.rule);
        let sure = self.sureness(&late.claims);
        let cap = late.allowed_by.as_ref().map(|_| Severity::Note);
        // what becomes of a late one depends on the tool alone
        let cap = if sure == Confidence::Low { Some(Severity::Note) } else { cap };
        let severity = capped(rule.spec.policy.late_level(late.strict)?.severity()?, cap);
        let spec = rule.spec.message.as_ref();
        let (new, newest) = match &late.tie {
            Some((new, newest)) => (new, newest),
            None => (&late.key, &late.newest),
        };
        let first = match new == newest {
            true => format!("`{new}` comes no later than the newest one on the trunk"),
            false => format!("`{new}` sorts before `{newest}`, the newest one on the trunk"),
        };
        let mut message = sentences(&first, spec.and_then(|spec| spec.late.as_deref()));
        if let Some(path) = &late.allowed_by {
            message = sentences(&message, Some(&format!("`{}` tells it to take such a one, though.", path.lossy())));
        }
        let message = with_doubt(message, rule, sure);
        let sites = late.claims.iter().map(|claim| claim.site.clone()).collect();
        let mut found = self.finding(rule, "out-of-order", severity, (&late.partition, &late.key), message, sites)?;
        found.confidence = found.confidence.min(sure);
        let is_path = rule.claims[usize::from(late.claims[0].claim)].is_path();
        let how = if is_path { "give it a name" } else { "let it come" };
        found.help = Some(format!("{how} after `{newest}`, if it has not been applied anywhere yet"));
        Some(found)
    }

    pub(super) fn frozen(&self, frozen: &Frozen) -> Option<Diagnostic> {
        let first = &frozen.claims[0];
        let rule = self.rule(first.rule);
        let sure = self.sureness(&frozen.claims);
        let spec = rule.spec.message.as_ref();
        let message = sentences(&changed(frozen), spec.and_then(|spec| spec.frozen.as_deref()));
        let message = with_doubt(message, rule, sure);
        let names = (&*first.partition, first.key.as_str());
        let sites = frozen.claims.iter().map(|claim| claim.site.clone()).collect();
        let mut found = self.finding(rule, "frozen", lowered(frozen.severity, sure), names, message, sites)?;
        found.confidence = found.confidence.min(sure);
        found.help = Some(help(frozen).to_owned());
        Some(found)
    }

    /// How sure it is that the rule's tool runs these files.
    pub(super) fn sureness(&self, claims: &[Claim]) -> Confidence {
        if !claims.first().is_some_and(|claim| self.rule(claim.rule).root.guesses()) {
            return Confidence::High;
        }
        let is_of = |claim: &Claim| {
            let mut items = self.items.iter();
            items.find(|item| (item.rule, item.entry) == (claim.rule, claim.entry)).map(|item| item.confidence)
        };
        claims.iter().filter_map(is_of).max().unwrap_or(Confidence::High)
    }
}

/// One step less grave where the tool is a guess: what another one makes of the same files is not known.
pub(super) fn lowered(severity: Severity, sure: Confidence) -> Severity {
    match (sure, severity) {
        (Confidence::Low, Severity::Error) => Severity::Warning,
        (Confidence::Low, _) => Severity::Note,
        _ => severity,
    }
}

pub(super) fn with_doubt(message: String, rule: &Rule, sure: Confidence) -> String {
    match sure {
        Confidence::Low => {
            let doubt = format!("That {} runs these files is a guess: only their names say so.", rule.id());
            sentences(&message, Some(&doubt))
        }
        _ => message,
    }
}

/// What was done to units, and by whom.
fn changed(frozen: &Frozen) -> String {
    let by = changed_by(&frozen.claims);
    let many = frozen.units > 1;
    let what = match (&frozen.thaw, many) {
        (Thaw::Edited, _) => "edited".to_owned(),
        (Thaw::Moved(to), false) => format!("moved to `{}`", to.lossy()),
        (Thaw::Moved(_), true) => "moved".to_owned(),
        (Thaw::Removed, _) => "removed".to_owned(),
    };
    let key = &frozen.claims[0].key;
    match many {
        false => format!("`{key}` is merged already, and {what} {by}"),
        true => {
            format!("{} names that are merged already are {what} {by}, the first of them `{key}`", frozen.units)
        }
    }
}

fn help(frozen: &Frozen) -> &'static str {
    match (&frozen.thaw, frozen.units > 1) {
        (Thaw::Edited, false) => "take the edit back, and put what is to change into a new one",
        (Thaw::Edited, true) => "take the edits back, and put what is to change into a new one",
        (Thaw::Moved(_), false) => "put it back under its old name",
        (Thaw::Moved(_), true) => "put them back under their old names",
        (Thaw::Removed, false) => "put it back; what it did is undone by a new one",
        (Thaw::Removed, true) => "put them back; before a squash, every database has to have applied all of them",
    }
}
