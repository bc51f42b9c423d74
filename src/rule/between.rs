//! Rules that are judged between whole worktrees: what they may say, and which variables of `.env` files they mean.

use super::{
    compile::{Claim, RuleMistake, Source, check_regex},
    lazy::LazyRegex,
    select::Pattern,
    spec::{ClaimSpec, DotenvSpec, RuleFile},
    template::Template,
};

/// Which variables are meant.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) name: LazyRegex,
    except: Vec<LazyRegex>,
    unless: Vec<Template>,
    unless_not: Option<LazyRegex>,
    pub(crate) outside_containers: bool,
}

impl Names {
    pub(super) fn compile(spec: &DotenvSpec) -> Result<Self, RuleMistake> {
        let template = |text: &String| Template::parse(text).map_err(|why| RuleMistake::new(text, why));
        Ok(Self {
            name: LazyRegex::whole(&spec.name),
            except: spec.except.0.iter().map(|text| LazyRegex::whole(text)).collect(),
            unless: spec.unless.0.iter().map(template).collect::<Result<_, _>>()?,
            unless_not: spec.unless_not.as_deref().map(LazyRegex::whole),
            outside_containers: spec.outside_containers,
        })
    }

    /// Tries every regex, and gives the parts that a claim has of it.
    pub(super) fn check(&self) -> Result<Vec<String>, RuleMistake> {
        for regex in self.except.iter().chain(&self.unless_not) {
            check_regex(regex, regex.text())?;
        }
        let mut parts = check_regex(&self.name, self.name.text())?;
        for field in self.unless.iter().flat_map(Template::fields) {
            if !parts.iter().any(|part| part == field) {
                return Err(RuleMistake::new(field, format!("`{{{field}}}` is no group of the regex on the name")));
            }
        }
        parts.push("name".to_owned());
        Ok(parts)
    }

    /// The groups of a name that is meant, empty ones left out. `value` is that of another variable of the folder, if something sets it.
    pub(crate) fn meant<'r, 'n>(
        &'r self,
        name: &'n str,
        value: impl Fn(&str) -> Option<String>,
    ) -> Option<Vec<(&'r str, &'n str)>> {
        if self.except.iter().any(|regex| regex.is_match(name)) {
            return None;
        }
        let groups = self.name.captures(name)?;
        let parts: Vec<(&str, &str)> =
            self.name.names().filter_map(|part| Some((part, groups.name(part)?.as_str()))).collect();
        let part = |wanted: &str| parts.iter().find(|(name, _)| *name == wanted).map(|(_, text)| (*text).into());
        let stands_against = |value: String| self.unless_not.as_ref().is_none_or(|regex| !regex.is_match(&value));
        let others = self.unless.iter().filter_map(|template| template.fill(part));
        if others.filter_map(|other| value(&other)).any(stands_against) {
            return None;
        }
        Some(parts)
    }
}

/// What compose reads for its variables, and what may say that a file is read inside a container.
const BESIDE_COMPOSE: &str = "**/.env";
const BESIDE_DOTENV: &str = "**/{compose,docker-compose}*.{yaml,yml}";

impl Claim {
    /// Files that say how those of the claim are to be read.
    pub(crate) fn beside(&self) -> Vec<Pattern> {
        let glob = match &self.source {
            Source::Compose(_) => BESIDE_COMPOSE,
            Source::Dotenv(names) if names.outside_containers => BESIDE_DOTENV,
            _ => return Vec::new(),
        };
        Pattern::parse(glob).expect("our own globs parse: the rules of ports and projects are read with them in tests")
    }
}

