//! How keys go on: numbers, and times.

use std::borrow::Cow;

/// How keys go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    /// Numbers, padded to this width at least.
    Number(usize),
    /// UTC times of this format, a second apart at least.
    Time(Cow<'static, str>),
}

/// UTC seconds as most tools write them.
const SECONDS: &str = "%Y%m%d%H%M%S";
/// A key of more digits is no number that somebody counted up to.
const COUNTED: usize = 6;

impl Series {
    /// Understands the key of a rule's `[next]`.
    pub(crate) fn parse(template: &str) -> Option<Self> {
        let inner = template.strip_prefix('{')?.strip_suffix('}')?;
        if let Some(format) = inner.strip_prefix("now:") {
            return Some(Self::Time(format.to_owned().into()));
        }
        match inner.strip_prefix("max+1")? {
            "" => Some(Self::Number(1)),
            width => width.strip_prefix(":0")?.parse().ok().map(Self::Number),
        }
    }

    /// The series that a folder keeps to, whose newest key this is: a tool that writes times may be told to count, and the other way round.
    pub(crate) fn kept_to(self, newest: &str) -> Self {
        let tail = newest.len() - newest.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        match self {
            _ if time(SECONDS, newest).is_some() => Self::Time(SECONDS.into()),
            Self::Time(format) if tail == 0 || newest.len() > COUNTED || time(&format, newest).is_some() => {
                Self::Time(format)
            }
            _ => Self::Number(newest.len()),
        }
    }

    /// The first key, where there is none yet, or where a clock counts.
    pub(crate) fn first(&self, now: jiff::Timestamp) -> Option<String> {
        match self {
            Self::Number(width) => Some(format!("{:0>width$}", 1)),
            // whole seconds, whatever the format can say
            Self::Time(format) => {
                let now = jiff::Timestamp::from_second(now.as_second()).ok()?;
                jiff::fmt::strtime::format(format.as_bytes(), now).ok()
            }
        }
    }

    /// The key after another.
    pub(crate) fn after(&self, key: &str) -> Option<String> {
        match self {
            Self::Number(width) => Some(format!("{:0>width$}", plus_one(key)?)),
            Self::Time(format) => {
                let next = time(format, key).and_then(|time| time.checked_add(jiff::Span::new().seconds(1)).ok());
                next.map(|time| time.strftime(format.as_ref()).to_string()).or_else(|| plus_one(key))
            }
        }
    }

    /// Whether a key is written as it is compared: in digits alone, and UTC seconds if it is a time.
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self, Self::Time(format) if format != SECONDS)
    }
}

/// The time that a key says in a format, written just so.
fn time(format: &str, key: &str) -> Option<jiff::civil::DateTime> {
    let time = jiff::civil::DateTime::strptime(format, key).ok()?;
    (time.strftime(format).to_string() == key).then_some(time)
}

/// A key whose last number is one more, at least as wide: `9` becomes `10`, `1.09` becomes `1.10`.
pub(crate) fn counted_up(key: &str) -> Option<String> {
    let start = key.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    Some(format!("{}{}", &key[..start], plus_one(&key[start..])?))
}

/// A decimal number of any length, plus one, at least as wide.
fn plus_one(key: &str) -> Option<String> {
    if key.is_empty() || !key.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut digits: Vec<u8> = key.bytes().collect();
    for at in (0..digits.len()).rev() {
        if digits[at] == b'9' {
            digits[at] = b'0';
        } else {
            digits[at] += 1;
            return String::from_utf8(digits).ok();
        }
    }
    digits.insert(0, b'1');
    String::from_utf8(digits).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn series_go_on_as_the_tool_would() {
        let next = |template: &str, key: &str| Series::parse(template).and_then(|series| series.after(key));
        assert_eq!(next("{max+1:04}", "12").as_deref(), Some("0013"));
        assert_eq!(next("{max+1:04}", "9999").as_deref(), Some("10000"));
        assert_eq!(next("{now:%Y%m%d%H%M%S}", "20260428235959").as_deref(), Some("20260429000000"));
        assert_eq!(next("{now:%Y%m%d%H%M%S}", "20260499999999").as_deref(), Some("20260500000000"));
        assert_eq!(next("{now:%Y-%m-%d-%H%M%S}", "2026-12-31-235959").as_deref(), Some("2027-01-01-000000"));
        assert_eq!(next("{now:%s%3f}", "1777334400000").as_deref(), Some("1777334400001"));
        assert_eq!(next("{nonsense}", "1"), None);
        assert_eq!(next("{max+1:4}", "1"), None);
    }

    #[test]
    fn a_clock_says_where_times_begin_to_the_second() {
        let now = jiff::Timestamp::from_millisecond(1_777_334_461_234).unwrap();
        let first = |template: &str| Series::parse(template).unwrap().first(now).unwrap();
        assert_eq!(first("{now:%Y%m%d%H%M%S}"), "20260428000101");
        assert_eq!(first("{now:%Y-%m-%d-%H%M%S}"), "2026-04-28-000101");
        assert_eq!(first("{now:%s%3f}"), "1777334461000");
        assert_eq!((first("{max+1}"), first("{max+1:05}")), ("1".into(), "00001".into()));
    }

    #[test]
    fn a_folder_may_keep_to_another_series_than_its_tool() {
        let kept = |template: &str, newest: &str| Series::parse(template).unwrap().kept_to(newest);
        let time = |format: &'static str| Series::Time(format.into());
        assert_eq!(kept("{max+1:05}", "20260428000101"), time("%Y%m%d%H%M%S"));
        assert_eq!(kept("{max+1:04}", "012"), Series::Number(3));
        assert_eq!(kept("{now:%Y%m%d%H%M%S}", "0012"), Series::Number(4));
        assert_eq!(kept("{now:%Y%m%d%H%M%S}", "20260428"), time("%Y%m%d%H%M%S"), "a day, and no number");
        assert_eq!(kept("{now:%Y-%m-%d-%H%M%S}", "00000000000000"), time("%Y-%m-%d-%H%M%S"), "no time, and no number");
        assert_eq!(kept("{now:%s%3f}", "1777334400000"), time("%s%3f"));
    }

    #[test]
    fn the_last_number_of_a_key_goes_on() {
        let up = |key: &str| counted_up(key);
        assert_eq!((up("0099").as_deref(), up("1.9").as_deref()), (Some("0100"), Some("1.10")));
        assert_eq!((up("1_02").as_deref(), up("v"), up("")), (Some("1_03"), None, None));
    }
}
