//! The patterns that files of one folder can match, by what their names have to be.

use foldhash::{HashMap, HashMapExt};

use super::{
    first::{FirstBytes, LastByte},
    pattern::File,
};

/// The patterns that a file of a folder can match; by the numbers that the classifier has for them.
pub(super) struct Files {
    names: HashMap<Box<[u8]>, Vec<Test>>,
    /// By the bytes after the last dot.
    ends: HashMap<Box<[u8]>, Vec<Test>>,
    /// Patterns that say nothing about how a name ends.
    open: Vec<Test>,
}

/// What a name may match, for all patterns that ask the same of it.
struct Test {
    first: FirstBytes,
    last: LastByte,
    /// Those patterns; the first stands for all.
    patterns: Vec<u32>,
}

impl Files {
    /// Sorts some patterns, of which `file` gives what a name has to be.
    pub(super) fn new<'f>(patterns: &[u32], file: impl Fn(u32) -> &'f File) -> Self {
        let mut files = Self { names: HashMap::new(), ends: HashMap::new(), open: Vec::new() };
        for &pattern in patterns {
            let own = file(pattern);
            let tests = match own {
                File::Name(name) => files.names.entry(name.as_bytes().into()).or_default(),
                File::Glob { suffix, .. } if suffix.contains('.') => {
                    let end = suffix.rsplit('.').next().unwrap_or_default();
                    files.ends.entry(end.as_bytes().into()).or_default()
                }
                File::Any | File::Glob { .. } => &mut files.open,
            };
            match tests.iter_mut().find(|test| file(test.patterns[0]) == own) {
                Some(same) => same.patterns.push(pattern),
                None => {
                    let (first, last) = (FirstBytes::of(own), LastByte::of(own));
                    tests.push(Test { first, last, patterns: vec![pattern] });
                }
            }
        }
        files
    }

    /// Tells which of the patterns a name matches.
    pub(super) fn matching<'f>(&self, name: &[u8], file: impl Fn(u32) -> &'f File, mut tell: impl FnMut(u32)) {
        let mut hit = |test: &Test| {
            if test.first.allow(name) && test.last.allows(name) && file(test.patterns[0]).matches(name) {
                test.patterns.iter().for_each(|pattern| tell(*pattern));
            }
        };
        if !self.ends.is_empty()
            && let Some(dot) = name.iter().rposition(|b| *b == b'.') // names are too short for memrchr to pay
            && let Some(tests) = self.ends.get(&name[dot + 1..])
        {
            tests.iter().for_each(&mut hit);
        }
        if !self.names.is_empty()
            && let Some(tests) = self.names.get(name)
        {
            tests.iter().for_each(&mut hit);
        }
        self.open.iter().for_each(hit);
    }
}
