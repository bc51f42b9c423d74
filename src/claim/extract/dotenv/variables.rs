//! The variables of one folder: the strongest word on each, with references to others resolved.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::Variable;

/// Longest text that is looked into for references, and that they may make, in bytes: no port, URL or name is longer.
const LONGEST: usize = 4 << 10;
/// Most references that one text may lead to.
const MOST: usize = 100;

/// The variables that hold in one folder.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    held: BTreeMap<String, Held>,
    /// Names that something else may set too.
    unsure: BTreeSet<String>,
    /// Nothing is known of the names that no file sets.
    opaque: bool,
}

#[derive(Clone, Debug)]
struct Held {
    layer: usize,
    variable: Variable,
}

impl Variables {
    /// Those of one file.
    pub fn of(variables: Vec<Variable>) -> Self {
        let mut all = Self::default();
        all.add(0, variables);
        all
    }

    /// Those of a file that could not be read: any name may be set, and to anything.
    pub fn unknown() -> Self {
        Self { opaque: true, ..Self::default() }
    }

    /// Takes in a file. Within one the last word counts, and the file that comes last hides those before.
    pub fn add(&mut self, layer: usize, variables: Vec<Variable>) {
        for variable in variables {
            self.held.insert(variable.name.clone(), Held { layer, variable });
        }
    }

    /// Sets a variable that no file sets.
    pub fn set_default(&mut self, name: &str, text: &str) {
        if !self.is_set(name) {
            let value = Some(super::Value { text: text.to_owned(), literal: true });
            let variable = Variable { name: name.to_owned(), span: 0..0, value };
            self.held.insert(name.to_owned(), Held { layer: 0, variable });
        }
    }

    /// Says that others may be read too: of what they set and these do not, nothing is known.
    pub fn doubt(&mut self, others: &Self) {
        let names = others.held.keys().chain(&others.unsure);
        self.unsure.extend(names.filter(|name| !self.held.contains_key(*name)).cloned());
        self.opaque |= others.opaque;
    }

    /// The names in their order, each with the file that has the last word on it, and the place of the name there.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize, Range<usize>)> {
        self.held.iter().map(|(name, held)| (name.as_str(), held.layer, held.variable.span.clone()))
    }

    /// Whether a file that was read sets the variable.
    pub fn holds(&self, name: &str) -> bool {
        self.held.contains_key(name)
    }

    /// Whether something sets the variable, or may set it.
    pub fn is_set(&self, name: &str) -> bool {
        self.held.contains_key(name) || self.is_unsure(name)
    }

    fn is_unsure(&self, name: &str) -> bool {
        self.unsure.contains(name) || (self.opaque && !self.held.contains_key(name))
    }

    /// What a variable is set to. References that can't be resolved stay as they are written; none where nothing is known.
    pub fn get(&self, name: &str) -> Option<String> {
        Expansion { of: self, left: MOST, open: Vec::new() }.value(name)
    }

    /// A text with `$NAME`, `${NAME}` and `${NAME:-…}` resolved, as compose and dotenv-expand do; those that can't be stay as they are.
    pub fn expand(&self, text: &str) -> String {
        Expansion { of: self, left: MOST, open: Vec::new() }.text(text)
    }
}

struct Expansion<'v> {
    of: &'v Variables,
    left: usize,
    /// Names whose value is being made: a reference to one of them means what the shell says.
    open: Vec<String>,
}

impl Expansion<'_> {
    fn value(&mut self, name: &str) -> Option<String> {
        if self.open.iter().any(|open| open == name) || self.of.is_unsure(name) {
            return None;
        }
        let value = self.of.held.get(name)?.variable.value.as_ref()?;
        if value.text.len() > LONGEST {
            return None;
        }
        if value.literal {
            return Some(value.text.clone());
        }
        self.open.push(name.to_owned());
        let text = self.text(&value.text);
        self.open.pop();
        Some(text)
    }

    fn text(&mut self, text: &str) -> String {
        if text.len() > LONGEST {
            return text.to_owned();
        }
        let mut made = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            let before = &rest[..dollar];
            let (length, value) = match before.strip_suffix('\\') {
                Some(before) => {
                    made.push_str(before);
                    (1, Some("$".to_owned()))
                }
                None => {
                    made.push_str(before);
                    self.reference(&rest[dollar..])
                }
            };
            let (written, after) = rest[dollar..].split_at(length);
            match value.filter(|value| made.len() + value.len() <= LONGEST) {
                Some(value) => made.push_str(&value),
                None => made.push_str(written),
            }
            rest = after;
        }
        made.push_str(rest);
        made
    }

    /// How long the reference is that a text begins with, and what it stands for; none where that is not known.
    fn reference(&mut self, text: &str) -> (usize, Option<String>) {
        let Some(left) = self.left.checked_sub(1) else { return (text.len(), None) };
        self.left = left;
        let behind = &text[1..];
        if behind.starts_with('$') {
            return (2, Some("$".to_owned()));
        }
        if !behind.starts_with('{') {
            let name = name(behind);
            return if name.is_empty() { (1, None) } else { (1 + name.len(), self.value(name)) };
        }
        let Some(close) = closing(text) else { return (text.len(), None) };
        let inner = &text[2..close];
        let name = name(inner);
        let value = if name.is_empty() { None } else { self.braced(name, &inner[name.len()..]) };
        (close + 1, value)
    }

    /// `NAME` with what follows it inside the braces.
    fn braced(&mut self, name: &str, then: &str) -> Option<String> {
        if self.of.is_unsure(name) {
            return None;
        }
        let value = self.value(name);
        // a variable that is set to something unclear is no reason to take the other text
        let (strict, then) = then.strip_prefix(':').map_or((false, then), |then| (true, then));
        let known = self.of.held.contains_key(name) && !self.open.iter().any(|open| open == name);
        let counts = known && !(strict && value.as_deref() == Some(""));
        match (then.get(..1), counts) {
            (None, _) if !strict => value,
            (Some("-" | "?"), true) => value,
            (Some("-"), false) | (Some("+"), true) => Some(self.text(&then[1..])),
            (Some("+"), false) => Some(String::new()),
            _ => None,
        }
    }
}

