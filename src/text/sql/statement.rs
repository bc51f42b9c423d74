//! What the words of a statement so far say about a quoted text that comes next.

use super::lexer::{Kind, Token};

/// What has been read of the statement at hand.
#[derive(Debug, Default)]
pub(super) struct Statement {
    first: First,
    /// Whether any token was taken.
    pub(super) begun: bool,
    /// `function` or `procedure` was among the words of a `create`.
    defines: bool,
    before: Before,
    execution: Execution,
    /// Whether the body is in a language that is not SQL, as far as that was said before it.
    pub(super) foreign: bool,
    stdin: bool,
    /// Whether pg_cron is spoken to.
    cron: bool,
    /// Whether the texts of this statement go to a variable that an EXECUTE names.
    pub(super) assigns: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum First {
    #[default]
    Other,
    Create,
    Do,
    Copy,
    Prepare,
}

/// The token before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Other,
    As,
    Do,
    Language,
    LanguageName,
}

/// Where the statement stands with regard to an EXECUTE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Execution {
    #[default]
    None,
    /// The word was just there.
    Asked,
    /// And a name behind it: a procedure, a prepared statement, or a variable.
    Named,
    /// Within what is executed.
    Argument,
}

impl Statement {
    /// Whether a quoted text that comes now is code.
    pub(super) fn runs(&self, kind: Kind) -> bool {
        let body = match self.before {
            Before::As => kind == Kind::Dollar || self.defines,
            Before::Do | Before::LanguageName => kind == Kind::Dollar || self.first == First::Do || self.defines,
            Before::Other | Before::Language => false,
        };
        body || self.assigns || self.executes()
    }

    /// Whether a quoted text that comes now is a part of what an EXECUTE runs.
    pub(super) fn executes(&self) -> bool {
        matches!(self.execution, Execution::Asked | Execution::Argument)
    }

    /// Whether a word that comes now names something that an EXECUTE may run.
    pub(super) fn names(&self) -> bool {
        self.execution != Execution::None
    }

    /// Whether lines of data follow the end of this statement.
    pub(super) fn reads_data(&self) -> bool {
        self.first == First::Copy && self.stdin
    }

    pub(super) fn take(&mut self, token: &Token, text: &[u8]) {
        let written = &text[token.span.clone()];
        if !self.begun && token.kind == Kind::Word {
            self.first = first(written);
        }
        self.begun = true;
        self.execution = self.execute(token.kind, written);
        self.before = match token.kind {
            Kind::Word if self.before == Before::Language => {
                self.foreign = is_foreign(written);
                Before::LanguageName
            }
            Kind::Word => before(written),
            _ => Before::Other,
        };
        if token.kind == Kind::Word {
            self.defines |= self.first == First::Create && is_any(written, &["function", "procedure"]);
            self.stdin |= is_any(written, &["stdin"]);
            self.cron |= is_any(written, &["cron"]);
        }
    }

    fn execute(&self, kind: Kind, written: &[u8]) -> Execution {
        let word = |words: &[&str]| kind == Kind::Word && is_any(written, words);
        if word(&["execute", "exec"]) {
            return Execution::Asked;
        }
        match self.execution {
            Execution::None if self.first == First::Prepare && word(&["from"]) => Execution::Argument,
            Execution::None if word(&["dblink", "dblink_exec", "dblink_send_query"]) => Execution::Argument,
            Execution::None if self.cron && word(&["schedule", "schedule_in_database"]) => Execution::Argument,
            Execution::None => Execution::None,
            // a trigger's function, a right that is granted
            Execution::Asked if word(&["function", "procedure", "on", "to", "from"]) => Execution::None,
            Execution::Asked if word(&["immediate", "sp_executesql"]) => Execution::Argument,
            Execution::Asked if kind == Kind::Symbol && written == b"@" => Execution::Asked,
            // a schema's name, and what of it is meant comes next
            Execution::Named if kind == Kind::Symbol && written == b"." => Execution::Asked,
            Execution::Asked if kind == Kind::Symbol && written == b"," => Execution::None,
            Execution::Asked if matches!(kind, Kind::Word | Kind::Name) => Execution::Named,
            Execution::Asked => Execution::Argument,
            Execution::Named if matches!(kind, Kind::Literal | Kind::Dollar) => Execution::None,
            Execution::Named | Execution::Argument if word(&["using", "into", "loop"]) => Execution::None,
            Execution::Named | Execution::Argument => Execution::Argument,
        }
    }
}

fn first(word: &[u8]) -> First {
    let known = [("create", First::Create), ("do", First::Do), ("copy", First::Copy), ("prepare", First::Prepare)];
    known.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map_or(First::Other, |(_, first)| *first)
}

fn before(word: &[u8]) -> Before {
    let known = [("as", Before::As), ("do", Before::Do), ("language", Before::Language)];
    known.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map_or(Before::Other, |(_, it)| *it)
}

/// Whether a language has other comments and quotes than SQL.
pub(super) fn is_foreign(language: &[u8]) -> bool {
    !is_any(language, &["sql", "plpgsql", "edbspl"])
}

pub(super) fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
