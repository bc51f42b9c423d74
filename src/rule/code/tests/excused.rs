//! Tests that go, and what makes it no error: each is a change of a real repository, made small.

use super::judged::said;
use crate::rule::change::testing::Made;

/// What is said of a change of one source file and one test file, without the paths.
pub(super) fn of(source: (&str, [&str; 2]), tests: (&str, [&str; 2])) -> Vec<String> {
    let at = |at: usize| [(source.0, source.1[at]), (tests.0, tests.1[at])];
    let words = |line: String| line.rsplit_once(' ').map(|(words, _)| words.to_owned()).unwrap_or_default();
    said(&Made::new(&at(0), &at(1))).into_iter().map(words).collect()
}

pub(super) const WARNING: [&str; 1] = ["warning tests/deleted"];
pub(super) const NOTE: [&str; 1] = ["note tests/deleted"];
pub(super) const ERROR: [&str; 1] = ["error tests/deleted"];

const KEPT: &str = "def test_get(client):\n    assert client.get('/').status == 200\n";

/// httpx 77246617 and 53804173: an option goes, and its test with it. Other code goes on using the word, in files that the change leaves alone.
#[test]
fn a_name_that_the_code_loses_is_a_warning() {
    let source = |option: &str| format!("class Proxy:\n    def __init__(self, url{option}):\n        self.url = url\n");
    let gone = format!(
        "{KEPT}\n\ndef test_mode(server):\n    with pytest.raises(ValueError):\n        Proxy(server, mode='x')\n"
    );
    let with = source(", mode='all'");
    assert_eq!(of(("web/proxy.py", [&with, &source("")]), ("tests/test_proxy.py", [&gone, KEPT])), WARNING);
    assert_eq!(
        of(("web/proxy.py", [&with, &with.replace("all", "some")]), ("tests/test_proxy.py", [&gone, KEPT])),
        ERROR
    );
    // another test of the file goes on naming it
    let both = format!("{KEPT}    assert mode\n");
    let gone = gone.replace(KEPT, &both);
    assert_eq!(of(("web/proxy.py", [&with, &source("")]), ("tests/test_proxy.py", [&gone, &both])), ERROR);
    // a helper of tests is not what they test
    assert_eq!(
        of(("tests/fake.py", [&with, &source("")]), ("tests/test_proxy.py", [&gone.replace(&both, KEPT), KEPT])),
        ERROR
    );
    // a text and a comment name nothing
    let told = source("").replace("    def", "    # mode\n    def");
    let quoted = format!("{KEPT}\n\ndef test_text(server):\n    assert server.get('mode')\n");
    assert_eq!(of(("web/proxy.py", [&told, &source("")]), ("tests/test_proxy.py", [&quoted, KEPT])), ERROR);
}

/// guzzle 9a6691fb: what the code no longer does is told by nothing but that it gets shorter.
#[test]
fn a_file_that_gets_shorter_takes_its_tests_with_it() {
    let short = "class Jar:\n    def set(self, value):\n        self.value = value\n";
    let long = short.replace(
        "= value\n",
        "= value\n        if bad(value):\n            value = quote(value)\n            self.value = value\n",
    );
    let gone = format!("{KEPT}\n\ndef test_odd(jar):\n    assert jar.set('a;b') == 1\n");
    let tests = |path| (path, [&*gone, KEPT]);
    assert_eq!(of(("web/jar.py", [&long, short]), tests("tests/test_jar.py")), WARNING);
    assert_eq!(of(("web/jar.py", [short, &long]), tests("tests/test_jar.py")), ERROR, "it gets longer");
    let told = format!("# one\n# two\n\n# three\n{short}");
    assert_eq!(of(("web/jar.py", [&told, short]), tests("tests/test_jar.py")), ERROR, "comments do nothing");
    assert_eq!(of(("web/box.py", [&long, short]), tests("tests/test_jar.py")), ERROR, "another file");
    assert_eq!(of(("tests/jar.py", [&long, short]), tests("tests/test_jar.py")), ERROR, "a helper of tests");
}

/// httpx 8e36f2bc: a property goes; the word stands in other names and in the same file still.
#[test]
fn a_property_that_is_gone_is_a_warning() {
    let source = |more: &str| format!("class Url:\n    def all(self):\n        return self.raw\n{more}");
    let gone = format!("{KEPT}\n\ndef test_parts(url):\n    assert url.raw == 1\n");
    let both = [&*source("\n    @property\n    def raw(self):\n        return 1\n"), &source("")];
    assert_eq!(of(("web/url.py", both), ("tests/test_url.py", [&gone, KEPT])), WARNING);
    assert_eq!(of(("web/url.py", [both[0], both[0]]), ("tests/test_url.py", [&gone, KEPT])), ERROR);
}

