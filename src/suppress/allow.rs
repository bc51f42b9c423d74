//! `[[allow]]` of the configuration.

use super::{EXPIRED, Run, UNUSED, is_own, names, site, warning};
use crate::{
    config::{Allow, ConfigFile, position},
    diag::{Diagnostic, SuppressedBy, Suppression},
};

/// Silences what the configuration allows, and returns findings about allowances that are over or match nothing.
pub(super) fn apply(run: &Run<'_>, file: &ConfigFile, findings: &mut [Diagnostic]) -> Vec<Diagnostic> {
    file.config.allow.iter().filter_map(|allow| one(run, file, allow, findings)).collect()
}

fn one(run: &Run<'_>, file: &ConfigFile, allow: &Allow, findings: &mut [Diagnostic]) -> Option<Diagnostic> {
    let code = allow.code.get_ref();
    if let Some(until) = allow.until.filter(|until| *until < run.today) {
        let message = format!("the allowance for `{code}` ended on {until}");
        let help = "mend what it covered and remove it, or give it a later `until`";
        return Some(about(run, file, allow, EXPIRED, message, help));
    }
    let mut used = false;
    for found in findings.iter_mut().filter(|found| matches(allow, found)) {
        // One that matches and yet may not cover the change is no litter.
        used = true;
        if found.suppressed.is_none() && covers(run, allow, found) {
            found.suppressed = Some(Suppression { by: SuppressedBy::Allow, reason: Some(allow.reason.clone()) });
        }
    }
    if used || !(run.judged)(code) {
        return None;
    }
    let help = "remove it, or correct its code, paths or key";
    Some(about(run, file, allow, UNUSED, format!("the allowance for `{code}` matches no finding"), help))
}

fn matches(allow: &Allow, found: &Diagnostic) -> bool {
    !is_own(found)
        && names(allow.code.get_ref(), found)
        && allow.key.as_ref().is_none_or(|key| found.key.as_ref() == Some(key))
        && found.sites.iter().all(|site| allow.paths.matches(site.path.as_bytes()))
}

/// Whether an allowance that matches may silence: what a change introduces was not there when the allowance was written,
/// unless the allowance names it.
fn covers(run: &Run<'_>, allow: &Allow, found: &Diagnostic) -> bool {
    allow.key.is_some() || !found.sites.iter().any(run.introduced)
}

fn about(run: &Run<'_>, file: &ConfigFile, allow: &Allow, code: &str, message: String, help: &str) -> Diagnostic {
    let parts = std::iter::once(allow.code.get_ref()).chain(allow.paths.written()).chain(&allow.key);
    let key = parts.map(String::as_str).collect::<Vec<_>>().join(" ");
    let site = site(&file.file, position(&file.text, allow.code.span()), &run.policy);
    warning(code, key, site, message, help)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{config, found, known, run};
    use super::*;
    use crate::diag::{Position, Site};

    /// Applies an allowance to findings; returns which of them it silenced, and the codes that were added.
    fn applied(run: &Run<'_>, text: &str, findings: &[Diagnostic]) -> (Vec<bool>, Vec<Diagnostic>) {
        let mut findings = findings.to_vec();
        let own = apply(run, &config(&format!("[[allow]]\nreason = 'known'\n{text}")), &mut findings);
        (findings.iter().map(|found| found.suppressed.is_some()).collect(), own)
    }

    fn silenced(text: &str, findings: &[Diagnostic]) -> Vec<bool> {
        applied(&run(&known()), text, findings).0
    }

    #[test]
    fn code_or_rule_every_path_and_the_key_have_to_match() {
        let two = [
            found("goose/duplicate", "1", &["a/1_x.sql", "a/1_y.sql"]),
            found("goose/duplicate", "2", &["a/2_x.sql", "b/2_y.sql"]),
            found("goose/late", "3", &["a/3_x.sql"]),
        ];
        assert_eq!(silenced("code = 'goose/duplicate'\npaths = ['a/*']\n", &two), [true, false, false]);
        assert_eq!(silenced("code = 'goose'\npaths = ['a/*']\n", &two), [true, false, true]);
        assert_eq!(silenced("code = 'goose'\npaths = ['a/*', 'b/*']\n", &two), [true, true, true]);
        assert_eq!(silenced("code = 'goose'\npaths = ['**']\nkey = '2'\n", &two), [false, true, false]);
    }

    #[test]
    fn the_reason_goes_into_the_report() {
        let mut findings = vec![found("goose/late", "1", &["a"])];
        apply(&run(&known()), &config("[[allow]]\ncode = 'goose'\npaths = ['a']\nreason = 'known'\n"), &mut findings);
        let expected = Suppression { by: SuppressedBy::Allow, reason: Some("known".into()) };
        assert_eq!(findings[0].suppressed, Some(expected));
    }

    #[test]
    fn an_allowance_that_matches_nothing_is_reported_at_its_place() {
        let (_, own) = applied(&run(&known()), "code = 'goose/late'\npaths = ['nowhere/**']\n", &[]);
        assert_eq!(own.len(), 1);
        assert_eq!((own[0].code.as_str(), own[0].message.contains("`goose/late`")), (UNUSED, true));
        assert_eq!(own[0].sites[0].path, "gatekeep.toml".into());
        let place = Position { line: 3, column: 8, end_line: 3, end_column: 20 };
        assert_eq!(own[0].sites[0].position, Some(place));
    }

    #[test]
    fn an_allowance_of_what_was_not_judged_is_not_called_unused() {
        let known = known();
        let run = Run { judged: &|code| code != "goose/late", ..run(&known) };
        assert_eq!(applied(&run, "code = 'goose/late'\npaths = ['a']\n", &[]).1, []);
        assert_eq!(applied(&run, "code = 'goose/duplicate'\npaths = ['a']\n", &[]).1.len(), 1);
    }

    #[test]
    fn an_allowance_counts_through_its_last_day() {
        let findings = [found("goose/late", "1", &["a"])];
        let until = |day: &str| {
            let text = format!("code = 'goose'\npaths = ['a']\nuntil = 2026-{day}\n");
            let (silenced, own) = applied(&run(&known()), &text, &findings);
            (silenced[0], own.into_iter().map(|found| found.code).collect::<Vec<_>>())
        };
        assert_eq!(until("05-01"), (true, vec![]));
        assert_eq!(until("04-30"), (false, vec![EXPIRED.to_owned()]));
    }

    #[test]
    fn what_a_change_introduces_is_covered_only_by_name() {
        let known = known();
        let introduced = |site: &Site| site.path == "a/new".into();
        let run = Run { introduced: &introduced, ..run(&known) };
        let findings = [found("goose/duplicate", "1", &["a/old", "a/new"])];
        let (silenced, own) = applied(&run, "code = 'goose'\npaths = ['a/*']\n", &findings);
        assert_eq!((silenced, own), (vec![false], vec![]), "not covered, and not litter either");
        assert_eq!(applied(&run, "code = 'goose'\npaths = ['a/*']\nkey = '1'\n", &findings).0, [true]);
    }
}
