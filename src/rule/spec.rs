//! What a rule file says, word for word. `compile` turns it into something that can be run.

mod between;

pub use between::{BetweenSpec, ComposeSpec, DotenvSpec};

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    claim::{normalize::Compare, order::Order, tie::Tie},
    config::Level,
};

/// One rule file: which names files take, what is judged, and its own examples.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleFile {
    /// Version of this format: 1.
    pub schema: u32,
    /// Id of the rule, and of its namespace: lower-case words joined by `-`.
    pub id: String,
    /// What holds when the rule is kept, in one line.
    pub summary: String,
    /// What happens otherwise: the failure that would have followed.
    pub why: Option<String>,
    /// How grave a duplicate is.
    pub severity: Level,
    /// How sure a finding of this rule is. Default: high.
    pub confidence: Option<Sureness>,
    /// Address of the documentation of the tool that is judged.
    pub docs: Option<String>,
    /// Which default excludes hold. Rules of the group `migrations` stay out of test, fixture and build folders too.
    pub group: Option<Group>,
    /// Whose names are held against each other. Default: those of one tree, and what a change or branch adds to it.
    pub between: Option<BetweenSpec>,
    /// Where the namespace lives. Default: the whole repository is one root.
    pub root: Option<RootSpec>,
    /// Which names files take.
    pub claim: Vec<ClaimSpec>,
    /// What is judged.
    pub policy: PolicySpec,
    /// Words for people.
    pub message: Option<MessageSpec>,
    /// How the tool would name the next one.
    pub next: Option<NextSpec>,
    /// Tests and documentation of the rule.
    #[serde(default)]
    pub example: Vec<ExampleSpec>,
}

/// Confidence in a rule file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sureness {
    /// A guess that a person has to check.
    Low,
    /// True unless the repository is set up in an unusual way.
    Medium,
    /// What the tool itself would say.
    High,
}

/// A family of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Database migrations.
    Migrations,
    /// Serverless functions.
    Functions,
    /// URLs and routes.
    Routes,
    /// Numbered documents and lists of ids.
    Registries,
    /// What worktrees share: ports, databases, names of projects.
    Environment,
}

/// Where a namespace lives.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RootSpec {
    /// A root is the folder that holds one of these files (globs, below the root).
    #[serde(default)]
    pub marker: OneOrMany,
    /// Without any marker in the repository: a root is the folder that holds this folder.
    pub fallback: Option<String>,
    /// A root is any folder with claimed files whose owner is shown by a proof.
    #[serde(default)]
    pub any: bool,
    /// The tool writes files that another one may apply: a folder that both can show to be theirs is the other's.
    #[serde(default)]
    pub generator: bool,
    /// With `any`: regexes on a whole folder path. The first that matches a folder above a file decides, and the longest such folder is the
    /// root. Without any, the file's own folder is, less the literal folders with which the claim's paths begin.
    #[serde(default)]
    pub folder: OneOrMany,
    /// With `any`: regexes on a whole folder path; a folder that one matches is no root.
    #[serde(default)]
    pub except: OneOrMany,
    /// With `any`: files of other tools (globs, below the root); a folder that holds one is no root.
    #[serde(default)]
    pub foreign: OneOrMany,
    /// With `any`: what shows that a folder belongs to this tool. The strongest decides when several tools want it.
    #[serde(default)]
    pub proof: Vec<ProofSpec>,
    /// Folders that the tool's own configuration names.
    #[serde(default)]
    pub from: Vec<FromSpec>,
    /// Where else a tool may be told to take late names: in its calls.
    #[serde(default)]
    pub lax: Vec<LaxSpec>,
    /// Partitions that are one for the tool: what `from` matches in the partition's path becomes `to`.
    #[serde(default)]
    pub join: Vec<JoinSpec>,
}

/// What shows that a folder belongs to a tool. All of its words must hold.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProofSpec {
    /// A regex that stands in one of the three newest claimed files.
    pub sniff: Option<String>,
    /// A regex that stands in none of the three newest claimed files: it would speak for another tool.
    pub unlike: Option<String>,
    /// The files that are on the trunk take at least so many names on paths, of one shape, and none of them twice: what a folder has always
    /// obeyed. Weaker than all other proofs. A tree by itself is its own trunk: there it never has a duplicate.
    pub mined: Option<u16>,
    /// Name of a file in the nearest folder above that has one.
    pub manifest: Option<String>,
    /// A regex that the manifest's text must match.
    pub contains: Option<String>,
    /// A regex that the manifest's text must not match: it would speak for another tool. Without such a manifest, or one at all, nothing does.
    pub lacks: Option<String>,
    /// A regex on the whole path of the folder.
    pub folder: Option<String>,
    /// Regexes on the names of the claimed files: each must match one.
    #[serde(default)]
    pub beside: OneOrMany,
    /// How sure it is. Where it is `low`, and no better proof holds, late names and changed units are one step less grave. Default: high.
    pub confidence: Option<Sureness>,
}

