//! What a reservation says, and how it is written: as a commit without parents and files, whose message a person can read too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{LONGEST_TEXT, MARGIN, Subject, is_fit};

/// The longest object that is looked at, in bytes.
pub const LONGEST: u64 = 16 << 10;
/// Who writes the commit. No identity of the user is needed, and none is given away but the agent's name.
const WRITER: &str = "gatekeep <gatekeep@localhost>";

/// A name that an agent holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The id of the rule.
    pub namespace: String,
    /// The root folder; `.` for the top.
    pub root: String,
    /// Within which the name may be taken once.
    pub partition: String,
    /// The set of names within the partition.
    pub space: String,
    /// The name as it is written.
    pub key: String,
    /// The name as the rule compares it.
    pub name: String,
    /// The file that it is meant for, where the rule tells.
    pub path: Option<String>,
    /// Who holds it.
    pub agent: String,
    /// Until when, in seconds since 1970.
    pub expires: i64,
    /// What for.
    pub reason: Option<String>,
}

/// Why something at the place of a reservation is none that can be understood. Nobody may take its name until a person has looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

/// The words as they are written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema: u32,
    namespace: String,
    root: String,
    partition: String,
    space: String,
    key: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    agent: String,
    expires: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What makes two of them two objects: git takes equal ones for one, and pushing it for done.
    nonce: String,
}

impl Reservation {
    /// What is held.
    pub fn subject(&self) -> Subject<'_> {
        let Self { namespace, partition, space, name, .. } = self;
        Subject { namespace, partition, space, name }
    }

    /// Whether it is over, on every clock.
    pub fn is_over(&self, now: i64) -> bool {
        self.expires.saturating_add(MARGIN) < now
    }

    /// The end, as a time in UTC.
    pub fn until(&self) -> String {
        Timestamp::from_second(self.expires).map_or_else(|_| "ever".into(), |time| time.to_string())
    }

    /// The bytes of the commit that says so. The nonce makes it unlike any other.
    pub fn commit(&self, tree: &str, made: i64, nonce: &str) -> Vec<u8> {
        let written = Written {
            schema: 1,
            namespace: self.namespace.clone(),
            root: self.root.clone(),
            partition: self.partition.clone(),
            space: self.space.clone(),
            key: self.key.clone(),
            name: self.name.clone(),
            path: self.path.clone(),
            agent: self.agent.clone(),
            expires: self.until(),
            reason: self.reason.clone(),
            nonce: nonce.to_owned(),
        };
        let json = serde_json::to_string(&written).unwrap_or_default(); // texts alone: nothing that can fail
        let Self { namespace, key, agent, .. } = self;
        let who = format!("{WRITER} {made} +0000");
        format!("tree {tree}\nauthor {who}\ncommitter {who}\n\n{namespace} {key} is reserved for {agent}\n\n{json}\n")
            .into_bytes()
    }

    /// Understands a commit that stands at a reference. Whoever can push may have written it.
    ///
    /// # Errors
    /// It is no reservation, or not of the name that the reference stands for.
    pub fn parse(commit: &[u8], reference: &str) -> Result<Self, Unreadable> {
        if commit.len() as u64 > LONGEST {
            return Err(Unreadable("it is too long"));
        }
        let text = std::str::from_utf8(commit).map_err(|_| Unreadable("it is no text"))?;
        let json = text.trim_end().rsplit('\n').next().unwrap_or_default();
        let written: Written = serde_json::from_str(json).map_err(|_| Unreadable("it does not say what it holds"))?;
        if written.schema != 1 {
            return Err(Unreadable("a newer version of gatekeep wrote it"));
        }
        let expires: Timestamp =
            written.expires.parse().map_err(|_| Unreadable("it does not say until when it holds"))?;
        let found = Self {
            namespace: written.namespace,
            root: written.root,
            partition: written.partition,
            space: written.space,
            key: written.key,
            name: written.name,
            path: written.path,
            agent: written.agent,
            expires: expires.as_second(),
            reason: written.reason,
        };
        let needed = [&found.namespace, &found.root, &found.partition, &found.key, &found.name, &found.agent];
        let others = [Some(&found.space), found.path.as_ref(), found.reason.as_ref()];
        let is_shown = |text: &String| text.len() <= LONGEST_TEXT && (text.is_empty() || is_fit(text));
        if !needed.into_iter().all(|text| is_fit(text)) || !others.into_iter().flatten().all(is_shown) {
            return Err(Unreadable("its words are not fit to be shown"));
        }
        if found.subject().reference() != reference {
            return Err(Unreadable("it stands at the place of another name"));
        }
        Ok(found)
    }
}

