//! What lines are told is what a scan of the merged tree would say: the definition, on small random trees.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock},
};

use proptest::prelude::*;
use regex::Regex;

use super::{Files, builtin, tree};
use crate::{
    diag::{Diagnostic, Holder, HolderKind, Severity},
    engine::{Fleet, Plan, example::Apart, run},
    rule::{Rule, spec::RuleFile},
    source::{Line, MemoryTree},
};

/// A name, and whether it is about case only.
type Key = (String, bool);

/// How often each name is taken in a tree, as a scan of that tree says: all that are taken more than once.
fn taken(rules: &[Arc<Rule>], files: &Files) -> BTreeMap<Key, usize> {
    static COUNT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\d+) (?:files|documents|bodies|times|leaf)").expect("good"));
    let tree = tree(files);
    let report = run(&Plan::plain(&tree, rules)).expect("it runs");
    assert_eq!(report.incomplete, []);
    let mut taken = BTreeMap::new();
    for found in report.findings.iter().filter(|found| is_about_names(found)) {
        let count = match COUNT.captures(&found.message) {
            _ if is_case(found) => found.message.split(" differ").next().unwrap_or_default().matches(", ").count() + 1,
            Some(count) => count[1].parse().expect("a number"),
            None => panic!("{}", found.message),
        };
        taken.insert(key(found), count);
    }
    taken
}

fn is_about_names(found: &Diagnostic) -> bool {
    found.code.ends_with("/duplicate") || found.code.ends_with("/forked")
}

fn is_case(found: &Diagnostic) -> bool {
    found.message.contains("in case only")
}

fn key(found: &Diagnostic) -> Key {
    (found.key.clone().unwrap_or_default(), is_case(found))
}

/// What a line makes of the trunk: contents of paths, or none.
type Edits = BTreeMap<String, Option<String>>;

fn merged(base: &Files, all: &[&Edits]) -> Files {
    let mut files = base.clone();
    for (path, text) in all.iter().flat_map(|edits| edits.iter()).filter(|(_, text)| text.is_some()) {
        files.insert(path.clone(), text.clone().expect("not removed"));
    }
    for (path, _) in all.iter().flat_map(|edits| edits.iter()).filter(|(_, text)| text.is_none()) {
        files.remove(path);
    }
    files
}

/// Lines of these edits, the first of them the oldest.
fn lines(trunk: &mut MemoryTree, base: &Files, all: &[&Edits], head: Option<usize>) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, edits) in all.iter().enumerate() {
        let files = merged(base, &[edits]);
        let holder = match head == Some(number) {
            true => Holder::head(None),
            false => Holder { kind: HolderKind::Branch, name: format!("b{number}"), commit: None },
        };
        let changes = trunk.changes(files.iter().map(|(path, text)| (path.as_bytes(), text.as_bytes())));
        let (branch, started) = (Some(format!("b{number}")), Some(number as i64 / 2));
        lines.push(Line { holder, branch, number: None, tip: None, fork: None, own: Vec::new(), started, changes });
    }
    lines
}

fn judged(rules: &[Arc<Rule>], trunk: &MemoryTree, lines: Vec<Line>) -> Vec<Diagnostic> {
    let head = lines.iter().position(|line| line.holder.kind == HolderKind::Head);
    let nothing = MemoryTree::default();
    let mut plan = Plan::plain(&nothing, rules);
    let (target, worktrees) = ("main".to_owned(), Vec::new());
    plan.fleet = Some(Fleet {
        trunk,
        target,
        commit: None,
        lines,
        crossed: std::collections::BTreeSet::new(),
        is_change: head.is_some(),
        head,
        worktrees,
        history: &Apart,
        notes_old: false,
        calls: true,
        environment: Vec::new(),
        by_code: None,
        contention: false,
        conflicts: false,
        incomplete: Vec::new(),
        skipped: Vec::new(),
    });
    let report = run(&plan).expect("it runs");
    assert_eq!(report.incomplete, []);
    report.findings
}

/// What a claimant is. Where several files are one, a line can go on with what is the trunk's, and keeps the name then, however young.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    Paths,
    Others,
}

