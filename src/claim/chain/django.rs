//! Django's migrations, from the class body of a module in a `migrations` folder.

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Parsed, Revision, python::Source};

/// An app label and the name of one of its migrations.
pub type Pair = (String, String);

/// One module, before it is known which of the pairs are of its own app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    /// The module's name.
    pub name: String,
    /// The bytes of `dependencies` and its value, or of the class's head.
    pub span: Range<usize>,
    /// What it comes after.
    pub dependencies: Vec<Pair>,
    /// What it stands for.
    pub replaces: Vec<Pair>,
    /// What comes after it.
    pub run_before: Vec<Pair>,
}

/// Reads one module of a `migrations` folder. `module` is its name without `.py`.
pub fn parse(module: &str, bytes: &[u8]) -> Parsed<Migration> {
    static CLASS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^class\s+Migration\s*\(").expect("the pattern is valid"));
    // South came before Django's own migrations: numbers, and no graph
    static SOUTH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\A\s*(?:\w+\.)*(?:SchemaMigration|DataMigration)\s*\)").expect("the pattern is valid")
    });
    if module.is_empty() || module.starts_with(['_', '~']) || module.contains('.') {
        return Parsed::NotOne;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Parsed::Unclear("the file is not valid UTF-8".to_owned());
    };
    let source = Source::new(text);
    match CLASS.find(&source.code) {
        None => Parsed::NotOne,
        Some(class) if SOUTH.is_match(&source.code[class.end()..]) => Parsed::NotOne,
        Some(class) => Parsed::from_result(read(module, &source, class.range())),
    }
}

/// The app label of a folder: the name of the folder that holds `migrations`, if any pair of its modules has it; else the label that most
/// pairs have whose migration is one of these modules (the first by name among equals); else the folder's name.
pub fn app_label(folder: &str, migrations: &[Migration]) -> String {
    let pairs = || migrations.iter().flat_map(Migration::pairs);
    if pairs().any(|(label, _)| label == folder) {
        return folder.to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: Vec<_> = migrations.iter().map(|migration| migration.name.as_str()).collect();
    names.sort_unstable();
    for (label, name) in pairs() {
        if names.binary_search(&name.as_str()).is_ok() {
            *counts.entry(label).or_default() += 1;
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, count)| **count);
    most.map_or(folder, |(label, _)| label).to_owned()
}

/// Where a module names a migration of an app: the places of its name, after the app's label.
pub(crate) fn mentions(text: &str, label: &str, name: &str) -> Vec<Range<usize>> {
    let pair = format!(r#"['"]{}['"]\s*,\s*['"]({})['"]"#, regex::escape(label), regex::escape(name));
    let Ok(pair) = Regex::new(&pair) else { return Vec::new() };
    let source = Source::new(text);
    pair.captures_iter(&source.text).filter_map(|found| Some(found.get(1)?.range())).collect()
}

impl Migration {
    fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.dependencies.iter().chain(&self.replaces).chain(&self.run_before)
    }

    /// The link that this is in the chain of the app `label`. Pairs of other apps, `__first__` and `__latest__` are left out.
    pub fn revision(self, label: &str) -> Revision {
        let own = |pairs: Vec<Pair>| {
            let own = pairs.into_iter().filter(|(app, name)| app == label && !name.starts_with("__"));
            own.map(|(_, name)| name).collect()
        };
        Revision {
            id: self.name,
            id_span: self.span,
            parents: own(self.dependencies),
            depends: Vec::new(),
            replaces: own(self.replaces),
            run_before: own(self.run_before),
            labels: Vec::new(),
            group: Some(label.to_owned()),
        }
    }
}

fn read(module: &str, source: &Source, class: Range<usize>) -> Result<Migration, String> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]+(dependencies|replaces|run_before)\b[ \t]*((?::[^=\n]+)?=\s*([^=\s])?|\+=|\.)")
            .expect("the pattern is valid")
    });
    let mut made = Migration { name: module.to_owned(), span: class.clone(), ..Migration::default() };
    let mut seen = Vec::new();
    let body = body(&source.code, class.end);
    for captures in ATTRIBUTE.captures_iter(&source.code[class.end..body.end]) {
        let Some(attribute) = captures.get(1) else { continue };
        let (name, start) = (attribute.as_str(), class.end + attribute.start());
        let line = source.code[..start].rfind('\n').map_or(0, |at| at + 1);
        if start - line > body.indent {
            continue; // a variable of a method
        }
        // An argument of a call, not the class's own.
        if source.in_bracket(class.start..start) {
            continue;
        }
        let Some(value) = captures.get(3).filter(|_| !seen.contains(&name)) else {
            return Err(format!("`{name}` is changed by code"));
        };
        seen.push(name);
        let (pairs, end) = pairs(source, name, class.end + value.start())?;
        match name {
            "dependencies" => {
                made.span = start..end;
                made.dependencies = pairs;
            }
            "replaces" => made.replaces = pairs,
            _ => made.run_before = pairs,
        }
    }
    Ok(made)
}

