//! What two lines of work do to one file, in real repositories.

use gatekeep::{
    diag::{Diagnostic, Holder, HolderKind, RepoPath, Severity},
    rule::code::contention::{Fleet, Keys, Trunk, contended, duplicate_keys, pairs, same_file},
    source::{Changed, EntryKind, Git, Line, Place, Version},
};
use proptest::prelude::*;

use crate::support::Repo;

/// A repository and its branches as lines of work, the oldest first.
struct Case {
    repo: Repo,
    lines: Vec<Line>,
    head: Option<u32>,
    /// Bytes of versions on disk, by number of the worktree.
    loose: Vec<String>,
}

/// One file of a branch: path and text.
type File<'a> = (&'a str, &'a str);

impl Case {
    /// Branches from the first commit; then `main` goes on with `later`.
    fn new(base: &[File<'_>], branches: &[(&str, &[File<'_>])], later: &[File<'_>]) -> Self {
        let repo = Repo::new();
        let commit = |files: &[File<'_>]| {
            for (path, text) in files {
                repo.write(path, text);
            }
            repo.commit();
        };
        commit(base);
        for (name, files) in branches {
            repo.git(&["checkout", "--quiet", "-b", name, "main"]);
            commit(files);
        }
        repo.git(&["checkout", "--quiet", "main"]);
        if !later.is_empty() {
            commit(later);
        }
        let lines = branches.iter().map(|(name, _)| repo.line("main", name)).collect();
        Self { repo, lines, head: None, loose: Vec::new() }
    }

    fn git(&self) -> Git {
        Git::discover(&self.repo.top()).expect("it opens").expect("it is one")
    }

    fn read(&self, version: &Version) -> std::io::Result<Vec<u8>> {
        match version.place {
            Place::Blob(id) => Ok(self.repo.git(&["cat-file", "blob", &id.to_string()]).into_bytes()),
            Place::Worktree(number) => Ok(self.loose[usize::from(number)].clone().into_bytes()),
            Place::Disk => Err(std::io::Error::other("not here")),
        }
    }

    fn fleet<T>(&self, look: impl FnOnce(&Fleet<'_>) -> T) -> T {
        let rank: Vec<u32> = (0..self.lines.len() as u32).collect();
        look(&Fleet {
            lines: &self.lines,
            rank: &rank,
            head: self.head,
            left_out: &|path: &RepoPath| path.as_bytes().starts_with(b"generated/"),
            read: &|_: &Changed, version: &Version| self.read(version),
        })
    }

    fn keys(&self) -> Keys {
        let merger = self.git().text_merger(None);
        let at = |path: &RepoPath| {
            let listed = self.repo.git(&["ls-tree", "main", &path.lossy()]);
            let id = listed.split_whitespace().nth(2).map(|id| Place::Blob(id.parse().expect("an id")));
            Ok(id.map(|place| Version { kind: EntryKind::File, place }))
        };
        let holder = Holder { kind: HolderKind::Base, name: "main".into(), commit: None };
        let trunk = Trunk { holder, at: &at };
        self.fleet(|fleet| {
            duplicate_keys(fleet, Some(&trunk), &|path, base, ours, theirs| merger.merge(path, base, ours, theirs))
        })
    }

    /// Key, holders and severity of each finding.
    fn found(&self) -> Vec<String> {
        let keys = self.keys();
        assert_eq!(keys.incomplete, []);
        keys.findings.iter().map(shown).collect()
    }

    /// The same-file findings after all merges.
    fn met(&self) -> Vec<Diagnostic> {
        self.fleet(|fleet| {
            let (contended, _) = contended(fleet);
            let pairs = pairs(fleet, &contended, 1000);
            let merges = self
                .git()
                .merges(&self.lines, &pairs.pairs, None, &|_: &Changed, version: &Version| self.read(version));
            assert_eq!((pairs.incomplete, merges.incomplete), (vec![], vec![]));
            same_file(fleet, &contended, &merges.meetings)
        })
    }
}

