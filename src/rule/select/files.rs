//! The patterns that files of one folder can match, by what their names have to be.

use foldhash::HashMap;

use super::{first::FirstBytes, pattern::File};

/// The patterns that a file of a folder can match; by the numbers that the classifier has for them.
#[derive(Default)]
pub(super) struct Files {
    names: HashMap<Box<[u8]>, Vec<u32>>,
    /// With which bytes those names begin.
    first: FirstBytes,
    /// By the bytes after the last dot.
    ends: HashMap<Box<[u8]>, Tests>,
    /// Patterns that say nothing about how a name ends.
    open: Tests,
}

/// What names may match.
#[derive(Default)]
struct Tests {
    /// With which bytes names begin that match any.
    first: FirstBytes,
    each: Vec<Test>,
}

/// What a name may match, for all patterns that ask the same of it.
struct Test {
    first: FirstBytes,
    /// Those patterns; the first stands for all.
    patterns: Vec<u32>,
}

impl Files {
    /// Sorts some patterns, of which `file` gives what a name has to be.
    pub(super) fn new<'f>(patterns: &[u32], file: impl Fn(u32) -> &'f File) -> Self {
        let mut files = Self::default();
        for &pattern in patterns {
            let own = file(pattern);
            match own {
                File::Name(name) => {
                    files.first = files.first.or(FirstBytes::of(own));
                    files.names.entry(name.as_bytes().into()).or_default().push(pattern);
                }
                File::Glob { suffix, .. } if suffix.contains('.') => {
                    let end = suffix.rsplit('.').next().unwrap_or_default();
                    files.ends.entry(end.as_bytes().into()).or_default().add(pattern, &file);
                }
                File::Any | File::Glob { .. } => files.open.add(pattern, &file),
            }
        }
        files
    }

    /// Tells which of the patterns a name matches.
    pub(super) fn matching<'f>(&self, name: &[u8], file: impl Fn(u32) -> &'f File, mut tell: impl FnMut(u32)) {
        if !self.ends.is_empty()
            && let Some(dot) = name.iter().rposition(|b| *b == b'.') // names are too short for memrchr to pay
            && let Some(tests) = self.ends.get(&name[dot + 1..])
        {
            tests.matching(name, &file, &mut tell);
        }
        if self.first.allow(name)
            && let Some(patterns) = self.names.get(name)
        {
            patterns.iter().for_each(|pattern| tell(*pattern));
        }
        self.open.matching(name, &file, &mut tell);
    }
}

impl Tests {
    fn add<'f>(&mut self, pattern: u32, file: &impl Fn(u32) -> &'f File) {
        let own = file(pattern);
        match self.each.iter_mut().find(|test| file(test.patterns[0]) == own) {
            Some(same) => same.patterns.push(pattern),
            None => {
                let first = FirstBytes::of(own);
                self.first = self.first.or(first);
                self.each.push(Test { first, patterns: vec![pattern] });
            }
        }
    }

    fn matching<'f>(&self, name: &[u8], file: &impl Fn(u32) -> &'f File, tell: &mut impl FnMut(u32)) {
        if !self.first.allow(name) {
            return;
        }
        for Test { first, patterns } in &self.each {
            if first.allow(name) && file(patterns[0]).matches(name) {
                patterns.iter().for_each(|pattern| tell(*pattern));
            }
        }
    }
}