/// httpx 78cf16ac and express 71395f59: what a title says goes from the code, in a change that only takes code away.
#[test]
fn a_title_that_says_what_is_removed_is_a_warning() {
    let client = "class Client:\n    def merge(self, url):\n        if in_hsts_preload(url.host):\n            url = url.secure()\n            self.log(url)\n        return url\n";
    let plain = "class Client:\n    def merge(self, url):\n        return url\n";
    let gone = format!("{KEPT}\n\ndef test_merge_url_hsts(url):\n    assert url.scheme == 'https'\n");
    assert_eq!(of(("web/client.py", [client, plain]), ("tests/test_client.py", [&gone, KEPT])), WARNING);
    let more = format!(
        "{plain}{}",
        "\n    def more(self):\n        a = 1\n        b = 2\n        c = 3\n        return a + b + c\n"
    );
    assert_eq!(
        of(("web/client.py", [client, &more]), ("tests/test_client.py", [&gone, KEPT])),
        ERROR,
        "it adds as much"
    );

    let express = "res.redirect = function redirect(url) {\n  if (arguments.length === 2) {\n    deprecate('res.redirect(url, status)');\n    this.status = arguments[1];\n  }\n  this.go(url);\n};\n";
    let without = "res.redirect = function redirect(url) {\n  this.go(url);\n};\n";
    let block = "  describe('.redirect(url, status)', () => {\n    it('should take both', () => {\n      expect(go('/a', 303)).toBe(303);\n    });\n  });\n";
    let kept = "  it('should redirect', () => {\n    expect(go('/a')).toBe(302);\n  });\n";
    let file = |blocks: &str| format!("describe('res', () => {{\n{kept}{blocks}}});\n");
    let tests = ("test/redirect.test.js", [&*file(block), &file("")]);
    assert_eq!(of(("lib/response.js", [express, without]), tests), WARNING);
    let half = file(&block.replacen("    it(", &format!("  {kept}    it("), 1));
    let left = file(&format!("  describe('.redirect(url, status)', () => {{\n  {kept}  }});\n"));
    assert_eq!(of(("lib/response.js", [express, without]), (tests.0, [&half, &left])), ERROR, "the block stands");
}

/// express 9c85a25c and gin 1f377cb8: a test twice, and one without anything in it.
#[test]
fn a_twin_and_an_empty_test_are_notes() {
    let body = "  const app = start();\n  app.use('/', () => 1);\n  expect(app.get('/')).toBe(1);\n});\n";
    let one = format!("test('encodes data', () => {{\n{body}");
    let two = format!("{one}\ntest('does it again', () => {{\n{body}");
    let source = ("lib/app.js", ["start();\n"; 2]);
    assert_eq!(of(source, ("test/app.test.js", [&two, &one])), NOTE);
    let other = format!("{one}\ntest('does it again', () => {{\n{}", body.replace("toBe(1)", "toBe(2)"));
    assert_eq!(of(source, ("test/app.test.js", [&other, &one])), ERROR, "it is another body");
    // Humanizer e66e7407: other rows, and in another culture
    let rows = |rows: &str, name: &str| {
        format!(
            "@pytest.mark.parametrize('a, b', [{rows}])\ndef test_{name}(a, b):\n    made = build(a)\n    assert made.pascal() == b\n\n"
        )
    };
    let both = format!("{}{}", rows("('x', 'X')", "english"), rows("('i', 'I'), ('j', 'J')", "turkish_dots"));
    assert_eq!(of(source, ("test_app.py", [&both, &rows("('x', 'X')", "english")])), ERROR);
    let go = "package a\n\nfunc TestOne(t *testing.T) {\n\tt.Fatal(\"x\")\n}\n";
    let empty = format!("{go}\nfunc TestEmpty(t *testing.T) {{\n\n}}\n");
    assert_eq!(of(source, ("a_test.go", [&empty, go])), NOTE);
}

/// httpx 5b5f6d8e: two tests become one that checks most of both.
#[test]
fn checks_that_mostly_stand_elsewhere_are_a_warning() {
    let check = |parts: &[&str]| parts.iter().map(|part| format!("    assert url.{part}\n")).collect::<String>();
    let kept = "def test_empty():\n    assert URL('').host == ''\n\n\n";
    let mid = "def test_mid():\n    assert URL('x').mid == 1\n";
    let before =
        format!("def test_url():\n    url = URL('http://a/b')\n{}\n\n{kept}{mid}", check(&["a", "b", "c", "d"]));
    let after = |parts: &[&str]| {
        let longer = format!("{kept}{mid}    url = parse('http://a/b?c#d', strict)\n{}", check(parts));
        of(("web/url.py", ["URL = 1\n"; 2]), ("tests/test_url.py", [&before, &longer]))
    };
    assert_eq!(after(&["a", "b", "c"]), WARNING);
    assert_eq!(after(&["a", "b"]), ERROR);
}

/// gin 39181329: three tests of ways to start become one of the setting behind them.
#[test]
fn many_that_become_one_have_that_one_in_their_place() {
    let test = |name: &str, body: &str| {
        format!("func TestBadCIDRs{name}(t *testing.T) {{\n\t{body}\n\tassert.Error(t, r.Last())\n}}\n")
    };
    let all: String =
        ["ForRun", "ForRunFd", "ForRunTLS"].map(|name| test(name, &format!("go r.Start{name}(\":80\")"))).concat();
    let one = test("", "r.Set([]string{\"x/y\"})");
    let found = of(
        ("run.go", ["package a\n"; 2]),
        ("run_test.go", [&format!("package a\n{all}"), &format!("package a\n{one}")]),
    );
    assert_eq!(found, NOTE);
}