/// Holds two lines against the definition: by themselves, with one of them as the head, and together.
fn check(rules: &[Arc<Rule>], units: Units, base: &Files, a: &Edits, b: &Edits) -> Result<(), TestCaseError> {
    let trees = [merged(base, &[]), merged(base, &[a]), merged(base, &[b]), merged(base, &[a, b])];
    let [before, with_a, with_b, both] = trees.map(|files| taken(rules, &files));
    let count = |tree: &BTreeMap<Key, usize>, key: &Key| tree.get(key).copied().unwrap_or(1);
    let worse = |tree: &BTreeMap<Key, usize>, than: &[&BTreeMap<Key, usize>]| -> BTreeSet<Key> {
        let is_worse = |key: &&Key| than.iter().all(|other| count(tree, key) > count(other, key));
        tree.keys().filter(is_worse).cloned().collect()
    };
    let alone = [worse(&with_a, &[&before]), worse(&with_b, &[&before])];
    let pair = worse(&both, &[&before, &with_a, &with_b]);
    let mut trunk = tree(base);
    for head in [None, Some(0), Some(1)] {
        let lines = lines(&mut trunk, base, &[a, b], head);
        let found = judged(rules, &trunk, lines);
        let named: Vec<&Diagnostic> = found.iter().filter(|found| is_about_names(found)).collect();
        let wanted: BTreeSet<Key> = match head {
            None => alone.iter().flatten().chain(&pair).cloned().collect(),
            Some(head) => alone[head].union(&pair).cloned().collect(),
        };
        let keys: BTreeSet<Key> = named.iter().map(|found| key(found)).collect();
        prop_assert_eq!(&keys, &wanted, "head {:?} of {:?} {:?} {:?}", head, base, a, b);
        prop_assert_eq!(keys.len(), named.len(), "one finding for each name");
        for found in named {
            let holds = |kind: HolderKind, name: &str| {
                found.sites.iter().any(|site| site.holder.kind == kind && (name.is_empty() || site.holder.name == name))
            };
            if head.is_some() {
                prop_assert!(holds(HolderKind::Head, ""), "{:?}", found);
            }
            if pair.contains(&key(found)) {
                let others = (0..2).filter(|number| head != Some(*number)).map(|number| format!("b{number}"));
                prop_assert!(others.into_iter().all(|name| holds(HolderKind::Branch, &name)), "{:?}", found);
            }
            // the older one keeps the name against the younger, and nobody against the trunk
            if let Some(head) = head.filter(|_| units == Units::Paths) {
                let keeps = head == 0 && !alone[head].contains(&key(found));
                prop_assert_eq!(found.severity == Severity::Note, keeps, "{}: {:?}", head, found);
            }
        }
    }
    Ok(())
}

/// A path that one line leaves, adds, edits, removes, or both do.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Untouched,
    Changed(usize),
    Removed(usize),
    Both,
    Torn,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        3 => Just(Fate::Untouched),
        3 => (0..2usize).prop_map(Fate::Changed),
        2 => (0..2usize).prop_map(Fate::Removed),
        1 => Just(Fate::Both),
        1 => Just(Fate::Torn),
    ]
}

/// Some of these paths on the trunk, and what two lines make of them. The text of each path tells it from all others.
fn paths(paths: &'static [&'static str]) -> impl Strategy<Value = (Files, Edits, Edits)> {
    prop::collection::vec((any::<bool>(), fate()), paths.len()).prop_map(move |fates| {
        let (mut base, mut sides) = (Files::new(), [Edits::new(), Edits::new()]);
        for (path, (is_old, fate)) in paths.iter().zip(fates) {
            let (old, new) = (path.to_string(), Some(format!("{path} again")));
            if is_old {
                base.insert(old.clone(), old.clone());
            }
            match fate {
                Fate::Untouched => {}
                Fate::Changed(side) => _ = sides[side].insert(old, new),
                Fate::Removed(side) if is_old => _ = sides[side].insert(old, None),
                Fate::Removed(_) => {}
                Fate::Both => sides.iter_mut().for_each(|side| _ = side.insert(old.clone(), new.clone())),
                Fate::Torn if is_old => {
                    sides[0].insert(old.clone(), None);
                    sides[1].insert(old, None);
                }
                Fate::Torn => {}
            }
        }
        let [a, b] = sides;
        (base, a, b)
    })
}

