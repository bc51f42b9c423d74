//! A glob as a sequence of path components.

/// How one folder of a pattern is matched.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Dir {
    /// Any number of folders, none included (`**`).
    Any,
    /// Any one folder (`*`).
    One,
    /// Exactly this name.
    Name(String),
    /// A name with wildcards.
    Glob(Wild),
}

/// How the file name of a pattern is matched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum File {
    /// Any name.
    Any,
    /// Exactly this name.
    Name(String),
    /// A name that ends so; the ending holds no wildcard and may be empty.
    Glob {
        /// The literal end of the name.
        suffix: String,
        /// The whole test, where the suffix alone does not decide.
        wild: Option<Wild>,
    },
}

/// A component with `*`, `?` or `[…]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wild {
    pub(super) pieces: Vec<Piece>,
    /// What stands behind the last `*`.
    tail: Option<usize>,
    /// How many pieces at the beginning, and then at the end, take one byte each.
    edges: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// Exactly this character.
    Char(char),
    /// Any character (`?`).
    One,
    /// Any text (`*`).
    Many,
    /// One of these characters, or none of them.
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// One alternative of a glob.
#[derive(Clone, Debug, Hash)]
pub struct Pattern {
    pub(crate) dirs: Vec<Dir>,
    pub(crate) file: File,
}

/// A glob that can't be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the glob `{glob}` {why}")]
pub struct BadGlob {
    /// As it was written.
    pub glob: String,
    /// What is wrong with it.
    pub why: &'static str,
}

const MOST_ALTERNATIVES: usize = 256;

impl Pattern {
    /// Understands a glob: `*` and `?` stay within a component, `**` is any number of folders, `{a,b}` is either, `[…]` a class.
    /// Gives one pattern for each alternative.
    ///
    /// # Errors
    /// A glob that is absolute, climbs out, nests braces, has a slash in them, or has too many alternatives.
    pub fn parse(glob: &str) -> Result<Vec<Self>, BadGlob> {
        let bad = |why| BadGlob { glob: glob.to_owned(), why };
        if glob.is_empty() || glob.starts_with('/') {
            return Err(bad("has to be a path below the root"));
        }
        if !glob.contains(['{', '}']) {
            return Ok(vec![Self::one(glob).map_err(bad)?]);
        }
        expand(glob)
            .ok_or_else(|| bad("has braces that are not closed, nested or too many"))?
            .iter()
            .map(|one| Self::one(one).map_err(bad))
            .collect()
    }