/// A folder that a tool's own configuration names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FromSpec {
    /// Globs of the configuration files, below the top of the repository.
    pub files: OneOrMany,
    /// A regex on a line; the group `dir` is the folder, relative to the file's own, or a list of folders.
    pub line: Option<String>,
    /// A regex on a line. Where one matches, the tool is told to take late names too: below this folder none comes too late.
    pub late: Option<String>,
    /// A regex on a line. Where one matches, the tool is told to be strict: below this folder what comes too late is as grave as the policy
    /// `late-strict` says.
    pub strict: Option<String>,
    /// The folder is relative to the folder that is so many steps above the file's own (`config/database.yml`: 1). Default: 0.
    #[serde(default)]
    pub above: u8,
    /// The folder is named by the end of its path only (a class path): every folder that ends with it counts.
    #[serde(default)]
    pub suffix: bool,
    /// The folders that one line names are one history: their names are held against each other. Where two lists share a folder, and neither
    /// holds all of the other, it is not known which are used together, and none of them are one.
    #[serde(default)]
    pub joined: bool,
}

/// Where a tool may be told to take late names, beside its own settings. The files are read only where a name comes too late; it is a note
/// then, as it is not known which folder is meant.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LaxSpec {
    /// Globs of files, below the top of the repository.
    pub files: OneOrMany,
    /// Globs of files that are not meant after all.
    #[serde(default)]
    pub except: OneOrMany,
    /// A regex on the text of a file.
    pub text: String,
}

/// Partitions that are one for the tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JoinSpec {
    /// A regex on the partition.
    pub from: String,
    /// What the match becomes; `$1` stands for a group.
    pub to: String,
}

/// One string or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany(pub Vec<String>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = OneOrMany;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a list of strings")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![text.to_owned()]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMany, A::Error> {
                let mut all = Vec::new();
                while let Some(text) = seq.next_element()? {
                    all.push(text);
                }
                Ok(OneOrMany(all))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl JsonSchema for OneOrMany {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OneOrMany".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}

/// Which names files take. Exactly one of `path`, `line`, `json`, `yaml`, `toml`, `xml`, `chain`, `changelog`, `dotenv`, `compose` says
/// where a name comes from.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClaimSpec {
    /// Globs of the files, below the root. Needed unless `path` begins with literal folders.
    #[serde(default)]
    pub files: OneOrMany,
    /// Globs of files that are not meant after all.
    #[serde(default)]
    pub except: OneOrMany,
    /// A regex on the whole path below the root; its groups are `key` and any others.
    pub path: Option<String>,
    /// A regex on each line of the files.
    pub line: Option<String>,
    /// A JSONPath (RFC 9535) on a JSON document; comments are allowed.
    pub json: Option<String>,
    /// A JSONPath on a YAML document.
    pub yaml: Option<String>,
    /// A JSONPath on a TOML document.
    pub toml: Option<String>,
    /// Element paths such as `urlset/url/loc`, by local names.
    #[serde(default)]
    pub xml: OneOrMany,
    /// A chain of revisions: which tool wrote it.
    pub chain: Option<ChainSpec>,
    /// The changesets of a changelog: which tool's. The key is the id; a file that is no changelog takes no name.
    pub changelog: Option<ChangelogSpec>,
    /// Values of variables in `.env` files. Only between worktrees.
    pub dotenv: Option<DotenvSpec>,
    /// What compose projects take of the machine. Only between worktrees.
    pub compose: Option<ComposeSpec>,
    /// Whether a match of a JSONPath counts by its value or by its name.
    #[serde(default)]
    pub take: TakeSpec,
    /// More JSONPaths, relative to the match; each becomes a part like a regex group. A match that is no scalar is named by the one that
    /// `key` names first.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// A second set of names in the same partition. Default: none.
    pub space: Option<String>,
    /// The name, as a template over the parts; `{a|b}` is the first of them that is there. Default: `{key}`.
    pub key: Option<String>,
    /// What counts as one claimant, as a template over the parts. Default: the file, or the place in it.
    pub unit: Option<String>,
    /// The unit where the template's parts are missing.
    pub unit_default: Option<String>,
    /// Claims collide only with the same variant; a template over the parts. Default: none.
    pub variant: Option<String>,
    /// A path, as a template over the parts: claims collide only if the reach of one is, or lies below, that of the other. Default: the
    /// top, which all lie below. Only between worktrees.
    pub reach: Option<String>,
    /// A regex on the whole key, as it is compared: what it does not match is no name. Default: all are.
    pub only: Option<String>,
    /// The files are read though git ignores them. Only between worktrees.
    #[serde(default)]
    pub ignored: bool,
    /// Nothing of the files' text is ever shown: a finding has places, and no lines. Only between worktrees.
    #[serde(default)]
    pub secret: bool,
    /// Splits the partition further; a template over the parts. Default: no split.
    pub partition: Option<String>,
    /// When two keys are one.
    #[serde(default)]
    pub compare: Compare,
    /// What comes after what.
    pub order: Option<Order>,
    /// Which of two files comes first whose keys are equal, while their variants are not. Default: neither.
    pub tie: Option<Tie>,
    /// How grave a duplicate in this space is; `off`: it is none. Default: as the rule says.
    pub severity: Option<Level>,
    /// How grave it is when a merged file is edited, and neither moved nor removed. Default: as `frozen` says.
    pub edited: Option<Level>,
}

