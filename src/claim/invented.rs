//! Versions that nobody's clock has shown.

/// Whether a version is a time, as `YYYYMMDDhhmmss`, that somebody made up: one that no clock shows, or one that hardly any clock would have
/// shown just then: within the first minute of a day, or at a whole five minutes, to the second.
pub(crate) fn is_invented(version: &str) -> bool {
    let is_time = version.len() == 14 && version.bytes().all(|b| b.is_ascii_digit());
    if !is_time || !(version.starts_with("19") || version.starts_with("20")) {
        return false;
    }
    let Ok(time) = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", version) else { return true };
    let at_midnight = time.hour() == 0 && time.minute() == 0;
    at_midnight || time.second() == 0 && time.minute() % 5 == 0
}

#[cfg(test)]
mod tests {
    use super::is_invented;

    #[test]
    fn round_counted_and_impossible_times_are_made_up() {
        for version in
            ["20260428000000", "20260428000001", "20260428120000", "20260428093500", "20260428246000", "20261301101112"]
        {
            assert!(is_invented(version), "{version}");
        }
    }

    #[test]
    fn times_of_a_clock_and_other_numbers_are_not() {
        for version in [
            "20260428093517",
            "20260428093600",
            "20260428000101",
            "00000000000000",
            "20260428",
            "000001",
            "99990101000000",
            "2026042800000x",
        ] {
            assert!(!is_invented(version), "{version}");
        }
    }
}