    fn one(glob: &str) -> Result<Self, &'static str> {
        let mut parts: Vec<&str> = glob.split('/').collect();
        if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
            return Err("has an empty component, `.` or `..`");
        }
        let last = parts.pop().unwrap_or_default();
        let mut dirs = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            dirs.push(match part {
                "**" => Dir::Any,
                "*" => Dir::One,
                _ if is_wild(part) => Dir::Glob(wild(part)?),
                _ => Dir::Name(part.to_owned()),
            });
        }
        let file = match last {
            "**" => {
                dirs.push(Dir::Any);
                File::Any
            }
            "*" => File::Any,
            _ if !is_wild(last) => File::Name(last.to_owned()),
            _ => {
                let at = last.rfind(['*', '?', ']']).map_or(0, |at| at + 1);
                let plain = last.starts_with('*') && at == 1;
                File::Glob { suffix: last[at..].to_owned(), wild: if plain { None } else { Some(wild(last)?) } }
            }
        };
        Ok(Self { dirs, file })
    }

    /// The pattern of one path alone, given by its components; none for no path, or one that is not UTF-8.
    pub(crate) fn literal(parts: &[&[u8]]) -> Option<Self> {
        let names: Option<Vec<String>> =
            parts.iter().map(|part| std::str::from_utf8(part).ok().map(str::to_owned)).collect();
        let mut names = names?;
        let file = File::Name(names.pop()?);
        Some(Self { dirs: names.into_iter().map(Dir::Name).collect(), file })
    }

    /// The glob that the pattern is of, for one without braces.
    #[cfg(test)]
    pub(crate) fn glob(&self) -> String {
        let name = |dir: &Dir| match dir {
            Dir::Any => "**".to_owned(),
            Dir::One => "*".to_owned(),
            Dir::Name(name) => name.clone(),
            Dir::Glob(wild) => wild.glob(),
        };
        let mut parts: Vec<String> = self.dirs.iter().map(name).collect();
        parts.push(match &self.file {
            File::Any => "*".to_owned(),
            File::Name(name) => name.clone(),
            File::Glob { suffix, wild } => wild.as_ref().map_or_else(|| format!("*{suffix}"), Wild::glob),
        });
        parts.join("/")
    }

    /// The same pattern below a folder, or below any folder.
    pub(crate) fn below(&self, folder: Option<&[u8]>) -> Self {
        let mut dirs = Vec::new();
        match folder {
            None => dirs.push(Dir::Any),
            Some(path) => dirs.extend(
                String::from_utf8_lossy(path)
                    .split('/')
                    .filter(|part| !part.is_empty())
                    .map(|part| Dir::Name(part.to_owned())),
            ),
        }
        dirs.extend(self.dirs.iter().cloned());
        Self { dirs, file: self.file.clone() }
    }

    /// Folders and file name as the components of a folder's own path.
    pub(crate) fn components(&self) -> Vec<Dir> {
        let mut all = self.dirs.clone();
        match &self.file {
            File::Any => {
                if !matches!(all.last(), Some(Dir::Any)) {
                    all.push(Dir::One);
                }
            }
            File::Name(name) => all.push(Dir::Name(name.clone())),
            File::Glob { suffix, wild } => {
                let plain = || Wild::new([Piece::Many].into_iter().chain(suffix.chars().map(Piece::Char)).collect());
                all.push(Dir::Glob(wild.clone().unwrap_or_else(plain)));
            }
        }
        all
    }

    /// The same pattern below these folders.
    pub(crate) fn under(&self, above: &[Dir]) -> Self {
        Self { dirs: above.iter().chain(&self.dirs).cloned().collect(), file: self.file.clone() }
    }

    /// The same pattern without these literal folders at its beginning; none where it does not begin so.
    pub(crate) fn without(&self, folders: &[String]) -> Option<Self> {
        let starts =
            self.dirs.len() >= folders.len() && self.dirs.iter().zip(folders).all(|(dir, name)| dir.is_named(name));
        starts.then(|| Self { dirs: self.dirs[folders.len()..].to_vec(), file: self.file.clone() })
    }

    /// Whether a path below the root matches. For the few paths that the classifier has let through.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        let name_at = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        self.file.matches(&path[name_at..]) && folders_match(&self.dirs, &path[..name_at])
    }

    /// The literal folders that the pattern begins with.
    pub(crate) fn literal_dirs(&self) -> Vec<&str> {
        self.dirs.iter().map_while(|dir| if let Dir::Name(name) = dir { Some(name.as_str()) } else { None }).collect()
    }
}

/// The same for the folders of a path, each with a slash behind it.
fn folders_match(dirs: &[Dir], folders: &[u8]) -> bool {
    let Some((dir, rest)) = dirs.split_first() else { return folders.is_empty() };
    let end = folders.iter().position(|b| *b == b'/');
    match dir {
        Dir::Any if folders_match(rest, folders) => true,
        Dir::Any => end.is_some_and(|end| folders_match(dirs, &folders[end + 1..])),
        _ => end.is_some_and(|end| dir.matches(&folders[..end]) && folders_match(rest, &folders[end + 1..])),
    }
}

/// Whether some folders match.
pub(crate) fn dirs_match(dirs: &[Dir], parts: &[&[u8]]) -> bool {
    match dirs.split_first() {
        None => parts.is_empty(),
        Some((Dir::Any, rest)) => (0..=parts.len()).any(|skip| dirs_match(rest, &parts[skip..])),
        Some((dir, rest)) => {
            parts.split_first().is_some_and(|(part, more)| dir.matches(part) && dirs_match(rest, more))
        }
    }
}

impl Dir {
    pub(crate) fn is_named(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own == name)
    }

    pub(crate) fn matches(&self, part: &[u8]) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Name(name) => name.as_bytes() == part,
            Self::Glob(wild) => wild.is_match(part),
        }
    }
}

impl File {
    /// Whether a name ends as it has to.
    pub(super) fn may_match(&self, name: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Name(want) => want.as_bytes() == name,
            Self::Glob { suffix, .. } => name.ends_with(suffix.as_bytes()),
        }
    }

    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Name(want) => want.as_bytes() == name,
            Self::Glob { suffix, wild } => {
                name.ends_with(suffix.as_bytes()) && wild.as_ref().is_none_or(|wild| wild.is_match(name))
            }
        }
    }
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// One component with wildcards, understood.
fn wild(part: &str) -> Result<Wild, &'static str> {
    let mut pieces = Vec::new();
    let mut chars = part.chars().peekable();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Many,
            '?' => Piece::One,
            '[' => {
                let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let first = chars.next().ok_or("has a class that is not closed")?;
                    if first == ']' && !ranges.is_empty() {
                        break;
                    }
                    let mut ahead = chars.clone();
                    let last = match (ahead.next(), ahead.next()) {
                        (Some('-'), Some(last)) if last != ']' => {
                            chars = ahead;
                            last
                        }
                        _ => first,
                    };
                    if last < first {
                        return Err("has a class whose range ends before it begins");
                    }
                    ranges.push((first, last));
                }
                Piece::Class { negated, ranges }
            }
            _ => Piece::Char(c),
        });
    }
    Ok(Wild::new(pieces))
}