/// express 291993d7: each block of an option is written anew, with more tests than before.
#[test]
fn a_block_that_is_written_anew_is_a_note() {
    let file = |block: &str| {
        format!(
            "describe('send', () => {{\n  it('works', () => {{ expect(send()).toBe(1); }});\n  describe('with \"dotfiles\"', () => {{\n{block}  }});\n}});\n"
        )
    };
    let old = "    it('should accept the option', () => { expect(send({ dotfiles: 'allow' })).toBe(2); });\n";
    let new = "    describe('when \"allow\"', () => {\n      it('lets dots through', () => { const app = make('allow'); expect(app.get('/.name').status).toBe(200); });\n    });\n    it('refuses by default', () => { expect(make().get('/.name').status).toBe(404); });\n";
    let source = ("lib/send.js", ["send();\n"; 2]);
    assert_eq!(of(source, ("test/send.test.js", [&file(old), &file(new)])), NOTE);
    let kept = "    it('stays', () => { expect(stay()).toBe(3); });\n";
    let both = [file(&format!("{kept}{old}{kept}")), file(&format!("{kept}{kept}"))];
    assert_eq!(of(source, ("test/send.test.js", [&both[0], &both[1]])), ERROR);
}

/// monolog 3dcb1919: two tests become one with a data provider.
#[test]
fn a_data_provider_of_php_has_rows() {
    let test = |name: &str, args: &str, doc: &str| {
        format!(
            "    {doc}public function {name}({args}): void\n    {{\n        $this->assertSame(1, Stream::open($path)); $this->assertTrue(file_exists({args}));\n    }}\n"
        )
    };
    let class = |tests: &str| format!("<?php\nfinal class StreamTest extends TestCase\n{{\n{tests}}}\n");
    let before = class(&format!(
        "{}{}",
        test("testPath", "", ""),
        test("testFileResource", "", "").replace("Stream::open($path)", "Stream::open('file://x')")
    ));
    for doc in ["/**\n     * @dataProvider paths\n     */\n    ", "#[DataProvider('paths')]\n    "] {
        let after = class(&test("testPath", "$path", doc));
        assert_eq!(
            of(("src/Stream.php", ["<?php\n"; 2]), ("tests/StreamTest.php", [&before, &after])),
            [""; 0],
            "{doc}"
        );
    }
}

/// moshi 97d2bf5e: a test of one value becomes one of all of them, under another name and with other words.
#[test]
fn a_new_test_that_calls_the_same_is_a_warning() {
    let kept = "class ReaderTest {\n  @Test void skips() { assertEquals(1, skip()); }\n";
    let old = "  @Test void lenientText() {\n    Reader reader = open(\"a\");\n    reader.setLenient(true);\n    assertEquals(\"a\", reader.nextText());\n  }\n";
    let mid = "  @Test void closes() { assertTrue(done()); }\n";
    let new = |call: &str| {
        format!(
            "  @Test void topLevel() {{\n    Reader first = open(\"1\");\n    assertEquals(1, first.nextNumber());\n    Reader second = open(\"b\");\n    second.setLenient(true);\n    assertEquals(\"b\", second.{call}());\n  }}\n"
        )
    };
    let of = |new: &str| {
        let [before, after] = [format!("{kept}{old}{mid}}}\n"), format!("{kept}{mid}{new}}}\n")];
        of(
            ("src/main/java/Reader.java", ["class Reader {}\n"; 2]),
            ("src/test/java/ReaderTest.java", [&before, &after]),
        )
    };
    assert_eq!(of(&new("nextText")), WARNING);
    assert_eq!(of("  @Test void other() { assertEquals(2, open(2).size()); }\n"), ERROR);
}

/// moshi 7804d743: a test moves to another class and is written anew there; its long name is the same.
#[test]
fn a_long_name_in_another_file_is_the_same_test() {
    let class = |class: &str, tests: &str| format!("class {class} {{\n{tests}}}\n");
    let old = |name: &str| format!("  @Test void {name}() {{ Moshi m = build(); assertEquals(1, m.from(2)); }}\n");
    let new = |name: &str| {
        format!(
            "  @Test void {name}() {{\n    for (Kind kind : KINDS) {{ check(kind.moshi().read(\"{{}}\")); }}\n  }}\n"
        )
    };
    let said = |name: &str| {
        let paths = ["src/test/java/AdapterTest.java", "src/test/java/DualTest.java"];
        let before = [class("AdapterTest", &old(name)), class("DualTest", "")];
        let after = [class("AdapterTest", ""), class("DualTest", &new(name))];
        said(&Made::new(
            &[(paths[0], &before[0]), (paths[1], &before[1])],
            &[(paths[0], &after[0]), (paths[1], &after[1])],
        ))
    };
    assert_eq!(said("delegatesToInstalledAdapters"), [""; 0]);
    assert_eq!(said("length"), ["error tests/deleted src/test/java/AdapterTest.java"]);
}
