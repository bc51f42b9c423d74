use super::*;

const LANES: &str =
    "[agents.ps3]\nbranches = ['agent/ps3/*']\nowns = ['lib/**']\nmay-touch = ['docs/a.md']\nnever = ['.github/**']\n";

fn of(old: &str, new: &str) -> Option<Severity> {
    verdict("gatekeep.toml", old, new)
}

/// What a change does, and what its way back does.
fn both(old: &str, new: &str) -> (Option<Severity>, Option<Severity>) {
    (of(old, new), of(new, old))
}

#[test]
fn a_configuration_comes_goes_or_breaks() {
    let of = |old: Option<&str>, new: Option<&str>| said("gatekeep.toml", old, new).remove(0).0;
    assert_eq!(of(None, Some(LANES)), Severity::Note);
    assert_eq!(of(Some(LANES), None), Severity::Error);
    assert_eq!(of(Some(LANES), Some("nonsense = 1\n")), Severity::Error);
    assert_eq!(of(Some("nonsense = 1\n"), Some(LANES)), Severity::Warning);
    let (_, message) = said("gatekeep.toml", Some(LANES), Some(&LANES.replace("lib/**", "**"))).remove(0);
    assert!(message.contains("`agents.ps3.owns` with `**`") && message.contains("`main`"), "{message}");
    assert_eq!(said("gatekeep.toml", Some(LANES), Some(&format!("# a comment\n{LANES}"))), []);
}

#[test]
fn either_place_is_the_same_configuration() {
    let (one, other) = ("gatekeep.toml", ".gatekeep/config.toml");
    assert_eq!(between(&[(one, LANES)], &[(other, LANES)]), []);
    let looser = LANES.replace("lib/**", "**");
    for (from, to) in [(one, other), (other, one)] {
        let found = between(&[(from, LANES)], &[(to, &looser)]);
        assert_eq!((found.len(), found[0].0), (1, Severity::Error), "{found:?}");
        assert!(found[0].1.starts_with(&format!("`{to}` loosens")), "{}", found[0].1);
    }
    let found = between(&[(one, LANES)], &[(one, LANES), (other, LANES)]);
    assert_eq!((found.len(), found[0].0), (1, Severity::Error));
    assert!(found[0].1.contains("are both there"), "{}", found[0].1);
    let found = between(&[(one, LANES), (other, LANES)], &[(one, LANES)]);
    assert_eq!((found.len(), found[0].0), (1, Severity::Warning), "the change mends it: {found:?}");
}

#[test]
fn the_file_that_the_command_line_names_counts_too() {
    let (old, new) = ([("ci/gate.toml", LANES)], [("ci/gate.toml", "")]);
    assert_eq!(between(&old, &new), []);
    let mut made = Made::new(&old, &new).by(LANES);
    made.named("ci/gate.toml");
    assert_eq!(judged(&made)[0].0, Severity::Error);
}

#[test]
fn what_holds_anyway_is_no_difference() {
    assert_eq!(both("", "fail-on = 'error'\n"), (None, None));
    assert_eq!(both("", "fail-on = 'never'\n"), (LOOSE, TIGHT));
    assert_eq!(both("fail-on = 'error'\n", "fail-on = 'warning'\n"), (TIGHT, LOOSE));
    assert_eq!(both("", "[lanes]\nunmatched = 'allow'\n"), (None, None));
    assert_eq!(both("", "[lanes]\nunmatched = 'error'\n"), (TIGHT, LOOSE));
    assert_eq!(both("base = 'main'\n", "base = 'dev'\n"), (UNCLEAR, UNCLEAR));
    assert_eq!(both("", "[fleet]\nexclude = ['release/*']\n"), (LOOSE, TIGHT));
    assert_eq!(both("", "[fleet]\ndrafts = false\n"), (LOOSE, TIGHT));
    assert_eq!(both("", "[fleet]\nstale = '90d'\n"), (LOOSE, TIGHT));
    assert_eq!(both("[fleet]\nstale = '90d'\n", "[fleet]\nstale = '30d'\n"), (LOOSE, TIGHT));
}

