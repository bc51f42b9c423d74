//! Tests that go from one place and stand, or run, in another: each is a change of a real repository, made small.

use super::excused::{ERROR, WARNING, of};

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