/// Whose chain it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainSpec {
    /// Django's `dependencies`, `replaces` and `run_before`.
    Django,
    /// Alembic's `revision` and `down_revision`.
    Alembic,
    /// `id` and `prevId` of Drizzle's snapshots.
    Drizzle,
}

/// Whose changelog it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChangelogSpec {
    /// Liquibase's, in XML, YAML, JSON or SQL with a header.
    Liquibase,
}

/// Value or name of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TakeSpec {
    /// The scalar that matched.
    #[default]
    Value,
    /// The name of the member that matched.
    Name,
}

/// What is judged.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicySpec {
    /// Each key may be taken once within a partition.
    #[serde(default)]
    pub unique: bool,
    /// More than one head of a chain is a `forked` finding, by the tool's own rules.
    #[serde(default)]
    pub one_head: bool,
    /// How grave it is when a new key sorts before the newest one on the trunk; in a text also when it equals that. Default: of no account.
    pub late: Option<Level>,
    /// How grave that is where a `strict` of `[[root.from]]` matches. Default: as `late` says.
    pub late_strict: Option<Level>,
    /// How grave it is when a merged unit is edited, moved or removed. Default: of no account.
    pub frozen: Option<Level>,
    /// Variants that are no part of the history: they may be changed although merged, and have no place in the order.
    #[serde(default)]
    pub editable: Vec<String>,
    /// With `frozen`: a new file name is a change too, though key and content stay. Default: the rest of the name is decoration.
    #[serde(default)]
    pub frozen_name: bool,
    /// Keys of the first space that differ in case only are a duplicate of this severity.
    pub case: Option<Level>,
    /// Severity of a duplicate whose claimants lie in different files.
    pub across_files: Option<Level>,
    /// Severity of a duplicate whose claimants lie in different folders. Folders that `join` makes one are not different.
    pub across_folders: Option<Level>,
    /// Severity of a duplicate in the first space whose claimants come from lines of work that did not know of each other.
    pub across_lines: Option<Level>,
    /// How grave a time is, as `YYYYMMDDhhmmss`, that somebody made up; `off` where only those who ask for it are told.
    pub invented: Option<Level>,
    /// Names that the tool refuses.
    #[serde(default)]
    pub malformed: Vec<ShapeSpec>,
    /// Files that the tool passes over though they look meant.
    #[serde(default)]
    pub unclaimed: Vec<ShapeSpec>,
    /// Keys that nobody may take.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// How many keys, or how many bytes, there may be.
    #[serde(default)]
    pub quota: Vec<QuotaSpec>,
}

impl PolicySpec {
    /// Whether names can come too late: everywhere, or where the tool is told to be strict.
    pub(crate) fn has_late(&self) -> bool {
        self.late.is_some() || self.late_strict.is_some()
    }

    /// How grave a late name is; none where it is of no account.
    pub(crate) fn late_level(&self, strict: bool) -> Option<Level> {
        self.late_strict.filter(|_| strict).or(self.late)
    }
}

/// A shape that names or files must not have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShapeSpec {
    /// Files that no claim of the rule takes, though they match these globs below the root, are meant.
    #[serde(default)]
    pub files: OneOrMany,
    /// With `files`: the path below the root must match this regex too; its group `key` is the name.
    pub path: Option<String>,
    /// With `files`: what is meant is their folder. It counts once, and only if no file in it takes a name.
    #[serde(default)]
    pub folder: bool,
    /// Keys of claims that do not match this regex are meant.
    pub grammar: Option<String>,
    /// Only keys of this space.
    pub space: Option<String>,
    /// How grave.
    pub severity: Level,
    /// What the tool does then.
    pub message: String,
}

