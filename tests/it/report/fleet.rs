//! Reports of many lines of work: an ordinary one, a hostile one, a thousand branches.

use gatekeep::{
    diag::{
        Confidence, Diagnostic, Fix, Holder, HolderKind, Position, Rename, RepoPath, Safety, Severity, Site, Snippet,
        SuppressedBy, Suppression,
    },
    report::{Incomplete, PolicyFrom, Report, Skipped},
};

use super::fixture::{clean, holder, marked};

const DOCS: &str = "https://supabase.com/docs/guides/deployment/database-migrations";

fn branch(name: &str) -> Holder {
    holder(HolderKind::Branch, name)
}

fn worktree(name: &str) -> Holder {
    Holder { commit: None, ..holder(HolderKind::Worktree, name) }
}

fn pull(name: &str) -> Holder {
    holder(HolderKind::PullRequest, name)
}

fn base() -> Holder {
    Holder {
        kind: HolderKind::Base,
        name: "origin/main".into(),
        commit: Some("89abcdef0123456789abcdef0123456789abcdef".into()),
    }
}

fn site(path: &str, holder: Holder, note: &str) -> Site {
    Site { note: (!note.is_empty()).then(|| note.into()), ..Site::path(path.into(), holder) }
}

/// A finding about a name.
fn named(rule: &str, severity: Severity, key: &str, partition: &str, message: &str, sites: Vec<Site>) -> Diagnostic {
    let mut found = Diagnostic::new(format!("{rule}/duplicate"), severity, message, sites);
    (found.namespace, found.partition, found.key) = (Some(rule.into()), Some(partition.into()), Some(key.into()));
    found.seal();
    found
}

fn renames(title: &str, safety: Safety, paths: &[(&str, &str)]) -> Option<Fix> {
    let renames = paths.iter().map(|(from, to)| Rename { from: (*from).into(), to: (*to).into() }).collect();
    Some(Fix { title: title.into(), safety, renames })
}

fn migrations() -> [Diagnostic; 2] {
    let path = |key: &str, name: &str| format!("supabase/migrations/{key}_{name}.sql");
    let mut four = named(
        "supabase-migrations",
        Severity::Error,
        "20260428000000",
        "supabase/migrations",
        "version 20260428000000 is taken by 4 branches in `supabase/migrations`. `supabase db push` keys its history by the digits before the first underscore: the second file fails with \"duplicate key value violates unique constraint schema_migrations_pkey\" (SQLSTATE 23505), or is never applied.",
        vec![
            site(
                &path("20260428000000", "competitor_pages"),
                branch("agent/ps4"),
                "began later: Tue 14:06; next free: 20260428000001",
            ),
            site(
                &path("20260428000000", "docs_schema"),
                branch("agent/win"),
                "began later: Tue 14:31; next free: 20260428000002",
            ),
            site(
                &path("20260428000000", "auth_guard"),
                branch("agent/ps5"),
                "began later: Tue 15:12; next free: 20260428000003",
            ),
            site(&path("20260428000000", "seed_providers"), branch("agent/ps3"), "the oldest: Tue 13:58"),
        ],
    );
    four.help = Some("keep the version for the one that was applied first and give the others a free one".into());
    four.docs = Some(DOCS.into());
    four.fix = renames(
        "give each later one the next free name",
        Safety::Unsafe,
        &[("competitor_pages", "1"), ("docs_schema", "2"), ("auth_guard", "3")]
            .map(|(name, last)| (path("20260428000000", name), path(&format!("2026042800000{last}"), name)))
            .each_ref()
            .map(|(from, to)| (from.as_str(), to.as_str())),
    );
    let mut merged = named(
        "supabase-migrations",
        Severity::Error,
        "20260501090000",
        "supabase/migrations",
        "version 20260501090000 is taken by a branch and by the base in `supabase/migrations`. The branch was green when it forked; since then the base took the number.",
        vec![
            site(&path("20260501090000", "invoices"), branch("agent/billing"), "next free: 20260501090001"),
            site(&path("20260501090000", "sessions"), base(), "already merged"),
        ],
    );
    merged.docs = Some(DOCS.into());
    merged.fix = renames(
        "rename the branch's file",
        Safety::Safe,
        &[(&path("20260501090000", "invoices"), &path("20260501090001", "invoices"))],
    );
    [four, merged]
}

const CONFIG: &str = "project_id = \"shop\"\n\n[functions.billing]\nverify_jwt = false\n";
const OTHER_CONFIG: &str =
    "project_id = \"shop\"\n\n[functions.search]\nverify_jwt = true\n\n[functions.Billing]\nverify_jwt = true\n";
const SITEMAP: &str = "<urlset>\n\t<url><loc>https://shop.example/pricing</loc></url>\n\t<url><loc>https://shop.example/pricing/</loc></url>\n</urlset>\n";

