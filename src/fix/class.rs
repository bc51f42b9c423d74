//! Classes that have to be called as their file is: Java's for Flyway, and Phinx' `V20260428000000`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Draft, Moved, file_name};

/// Languages in which the name of a file is that of its class.
const ENDINGS: [&str; 5] = [".java", ".kt", ".groovy", ".scala", ".php"];

/// Gives the class in a file the file's new name.
pub(super) fn rename(draft: &mut Draft<'_>, one: &Moved) -> Result<(), String> {
    let names = [file_name(&one.from), file_name(&one.to)];
    let [Some(old), Some(new)] =
        names.map(|name| name.and_then(|name| ENDINGS.iter().find_map(|end| name.strip_suffix(end))))
    else {
        return Ok(());
    };
    let (old, new) = (class(old), class(new));
    let Some(text) = draft.text(&one.from)? else { return Ok(()) };
    let renamed = replaced(&text, &old, &new);
    if renamed != text {
        draft.edit(&one.from, renamed);
    }
    Ok(())
}

/// The class of a file: a number alone is no name of one, Phinx puts a `V` before it.
fn class(stem: &str) -> String {
    match stem.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("V{stem}"),
        false => stem.to_owned(),
    }
}

/// A text with one word in another's place, where it stands by itself.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> String {
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").expect("the pattern is valid"));
    WORD.replace_all(
        text,
        |word: &regex::Captures<'_>| if &word[0] == old { new.to_owned() } else { word[0].to_owned() },
    )
    .into_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fix::draft::testing::{Memory, shown};

    fn after(path: &str, to: &str, text: &str) -> Vec<String> {
        let disk = Memory::new(&[(path, text)]);
        let mut draft = Draft::new(&disk);
        rename(&mut draft, &Moved { from: path.into(), to: to.into(), old: "2".into(), new: "3".into() }).unwrap();
        shown(draft)
    }

    #[test]
    fn the_class_is_called_as_the_file_and_nothing_else_is() {
        let text = "class V2__Add extends X { V2__Add() {} V2__Added x; String s = \"AV2__Add\"; }";
        assert_eq!(
            after("V2__Add.java", "V3__Add.java", text),
            ["V2__Add.java: class V3__Add extends X { V3__Add() {} V2__Added x; String s = \"AV2__Add\"; }"]
        );
        assert_eq!(after("20260101000000.php", "20260101000001.php", "class V20260101000000 {}").len(), 1);
        assert_eq!(after("20260101000000_add.php", "20260101000001_add.php", "class Add {}"), [""; 0]);
        assert_eq!(after("2_a.sql", "3_a.sql", "-- 2_a"), [""; 0]);
    }
}
