#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use regex::Regex;

use super::Sql;

/// The lines on which a pattern matches what runs.
fn lines(pattern: &str, text: &str) -> Vec<usize> {
    let pattern = Regex::new(pattern).unwrap();
    let sql = Sql::read(text.as_bytes()).unwrap();
    assert_eq!(sql.code.len(), text.len());
    let starts = sql.statements().flat_map(|statement| {
        let found: Vec<usize> = pattern.find_iter(statement.code).map(|found| statement.at + found.start()).collect();
        found
    });
    starts.map(|at| 1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()).collect()
}

fn drops(text: &str) -> Vec<usize> {
    lines(r"(?i)\bdrop\s+table\b", text)
}

#[test]
fn what_runs_is_seen() {
    for (text, expected) in [
        ("create table a();\nDROP TABLE b;\n", vec![2]),
        ("select '-- x'; DROP /* now */ TABLE b;", vec![1]),
        ("drop -- it\n\ttable b", vec![1]),
        ("do $$ begin\n  drop\n  table b;\nend $$;\n", vec![2]),
        ("do language plpgsql $x$ begin drop table b; end $x$;", vec![1]),
        ("DO 'begin drop table b; end'", vec![1]),
        ("create function f() returns void as $f$\nbegin\n  drop table b;\nend\n$f$ language plpgsql;", vec![3]),
        ("create or replace function f() returns void language sql as 'drop table b'", vec![1]),
        ("create function f() returns void as $$ begin execute $q$drop table b$q$; end $$", vec![1]),
        ("do $a$ begin execute 'do $b$ begin drop table b; end $b$'; end $a$", vec![1]),
        ("/* a /* b */ c */ drop table b", vec![1]),
        ("select \"it's\"; drop table b; select 'x'", vec![1]),
        ("select E'it\\'s'; drop table b; select 'x'", vec![1]),
        ("select 'C:\\'; drop table b; --'", vec![1]),
        ("select 'it\\'s'; drop table b; select 'it\\'s'", vec![1]),
        ("select $1, a$b$c; drop table b;", vec![1]),
        ("select $a$ unclosed; drop table b;", vec![1]),
        ("/*!50001 DROP TABLE b */;", vec![1]),
        ("/* see src/*.ts */ drop table b;", vec![1]),
        ("copy t from stdin;\n1\tit's\n\\.\ndrop table b;\n", vec![4]),
        ("\u{FEFF}do $$ begin drop table b; end $$", vec![1]),
        ("\\set x 1\ndo $$ begin drop table b; end $$", vec![2]),
        ("select q'[it's]' from dual; drop table b; select 'x'", vec![1]),
        ("create domain q text; select q'['; drop table b; select ']'", vec![1]),
        ("begin execute immediate q'{drop table b}'; end;", vec![1]),
        ("drop table a; drop table b;\ndrop table c", vec![1, 1, 2]),
    ] {
        assert_eq!(drops(text), expected, "{text}");
    }
}

#[test]
fn what_does_not_run_is_not_seen() {
    for text in [
        "create table a();\n-- we never drop table b here\n",
        "/* drop\ntable b */ select 1",
        "/* a /* b */ drop table c */ select 1",
        "insert into log values ('drop table b')",
        "insert into log values ($$drop table b$$), ($x$drop table c$x$)",
        "insert into log values (E'a\\'b drop table c')",
        "comment on table a is 'drop table b later';",
        "select 'it''s; drop table b'",
        "do $$ begin raise notice 'drop table b'; -- drop table c\nend $$",
        "create function f() returns void as 'begin -- drop table b\n raise notice ''drop table b''; end' language plpgsql",
        "create trigger t after insert on a for each row execute function log('drop table b')",
        "grant execute on function f to g; comment on function f is 'drop table b'",
        "exec sp_addextendedproperty 'note', 'drop table b'",
        "select \"drop table b\"",
        "copy t from stdin;\n1\tdrop table b\n\\.\n",
        "select 1 as drop_table; select 'drop', 'table'; select droptable from tables",
        "drop index b; create table c()",
        "INSERT INTO `log` VALUES ('it\\'s; drop table b', \"drop table c\"); # drop table d",
        "execute plan('x'); select 'drop table b'",
        "select rota.schedule('x', 'drop table b'); insert into cron values ('drop table b')",
        "execute 'select $1' using 'drop table b'",
    ] {
        assert_eq!(drops(text), [0usize; 0], "{text}");
    }
}

