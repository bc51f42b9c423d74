//! From what a rule file says to a rule that can be run. Regexes are compiled at their first use: most runs need few of them.

use std::ops::Range;

use super::{
    between::{self, Names},
    lazy::{group_names, one_line},
    root::Root,
    select::{Pattern, derive},
    spec::{
        ChainSpec, ChangelogSpec, ClaimSpec, FromSpec, OneOrMany, QuotaSpec, RuleFile, ShapeSpec, Sureness, TakeSpec,
    },
    template::Template,
};
use crate::{
    claim::{
        extract::{
            changelog,
            compose::Part,
            query::{Query, Take},
            xml::ElementPaths,
        },
        normalize::Compare,
        order::Order,
        tie::Tie,
    },
    config::{Level, Levels},
    diag::{Confidence, Severity},
};

pub(crate) use super::lazy::{LazyLine, LazyRegex};

/// What a rule's file says, ready to run.
#[derive(Debug)]
pub struct Body {
    /// What the file says.
    pub spec: RuleFile,
    /// How grave a duplicate is; none where the rule reports none by itself.
    pub severity: Option<Severity>,
    /// How sure a finding is.
    pub confidence: Confidence,
    pub(crate) root: Root,
    pub(crate) claims: Vec<Claim>,
    pub(crate) malformed: Vec<Shape>,
    pub(crate) unclaimed: Vec<Shape>,
    pub(crate) quotas: Vec<QuotaSpec>,
}

/// One way in which files take names.
#[derive(Debug)]
pub(crate) struct Claim {
    /// Files, below the root.
    pub(crate) files: Vec<Pattern>,
    pub(crate) except: Vec<Pattern>,
    /// The files are those that the path's regex can match: it alone decides.
    derived: bool,
    /// The literal folders with which each file's path begins: they belong to the partition.
    pub(crate) folders: Vec<String>,
    pub(crate) source: Source,
    pub(crate) space: String,
    pub(crate) key: Template,
    pub(crate) unit: Option<Template>,
    pub(crate) unit_default: Option<Template>,
    pub(crate) variant: Option<Template>,
    pub(crate) partition: Option<Template>,
    /// Claims collide only where one reaches into the other.
    pub(crate) reach: Option<Template>,
    /// Keys that are none of these are no names.
    pub(crate) only: Option<LazyRegex>,
    /// Read though git ignores the files.
    pub(crate) ignored: bool,
    /// Nothing of the text is shown.
    pub(crate) secret: bool,
    pub(crate) compare: Compare,
    pub(crate) order: Order,
    pub(crate) tie: Option<Tie>,
    /// Of a duplicate in this space, where it is not as grave as the rule says.
    pub(crate) severity: Option<Level>,
}

/// Where a name comes from.
#[derive(Debug)]
pub(crate) enum Source {
    Path(LazyRegex),
    Line(LazyLine),
    Json(Query),
    Yaml(Query),
    Toml(Query),
    Xml(Vec<String>),
    Chain(ChainSpec),
    Changelog,
    Dotenv(Box<Names>),
    Compose(Part),
}

impl Source {
    /// Whether a chain is written down as data, not as a program.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Self::Chain(ChainSpec::Drizzle))
    }
}

/// A shape that names or files must not have.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) files: Vec<Pattern>,
    pub(crate) path: Option<LazyRegex>,
    pub(crate) grammar: Option<LazyRegex>,
    /// A folder without any file that takes a name is meant, not each of its files.
    pub(crate) folder: bool,
    pub(crate) space: Option<String>,
    pub(crate) severity: Option<Severity>,
    pub(crate) message: String,
}

/// A mistake in a rule file: the word to point at, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMistake {
    /// A text that stands in the file at the place of the mistake.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

impl RuleMistake {
    pub(super) fn new(at: &str, message: impl Into<String>) -> Self {
        Self { at: at.to_owned(), message: message.into() }
    }
}

impl Body {
    /// Whether the namespaces of the rule can be one across roots, or a file's links lead to others of any root.
    pub(super) fn is_connected(&self) -> bool {
        !self.root.join.is_empty()
            || self.claims.iter().any(|claim| matches!(claim.source, Source::Chain(ChainSpec::Alembic)))
    }

