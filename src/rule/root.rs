//! Where a namespace lives: the `[root]` of a rule file, compiled.

use super::{
    compile::{LazyRegex, RuleMistake, check_regex, confidence, globs},
    select::Pattern,
    spec::{LaxSpec, OneOrMany, ProofSpec, RootSpec},
};
use crate::diag::Confidence;

/// How roots are found.
#[derive(Debug, Default)]
pub(crate) struct Root {
    pub(crate) kind: Kind,
    pub(crate) from: Vec<From>,
    pub(crate) lax: Vec<Lax>,
    pub(crate) join: Vec<(LazyRegex, String)>,
}

/// The three ways.
#[derive(Debug, Default)]
pub(crate) enum Kind {
    /// The whole repository is one root.
    #[default]
    Repository,
    /// The folder that holds a marker.
    Marked {
        markers: Vec<Marker>,
        /// The folder below the root that stands for it where there is no marker at all, without a `/` at its ends.
        fallback: Option<String>,
    },
    /// Any folder with claimed files.
    Any {
        folders: Vec<LazyRegex>,
        except: Vec<LazyRegex>,
        /// Files of other tools: a folder that holds one is no root.
        foreign: Vec<Marker>,
        proofs: Vec<Proof>,
    },
}

/// A file that marks a root.
#[derive(Debug)]
pub(crate) struct Marker {
    pub(crate) pattern: Pattern,
    /// How many components of a marker's path lie below the root.
    pub(crate) depth: usize,
}

/// What shows that a folder belongs to a tool.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) sniff: Option<LazyRegex>,
    pub(crate) unlike: Option<LazyRegex>,
    /// The trunk's files take at least so many names, and none of them twice.
    pub(crate) mined: Option<u16>,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) folder: Option<LazyRegex>,
    pub(crate) beside: Vec<LazyRegex>,
    pub(crate) confidence: Confidence,
}

/// The file that says which tools a folder uses.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) file: Pattern,
    pub(crate) contains: Option<LazyRegex>,
    pub(crate) lacks: Option<LazyRegex>,
}

impl Manifest {
    /// Whether the file is only asked for what it must not say.
    pub(crate) fn may_be_missing(&self) -> bool {
        self.contains.is_none() && self.lacks.is_some()
    }

    fn regexes(&self) -> impl Iterator<Item = &LazyRegex> {
        self.contains.iter().chain(&self.lacks)
    }
}

/// Folders that a configuration of the tool names.
#[derive(Debug)]
pub(crate) struct From {
    pub(crate) files: Vec<Pattern>,
    pub(crate) line: Option<LazyRegex>,
    /// A line that matches says that late names are taken too.
    late: Option<LazyRegex>,
    /// A line that matches says that the tool is strict about late names.
    strict: Option<LazyRegex>,
    pub(crate) suffix: bool,
    /// The folders of one line are one partition.
    pub(crate) joined: bool,
    pub(crate) above: u8,
}

/// Where a tool may be told to take late names, beside its own settings.
#[derive(Debug)]
pub(crate) struct Lax {
    pub(crate) files: Vec<Pattern>,
    except: Vec<Pattern>,
    text: LazyRegex,
}

impl Lax {
    fn compile(spec: &LaxSpec) -> Result<Self, RuleMistake> {
        Ok(Self { files: globs(&spec.files)?, except: globs(&spec.except)?, text: LazyRegex::part(&spec.text) })
    }

    /// Whether a file is meant that the globs find.
    pub(crate) fn means(&self, path: &[u8]) -> bool {
        !self.except.iter().any(|pattern| pattern.matches(path))
    }

    /// Whether a text tells the tool so.
    pub(crate) fn is_told_by(&self, text: &str) -> bool {
        self.text.is_match(text)
    }
}

impl From {
    /// Whether a text tells the tool to take late names.
    pub(crate) fn is_lax(&self, text: &str) -> bool {
        has_line(self.late.as_ref(), text)
    }

    /// Whether a text tells the tool to be strict about late names.
    pub(crate) fn is_strict(&self, text: &str) -> bool {
        has_line(self.strict.as_ref(), text)
    }

    /// The folder that a file in `here` starts from; none where it would lie outside of the tree.
    pub(crate) fn base<'h>(&self, here: &'h str) -> Option<&'h str> {
        (0..self.above).try_fold(here, |folder, _| {
            (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(rest, _)| rest))
        })
    }
}

fn has_line(regex: Option<&LazyRegex>, text: &str) -> bool {
    regex.is_some_and(|regex| text.lines().any(|line| regex.is_match(line)))
}