/// The body of a class.
struct Body {
    /// Where it ends.
    end: usize,
    /// How far its own lines stand in, in bytes.
    indent: usize,
}

/// The body of the class whose head ends at `head`: up to the next line of code that begins at the margin.
fn body(code: &str, head: usize) -> Body {
    let mut at = head + code[head..].find('\n').map_or(code.len() - head, |end| end + 1);
    let mut indent = None;
    while at < code.len() {
        let line = &code[at..at + code[at..].find('\n').map_or(code.len() - at, |end| end + 1)];
        let text = line.trim_start_matches([' ', '\t']);
        if !text.trim().is_empty() && !text.starts_with(['#', ')', ']', '}']) {
            let depth = line.len() - text.len();
            if depth == 0 {
                break;
            }
            indent.get_or_insert(depth);
        }
        at += line.len();
    }
    Body { end: at, indent: indent.unwrap_or(usize::MAX) }
}

/// The pairs of the list at `at`, and where it ends.
fn pairs(source: &Source, name: &str, at: usize) -> Result<(Vec<Pair>, usize), String> {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\(\s*['"]([\w.]+)['"]\s*,\s*['"]([\w.\-]+)['"]\s*,?\s*\)"#).expect("the pattern is valid")
    });
    static SWAPPABLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:\w+\.)*swappable_dependency\s*\(").expect("the pattern is valid"));
    let computed = || format!("`{name}` is computed");
    if !source.code[at..].starts_with(['[', '(']) {
        return Err(computed());
    }
    let list = source.balanced(at).filter(|list| source.statement_ends(list.end)).ok_or_else(computed)?;
    let mut found = Vec::new();
    let (mut at, end) = (list.start + 1, list.end - 1);
    loop {
        at += source.text[at..end].len() - source.text[at..end].trim_start_matches([' ', '\t', '\r', '\n', ',']).len();
        if at == end {
            return Ok((found, list.end));
        }
        if let Some(pair) = PAIR.captures(&source.text[at..end]) {
            found.push((pair[1].to_owned(), pair[2].to_owned()));
            at += pair[0].len();
        } else if let Some(call) = SWAPPABLE.find(&source.code[at..end]) {
            at = source.balanced(at + call.end() - 1).ok_or_else(computed)?.end;
        } else {
            return Err(computed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migration(body: &str) -> Parsed<Migration> {
        parse(
            "0002_b",
            format!("from django.db import migrations\n\nclass Migration(migrations.Migration):\n{body}\n").as_bytes(),
        )
    }

    fn pairs(list: &[Pair]) -> String {
        list.iter().map(|(app, name)| format!("{app}.{name}")).collect::<Vec<_>>().join(" ")
    }

    fn clear(body: &str) -> Migration {
        match migration(body) {
            Parsed::Revision(migration) => migration,
            other => panic!("{other:?} for {body}"),
        }
    }

    #[test]
    fn mentions_have_a_place_and_comments_have_none() {
        let text = "dependencies = [('shop', '0001_a'), (\"shop\",\n  \"0001_a\")] # ('shop', '0001_a')\n('blog', '0001_a') ('shop', '0001_ab')";
        let found = mentions(text, "shop", "0001_a");
        let places: Vec<&str> = found.iter().map(|place| &text[place.clone()]).collect();
        assert_eq!(places, ["0001_a", "0001_a"]);
    }

    #[test]
    fn a_generated_module() {
        let got = clear(
            "    \"\"\"\n    dependencies = [('no', 'no')]\n    \"\"\"\n    initial = True\n\n    dependencies = [\n        ('shop', '0001_a'),  # ('shop', 'no')\n\
             \x20       (\"auth\", \"0012_x\",),\n        migrations.swappable_dependency(settings.AUTH_USER_MODEL),\n        ('other', '__first__'),\n    ]\n\
             \x20   replaces = [('shop', '0001_x')]\n    run_before = [('shop', '0009_z')]\n\n    operations = [migrations.RunSQL('''\n  dependencies = x\n''')]",
        );
        assert_eq!(pairs(&got.dependencies), "shop.0001_a auth.0012_x other.__first__");
        assert_eq!((pairs(&got.replaces), pairs(&got.run_before)), ("shop.0001_x".into(), "shop.0009_z".into()));
        let link = got.revision("shop");
        assert_eq!(
            (link.id.as_str(), link.parents, link.replaces, link.run_before),
            ("0002_b", vec!["0001_a".to_owned()], vec!["0001_x".to_owned()], vec!["0009_z".to_owned()])
        );
    }

    #[test]
    fn shapes_of_the_list() {
        assert_eq!(clear("    operations = [f(\n        dependencies=X,\n    )]").dependencies, []);
        assert_eq!(pairs(&clear("    dependencies = []").dependencies), "");
        assert_eq!(pairs(&clear("    dependencies: list[tuple[str, str]] = [('a', 'b-c')]").dependencies), "a.b-c");
        assert_eq!(pairs(&clear("    dependencies = (('a', 'b'),)").dependencies), "a.b");
    }

    #[test]
    fn what_code_computes_is_unclear() {
        for body in [
            "    dependencies = [('a', 'b')] + X",
            "    dependencies = DEPENDENCIES",
            "    dependencies = [('a', NAME)]",
            "    dependencies = [('a', 'b') for x in y]",
            "    dependencies = [*others]",
            "    dependencies = [('a', 'b')]\n    dependencies += [('a', 'c')]",
            "    dependencies = [('a', 'b')]\n    dependencies.append(('a', 'c'))",
            "    dependencies = [('a', 'b')",
            "    dependencies =",
        ] {
            assert!(matches!(migration(body), Parsed::Unclear(_)), "{body}");
        }
    }

    #[test]
    fn other_modules_are_none() {
        assert_eq!(parse("0001_south", b"class Migration:\n    dependencies = []\n"), Parsed::NotOne);
        assert_eq!(parse("_helper", b"class Migration(x):\n    pass\n"), Parsed::NotOne);
        assert_eq!(parse("a.b", b"class Migration(x):\n    pass\n"), Parsed::NotOne);
        assert_eq!(parse("x", b"'''\nclass Migration(x):\n'''\n"), Parsed::NotOne);
    }

    #[test]
    fn the_label_is_the_folders_or_the_most_frequent() {
        let made = |name: &str, pairs: &[(&str, &str)]| Migration {
            name: name.to_owned(),
            dependencies: pairs.iter().map(|(app, name)| ((*app).to_owned(), (*name).to_owned())).collect(),
            ..Migration::default()
        };
        let folder = [made("1", &[]), made("2", &[("shop", "1"), ("auth", "1")])];
        assert_eq!(app_label("shop", &folder), "shop");
        assert_eq!(app_label("src", &folder), "auth");
        let renamed =
            [made("1", &[("auth", "0")]), made("2", &[("store", "1")]), made("3", &[("store", "2"), ("auth", "1")])];
        assert_eq!(app_label("shop", &renamed), "store");
        assert_eq!(app_label("shop", &[made("1", &[])]), "shop");
    }

    #[test]
    fn what_stands_behind_the_class_or_in_a_method_is_not_the_class() {
        let head = "class Migration(migrations.Migration):\n    dependencies = [('shop', '0001_i')]\n";
        for tail in [
            "\ndef forwards(apps, editor):\n    dependencies = find()\n    dependencies.sort()\n",
            "\n    def helper(self):\n        dependencies = find()\n        dependencies.sort()\n",
            "    operations = [\n]\n    run_before = []\n",
        ] {
            let parsed = parse("0002_a", format!("{head}{tail}").as_bytes());
            let Parsed::Revision(migration) = parsed else { panic!("{tail}: {parsed:?}") };
            assert_eq!(migration.dependencies, [("shop".to_owned(), "0001_i".to_owned())], "{tail}");
        }
        let computed = parse("0002_a", format!("{head}    dependencies += more()\n").as_bytes());
        assert!(matches!(computed, Parsed::Unclear(_)), "{computed:?}");
    }
}
