//! What of a statement stays the same when somebody lays it out anew.

/// Words that mean the same in capitals, sorted. A word that is missing here is only a statement that counts as new.
const KEYWORDS: [&str; 209] = [
    "add",
    "after",
    "all",
    "alter",
    "always",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "before",
    "begin",
    "between",
    "bigint",
    "bigserial",
    "bool",
    "boolean",
    "both",
    "by",
    "bytea",
    "call",
    "cascade",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "cluster",
    "collate",
    "column",
    "columns",
    "comment",
    "commit",
    "concurrently",
    "conflict",
    "constraint",
    "copy",
    "create",
    "cross",
    "current_date",
    "current_timestamp",
    "cursor",
    "data",
    "database",
    "date",
    "decimal",
    "declare",
    "default",
    "deferrable",
    "delete",
    "desc",
    "disable",
    "distinct",
    "do",
    "domain",
    "double",
    "drop",
    "each",
    "else",
    "elsif",
    "enable",
    "end",
    "enum",
    "except",
    "exec",
    "execute",
    "exists",
    "extension",
    "false",
    "fetch",
    "first",
    "float",
    "for",
    "foreach",
    "foreign",
    "format",
    "from",
    "full",
    "function",
    "grant",
    "group",
    "having",
    "identity",
    "if",
    "ilike",
    "immediate",
    "immutable",
    "in",
    "index",
    "inner",
    "inout",
    "insert",
    "instead",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "join",
    "json",
    "jsonb",
    "key",
    "language",
    "last",
    "lateral",
    "left",
    "like",
    "limit",
    "local",
    "lock",
    "loop",
    "materialized",
    "merge",
    "modify",
    "natural",
    "no",
    "not",
    "nothing",
    "notify",
    "null",
    "nulls",
    "numeric",
    "of",
    "off",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "over",
    "owner",
    "partition",
    "perform",
    "policy",
    "precision",
    "prepare",
    "primary",
    "privileges",
    "procedure",
    "public",
    "raise",
    "real",
    "references",
    "refresh",
    "reindex",
    "rename",
    "replace",
    "restrict",
    "return",
    "returning",
    "returns",
    "revoke",
    "right",
    "role",
    "rollback",
    "row",
    "rows",
    "schema",
    "security",
    "select",
    "sequence",
    "serial",
    "session",
    "set",
    "setof",
    "show",
    "smallint",
    "some",
    "stable",
    "start",
    "table",
    "tables",
    "temp",
    "temporary",
    "text",
    "then",
    "time",
    "timestamp",
    "timestamptz",
    "to",
    "transaction",
    "trigger",
    "true",
    "truncate",
    "type",
    "union",
    "unique",
    "unlogged",
    "update",
    "use",
    "user",
    "using",
    "uuid",
    "vacuum",
    "values",
    "varchar",
    "varying",
    "view",
    "volatile",
    "when",
    "where",
    "while",
    "with",
    "without",
    "zone",
];

/// A statement without the blanks that say nothing, its keywords in small letters. Names keep their case, which some databases heed.
pub(super) fn of(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code.trim();
    let mut blank = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => {
                blank = true;
                rest = rest.trim_start();
                continue;
            }
            '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        if blank && is_word(first) && out.ends_with(is_word) {
            out.push(' ');
        }
        let small = piece.to_ascii_lowercase();
        out.push_str(if KEYWORDS.binary_search(&small.as_str()).is_ok() { &small } else { piece });
        (rest, blank) = (after, false);
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted() && KEYWORDS.iter().all(|word| *word == word.to_ascii_lowercase()));
    }

    #[test]
    fn a_new_layout_is_the_same_statement() {
        for (one, other) in [
            ("create table a(id int)", "CREATE TABLE a (\n  id INT\n)"),
            ("drop  table\n\tb ;", "DROP TABLE b;"),
            ("select a,b from c where d='  '", "SELECT\n  a,\n  b\nFROM c\nWHERE d = '  '"),
        ] {
            assert_eq!(of(one), of(other));
        }
    }

    #[test]
    fn another_name_is_another_statement() {
        for (one, other) in [
            ("drop table a", "drop table b"),
            ("drop table Users", "drop table users"),
            ("drop table \"TABLE\"", "drop table \"table\""),
            ("drop table \"a b\"", "drop table \"ab\""),
            ("drop table a b", "drop table ab"),
            ("drop table `DROP`", "drop table `drop`"),
            ("select 1", "select 1 2"),
        ] {
            assert_ne!(of(one), of(other));
        }
    }
}