fn shown(found: &Diagnostic) -> String {
    let line = |at: Option<usize>| at.map_or(String::new(), |line| format!(":{line}"));
    let sites = found.sites.iter();
    let sites: Vec<String> =
        sites.map(|site| format!("{}{}", site.holder.name, line(site.position.map(|at| at.line)))).collect();
    format!("{} {} {}", found.severity, found.key.as_deref().unwrap_or_default(), sites.join(" "))
}

const CONFIG: &str = "project_id = 'x'\n\n[api]\nport = 1\n\n[db]\nport = 2\n\n[functions.a]\nverify_jwt = true\n";

fn after(anchor: &str, new: &str) -> String {
    CONFIG.replace(anchor, &format!("{anchor}{new}"))
}

#[test]
fn one_table_at_two_places_breaks_the_merge() {
    let one = after("port = 1\n", "\n[functions.hello]\nverify_jwt = false\n");
    let two = format!("{CONFIG}\n[functions.hello]\nentrypoint = 'x'\n");
    let case = Case::new(
        &[("supabase/config.toml", CONFIG)],
        &[("one", &[("supabase/config.toml", &one)]), ("two", &[("supabase/config.toml", &two)])],
        &[],
    );
    let found = case.keys().findings;
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), ["error functions.hello two:12 one:6"]);
    assert_eq!(found[0].partition.as_deref(), Some("supabase/config.toml"));
    assert_eq!(
        found[0].message,
        "`functions.hello` would stand twice in `supabase/config.toml`: `one` and `two` each add it at another place, and git \
         merges that without a word. TOML has no room for that: cargo, wrangler, Python's tomllib and every other reader \
         refuse the file."
    );
    let site = &found[0].sites[0];
    assert_eq!(site.snippet.as_ref().map(|snippet| &snippet.text[snippet.mark.clone()]), Some("hello"));

    // the oracle: git is silent, and what it makes is broken
    case.repo.git(&["merge", "--quiet", "--no-edit", "one"]);
    case.repo.git(&["merge", "--quiet", "--no-edit", "two"]);
    assert!(case.repo.read("supabase/config.toml").parse::<toml::Table>().is_err());
}

#[test]
fn git_stops_at_one_place_and_there_is_nothing_to_say() {
    let end = |text: &str| format!("{CONFIG}{text}");
    let (one, two) = (end("\n[functions.hello]\nx = 1\n"), end("\n[functions.hello]\nx = 2\n"));
    let case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &one)]), ("two", &[("c.toml", &two)])], &[]);
    assert_eq!(case.found(), [""; 0]);
    // the same edit twice is one edit
    let case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &one)]), ("two", &[("c.toml", &one)])], &[]);
    assert_eq!(case.found(), [""; 0]);
}

#[test]
fn formats_that_lose_a_value_in_silence() {
    let json = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n";
    let yaml = "services:\n  a: 1\n  b: 2\n  c: 3\n  d: 4\n";
    let po = "msgid \"\"\nmsgstr \"\"\n\nmsgid \"a\"\nmsgstr \"A\"\n\nmsgid \"b\"\nmsgstr \"B\"\n\nmsgid \"c\"\nmsgstr \"C\"\n";
    let first = [
        json.replace("\"a\": 1,\n", "\"a\": 1,\n  \"new\": \"x\",\n  \"same\": [1],\n"),
        yaml.replace("a: 1\n", "a: 1\n  new: x\n"),
        po.replace("\"A\"\n", "\"A\"\n\nmsgid \"new\"\nmsgstr \"x\"\n"),
    ];
    let last = [
        json.replace("\"c\": 3,\n", "\"c\": 3,\n  \"new\": \"y\",\n  \"same\": [ 1 ],\n"),
        yaml.replace("c: 3\n", "c: 3\n  'new': y\n"),
        po.replace("\"C\"\n", "\"C\"\n\nmsgid \"new\"\nmsgstr \"y\"\n"),
    ];
    let paths = ["x.json", "y.yaml", "z.po"];
    let one: Vec<File<'_>> = paths.into_iter().zip(first.iter().map(String::as_str)).collect();
    let two: Vec<File<'_>> = paths.into_iter().zip(last.iter().map(String::as_str)).collect();
    let case = Case::new(&[("x.json", json), ("y.yaml", yaml), ("z.po", po)], &[("one", &one), ("two", &two)], &[]);
    assert_eq!(
        case.found(),
        [
            "error new two:5 one:3",
            "warning same two:6 one:4",
            "error services.new two:5 one:3",
            "error new two:13 one:7"
        ]
    );
}

