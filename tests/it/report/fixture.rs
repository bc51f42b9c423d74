//! The report: hostile names, several holders, gaps, a path that is not UTF-8, sites with and without a position.

use gatekeep::{
    diag::{Diagnostic, Fix, Holder, HolderKind, Rename, RepoPath, Safety, Severity, Site, SuppressedBy, Suppression},
    report::{Incomplete, PolicyFrom, Report, Skipped},
    text::locate,
};

const SITEMAP: &str = "\u{feff}<urlset>\r
  <url><loc>https://example.org/</loc></url>\r
  <url><loc>https://example.org/about</loc></url>\r
  <url><loc>https://example.org/about/</loc></url>\r
\x1b]0;pwned\x07<!-- \u{202e}##[error]x -->\r
</urlset>\r
";
const CONFIG: &str = "[functions.ai-university]\nverify_jwt = false\n\n[functions.billing]\n";

pub(crate) fn holder(kind: HolderKind, name: &str) -> Holder {
    Holder { kind, name: name.into(), commit: Some("0123456789abcdef0123456789abcdef01234567".into()) }
}

/// A site with a snippet: at the `nth` place where the text says `needle`.
pub(crate) fn marked(path: &str, holder: Holder, text: &str, needle: &str, nth: usize) -> Site {
    let (at, _) = text.match_indices(needle).nth(nth).expect("the fixture holds what it looks for");
    let found = locate(text.as_bytes(), at..at + needle.len());
    let mut site = Site::path(path.into(), holder);
    (site.position, site.snippet) = (Some(found.position), Some(found.snippet));
    site
}

fn noted(mut site: Site, note: &str) -> Site {
    site.note = Some(note.into());
    site
}

fn colliding_branches() -> Diagnostic {
    let path = |name: &str| RepoPath::from(format!("supabase/migrations/20260428000000_{name}.sql").as_str());
    let mut found = Diagnostic::new(
        "supabase-migrations/duplicate",
        Severity::Error,
        "version 20260428000000 is taken by 3 files on 3 lines of work; git merges all of them without a word, and `supabase db push` then stops with SQLSTATE 23505",
        vec![
            noted(Site::path(path("jobs"), Holder::head(None)), "must yield: uncommitted work is the youngest"),
            noted(Site::path(path("ai"), holder(HolderKind::PullRequest, "#12")), "keeps the name"),
            noted(Site::path(path("teams"), holder(HolderKind::Branch, "agent/ps3")), "next free: 20260428000002"),
        ],
    );
    found.namespace = Some("supabase-migrations".into());
    found.partition = Some("supabase/migrations".into());
    found.key = Some("20260428000000".into());
    found.help = Some("take the next free version, 20260428000001".into());
    found.docs = Some("https://gatekeep.example/rules/supabase-migrations".into());
    found.fix = Some(Fix {
        title: "Rename the file of HEAD".into(),
        safety: Safety::Unsafe,
        renames: vec![Rename { from: path("jobs"), to: "supabase/migrations/20260428000001_jobs.sql".into() }],
    });
    found.seal();
    found
}

fn hostile() -> Diagnostic {
    let head = Holder::head(None);
    let mut found = Diagnostic::new(
        "adr-numbers/duplicate",
        Severity::Error,
        "number `7\n::error::pwned` is taken twice \x1b[31m",
        vec![
            Site::path(RepoPath::new(b"docs/adr/0007-caf\xe9.md"), head.clone()),
            noted(Site::path("docs/adr/0007-\x1b[2J\n::stop-commands::x.md".into(), head.clone()), "##[add-mask]a"),
            noted(Site::path("docs/adr/0007,title=x:y%0A.md".into(), head), "\u{202e}dlo"),
        ],
    );
    found.key = Some("7\n::error::pwned".into());
    found.help = Some("renumber one of them: the words of this help are many, so that the text must be wrapped, and a line could begin with ::error::pwned".into());
    found.seal();
    found
}

fn one_file_twice() -> Diagnostic {
    let path = "public/sitemap.xml";
    let head = || Holder::head(None);
    Diagnostic::new(
        "sitemap-urls/duplicate",
        Severity::Warning,
        "`https://example.org/about` is listed twice",
        vec![
            noted(
                marked(path, head(), SITEMAP, "https://example.org/about/", 0),
                "the same page once the last `/` is taken off",
            ),
            marked(path, head(), SITEMAP, "https://example.org/about", 0),
        ],
    )
}

fn two_files() -> Diagnostic {
    let mut long = String::from("{ \"padding\": \"");
    long.push_str(&"x".repeat(300));
    long.push_str("\", \"functions.billing\": 1 }");
    Diagnostic::new(
        "edge-functions/duplicate",
        Severity::Note,
        "function `billing` is set twice",
        vec![
            noted(
                marked("supabase/config.toml", holder(HolderKind::Worktree, "wt-2"), CONFIG, "functions.billing", 0),
                "in the worktree",
            ),
            marked("supabase/generated.json", holder(HolderKind::Base, "main"), &long, "functions.billing", 0),
            Site::path("supabase/functions/billing/index.ts".into(), holder(HolderKind::Reservation, "billing")),
        ],
    )
}

fn suppressed() -> Diagnostic {
    let many = (0..14).map(|n| Site::path(format!("ports/{n:02}.env").as_str().into(), Holder::head(None)));
    let mut found =
        Diagnostic::new("env-ports/duplicate", Severity::Error, "port 3000 is taken by 14 files", many.collect());
    let reason = Some("one machine runs one of them".into());
    found.suppressed = Some(Suppression { by: SuppressedBy::Allow, reason });
    found
}

pub(crate) fn fixture() -> Report {
    let mut report = Report {
        target: Some("origin/main".into()),
        base: Some("89abcdef0123456789abcdef0123456789abcdef".into()),
        head: None,
        policy: PolicyFrom::Base,
        policy_commit: Some("89abcdef0123456789abcdef0123456789abcdef".into()),
        incomplete: vec![
            Incomplete {
                what: "open pull requests".into(),
                why: "GitHub answered 403 Forbidden; give the job `pull-requests: read`, and run it again".into(),
            },
            Incomplete { what: "public/big\x1b.xml".into(), why: "larger than 256 MiB\n##[error]x".into() },
        ],
        skipped: vec![
            Skipped { what: "branches older than 30d".into(), count: Some(1200) },
            Skipped { what: "untracked files".into(), count: None },
        ],
        findings: vec![suppressed(), two_files(), one_file_twice(), hostile(), colliding_branches()],
        files: 3412,
        holders: 5,
    };
    report.sort();
    report
}

pub(crate) fn clean() -> Report {
    Report { incomplete: vec![], findings: vec![], skipped: vec![], target: None, ..fixture() }
}