#[test]
fn a_level_is_held_against_what_holds_without_it() {
    let rules = |old: &str, new: &str| {
        let table = |words: &str| if words.is_empty() { String::new() } else { format!("[rules]\n{words}\n") };
        both(&table(old), &table(new))
    };
    assert_eq!(rules("goose = 'error'", "goose = 'off'"), (LOOSE, TIGHT));
    assert_eq!(rules("goose = 'note'", "goose = 'warning'"), (TIGHT, LOOSE));
    for loose in ["off", "note", "warning"] {
        assert_eq!(rules("", &format!("goose = '{loose}'")), (LOOSE, TIGHT), "{loose}");
        assert_eq!(rules("", &format!("'tests/deleted' = '{loose}'")), (LOOSE, TIGHT), "{loose}");
    }
    assert_eq!(
        rules("", "goose = 'error'"),
        (TIGHT, UNCLEAR),
        "it is an error by itself, and what is left of it not all"
    );
    assert_eq!(rules("", "'boundary/overlap' = 'error'"), (TIGHT, LOOSE), "a warning by itself");
    assert_eq!(rules("", "'boundary/overlap' = 'note'"), (LOOSE, TIGHT));
    assert_eq!(rules("", "'boundary/overlap' = 'warning'"), (None, None));
    assert_eq!(rules("", "'allow/unused' = 'off'"), (LOOSE, TIGHT));
    assert_eq!(rules("goose = 'off'", "goose = 'off'\n'goose/duplicate' = 'error'"), (TIGHT, LOOSE));
    assert_eq!(rules("goose = 'off'", "goose = 'off'\n'goose/duplicate' = 'off'"), (None, None));
    // a rule of the repository's own, of which nothing is known here
    assert_eq!(rules("", "own = 'off'"), (LOOSE, TIGHT));
    assert_eq!(rules("", "own = 'note'"), (LOOSE, TIGHT));
    assert_eq!(rules("", "own = 'warning'"), (UNCLEAR, UNCLEAR));
    assert_eq!(rules("", "own = 'error'"), (TIGHT, UNCLEAR));
}

#[test]
fn what_comes_only_when_asked_for_is_asked_for_by_a_level() {
    let rules = |old: &str, new: &str| both(&format!("[rules]\n{old}\n"), &format!("[rules]\n{new}\n"));
    for code in ["placeholder/added", "supabase-migrations/invented"] {
        assert_eq!(rules("", &format!("'{code}' = 'note'")), (TIGHT, LOOSE), "{code}");
        assert_eq!(rules("", &format!("'{code}' = 'off'")), (None, None), "{code}");
        let rule = code.split('/').next().unwrap_or_default();
        let asked = format!("{rule} = 'error'\n'{code}' = 'note'");
        assert_eq!(rules(&format!("{rule} = 'error'"), &asked), (TIGHT, LOOSE), "its rule asks for nothing: {code}");
    }
}

#[test]
fn namespaces_take_more_names_in_or_leave_them_out() {
    let table = |words: &str| format!("[namespace.goose]\n{words}\n");
    assert_eq!(both("", &table("exclude = ['x/**']")), (LOOSE, TIGHT));
    assert_eq!(both("", &table("include = ['vendor/**']")), (TIGHT, LOOSE));
    assert_eq!(both("", &table("roots = ['db']")), (UNCLEAR, UNCLEAR));
    assert_eq!(both("", &table("quota = 50")), (TIGHT, LOOSE));
    assert_eq!(both(&table("quota = 50"), &table("quota = 60")), (LOOSE, TIGHT));
}

#[test]
fn lanes_are_widened_and_narrowed() {
    assert_eq!(both(LANES, &LANES.replace("lib/**", "**")), (LOOSE, TIGHT));
    assert_eq!(both(LANES, &LANES.replace("lib/**", "lib/a/**")), (TIGHT, LOOSE), "a part of what it owned");
    assert_eq!(both(LANES, &LANES.replace("'docs/a.md'", "'docs/a.md', 'lib/x.ts'")), (None, None), "it owns that");
    let moved = LANES.replace("'lib/**'", "'x'").replace("'docs/a.md'", "'docs/a.md', 'lib/**'");
    assert_eq!(of(&LANES.replace("'lib/**'", "'lib/**', 'x'"), &moved), None, "what it owned it may touch");
    assert_eq!(both(LANES, &LANES.replace("'.github/**'", "'.github/**', 'x'")), (TIGHT, LOOSE));
    assert_eq!(of(LANES, &LANES.replace("agent/ps3/*", "nobody")), LOOSE);
    assert_eq!(both(LANES, &LANES.replace("'agent/ps3/*'", "'agent/ps3/*', 'ps3/*'")), (UNCLEAR, LOOSE));
    let empty = LANES.replace("'lib/**'", "").replace("'docs/a.md'", "");
    assert_eq!(both(LANES, &empty), (LOOSE, TIGHT), "a lane of nothing restricts nothing");
    assert_eq!(both("", LANES), (UNCLEAR, LOOSE));
    let band = |band: &str| format!("[agents.a]\nbands = {{ goose = '{band}' }}\n");
    assert_eq!(both("[agents.a]\n", &band("0100..0199")), (TIGHT, LOOSE));
    assert_eq!(both(&band("0100..0199"), &band("0100..0299")), (LOOSE, TIGHT));
    assert_eq!(both(&band("0100..0199"), &band("0200..0299")), (UNCLEAR, UNCLEAR));
}