#[test]
fn what_is_put_together_to_run_is_code() {
    for text in [
        "do $$ begin execute 'drop ' || 'table b'; end $$",
        "do $$ begin execute 'drop '\n  'table b'; end $$",
        "do $$ begin execute format('drop table %I', 'b'); end $$",
        "do $$ begin execute 'drop table ' || quote_ident(t); end $$",
        "do $$ declare q text := 'drop table b'; begin execute q; end $$",
        "do $$ declare q text; begin q := 'drop table ' || t; execute q using 1; end $$",
        "do $$ declare q text; begin select 'drop table ' || t into q from x; execute q; end $$",
        "do $$ begin for r in execute 'drop table b' loop end loop; end $$",
        "execute immediate 'drop table b'",
        "select dblink_exec('dbname=x', 'drop table b')",
        "select cron.schedule('nightly', '0 3 * * *', $$drop table b$$)",
        "EXEC('drop table b')",
        "EXEC sp_executesql N'drop table b'",
        "DECLARE @q nvarchar(max) = N'drop table b'; EXEC (@q);",
        "SET @q = 'drop table b'; EXEC sp_executesql @q;",
        "PREPARE s FROM 'drop table b'; EXECUTE s;",
        "SET @q = 'drop table b'; PREPARE s FROM @q; EXECUTE s;",
    ] {
        assert_eq!(drops(text), [1], "{text}");
    }
    assert_eq!(drops("do $$ declare q text := 'drop table b'; begin raise notice q; execute z; end $$"), [0usize; 0]);
}

#[test]
fn a_body_in_another_language_is_taken_as_it_is() {
    let body = "# it's\nplpy.execute('drop table b')\n";
    for text in [
        format!("create function f() returns void as $$ {body} $$ language plpython3u; select 1"),
        format!("create function f() returns void language plpython3u as $$ {body} $$; select 1"),
    ] {
        assert_eq!(drops(&text), [2], "{text}");
    }
}

#[test]
fn a_pattern_sees_one_whole_statement_at_a_time() {
    let text = "delete from a\n  where id = 1;\n\n  delete\n from b ;";
    assert_eq!(lines(r"^delete\s+from\s+\w+\s*(;|$)", text), [4]);
    assert_eq!(lines(r"(?s)a.*b", text), [0usize; 0]);
}

#[test]
fn no_text_is_none() {
    assert_eq!(Sql::read(b"D\0R\0O\0P\0"), None);
    assert_eq!(Sql::read("é \u{1F600} 'ä".as_bytes()).unwrap().statements().count(), 1);
    let sql = Sql::read(b"select '\xFF'; drop \xC3 table b").unwrap();
    assert_eq!(sql.statements().count(), 2);
}

