//! URL equivalence: the safe steps of RFC 3986 §6.2.2 and §6.2.3, and no others.
//!
//! Trailing slashes, `www.`, `http` against `https`, path case and query order are different URLs to a crawler and stay so here.

use std::borrow::Cow;

use idna::AsciiDenyList;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The canonical text of an absolute URL; none if it has no scheme or no host.
pub(super) fn normalize(text: &str) -> Option<Cow<'_, str>> {
    // Few texts have blanks around them, and a million are asked about.
    let text = if text.bytes().next().is_some_and(is_blank) || text.bytes().next_back().is_some_and(is_blank) {
        text.trim_matches(|c| u8::try_from(c).is_ok_and(is_blank))
    } else {
        text
    };
    if is_normal(text) {
        return Some(Cow::Borrowed(text));
    }
    let (scheme, rest) = text.split_once("://")?;
    if !is_scheme(scheme) {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let tail = tail.split_once('#').map_or(tail, |(kept, _fragment)| kept);
    let (path, query) = tail.split_at(tail.find('?').unwrap_or(tail.len()));
    let authority = normal_authority(&scheme, authority)?;
    let path = normal_escapes(path);
    let path = without_dot_segments(&path);
    Some(Cow::Owned(format!("{scheme}://{authority}{path}{}", normal_escapes(query))))
}

/// The beginning that most URLs of a file share, tested once.
#[derive(Debug, Default)]
pub(crate) struct Site(Vec<u8>);

impl Site {
    /// The canonical text of an absolute URL, as [`normalize`] gives it.
    pub(crate) fn normalize<'t>(&mut self, text: &'t str) -> Option<Cow<'t, str>> {
        if !self.0.is_empty()
            && let Some(tail) = text.as_bytes().strip_prefix(self.0.as_slice())
            && is_normal_tail(tail)
            && !text.ends_with(|c: char| u8::try_from(c).is_ok_and(is_blank))
        {
            return Some(Cow::Borrowed(text));
        }
        let normal = normalize(text)?;
        if let Cow::Borrowed(text) = normal
            && let Some(host) = text.find("://")
            && let Some(slash) = text[host + 3..].find('/')
        {
            self.0.clear();
            self.0.extend_from_slice(&text.as_bytes()[..host + 3 + slash]);
        }
        Some(normal)
    }
}

/// Whether the steps would change nothing. May say no to a normal text, never yes to another: it spares the common URL all work.
fn is_normal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(rest) = bytes.strip_prefix(b"https://").or_else(|| bytes.strip_prefix(b"http://")) else { return false };
    let Some(slash) = memchr::memchr(b'/', rest) else { return false };
    let (host, tail) = rest.split_at(slash);
    // Without early exits, so that the compiler can take many bytes at a time.
    let plain = |b: u8| b.is_ascii_lowercase() | b.is_ascii_digit() | (b == b'-') | (b == b'.');
    if host.is_empty() || host.ends_with(b".") || !host.iter().fold(true, |all, b| all & plain(*b)) {
        return false;
    }
    is_normal_tail(tail)
}

/// The same for what comes behind the host, which has to begin with a slash.
fn is_normal_tail(tail: &[u8]) -> bool {
    if tail.first() != Some(&b'/') {
        return false;
    }
    let (odd, dots) = tail.iter().fold((false, false), |(odd, dots), b| {
        (odd | !b.is_ascii_graphic() | (*b == b'%') | (*b == b'#'), dots | (*b == b'.'))
    });
    !odd && (!dots || memchr::memmem::find(tail, b"/.").is_none())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

fn normal_authority(scheme: &str, authority: &str) -> Option<String> {
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(normal_escapes(user)), place),
        None => (None, authority),
    };
    // The colons inside the brackets of an IPv6 host are none of a port.
    let bracket = place.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match place[bracket..].find(':') {
        Some(at) => (&place[..bracket + at], Some(&place[bracket + at + 1..])),
        None => (place, None),
    };
    let host = normal_host(host);
    if host.is_empty() {
        return None;
    }
    let default = |port: &str| matches!((scheme, port), (_, "") | ("http", "80") | ("https", "443"));
    let port = port.map(normal_escapes).filter(|port| !default(port));
    let mut text = user.map_or(String::new(), |user| format!("{user}@"));
    text.push_str(&host);
    if let Some(port) = port {
        text.push(':');
        text.push_str(&port);
    }
    Some(text)
}

fn normal_host(host: &str) -> String {
    let ascii = if host.is_ascii() {
        None
    } else {
        // A host that UTS-46 refuses stays a name all the same: two files may still hold the same broken URL.
        idna::domain_to_ascii_cow(host.as_bytes(), AsciiDenyList::URL).ok()
    };
    let escaped = match ascii {
        Some(ascii) => ascii.into_owned(),
        None => normal_escapes(host).into_owned(),
    };
    upper_escapes(&escaped.to_ascii_lowercase()).trim_end_matches('.').to_owned()
}

/// Escapes in upper case, the unreserved ones decoded, characters beyond ASCII escaped as UTF-8. Blanks and control characters, which
/// no URL can hold, are escaped too: every reader takes them so.
fn normal_escapes(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| b.is_ascii_graphic() && b != b'%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < bytes.len() {
        let (value, length) = match escape_at(bytes, at) {
            Some(value) => (value, 3),
            None => (bytes[at], 1),
        };
        let plain =
            if length == 3 { is_unreserved(value) && !completes_escape(&out, value) } else { value.is_ascii_graphic() };
        if plain {
            out.push(char::from(value));
        } else {
            push_escape(&mut out, value);
        }
        at += length;
    }
    Cow::Owned(out)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Whether a decoded byte would make an escape of a stray percent sign before it (`%a%41`), which the text never held.
