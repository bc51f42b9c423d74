//! The second pass: whole claims, with lines and columns, for the few names that may collide.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use super::{
    Gaps, PARSED_LIMIT,
    read::{Parsed, Pass, extract, path_found},
};
use crate::{
    claim::{Claim, Mark, Name, extract::Found},
    diag::Site,
    rule::Source,
    source::Entry,
    text::{self, Located},
    threads,
};

/// Bytes around a name that are read again, before a whole file is.
const WINDOW: usize = 4096;

/// Fewer files than so many are read again on one thread.
const FEW: usize = 32;

/// Builds the claims of these marks.
pub(super) fn claims(pass: &Pass<'_>, marks: Vec<Mark>, gaps: &Gaps) -> Vec<Claim> {
    let mut by_item: BTreeMap<u32, Vec<Mark>> = BTreeMap::new();
    for mark in marks {
        by_item.entry(mark.item).or_default().push(mark);
    }
    let work: Vec<(u32, Vec<Mark>)> = by_item.into_iter().collect();
    let built: Vec<Vec<Claim>> = threads::map(&work, FEW, |(item, marks)| of_item(pass, *item, marks, gaps));
    built.into_iter().flatten().collect()
}

/// The name that a path takes.
pub(super) fn of_path(pass: &Pass<'_>, at: u32) -> Option<Claim> {
    let item = &pass.items[at as usize];
    let claim = pass.claim(item);
    pass.namer(item).name(&path_found(claim, &item.below)).map(|name| build(pass, at, &name, None))
}

/// All names of a text, without their places; those of a text that can't be read are none, and that was said before.
pub(super) fn of_text(pass: &Pass<'_>, at: u32) -> Vec<Claim> {
    let mut claims = Vec::new();
    each(pass, at, &mut |name, _| claims.push(build(pass, at, name, None)));
    claims
}

/// Tells where a name stands that a text takes: the first of its name and unit.
pub(super) fn place(pass: &Pass<'_>, claim: &mut Claim) {
    let of = |item: &crate::rule::Item| (item.rule, item.claim, item.entry) == (claim.rule, claim.claim, claim.entry);
    let Some(at) = pass.items.iter().position(of) else { return };
    let mut located = None;
    each(pass, at as u32, &mut |name, bytes| {
        if located.is_none() && name.key == claim.key && build(pass, at as u32, name, None).unit == claim.unit {
            located = Some(text::locate(bytes, name.span.clone()));
        }
    });
    if let Some(located) = located {
        claim.site.position = Some(located.position);
        claim.site.snippet = Some(located.snippet);
    }
}

/// Tells each name of a text, with the text.
fn each(pass: &Pass<'_>, at: u32, tell: &mut dyn FnMut(&Name<'_>, &[u8])) {
    let item = &pass.items[at as usize];
    let Ok(bytes) = pass.tree.read(pass.entry(item), PARSED_LIMIT) else { return };
    let namer = pass.namer(item);
    let _ = extract(pass.claim(item), &bytes, &mut Parsed::default(), &mut |found| {
        if let Some(name) = namer.name(&found) {
            tell(&name, &bytes);
        }
    });
}

fn of_item(pass: &Pass<'_>, at: u32, marks: &[Mark], gaps: &Gaps) -> Vec<Claim> {
    let item = &pass.items[at as usize];
    let claim = pass.claim(item);
    match &claim.source {
        Source::Path(_) => of_path(pass, at).into_iter().collect(),
        Source::Xml(_) => from_stream(pass, at, marks, gaps),
        _ => from_text(pass, at, marks, gaps),
    }
}

fn build(pass: &Pass<'_>, at: u32, name: &Name<'_>, located: Option<Located>) -> Claim {
    let item = &pass.items[at as usize];
    let path = &pass.entry(item).path;
    let mut site = Site::path(path.clone(), pass.tree.holder());
    let place = located
        .as_ref()
        .map_or_else(String::new, |located| format!(":{}:{}", located.position.line, located.position.column));
    if let Some(located) = located {
        site.position = Some(located.position);
        site.snippet = Some(located.snippet);
    }
    let partition = match &name.group {
        Some(group) => Arc::from(joined(&item.partition, group)),
        None => Arc::clone(&item.partition),
    };
    Claim {
        rule: item.rule,
        claim: item.claim,
        entry: item.entry,
        partition,
        space: pass.claim(item).space.as_str().into(),
        key: name.key.clone().into_owned(),
        unit: name
            .unit
            .clone()
            .map_or_else(|| format!("{}{place}", path.exact()), |unit| format!("{}\0{unit}", item.root)),
        placed: name.unit.is_none(),
        apart: false,
        variant: name.variant.clone().unwrap_or_default().into_owned(),
        reach: name.reach.clone().unwrap_or_default().into_owned(),
        site,
    }
}

/// A partition and the group that splits it, as one path.
pub(super) fn joined(partition: &str, group: &str) -> String {
    if partition == "." { group.to_owned() } else { format!("{partition}/{group}") }
}

fn from_text(pass: &Pass<'_>, at: u32, marks: &[Mark], gaps: &Gaps) -> Vec<Claim> {
    let item = &pass.items[at as usize];
    let entry = pass.entry(item);
    let bytes = match pass.tree.read(entry, PARSED_LIMIT) {
        Ok(bytes) => bytes,
        Err(error) => {
            gaps.add(entry.path.lossy(), format!("can't be read a second time: {error}"));
            return Vec::new();
        }
    };
    let wanted: BTreeSet<(u32, u64)> = marks.iter().map(|mark| (mark.at, mark.hash)).collect();
    let namer = pass.namer(item);
    let mut claims = Vec::new();
    let done = extract(pass.claim(item), &bytes, &mut Parsed::default(), &mut |found| {
        if let Some(name) = namer.name(&found)
            && wanted.contains(&(found.span.start as u32, namer.hash(&name)))
        {
            claims.push(build(pass, at, &name, Some(text::locate(&bytes, found.span.clone()))));
        }
    });
    if done.is_err() {
        gaps.add(entry.path.lossy(), "changed while it was read");
    }
    claims
}

