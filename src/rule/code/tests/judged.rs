//! Changes, and what is said of them.

use super::judge;
use crate::rule::change::testing::Made;

const PY: &str = "from shop.price import total


def test_total_of_nothing():
    assert total([]) == 0


def test_total_adds_up():
    items = [1, 2, 3]
    assert total(items) == 6
    assert total(items + [4]) == 10


def test_total_rejects_text():
    try:
        total([\"x\"])
    except TypeError:
        return
    assert False
";
const PRICE: (&str, &str) = ("shop/price.py", "def total(items):\n    return sum(items)\n");
const FILE: &str = "tests/test_price.py";

/// Severity, code and path of each finding, then what could not be looked at.
pub(super) fn said(made: &Made) -> Vec<String> {
    let said = judge(&made.change());
    let findings = said.findings.iter().map(|found| {
        assert!(found.message.ends_with('.') && found.help.is_some(), "{}", found.message);
        format!("{} {} {}", found.severity, found.code, found.sites[0].path.lossy())
    });
    findings.chain(said.incomplete.iter().map(|gap| format!("incomplete {}", gap.what))).collect()
}

fn messages(made: &Made) -> String {
    judge(&made.change()).findings.iter().map(|found| found.message.clone()).collect::<Vec<_>>().join("\n")
}

fn without_adds_up() -> String {
    let (head, rest) = PY.split_once("def test_total_adds_up").expect("it is there");
    format!("{head}{}", &rest[rest.find("def test_total_rejects").expect("it is there")..])
}

#[test]
fn a_test_is_deleted() {
    let cut = without_adds_up();
    let made = Made::new(&[PRICE, (FILE, PY)], &[PRICE, (FILE, &cut)]);
    assert_eq!(said(&made), ["error tests/deleted tests/test_price.py"]);
    assert!(messages(&made).contains("loses 1 test: `test_total_adds_up`"), "{}", messages(&made));
    let gone = Made::new(&[PRICE, (FILE, PY)], &[PRICE]);
    assert_eq!(said(&gone), ["error tests/deleted tests/test_price.py"]);
    assert!(messages(&gone).contains("is deleted with its 3 tests"), "{}", messages(&gone));
}

#[test]
fn moved_and_renamed_tests_are_none() {
    let (head, tail) = PY.split_at(PY.find("def test_total_rejects").expect("it is there"));
    let there = format!("from shop.price import total\n\n\n{tail}");
    for after in [
        vec![PRICE, (FILE, head), ("tests/unit/test_rejects.py", &there)],
        vec![PRICE, ("tests/unit/test_totals.py", PY)],
    ] {
        assert_eq!(said(&Made::new(&[PRICE, (FILE, PY)], &after)), [""; 0]);
    }
    let renamed = PY.replace("test_total_adds_up", "test_sum_of_three");
    let wrapped = PY.replace(
        "def test_total_of_nothing():\n    assert",
        "class TestNothing:\n    def test_total_of_nothing(self):\n        assert",
    );
    for text in [renamed, wrapped] {
        assert_eq!(said(&Made::new(&[(FILE, PY)], &[(FILE, &text)])), [""; 0], "{text}");
    }
}

#[test]
fn a_file_that_the_runner_no_longer_sees_is_deleted() {
    let go = "package a\nfunc TestSum(t *testing.T) {\n\tif Sum(1) != 1 {\n\t\tt.Fatal(\"x\")\n\t}\n}\n";
    assert_eq!(said(&Made::new(&[("a_test.go", go)], &[("a.go", go)])), ["error tests/deleted a_test.go"]);
    let lower = go.replace("TestSum", "testSum");
    assert_eq!(said(&Made::new(&[("a_test.go", go)], &[("a_test.go", &lower)])), ["error tests/deleted a_test.go"]);
}

#[test]
fn tests_that_become_rows_are_none() {
    let before = "def test_one():\n    assert total([1]) == 1\n\ndef test_two():\n    assert total([2]) == 2\n";
    let row =
        |rows: &str| format!("@pytest.mark.parametrize('a', {rows})\ndef test_each(a):\n    assert total([a]) == a\n");
    assert_eq!(said(&Made::new(&[(FILE, before)], &[(FILE, &row("[1, 2]"))])), [""; 0]);
    assert_eq!(
        said(&Made::new(&[(FILE, before)], &[(FILE, &row("[1]"))])),
        ["error tests/deleted tests/test_price.py"]
    );
}

#[test]
fn checks_that_stand_in_another_test_are_a_note() {
    let before =
        "def test_one():\n    assert total([1]) == 1\n\ndef test_two():\n    x = start()\n    assert total([2]) == 2\n";
    let after = "def test_one():\n    assert total([1]) == 1\n    assert total([2]) == 2\n";
    assert_eq!(said(&Made::new(&[(FILE, before)], &[(FILE, after)])), ["note tests/deleted tests/test_price.py"]);
}

#[test]
fn a_twin_elsewhere_is_enough() {
    let twin = ("tests/test_other.py", PY);
    assert_eq!(said(&Made::new(&[(FILE, PY), twin], &[twin])), [""; 0]);
    let other = ("tests/test_other.py", "def test_total_adds_up():\n    assert other() == 1\n");
    let cut = without_adds_up();
    let made = Made::new(&[(FILE, PY), other], &[(FILE, &cut), other]);
    assert_eq!(said(&made), ["error tests/deleted tests/test_price.py"]);
}

#[test]
fn a_test_goes_with_its_subject() {
    assert_eq!(said(&Made::new(&[PRICE, (FILE, PY)], &[])), ["note tests/deleted tests/test_price.py"]);
    let before = "from shop.sums import total, minus\ndef test_minus():\n    assert minus(1) == 0\ndef test_total():\n    assert total([]) == 0\n";
    let after = "from shop.sums import total\ndef test_total():\n    assert total([]) == 0\n";
    let sums = "def total(x): pass\n";
    let made = Made::new(
        &[("shop/sums.py", "def total(x): pass\ndef minus(x): pass\n"), (FILE, before)],
        &[("shop/sums.py", sums), (FILE, after)],
    );
    assert_eq!(said(&made), ["note tests/deleted tests/test_price.py"]);
}

#[test]
fn what_the_trunk_took_away_is_not_the_changes_doing() {
    let cut = without_adds_up();
    let more = format!("{PY}\n\ndef test_more():\n    assert total([9]) == 9\n");
    let made = Made::with_trunk(&[(FILE, PY)], &[(FILE, &cut)], &[(FILE, &more)]);
    assert_eq!(said(&made), [""; 0]);
}

#[test]
fn a_file_that_does_not_parse_hides_no_test_and_loses_none() {
    let broken = PY.replace("def test_total_adds_up():", "def test_total_adds_up(:");
    let found = said(&Made::new(&[(FILE, PY)], &[(FILE, &broken)]));
    assert!(found.iter().all(|line| !line.starts_with("error")), "{found:?}");
    let cut = without_adds_up().replace("assert False", "assert = = False");
    let found = said(&Made::new(&[(FILE, PY)], &[(FILE, &cut)]));
    assert!(found.contains(&"error tests/deleted tests/test_price.py".to_owned()), "{found:?}");
}

#[test]
fn a_skip_without_a_condition() {
    let skip = |mark: &str| PY.replace("def test_total_adds_up", &format!("{mark}\ndef test_total_adds_up"));
    let made = |text: &str| Made::new(&[(FILE, PY)], &[(FILE, text)]);
    for mark in ["@pytest.mark.skip", "@unittest.skip('broken')"] {
        assert_eq!(said(&made(&skip(mark))), ["error tests/skipped tests/test_price.py"], "{mark}");
    }
    assert!(messages(&made(&skip("@pytest.mark.skip"))).contains("`test_total_adds_up`"));
    assert_eq!(said(&made(&skip("@pytest.mark.skipif(sys.platform == 'win32', reason='x')"))), [""; 0]);
    let new = format!("{PY}\n@pytest.mark.skip\ndef test_new():\n    assert total([1]) == 1\n");
    assert_eq!(said(&made(&new)), ["note tests/skipped tests/test_price.py"]);
    let whole = PY.replace("\n\n\ndef test_total_of", "\npytestmark = pytest.mark.skip\n\n\ndef test_total_of");
    assert!(messages(&made(&whole)).contains("skips 3 tests"), "{}", messages(&made(&whole)));
    let before = skip("@pytest.mark.skip");
    let gone = without_adds_up();
    assert_eq!(said(&Made::new(&[(FILE, &before)], &[(FILE, &gone)])), ["note tests/deleted tests/test_price.py"]);
}

#[test]
fn a_skip_in_go_and_the_guard_for_long_tests() {
    let go = |first: &str| {
        format!("package a\nfunc TestSum(t *testing.T) {{\n\t{first}\n\tif Sum(1) != 1 {{ t.Fatal(\"x\") }}\n}}\n")
    };
    let before = go("");
    let made = |text: &str| said(&Made::new(&[("a_test.go", &before)], &[("a_test.go", text)]));
    assert_eq!(made(&go("t.Skip(\"flaky\")")), ["error tests/skipped a_test.go"]);
    assert_eq!(made(&go("if testing.Short() { t.Skip(\"long\") }")), [""; 0]);
}

#[test]
fn conftest_leaves_tests_out() {
    let made = |text: &str| said(&Made::new(&[], &[("tests/conftest.py", text)]));
    assert_eq!(made("collect_ignore = ['test_a.py']\n"), ["warning tests/skipped tests/conftest.py"]);
    let hook = |line: &str| format!("def pytest_collection_modifyitems(items):\n    for item in items:\n{line}");
    assert_eq!(made(&hook("        item.add_marker(pytest.mark.skip)\n")), ["warning tests/skipped tests/conftest.py"]);
    assert_eq!(made(&hook("        if 'slow' in item.keywords:\n            item.add_marker(skip_slow)\n")), [""; 0]);
}

const TS: &str = "import { sum } from './sum';\n\ntest('adds', () => {\n  expect(sum(1, 2)).toBe(3);\n  expect(sum(2, 2)).toBe(4);\n  expect(sum(3, 2)).toBe(5);\n});\n\ntest('adds zero', () => {\n  expect(sum(1, 0)).toBe(1);\n});\n";

fn script(text: &str) -> Vec<String> {
    said(&Made::new(&[("web/sum.test.ts", TS)], &[("web/sum.test.ts", text)]))
}

#[test]
fn a_test_that_runs_alone() {
    assert_eq!(script(&TS.replace("test('adds'", "test.only('adds'")), ["error tests/focused web/sum.test.ts"]);
    let before = TS.replace("test('adds'", "test.only('adds'");
    let made = Made::new(&[("a.test.ts", &before)], &[("a.test.ts", &before.replace("toBe(4)", "toBe(5)"))]);
    assert_eq!(said(&made), [""; 0]);
}

#[test]
fn a_test_that_checks_less() {
    let hollow = "import { sum } from './sum';\n\ntest('adds', () => {\n  expect(true).toBe(true);\n});\n\ntest('adds zero', () => {\n  expect(sum(1, 0)).toBe(1);\n});\n";
    assert_eq!(script(hollow), ["warning tests/weakened web/sum.test.ts"]);
    let less = TS.replace("  expect(sum(2, 2)).toBe(4);\n  expect(sum(3, 2)).toBe(5);\n", "");
    assert_eq!(script(&less), ["warning tests/weakened web/sum.test.ts"]);
    let one_less = TS.replace("  expect(sum(2, 2)).toBe(4);\n", "");
    assert_eq!(script(&one_less), [""; 0]);
    let elsewhere = format!(
        "{less}\ntest('adds more', () => {{\n  expect(sum(2, 2)).toBe(4);\n  expect(sum(3, 2)).toBe(5);\n}});\n"
    );
    assert_eq!(script(&elsewhere), [""; 0]);
    assert_eq!(
        script(&TS.replace("expect(sum(2, 2)).toBe(4)", "expect(sum(2, 2)).toBeDefined()")),
        ["note tests/weakened web/sum.test.ts"]
    );
    assert_eq!(script(&TS.replace("toBe(4)", "toBe(5)")), [""; 0]);
    let raises = "def test_a():\n    with pytest.raises(ValueError):\n        total()\n";
    let made = Made::new(&[(FILE, raises)], &[(FILE, &raises.replace("ValueError", "Exception"))]);
    assert_eq!(said(&made), ["note tests/weakened tests/test_price.py"]);
}

#[test]
fn snapshots_that_a_test_still_asks_for() {
    let test = ("web/a.test.ts", "test('a', () => { expect(x()).toMatchSnapshot(); });\n");
    let snap = ("web/__snapshots__/a.test.ts.snap", "exports[`a 1`] = `1`;\n");
    assert_eq!(said(&Made::new(&[test, snap], &[test])), ["warning tests/weakened web/__snapshots__/a.test.ts.snap"]);
    let plain = ("web/a.test.ts", "test('a', () => { expect(x()).toBe(1); });\n");
    assert_eq!(said(&Made::new(&[plain, snap], &[plain])), [""; 0]);
}

#[test]
fn commands_that_let_more_pass() {
    let made = |path: &str, before: &str, after: &str| said(&Made::new(&[(path, before)], &[(path, after)]));
    let script = |command: &str| format!("{{\n  \"scripts\": {{\n    \"test\": \"{command}\"\n  }}\n}}\n");
    let before = script("vitest run");
    for after in ["vitest run --passWithNoTests", "vitest run || true"] {
        assert_eq!(made("package.json", &before, &script(after)), ["warning tests/weakened package.json"], "{after}");
    }
    assert_eq!(made("package.json", &before, &script("eslint . || true")), [""; 0]);
    let step = |run: &str, more: &str| {
        format!(
            "jobs:\n  a:\n    steps:\n      - name: one\n        run: {run}\n{more}      - name: two\n        run: echo\n"
        )
    };
    let lax = "        continue-on-error: true\n";
    let ci = ".github/workflows/ci.yml";
    assert_eq!(
        made(ci, &step("pytest", ""), &step("pytest", lax)),
        ["warning tests/weakened .github/workflows/ci.yml"]
    );
    assert_eq!(made(ci, &step("./lint", ""), &step("./lint", lax)), [""; 0]);
    let cover = |least: u32| format!("[tool.coverage.report]\nfail_under = {least}\n");
    assert_eq!(made("pyproject.toml", &cover(90), &cover(60)), ["warning tests/weakened pyproject.toml"]);
    assert_eq!(made("pyproject.toml", &cover(60), &cover(90)), [""; 0]);
}

/// claude-code#319: `make test` is edited until it runs only the tests that pass.
#[test]
fn a_target_that_runs_fewer_test_files() {
    let files = [("tests/test_a.py", PY), ("tests/slow/test_b.py", PY), ("web/a.test.ts", TS), ("pkg/a_test.go", "")];
    let made = |path: &str, before: &str, after: &str, more: &[(&'static str, &'static str)]| {
        let of = |text: &str| [&files[..], more, &[(&*path.to_owned().leak(), &*text.to_owned().leak())]].concat();
        messages(&Made::new(&of(before), &of(after)))
    };
    let make = |before: &str, after: &str| {
        made("Makefile", &format!("test:\n{before}"), &format!("test:\n{after}"), &[("src/x.py", "")])
    };
    let less = "`test` in `Makefile` leaves out 1 test file that it ran: `tests/slow/test_b.py`.";
    assert_eq!(make("\tpytest\n", "\tpytest tests/test_a.py\n"), less);
    assert_eq!(make("\tpytest -x tests\n", "\t@pytest ./tests/test_a.py -q # the others fail\n"), less);
    let target = "safe-tests:\n\tpytest tests/test_a.py\n";
    assert_eq!(make("\tpytest\n", &format!("\t$(MAKE) safe-tests\n{target}")), less);
    let needs = format!("test: safe-tests\n{target}");
    assert_eq!(made("Makefile", "test:\n\tpytest\n", &needs, &[]), less);
    assert_eq!(make("\tpytest\n", &format!("\tpytest\n{target}")), "", "a new target takes nothing away");
    assert_eq!(make("\tpytest\n", "\tpytest tests\n"), "", "they are all there");
    assert_eq!(make("\tpytest tests/test_a.py\n", "\tpytest tests/test_a.py tests/slow\n"), "");
    for unknown in
        ["\tpytest $(TESTS)\n", "\ttox\n", "\tnox && pytest tests/slow\n", "\techo later\n", "\tmake check\n"]
    {
        assert_eq!(make("\tpytest\n", unknown), "", "{unknown:?}");
    }
    let settled = ("pytest.ini", "[pytest]\ntestpaths = tests/slow\n");
    assert_eq!(made("Makefile", "test:\n\tpytest\n", "test:\n\tpytest tests/slow\n", &[settled]), "");
    let go = made("Makefile", "test:\n\tgo test -race ./...\n", "test:\n\tgo test -race .\n", &[]);
    assert!(go.contains("leaves out 1 test file that it ran: `pkg/a_test.go`"), "{go}");
    let script = |command: &str| format!("{{\n  \"scripts\": {{\n    \"test\": \"{command}\"\n  }}\n}}\n");
    let web = made("package.json", &script("vitest run"), &script("vitest run src"), &[("src/a.test.ts", TS)]);
    assert!(web.contains("leaves out 1 test file that it ran: `web/a.test.ts`"), "{web}");
}

/// Path, the file up to the test that goes, that test, the end of the file, and its name.
const EACH: &[[&str; 5]] = &[
    [
        "go/sum_test.go",
        "package sum\n\nimport \"testing\"\n\nfunc TestKeep(t *testing.T) {\n\tif Sum(1) != 1 {\n\t\tt.Fatal(\"x\")\n\t}\n}\n",
        "\nfunc TestGone(t *testing.T) {\n\tif Sum(2) != 2 {\n\t\tt.Fatal(\"x\")\n\t}\n}\n",
        "",
        "TestGone",
    ],
    [
        "rs/src/lib.rs",
        "pub fn sum() -> i32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn keep() {\n        assert_eq!(sum(), 1);\n    }\n",
        "\n    #[test]\n    fn gone() {\n        assert!(sum() > 0);\n    }\n",
        "}\n",
        "gone",
    ],
    [
        "java/src/test/java/SumTest.java",
        "import org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n\nclass SumTest {\n  @Test\n  void keep() {\n    assertEquals(1, Sum.of(1));\n  }\n",
        "\n  @Test\n  void gone() {\n    assertEquals(2, Sum.of(2));\n  }\n",
        "}\n",
        "gone",
    ],
    [
        "rb/spec/sum_spec.rb",
        "RSpec.describe Sum do\n  it \"keeps\" do\n    expect(Sum.of(1)).to eq(1)\n  end\n",
        "\n  it \"goes away\" do\n    expect(Sum.of(2)).to eq(2)\n  end\n",
        "end\n",
        "goes away",
    ],
    [
        "php/tests/SumTest.php",
        "<?php\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class SumTest extends TestCase\n{\n    public function testKeep(): void\n    {\n        $this->assertSame(1, Sum::of(1));\n    }\n",
        "\n    public function testGone(): void\n    {\n        $this->assertSame(2, Sum::of(2));\n    }\n",
        "}\n",
        "testGone",
    ],
    [
        "cs/SumTests.cs",
        "using Xunit;\n\npublic class SumTests\n{\n    [Fact]\n    public void Keep()\n    {\n        Assert.Equal(1, Sum.Of(1));\n    }\n",
        "\n    [Fact]\n    public void Gone()\n    {\n        Assert.Equal(2, Sum.Of(2));\n    }\n",
        "}\n",
        "Gone",
    ],
    [
        "dart/test/sum_test.dart",
        "import 'package:test/test.dart';\n\nvoid main() {\n  test('keeps', () {\n    expect(sum(1), 1);\n  });\n",
        "\n  test('goes away', () {\n    expect(sum(2), 2);\n  });\n",
        "}\n",
        "goes away",
    ],
    [
        "js/sum.test.js",
        "describe('sum', () => {\n  it('keeps', () => {\n    expect(sum(1)).toBe(1);\n  });\n",
        "\n  it('goes away', () => {\n    expect(sum(2)).toBe(2);\n  });\n",
        "});\n",
        "goes away",
    ],
    [
        "ex/test/sum_test.exs",
        "defmodule SumTest do\n  use ExUnit.Case\n\n  test \"keeps\" do\n    assert Sum.of(1) == 1\n  end\n",
        "\n  test \"goes away\" do\n    assert Sum.of(2) == 2\n  end\n",
        "end\n",
        "goes away",
    ],
    [
        "kt/src/test/kotlin/SumTest.kt",
        "import org.junit.jupiter.api.Test\nimport kotlin.test.assertEquals\n\nclass SumTest {\n    @Test\n    fun keep() {\n        assertEquals(1, sum(1))\n    }\n",
        "\n    @Test\n    fun gone() {\n        assertEquals(2, sum(2))\n    }\n",
        "}\n",
        "gone",
    ],
];

#[test]
fn a_test_in_each_language() {
    let whole: Vec<(&str, String)> =
        EACH.iter().map(|[path, keep, gone, end, _]| (*path, format!("{keep}{gone}{end}"))).collect();
    let cut: Vec<(&str, String)> = EACH.iter().map(|[path, keep, _, end, _]| (*path, format!("{keep}{end}"))).collect();
    let borrowed = |files: &[(&'static str, String)]| -> Vec<(&'static str, &'static str)> {
        files.iter().map(|(path, text)| (*path, &*text.clone().leak())).collect()
    };
    let made = Made::new(&borrowed(&whole), &borrowed(&cut));
    let said = judge(&made.change());
    let found: Vec<&str> = said.findings.iter().map(|found| found.message.as_str()).collect();
    for [path, _, _, _, name] in EACH {
        let seen = |message: &&&str| message.contains(&format!("`{path}` loses 1 test")) && message.contains(name);
        assert!(found.iter().any(|message| seen(&message)), "{path}: {found:#?}");
    }
    assert!(
        said.findings.iter().all(|found| found.severity == crate::diag::Severity::Error) && found.len() == EACH.len()
    );
    assert_eq!(super::counts(&made.change()).map(|counts| counts.deleted), Some(EACH.len() as u64));
}

#[test]
fn a_test_that_is_rewritten_in_its_place_is_a_note() {
    let start = PY.find("def test_total_adds_up").expect("it is there");
    let end = PY.find("def test_total_rejects").expect("it is there");
    let with = |new: &str| format!("{}{new}\n\n\n{}", &PY[..start], &PY[end..]);
    let said = |new: &str| said(&Made::new(&[PRICE, (FILE, PY)], &[PRICE, (FILE, &with(new))]));
    let rewritten = "def test_sum(client):\n    with client.open() as rv:\n        assert rv.status == 200\n        assert rv.json == {'sum': 6}";
    assert_eq!(said(rewritten), ["note tests/deleted tests/test_price.py"], "by its place");
    let thinner = "def test_sum(client):\n    with client.open() as rv:\n        assert True\n        log(rv)";
    assert_eq!(said(thinner)[0], "warning tests/deleted tests/test_price.py", "what takes the place checks nothing");
}

#[test]
fn a_new_test_elsewhere_is_no_excuse_unless_it_has_the_words() {
    let cut = without_adds_up();
    let said = |new: &str| said(&Made::new(&[PRICE, (FILE, PY)], &[PRICE, (FILE, &format!("{cut}\n\n{new}"))]));
    let other = "def test_refund(shop):\n    assert shop.refund(3) == 3\n    assert shop.open\n";
    assert_eq!(said(other), ["error tests/deleted tests/test_price.py"]);
    let same_words = "def test_total_adds_up_over_api(api):\n    assert api.get('/t').json == 6\n    assert api.ok\n";
    assert_eq!(said(same_words), ["note tests/deleted tests/test_price.py"]);
}

#[test]
fn a_test_of_an_overload_that_is_gone_is_a_note() {
    let source =
        |overload: &str| format!("class Price {{\n  public int total(int a) {{\n    return a;\n  }}\n{overload}}}\n");
    let test =
        |more: &str| format!("class PriceTest {{\n  @Test void one() {{ assertEquals(1, total(1)); }}\n{more}}}\n");
    let both = source("  public int total(int a, boolean old) {\n    return a;\n  }\n");
    let old = test("  @Test void oldTotal() { assertEquals(1, total(1, true)); }\n");
    let said = said(&Made::new(
        &[("src/main/Price.java", &both), ("src/test/java/PriceTest.java", &old)],
        &[("src/main/Price.java", &source("")), ("src/test/java/PriceTest.java", &test(""))],
    ));
    assert_eq!(said, ["note tests/deleted src/test/java/PriceTest.java"]);
}

#[test]
fn a_revert_that_says_so_is_a_warning() {
    let cut = without_adds_up();
    let mut made = Made::new(&[PRICE, (FILE, PY)], &[PRICE, (FILE, &cut)]);
    let mut severity = |message: &str| {
        let (author, email, message) = (String::new(), String::new(), message.to_owned());
        let id = gix::ObjectId::null(gix::hash::Kind::Sha1);
        made.commits = vec![crate::source::Commit { id, parents: Vec::new(), time: 0, author, email, message }];
        said(&made)[0].split(' ').next().map(str::to_owned)
    };
    assert_eq!(severity("Revert \"add totals\" (#12)").as_deref(), Some("warning"));
    assert_eq!(severity("undo\n\nThis reverts commit 0123abcd.").as_deref(), Some("warning"));
    assert_eq!(severity("revert what I tried").as_deref(), Some("error"));
}

#[test]
fn a_test_file_goes_with_what_it_is_about() {
    let test = "def test_creole():\n    assert creole('a')\n\ndef test_nested():\n    assert render(':c') == 'a'\n";
    let source = ("app/base.py", "def creole(text):\n    return text\n\ndef render(name):\n    return name\n");
    let without = ("app/base.py", "def render(name):\n    return name\n");
    let file = "tests/test_markup.py";
    assert_eq!(said(&Made::new(&[source, (file, test)], &[without])), [format!("note tests/deleted {file}")]);
    assert_eq!(said(&Made::new(&[source, (file, test)], &[source])), [format!("error tests/deleted {file}")]);
    let kept = "def test_creole():\n    assert creole('a')\n";
    let half = said(&Made::new(&[source, (file, test)], &[without, (file, kept)]));
    assert_eq!(half, [format!("error tests/deleted {file}")], "the file still stands");
}
