//! What the twelve agents did. The first four are the incident that gatekeep was written after.

/// What one agent did on a branch of its own: one file, new or changed.
pub(super) struct Branch {
    pub(super) name: &'static str,
    pub(super) subject: &'static str,
    pub(super) path: &'static str,
    /// The whole file.
    pub(super) text: &'static str,
}

/// The finding without which the demo has failed.
pub(super) const FOUND: &str = "supabase-migrations/duplicate";

/// Paths and texts of the trunk.
pub(super) const TRUNK: &[(&str, &str)] = &[
    ("README.md", "# University\n"),
    ("docs/adr/0001-record-decisions.md", "# 1. Record decisions\n\nAccepted.\n"),
    ("docs/adr/0002-use-supabase.md", "# 2. Use Supabase\n\nAccepted.\n"),
    ("public/sitemap.xml", SITEMAP),
    ("src/app.ts", "export const title = \"University\";\n"),
    ("supabase/config.toml", "project_id = \"university\"\n"),
    ("supabase/functions/ai-university/index.ts", FUNCTION),
    ("supabase/migrations/20260427090000_init.sql", "create table providers (id bigint primary key);\n"),
];

pub(super) const BRANCHES: &[Branch] = &[
    Branch {
        name: "agent/ps1-seed-providers",
        subject: "Seed providers",
        path: "supabase/migrations/20260428000000_seed_providers.sql",
        text: "insert into providers values (1);\n",
    },
    Branch {
        name: "agent/ps2-competitor-pages",
        subject: "Competitor pages",
        path: "supabase/migrations/20260428000000_competitor_pages.sql",
        text: "create table competitor_pages (id bigint primary key);\n",
    },
    Branch {
        name: "agent/ps3-auth-guard",
        subject: "Guard sign-in",
        path: "supabase/migrations/20260428000000_auth_guard.sql",
        text: "alter table providers enable row level security;\n",
    },
    Branch {
        name: "agent/ps4-docs-schema",
        subject: "Tables for documents",
        path: "supabase/migrations/20260428000000_docs_schema.sql",
        text: "create table docs (id bigint primary key);\n",
    },
    Branch {
        name: "agent/ps5-tutor",
        subject: "A tutor",
        path: "supabase/functions/ai-tutor/index.ts",
        text: FUNCTION,
    },
    Branch {
        name: "agent/ps6-tutor-voice",
        subject: "A tutor that speaks",
        path: "supabase/functions/AI-Tutor/index.ts",
        text: FUNCTION,
    },
    Branch {
        name: "agent/ps7-queue",
        subject: "Decide on a queue",
        path: "docs/adr/0003-use-a-queue.md",
        text: "# 3. Use a queue\n\nProposed.\n",
    },
    Branch {
        name: "agent/ps8-cache",
        subject: "Decide on a cache",
        path: "docs/adr/0003-cache-in-redis.md",
        text: "# 3. Cache in Redis\n\nProposed.\n",
    },
    Branch { name: "agent/ps9-pricing", subject: "A page for prices", path: "public/sitemap.xml", text: SITEMAP_PS9 },
    Branch {
        name: "agent/ps10-landing",
        subject: "A landing page for prices",
        path: "public/sitemap.xml",
        text: SITEMAP_PS10,
    },
    Branch {
        name: "agent/ps11-title",
        subject: "A better title",
        path: "src/app.ts",
        text: "export const title = \"AI University\";\n",
    },
    Branch {
        name: "agent/ps12-readme",
        subject: "Say what it is",
        path: "README.md",
        text: "# University\n\nCourses that teach themselves.\n",
    },
];

const FUNCTION: &str = "Deno.serve(() => new Response(\"ok\"));\n";

const SITEMAP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://university.example/</loc></url>
  <url><loc>https://university.example/about</loc></url>
  <url><loc>https://university.example/courses</loc></url>
  <url><loc>https://university.example/teachers</loc></url>
</urlset>
"#;

const SITEMAP_PS9: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://university.example/</loc></url>
  <url><loc>https://university.example/pricing</loc></url>
  <url><loc>https://university.example/about</loc></url>
  <url><loc>https://university.example/courses</loc></url>
  <url><loc>https://university.example/teachers</loc></url>
</urlset>
"#;

const SITEMAP_PS10: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://university.example/</loc></url>
  <url><loc>https://university.example/about</loc></url>
  <url><loc>https://university.example/courses</loc></url>
  <url><loc>https://university.example/teachers</loc></url>
  <url><loc>https://university.example/pricing</loc></url>
</urlset>
"#;