#[test]
fn protected_files() {
    let table = |words: &str| format!("[[protected]]\n{words}\n");
    let one = table("paths = ['a']\nnot-empty = true");
    assert_eq!(both("", &one), (TIGHT, LOOSE));
    assert_eq!(both(&one, &table("paths = ['a', 'b']\nnot-empty = true")), (TIGHT, LOOSE));
    assert_eq!(both(&one, &table("paths = ['**']\nnot-empty = true")), (TIGHT, LOOSE));
    assert_eq!(both(&one, &table("paths = ['a']\nnot-empty = true\nappend-only = true")), (TIGHT, LOOSE));
    assert_eq!(of(&one, &table("paths = ['b']\nnot-empty = true")), LOOSE);
    let other = table("paths = ['x']\nappend-only = true");
    assert_eq!(both(&format!("{one}{other}"), &format!("{other}{one}")), (None, None), "the order says nothing");
    assert_eq!(
        of(&format!("{one}{other}"), &format!("{other}{}", table("paths = ['a', 'c']\nnot-empty = true"))),
        TIGHT
    );
}

#[test]
fn approvals() {
    let table = |words: &str| format!("[[approval]]\ntier = 'x'\n{words}\n");
    let one = table("paths = ['db/**']\nadded = ['drop']\nneeds = { label = 'l' }");
    let with = |old: &str, new: &str| both(&one, &one.replace(old, new));
    assert_eq!(with("'db/**'", "'db/**', 'sql/**'"), (TIGHT, LOOSE));
    assert_eq!(with("paths = ['db/**']\n", ""), (TIGHT, LOOSE), "without paths it is asked for all");
    assert_eq!(with("'drop'", "'drop', 'truncate'"), (TIGHT, LOOSE));
    assert_eq!(with("added = ['drop']\n", ""), (TIGHT, LOOSE));
    assert_eq!(with("label = 'l'", "label = 'm'"), (UNCLEAR, UNCLEAR));
    assert_eq!(with("label = 'l'", "label = 'l', review-from = ['@a']"), (TIGHT, LOOSE), "both words are needed");
    let review = table("needs = { review-from = ['@a'] }");
    assert_eq!(both(&review, &review.replace("'@a'", "'@a', '@b'")), (LOOSE, TIGHT), "one of them is enough");
    assert_eq!(with("tier = 'x'", "tier = 'y'"), (None, None), "a name");
}

#[test]
fn companions_and_documents() {
    let companion = |words: &str| format!("[[companion]]\n{words}\n");
    let one = companion("when = ['lib/**']\nneed = ['test/**']");
    assert_eq!(both(&one, &one.replace("'lib/**'", "'lib/**', 'src/**'")), (TIGHT, LOOSE));
    assert_eq!(both(&one, &one.replace("'test/**'", "'test/**', 'CHANGELOG.md'")), (TIGHT, LOOSE));
    assert_eq!(both(&one, &one.replace("need", "one-of")), (LOOSE, UNCLEAR));
    let ways = companion("when = ['lib/**']\none-of = ['test/**']");
    assert_eq!(both(&ways, &ways.replace("'test/**'", "'test/**', 'x'")), (LOOSE, TIGHT), "one more way");
    let document = |words: &str| format!("[[document]]\npaths = ['docs/*.md']\n{words}\n");
    let one = document("schema = 's.json'\nfacts = { tests-deleted = '$.a' }");
    assert_eq!(both(&one, &one.replace("'docs/*.md'", "'docs/*.md', 'x.md'")), (TIGHT, LOOSE));
    assert_eq!(both(&one, &one.replace("schema = 's.json'\n", "")), (LOOSE, TIGHT));
    assert_eq!(both(&one, &one.replace("s.json", "t.json")), (UNCLEAR, UNCLEAR));
    assert_eq!(both(&one, &one.replace("$.a", "$.b")), (UNCLEAR, UNCLEAR));
    assert_eq!(both(&one, &one.replace("'$.a' }", "'$.a', tests-added = '$.b' }")), (TIGHT, LOOSE));
}