/// Names of a stream: read again where they stand, and only where that does not do, as a whole.
fn from_stream(pass: &Pass<'_>, at: u32, marks: &[Mark], gaps: &Gaps) -> Vec<Claim> {
    let item = &pass.items[at as usize];
    let entry = pass.entry(item);
    let compressed = entry.path.as_bytes().ends_with(b".gz");
    let texts = (!compressed).then(|| windows(pass, at, marks)).flatten();
    let texts = match texts.map_or_else(|| whole(pass, at, marks), Ok) {
        Ok(texts) => texts,
        Err(why) => {
            gaps.add(entry.path.lossy(), why);
            return Vec::new();
        }
    };
    let located = locate(pass, at, texts.iter().map(|(_, span)| span.clone()).collect(), compressed);
    let namer = pass.namer(item);
    let mut claims = Vec::new();
    for ((text, span), located) in texts.into_iter().zip(located) {
        let found = Found { key: text.into(), span, fields: Vec::new() };
        if let Some(name) = namer.name(&found) {
            let mut claim = build(pass, at, &name, located.clone());
            if located.is_none() && name.unit.is_none() {
                claim.unit = format!("{}:{}", entry.path.exact(), found.span.start);
            }
            claims.push(claim);
        }
    }
    claims
}

/// Lines and columns; none inside compressed files, whose text nobody sees.
fn locate(pass: &Pass<'_>, at: u32, spans: Vec<Range<usize>>, compressed: bool) -> Vec<Option<Located>> {
    let count = spans.len();
    let entry = pass.entry(&pass.items[at as usize]);
    if compressed {
        return vec![None; count];
    }
    // where it fails, the names are known and only their lines are not
    let Ok(lines) = lines_before(pass, entry, spans.iter().map(|span| span.start).max().unwrap_or(0)) else {
        return vec![None; count];
    };
    spans.into_iter().map(|span| in_window(pass, entry, &lines, span)).collect()
}

/// Bytes whose line ends are counted together.
const BLOCK: usize = 128 << 10;

/// How many line ends stand before each block of a file, up to some place.
fn lines_before(pass: &Pass<'_>, entry: &Entry, end: usize) -> io::Result<Vec<usize>> {
    let mut file = pass.tree.open(entry)?;
    let mut before = vec![0];
    let mut block = Vec::with_capacity(BLOCK);
    while before.len() * BLOCK <= end {
        block.clear();
        if file.by_ref().take(BLOCK as u64).read_to_end(&mut block)? < BLOCK {
            break;
        }
        let lines = memchr::memchr_iter(b'\n', &block).count();
        before.push(before.last().copied().unwrap_or_default() + lines);
    }
    Ok(before)
}

/// A place, found in the blocks around it; in the whole file where its line is longer than that.
fn in_window(pass: &Pass<'_>, entry: &Entry, lines: &[usize], span: Range<usize>) -> Option<Located> {
    let block = (span.start / BLOCK).saturating_sub(1).min(lines.len() - 1);
    let start = block * BLOCK;
    let window = pass.tree.read_at(entry, start as u64, 3 * BLOCK).ok()?;
    let before = window.get(..span.start - start)?;
    // the line above belongs to the snippet, so it has to begin in the window too
    if start > 0 && memchr::memchr_iter(b'\n', before).take(2).count() < 2 {
        let file = pass.tree.open(entry).ok()?;
        return text::locate_in(file, vec![span]).ok()?.pop();
    }
    let mut located = text::locate(&window, span.start - start..span.end - start);
    located.position.line += lines[block];
    located.position.end_line += lines[block];
    located.snippet.first_line += lines[block];
    Some(located)
}

/// The names' texts, each read again at its place; none where one of them does not stand there as plain text.
fn windows(pass: &Pass<'_>, at: u32, marks: &[Mark]) -> Option<Vec<(String, Range<usize>)>> {
    let item = &pass.items[at as usize];
    let namer = pass.namer(item);
    let mut texts = Vec::new();
    for mark in marks {
        let bytes = pass.tree.read_at(pass.entry(item), u64::from(mark.at), WINDOW).ok()?;
        let end = memchr::memchr(b'<', &bytes)?;
        let text = std::str::from_utf8(&bytes[..end]).ok()?.trim_end_matches([' ', '\t', '\r', '\n']);
        let start = mark.at as usize;
        let found = Found { key: text.into(), span: start..start + text.len(), fields: Vec::new() };
        let name = namer.name(&found)?;
        if namer.hash(&name) != mark.hash || text.contains('&') {
            return None;
        }
        texts.push((text.to_owned(), found.span.clone()));
    }
    Some(texts)
}

/// The names' texts from the whole file.
fn whole(pass: &Pass<'_>, at: u32, marks: &[Mark]) -> Result<Vec<(String, Range<usize>)>, String> {
    let item = &pass.items[at as usize];
    let wanted: BTreeSet<u32> = marks.iter().map(|mark| mark.at).collect();
    let mut texts = Vec::new();
    pass.stream(&[at], pass.entry(item), &mut |event| match event {
        Some((_, found)) => {
            if wanted.contains(&(found.span.start as u32)) {
                texts.push((found.key.into_owned(), found.span));
            }
        }
        None => texts.clear(),
    })
    .map_err(|error| format!("can't be read a second time: {error}"))?;
    Ok(texts)
}