    /// Compiles a rule file.
    pub(super) fn compile(spec: RuleFile) -> Result<Self, RuleMistake> {
        if spec.schema != 1 {
            return Err(RuleMistake::new("schema", format!("this version knows schema 1, not {}", spec.schema)));
        }
        if spec.id.is_empty()
            || !spec.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
        {
            return Err(RuleMistake::new(&spec.id, "an id is made of a-z, 0-9, `-` and `_`"));
        }
        if spec.claim.is_empty() || spec.claim.len() > usize::from(u8::MAX) {
            return Err(RuleMistake::new("claim", "a rule needs at least one [[claim]], and at most 255"));
        }
        let claims = spec.claim.iter().map(Claim::compile).collect::<Result<Vec<_>, _>>()?;
        let has_order = |(claim, spec): (&Claim, &ClaimSpec)| spec.order.is_some() && claim.can_be_late();
        let is_strict = |from: &FromSpec| from.strict.is_some();
        if spec.root.iter().flat_map(|root| &root.from).any(is_strict) != spec.policy.late_strict.is_some() {
            return Err(RuleMistake::new("strict", "`strict` in a `[[root.from]]` goes with the policy `late-strict`"));
        }
        if spec.policy.has_late() && !claims.iter().zip(&spec.claim).any(has_order) {
            return Err(RuleMistake::new(
                "late",
                "`late` goes with an `order`: of a claim on paths or on a text, not on `xml` or a `chain`",
            ));
        }
        let is_orderless = |claim: &&ClaimSpec| claim.tie.is_some() && (claim.order.is_none() || claim.path.is_none());
        if spec.claim.iter().any(|claim| is_orderless(&claim)) {
            return Err(RuleMistake::new("tie", "`tie` goes with an `order` of names that paths take"));
        }
        if spec.policy.frozen.is_some() && !spec.claim.iter().any(|claim| claim.path.is_some()) {
            return Err(RuleMistake::new("frozen", "`frozen` is about names that paths take: a claim needs a `path`"));
        }
        if spec.policy.invented.is_some() && !spec.claim.iter().any(|claim| claim.path.is_some()) {
            return Err(RuleMistake::new(
                "invented",
                "`invented` is about names that paths take: a claim needs a `path`",
            ));
        }
        if spec.policy.frozen.is_none() && spec.claim.iter().any(|claim| claim.edited.is_some()) {
            return Err(RuleMistake::new("edited", "`edited` goes with the policy `frozen`"));
        }
        between::fits(&spec, &claims)?;
        let shapes = |all: &[ShapeSpec]| all.iter().map(Shape::compile).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            severity: spec.severity.severity(),
            confidence: confidence(spec.confidence),
            root: Root::compile(spec.root.as_ref())?,
            malformed: shapes(&spec.policy.malformed)?,
            unclaimed: shapes(&spec.policy.unclaimed)?,
            quotas: spec.policy.quota.clone(),
            claims,
            spec,
        })
    }

    /// Compiles every regex, to learn of mistakes.
    ///
    /// # Errors
    /// The first regex that does not compile, or a template that names a group that its regex lacks.
    pub fn check(&self) -> Result<(), RuleMistake> {
        for (claim, spec) in self.claims.iter().zip(&self.spec.claim) {
            claim.check(spec)?;
        }
        for shape in self.malformed.iter().chain(&self.unclaimed) {
            for regex in shape.path.iter().chain(&shape.grammar) {
                check_regex(regex, regex.text())?;
            }
        }
        self.root.check()
    }

    /// The literal folders with which the paths of the rule's main claim begin: the first on paths, else the first.
    pub(crate) fn folders(&self) -> &[String] {
        let main = self.claims.iter().find(|claim| claim.is_path()).or(self.claims.first());
        main.map_or(&[], |claim| &claim.folders)
    }

    /// How grave the gravest findings of a kind are where nobody says otherwise; none where the rule has no such finding.
    pub(crate) fn gravest(&self, kind: &str) -> Option<Level> {
        let policy = &self.spec.policy;
        let shapes = |shapes: &[Shape]| shapes.iter().filter_map(|shape| shape.severity).max().map(Level::from);
        let own = self.severity.map(Level::from);
        match kind {
            "duplicate" => {
                let other = [policy.case, policy.across_files, policy.across_folders, policy.across_lines];
                let claims = self.claims.iter().filter_map(|claim| claim.severity);
                own.into_iter().chain(other.into_iter().flatten()).chain(claims).max()
            }
            "forked" | "reserved" => own,
            "frozen" => policy.frozen,
            "invented" => policy.invented,
            "malformed" => shapes(&self.malformed),
            "out-of-order" => policy.late.max(policy.late_strict),
            // what a lane or a configuration asks for
            "out-of-band" | "over-quota" => Some(Level::Error),
            "unclaimed" => shapes(&self.unclaimed),
            _ => None,
        }
    }

    /// How grave a time is that somebody made up; none where nobody wants to be told.
    pub(crate) fn invented(&self, levels: &Levels) -> Option<Severity> {
        let level = self.spec.policy.invented?;
        let code = format!("{}/invented", self.spec.id);
        level.severity().map_or_else(|| levels.asked_for(&code), |severity| levels.apply(&code, severity))
    }
}

