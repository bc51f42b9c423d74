//! Markup that can't be broken out of.
//!
//! Markup comes out of this program's source and nowhere else: [`Page::markup`] takes nothing that was put together at run
//! time. All else goes through [`Page::text`], which is safe between tags and inside double quotes.

use crate::{report::escape::pieces, text::count};

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Page {
    written: String,
}

impl Page {
    /// Adds markup of our own.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.written.push_str(markup);
        self
    }

    /// Adds text of any origin, on one line. What a reader could not see is written out, and marked as such.
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let mut inside = false;
        pieces(text.as_ref(), |piece, escaped| {
            if escaped != inside {
                self.written.push_str(if escaped { "<span class=\"esc\">" } else { "</span>" });
                inside = escaped;
            }
            self.push(piece);
        });
        if inside {
            self.written.push_str("</span>");
        }
        self
    }

    /// Adds text of any origin as the value of an attribute or as the content of an element that takes no markup.
    pub(super) fn value(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        pieces(text.as_ref(), |piece, _| self.push(piece));
        self
    }

    /// Adds a number with commas between thousands.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        self.written.push_str(&count::number(number));
        self
    }

    /// Adds the number of an anchor.
    pub(super) fn anchor(&mut self, number: usize) -> &mut Self {
        self.written.push_str(&number.to_string());
        self
    }

    /// Adds what a text with words between backticks says, those words as code. An odd backtick is only a backtick.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return self.text(text);
        }
        for (at, part) in parts.iter().enumerate() {
            match (at % 2, part.is_empty()) {
                (0, _) => self.text(part),
                (_, true) => self.text("``"),
                (_, false) => self.markup("<code>").text(part).markup("</code>"),
            };
        }
        self
    }

    /// The page as it is.
    pub(super) fn finish(self) -> String {
        self.written
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.written.push_str("&amp;"),
                '<' => self.written.push_str("&lt;"),
                '>' => self.written.push_str("&gt;"),
                '"' => self.written.push_str("&quot;"),
                '\'' => self.written.push_str("&#39;"),
                _ => self.written.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(write: impl FnOnce(&mut Page) -> &mut Page) -> String {
        let mut page = Page::default();
        write(&mut page);
        page.finish()
    }

    #[test]
    fn text_stays_text() {
        let text = written(|page| page.text("</textarea><script>alert('1')</script>\" onx=\"&amp;"));
        assert_eq!(text, "&lt;/textarea&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onx=&quot;&amp;amp;");
    }

    #[test]
    fn what_can_not_be_seen_is_written_out() {
        let text = written(|page| page.text(b"a\n\r\x00b\xff\xe2\x80\xaec\xef\xbf\xbf%0A"));
        assert_eq!(
            text,
            "a<span class=\"esc\">\\n\\r\\x00</span>b<span class=\"esc\">\\xff\\u{202e}</span>c<span class=\"esc\">\\u{ffff}</span>%0A"
        );
        assert_eq!(written(|page| page.value("\u{200f}\"\n")), "\\u{200f}&quot;\\n");
    }

    #[test]
    fn backticks_are_code_where_they_are_in_pairs() {
        assert_eq!(written(|page| page.prose("a `b<` c ``")), "a <code>b&lt;</code> c ``");
        assert_eq!(written(|page| page.prose("a `b` c`")), "a `b` c`");
    }

    proptest! {
        #[test]
        fn no_text_opens_or_ends_anything(text in prop::collection::vec(any::<u8>(), 0..40), tags in "[<>&\"'/a-z!\\-\n\u{202e}`=]{0,40}") {
            for text in [text, tags.into_bytes()] {
                let element = written(|page| page.text(&text));
                let bare = element.replace("<span class=\"esc\">", "").replace("</span>", "");
                let value = written(|page| page.value(&text));
                prop_assert_eq!(&bare, &value);
                prop_assert!(!value.contains(['<', '>', '"', '\'']));
                prop_assert!(!value.contains(|c: char| c.is_control()), "{:?}", value);
                let entities = value.matches('&').count();
                let ours = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].iter().map(|one| value.matches(one).count()).sum::<usize>();
                prop_assert_eq!(entities, ours);
            }
        }
    }
}