/// Texts of some files on the trunk, and on each of two lines; a file is changed by one of them at most.
fn texts(
    files: &'static [&'static str],
    text: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = (Files, Edits, Edits)> {
    let one = (prop::option::of(text.clone()), fate(), text);
    prop::collection::vec(one, files.len()).prop_map(move |all| {
        let (mut base, mut sides) = (Files::new(), [Edits::new(), Edits::new()]);
        for (path, (old, fate, new)) in files.iter().zip(all) {
            let is_old = old.is_some();
            base.extend(old.map(|old| (path.to_string(), old)));
            match fate {
                Fate::Changed(side) => _ = sides[side].insert(path.to_string(), Some(new)),
                Fate::Removed(side) if is_old => _ = sides[side].insert(path.to_string(), None),
                Fate::Both => sides.iter_mut().for_each(|side| _ = side.insert(path.to_string(), Some(new.clone()))),
                _ => {}
            }
        }
        let [a, b] = sides;
        (base, a, b)
    })
}

fn with(mut case: (Files, Edits, Edits), path: &str, text: &str) -> (Files, Edits, Edits) {
    case.0.insert(path.to_owned(), text.to_owned());
    case
}

fn supabase() -> impl Strategy<Value = (Files, Edits, Edits)> {
    let all = &[
        "supabase/migrations/1_a.sql",
        "supabase/migrations/1_b.sql",
        "supabase/migrations/1_c.sql",
        "supabase/migrations/01_a.sql",
        "supabase/migrations/2_a.sql",
        "supabase/migrations/2_b.sql",
        "supabase/migrations/README.md",
    ];
    paths(all).prop_map(|case| with(case, "supabase/config.toml", ""))
}

fn adr() -> impl Strategy<Value = (Files, Edits, Edits)> {
    paths(&[
        "docs/adr/0001-a.md",
        "docs/adr/0001-a.de.md",
        "docs/adr/01-b.md",
        "docs/adr/ADR-0001-c.md",
        "docs/adr/0002-a.md",
        "docs/adr/0002-a-superseded.md",
        "docs/adr/0002-b.md",
        "docs/adr/ja/0002-c.md",
    ])
}

const CONFIG: &str = "supabase/config.toml";

fn functions() -> impl Strategy<Value = (Files, Edits, Edits)> {
    let entry =
        prop::sample::select(vec!["", "./functions/hello/index.ts", "./functions/x.ts", "./functions/bye/index.ts"]);
    let table = (prop::sample::select(vec!["hello", "Hello", "bye"]), entry, any::<bool>());
    let config = prop::collection::btree_map(table.0, (table.1, table.2), 0..3).prop_map(|tables| {
        let table = |(name, (entry, on)): (&str, (&str, bool))| match entry {
            "" => format!("[functions.{name}]\nenabled = {on}\n"),
            entry => format!("[functions.{name}]\nenabled = {on}\nentrypoint = \"{entry}\"\n"),
        };
        tables.into_iter().map(table).collect::<String>()
    });
    let folders = paths(&[
        "supabase/functions/hello/index.ts",
        "supabase/functions/Hello/index.ts",
        "supabase/functions/bye/index.ts",
    ]);
    (folders, config.clone(), prop::option::of((0..2usize, config))).prop_map(|(mut case, old, new)| {
        case.0.insert(CONFIG.into(), old);
        if let Some((side, new)) = new {
            let edits = if side == 0 { &mut case.1 } else { &mut case.2 };
            edits.insert(CONFIG.into(), Some(new));
        }
        case
    })
}

fn ids() -> Vec<Arc<Rule>> {
    let text = "schema = 1\nid = 'ids'\nsummary = 'x'\nseverity = 'error'\n[[claim]]\nfiles = '*.txt'\nline = '^(?<key>[a-zA-Z]+)$'\n\
                [policy]\nunique = true\ncase = 'warning'\n[message]\nduplicate = '{count} times'\n";
    let file: RuleFile = toml::from_str(text).expect("a rule file");
    vec![Arc::new(Rule::compile(file).expect("a rule"))]
}

fn list() -> impl Strategy<Value = String> + Clone {
    prop::collection::vec(prop::sample::select(vec!["a", "A", "b", "c", "-"]), 0..4).prop_map(|lines| lines.join("\n"))
}