/// How sure a rule, or a proof, says that it is.
pub(super) fn confidence(said: Option<Sureness>) -> Confidence {
    match said {
        Some(Sureness::Low) => Confidence::Low,
        Some(Sureness::Medium) => Confidence::Medium,
        Some(Sureness::High) | None => Confidence::High,
    }
}

pub(super) fn check_regex(regex: &LazyRegex, at: &str) -> Result<Vec<String>, RuleMistake> {
    regex.check().map_err(|why| RuleMistake::new(at, format!("this regex does not compile: {why}")))
}

pub(super) fn globs(all: &OneOrMany) -> Result<Vec<Pattern>, RuleMistake> {
    let mut patterns = Vec::new();
    for glob in &all.0 {
        patterns.extend(Pattern::parse(glob).map_err(|bad| RuleMistake::new(glob, bad.to_string()))?);
    }
    Ok(patterns)
}

impl Claim {
    fn compile(spec: &ClaimSpec) -> Result<Self, RuleMistake> {
        let source = source(spec)?;
        let mut files = globs(&spec.files)?;
        let mut folders = Vec::new();
        let derived = files.is_empty();
        if let (Source::Path(_), Some(regex)) = (&source, &spec.path) {
            let found = derive(regex)
                .map_err(|why| RuleMistake::new(regex, format!("this regex does not compile: {}", one_line(&why))))?;
            folders = found.folders;
            if files.is_empty() {
                files = found.patterns;
            }
        } else if files.is_empty() {
            return Err(RuleMistake::new("[[claim]]", "a claim on contents needs `files`: which files to read"));
        } else {
            let first = files[0].literal_dirs();
            if files.iter().all(|file| file.literal_dirs() == first) {
                folders = first.into_iter().map(str::to_owned).collect();
            }
        }
        let template = |text: &Option<String>| {
            text.as_deref().map(|text| Template::parse(text).map_err(|why| RuleMistake::new(text, why))).transpose()
        };
        Ok(Self {
            files,
            except: globs(&spec.except)?,
            derived,
            folders,
            source,
            space: spec.space.clone().unwrap_or_default(),
            key: template(&spec.key)?.unwrap_or_else(Template::key),
            unit: template(&spec.unit)?,
            unit_default: template(&spec.unit_default)?,
            variant: template(&spec.variant)?,
            partition: template(&spec.partition)?,
            reach: template(&spec.reach)?,
            only: spec.only.as_deref().map(LazyRegex::whole),
            ignored: spec.ignored,
            secret: spec.secret,
            compare: spec.compare,
            order: spec.order.unwrap_or(Order::Text),
            tie: spec.tie,
            severity: spec.severity,
        })
    }

    fn check(&self, spec: &ClaimSpec) -> Result<(), RuleMistake> {
        let mut known: Vec<String> = ["key", "file", "folder", "stem"].map(str::to_owned).to_vec();
        known.extend(spec.fields.keys().cloned());
        if let Source::Line(line) = &self.source {
            line.get().as_ref().map_err(|why| RuleMistake::new(line.text(), one_line(why)))?;
            known.extend(group_names(line.text()).unwrap_or_default());
        }
        if let Source::Path(regex) = &self.source {
            let text = spec.path.as_deref().unwrap_or_default();
            let names = check_regex(regex, text)?;
            if spec.key.is_none() && !names.iter().any(|name| name == "key") {
                return Err(RuleMistake::new(
                    text,
                    "the regex needs a group `(?<key>…)`, or the claim a template `key`",
                ));
            }
            known.extend(names);
        }
        match &self.source {
            Source::Dotenv(names) => known.extend(names.check()?),
            Source::Changelog => known.extend(changelog::PARTS.map(str::to_owned)),
            Source::Compose(Part::Port) => known.extend(["protocol", "address", "service"].map(str::to_owned)),
            _ => {}
        }
        if let Some(only) = &self.only {
            check_regex(only, only.text())?;
        }
        let texts = [&spec.key, &spec.unit, &spec.unit_default, &spec.variant, &spec.partition, &spec.reach];
        let templates = [
            Some(&self.key),
            self.unit.as_ref(),
            self.unit_default.as_ref(),
            self.variant.as_ref(),
            self.partition.as_ref(),
            self.reach.as_ref(),
        ];
        for (text, template) in texts.into_iter().zip(templates) {
            let (Some(text), Some(template)) = (text, template) else { continue };
            if let Some(unknown) = template.fields().find(|field| !known.iter().any(|name| name == field)) {
                return Err(RuleMistake::new(
                    text,
                    format!("`{{{unknown}}}` is no part of this claim; it has {}", known.join(", ")),
                ));
            }
        }
        Ok(())
    }

