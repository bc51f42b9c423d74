use std::{cell::RefCell, ops::Range};

use proptest::prelude::*;

use super::*;

/// A name as the sink hears it: path, key, span.
type Name = (usize, String, Range<usize>);

/// Gives its bytes in pieces that end at the given places.
struct Pieces<'t> {
    bytes: &'t [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.len().min(self.size).min(into.len());
        into[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        self.size = self.size.max(into.len());
        Ok(count)
    }
}

fn paths() -> ElementPaths {
    ElementPaths::new(&["urlset/url/loc", "sitemapindex/sitemap/loc"]).expect("valid paths")
}

fn collect(names: &RefCell<Vec<Name>>) -> impl FnMut(XmlEvent<'_>) + '_ {
    |event| match event {
        XmlEvent::Name { path, found } => names.borrow_mut().push((path, found.key.into_owned(), found.span)),
        XmlEvent::Restart => names.borrow_mut().clear(),
    }
}

/// The whole way; the first read gives `size` bytes, later ones all that is asked for.
fn whole(text: &[u8], size: usize) -> (Result<Outcome, ExtractError>, Vec<Name>) {
    let names = RefCell::default();
    let outcome = extract(&paths(), &mut || Ok(Box::new(Pieces { bytes: text, size })), &mut collect(&names));
    (outcome, names.into_inner())
}

fn scanned(text: &[u8], size: usize) -> Option<Vec<Name>> {
    let names = RefCell::default();
    let done = scan::scan(&paths(), &mut Pieces { bytes: text, size }, CHUNK, &mut collect(&names));
    let (count, bytes) = done.expect("a slice is readable")?;
    let names = names.into_inner();
    assert_eq!((count, bytes), (names.len() as u64, text.len() as u64));
    Some(names)
}

fn parsed(text: &[u8], size: usize, chunk: usize) -> (Result<Outcome, ExtractError>, Vec<Name>) {
    let names = RefCell::default();
    let outcome = parse(&paths(), &mut || Ok(Box::new(Pieces { bytes: text, size })), chunk, &mut collect(&names));
    (outcome, names.into_inner())
}

/// The keys, each of which must stand where its span says if nothing had to be resolved.
fn keys(text: &str) -> Vec<String> {
    let (outcome, names) = whole(text.as_bytes(), usize::MAX);
    assert!(matches!(outcome, Ok(Outcome::Names { .. })), "{outcome:?} for {text}");
    names.into_iter().map(|(_, key, _)| key).collect()
}

fn error(text: &str) -> ExtractError {
    whole(text.as_bytes(), usize::MAX).0.expect_err("this text is broken")
}

const PLAIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- made by hand -->\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n\
    <url>\n  <loc> https://example.com/é </loc>\n  <image:image><image:loc>https://example.com/p.png</image:loc></image:image>\n\
    <xhtml:link rel=\"alternate\" href='https://example.com/de'/></url>\n<url><lastmod>2024</lastmod><loc>https://example.com/b</loc></url>\n\
    <url><loc></loc></url></urlset>\n<!-- end -->\n";

#[test]
fn a_plain_sitemap_needs_no_parser() {
    let names = scanned(PLAIN.as_bytes(), usize::MAX).expect("plain");
    let (_, again) = parsed(PLAIN.as_bytes(), usize::MAX, CHUNK);
    assert_eq!(names, again);
    assert_eq!(names.len(), 2);
    for (path, key, span) in names {
        assert_eq!((path, &PLAIN[span]), (0, key.as_str()));
    }
}

#[test]
fn entities_and_cdata_resolve_once() {
    let loc = |text: &str| keys(&format!("<urlset><url><loc>{text}</loc></url></urlset>"));
    assert_eq!(loc("http://h/?a&amp;b&#38;c&#x26;d"), ["http://h/?a&b&c&d"]);
    assert_eq!(loc("&amp;amp;"), ["&amp;"]);
    assert_eq!(loc("\n<![CDATA[ http://h/?a&b ]]> "), ["http://h/?a&b"]);
    assert_eq!(loc("http://h/<!-- x -->a"), ["http://h/a"]);
    assert_eq!(loc("a<b>no</b>c"), ["ac"]);
    assert_eq!(loc(" &#32; "), [""; 0]);
}

#[test]
fn spans_are_bytes_of_the_file() {
    let text = "\u{FEFF}<urlset><url><loc>\n<![CDATA[http://h/ä]]> </loc></url><url><loc> http://h/?a&amp;b </loc></url></urlset>";
    let (_, names) = whole(text.as_bytes(), usize::MAX);
    let found: Vec<_> = names.iter().map(|(_, key, span)| (key.as_str(), &text[span.clone()])).collect();
    assert_eq!(found, [("http://h/ä", "http://h/ä"), ("http://h/?a&b", "http://h/?a&amp;b")]);
}

#[test]
fn only_the_roots_namespace_counts() {
    let prefixed =
        "<s:urlset xmlns:s='S' xmlns:t='T'><s:url><s:loc>a</s:loc><t:loc>b</t:loc><loc>c</loc></s:url></s:urlset>";
    assert_eq!(keys(prefixed), ["a"]);
    let two_prefixes = "<urlset xmlns='S' xmlns:s='S'><url><s:loc>a</s:loc></url></urlset>";
    assert_eq!(keys(two_prefixes), ["a"]);
    let redeclared = "<urlset xmlns='S'><url xmlns='T'><loc>a</loc></url><url><loc xmlns='S'>b</loc></url></urlset>";
    assert_eq!(keys(redeclared), ["b"]);
    assert_eq!(keys("<urlset><url><image:loc>a</image:loc><x><loc>b</loc></x></url><loc>c</loc></urlset>"), [""; 0]);
    assert_eq!(keys("<urlset/>"), [""; 0]);
}

#[test]
fn an_index_is_the_second_path() {
    let (_, names) = whole(b"<sitemapindex><sitemap><loc>x</loc></sitemap></sitemapindex>", usize::MAX);
    assert_eq!(names, [(1, "x".to_owned(), 28..29)]);
}

#[test]
fn what_is_cut_off_or_broken_is_an_error() {
    let body = &PLAIN[..PLAIN.rfind("\n<!--").expect("a comment")];
    for cut in (0..body.len()).filter(|cut| body.is_char_boundary(*cut)) {
        assert!(matches!(error(&body[..cut]), ExtractError::Syntax { format: "XML", .. }), "{}", &body[..cut]);
    }
    for text in [
        "",
        " \n",
        "text",
        "<a/>x",
        "<a/><b/>",
        "<a></b>",
        "</a>",
        "<a><b></a></b>",
        "<a>&b</a>",
        "<a/><![CDATA[]]>",
        "<a b></a>",
        "<a b=c/>",
        "<1/>",
        "<a$/>",
        "< a/>",
        "<urlset><url><loc>&nope;</loc></url></urlset>",
        "x<a/>",
        "<a/>&amp;",
    ] {
        assert!(matches!(error(text), ExtractError::Syntax { .. }), "{text}");
    }
    let ExtractError::Syntax { line, .. } = error("<a>\n\n<b>\n</c></a>") else { panic!("a syntax error") };
    assert_eq!(line, 4);
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert_eq!(keys(&nested(MAX_DEPTH)), [""; 0]);
    for text in [nested(MAX_DEPTH + 1), "<a>".repeat(100_000), format!("{}<a/>", "<a>".repeat(MAX_DEPTH))] {
        assert!(matches!(error(&text), ExtractError::TooLarge(_)));
    }
    let loc = |length: usize| format!("<urlset><url><loc>{}</loc></url></urlset>", "x".repeat(length));
    assert_eq!(keys(&loc(MAX_TEXT)).len(), 1);
    assert!(matches!(error(&loc(MAX_TEXT + 1)), ExtractError::TooLarge(_)));
    let comment = |length: usize| format!("<!--{}--><a/>", "x".repeat(length));
    assert_eq!(keys(&comment(500_000)), [""; 0]);
    assert!(matches!(error(&comment(3_000_000)), ExtractError::TooLarge(_)));
}

#[test]
fn only_utf8() {
    let encoding = |bytes: &[u8]| whole(bytes, usize::MAX).0.expect_err("not UTF-8");
    assert_eq!(encoding(b"<a>\xE9</a>"), ExtractError::Encoding(3));
    assert_eq!(encoding(b"\xFF\xFE<\0a\0"), ExtractError::Encoding(0));
    assert_eq!(encoding(b"<a/>\xC3"), ExtractError::Encoding(4));
    for size in 1..8 {
        assert_eq!(parsed(b"<a>\xC3\xA9\xC3</a>", size, 4).0, Err(ExtractError::Encoding(5)));
    }
}

#[test]
fn templates_take_no_names() {
    let url = "<url><loc>https://example.com/</loc></url>";
    for text in [
        format!("---\nlayout: null\n---\n<urlset>{url}</urlset>"),
        format!("<urlset>{url}{{% for p in site.pages %}}<url><loc>{{{{ p }}}}</loc></url>{{% endfor %}}</urlset>"),
        format!("<urlset>{url}<% @posts.each do |p| %><url/><% end %></urlset>"),
        format!("<?php header('x'); ?>\n<urlset>{url}</urlset>"),
        format!("<?= $head ?><urlset>{url}</urlset>"),
        format!("<urlset>{url}</oops>{}{{% x %}}", " ".repeat(2 * CHUNK)),
    ] {
        assert_eq!(whole(text.as_bytes(), usize::MAX), (Ok(Outcome::Template), Vec::new()), "{text}");
        for size in 1..text.len().min(200) {
            assert_eq!(parsed(text.as_bytes(), size, 4).0, Ok(Outcome::Template), "{text} {size}");
        }
    }
    assert_eq!(keys("<urlset><url><loc>https://h/{a}%7B</loc></url></urlset>"), ["https://h/{a}%7B"]);
}

#[test]
fn bytes_that_can_not_be_had_are_no_silence() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk"))
        }
    }
    let read = extract(&paths(), &mut || Ok(Box::new(Broken)), &mut |_| {});
    assert_eq!(read, Err(ExtractError::Read("disk".to_owned())));
    let bomb = extract(&paths(), &mut || Ok(Box::new(super::super::gzip::gunzip(&b"\x1f\x8b"[..], 1))), &mut |_| {});
    assert!(matches!(bomb, Err(ExtractError::Syntax { format: "gzip", .. })));
}

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("<url><loc>https://h/a</loc></url>".to_owned()),
        3 => "<url>[ \n]{0,2}<(loc|lastmod|image:loc)>[ \n]{0,2}[a-zé/>]{0,4}[ \n]?</(loc|lastmod|image:loc)></url>",
        2 => "<url a=['\"][^<&{%?\"'\n]{0,3}['\"][ /]?>|</url ?>|<loc/>|<loc>|</loc>|<url>|</url>",
        1 => "<!--[-<> a]{0,3}-->|<!-->|<!--->|<\\?[a ?]{0,2}\\?>|<!\\[CDATA\\[[a<&\\]]{0,3}\\]\\]>|&amp;|&#32;|&a;|&|\\{",
        1 => "<url xmlns(:i)?='[ab]?'>|<i:loc>a</i:loc>|[<>/ =\"'!?a-]{1,3}",
    ]
}

