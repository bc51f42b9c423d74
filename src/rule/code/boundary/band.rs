//! Bands: which keys an agent may take.

/// A band of keys: `??????????0300..??????????0399` is every key of 14 digits whose last four are from 0300 to 0399.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// As many as a key has digits; none where any digit may stand.
    first: Vec<Option<u8>>,
    last: Vec<Option<u8>>,
}

impl Band {
    /// Understands `first..last`: two ends of one length, of digits, and of `?` at the same places in both. None otherwise, and
    /// where the first one is greater than the last one.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once("..")?;
        let (first, last) = (end(first)?, end(last)?);
        let shape = |end: &[Option<u8>]| end.iter().map(Option::is_none).collect::<Vec<_>>();
        let made = Self { first, last };
        (!made.first.is_empty() && shape(&made.first) == shape(&made.last) && made.first <= made.last).then_some(made)
    }

    /// Whether each key of this band lies in another one.
    pub fn is_within(&self, other: &Self) -> bool {
        let shape = |band: &Self| band.first.iter().map(Option::is_none).collect::<Vec<_>>();
        shape(self) == shape(other) && other.first <= self.first && self.last <= other.last
    }

    /// Whether a key lies in the band. The digits that the band constrains are read as one number, however long it is; a key of
    /// another length, or with anything but digits in it, lies outside.
    pub fn holds(&self, key: &str) -> bool {
        let key = key.as_bytes();
        if key.len() != self.first.len() || !key.iter().all(u8::is_ascii_digit) {
            return false;
        }
        let number: Vec<Option<u8>> = key.iter().zip(&self.first).map(|(digit, end)| end.map(|_| *digit)).collect();
        // of one shape, so that the order of the lists is that of the numbers
        self.first <= number && number <= self.last
    }
}

fn end(text: &str) -> Option<Vec<Option<u8>>> {
    let place = |byte: u8| match byte {
        b'?' => Some(None),
        b'0'..=b'9' => Some(Some(byte)),
        _ => None,
    };
    text.bytes().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(band: &str, key: &str) -> bool {
        Band::parse(band).expect("a band").holds(key)
    }

    #[test]
    fn constrained_digits_are_one_number() {
        let band = "??????????0300..??????????0399";
        assert!(holds(band, "20260428120300") && holds(band, "99999999990399"));
        assert!(!holds(band, "20260428120299") && !holds(band, "20260428120400"));
        assert!(holds("0100..0199", "0150") && !holds("0100..0199", "0200"));
        assert!(holds("1?5..2?3", "199") && holds("1?5..2?3", "200") && !holds("1?5..2?3", "104"), "15 to 23");
        assert!(holds("??..??", "07"), "nothing is constrained but the length");
    }

    #[test]
    fn one_band_lies_within_another() {
        let within = |inner: &str, outer: &str| {
            let band = |text| Band::parse(text).expect("a band");
            band(inner).is_within(&band(outer))
        };
        assert!(within("0310..0320", "0300..0399") && within("?03..?04", "?03..?04"));
        for (inner, outer) in
            [("0300..0400", "0300..0399"), ("0200..0310", "0300..0399"), ("03..04", "003..004"), ("?1..?2", "01..02")]
        {
            assert!(!within(inner, outer), "{inner} in {outer}");
        }
    }

    #[test]
    fn other_keys_lie_outside() {
        for key in ["", "150", "00150", "01a0", "0150\n", "٠١٥٠"] {
            assert!(!holds("0100..0199", key), "{key:?}");
        }
    }

    #[test]
    fn what_is_no_band() {
        for bad in ["", "..", "0100", "1..22", "?1..1?", "a..b", "0100..", "1..2..3", "2..1"] {
            assert_eq!(Band::parse(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn without_question_marks_it_is_a_range(first in 0u32..1000, last in 0u32..1000, key in 0u32..1000) {
            let band = Band::parse(&format!("{first:03}..{last:03}"));
            let holds = band.is_some_and(|band| band.holds(&format!("{key:03}")));
            proptest::prop_assert_eq!(holds, (first..=last).contains(&key));
        }
    }
}