#[test]
fn only_what_another_version_lacks_is_added() {
    let added = |old: &str, new: &str| {
        let (old, new) = (Sql::read(old.as_bytes()).unwrap(), Sql::read(new.as_bytes()).unwrap());
        let added = new.added_to(&old).into_iter();
        added.map(|statement| statement.code.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let old = "create table a();\n/*\ndrop table b;\n*/\nselect 1;";
    assert_eq!(added(old, "select 1;\n\ncreate  table a(); -- moved"), [""; 0]);
    assert_eq!(added(old, "create table a();\ndrop table b;\nselect 1;"), ["drop table b;"]);
    assert_eq!(added("delete from t where\nid = 1;", "delete from t;"), ["delete from t;"]);
    assert_eq!(added("select 1;", "select 1; select 1;"), ["select 1;"]);
    assert_eq!(added("drop table a; drop table a;", "drop table a;"), [""; 0]);
    assert_eq!(added("drop table a(b);", "DROP TABLE\n  a ( b )\n;"), [""; 0]);
    assert_eq!(added("drop table \"a\";", "DROP TABLE \"A\";"), ["DROP TABLE \"A\";"]);
}

#[test]
fn equal_statements_take_no_quadratic_time() {
    let many = Sql::read("select 1;\n".repeat(100_000).as_bytes()).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(many.added_to(&many).len(), 0);
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_hash_begins_a_comment_where_it_can_be_no_operator() {
    for text in ["# we never drop table b here\nselect 1;", "select 1;\n  #drop table b\nselect 2;", "#-- drop table b"]
    {
        assert_eq!(drops(text), [0usize; 0], "{text}");
    }
    for (text, line) in [
        ("# it's new\ndrop table b;", 2),
        ("create table a (\n  id int, # it's the id\n  x int);\ndrop table b;", 4),
        ("select a # b; drop table b;", 1),
        ("select a #> '{x}'; drop table b;", 1),
        ("select a #- '{x}'; drop table b;", 1),
        ("select * into #t from a; drop table b;", 1),
    ] {
        assert_eq!(drops(text), [line], "{text}");
    }
}

#[test]
fn a_loop_hands_its_rows_to_what_executes_them() {
    for text in [
        "do $$ begin for r in select 'drop table ' || t as q from x loop execute r.q; end loop; end $$",
        "do $$ begin foreach q in array array['drop table b'] loop execute q; end loop; end $$",
        "do $$ begin for q in select t from x loop execute 'drop table ' || q; end loop; end $$",
    ] {
        assert_eq!(drops(text), [1], "{text}");
    }
    let other = "do $$ begin for r in select 'drop table b' loop raise notice r; end loop; execute q; end $$";
    assert_eq!(drops(other), [0usize; 0]);
}

#[test]
fn commands_of_psql_are_no_sql() {
    for text in [
        "\\echo drop table b\nselect 1;",
        "select 1;\n\\echo it's gone: drop table b\n",
        "select 'drop table b' \\g\nselect 1 \\gexec",
        "select 'drop table b';\nselect 1 \\gexec",
        "\\qecho `drop table b`\n",
    ] {
        assert_eq!(drops(text), [0usize; 0], "{text}");
    }
    for (text, line) in [
        ("select 'drop table ' || t from x \\gexec", 1),
        ("select format('drop table %I', t)\nfrom x\n\\gexec\n", 1),
        ("\\echo it's\ndrop table b;", 2),
        ("\\echo a \\\\ drop table b;", 1),
        ("\\set x `date`\nselect 'a\\'; drop table b; --'", 2),
        ("\\i it's.sql\ndrop table b;", 2),
        ("select 1 \\gset\ncreate function f() returns void as 'drop table b' language sql", 2),
        ("insert into a values (\\N, 'x'); drop table b;", 1),
    ] {
        assert_eq!(drops(text), [line], "{text}");
    }
}

#[test]
fn names_in_brackets_are_names() {
    for text in
        ["select [drop table] from [a]", "create table dbo.[drop table b] (x int)", "select 1 as [it's drop table b]"]
    {
        assert_eq!(drops(text), [0usize; 0], "{text}");
    }
    for text in [
        "select [it's] from a; drop table b; select 'x'",
        "select [a]]b] from a; drop table b",
        "drop table [dbo].[b]",
        "do $$ begin execute (array['drop table b'])[1]; end $$",
        "do $$ begin execute (array ['drop table b'])[1]; end $$",
    ] {
        assert_eq!(drops(text), [1], "{text}");
    }
    assert_eq!(drops("exec dbo.log 'drop table b'; exec [dbo].[log] 'drop table b'"), [0usize; 0]);
}

#[test]
fn nesting_costs_no_more_than_its_depth() {
    let nested = (0..200).fold("drop table b".to_owned(), |text, at| format!("do $x{at}$ {text} $x{at}$"));
    assert_eq!(drops(&nested), [1]);
    for piece in [
        "/*/* */",
        "$a",
        "as $$$$ $b",
        "'",
        "/*",
        "E'\\",
        "do $x$ $y$ ",
        "execute a; ",
        "q'x ",
        "copy t from stdin;\n",
        "# ",
        "[",
        "['] ",
        "\\g ",
        "\\gexec ",
    ] {
        let numbered: String = (0..10_000).map(|at| format!("{piece}{at}$ ")).collect();
        assert_eq!(drops(&numbered), [0usize; 0], "{piece}");
        assert_eq!(drops(&piece.repeat(10_000)), [0usize; 0], "{piece}");
    }
    let long = "do $$ begin execute q; q := 'x'; end $$;\n".repeat(5_000);
    assert_eq!(drops(&long), [0usize; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_keeps_its_length_and_lines(
        text in "(do |as |execute |exec |declare q|q := |:=|'|''|\\\\'|\"|`|\\$\\$|\\$a\\$|--|#|/\\*|\\*/|/\\*!5|;|\n|\\|\\||é|E'|x| |copy t from stdin;\n|\\\\\\.\n){0,24}"
    ) {
        let sql = Sql::read(text.as_bytes()).unwrap();
        prop_assert_eq!(sql.code.len(), text.len());
        let ends = |text: &str| text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect::<Vec<_>>();
        prop_assert!(ends(&text).iter().all(|at| matches!(sql.code.as_bytes()[*at], b'\n' | b'_')));
        prop_assert!(sql.statements().all(|statement| !statement.code.trim().is_empty()));
    }
}