impl Root {
    pub(super) fn compile(spec: Option<&RootSpec>) -> Result<Self, RuleMistake> {
        let Some(spec) = spec else { return Ok(Self::default()) };
        let ways = [!spec.marker.0.is_empty() || spec.fallback.is_some(), spec.any];
        if ways.iter().filter(|way| **way).count() != 1 {
            return Err(RuleMistake::new(
                "[root]",
                "a root has either a `marker` (with a `fallback`, perhaps) or `any = true`",
            ));
        }
        let only_any = [&spec.folder, &spec.except, &spec.foreign];
        if !spec.any && (only_any.iter().any(|list| !list.0.is_empty()) || !spec.proof.is_empty()) {
            return Err(RuleMistake::new("[root]", "`folder`, `except`, `foreign` and `proof` go with `any = true`"));
        }
        let kind = if spec.any {
            Kind::Any {
                folders: spec.folder.0.iter().map(|text| LazyRegex::whole(text)).collect(),
                except: spec.except.0.iter().map(|text| LazyRegex::whole(text)).collect(),
                foreign: markers(&spec.foreign)?,
                proofs: spec.proof.iter().map(Proof::compile).collect::<Result<_, _>>()?,
            }
        } else {
            Kind::Marked {
                markers: markers(&spec.marker)?,
                fallback: spec.fallback.as_ref().map(|folder| folder.trim_matches('/').to_owned()),
            }
        };
        let mut from = Vec::new();
        for one in &spec.from {
            if one.line.is_none() && one.late.is_none() && one.strict.is_none() {
                return Err(RuleMistake::new(
                    "[[root.from]]",
                    "settings name a folder (`line`), or say what becomes of late names (`late`, `strict`)",
                ));
            }
            if one.joined && (one.line.is_none() || one.suffix) {
                return Err(RuleMistake::new(
                    "joined",
                    "`joined` is about the folders of a `line`, and not about ends of paths (`suffix`)",
                ));
            }
            from.push(From {
                files: globs(&one.files)?,
                line: one.line.as_deref().map(LazyRegex::part),
                late: one.late.as_deref().map(LazyRegex::part),
                strict: one.strict.as_deref().map(LazyRegex::part),
                suffix: one.suffix,
                joined: one.joined,
                above: one.above,
            });
        }
        let join = spec.join.iter().map(|join| (LazyRegex::part(&join.from), join.to.clone())).collect();
        let lax = spec.lax.iter().map(Lax::compile).collect::<Result<_, _>>()?;
        Ok(Self { kind, from, lax, join })
    }

    pub(super) fn check(&self) -> Result<(), RuleMistake> {
        let mut all: Vec<&LazyRegex> =
            self.from.iter().flat_map(|from| from.line.iter().chain(&from.late).chain(&from.strict)).collect();
        all.extend(self.lax.iter().map(|lax| &lax.text));
        all.extend(self.join.iter().map(|(regex, _)| regex));
        if let Kind::Any { folders, except, proofs, .. } = &self.kind {
            all.extend(folders.iter().chain(except));
            for proof in proofs {
                all.extend(proof.sniff.iter().chain(&proof.unlike).chain(&proof.folder).chain(&proof.beside));
                all.extend(proof.manifest.iter().flat_map(Manifest::regexes));
            }
        }
        all.into_iter().try_for_each(|regex| check_regex(regex, regex.text()).map(|_| ()))?;
        for line in self.from.iter().filter_map(|from| from.line.as_ref()) {
            if !check_regex(line, line.text())?.iter().any(|name| name == "dir") {
                return Err(RuleMistake::new(line.text(), "the regex needs a group `(?<dir>…)`"));
            }
        }
        Ok(())
    }

    /// Whether a folder can be the tool's by no more than a guess.
    pub(crate) fn guesses(&self) -> bool {
        matches!(&self.kind, Kind::Any { proofs, .. } if proofs.iter().any(|proof| proof.confidence != Confidence::High))
    }

    /// The partition that a folder belongs to once joined ones are one.
    pub(crate) fn joined(&self, partition: String) -> String {
        self.join.iter().fold(partition, |partition, (from, to)| match from.regex() {
            Some(regex) => regex.replace(&partition, to.as_str()).into_owned(),
            None => partition,
        })
    }
}

impl Proof {
    fn compile(spec: &ProofSpec) -> Result<Self, RuleMistake> {
        let named = spec.manifest.is_some() && (spec.contains.is_some() || spec.lacks.is_none());
        if spec.sniff.is_none() && !named && spec.beside.0.is_empty() && spec.mined.is_none() {
            return Err(RuleMistake::new(
                "[[root.proof]]",
                "a proof needs `sniff`, `manifest`, `beside` or `mined`: a folder's name alone proves nothing",
            ));
        }
        if spec.mined.is_some_and(|least| least < 2) {
            return Err(RuleMistake::new("mined", "fewer than two names obey anything"));
        }
        if (spec.contains.is_some() || spec.lacks.is_some()) && spec.manifest.is_none() {
            return Err(RuleMistake::new("[[root.proof]]", "`contains` and `lacks` are about a `manifest`"));
        }
        let manifest = match &spec.manifest {
            None => None,
            Some(name) => {
                let mut patterns = globs(&OneOrMany(vec![name.clone()]))?;
                match (patterns.pop(), patterns.is_empty()) {
                    (Some(file), true) if file.dirs.is_empty() => Some(Manifest {
                        file,
                        contains: spec.contains.as_deref().map(LazyRegex::part),
                        lacks: spec.lacks.as_deref().map(LazyRegex::part),
                    }),
                    _ => return Err(RuleMistake::new(name, "a manifest is the name of one file")),
                }
            }
        };
        Ok(Self {
            sniff: spec.sniff.as_deref().map(LazyRegex::part),
            unlike: spec.unlike.as_deref().map(LazyRegex::part),
            mined: spec.mined,
            manifest,
            folder: spec.folder.as_deref().map(LazyRegex::whole),
            beside: spec.beside.0.iter().map(|text| LazyRegex::whole(text)).collect(),
            confidence: confidence(spec.confidence),
        })
    }
}

fn markers(all: &OneOrMany) -> Result<Vec<Marker>, RuleMistake> {
    let mut markers = Vec::new();
    for glob in &all.0 {
        if glob.contains("**") {
            return Err(RuleMistake::new(glob, "a marker stands at a fixed depth below its root: no `**`"));
        }
        for pattern in globs(&OneOrMany(vec![glob.clone()]))? {
            markers.push(Marker { depth: pattern.dirs.len() + 1, pattern });
        }
    }
    Ok(markers)
}