/// Whether a rule's words go with what it is judged between.
pub(super) fn fits(spec: &RuleFile, claims: &[Claim]) -> Result<(), RuleMistake> {
    if spec.between.is_none() {
        let word = |claim: &ClaimSpec| match claim {
            ClaimSpec { dotenv: Some(_), .. } => Some("dotenv"),
            ClaimSpec { compose: Some(_), .. } => Some("compose"),
            ClaimSpec { reach: Some(_), .. } => Some("reach"),
            ClaimSpec { ignored: true, .. } => Some("ignored"),
            ClaimSpec { secret: true, .. } => Some("secret"),
            _ => None,
        };
        return match spec.claim.iter().find_map(word) {
            Some(word) => Err(RuleMistake::new(word, format!("`{word}` goes with `between = \"worktrees\"`"))),
            None => Ok(()),
        };
    }
    if claims.iter().any(|claim| matches!(claim.source, Source::Xml(_) | Source::Chain(_))) {
        return Err(RuleMistake::new("between", "a rule between worktrees takes no names from `xml` or `chain`"));
    }
    if spec.root.as_ref().is_some_and(|root| !root.from.is_empty()) {
        return Err(RuleMistake::new("[[root.from]]", "a rule between worktrees finds its roots without `from`"));
    }
    let policy = &spec.policy;
    let more = policy.one_head
        || !policy.malformed.is_empty()
        || !policy.unclaimed.is_empty()
        || !policy.reserved.is_empty()
        || !policy.quota.is_empty();
    if more || !policy.unique || spec.next.is_some() {
        return Err(RuleMistake::new("between", "between worktrees only `unique` is judged, and there is no `[next]`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::rule::{parse_own, spec::OneOrMany};

    fn names() -> Names {
        let many = |all: &[&str]| OneOrMany(all.iter().map(|one| (*one).to_owned()).collect());
        Names::compile(&DotenvSpec {
            name: "(?:(?<of>[A-Z_]+)_)?PORT".into(),
            except: many(&["(?:.*_)?DB_PORT"]),
            unless: many(&["{of}_HOST"]),
            unless_not: Some(r"0\.0\.0\.0".into()),
            outside_containers: false,
        })
        .unwrap()
    }

    #[test]
    fn a_port_beside_a_host_is_not_listened_on() {
        let names = names();
        assert_eq!(names.check().unwrap(), ["of", "name"]);
        let set = |host: &'static str| move |name: &str| (name == "API_HOST").then(|| host.to_owned());
        assert_eq!(names.meant("API_PORT", set("example.org")), None);
        assert_eq!(names.meant("API_PORT", set("")), None);
        assert_eq!(names.meant("API_PORT", set("0.0.0.0")), Some(vec![("of", "API")]));
        assert_eq!(names.meant("WEB_PORT", set("example.org")), Some(vec![("of", "WEB")]));
        assert_eq!(names.meant("PORT", |_| Some("x".into())), Some(vec![]));
        for none in ["MY_DB_PORT", "PORT_X", "PORTS", "port"] {
            assert_eq!(names.meant(none, |_| None), None, "{none}");
        }
    }

    fn mistake(between: bool, claim: &str, rest: &str) -> String {
        let between = if between { "between = 'worktrees'\n" } else { "" };
        let head = "schema = 1\nid = 'x'\nsummary = 's'\nseverity = 'error'\n";
        let text = format!("{head}{between}[[claim]]\nfiles = ['x']\n{claim}\n[policy]\nunique = true\n{rest}");
        parse_own("x.toml", text.as_bytes()).err().map(|error| error.plain()).unwrap_or_default()
    }

    #[test]
    fn words_that_do_not_go_together_are_mistakes() {
        let dotenv = "dotenv = { name = 'PORT' }";
        assert_eq!(mistake(true, dotenv, ""), "");
        for (claim, word) in [
            (dotenv, "dotenv"),
            ("compose = 'port'", "compose"),
            ("line = '(?<key>x)'\nsecret = true", "secret"),
            ("line = '(?<key>x)'\nignored = true", "ignored"),
            ("line = '(?<key>x)'\nreach = '{key}'", "reach"),
        ] {
            assert!(mistake(false, claim, "").contains(&format!("`{word}` goes with")), "{claim}");
            assert_eq!(mistake(true, claim, ""), "", "{claim}");
        }
        assert!(mistake(true, "xml = 'a/b'", "").contains("takes no names from"));
        let from = "[root]\nany = true\n[[root.from]]\nfiles = ['x']\nline = '(?<dir>x)'";
        assert!(mistake(true, dotenv, from).contains("without `from`"));
        assert!(mistake(true, dotenv, "one-head = true").contains("only `unique` is judged"));
        assert!(mistake(true, "dotenv = { name = '(' }", "").contains("does not compile"));
        assert!(mistake(true, "dotenv = { name = 'X', unless = '{of}' }", "").contains("no group of the regex"));
        assert!(mistake(true, "dotenv = { name = 'X' }\nvariant = '{protocol}'", "").contains("no part of this claim"));
        assert!(mistake(false, "line = '(?<key>x)'\nonly = '('", "").contains("does not compile"));
    }
}