#[test]
fn the_trunk_takes_part_where_it_has_moved_on() {
    let one = format!("{CONFIG}\n[functions.hello]\nx = 1\n");
    let main = after("port = 1\n", "\n[functions.hello]\nx = 2\n");
    let case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &one)])], &[("c.toml", &main)]);
    assert_eq!(case.found(), ["error functions.hello one:12 main:6"]);
    // landed at the same place: the branch is old, and nothing else
    let case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &one)])], &[("c.toml", &one)]);
    assert_eq!(case.found(), [""; 0]);
}

#[test]
fn lines_that_left_at_different_times_are_compared_on_the_trunk_of_today() {
    let early = after("port = 1\n", "\n[functions.hello]\nx = 1\n");
    let main = CONFIG.replace("'x'", "'main'");
    let case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &early)])], &[("c.toml", &main)]);
    case.repo.git(&["checkout", "--quiet", "-b", "two"]);
    case.repo.write("c.toml", format!("{main}\n[functions.hello]\nx = 2\n")).commit();
    let two = case.repo.line("main", "two");
    let case = Case { lines: [case.lines, vec![two]].concat(), ..case };
    assert_eq!(case.found(), ["error functions.hello two:12 one:6"]);
}

#[test]
fn a_change_is_told_of_its_own_part() {
    let at = ["project_id = 'x'\n", "port = 1\n", "port = 2\n"];
    let texts = at.map(|anchor| after(anchor, "\n[functions.hello]\nx = 1\n"));
    let files: Vec<[File<'_>; 1]> = texts.iter().map(|text| [("c.toml", text.as_str())]).collect();
    let other = after("port = 1\n", "y = 1\n");
    let mut case = Case::new(
        &[("c.toml", CONFIG)],
        &[("one", &files[0]), ("two", &files[1]), ("three", &files[2]), ("four", &[("c.toml", &other)])],
        &[],
    );
    assert_eq!(case.found(), ["error functions.hello three:9 two:6 one:3"], "one finding for all of them");
    case.head = Some(0);
    assert_eq!(case.found(), ["note functions.hello one:3 three:9 two:6"], "the others have to yield");
    case.head = Some(1);
    assert_eq!(case.found(), ["error functions.hello two:6 three:9 one:3"]);
    case.head = Some(3);
    assert_eq!(case.found(), [""; 0]);
}

#[test]
fn what_either_side_has_twice_already_is_not_the_merges_fault() {
    let json = "{\n  \"a\": 1,\n  \"a\": 2,\n  \"b\": 2,\n  \"c\": 3\n}\n";
    let one = json.replace("\"a\": 1,", "\"a\": 1,\n  \"x\": 1,");
    let two = json.replace("\"b\": 2,", "\"b\": 2,\n  \"a\": 4,\n  \"y\": 1,\n  \"y\": 1,");
    let case = Case::new(&[("a.json", json)], &[("one", &[("a.json", &one)]), ("two", &[("a.json", &two)])], &[]);
    assert_eq!(case.found(), [""; 0]);
}

#[test]
fn what_is_left_out_is_counted() {
    let one = after("port = 1\n", "\n[x]\n");
    let two = format!("{CONFIG}\n[x]\n");
    let files = |text: &'static str, broken: &'static str| [("generated/c.toml", text), ("broken.json", broken)];
    let (one, two) = (&*one.leak(), &*two.leak());
    let case = Case::new(
        &files(CONFIG, "{{ template }}\n1\n"),
        &[("one", &files(one, "{{ template }}\n2\n")), ("two", &files(two, "{{ other }}\n1\n"))],
        &[],
    );
    let keys = case.keys();
    assert_eq!((keys.findings.len(), keys.incomplete.len(), keys.skipped.len()), (0, 0, 1));
    assert_eq!(keys.skipped[0].count, Some(1), "the base alone was read, once");
    let mut case = case;
    case.lines[0].changes[0].old = Some(Version { kind: EntryKind::File, place: Place::Disk });
    assert_eq!(case.keys().incomplete[0].what, "broken.json");
}

#[test]
fn a_file_on_disk_is_read_as_git_would_store_it() {
    let one = after("port = 1\n", "\n[functions.hello]\nx = 1\n");
    let two = format!("{CONFIG}\n[functions.hello]\nx = 2\n");
    let mut case = Case::new(&[("c.toml", CONFIG)], &[("one", &[("c.toml", &one)]), ("two", &[("c.toml", &one)])], &[]);
    case.lines[1].changes[0].new = Some(Version { kind: EntryKind::File, place: Place::Worktree(0) });
    case.loose.push(two.replace('\n', "\r\n"));
    assert_eq!(case.found(), ["error functions.hello two:12 one:6"]);
}

#[test]
fn conflicts_are_warnings_and_the_rest_stays_a_note() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let with = |line: &str, new: &str| text.replace(line, new);
    let case = Case::new(
        &[("a", text), ("b", text)],
        &[
            ("one", &[("a", &with("1", "one")), ("b", &with("5", "one"))]),
            ("two", &[("a", &with("9", "two")), ("b", &with("5", "two"))]),
            ("three", &[("b", &with("9", "three"))]),
        ],
        &[],
    );
    let found = case.met();
    let shown: Vec<_> = found.iter().map(|one| (one.sites[0].path.lossy(), one.severity)).collect();
    assert_eq!(shown, [("a".into(), Severity::Note), ("b".into(), Severity::Warning)]);
    assert!(
        found[1].message.ends_with("git would stop at the merge of `one` and `two` (both edit the same lines)."),
        "{}",
        found[1].message
    );
}