fn others() -> Vec<Diagnostic> {
    let mut numbers = named(
        "adr-numbers",
        Severity::Error,
        "17",
        "docs/adr",
        "number 17 is taken by two decision records in `docs/adr`. Whoever links to \"ADR 17\" means one of them.",
        vec![
            site("docs/adr/0017-Why we left (the) queue.md", worktree("wt-docs"), "uncommitted work is the youngest"),
            site("docs/adr/0017-one-search-index.md", pull("#57"), ""),
        ],
    );
    numbers.fix = renames(
        "take the next free number",
        Safety::Safe,
        &[("docs/adr/0017-Why we left (the) queue.md", "docs/adr/0018-Why we left (the) queue.md")],
    );
    let ports = named(
        "env-ports",
        Severity::Error,
        "5173",
        ".",
        "port 5173 is taken by two worktrees. The dev server that starts second takes the next port without a word, and its tests talk to the first one.",
        vec![
            marked("apps/web/.env", worktree("wt-docs"), "# vite\nPORT=5173\nHOST=127.0.0.1\n", "5173", 0),
            marked("apps/web/.env", worktree("wt-auth"), "PORT=5173\n", "5173", 0),
        ],
    );
    let mut functions = named(
        "edge-functions",
        Severity::Warning,
        "billing",
        "supabase/functions",
        "function `billing` is set on two lines of work, as `billing` and `Billing`. On macOS both are one folder.",
        vec![
            marked("supabase/config.toml", pull("#57"), OTHER_CONFIG, "functions.Billing", 0),
            marked("supabase/config.toml", branch("agent/billing"), CONFIG, "functions.billing", 0),
        ],
    );
    functions.confidence = Confidence::Medium;
    functions.help = Some("rename one of them, or set both in one branch".into());
    let urls = named(
        "sitemap-urls",
        Severity::Warning,
        "https://shop.example/pricing",
        "public",
        "`https://shop.example/pricing` is listed twice.",
        vec![
            marked("public/sitemap.xml", branch("agent/ps4"), SITEMAP, "https://shop.example/pricing/", 0),
            marked("public/sitemap.xml", branch("agent/ps3"), SITEMAP, "https://shop.example/pricing", 0),
        ],
    );
    let mut contents = named(
        "supabase-migrations",
        Severity::Note,
        "20260502000000",
        "supabase/migrations",
        "one path has two contents on `agent/ps5` and pull request #41: git stops that merge by itself.",
        vec![
            site("supabase/migrations/20260502000000_roles.sql", branch("agent/ps5"), ""),
            site("supabase/migrations/20260502000000_roles.sql", pull("#41"), ""),
        ],
    );
    contents.docs = Some(DOCS.into());
    vec![numbers, ports, functions, urls, contents]
}

/// Twelve agents on an afternoon.
pub(crate) fn fleet() -> Report {
    let mut silenced = named(
        "supabase-migrations",
        Severity::Error,
        "20251111120000",
        "supabase/migrations",
        "version 20251111120000 is taken by 2 files in `supabase/migrations`.",
        vec![
            site("supabase/migrations/20251111120000_tags.sql", base(), ""),
            site("supabase/migrations/20251111120000_teams.sql", base(), ""),
        ],
    );
    let reason = Some("both were applied by hand in November".into());
    silenced.suppressed = Some(Suppression { by: SuppressedBy::Allow, reason });
    let mut report = Report {
        head: Some("fedcba9876543210fedcba9876543210fedcba98".into()),
        target: Some("origin/main".into()),
        incomplete: vec![Incomplete {
            what: "worktree wt-seo".into(),
            why: "its folder is gone; `git worktree prune` forgets it".into(),
        }],
        skipped: vec![
            Skipped { what: "branches older than 30d".into(), count: Some(1204) },
            Skipped { what: "open pull requests: no token".into(), count: None },
        ],
        findings: migrations().into_iter().chain(others()).chain([silenced]).collect(),
        files: 318,
        holders: 14,
        ..clean()
    };
    report.sort();
    report
}

/// Texts that would do something in a page, one for each way out.
pub(crate) const TRICKS: [&str; 10] = [
    "</title><script>document.title = 'pwned'</script>",
    "\"><img src=x onerror=\"document.title = 'pwned'\">",
    "' onmouseover='document.title = `pwned`' x='",
    "</style><style>* { display: none }</style>",
    "</textarea></pre></code><svg onload=\"document.title = 'pwned'\">",
    "<!--<script>--><![CDATA[ &lt;script&gt; %0A%3Cscript%3E &#60;script",
    "\u{202e}lmth.daol\u{202c} \u{200f}\u{61c}\u{2066}x\u{2069} \u{feff}\0\x1b[31m\r\n::error::x ##[add-mask]y",
    "שלום עולם ← مرحبا",
    "Z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}\u{30a}\u{30b}\u{30c}\u{30d}\u{30e}\u{30f}\u{310}\u{311}\u{312}\u{313}",
    "`a` ``` `<b>` $(touch pwned) ; rm -rf ~ & \\",
];