/// Migrations of one app: the number of the parent of each, if it is not the base's.
fn chains() -> impl Strategy<Value = (Files, Edits, Edits)> {
    let migration = |parent: Option<usize>| {
        let parent = parent.map(|parent| format!("('shop', 'm{parent}')")).unwrap_or_default();
        format!("class Migration(migrations.Migration):\n    dependencies = [{parent}]\n")
    };
    let node = (0..8usize, 0..4usize); // where it hangs, and who has it: the trunk, one line, the other, both
    prop::collection::vec(node, 1..6).prop_map(move |nodes| {
        let (mut base, mut sides) = (Files::new(), [Edits::new(), Edits::new()]);
        base.insert("shop/migrations/m0.py".into(), migration(None));
        let mut owners = vec![0];
        for (number, (hook, owner)) in (1..).zip(nodes) {
            // a parent that whoever has the child has too
            let fits =
                |parent: &usize| owners[*parent] == 0 || owners[*parent] == owner || owners[*parent] == 3 && owner > 0;
            let parents: Vec<usize> = (0..number).filter(fits).collect();
            let (path, text) =
                (format!("shop/migrations/m{number}.py"), migration(Some(parents[hook % parents.len()])));
            match owner {
                0 => _ = base.insert(path, text),
                3 => sides.iter_mut().for_each(|side| _ = side.insert(path.clone(), Some(text.clone()))),
                _ => _ = sides[owner - 1].insert(path, Some(text)),
            }
            owners.push(owner);
        }
        let [a, b] = sides;
        (base, a, b)
    })
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: ProptestConfig::default().cases / 2,
        ..ProptestConfig::default()
    }
}

static RULES: LazyLock<Vec<Arc<Rule>>> =
    LazyLock::new(|| builtin(&["adr-numbers", "django-migrations", "edge-functions", "supabase-migrations"]));

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn versions_in_paths((base, a, b) in supabase()) {
        check(&RULES, Units::Paths, &base, &a, &b)?;
    }

    #[test]
    fn numbers_of_documents_with_translations((base, a, b) in adr()) {
        check(&RULES, Units::Others, &base, &a, &b)?;
    }

    #[test]
    fn folders_and_settings_that_name_one_thing((base, a, b) in functions()) {
        check(&RULES, Units::Others, &base, &a, &b)?;
    }

    #[test]
    fn names_on_lines_of_texts((base, a, b) in texts(&["x.txt", "y.txt", "z.txt"], list())) {
        check(&ids(), Units::Others, &base, &a, &b)?;
    }

    #[test]
    fn chains_of_migrations((base, a, b) in chains()) {
        check_chain(&base, &a, &b)?;
    }

    #[test]
    fn neither_the_order_of_lines_nor_threads_change_the_report(
        (base, a, b) in functions(), (_, c, d) in adr(), (_, e, f) in supabase(), head in prop::option::of(0..6usize), shuffle in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let mut trunk = tree(&base);
        let all = lines(&mut trunk, &base, &[&a, &b, &c, &d, &e, &f], head);
        let straight = judged(&RULES, &trunk, all.clone());
        let shuffled: Vec<Line> = shuffle.iter().map(|at| all[*at].clone()).collect();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(&one.install(|| judged(&RULES, &trunk, shuffled.clone())), &straight);
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        prop_assert_eq!(&three.install(|| judged(&RULES, &trunk, shuffled)), &straight);
    }
}

/// The same for chains, where leaves take the place of claimants.
fn check_chain(base: &Files, a: &Edits, b: &Edits) -> Result<(), TestCaseError> {
    let trees = [merged(base, &[]), merged(base, &[a]), merged(base, &[b]), merged(base, &[a, b])];
    let [before, with_a, with_b, both] = trees.map(|files| taken(&RULES, &files).into_values().max().unwrap_or(1));
    let (alone, pair) = ([with_a > before, with_b > before], both > with_a.max(with_b).max(before));
    let mut trunk = tree(base);
    for head in [None, Some(0), Some(1)] {
        let lines = lines(&mut trunk, base, &[a, b], head);
        let found = judged(&RULES, &trunk, lines);
        let wanted = pair || head.map_or(alone[0] || alone[1], |head| alone[head]);
        prop_assert_eq!(found.len(), usize::from(wanted), "head {:?} of {:?} {:?} {:?}: {:?}", head, base, a, b, found);
    }
    Ok(())
}