fn completes_escape(out: &str, value: u8) -> bool {
    if !value.is_ascii_hexdigit() {
        return false;
    }
    match out.as_bytes() {
        [.., b'%'] => true,
        [.., b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    }
}

/// The byte that a `%XX` at this place stands for.
fn escape_at(bytes: &[u8], at: usize) -> Option<u8> {
    let hex = |b: &u8| char::from(*b).to_digit(16);
    match bytes.get(at..at + 3)? {
        [b'%', high, low] => u8::try_from(hex(high)? * 16 + hex(low)?).ok(),
        _ => None,
    }
}

fn push_escape(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// Lower-cased hosts keep upper-case escapes.
fn upper_escapes(text: &str) -> Cow<'_, str> {
    if text.contains('%') { normal_escapes(text) } else { Cow::Borrowed(text) }
}

/// RFC 3986 §5.2.4 on a path that is empty or begins with a slash; an empty one becomes `/`.
fn without_dot_segments(path: &str) -> Cow<'_, str> {
    if path.is_empty() {
        return Cow::Borrowed("/");
    }
    if !path.contains("/.") {
        return Cow::Borrowed(path);
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path[1..].split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    Cow::Owned(format!("/{}", kept.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> String {
        normalize(text).map_or_else(|| panic!("{text} is no URL"), Cow::into_owned)
    }

    fn same(urls: &[&str]) {
        for text in urls {
            assert_eq!(url(text), url(urls[0]), "{text}");
        }
    }

    #[test]
    fn the_five_steps() {
        same(&["https://example.com/a.gz", " \n https://example.com/a.gz\t "]);
        same(&["https://example.com/", "HTTPS://EXAMPLE.com", "https://example.com.", "https://example.com:443/"]);
        same(&["https://example.com/", "https://example.com#top", "https://example.com:/"]);
        same(&["https://example.com/?q", "https://example.com?q#x"]);
        same(&["https://xn--bcher-kva.example/", "https://Bücher.example", "https://BÜCHER.example/"]);
        same(&["http://h/%C3%A9", "http://h/é", "http://h/%c3%a9"]);
        same(&["http://h/~a-b_c.d", "http://h/%7Ea%2db%5fc%2Ed"]);
        same(&["http://h/a/c", "http://h/a/./b/../c", "http://h/a/b/%2e%2E/c", "http://h/../a/c"]);
        same(&["http://h/a/", "http://h/a/.", "http://h/a/b/.."]);
        same(&["http://[::1]/", "http://[::1]:80"]);
        same(&["http://h/a%20b", "http://h/a b"]);
        same(&["http://h/x/..%20", "http://h/x/.. #c"]);
        assert_eq!(url("http://h:8080/%zz%2f"), "http://h:8080/%zz%2F");
        assert_eq!(url("http://Me@h/"), "http://Me@h/");
    }

    proptest! {
        #[test]
        fn the_memory_of_a_site_changes_nothing(urls in prop::collection::vec("(https?://(a\\.b|A\\.b|a\\.b\\.|a:443)(/[-./%a#é ]{0,6})?|x)", 1..8)) {
            let mut site = Site::default();
            for text in urls {
                prop_assert_eq!(site.normalize(&text), normalize(&text), "{}", text);
            }
        }
    }

    #[test]
    fn what_crawlers_tell_apart_stays_apart() {
        for (a, b) in [
            ("https://h/a", "https://h/a/"),
            ("https://h/a", "http://h/a"),
            ("https://h/a", "https://www.h/a"),
            ("https://h/a", "https://h/A"),
            ("https://h/?a&b", "https://h/?b&a"),
            ("https://h/a%2Fb", "https://h/a/b"),
            ("https://h/a%26b", "https://h/a&b"),
            ("https://h/", "https://h/?"),
            ("https://h/", "https://h/index.html"),
            ("https://h/", "https://h:80/"),
            ("https://h/?a", "https://h/?a&utm_source=b"),
        ] {
            assert_ne!(url(a), url(b));
        }
    }

    #[test]
    fn no_url_without_scheme_and_host() {
        for text in
            ["", "/a", "//h/a", "h/a", "mailto:a@h", "https:///a", "https://", "1s://h/", "https://./", "http://:80/"]
        {
            assert_eq!(normalize(text), None, "{text}");
        }
    }

    #[test]
    fn the_common_url_is_borrowed() {
        for text in ["https://example.com/a/b.html?c=d.e", "http://a-1.example/"] {
            assert!(matches!(normalize(text), Some(Cow::Borrowed(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn idempotent_and_the_short_way_agrees(
            text in "(https?|HTTP|ftp)://([a-zA-Zé.%@:0-9\\[\\]-]|％|。|%[0-9a-f]{2}){0,8}([/.?#%&aA:]|%2[eEfF]|%4[1a]|é|/\\.){0,9}"
        ) {
            if let Some(once) = normalize(&text) {
                let again = normalize(&once).map(Cow::into_owned);
                prop_assert_eq!(again.as_deref(), Some(once.as_ref()));
                prop_assert!(once.is_ascii());
            }
        }

        #[test]
        fn the_short_way_never_differs_from_the_long(text in "https?://[a-z.-]{1,5}/([a./?%#]|%2e){0,8}") {
            if is_normal(&text) {
                // An upper-case scheme is the one thing that keeps the same URL off the short way.
                let long = normalize(&text.replacen("http", "HTTP", 1)).map(Cow::into_owned);
                prop_assert_eq!(long.as_deref(), Some(text.as_str()));
            }
        }
    }
}