/// Puts new tables or keys before the given ones of a small document.
fn document(edits: &[(usize, usize)], json: bool) -> String {
    let mut text = if json { "{\n".to_owned() } else { String::new() };
    for old in 0..6 {
        for (_, new) in edits.iter().filter(|(at, _)| *at == old) {
            text.push_str(&if json { format!("  \"n{new}\": 1,\n") } else { format!("[n{new}]\nk = 1\n\n") });
        }
        text.push_str(&if json {
            format!("  \"o{old}\": 1,\n  \"p{old}\": {{\"x\": 1}},\n  \"q{old}\": 1,\n")
        } else {
            format!("[o{old}]\nk{old} = 1\n\n")
        });
    }
    text.push_str(if json { "  \"z\": 0\n}\n" } else { "[z]\n" });
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_git_makes_is_broken_exactly_where_it_is_said(
        one in prop::collection::btree_map(0usize..4, 0usize..6, 0..4),
        two in prop::collection::btree_map(0usize..4, 0usize..6, 0..4),
        json in any::<bool>(),
    ) {
        // by new key, so that no side has one twice
        let text = |edits: &std::collections::BTreeMap<usize, usize>| {
            document(&edits.iter().map(|(new, at)| (*at, *new)).collect::<Vec<_>>(), json)
        };
        let path = if json { "f.json" } else { "f.toml" };
        let (base, one, two) = (document(&[], json), text(&one), text(&two));
        let case = Case::new(&[(path, &base)], &[("one", &[(path, &one)]), ("two", &[(path, &two)])], &[]);
        let found = case.found();
        let clean = case.repo.merges_clean("one", "two");
        let twice = clean.is_some_and(|text| {
            if json {
                let keys = text.lines().filter(|line| line.starts_with("  \"n")).count();
                keys != serde_json::from_str::<serde_json::Map<_, _>>(&text)
                    .expect("JSON takes the last one")
                    .keys()
                    .filter(|key| key.starts_with('n'))
                    .count()
            } else {
                text.parse::<toml::Table>().is_err()
            }
        });
        prop_assert_eq!(!found.is_empty(), twice, "{:?}", found);
    }
}
