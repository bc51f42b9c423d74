// A pull request that tries to speak for gatekeep: to the runner, to the terminal, on the pull request.

import { test } from "node:test";
import assert from "node:assert/strict";
import { PROJECT, SECOND, World, migration } from "../rig/world.mjs";
import { isHarmlessLog, isHarmlessMarkdown, outputs } from "../rig/reader.mjs";

const BAITS = [
  "\n::error title=pwned::pwned", "\n##[error]pwned", "##[add-mask]a", "::set-output name=findings::0", "\r::stop-commands::x", "\u001b[2J\u001b]0;pwned\u0007",
  "@everyone @acme/dba", "<img src=x onerror=alert(1)>", "<!-- gatekeep -->", "[click](https://evil.example/)", "![x](https://evil.example/x.png)",
  "https://evil.example/", "#12 GH-12 acme/demo#3", "` ``` ~~~ |a|b|", "\u202egnp.sql", "%0A::error::x%25", "\ncomplete=true\nerrors=0", "${{ secrets.X }} $(id) `id`",
  "</details><script>alert(1)</script>", ":tada: **bold** _x_ ~~x~~", "---\n# heading", "[^1]: x", "&lt;b&gt;&#64;everyone",
];
const ALL = BAITS.join(" ");
/** What may be part of a file's name. */
const inName = (bait) => bait.replace(/\//g, "\u2215").slice(0, 90);

const CONFIG = `
[[approval]]
tier = "destructive"
paths = ["supabase/migrations/**"]
added = ['(?i)\\bdrop\\s+table\\b']
needs = { label = "approved:destructive" }

[agents.ann]
branches = ["agent/*"]
owns = ["supabase/**"]
`;

/** A change whose every word is bait. */
function hostile(name, config = CONFIG) {
  const world = new World(name);
  world.trunk({ ...PROJECT, "gatekeep.toml": config, "test/a.test.js": "test('a', () => {});\n" });
  const files = Object.fromEntries(BAITS.flatMap((bait, at) => [
    [migration(20240300000000 + at, `a${inName(bait)}`), `-- ${bait}\ndrop table a; -- ${bait}\n`],
    [migration(20240300000000 + at, `b${inName(bait)}`), bait],
  ]));
  const claims = Object.fromEntries(BAITS.map((bait, at) => [migration(20240300000000 + at, `c${inName(bait)}`), bait]));
  world.pull(2, { [migration(SECOND, "x")]: "", ...claims }, { branch: `agent/${ALL}`, author: "@everyone<b>" });
  const pull = world.pull(9, {
    ...files, [`docs/${inName(ALL).slice(0, 60)}`]: ALL, "test/a.test.js": null,
    "gatekeep.toml": `fail-on = "error"\n[[allow]]\ncode = ${JSON.stringify(ALL)}\npaths = ["**"]\nreason = ${JSON.stringify(ALL)}\n`,
    "CODEOWNERS": `* @everyone ${ALL}\n`, "supabase/functions/x/index.ts": ALL,
  }, { branch: `agent/ann/${ALL}`, author: "mallory<img>@everyone", message: `work\n\nAgent: ${ALL}\nCo-authored-by: ${ALL} <x@y>\n` });
  for (const bait of BAITS) world.github.label(pull, bait.trim(), `@mallory${bait}`, false);
  world.github.label(pull, "approved:destructive", `evil ${ALL}`, true);
  world.github.reviews = [];
  return { world, pull };
}

function isHarmless(world, run) {
  const codes = run.report.findings?.map((found) => found.rule) ?? [];
  isHarmlessLog(run.out, codes);
  assert.ok(!run.err.split(/[\n\r]/).some((line) => line.trimStart().startsWith("::")), run.err);
  isHarmlessLog(run.err, []);
  outputs(run.output);
  isHarmlessMarkdown(run.summary);
  for (const comment of world.github.comments) {
    assert.equal(comment.body.split("<!-- gatekeep -->").length - 1 >= 1, true);
    isHarmlessMarkdown(comment.body);
  }
  for (const check of world.github.checkRuns) {
    isHarmlessMarkdown(check.summary);
    for (const one of check.annotations) assert.doesNotMatch(`${one.title}${one.path}`, /[\p{Cc}\u202e]/u);
  }
}

export function all() {
  test("the readers find what is smuggled in", () => {
    for (const text of ["a ##[error]x", "x\r::error::y", "  ::add-mask::y", "::error title=pwned::x", "::error file=a,env=b,title=gatekeep::x", "a\u001b[31m", "\u202ea"]) {
      assert.throws(() => isHarmlessLog(text, []), undefined, text);
    }
    for (const text of ["a @everyone", "#12", "a/b#3", "GH-1", "<b>x</b>", "a <!-- gatekeep2 -->", "[x](https://evil.example)", "https://evil.example", "www.evil.example", "![x](y)", ":tada:", "[^1]\n\n[^1]: x"]) {
      assert.throws(() => isHarmlessMarkdown(text), undefined, text);
    }
    assert.throws(() => outputs("findings=0\nerrors=0\nwarnings=0\ncomplete=true\nreport=x\ncomplete=true\n"));
  });

  test("a hostile change says nothing in gatekeep's name", async () => {
    const { world, pull } = hostile("hostile");
    const run = await world.ci(pull, { env: { GITHUB_REF: `refs/heads/${BAITS[0]}` } });
    assert.equal(run.status, 1, run.err);
    assert.ok(run.report.findings.length > BAITS.length, `${run.report.findings.length} findings`);
    assert.ok(world.github.comments.length === 1 && world.github.checks(pull.head).length === 1);
    isHarmless(world, run);
    world.isAtPeace();
  });

  test("a configuration that can't be used says nothing of its own", async () => {
    for (const [at, text] of [`fail-on = "${BAITS[1]}`, `[[allow]]\ncode = ${JSON.stringify(ALL)}\n`, `${JSON.stringify(ALL)} = 1\n`, "##[error]x\n::error::y\n"].entries()) {
      const world = new World(`config-${at}`);
      world.trunk(PROJECT);
      const pull = world.pull(9, { "gatekeep.toml": text, [`.gatekeep/rules/${at}.toml`]: text });
      const change = await world.ci(pull);
      assert.ok([0, 1, 3].includes(change.status), change.err);
      isHarmless(world, change);
      // the same on the trunk itself stops every run, with the text of the file in the message
      world.trunk({ "gatekeep.toml": text });
      const stopped = await world.ci(world.pull(10, { "README.md": "x" }));
      assert.ok([1, 2, 3].includes(stopped.status), `${stopped.status}`);
      isHarmlessLog(stopped.out, stopped.report.findings?.map((found) => found.rule) ?? []);
      isHarmlessLog(stopped.err, []);
      assert.ok(!stopped.err.split(/[\n\r]/).some((line) => line.trimStart().startsWith("::")), stopped.err);
    }
  });

  test("an event whose every word is bait is read as data", async () => {
    const world = new World("event");
    world.trunk(PROJECT);
    const folder = world.origin.checkout("refs/heads/main");
    const sha = world.origin.tip("main");
    const events = [
      ["push", { ref: `refs/heads/${ALL}`, before: sha, after: sha }], ["push", { ref: "refs/heads/main", before: ALL, after: ALL }],
      ["merge_group", { merge_group: { head_sha: ALL, head_ref: ALL, base_sha: sha, base_ref: ALL } }], [`x${ALL}`, {}],
      ["pull_request", { action: ALL, pull_request: { number: 1, head: { ref: ALL, sha }, base: { ref: ALL, sha } } }],
      ["push", { ref: "refs/heads/--upload-pack=touch pwned", before: "0".repeat(40), after: sha }],
      ["pull_request", { action: "opened", pull_request: { number: 1, head: { ref: "x", sha }, base: { ref: "--upload-pack=touch pwned", sha } } }],
    ];
    for (const [name, payload] of events) {
      const event = { name: name.replace(/\0/g, ""), payload: { repository: { full_name: world.repository, default_branch: "main" }, ...payload }, sha, ref: "refs/heads/main" };
      const run = await world.run(folder, ["ci"], { event });
      assert.ok([0, 1, 2, 3].includes(run.status), `${run.status} ${run.err}`);
      isHarmlessLog(run.out, run.report.findings?.map((found) => found.rule) ?? []);
      isHarmlessLog(run.err, []);
    }
  });
}
