//! Who collides with whom: a table of holders by holders, and the same as a list that says over what.

use super::{folded, head::shape, page::Page, shown};
use crate::{
    diag::{Diagnostic, Holder, HolderKind, Severity},
    report::{
        Report,
        pairs::{Meeting, Pairs, Party, Tally},
    },
};

/// How many findings of one pair are named.
const NAMED: usize = 8;

/// The table and the list. Nothing where no branch, worktree, pull request or reservation shares a finding with another holder.
pub(super) fn section(page: &mut Page, report: &Report, pairs: &Pairs<'_>) {
    if pairs.others() == 0 {
        return;
    }
    page.markup(
        "<section id=\"pairs\" aria-labelledby=\"pairs-title\">\n<h2 id=\"pairs-title\">Who collides with whom</h2>\n",
    );
    if pairs.holders.len() > 2 {
        table(page, pairs);
    }
    if pairs.hidden > 0 {
        page.markup("<p class=\"more\">and ")
            .number(pairs.hidden)
            .markup(" more holders, which take part in less grave or fewer findings</p>\n");
    }
    let (ranked, linked) = (pairs.ranked(), shown(report));
    folded(page, ranked.len(), "<ul class=\"pairs\">\n", "</ul>\n", |page, at| {
        if let Some((pair, meeting)) = ranked.get(at) {
            let found = meeting.findings.iter().filter(|at| linked.get(**at).copied().unwrap_or_default()).take(NAMED);
            who(page, pairs, *pair, meeting);
            over(page, report, meeting, found.copied());
        }
    });
    page.markup("</section>\n");
}

fn table(page: &mut Page, pairs: &Pairs<'_>) {
    page.markup("<p class=\"more\" id=\"legend\">Shape and colour show the gravest finding of two holders, the number how many there ");
    page.markup("are of that severity, and + that there are lesser ones too.</p>\n");
    page.markup("<div class=\"box\" tabindex=\"0\" role=\"group\" aria-labelledby=\"pairs-title\">\n");
    page.markup("<table aria-labelledby=\"pairs-title\" aria-describedby=\"legend\">\n<thead>\n<tr><td></td>");
    for party in &pairs.holders {
        page.markup("<th scope=\"col\"><span class=\"tall\">");
        page.markup("<span class=\"out\">")
            .markup(kind(party.holder))
            .markup(" </span>")
            .text(&party.holder.name)
            .markup("</span></th>");
    }
    page.markup(
        "<th scope=\"col\" class=\"yields\"><span class=\"tall\">must yield</span></th></tr>\n</thead>\n<tbody>\n",
    );
    for (row, party) in pairs.holders.iter().enumerate() {
        page.markup("<tr><th scope=\"row\"><span class=\"name\">");
        holder(page, party.holder);
        page.markup("</span></th>");
        for column in 0..pairs.holders.len() {
            cell(page, pairs, row, column);
        }
        yields(page, party);
        page.markup("</tr>\n");
    }
    page.markup("</tbody>\n</table>\n</div>\n");
}

fn cell(page: &mut Page, pairs: &Pairs<'_>, row: usize, column: usize) {
    let Some(meeting) = pairs.between(row, column) else {
        page.markup(if row == column { "<td class=\"self\"></td>" } else { "<td class=\"none\"></td>" });
        return;
    };
    page.markup("<td>").markup(match meeting.tally.worst() {
        Severity::Error => "<a class=\"error\" href=\"#",
        Severity::Warning => "<a class=\"warning\" href=\"#",
        Severity::Note => "<a class=\"note\" href=\"#",
    });
    anchor(page, pair(row, column)).markup("\">").markup(shape(meeting.tally.worst()));
    count(page, meeting.tally);
    page.markup("<span class=\"out\">: ").value(meeting.tally.words()).markup("</span></a></td>");
}

/// `2`, `1+`.
fn count(page: &mut Page, tally: Tally) {
    page.markup("<span class=\"number\">").number(tally.count(tally.worst()));
    page.markup(if tally.mixed() { "+</span>" } else { "</span>" });
}

fn yields(page: &mut Page, party: &Party<'_>) {
    page.markup("<td class=\"yields\">");
    match party.yields {
        0 => page.markup("–"),
        many => page.number(many),
    };
    page.markup("</td>");
}

/// One pair: who, and how grave.
fn who(page: &mut Page, pairs: &Pairs<'_>, at: (usize, usize), meeting: &Meeting) {
    page.markup(match meeting.tally.worst() {
        Severity::Error => "<li class=\"error\" id=\"",
        Severity::Warning => "<li class=\"warning\" id=\"",
        Severity::Note => "<li class=\"note\" id=\"",
    });
    anchor(page, at).markup("\">").markup(shape(meeting.tally.worst())).markup("<div>\n<p class=\"who\">");
    holder(page, pairs.holders[at.0].holder);
    page.markup(" <span class=\"times\">×</span> ");
    holder(page, pairs.holders[at.1].holder);
    page.markup("</p>\n");
}

/// Over what: links to the findings that the page shows, and how many more there are.
fn over(page: &mut Page, report: &Report, meeting: &Meeting, linked: impl Iterator<Item = usize>) {
    let mut named = 0;
    page.markup("<p class=\"what\"><span class=\"tally\">").value(meeting.tally.words()).markup(":</span> ");
    for at in linked {
        page.markup(if named > 0 { ", <a href=\"#finding-" } else { "<a href=\"#finding-" })
            .anchor(at + 1)
            .markup("\">");
        subject(page, &report.findings[at]);
        page.markup("</a>");
        named += 1;
    }
    if named < meeting.findings.len() {
        page.markup(if named > 0 { " and " } else { "" }).number(meeting.findings.len() - named).markup(" more");
    }
    page.markup("</p>\n</div></li>\n");
}

/// What a finding is about, in a few words.
fn subject(page: &mut Page, found: &Diagnostic) {
    match &found.key {
        Some(key) => {
            page.text(found.namespace.as_deref().unwrap_or(&found.code)).markup(" <code>").text(key).markup("</code>")
        }
        None => page.text(&found.code),
    };
}

/// A holder: what it is and how it is called.
pub(super) fn holder(page: &mut Page, holder: &Holder) {
    page.markup("<span class=\"kind\">").markup(kind(holder)).markup("</span> <bdi class=\"holder\">");
    page.text(&holder.name).markup("</bdi>");
}

fn kind(holder: &Holder) -> &'static str {
    match holder.kind {
        HolderKind::Head => "head",
        HolderKind::Base => "base",
        HolderKind::Branch => "branch",
        HolderKind::PullRequest => "pull request",
        HolderKind::Worktree => "worktree",
        HolderKind::Reservation => "reservation",
    }
}

fn pair(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

fn anchor(page: &mut Page, (one, other): (usize, usize)) -> &mut Page {
    page.markup("pair-").anchor(one + 1).markup("-").anchor(other + 1)
}