    /// Whether a path below the root is one of the claim's files.
    pub(crate) fn selects(&self, below: &[u8]) -> bool {
        (self.derived || self.files.iter().any(|one| one.matches(below)))
            && !self.except.iter().any(|one| one.matches(below))
    }

    /// Whether the whole text is read at once.
    pub(crate) fn is_text(&self) -> bool {
        matches!(
            self.source,
            Source::Line(_)
                | Source::Json(_)
                | Source::Yaml(_)
                | Source::Toml(_)
                | Source::Changelog
                | Source::Dotenv(_)
                | Source::Compose(_)
        )
    }

    /// Whether its names can come too late, if they have an order.
    pub(crate) fn can_be_late(&self) -> bool {
        self.is_path() || self.is_text()
    }

    /// Whether only the path counts.
    pub(crate) fn is_path(&self) -> bool {
        matches!(self.source, Source::Path(_))
    }
}

fn source(spec: &ClaimSpec) -> Result<Source, RuleMistake> {
    let query = |text: &String| {
        let take = match spec.take {
            TakeSpec::Value => Take::Value,
            TakeSpec::Name => Take::Name,
        };
        let mut fields = Vec::new();
        for (name, path) in &spec.fields {
            let query =
                Query::new(path, Take::Value, Vec::new()).map_err(|why| RuleMistake::new(path, why.to_string()))?;
            fields.push((name.clone(), query));
        }
        let query = Query::new(text, take, fields).map_err(|why| RuleMistake::new(text, why.to_string()))?;
        let key = spec.key.as_deref().and_then(|key| Template::parse(key).ok());
        Ok(match key.as_ref().and_then(|key| key.fields().next()) {
            Some(field) => query.named_by(field),
            None => query,
        })
    };
    let mut found = Vec::new();
    found.extend(spec.path.iter().map(|text| Ok(Source::Path(LazyRegex::whole(text)))));
    found.extend(spec.line.iter().map(|text| Ok(Source::Line(LazyLine::new(text)))));
    found.extend(spec.json.iter().map(|text| query(text).map(Source::Json)));
    found.extend(spec.yaml.iter().map(|text| query(text).map(Source::Yaml)));
    found.extend(spec.toml.iter().map(|text| query(text).map(Source::Toml)));
    if !spec.xml.0.is_empty() {
        let paths = ElementPaths::new(&spec.xml.0).map_err(|why| RuleMistake::new(&spec.xml.0[0], why));
        found.push(paths.map(|_| Source::Xml(spec.xml.0.clone())));
    }
    found.extend(spec.chain.map(|chain| Ok(Source::Chain(chain))));
    found.extend(spec.changelog.map(|ChangelogSpec::Liquibase| Ok(Source::Changelog)));
    found.extend(spec.dotenv.as_ref().map(|names| Names::compile(names).map(|names| Source::Dotenv(Box::new(names)))));
    found.extend(spec.compose.map(|compose| Ok(Source::Compose(compose.part()))));
    let one = found.pop();
    match one {
        Some(source) if found.is_empty() => source,
        _ => Err(RuleMistake::new(
            "[[claim]]",
            "a claim's names come from exactly one of `path`, `line`, `json`, `yaml`, `toml`, `xml`, `chain`, `changelog`, `dotenv`, `compose`",
        )),
    }
}

impl Shape {
    fn compile(spec: &ShapeSpec) -> Result<Self, RuleMistake> {
        if spec.files.0.is_empty() == spec.grammar.is_none() {
            return Err(RuleMistake::new(&spec.message, "a shape has either `files` or a `grammar`"));
        }
        Ok(Self {
            files: globs(&spec.files)?,
            path: spec.path.as_deref().map(LazyRegex::whole),
            grammar: spec.grammar.as_deref().map(LazyRegex::whole),
            folder: spec.folder,
            space: spec.space.clone(),
            severity: spec.severity.severity(),
            message: spec.message.clone(),
        })
    }
}

/// The place of a mistake in the text of its file: where the word stands, else the first line.
pub(crate) fn place(text: &str, word: &str) -> Range<usize> {
    match (!word.is_empty()).then(|| text.find(word)).flatten() {
        Some(at) => at..at + word.len(),
        None => 0..text.lines().next().map_or(0, str::len),
    }
}