/// Everything that comes from outside is a trick, or very long.
pub(crate) fn hostile() -> Report {
    let long = format!("{}/{}.sql", "deep/".repeat(40), "long_name_without_a_break".repeat(12));
    let text = TRICKS.concat();
    let whose = |at: usize| Holder {
        kind: [HolderKind::Branch, HolderKind::PullRequest, HolderKind::Worktree, HolderKind::Reservation][at % 4],
        name: TRICKS[at].into(),
        commit: Some(TRICKS[(at + 1) % TRICKS.len()].into()),
    };
    let found = |at: usize| {
        let position = Some(Position { line: 1, column: 1, end_line: 2, end_column: 3 });
        let snippet = Some(Snippet {
            text: format!("\t{}\n{}", TRICKS[at], TRICKS[(at + 3) % TRICKS.len()]),
            first_line: 9_999_999,
            mark: 5..60,
        });
        let mut found = Diagnostic::new(
            format!("{}/duplicate", TRICKS[at]),
            [Severity::Error, Severity::Warning, Severity::Note][at % 3],
            if at == 5 { text.clone() } else { TRICKS[at].to_owned() },
            vec![
                Site { position, snippet, note: Some(TRICKS[at].into()), ..Site::path(TRICKS[at].into(), whose(at)) },
                Site::path(long.as_str().into(), whose((at + 1) % TRICKS.len())),
                Site::path(RepoPath::new(b"caf\xe9\xff/<b>"), Holder { name: long.clone(), ..whose(at) }),
            ],
        );
        (found.namespace, found.partition) = (Some(TRICKS[at].into()), Some(long.clone()));
        (found.key, found.help) = (Some(TRICKS[at].into()), Some(text.clone()));
        let address = ["javascript:document.title='pwned'//", "https://example.org/\"onmouseover=\"x", "https://a@b/"];
        found.docs = Some(if at < 3 { address[at].into() } else { TRICKS[at].into() });
        let to = RepoPath::from(TRICKS[at]);
        let renames = vec![
            Rename { from: long.as_str().into(), to: to.clone() },
            Rename { from: to, to: "</textarea>".into() },
            Rename { from: "a b/(c)/[d]/$e.tsx".into(), to: long.as_str().into() },
        ];
        found.fix = Some(Fix { title: TRICKS[at].into(), safety: Safety::Unsafe, renames });
        if at == 9 {
            found.suppressed = Some(Suppression { by: SuppressedBy::Inline, reason: Some(text.clone()) });
        }
        found
    };
    let mut report = Report {
        target: Some(TRICKS[0].into()),
        base: Some(TRICKS[1].into()),
        head: Some(TRICKS[2].into()),
        policy: PolicyFrom::Base,
        policy_commit: Some(TRICKS[3].into()),
        incomplete: TRICKS.map(|trick| Incomplete { what: trick.into(), why: long.clone() }).into(),
        skipped: TRICKS.map(|trick| Skipped { what: trick.into(), count: Some(usize::MAX) }).into(),
        findings: (0..TRICKS.len()).map(found).collect(),
        files: usize::MAX,
        holders: 3,
    };
    report.sort();
    report
}

/// A thousand branches that all take one name, most of which also collide with a neighbour.
pub(crate) fn thousand() -> Report {
    let name = |at: usize| format!("agent/{:04}-a-task-with-a-name-of-its-own", at % 1000);
    let take = |at: usize, key: usize| {
        let path = format!("migrations/{key:05}_by_{at:04}.sql");
        site(&path, branch(&name(at)), "")
    };
    let pair = |at: usize| {
        let message = format!("version {} is taken by 2 branches in `migrations`.", 1000 + at);
        let sites = vec![take(at, 1000 + at), take(at + 1 + at % 3, 1000 + at)];
        let severity = if at.is_multiple_of(4) { Severity::Warning } else { Severity::Error };
        named("golang-migrate", severity, &(1000 + at).to_string(), "migrations", &message, sites)
    };
    let all = named(
        "golang-migrate",
        Severity::Error,
        "1",
        "migrations",
        "version 1 is taken by 1,000 branches in `migrations`.",
        (0..1000).map(|at| take(at, 1)).collect(),
    );
    let mut report = Report {
        target: Some("main".into()),
        findings: (0..900).map(pair).chain([all]).collect(),
        files: 1900,
        holders: 1001,
        ..clean()
    };
    report.sort();
    report
}
