// The other events: what they ask to judge, and what a run says of them.

import { test } from "node:test";
import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples/api.github.com/index.json" with { type: "json" };
import { PROJECT, SECOND, World, migration, pair } from "../rig/world.mjs";

const NONE = "0".repeat(40);
const writes = (run) => run.requests.filter((one) => !/^(QUERY|GET)/.test(one.what)).map((one) => one.what);

function about(world, more) {
  return { repository: { full_name: world.repository, default_branch: "main" }, ...more };
}

/** A run on a checkout of this reference. */
function on(world, ref, name, payload, more) {
  const sha = world.origin.tip(ref);
  return world.run(world.origin.checkout(ref), ["ci"], { event: { name, payload: about(world, payload), sha, ref }, ...more });
}

export function all() {
  test("a merge group holds what its pull requests bring together", async () => {
    const { world, older, younger } = pair("queue");
    const base = world.origin.tip("main");
    const first = world.origin.merge("main", older.head, `refs/heads/gh-readonly-queue/main/pr-7-${base}`);
    const ref = `refs/heads/gh-readonly-queue/main/pr-9-${first}`;
    const head = world.origin.merge(first, younger.head, ref);
    const run = await on(world, ref, "merge_group", {
      action: "checks_requested", merge_group: { head_sha: head, head_ref: ref, base_sha: base, base_ref: "refs/heads/main" },
    });
    assert.equal(run.status, 1, run.err);
    assert.match(run.report.findings[0].rule, /supabase-migrations\/duplicate/);
    assert.deepEqual(run.requests, []);
    world.isAtPeace();
  });

  test("a merge group yields to no pull request outside it: each of its own was held against them before", async () => {
    const { world, older, younger } = pair("alone");
    const base = world.origin.tip("main");
    for (const [number, { head: of }] of [[7, older], [9, younger]]) {
      const ref = `refs/heads/gh-readonly-queue/main/pr-${number}-${base}`;
      const head = world.origin.merge("main", of, ref);
      const run = await on(world, ref, "merge_group", {
        action: "checks_requested", merge_group: { head_sha: head, head_ref: ref, base_sha: base, base_ref: "refs/heads/main" },
      });
      assert.deepEqual([run.status, run.report.complete, run.requests], [0, true, []], run.err);
      assert.match(run.report.skipped[0].what, /^the open pull requests/);
    }
  });

  test("a push to the trunk is judged from where it was, and renews the open pull requests", async () => {
    const { world, older, younger } = pair("trunk");
    const before = world.origin.tip("main");
    const after = world.land(older);
    const run = await on(world, "refs/heads/main", "push", { ref: "refs/heads/main", before, after });
    assert.equal(run.status, 0, run.err);
    assert.equal(world.github.checks(younger.head, "gatekeep")[0].conclusion, "failure");
    assert.deepEqual(writes(run), ["POST check-runs"]);
    // nor does the trunk yield where the one that is left has the lower number
    const other = pair("trunk-younger");
    const from = other.world.origin.tip("main");
    const to = other.world.land(other.younger);
    const kept = await on(other.world, "refs/heads/main", "push", { ref: "refs/heads/main", before: from, after: to });
    assert.equal(kept.status, 0, kept.err);
    assert.equal(other.world.github.checks(other.older.head, "gatekeep")[0].conclusion, "failure");
    world.isAtPeace();
  });

  test("a push to another branch is judged as a whole against the trunk", async () => {
    const { world, younger } = pair("branch");
    world.origin.git(world.origin.path, "update-ref", "refs/heads/agent/n9", younger.head);
    const push = (before) => on(world, "refs/heads/agent/n9", "push", { ref: "refs/heads/agent/n9", before, after: younger.head });
    for (const before of [NONE, world.origin.tip("main")]) {
      const run = await push(before);
      assert.deepEqual([run.status, writes(run)], [1, []], run.err);
    }
    world.isAtPeace();
  });

  test("a deleted branch, a tag and a closed pull request leave nothing to judge", async () => {
    const { world, younger } = pair("nothing");
    const gone = { ref: "refs/heads/x", before: younger.head, after: NONE };
    const tag = { ref: "refs/tags/v1", before: NONE, after: younger.head };
    for (const [name, payload] of [["push", gone], ["push", tag], ["pull_request", world.event(younger, "closed")]]) {
      const run = await on(world, "refs/heads/main", name, payload);
      assert.deepEqual([run.status, run.requests], [0, []], run.err);
      assert.match(run.out, /^gatekeep: nothing to judge: /);
    }
  });

  test("on a schedule the whole tree is judged", async () => {
    const world = new World("schedule");
    world.trunk({ ...PROJECT, [migration(SECOND, "a")]: "", [migration(SECOND, "b")]: "" });
    for (const name of ["schedule", "workflow_dispatch"]) {
      const run = await on(world, "refs/heads/main", name, { schedule: "0 5 * * *" });
      assert.equal(run.status, 1, run.err);
      assert.match(run.report.findings[0].rule, /supabase-migrations\/duplicate/);
    }
    const open = pair("schedule-open").world;
    const run = await on(open, "refs/heads/main", "schedule", {});
    assert.deepEqual(run.report.findings.flatMap((found) => found.sites.map((site) => site.holder.name)), ["#9", "#7"], run.err);
    world.isAtPeace();
  });

  test("a pull request of a fork is judged from the trunk's checkout, without checking it out", async () => {
    const { world, younger } = pair("target");
    younger.isFork = true;
    const run = await on(world, "refs/heads/main", "pull_request_target", world.event(younger, "synchronize"));
    assert.equal(run.status, 1, run.err);
    assert.equal(world.github.checks(younger.head, "gatekeep")[0].conclusion, "failure");
    world.isAtPeace();
  });

  test("an event that can't be judged is no pass", async () => {
    const world = new World("unknown");
    world.trunk(PROJECT);
    for (const [name, payload] of [["issues", { action: "opened" }], ["push", {}], ["merge_group", {}], ["pull_request", { pull_request: {} }]]) {
      const run = await on(world, "refs/heads/main", name, payload);
      assert.equal(run.status, 2, `${name}: ${run.err}`);
      assert.match(run.err, /event/);
    }
  });

  test("GitHub's example of each event that a workflow has is read", async () => {
    const world = new World("examples");
    const head = world.trunk(PROJECT);
    const folder = world.origin.checkout("refs/heads/main");
    const kinds = ["pull_request", "pull_request_review", "push", "merge_group", "workflow_dispatch"];
    const seen = { 0: 0, 2: 0 };
    for (const { name, examples: payloads } of examples.filter((one) => kinds.includes(one.name))) {
      for (const payload of payloads) {
        const event = { name, payload, sha: head, ref: "refs/heads/main" };
        const run = await world.run(folder, ["ci"], { event, token: null, env: { GITHUB_REPOSITORY: payload.repository.full_name } });
        const what = `${name} ${payload.action ?? payload.ref}: ${run.status} ${run.err}`;
        const isNothing = payload.action === "closed" || payload.deleted || payload.ref?.startsWith("refs/tags/");
        // its commits are of another repository, and what can't be had is no pass; a dispatch is about the commit of the run
        assert.equal(run.status, isNothing || name === "workflow_dispatch" ? 0 : 2, what);
        if (run.status === 2) assert.match(run.err, /no such branch, tag or commit|could not|fetch|origin/i, what);
        seen[run.status] += 1;
      }
    }
    console.error(`examples of events: ${seen[0]} judged or nothing to judge, ${seen[2]} about commits that are not to be had`);
    assert.ok(seen[0] + seen[2] >= 40);
  });
}
