// What a run says of a pull request: a check run on its head, a comment, and the exit status.

import { test } from "node:test";
import assert from "node:assert/strict";
import { PROJECT, SECOND, World, migration, pair } from "../rig/world.mjs";

export function all() {
  test("a collision is said once: in a check run on the head and in one comment", async () => {
    const { world, younger } = pair("once");
    const first = await world.ci(younger, { action: "opened" });
    assert.equal(first.status, 1, first.err);
    const [check] = world.github.checks(younger.head, "gatekeep");
    assert.deepEqual([check.status, check.conclusion, check.annotations.length], ["completed", "failure", 1]);
    assert.equal(check.annotations[0].path, migration(SECOND, "teams"));
    assert.match(check.external_id, /^gatekeep:[0-9a-f]{32}:(-|[0-9a-f]{32})$/);
    assert.match(check.details_url, /\/actions\/runs\/77$/);
    assert.match(first.out, new RegExp(`^::error file=${migration(SECOND, "teams")},.*title=supabase-migrations/duplicate::`, "m"));
    const [comment, ...others] = world.github.comments;
    assert.equal(others.length, 0);
    assert.match(comment.body, /^<!-- gatekeep -->\n## gatekeep: failed/);
    assert.match(comment.body, /20240102000000_users\.sql/, "it names the other file");
    assert.match(first.output, /^findings=1\nerrors=1\nwarnings=0\ncomplete=true\nreport=.*gatekeep-report\.json\n$/);

    const again = await world.ci(younger, { action: "edited" });
    assert.equal(again.status, 1);
    assert.deepEqual(again.requests.filter((one) => !/^(QUERY|GET)/.test(one.what)), [], "nothing is written twice");
    assert.equal(world.github.comments[0].updated_at, comment.created_at);
    world.isAtPeace();
  });

  test("a change that is mended loses its comment, and its check run is green", async () => {
    const { world, younger } = pair("mended");
    assert.equal((await world.ci(younger)).status, 1);
    world.push(younger, { [migration(SECOND, "teams")]: null, [migration("20240103000000", "teams")]: "create table teams ();\n" });
    const mended = await world.ci(younger);
    assert.equal(mended.status, 0, mended.err);
    assert.deepEqual(world.github.comments, []);
    assert.equal(world.github.checks(younger.head, "gatekeep")[0].conclusion, "success");
    world.isAtPeace();
  });

  test("the lower number keeps the name, and one run tells both", async () => {
    const { world, older, younger } = pair("siblings");
    const kept = await world.ci(older);
    assert.equal(kept.status, 0, kept.err);
    assert.equal(kept.report.summary.note, 1, "it is told of the other");
    const swept = world.github.checks(younger.head, "gatekeep");
    assert.deepEqual(swept.map((run) => run.conclusion), ["failure"], "the younger one is told without a run of its own");
    assert.equal(world.github.checks(older.head, "gatekeep")[0].conclusion, "success");
    const own = await world.ci(younger);
    assert.equal(own.status, 1);
    assert.equal(world.github.checks(younger.head, "gatekeep").length, 1, "its own run finds that verdict there");
    world.isAtPeace();
  });

  test("a green verdict is renewed when an older pull request takes the name later", async () => {
    const world = new World("stale");
    world.trunk(PROJECT);
    const older = world.pull(7, { "README.md": "x\n" });
    const younger = world.pull(9, { [migration(SECOND, "teams")]: "" });
    assert.equal((await world.ci(younger)).status, 0);
    assert.equal(world.github.checks(younger.head)[0].conclusion, "success");
    world.push(older, { [migration(SECOND, "users")]: "" });
    assert.equal((await world.ci(older)).status, 0);
    const runs = world.github.checks(younger.head, "gatekeep");
    assert.deepEqual(runs.map((run) => run.conclusion), ["failure", "success"], "the newest says it");
    const quiet = await world.ci(older);
    assert.deepEqual(quiet.requests.filter((one) => one.what.startsWith("POST")), [], "and it is not said again");
    world.isAtPeace();
  });

  test("the job may have the name of the check run", async () => {
    const { world, older, younger } = pair("namesake");
    await world.ci(younger);
    await world.ci(older);
    // the job itself, which GitHub completes after the check run that was written in it
    for (const pull of [older, younger]) {
      world.github.addCheck({ name: "gatekeep", head_sha: pull.head, status: "completed", conclusion: "success", external_id: "0f1e-job" });
    }
    const again = await world.ci(older);
    assert.deepEqual(again.requests.filter((one) => !/^(QUERY|GET)/.test(one.what)), [], "what was said of both stands already");
    world.isAtPeace();
  });

  test("120 annotations go in batches of 50", async () => {
    const world = new World("batches");
    const taken = (name) => Object.fromEntries(Array.from({ length: 120 }, (_, at) => [migration(20240200000000 + at, name), ""]));
    world.trunk({ ...PROJECT, ...taken("a") });
    const pull = world.pull(3, taken("b"));
    assert.equal((await world.ci(pull)).status, 1);
    const [check] = world.github.checks(pull.head, "gatekeep");
    assert.deepEqual(check.batches, [50, 50, 20]);
    assert.equal(new Set(check.annotations.map((one) => one.path)).size, 120);
    assert.equal((await world.ci(pull)).requests.filter((one) => /^(POST|PATCH)/.test(one.what)).length, 0);
    world.isAtPeace();
  });

  test("a comment of somebody else with our mark is none of ours", async () => {
    const { world, younger } = pair("mark");
    const theirs = world.github.addComment(9, "<!-- gatekeep -->\nall clear, honestly", "mallory");
    for (let at = 0; at < 120; at += 1) world.github.addComment(9, `talk ${at}`, "ann");
    await world.ci(younger);
    const marked = world.github.comments.filter((one) => one.body.startsWith("<!-- gatekeep -->"));
    assert.deepEqual(marked.map((one) => one.by), ["mallory", "github-actions[bot]"]);
    assert.match(theirs.body, /honestly/);
    world.isAtPeace();
  });

  test("drafts and pull requests into other branches are judged as configured, and counted", async () => {
    const { world, older, younger } = pair("elsewhere");
    older.target = "release";
    const run = await world.ci(younger);
    assert.equal(run.status, 0, run.err);
    assert.deepEqual(run.report.skipped, [{ what: "pull requests into other branches", count: 1 }]);
    assert.equal(world.github.checks(older.head).length, 0, "and one that goes elsewhere is told nothing");
    world.isAtPeace();
  });
}