#[cfg(test)]
impl Wild {
    fn glob(&self) -> String {
        let range =
            |(first, last): &(char, char)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        let piece = |piece: &Piece| match piece {
            Piece::Char(c) => c.to_string(),
            Piece::One => "?".to_owned(),
            Piece::Many => "*".to_owned(),
            Piece::Class { negated, ranges } => {
                format!("[{}{}]", if *negated { "!" } else { "" }, ranges.iter().map(range).collect::<String>())
            }
        };
        self.pieces.iter().map(piece).collect()
    }
}

impl Wild {
    fn new(pieces: Vec<Piece>) -> Self {
        let tail = pieces.iter().rposition(|piece| *piece == Piece::Many).map(|star| star + 1);
        let first = pieces.iter().take_while(|piece| piece.is_one_byte()).count();
        let last = pieces[first..].iter().rev().take_while(|piece| piece.is_one_byte()).count();
        Self { pieces, tail, edges: (first, last) }
    }

    /// What both ends of a name say: whether it matches, or none where they leave that open.
    fn ends_decide(&self, name: &[u8]) -> Option<bool> {
        let (first, last) = self.edges;
        let between = self.pieces.len() - first - last;
        let starts = || self.pieces.iter().zip(name).take(first).all(|(piece, byte)| piece.has(*byte));
        let ends = || self.pieces.iter().rev().zip(name.iter().rev()).take(last).all(|(piece, byte)| piece.has(*byte));
        if name.len() < first + last || !starts() || !ends() {
            return Some(false);
        }
        match between {
            0 => Some(name.len() == first),
            1 if self.pieces[first] == Piece::Many => Some(true),
            _ => None,
        }
    }

    /// Whether a whole name matches. After a `*` that took too little the match goes on from there: linear but for that.
    pub(crate) fn is_match(&self, name: &[u8]) -> bool {
        if let Some(matches) = self.ends_decide(name) {
            return matches;
        }
        let (mut piece, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let step = match self.pieces.get(piece) {
                Some(Piece::Many) => {
                    piece += 1;
                    if let Some(matches) = self.ends_with(piece, &name[at..]) {
                        return matches;
                    }
                    let Some(next) = self.can_begin(piece, name, at) else { return false };
                    at = next;
                    retry = Some((piece, at));
                    continue;
                }
                Some(one) => one.takes(&name[at..]),
                None if at == name.len() => return true,
                None => None,
            };
            match (step, retry) {
                (Some(length), _) => {
                    piece += 1;
                    at += length;
                }
                (None, Some((after, from))) if from < name.len() => {
                    let (_, length) = char_at(&name[from..]);
                    let Some(next) = self.can_begin(after, name, from + length) else { return false };
                    retry = Some((after, next));
                    (piece, at) = (after, next);
                }
                (None, _) => return false,
            }
        }
    }

    /// Where a piece can match first, from some byte of a name on; none where it can't any more.
    fn can_begin(&self, piece: usize, name: &[u8], from: usize) -> Option<usize> {
        match self.pieces.get(piece) {
            Some(Piece::Char(c)) if c.is_ascii() => Some(from + memchr::memchr(*c as u8, &name[from..])?),
            _ => Some(from),
        }
    }

    /// Whether a text ends with what the pieces from one on match, where no further `*` and only letters of one byte make that plain.
    fn ends_with(&self, from: usize, text: &[u8]) -> Option<bool> {
        if self.tail != Some(from) || !text.is_ascii() {
            return None;
        }
        let pieces = &self.pieces[from..];
        let Some(start) = text.len().checked_sub(pieces.len()) else { return Some(false) };
        Some((start..).zip(pieces).all(|(at, piece)| piece.takes(&text[at..]).is_some()))
    }
}

impl Piece {
    /// Whether this takes just one byte, whatever the name.
    fn is_one_byte(&self) -> bool {
        match self {
            Self::Char(c) => c.is_ascii(),
            Self::Class { negated, ranges } => !negated && ranges.iter().all(|(_, last)| last.is_ascii()),
            Self::One | Self::Many => false,
        }
    }

