//! Tests that go because what they are about goes: each is a change of a real repository, made small.

use super::judged::said;
use crate::rule::change::testing::Made;

/// phoenix 01df1dcb: a generator makes them for other people's projects.
#[test]
fn what_tests_are_made_from_is_no_test() {
    let template =
        "defmodule <%= @app %>Test do\n  test \"page\" do\n    assert get(\"/<%= @route %>\") == 1\n  end\nend\n";
    for path in ["priv/templates/auth/page_test.exs", "tests/templates/a/test_a.py"] {
        assert_eq!(said(&Made::new(&[(path, template)], &[])), [""; 0], "{path}");
    }
    let path = "test/templates/page_test.exs";
    let test = template.replace("<%= @app %>", "Page").replace("<%= @route %>", "");
    assert_eq!(said(&Made::new(&[(path, &test)], &[])), [format!("error tests/deleted {path}")]);
}
