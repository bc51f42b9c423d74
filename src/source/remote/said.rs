//! What git says of a failure: in words that can be shown, and whether it may be better in a moment.

use super::Failed;

/// Longest message that is passed on, in characters.
const LONGEST: usize = 300;

/// What a busy or broken connection looks like: another try may do.
const PASSING: [&str; 13] = [
    "hung up",
    "reset by peer",
    "early EOF",
    "unexpected disconnect",
    "broken pipe",
    "timed out",
    "Temporary failure",
    "HTTP 408",
    "HTTP 429",
    "HTTP 5",
    "error: 429",
    "error: 50",
    "RPC failed",
];

/// What a remote that is not there, or not ours, looks like. It stays so.
const LASTING: [&str; 7] = [
    "not appear to be a git repository",
    "Permission denied",
    "Authentication failed",
    "could not read Username",
    "Host key verification failed",
    "Connection refused",
    "Could not resolve host",
];

/// The failure that standard error tells of.
pub(super) fn failed(stderr: &[u8]) -> Failed {
    let text = String::from_utf8_lossy(stderr);
    let is_any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    Failed { why: reason(&text), may_pass: is_any(&PASSING) && !is_any(&LASTING) }
}

/// The line that says most, without passwords.
fn reason(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = |start: &'static str| lines().find_map(move |line| line.strip_prefix(start));
    let line = first("remote: error: ").or_else(|| first("fatal: ")).or_else(|| first("error: "));
    let line = line.or_else(|| lines().next_back()).unwrap_or("git did not say why");
    without_passwords(line).chars().take(LONGEST).collect()
}

/// The text without what stands before the host in addresses.
pub(super) fn without_passwords(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("://") {
        let (before, after) = rest.split_at(start + 3);
        out.push_str(before);
        let end = after.find(|c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"').unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(at) => &after[at + 1..],
            None => after,
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_most_is_told_without_passwords() {
        let say = |text: &str| failed(text.as_bytes()).why;
        assert_eq!(
            say("hint: x\nfatal: repository 'https://me:ghp_x@h/r' not found\n"),
            "repository 'https://h/r' not found"
        );
        assert_eq!(
            say("error: failed\nfatal: unable to access 'http://t@h:1/r/': no\n"),
            "unable to access 'http://h:1/r/': no"
        );
        assert_eq!(say("\n"), "git did not say why");
        assert_eq!(say(&"y".repeat(1000)).len(), LONGEST);
        assert_eq!(without_passwords("a ssh://git@h/x b https://u:p@q@h c"), "a ssh://h/x b https://h c");
        assert_eq!(without_passwords("git@h:x/y ://"), "git@h:x/y ://");
    }

    #[test]
    fn a_busy_remote_is_asked_again_and_one_that_is_not_there_is_not() {
        let may_pass = |text: &str| failed(text.as_bytes()).may_pass;
        assert!(may_pass("fatal: the remote end hung up unexpectedly"));
        assert!(may_pass("fatal: unable to access 'x': The requested URL returned error: 503"));
        assert!(!may_pass("fatal: 'x' does not appear to be a git repository\nfatal: the remote end hung up"));
        assert!(!may_pass("fatal: unable to access 'x': Could not resolve host: h"));
    }
}
