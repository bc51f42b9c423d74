//! A plan as a patch that git reads.

use std::{
    fmt::{self, Write as _},
    io,
};

use gix::diff::blob::{
    Algorithm, Diff, InternedInput, UnifiedDiff, diff_with_slider_heuristics,
    sources::byte_lines,
    unified_diff::{ConsumeHunk, ContextSize, DiffLineKind, HunkHeader},
};

use super::Touched;
use crate::{diag::RepoPath, report::escape, text::diff::is_binary};

/// The patch. Letters that a terminal would obey are escaped, in names as git does it.
pub fn patch(plan: &[Touched]) -> String {
    let mut made = String::new();
    for one in plan {
        of_file(&mut made, one).expect("a text can always be longer");
    }
    made
}

fn of_file(made: &mut String, one: &Touched) -> fmt::Result {
    let (from, to) = (name("a/", &one.from), name("b/", &one.to));
    writeln!(made, "diff --git {from} {to}")?;
    if one.is_renamed() {
        writeln!(made, "similarity index {}%", similarity(one))?;
        writeln!(made, "rename from {}\nrename to {}", name("", &one.from), name("", &one.to))?;
    }
    if !one.is_edited() {
        return Ok(());
    }
    if is_binary(&one.before) || is_binary(&one.after) {
        return writeln!(made, "Binary files {from} and {to} differ");
    }
    writeln!(made, "--- {from}\n+++ {to}")?;
    let input = InternedInput::new(byte_lines(&one.before), byte_lines(&one.after));
    let diff = diff_with_slider_heuristics(Algorithm::Histogram, &input);
    let hunks = UnifiedDiff::new(&diff, &input, Hunks(String::new()), ContextSize::default());
    made.push_str(&hunks.consume().expect("a text can always be longer"));
    Ok(())
}

/// A path as git writes it: in quotes where it holds more than plain letters.
fn name(prefix: &str, path: &RepoPath) -> String {
    let is_plain = |byte: &u8| (0x20..0x7F).contains(byte) && !matches!(byte, b'"' | b'\\');
    let bytes = path.as_bytes();
    if bytes.iter().all(is_plain) {
        return format!("{prefix}{}", path.lossy());
    }
    let mut made = format!("\"{prefix}");
    for byte in bytes {
        match byte {
            b'"' | b'\\' => made.extend(['\\', char::from(*byte)]),
            byte if is_plain(byte) => made.push(char::from(*byte)),
            byte => made.push_str(&format!("\\{byte:03o}")),
        }
    }
    made + "\""
}

/// How much of a file stays, in percent of its bytes.
fn similarity(one: &Touched) -> usize {
    let input = InternedInput::new(byte_lines(&one.before), byte_lines(&one.after));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let longest = one.before.len().max(one.after.len()).max(1);
    let lines = one.before.split_inclusive(|byte| *byte == b'\n').enumerate();
    let stays: usize = lines.filter(|(at, _)| !diff.is_removed(*at as u32)).map(|(_, line)| line.len()).sum();
    if one.is_edited() { (stays * 100 / longest).min(99) } else { 100 }
}

/// A line without what a terminal would obey; a tab, and the end of a line as Windows has it, are no harm.
fn shown(line: &[u8]) -> String {
    let (line, end) = line.strip_suffix(b"\r").map_or((line, ""), |line| (line, "\r"));
    let parts: Vec<String> = line.split(|byte| *byte == b'\t').map(escape::terminal).collect();
    parts.join("\t") + end
}

/// All hunks, one after another.
struct Hunks(String);

impl ConsumeHunk for Hunks {
    type Out = String;

    fn consume_hunk(&mut self, header: HunkHeader, lines: &[(DiffLineKind, &[u8])]) -> io::Result<()> {
        // an empty side begins at the line before it
        let side = |start: u32, length: u32| format!("{},{length}", if length == 0 { start - 1 } else { start });
        let old = side(header.before_hunk_start, header.before_hunk_len);
        let new = side(header.after_hunk_start, header.after_hunk_len);
        self.0.push_str(&format!("@@ -{old} +{new} @@\n"));
        for (kind, line) in lines {
            let sign = match kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Add => '+',
                DiffLineKind::Remove => '-',
            };
            let bare = line.strip_suffix(b"\n");
            let end = if bare.is_none() { "\n\\ No newline at end of file\n" } else { "\n" };
            self.0.push_str(&format!("{sign}{}{end}", shown(bare.unwrap_or(line))));
        }
        Ok(())
    }

    fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(from: &str, to: &str, before: &str, after: &str) -> Touched {
        Touched { from: from.into(), to: to.into(), before: before.into(), after: after.into() }
    }

    #[test]
    fn renames_and_edits_as_git_shows_them() {
        let got = patch(&[
            touched("m/2_a.sql", "m/3_a.sql", "x", "x"),
            touched("d/2.md", "d/3.md", "# 2. A\n\n1\n2\n3\n4\nend", "# 3. A\n\n1\n2\n3\n4\nend"),
            touched("q\"\n", "q\"\n", "a\n", "a\x1b[2J\n"),
        ]);
        let want = "diff --git a/m/2_a.sql b/m/3_a.sql\nsimilarity index 100%\nrename from m/2_a.sql\nrename to m/3_a.sql\n\
            diff --git a/d/2.md b/d/3.md\nsimilarity index 63%\nrename from d/2.md\nrename to d/3.md\n--- a/d/2.md\n+++ b/d/3.md\n\
            @@ -1,4 +1,4 @@\n-# 2. A\n+# 3. A\n \n 1\n 2\n\
            diff --git \"a/q\\\"\\012\" \"b/q\\\"\\012\"\n--- \"a/q\\\"\\012\"\n+++ \"b/q\\\"\\012\"\n@@ -1,1 +1,1 @@\n-a\n+a";
        assert!(got.starts_with(want), "{got}");
        assert!(!got.contains('\x1b'));
    }

    #[test]
    fn the_last_line_may_lack_its_end() {
        let got = patch(&[touched("a", "a", "x", "y\n")]);
        assert!(got.ends_with("@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n"), "{got}");
    }
}
