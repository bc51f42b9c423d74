//! Tests that go because what they are about goes: each is a change of a real repository, made small.

use super::{
    excused::{ERROR, NOTE, WARNING, of},
    judged::said,
};
use crate::rule::change::testing::Made;

const KEPT: &str = "def test_get(client):\n    assert client.get('/').status == 200\n";

/// sinatra 6cf49c88 and scrapy 609f64c5: what the texts of a test say goes from the code, as a name or as a sentence.
#[test]
fn a_text_that_the_code_no_longer_says_is_a_warning() {
    let source = |track: &str| format!("class Hijacking:\n    track = ['HTTP_USER_AGENT'{track}]\n    size = 1\n");
    let gone =
        format!("{KEPT}\n\ndef test_other(app):\n    assert app.get('/', 'HTTP_ACCEPT_LANGUAGE').status == 403\n");
    let tests = ("tests/test_app.py", [&*gone, KEPT]);
    let with = source(", 'HTTP_ACCEPT_LANGUAGE'");
    assert_eq!(of(("web/hijacking.py", [&with, &source("")]), tests), WARNING);
    assert_eq!(of(("web/hijacking.py", [&with, &with.replace("size = 1", "size = 2")]), tests), ERROR);
    // another test of the file goes on saying it
    let both = format!("{KEPT}    assert client.get('HTTP_ACCEPT_LANGUAGE')\n");
    let gone = gone.replace(KEPT, &both);
    assert_eq!(of(("web/hijacking.py", [&with, &source("")]), ("tests/test_app.py", [&gone, &both])), ERROR);

    let source =
        |message: &str| format!("def decode(body):\n    if not body:\n        log('{message}')\n    return body\n");
    let gone = format!("{KEPT}\n\ndef test_told(log):\n    assert log.text == 'You need to install it to decode'\n");
    let tests = ("tests/test_app.py", [&*gone, KEPT]);
    let both = [&*source("You need to install it to decode that"), &source("You can not decode what you install")];
    assert_eq!(of(("web/decoder.py", both), tests), WARNING);
    assert_eq!(of(("web/decoder.py", [both[0], &both[0].replace("not body", "body is None")]), tests), ERROR);
}

/// A message holds a line of what a text says, and no more of it than a person reads.
#[test]
fn of_a_long_text_only_a_part_is_told() {
    let line = format!("You need to install it to decode {}", "that and ".repeat(400));
    let source = |more: &str| format!("def decode(body):\n    log('''\n{more}\n''')\n    return body\n");
    let gone = format!("{KEPT}\n\ndef test_told(log):\n    assert log.text == \"\"\"\n{line}\n{line}\"\"\"\n");
    let (file, tests) = ("web/decoder.py", "tests/test_app.py");
    let (before, after) = (source(&line), source(""));
    let made = Made::new(&[(file, &before), (tests, &gone)], &[(file, &after), (tests, KEPT)]);
    let found = super::judge(&made.change()).findings;
    assert_eq!((found.len(), found[0].severity), (1, crate::diag::Severity::Warning));
    let message = &found[0].message;
    assert!(message.len() < 400, "{message}");
}

/// plug 4ce85d38: the template goes on standing, and says less.
#[test]
fn what_a_template_no_longer_says_counts_too() {
    let template = |more: &str| format!("<h1>Error</h1>\n<%= for frame <- @frames do %>\n{more}<% end %>\n");
    let kept =
        "defmodule DebuggerTest do\n  use ExUnit.Case\n  test \"page\" do\n    assert render() =~ \"Error\"\n  end\n";
    let gone = "  test \"called\" do\n    assert render(:md) =~ \"Attempted function clauses shown\"\n  end\n";
    let tests = [format!("{kept}{gone}end\n"), format!("{kept}end\n")];
    let tests = ("test/debugger_test.exs", [&*tests[0], &tests[1]]);
    let with = template("Attempted function clauses shown below\n");
    assert_eq!(of(("lib/page.md.eex", [&with, &template("")]), tests), WARNING);
    assert_eq!(of(("lib/page.md.eex", [&with, &with]), tests), ERROR);
}

/// plug 2df66738 and sinatra fa99a214: the code of the change only gets less, and a test of what stands in other files goes with it.
#[test]
fn a_change_that_only_takes_code_away_is_a_warning() {
    let short = "class Route:\n    def path(self):\n        return self.raw\n";
    let long = format!(
        "{short}\n    def check(self):\n        if self.empty:\n            self.raw = '/'\n        return self.raw\n"
    );
    let gone = |word: &str| format!("{KEPT}\n\ndef test_odd(client):\n    assert client.{word}('').body == 'worked'\n");
    let said = |source: [&str; 2], word: &str| of(("web/route.py", source), ("tests/test_app.py", [&gone(word), KEPT]));
    assert_eq!(said([&long, short], "empty_paths"), WARNING);
    assert_eq!(said([&long, short], "cookies"), ERROR, "nothing of it goes");
    assert_eq!(said([short, &long], "empty_paths"), ERROR, "it gets more");
    let other = long.replace("check", "verify").replace("self.empty", "not self.raw").replace("= '/'", "= None");
    assert_eq!(said([&long, &other], "empty_paths"), ERROR, "it is written anew");
}

