//! Reading rule files: strictly, each mistake with its place.

use std::sync::{Arc, LazyLock};

use super::{
    builtin::{INDEX, builtin},
    code,
    compile::{Body, place},
    head::{Known, Rule},
    spec::RuleFile,
};
use crate::{
    config::{FileKind, KnownCodes, Mistake, strict},
    error::Fatal,
    suppress, threads,
};

/// Fewer rule files than so many are read on one thread.
const FEW: usize = 8;

/// The rules of a run: the built-in ones, then the repository's own. `own` are file names and bytes.
///
/// # Errors
/// The first mistake in a file of the repository, or an id that is taken already.
pub fn load(own: &[(String, Vec<u8>)], examples: bool) -> Result<Vec<Arc<Rule>>, Fatal> {
    let mut rules = if examples { parse_builtin()? } else { builtin_rules().to_vec() };
    let read = threads::map(own, FEW, |(file, bytes)| checked(file, bytes));
    for ((file, _), checked) in own.iter().zip(read) {
        let (text, rule) = checked?; // the first mistake in order, whichever thread was first
        let is_code = code::code_rules().iter().any(|other| other.id == rule.id());
        if is_code || rules.iter().any(|other| other.id() == rule.id()) || rule.id() == "allow" {
            return Err(at(file, text, rule.id(), &format!("another rule has the id `{}`; choose another", rule.id())));
        }
        rules.push(Arc::new(rule));
    }
    Ok(rules)
}

/// The built-in rules without their examples. Each file is understood when somebody asks what it says.
pub fn builtin_rules() -> &'static [Arc<Rule>] {
    static RULES: LazyLock<Vec<Arc<Rule>>> = LazyLock::new(|| {
        let rule =
            |((path, text), known): (&(&'static str, &'static str), &'static Known)| Rule::known(known, path, text);
        builtin().iter().zip(INDEX).map(rule).collect()
    });
    &RULES
}

/// What a built-in rule file says, without its examples.
pub(super) fn built_in(path: &str, text: &str) -> Body {
    let parsed = spec(&format!("rules/{path}"), without_examples(text))
        .and_then(|spec| Body::compile(spec).map_err(|mistake| at(path, text, &mistake.at, &mistake.message)));
    parsed.unwrap_or_else(|fatal| unreachable!("the tests read them too: {fatal}"))
}

fn parse_builtin() -> Result<Vec<Arc<Rule>>, Fatal> {
    let read = threads::map(builtin(), FEW, |(path, text)| parse(&format!("rules/{path}"), text).map(Arc::new));
    read.into_iter().collect()
}

/// The rules with some rule files in the place of built-in ones of the same id, and at the end of the list.
///
/// # Errors
/// The first mistake in one of the files.
pub fn load_replacing(own: &[(String, Vec<u8>)]) -> Result<Vec<Arc<Rule>>, Fatal> {
    let mut rules = load(&[], true)?;
    for (file, bytes) in own {
        let (_, rule) = checked(file, bytes)?;
        rules.retain(|other| other.id() != rule.id());
        rules.push(Arc::new(rule));
    }
    Ok(rules)
}

/// One rule file of a person's hand by itself.
///
/// # Errors
/// The first mistake in it, with its place.
pub fn parse_own(file: &str, bytes: &[u8]) -> Result<Rule, Fatal> {
    checked(file, bytes).map(|(_, rule)| rule)
}

/// A rule file of a person's hand, every regex of it tried.
fn checked<'t>(file: &str, bytes: &'t [u8]) -> Result<(&'t str, Rule), Fatal> {
    let text = strict::text(FileKind::Rule, file, bytes)?;
    let rule = parse(file, text)?;
    rule.check().map_err(|mistake| at(file, text, &mistake.at, &mistake.message))?;
    Ok((text, rule))
}

/// Examples are most of a built-in file, and no scan needs them.
fn without_examples(text: &str) -> &str {
    text.find("\n[[example]]").map_or(text, |at| &text[..=at])
}

fn spec(file: &str, text: &str) -> Result<RuleFile, Fatal> {
    strict::parse(FileKind::Rule, file, text)
}

/// One rule file.
fn parse(file: &str, text: &str) -> Result<Rule, Fatal> {
    Rule::compile(spec(file, text)?).map_err(|mistake| at(file, text, &mistake.at, &mistake.message))
}

fn at(file: &str, text: &str, word: &str, message: &str) -> Fatal {
    FileKind::Rule.fatal(Mistake::at(file, text, place(text, word), message))
}

/// All ids and codes that configuration and command line may name.
pub fn known(rules: &[Arc<Rule>]) -> KnownCodes {
    let mut known = KnownCodes::default();
    known.rules.insert("allow".into());
    known.codes.extend([suppress::UNUSED, suppress::EXPIRED].map(str::to_owned));
    code::know(&mut known);
    for rule in rules {
        known.rules.insert(rule.id().to_owned());
        known.codes.extend(rule.kinds().iter().map(|kind| format!("{}/{kind}", rule.id())));
    }
    known
}

/// The JSON Schema of rule files.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RuleFile).into()
}
