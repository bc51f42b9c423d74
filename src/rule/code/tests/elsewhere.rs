//! Tests that go from one place and stand, or run, in another: each is a change of a real repository, made small.

use super::{
    excused::{ERROR, NOTE, WARNING, of},
    judged::said,
};
use crate::rule::change::testing::Made;

/// okhttp 4fc51857: tests that stand twice are kept once; the file that keeps them changes too.
#[test]
fn a_test_of_the_same_name_and_body_elsewhere_is_a_warning() {
    let class = |class: &str, tests: &str| format!("class {class} {{\n{tests}}}\n");
    let test = |body: &str| {
        format!("  @Test void parsesPort() {{ Url url = parse(\"http://a:{body}\"); assertEquals(80, url.port()); }}\n")
    };
    let other = "  @Test void other() { assertEquals(1, one()); }\n";
    let said = |kept: &str| {
        let paths = ["src/test/java/CommonTest.java", "src/test/java/UrlTest.java"];
        let before = [class("CommonTest", &format!("{other}{}", test("80"))), class("UrlTest", kept)];
        let after =
            [class("CommonTest", other), class("UrlTest", &format!("{kept}{}", other.replace("other", "more")))];
        said(&Made::new(
            &[(paths[0], &before[0]), (paths[1], &before[1])],
            &[(paths[0], &after[0]), (paths[1], &after[1])],
        ))
    };
    assert_eq!(said(&test("80")), ["warning tests/deleted src/test/java/CommonTest.java"]);
    let another =
        test("80").replace("assertEquals(80, url.port())", "url.close(); url.check(1, 2, 3); assertTrue(url.ok())");
    assert_eq!(said(&another), ["error tests/deleted src/test/java/CommonTest.java"]);
}

/// scrapy cec86f21 and e3229052: tests go to a class from which others derive, in a file where no runner looks.
#[test]
fn a_test_that_its_class_inherits_is_a_warning() {
    let tests = "    def test_init(self):\n        assert self.make('a').url == 'a'\n\n    def test_copy(self):\n        assert self.make('b').copy() is not None\n";
    let file = "tests/test_request.py";
    let before = format!("class TestRequest:\n    made = Request\n\n{tests}");
    let base = format!("class TestRequestBase:\n    made = None\n\n{tests}");
    let said = |after: &str, base: &str| {
        said(&Made::new(&[(file, &before)], &[(file, after), ("tests/bases/request.py", base)]))
    };
    let derives = "from tests.bases.request import TestRequestBase\n\n\nclass TestRequest(TestRequestBase):\n    made = Request\n";
    assert_eq!(said(derives, &base), [format!("warning tests/deleted {file}")]);
    let alone = derives.replace("(TestRequestBase)", "");
    assert_eq!(said(&alone, &base), [format!("error tests/deleted {file}")], "nothing derives from it");
    let less = base.replace("    def test_copy", "    # def test_copy");
    assert_eq!(said(derives, &less).len(), 2, "one of them is only told of");
    let lost = said(derives, &less.replace("test_init", "init"));
    assert_eq!(lost, [format!("error tests/deleted {file}")], "a comment runs nothing");
    // a mixin in the same file, for classes of other names: scrapy 128cb551
    let mixin = format!("class RequestMixin:\n{tests}\n\nclass TestJson(RequestMixin):\n    made = Json\n");
    assert_eq!(said(&mixin, "A = 1\n"), [format!("warning tests/deleted {file}")]);
}

/// scrapy 4f9dd998: the test of the class above runs in its place.
#[test]
fn a_test_that_only_calls_the_inherited_one_is_a_note() {
    let file = |more: &str| {
        format!("class TestWindows(TestRun):\n    def test_other(self):\n        assert run() == 2\n{more}")
    };
    let source = ("web/run.py", ["def run(): pass\n"; 2]);
    let with = |body: &str| file(&format!("\n    def test_run(self):\n        {body}\n"));
    assert_eq!(of(source, ("tests/test_run.py", [&with("super().test_run()"), &file("")])), NOTE);
    assert_eq!(of(source, ("tests/test_run.py", [&with("super().test_start()"), &file("")])), ERROR);
    assert_eq!(of(source, ("tests/test_run.py", [&with("assert super().test_run() == 1"), &file("")])), ERROR);
}

/// scrapy df342eee: tests that hand one case each to a method become the rows of that method.
#[test]
fn what_called_a_test_with_one_case_is_a_row_of_it() {
    let spider = "        assert call('genspider', name) == 0\n        assert exists(name)\n";
    let one = |name: &str| format!("\n    def test_template_{name}(self):\n        self.test_template('{name}')\n");
    let before = format!(
        "class TestSpider(Base):\n    def test_template(self, name='basic'):\n{spider}{}{}",
        one("csv"),
        one("xml")
    );
    let rows = |rows: &str| {
        format!(
            "class TestSpider(Base):\n    @pytest.mark.parametrize('name', [{rows}])\n    def test_template(self, name):\n{spider}"
        )
    };
    let source = ("web/run.py", ["def run(): pass\n"; 2]);
    assert_eq!(of(source, ("tests/test_run.py", [&before, &rows("'basic', 'csv', 'xml'")])), [""; 0]);
    let none = format!("class TestSpider(Base):\n    def test_template(self, name='basic'):\n{spider}");
    assert_eq!(of(source, ("tests/test_run.py", [&before, &none])), ERROR);
}

/// scrapy 5105f55a: most of what it does stands in a new test, under another name and with more to it.
#[test]
fn a_body_that_mostly_stands_in_a_new_test_is_a_warning() {
    let body = "    crawler = build(Spider, {'A': 1})\n    crawler.spider = crawler.create()\n    manager = Manager.of(crawler, settings)\n";
    let old = format!("def test_argument(settings):\n{body}    assert manager.run(1).first().last()\n");
    let kept = "def test_first():\n    assert one() == 1\n\n\ndef test_last():\n    assert two() == 2\n";
    let new = |lines: &str| {
        format!(
            "def test_warns(settings, caplog):\n{lines}    with pytest.warns(Deprecated, match='x'):\n        manager.other(1, 2)\n    assert manager.done\n"
        )
    };
    let said = |new: &str| {
        let [before, after] = [format!("{old}\n\n{kept}"), format!("{kept}\n\n{new}")];
        of(("web/manager.py", ["def run(): pass\n"; 2]), ("tests/test_manager.py", [&before, &after]))
    };
    assert_eq!(said(&new(body)), WARNING);
    assert_eq!(said(&new("    manager = fake(settings)\n")), ERROR);
}