/// An upper limit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuotaSpec {
    /// What is counted over.
    pub per: Per,
    /// At most so many keys.
    pub keys: Option<u64>,
    /// At most so many bytes, uncompressed. Only per file.
    pub bytes: Option<u64>,
    /// How grave.
    pub severity: Level,
}

/// What a quota is counted over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// One file.
    File,
    /// One partition.
    Partition,
}

/// Words for people. `{key}`, `{count}`, `{partition}` stand for what they say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MessageSpec {
    /// The first sentence of a duplicate.
    pub duplicate: Option<String>,
    /// What happens with a duplicate. Default: as `why` says.
    pub why_duplicate: Option<String>,
    /// The first sentence of a fork.
    pub forked: Option<String>,
    /// What the tool does where one of a chain comes after one that is not there.
    pub gone: Option<String>,
    /// What the tool does with a name that comes too late.
    pub late: Option<String>,
    /// What the tool does when a merged unit was changed.
    pub frozen: Option<String>,
    /// What to do next.
    pub help: Option<String>,
}

/// How the tool would name the next one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NextSpec {
    /// `{now:%Y%m%d%H%M%S}`: a UTC time, past the newest; `{max+1:04}`: the number after the newest, padded.
    pub key: String,
    /// The file's path below the root; `{key}` and any part of the claim.
    pub path: String,
}

/// One example: a tree and what is found in it. Findings are `<kind> <key>`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExampleSpec {
    /// What it shows.
    pub name: String,
    /// Paths (empty files), or a table of path and content.
    #[serde(default)]
    pub head: FilesSpec,
    /// Files of the trunk; with these, `head` is what a change would leave, and `branch` what branches have.
    #[serde(default)]
    pub base: Option<FilesSpec>,
    /// By name, the files that a branch adds to the trunk, or has instead; the older branch comes first in the alphabet.
    #[serde(default)]
    pub branch: BTreeMap<String, FilesSpec>,
    /// By name of the branch, the files of the trunk that it removes.
    #[serde(default)]
    pub removes: BTreeMap<String, Vec<String>>,
    /// The files of each worktree, by its name, for a rule between worktrees; there is no `head` then.
    #[serde(default)]
    pub worktree: BTreeMap<String, FilesSpec>,
    /// Kinds of findings that are asked for, as `-W` does.
    #[serde(default)]
    pub warn: Vec<String>,
    /// Exactly these findings.
    pub finds: Vec<String>,
    /// Files that end up incomplete, in order. Default: none.
    #[serde(default)]
    pub incomplete: Vec<String>,
}

/// What one side of an example has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideOfExample<'e> {
    /// Whose it is, as a heading; none where there is but one tree.
    pub whose: Option<String>,
    /// Its files: paths and contents. Of a branch those that differ from the trunk's.
    pub files: &'e BTreeMap<String, String>,
    /// The files of the trunk that it removes.
    pub removes: &'e [String],
}

impl ExampleSpec {
    /// All sides, to be shown: the trunk, the branches, and the change or the tree.
    pub fn sides(&self) -> Vec<SideOfExample<'_>> {
        fn side(whose: Option<String>, files: &FilesSpec) -> SideOfExample<'_> {
            SideOfExample { whose, files: &files.0, removes: &[] }
        }
        let mut sides: Vec<_> = self.base.iter().map(|files| side(Some("the trunk".into()), files)).collect();
        for (name, files) in &self.branch {
            let removes = self.removes.get(name).map_or(&[][..], Vec::as_slice);
            sides.push(SideOfExample { removes, ..side(Some(format!("the branch {name}")), files) });
        }
        sides.extend(self.worktree.iter().map(|(name, files)| side(Some(format!("the worktree {name}")), files)));
        if sides.is_empty() || !self.head.0.is_empty() {
            sides.push(side(self.base.as_ref().map(|_| "the change".into()), &self.head));
        }
        sides
    }
}

/// Files of an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesSpec(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for FilesSpec {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = FilesSpec;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of paths or a table of path and content")
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<FilesSpec, A::Error> {
                let mut all = BTreeMap::new();
                while let Some(path) = seq.next_element()? {
                    all.insert(path, String::new());
                }
                Ok(FilesSpec(all))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<FilesSpec, A::Error> {
                let mut all = BTreeMap::new();
                while let Some((path, text)) = map.next_entry()? {
                    all.insert(path, text);
                }
                Ok(FilesSpec(all))
            }
        }
        from.deserialize_any(Visitor)
    }
}

impl JsonSchema for FilesSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Files".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "array", "items": { "type": "string" } },
                { "type": "object", "additionalProperties": { "type": "string" } }
            ]
        })
    }
}