/// The names that a text refers to, those in the text that stands in for another included.
pub(crate) fn references(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find('$')? + 1..];
            if let Some(behind) = rest.strip_prefix('$') {
                rest = behind; // a `$` that means itself
                continue;
            }
            let name = name(rest.strip_prefix('{').unwrap_or(rest));
            if !name.is_empty() {
                return Some(name);
            }
        }
    })
}

/// The name that a text begins with.
fn name(text: &str) -> &str {
    let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if text.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &text[..length] }
}

/// Where the brace closes that a reference opens; references in it have braces of their own.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '{' if last == '$' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{super::parse, *};

    fn variables(files: &[&str]) -> Variables {
        let mut all = Variables::default();
        for (layer, text) in files.iter().enumerate() {
            all.add(layer, parse(text.as_bytes()).expect("text"));
        }
        all
    }

    #[test]
    fn the_last_word_counts_and_says_where_it_stands() {
        let all = variables(&["PORT=1\nA=x\nPORT=2\n", "PORT=3\n"]);
        assert_eq!(all.get("PORT").as_deref(), Some("3"));
        assert_eq!(all.iter().collect::<Vec<_>>(), [("A", 0, 7..8), ("PORT", 1, 0..4)]);
    }

    #[test]
    fn references() {
        let all = variables(&["N=3\nE=\nB=1${N}2\nQ='$N'\nU=a#b\nS=${S:-7}\n"]);
        for (text, want) in [
            ("$N", "3"),
            ("x${N}y$N", "x3y3"),
            ("$B", "132"),
            ("${N:-4}${E:-4}${E-4}${X-4}${X:-${N}}", "3443"),
            ("${N:+5}${E:+5}${E+5}${X+5}", "55"),
            ("${N:?none}", "3"),
            ("$$N \\$N", "$N $N"),
            ("${S}", "7"),
            ("$Q", "$N"),
        ] {
            assert_eq!(all.expand(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_stays_as_it_is_written() {
        let mut all = variables(&["U=a#b\nL=$L\n"]);
        all.doubt(&variables(&["D=1\nU=2\n"]));
        for text in
            ["$X", "${X}", "${X:?none}", "$(date)", "${", "${X", "$1", "${U:-3}", "${D:-3}", "$", "{{ x }}", "${L}"]
        {
            assert_eq!(all.expand(text), text.replace("${L}", "$L"), "{text}");
        }
        assert!(all.is_set("D") && all.is_set("U") && !all.is_set("X"));
        all.set_default("D", "x");
        assert_eq!(all.get("D"), None);
        all.doubt(&Variables::unknown());
        assert!(all.is_set("X") && all.expand("${X:-1}") == "${X:-1}");
    }

    #[test]
    fn names_that_are_referred_to() {
        let found: Vec<&str> = super::references("$A ${B:-${C}}$$D${}$1 $ $E$$$F").collect();
        assert_eq!(found, ["A", "B", "C", "E", "F"]);
    }

    #[test]
    fn what_grows_without_end_is_cut_off() {
        let text: String = (0..64).map(|n| format!("A{n}=$A{next}$A{next}\n", next = n + 1)).collect();
        let start = Instant::now();
        assert!(variables(&[&text]).expand("$A0").len() < 10 * LONGEST);
        let long = format!("A={}\nB={0}x\n", "x".repeat(LONGEST));
        assert!(variables(&[&long]).expand("$A$A$A").ends_with("$A"));
        assert_eq!(variables(&[&long]).get("B"), None);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