#[test]
fn budgets() {
    let one = "[agents.a]\n[agents.b]\n[[budget]]\nagents = ['a']\nfiles = 40\n\n[[budget]]\npaths = ['memory/**']\nbytes = 1000\nage = '90d'\n";
    let with = |old: &str, new: &str| both(one, &one.replace(old, new));
    assert_eq!(with("40", "30"), (TIGHT, LOOSE));
    assert_eq!(with("1000", "1001"), (LOOSE, TIGHT));
    assert_eq!(with("90d", "2w"), (TIGHT, LOOSE));
    assert_eq!(with("files = 40", "files = 40\nlines = 1500"), (TIGHT, LOOSE));
    assert_eq!(with("agents = ['a']\n", ""), (TIGHT, LOOSE), "it holds for every change");
    assert_eq!(with("['a']", "['a', 'b']"), (TIGHT, LOOSE));
    assert_eq!(with("'memory/**'", "'memory/**', 'CLAUDE.md'"), (TIGHT, LOOSE));
    assert_eq!(with("files = 40", "files = 40\npaths = ['x']"), (LOOSE, UNCLEAR));
    let found = said("gatekeep.toml", Some(one), Some(&one.replace("1000", "2000")));
    assert!(found[0].1.contains("`budget.bytes` is `2000` now, and was `1000`"), "{}", found[0].1);
}

#[test]
fn allowances() {
    let entry = "[[allow]]\ncode = 'goose/duplicate'\npaths = ['a']\nreason = 'r'\n";
    let with = |old: &str, new: &str| both(entry, &entry.replace(old, new));
    assert_eq!(both("", entry), (LOOSE, TIGHT));
    assert_eq!(both(&format!("{entry}{entry}"), entry), (TIGHT, LOOSE), "the same entry twice is two");
    assert_eq!(with("'a'", "'a', 'b'"), (LOOSE, TIGHT));
    assert_eq!(with("'goose/duplicate'", "'goose'"), (LOOSE, TIGHT));
    assert_eq!(with("'goose/duplicate'", "'flyway/duplicate'"), (LOOSE, LOOSE));
    assert_eq!(with("'r'", "'another reason'"), (None, None));
    assert_eq!(with("'r'\n", "'r'\nuntil = 2027-01-31\n"), (TIGHT, LOOSE));
    assert_eq!(both(&format!("{entry}until = 2027-01-31\n"), &format!("{entry}until = 2028-01-31\n")), (LOOSE, TIGHT));
    // with a key it is about one name, and of that one also about what a change brings in
    assert_eq!(with("'r'\n", "'r'\nkey = '1'\n"), (UNCLEAR, LOOSE));
    assert_eq!(of(&format!("{entry}key = '1'\n"), &format!("{entry}key = '2'\n")), LOOSE);
}

#[test]
fn entries_are_held_against_the_ones_they_came_from() {
    let entry = |path: &str, more: &str| format!("[[allow]]\ncode = 'goose'\npaths = ['{path}']\nreason = 'r'\n{more}");
    let old = format!("{}{}", entry("a", ""), entry("b", "until = 2027-01-31\n"));
    let new = format!("{}{}", entry("b", "until = 2026-01-31\n"), entry("a", "until = 2027-01-31\n"));
    assert_eq!(both(&old, &new), (TIGHT, LOOSE), "both are shorter, in another order");
    let swapped = format!("{}{}", entry("a", "until = 2027-01-31\n"), entry("b", ""));
    assert_eq!(of(&old, &swapped), LOOSE, "the words are the same, and `b` has no end");
    let many = |days: &dyn Fn(u8) -> u8| {
        (0..200u8).map(|n| entry(&format!("f{n}"), &format!("until = 2027-01-{:02}\n", days(n)))).collect::<String>()
    };
    assert_eq!(of(&many(&|_| 20), &many(&|n| if n == 7 { 10 } else { 20 })), TIGHT, "most are equal");
    assert_eq!(of(&many(&|_| 20), &many(&|_| 10)), LOOSE, "too many to be held against each other");
}
