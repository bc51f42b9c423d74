//! JUnit XML, as Jenkins' schema has it: one suite, one test case a finding.
//!
//! A finding that fails the run is a failure, a lesser one a test that passes and says so, a suppressed one a skipped test. A
//! gap is an error: the readers of this format count nothing else as trouble.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::{
    RenderOptions, Report,
    escape::terminal,
    gap,
    text::{self, Look},
    words,
};
use crate::diag::{Diagnostic, Suppression};

/// One test.
struct Case {
    class: String,
    name: String,
    ends: End,
}

/// How a test ended: a line, and all that there is to say.
enum End {
    Passed(Option<String>),
    Failed { kind: &'static str, line: String, text: String },
    Broken { line: String, text: String },
    Skipped(String),
}

/// Writes all findings, the suppressed ones too, then the gaps; where there are none of either, one test that passes.
pub fn render(report: &Report, options: &RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    suite(&mut writer, report, &cases(report, options))?;
    let text = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    for line in text.lines() {
        writeln!(out, "{}", no_command(line))?;
    }
    Ok(())
}

/// A line in which no runner finds a command, and every reader the same text.
fn no_command(line: &str) -> String {
    let line = line.replace("##[", "#&#35;[");
    match line.trim_start() {
        rest if rest.starts_with("::") => format!("{}&#58;{}", &line[..line.len() - rest.len()], &rest[1..]),
        _ => line,
    }
}

fn cases(report: &Report, options: &RenderOptions) -> Vec<Case> {
    let mut cases: Vec<Case> = report.findings.iter().map(|found| of_finding(found, options)).collect();
    for found in gap::findings(report, options.allow_incomplete) {
        let name = terminal(found.key.as_deref().unwrap_or_default());
        let (line, text) = (terminal(&found.message), text::text(&found, Some(0), &Look::PLAIN));
        let ends = if options.allow_incomplete { End::Skipped(line) } else { End::Broken { line, text } };
        cases.push(Case { class: gap::INCOMPLETE.into(), name, ends });
    }
    if report.complete() && report.findings.iter().all(|found| found.suppressed.is_some()) {
        cases.push(Case { class: "gatekeep".into(), name: "nothing found".into(), ends: End::Passed(None) });
    }
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for case in &mut cases {
        let number = seen.entry((case.class.clone(), case.name.clone())).or_default();
        *number += 1;
        if *number > 1 {
            case.name = format!("{} ({number})", case.name); // of two tests with one name, readers show one
        }
    }
    cases
}

fn of_finding(found: &Diagnostic, options: &RenderOptions) -> Case {
    let anchor = text::anchor(found);
    let path = anchor.and_then(|at| found.sites.get(at)).map(|site| terminal(site.path.as_bytes()));
    let key = found.key.as_deref().map(terminal).filter(|key| !key.is_empty());
    let name = match (path, key) {
        (Some(path), Some(key)) => format!("{path}: {key}"),
        (one, other) => one.or(other).unwrap_or_else(|| "(no path)".into()),
    };
    let line = format!("{}: {}", found.severity, terminal(&found.message));
    let text = text::text(found, None, &Look::PLAIN); // with all places: a test has none
    let ends = match &found.suppressed {
        Some(by) => End::Skipped(silenced(by)),
        None if options.fail_on.fails(found.severity) => End::Failed { kind: found.severity.word(), line, text },
        None => End::Passed(Some(format!("{}: {text}", found.severity))),
    };
    Case { class: terminal(&found.code), name, ends }
}

fn silenced(by: &Suppression) -> String {
    let reason = by.reason.as_deref().map(|reason| format!(": {}", terminal(reason)));
    format!("suppressed by {}{}", by.by.word(), reason.unwrap_or_default())
}

fn suite(writer: &mut Writer<Vec<u8>>, report: &Report, cases: &[Case]) -> io::Result<()> {
    let count = |is: fn(&End) -> bool| cases.iter().filter(|case| is(&case.ends)).count().to_string();
    let counts = [
        ("tests", cases.len().to_string()),
        ("failures", count(|end| matches!(end, End::Failed { .. }))),
        ("errors", count(|end| matches!(end, End::Broken { .. }))),
    ];
    let skipped = count(|end| matches!(end, End::Skipped(_)));
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut all = BytesStart::new("testsuites");
    all.push_attribute(("name", "gatekeep"));
    let mut suite = BytesStart::new("testsuite");
    suite.push_attribute(("name", "gatekeep"));
    for (name, value) in &counts {
        all.push_attribute((*name, value.as_str()));
        suite.push_attribute((*name, value.as_str()));
    }
    suite.push_attribute(("skipped", skipped.as_str()));
    writer.write_event(Event::Start(all))?;
    writer.write_event(Event::Start(suite))?;
    properties(writer, report)?;
    for case in cases {
        test(writer, case)?;
    }
    element(writer, "system-out", &[], &words::summary(report))?;
    writer.write_event(Event::End(BytesEnd::new("testsuite")))?;
    writer.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// What was judged, and what was left out by choice.
fn properties(writer: &mut Writer<Vec<u8>>, report: &Report) -> io::Result<()> {
    let given = [
        ("target", &report.target),
        ("base", &report.base),
        ("head", &report.head),
        ("policy-commit", &report.policy_commit),
    ];
    let given = given.into_iter().filter_map(|(name, value)| Some((name, terminal(value.as_deref()?))));
    let ours = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("complete", report.complete().to_string()),
        ("policy", report.policy.word().to_owned()),
    ];
    let skipped = report.skipped.iter().map(|left| ("skipped", words::omission(left)));
    writer.write_event(Event::Start(BytesStart::new("properties")))?;
    for (name, value) in ours.into_iter().chain(given).chain(skipped) {
        let mut property = BytesStart::new("property");
        property.push_attribute(("name", name));
        property.push_attribute(("value", value.as_str()));
        writer.write_event(Event::Empty(property))?;
    }
    writer.write_event(Event::End(BytesEnd::new("properties")))
}

fn test(writer: &mut Writer<Vec<u8>>, case: &Case) -> io::Result<()> {
    let mut start = BytesStart::new("testcase");
    start.push_attribute(("classname", case.class.as_str()));
    start.push_attribute(("name", case.name.as_str()));
    if matches!(case.ends, End::Passed(None)) {
        return writer.write_event(Event::Empty(start));
    }
    writer.write_event(Event::Start(start))?;
    match &case.ends {
        End::Passed(said) => element(writer, "system-out", &[], said.as_deref().unwrap_or_default())?,
        End::Failed { kind, line, text } => element(writer, "failure", &[("type", kind), ("message", line)], text)?,
        End::Broken { line, text } => element(writer, "error", &[("type", "incomplete"), ("message", line)], text)?,
        End::Skipped(why) => element(writer, "skipped", &[("message", why)], "")?,
    }
    writer.write_event(Event::End(BytesEnd::new("testcase")))
}

fn element(
    writer: &mut Writer<Vec<u8>>,
    name: &'static str,
    attributes: &[(&str, &str)],
    text: &str,
) -> io::Result<()> {
    let element = writer.create_element(name).with_attributes(attributes.iter().copied());
    if text.is_empty() { element.write_empty() } else { element.write_text_content(BytesText::new(text)) }.map(|_| ())
}