    /// Whether a piece that takes one byte takes this one.
    fn has(&self, byte: u8) -> bool {
        let c = char::from(byte); // beyond ASCII it is one that no such piece has
        match self {
            Self::Char(want) => *want == c,
            Self::Class { ranges, .. } => ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)),
            Self::One | Self::Many => false,
        }
    }

    /// How many bytes of the text this takes; none where it does not match.
    fn takes(&self, text: &[u8]) -> Option<usize> {
        if text.is_empty() {
            return None;
        }
        let (c, length) = char_at(text);
        let matches = match self {
            Self::Char(want) => c == Some(*want),
            Self::One => true,
            Self::Class { negated, ranges } => {
                c.is_some_and(|c| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c))) != *negated
            }
            Self::Many => false,
        };
        matches.then_some(length)
    }
}

/// The first character and its length; none, and one byte, where the text is not valid there.
fn char_at(text: &[u8]) -> (Option<char>, usize) {
    if text[0].is_ascii() {
        return (Some(char::from(text[0])), 1);
    }
    let (c, length) = bstr::decode_utf8(text);
    (c, length.max(1))
}

/// Replaces each `{a,b}` by its alternatives; none where braces don't close, nest, or make too many.
fn expand(glob: &str) -> Option<Vec<String>> {
    let mut done = vec![String::new()];
    let mut rest = glob;
    while let Some(open) = rest.find(['{', '}']) {
        if rest.as_bytes()[open] == b'}' {
            return None;
        }
        let inner = &rest[open + 1..];
        let close = inner.find('}')?;
        let body = &inner[..close];
        if body.contains(['{', '/']) {
            return None;
        }
        let choices: Vec<&str> = body.split(',').collect();
        if done.len() * choices.len() > MOST_ALTERNATIVES {
            return None;
        }
        done = done
            .iter()
            .flat_map(|head| choices.iter().map(move |choice| format!("{head}{}{choice}", &rest[..open])))
            .collect();
        rest = &inner[close + 1..];
    }
    done.iter_mut().for_each(|one| one.push_str(rest));
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        Pattern::parse(glob).expect("a good glob").iter().any(|one| one.matches(path.as_bytes()))
    }

    #[test]
    fn stars_stay_within_a_component() {
        assert!(matches("a/*.sql", "a/x.sql"));
        assert!(!matches("a/*.sql", "a/b/x.sql"));
        assert!(!matches("*.sql", "a/x.sql"));
        assert!(matches("**/*.sql", "x.sql"));
        assert!(matches("**/*.sql", "a/b/x.sql"));
        assert!(matches("a/**", "a/b/c"));
        assert!(!matches("a/**", "b/a/c"));
    }

    #[test]
    fn braces_classes_and_question_marks() {
        assert!(matches("**/{adr,adrs}/[0-9]*.{md,txt}", "docs/adrs/0001-x.md"));
        assert!(!matches("**/{adr,adrs}/[0-9]*.{md,txt}", "docs/adr/x.md"));
        assert!(matches("a?c", "abc"));
        assert!(matches("a?c", "aéc"));
        assert!(matches("[!_]*.py", "x.py"));
        assert!(!matches("[!_]*.py", "_x.py"));
        assert!(matches("*sitemap*.xml", "my-sitemap-1.xml"));
    }

    #[test]
    fn stars_try_again_and_bytes_that_are_no_text_count_one() {
        assert!(matches("*a*b*.x", "zzaazzbz.x") && !matches("*a*b*.x", "zzbbzza.x"));
        assert!(matches("a[-x]b", "a-b") && matches("[]a]", "]") && matches("[a-c]", "b") && !matches("[^a-c]", "b"));
        let pattern = &Pattern::parse("a?*b").expect("good")[0];
        assert!(pattern.matches(b"a\xff\xfeb") && !pattern.matches(b"ab"));
    }

    proptest::proptest! {
        #[test]
        fn a_component_means_what_globset_takes_it_for(
            glob in "(a|b|\\*|\\?|\\[ab\\]|\\[!a\\]|\\[b-c\\]){1,6}", name in "[abc]{0,8}",
        ) {
            proptest::prop_assume!(!glob.contains("**"));
            let oracle = globset::GlobBuilder::new(&glob).literal_separator(true).build().expect("a good glob").compile_matcher();
            proptest::prop_assert_eq!(matches(&glob, &name), oracle.is_match(&name), "{} {}", glob, name);
        }
    }

    #[test]
    fn wrong_globs_are_refused() {
        for bad in ["", "/a", "a//b", "../a", "{a", "a}", "{a/b,c}", "[a", "[b-a]"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
    }
}