#[cfg(test)]
pub(super) fn sample() -> Reservation {
    Reservation {
        namespace: "adr-numbers".into(),
        root: "docs/adr".into(),
        partition: "docs/adr".into(),
        space: String::new(),
        key: "0004".into(),
        name: "4".into(),
        path: Some("docs/adr/0004-cache.md".into()),
        agent: "ps3".into(),
        expires: 1_777_334_400,
        reason: Some("a \"cache\"\\".into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn why(commit: &[u8], reference: &str) -> &'static str {
        Reservation::parse(commit, reference).map_or_else(|Unreadable(why)| why, |_| "good")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let one = sample();
        let commit = one.commit(TREE, 1_777_000_000, "n");
        assert_eq!(Reservation::parse(&commit, &one.subject().reference()), Ok(one.clone()));
        let text = String::from_utf8(commit).unwrap_or_default();
        assert!(text.contains("\n\nadr-numbers 0004 is reserved for ps3\n\n{"), "{text}");
        assert!(text.contains(r#""expires":"2026-04-28T00:00:00Z""#), "{text}");
        assert_ne!(one.commit(TREE, 0, "a"), one.commit(TREE, 0, "b"));
    }

    #[test]
    fn what_others_wrote_is_not_trusted() {
        let one = sample();
        let reference = one.subject().reference();
        let text = String::from_utf8(one.commit(TREE, 0, "n")).unwrap_or_default();
        assert_eq!(why(text.as_bytes(), "0123"), "it stands at the place of another name");
        assert_eq!(why(b"\xff", &reference), "it is no text");
        assert_eq!(why(b"", &reference), "it does not say what it holds");
        assert_eq!(why(&vec![b'x'; 20 << 10], &reference), "it is too long");
        let with = |from: &str, to: &str| why(text.replace(from, to).as_bytes(), &reference);
        assert_eq!(with("\"schema\":1", "\"schema\":2"), "a newer version of gatekeep wrote it");
        assert_eq!(with("\"schema\":1", "\"schema\":1,\"more\":1"), "it does not say what it holds");
        assert_eq!(with("2026-04-28T", "2026-04-99T"), "it does not say until when it holds");
        assert_eq!(with("\"agent\":\"ps3\"", r#""agent":"\u001b[31m""#), "its words are not fit to be shown");
        assert_eq!(with("\"agent\":\"ps3\"", "\"agent\":\"\""), "its words are not fit to be shown");
        assert_eq!(with("\"agent\":\"ps3\"", "\"agent\":\"another\""), "good", "who it is can't be proved, only read");
    }

    #[test]
    fn it_is_over_once_it_is_over_on_every_clock() {
        let one = sample();
        assert!(
            !one.is_over(one.expires) && !one.is_over(one.expires + MARGIN) && one.is_over(one.expires + MARGIN + 1)
        );
        let endless = Reservation { expires: i64::MAX, ..one };
        assert!(!endless.is_over(i64::MAX) && endless.until() == "ever");
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Reservation::parse(&bytes, "x");
        }

        #[test]
        fn any_fit_words_come_back(agent in "[^\\p{C}]{1,40}", reason in "[ -~]{1,80}") {
            let one = Reservation { agent, reason: Some(reason), ..sample() };
            prop_assume!(is_fit(&one.agent) && one.reason.as_deref().is_none_or(is_fit));
            let commit = one.commit(TREE, 0, "n");
            prop_assert_eq!(Reservation::parse(&commit, &one.subject().reference()), Ok(one));
        }
    }
}
