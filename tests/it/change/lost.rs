//! Tests that a change takes away, skips, or no longer runs, as it was reported of real repositories.

use crate::support::Repo;

const MAKE: &str = "test:\n\tpytest\n";
const TOTAL: &str = "import unittest\nfrom shop.total import total\n\nclass TotalCase(unittest.TestCase):\n    def test_nothing(self):\n        self.assertEqual(total([]), 0)\n\n    def test_three(self):\n        self.assertEqual(total([1, 2]), 3)\n";
const TAX: &str = "from shop.tax import tax\n\ndef test_tax():\n    assert tax(100) == 19\n";
const GO: &str = "package shop\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1) != 1 {\n\t\tt.Fatal(\"sum\")\n\t}\n}\n";
const FILES: &[(&str, &str)] = &[
    ("Makefile", MAKE),
    ("shop/total.py", "def total(items):\n    return sum(items)\n"),
    ("shop/tax.py", "def tax(cents):\n    return cents * 19 // 100\n"),
    ("tests/test_total.py", TOTAL),
    ("tests/test_tax.py", TAX),
    ("sum.go", "package shop\n\nfunc Sum(a int) int { return a }\n"),
    ("sum_test.go", GO),
];

/// A repository with tests on its trunk, and a branch checked out.
fn tested() -> Repo {
    let repo = Repo::new();
    FILES.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit();
    repo.git(&["switch", "--quiet", "--create", "work"]);
    repo
}

/// Severity, code and first path of each finding of the change, as words.
fn found(repo: &Repo) -> Vec<String> {
    let report = repo.run(&["scan", "--base", "main", "--only", "tests", "--format", "json"]).json();
    assert_eq!(report["complete"], true, "{report}");
    let word = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let all = report["findings"].as_array().expect("findings is a list").iter();
    all.map(|one| [&one["severity"], &one["rule"], &one["sites"][0]["path"]].map(word).join(" ")).collect()
}

/// Report 211 of the corpus: an agent puts a skip on each test that fails. Report 214: `t.Skip`, and 215: a guard for long tests, which is meant.
#[test]
fn tests_that_no_longer_run_are_errors_unless_there_is_a_condition() {
    let repo = tested();
    repo.write("tests/test_total.py", TOTAL.replace("    def", "    @unittest.skip('fails')\n    def"));
    repo.write("sum_test.go", GO.replace("\tif", "\tt.Skip(\"flaky\")\n\tif")).commit();
    assert_eq!(found(&repo), ["error tests/skipped sum_test.go", "error tests/skipped tests/test_total.py"]);
    repo.write("tests/test_total.py", TOTAL);
    let guarded = "\tif testing.Short() {\n\t\tt.Skip(\"long\")\n\t}\n\tif Sum(1)";
    repo.write("sum_test.go", GO.replace("\tif Sum(1)", guarded)).commit();
    assert_eq!(found(&repo), [""; 0]);
}

/// Report 212 of the corpus: `make test` comes to run only the tests that pass.
#[test]
fn a_target_that_runs_only_what_passes_is_a_warning() {
    let repo = tested();
    repo.write("Makefile", "test: safe-tests\n\nsafe-tests:\n\tpytest tests/test_tax.py\n").commit();
    assert_eq!(found(&repo), ["warning tests/weakened Makefile"]);
    assert!(repo.run(&["scan", "--base", "main"]).exits(0).stdout.contains("tests/test_total.py"));
}

/// Report 217 of the corpus: skips in `conftest.py`, and tests that go. Report 218: two tests that fail are removed.
#[test]
fn tests_that_are_removed_are_errors_and_what_conftest_leaves_out_is_a_warning() {
    let repo = tested();
    repo.write("tests/conftest.py", "collect_ignore = ['test_tax.py']\n");
    repo.write("tests/test_total.py", &TOTAL[..TOTAL.find("\n    def test_three").expect("it is there")]).commit();
    assert_eq!(found(&repo), ["error tests/deleted tests/test_total.py", "warning tests/skipped tests/conftest.py"]);
    repo.remove("tests/test_total.py").remove("tests/conftest.py").commit();
    assert_eq!(found(&repo), ["error tests/deleted tests/test_total.py"]);
}

/// Reports 220 and 221 of the corpus: the test of a thing that is removed goes with it.
#[test]
fn a_test_may_go_with_its_subject() {
    let repo = tested();
    repo.remove("shop/tax.py").remove("tests/test_tax.py").commit();
    assert_eq!(found(&repo), ["note tests/deleted tests/test_tax.py"]);
}

/// Report 229 of the corpus: the resolution of a merge drops a fix of the trunk and its tests.
#[test]
fn a_merge_that_drops_tests_of_the_trunk_is_an_error() {
    let repo = tested();
    repo.write("shop/tax.py", "def tax(cents):\n    return cents * 7 // 100\n").commit();
    repo.git(&["switch", "--quiet", "main"]);
    repo.write("shop/tax.py", "def tax(cents):\n    return max(cents, 0) * 19 // 100\n");
    repo.write("tests/test_refund.py", "from shop.tax import tax\n\ndef test_refund():\n    assert tax(-5) == 0\n")
        .commit();
    repo.git(&["switch", "--quiet", "work"]);
    repo.git(&["merge", "--quiet", "--strategy=ours", "--no-edit", "main"]);
    assert_eq!(found(&repo), ["error tests/deleted tests/test_refund.py"]);
}