/// plug 03e5efb5 and 2df66738: `valid?` is a name, and `price.ex` is what `price_test.exs` is about.
#[test]
fn what_ruby_and_elixir_define() {
    let source = |more: &str| format!("defmodule Mime do\n  def path(a), do: a\n{more}end\n");
    let test = |title: &str, check: &str| format!("  test \"{title}\" do\n    assert {check}\n  end\n");
    let file = |tests: &str| format!("defmodule MimeTest do\n  use ExUnit.Case\n{tests}end\n");
    let kept = test("path", "path(1) == 1");
    let both = file(&format!("{kept}{}", test("text", "valid?(\"text/plain\")")));
    let with = source("  def valid?(a), do: a in [1, 2]\n");
    let tests = ("test/other_test.exs", [&*both, &file(&kept)]);
    assert_eq!(of(("lib/mime.ex", [&with, &source("")]), tests), NOTE);
    let unused = with.replace("valid?", "known");
    assert_eq!(of(("lib/mime.ex", [&unused, &source("")]), tests), ERROR);

    let inside = source("").replace("do: a", "do: (\n    a = a + 1\n    a = a * 2\n    a = a - 3\n    a)");
    let shorter = |path: &str| of((path, [&inside, &source("")]), ("test/mime_test.exs", tests.1));
    assert_eq!(shorter("lib/mime.ex"), WARNING);
    assert_eq!(shorter("lib/page.ex"), ERROR);
}

/// httpx 8e36f2bc: a feature goes with its tests, and one of them does not name it.
#[test]
fn what_goes_beside_tests_of_what_is_gone_is_a_warning() {
    let source = |more: &str| format!("def get(url):\n    return url\n{more}");
    let test = |name: &str, call: &str| format!("\n\ndef test_{name}(client):\n    assert client.{call} == 1\n");
    let both = source("\n\ndef proxied(url):\n    return url\n\n\ndef direct(url):\n    return 2\n");
    let one = source("\n\ndef direct(url):\n    return 2\n");
    let all = format!("{KEPT}{}{}", test("proxied", "proxied(1)"), test("scheme", "other(2)"));
    let said = |tests: &str| of(("web/get.py", [&both, &one]), ("tests/test_app.py", [tests, KEPT]));
    assert_eq!(said(&all), ["warning tests/deleted", "note tests/deleted"]);
    let more = format!("{all}{}", test("port", "other(3)"));
    assert_eq!(said(&more), ["error tests/deleted", "note tests/deleted"], "more of them go than name it");
}

/// okhttp 787d1943: code that only tests used goes, and its tests with it.
#[test]
fn what_only_tests_used_is_code_too() {
    let reader = (
        "src/test/kotlin/idn/Reader.kt",
        "class Reader {\n  fun readTables(text: String): Int {\n    return text.length\n  }\n}\n",
    );
    let file = "src/test/kotlin/idn/TablesTest.kt";
    let test = "import org.junit.jupiter.api.Test\n\nclass TablesTest {\n  @Test\n  fun tables() {\n    assertEquals(1, readTables(\"a\"))\n  }\n}\n";
    assert_eq!(said(&Made::new(&[reader, (file, test)], &[])), [format!("note tests/deleted {file}")]);
    assert_eq!(said(&Made::new(&[reader, (file, test)], &[reader])), [format!("error tests/deleted {file}")]);
}

/// phoenix 01df1dcb: a generator makes them for other people's projects.
#[test]
fn what_tests_are_made_from_is_no_test() {
    let template =
        "defmodule <%= @app %>Test do\n  test \"page\" do\n    assert get(\"/<%= @route %>\") == 1\n  end\nend\n";
    for path in ["priv/templates/auth/page_test.exs", "tests/templates/a/test_a.py"] {
        assert_eq!(said(&Made::new(&[(path, template)], &[])), [""; 0], "{path}");
    }
    // what tests templates is a test, whatever stands in its texts
    let path = "tests/templates/test_engine.py";
    let test = "def test_page():\n    assert render('<%= route %>') == 1\n";
    assert_eq!(said(&Made::new(&[(path, test)], &[])), [format!("error tests/deleted {path}")]);
    let path = "test/templates/page_test.exs";
    let test = template.replace("<%= @app %>", "Page").replace("<%= @route %>", "");
    assert_eq!(said(&Made::new(&[(path, &test)], &[])), [format!("error tests/deleted {path}")]);
}
