//! `.gatekeep/baseline.json`: the findings of one day, which a repository lives with from then on.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Run, UNUSED, is_own, site};
use crate::{
    config::{FileKind, Mistake, position, strict},
    diag::{Diagnostic, Severity, SuppressedBy, Suppression},
    error::Fatal,
};

/// Where the baseline is, below the top of the repository.
pub const PATH: &str = ".gatekeep/baseline.json";
/// Version of the format.
const SCHEMA: u64 = 1;
/// Largest baseline, in bytes.
const SIZE_LIMIT: usize = 16 << 20;
/// Most stale entries that are shown one by one.
const STALE_LIMIT: usize = 20;

/// The findings that a repository lives with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    file: String,
    text: String,
    entries: Vec<Entry>,
}

/// One finding that a repository lives with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The code of the finding.
    pub code: String,
    /// The fingerprint of the finding: 32 hexadecimal digits.
    pub fingerprint: String,
    /// The paths of its sites, sorted; invalid UTF-8 replaced. For people: what counts is the fingerprint.
    pub paths: Vec<String>,
    /// The name that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u64,
    findings: Vec<Entry>,
}

/// The version alone, so that a newer file is named as such before its unknown keys are.
#[derive(Deserialize)]
struct Version {
    schema: u64,
}

impl Baseline {
    /// The text of a baseline of these findings, in a total order. Those that an allowance covers are left out, and those
    /// about silencers; those that the present baseline covers are kept.
    pub fn write(findings: &[Diagnostic]) -> String {
        let by_other = |found: &Diagnostic| found.suppressed.as_ref().is_some_and(|s| s.by != SuppressedBy::Baseline);
        let lived_with = findings.iter().filter(|found| !is_own(found) && !by_other(found));
        let mut entries: Vec<Entry> = lived_with.map(Entry::of).collect();
        // By what people read, so that a new finding stands beside its like in a diff.
        entries.sort_by(|a, b| a.order().cmp(&b.order()));
        entries.dedup();
        let file = File { schema: SCHEMA, findings: entries };
        let text = serde_json::to_string_pretty(&file).expect("numbers, strings and lists always serialize");
        text + "\n"
    }

    /// Reads a baseline. `file` is the path under which a report names it.
    ///
    /// # Errors
    /// [`Fatal::Baseline`] at the place of the first mistake.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, Fatal> {
        let text = strict::decoded(FileKind::Baseline, file, bytes, SIZE_LIMIT)?;
        if let Ok(Version { schema }) = serde_json::from_str(text)
            && schema != SCHEMA
        {
            let message = format!("the baseline has version {schema}, and only {SCHEMA} is known");
            let help = "`gatekeep baseline` writes it anew; a newer gatekeep may be needed";
            return Err(FileKind::Baseline.fatal(Mistake::whole(file, &message).with_help(help)));
        }
        let File { findings: entries, .. } = strict::parse_json(FileKind::Baseline, file, text)?;
        let made = Self { file: file.into(), text: text.into(), entries };
        match made.entries.iter().find(|entry| !is_fingerprint(&entry.fingerprint)) {
            Some(entry) => Err(made.bad_fingerprint(entry)),
            None => Ok(made),
        }
    }

    /// The findings, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Silences the findings that are in it, and returns the entries that this run would have found and did not.
    pub fn apply(&self, run: &Run<'_>, findings: &mut [Diagnostic]) -> Vec<&Entry> {
        let listed: BTreeSet<_> = self.entries.iter().map(|entry| (&*entry.fingerprint, &*entry.code)).collect();
        let mut met: BTreeSet<String> = BTreeSet::new();
        for found in findings.iter_mut().filter(|found| !is_own(found)) {
            if listed.contains(&(&*found.fingerprint, &*found.code)) {
                met.insert(found.fingerprint.clone());
                found.suppressed.get_or_insert(Suppression { by: SuppressedBy::Baseline, reason: None });
            }
        }
        let stale = |entry: &&Entry| !met.contains(&entry.fingerprint) && (run.judged)(&entry.code);
        self.entries.iter().filter(stale).collect()
    }

    /// One warning about all stale entries, since one command mends them all; none if there are none.
    pub(super) fn report(&self, run: &Run<'_>, stale: &[&Entry]) -> Option<Diagnostic> {
        let sites = stale.iter().take(STALE_LIMIT).map(|entry| {
            let mut site = site(&self.file, position(&self.text, self.place(entry)), &run.policy);
            let key = entry.key.as_deref().map(|key| format!(" `{key}`")).unwrap_or_default();
            site.note = Some(format!("{}{key}: {}", entry.code, entry.paths.join(", ")));
            site
        });
        let sites: Vec<_> = sites.collect();
        let message = match stale.len() {
            0 => return None,
            1 => "one entry of the baseline matches no finding any more".to_owned(),
            count => format!("{count} entries of the baseline match no finding any more"),
        };
        let mut made = Diagnostic::new(UNUSED, Severity::Warning, message, sites);
        made.help = Some("`gatekeep baseline` writes it anew".into());
        Some(made)
    }

    fn bad_fingerprint(&self, entry: &Entry) -> Fatal {
        let message = "a fingerprint is 32 hexadecimal digits";
        let mistake = Mistake::at(&self.file, &self.text, self.place(entry), message);
        FileKind::Baseline.fatal(mistake.with_help("`gatekeep baseline` writes the file anew"))
    }

    /// The bytes of an entry's fingerprint; the start of the file where it was written with escapes.
    fn place(&self, entry: &Entry) -> std::ops::Range<usize> {
        let quoted = format!("\"{}\"", entry.fingerprint);
        self.text.find(&quoted).map_or(0..0, |at| at..at + quoted.len())
    }
}

