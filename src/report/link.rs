//! What may become a link.

/// An address that may become a link: an ordinary one of the web, without a user, and what it shows is what it is.
pub(in crate::report) fn is_web_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&byte));
    let host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    matches!(scheme, "http" | "https") && plain && !authority.is_empty() && authority.bytes().all(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_linked() {
        for good in ["https://example.org", "http://example.org:8080/a?b=c#d", "https://[::1]/x"] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "javascript://example.org/%0Aalert(1)",
            "data:text/html,x",
            "//example.org",
            "https:/example.org",
            "https://",
            "https://github.com@example.org/",
            "https://exаmple.org/", // a Cyrillic letter
            "https://example.org/\u{202e}",
            "https://example.org/a b",
            "https://example.org/\"onx",
            "HTTPS://example.org",
            " https://example.org",
            "https://example.org\\@x",
            "ftp://example.org",
            "file:///etc/passwd",
        ] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }
}