fn document() -> impl Strategy<Value = String> {
    let head = "(\u{FEFF})?(<\\?xml version='1.0'\\?>)?[ \n]?(<!-- x -->)?|<!DOCTYPE urlset>";
    let root = "<urlset( xmlns='a')?( xmlns:i=\"[ab]\")?[ \n]?>";
    let tail = "</urlset>[ \n]?(<!-- x -->)?[ax<]?";
    (head, root, proptest::collection::vec(fragment(), 0..10), tail)
        .prop_map(|(head, root, body, tail)| format!("{head}{root}{}{tail}", body.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_scanner_sees_what_the_parser_sees(text in document()) {
        let (outcome, names) = parsed(text.as_bytes(), usize::MAX, CHUNK);
        let scan = scanned(text.as_bytes(), usize::MAX);
        if let Some(scan) = &scan {
            prop_assert!(matches!(outcome, Ok(Outcome::Names { .. })), "{:?}", outcome);
            prop_assert_eq!(scan, &names);
        }
        for size in 1..=text.len() {
            prop_assert_eq!(&scanned(text.as_bytes(), size), &scan);
            prop_assert_eq!(&parsed(text.as_bytes(), size, CHUNK), &(outcome.clone(), names.clone()));
        }
        for chunk in 4..12 {
            prop_assert_eq!(&parsed(text.as_bytes(), usize::MAX, chunk), &(outcome.clone(), names.clone()));
        }
    }

    #[test]
    fn plain_documents_stay_with_the_scanner(urls in proptest::collection::vec("[a-z/.?=-]{1,20}", 0..20)) {
        let rows: String = urls.iter().map(|url| format!("  <url>\n    <loc>https://h/{url}</loc>\n  </url>\n")).collect();
        let text = format!("<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{rows}</urlset>\n");
        let names = scanned(text.as_bytes(), usize::MAX).expect("plain");
        prop_assert_eq!(names.len(), urls.len());
        for (name, url) in names.iter().zip(&urls) {
            prop_assert_eq!(&text[name.2.clone()], &format!("https://h/{url}"));
        }
    }
}