impl Entry {
    fn of(found: &Diagnostic) -> Self {
        let paths: BTreeSet<String> = found.sites.iter().map(|site| site.path.lossy().into_owned()).collect();
        Self {
            code: found.code.clone(),
            fingerprint: found.fingerprint.clone(),
            paths: paths.into_iter().collect(),
            key: found.key.clone(),
        }
    }

    fn order(&self) -> impl Ord + '_ {
        (&self.code, &self.paths, &self.key, &self.fingerprint)
    }
}

fn is_fingerprint(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::super::tests::{found, known, run};
    use super::*;

    fn read(findings: &[Diagnostic]) -> Baseline {
        Baseline::read(PATH, Baseline::write(findings).as_bytes()).unwrap()
    }

    fn refused(text: &str) -> String {
        Baseline::read("b.json", text.as_bytes()).unwrap_err().plain()
    }

    #[test]
    fn the_file_does_not_depend_on_order_and_ends_with_a_line_end() {
        let mut two = vec![found("goose/late", "2", &["b", "a"]), found("goose/duplicate", "1", &["c", "c"])];
        let text = Baseline::write(&two);
        two.reverse();
        two.push(two[0].clone());
        assert_eq!(Baseline::write(&two), text);
        let (first, second) = (&two[0].fingerprint, &two[1].fingerprint);
        let expected = r#"{
  "schema": 1,
  "findings": [
    {
      "code": "goose/duplicate",
      "fingerprint": "FIRST",
      "paths": [
        "c"
      ],
      "key": "1"
    },
    {
      "code": "goose/late",
      "fingerprint": "SECOND",
      "paths": [
        "a",
        "b"
      ],
      "key": "2"
    }
  ]
}
"#;
        assert_eq!(text, expected.replace("FIRST", first).replace("SECOND", second));
        assert_eq!(Baseline::write(&[]), "{\n  \"schema\": 1,\n  \"findings\": []\n}\n");
    }

    #[test]
    fn what_is_allowed_or_about_silencers_is_not_written_and_what_is_covered_stays() {
        let by = |by, key| {
            let suppressed = Some(Suppression { by, reason: None });
            Diagnostic { suppressed, ..found("goose/late", key, &["a"]) }
        };
        let mut kept = vec![by(SuppressedBy::Baseline, "1"), found("goose/late", "2", &["a"])];
        let text = Baseline::write(&kept);
        kept.extend([by(SuppressedBy::Allow, "3"), by(SuppressedBy::Inline, "4"), found(UNUSED, "5", &["a"])]);
        assert_eq!(Baseline::write(&kept), text);
        assert_eq!(read(&kept).entries.len(), 2);
    }

    #[test]
    fn listed_findings_are_silenced_and_others_not() {
        let old = [found("goose/duplicate", "1", &["a", "b"])];
        let mut today = vec![old[0].clone(), found("goose/duplicate", "1", &["a", "b", "c"])];
        let known = known();
        assert_eq!(read(&old).apply(&run(&known), &mut today), Vec::<&Entry>::new());
        assert_eq!(today[0].suppressed, Some(Suppression { by: SuppressedBy::Baseline, reason: None }));
        assert_eq!(today[1].suppressed, None, "a third file is another finding");
    }

    #[test]
    fn stale_entries_are_reported_at_their_place() {
        let known = known();
        let baseline = read(&[found("goose/late", "1", &["a"]), found("goose/late", "2", &["b"])]);
        let run = run(&known);
        let stale = baseline.apply(&run, &mut [found("goose/late", "1", &["a"])]);
        assert_eq!(stale.iter().map(|entry| entry.key.as_deref()).collect::<Vec<_>>(), [Some("2")]);
        let own = baseline.report(&run, &stale).unwrap();
        assert_eq!((own.code.as_str(), own.severity, own.sites.len()), (UNUSED, Severity::Warning, 1));
        assert_eq!(own.sites[0].path, PATH.into());
        assert_eq!(own.sites[0].position.unwrap().line, 14);
        assert_eq!(own.sites[0].note.as_deref(), Some("goose/late `2`: b"));
        assert!(own.help.as_ref().unwrap().contains("`gatekeep baseline`"));
        assert_eq!(baseline.report(&run, &[]), None);
    }

    #[test]
    fn entries_of_what_was_not_judged_are_not_stale() {
        let known = known();
        let run = Run { judged: &|code| code != "goose/late", ..run(&known) };
        let baseline = read(&[found("goose/late", "1", &["a"])]);
        assert_eq!(baseline.apply(&run, &mut []), Vec::<&Entry>::new());
    }

    #[test]
    fn a_broken_baseline_is_refused_with_its_place() {
        let entry = |more: &str| format!("{{\"schema\": 1,\n\"findings\": [\n{{{more}}}]}}");
        assert!(refused("").starts_with("error: b.json:1:1: EOF"), "{}", refused(""));
        assert!(refused("{\"schema\": 1}").contains("missing key `findings`"));
        assert!(refused("{\"schema\": 2, \"more\": []}").contains("version 2"));
        let misspelt = refused(&entry("\"cod\": \"a\""));
        assert!(misspelt.contains("b.json:3:") && misspelt.contains("did you mean `code`?"), "{misspelt}");
        let short = refused(&entry("\"code\": \"a/b\", \"fingerprint\": \"12\", \"paths\": []"));
        assert!(short.contains("b.json:3:32: a fingerprint is 32"), "{short}");
        assert!(refused(&"[".repeat(100_000)).starts_with("error: b.json:1:"));
        assert!(refused("<<<<<<< HEAD\n").starts_with("error: b.json:1:1: expected value"));
    }
}
