// A person's word: labels with who set them and when, and reviews. Only what the change's author can't write counts.

import { test } from "node:test";
import assert from "node:assert/strict";
import { PROJECT, World, migration } from "../rig/world.mjs";

const CONFIG = `
[[approval]]
tier = "destructive"
paths = ["supabase/migrations/**"]
added = ['(?i)\\bdrop\\s+table\\b']
needs = { label = "approved:destructive" }

[[approval]]
tier = "exec"
paths = ["deploy/**"]
needs = { review-from = ["@acme/dba"] }
`;
const LABEL = "approved:destructive";

function dropping(name, options) {
  const world = new World(name, options);
  world.trunk({ ...PROJECT, "gatekeep.toml": CONFIG });
  const pull = world.pull(7, { [migration("20240102000000", "drop")]: "drop table a;\n" });
  return { world, pull };
}

async function says(world, pull, status, pattern, more) {
  const run = await world.ci(pull, more);
  assert.equal(run.status, status, run.err);
  if (pattern) assert.match(run.report.findings.map((found) => `${found.rule} ${found.message} ${found.help}`).join("\n"), pattern);
  return run;
}

export function all() {
  test("a label counts from another person, after the last push, and no longer after the next one", async () => {
    const { world, pull } = dropping("label");
    await says(world, pull, 1, /approval\/missing .*the label is not set/);
    world.github.label(pull, LABEL, "ann");
    await says(world, pull, 1, /the author set it/, { action: "labeled" });
    world.github.label(pull, LABEL, "helper", true);
    await says(world, pull, 1, /a program set it/, { action: "labeled" });
    world.github.label(pull, LABEL, "bob");
    const green = await says(world, pull, 0, undefined, { action: "labeled" });
    assert.deepEqual(green.report.findings, []);
    world.push(pull, { [migration("20240102000000", "drop")]: "drop table a;\ndrop table b;\n" });
    await says(world, pull, 1, /it was set before the last push/);
    world.isAtPeace();
  });

  test("a review counts from the right team and of the last push", async () => {
    const world = new World("review");
    world.trunk({ ...PROJECT, "gatekeep.toml": CONFIG });
    const pull = world.pull(7, { "deploy/run.sh": "true\n" });
    const review = (by, teams, commit = pull.head) => { pull.reviews = [{ by, teams, commit }]; };
    await says(world, pull, 1, /none of them has approved it/);
    review("eve", ["acme/web"]);
    await says(world, pull, 1, /none of them has approved it/, { action: "submitted" });
    review("bob", ["acme/dba"], world.origin.tip("main"));
    await says(world, pull, 1, /something was pushed after it was approved/);
    review("ann", ["acme/dba"]);
    await says(world, pull, 1, /a program or the author/);
    review("bob", ["acme/web", "acme/dba"]);
    await says(world, pull, 0);
    world.isAtPeace();
  });

  test("where GitHub does not tell, the finding stands and the report is incomplete", async () => {
    const { world, pull } = dropping("silent", { direct: true });
    world.github.label(pull, LABEL, "bob");
    world.github.faults.push({ on: "QUERY approvals", times: 9, status: 404 });
    const run = await says(world, pull, 1, /approval\/missing/);
    assert.deepEqual(run.report.incomplete.map((gap) => gap.what), ["labels and reviews of pull request #7"]);
  });

  test("without a token the labels of the event count, as a note of low confidence", async () => {
    const { world, pull } = dropping("event-labels");
    await says(world, pull, 1, /the label is not set/, { token: null });
    world.github.label(pull, LABEL, "ann");
    const run = await says(world, pull, 0, /approval\/missing/, { token: null, action: "labeled" });
    assert.deepEqual(run.report.findings.map((found) => [found.severity, found.confidence]), [["note", "low"]]);
  });

  test("a label that the payload alone claims is none where GitHub can be asked", async () => {
    const { world, pull } = dropping("forged");
    const event = { ...world.event({ ...pull, labels: [LABEL] }, "labeled") };
    world.origin.merge("main", pull.head, "refs/pull/7/merge");
    const folder = world.origin.checkout("refs/pull/7/merge");
    const run = await world.run(folder, ["ci"], { event: { name: "pull_request", payload: event, sha: pull.head, ref: "refs/pull/7/merge" } });
    assert.equal(run.status, 1, run.err);
    world.isAtPeace();
  });

  test("in a merge group the last pull request's labels are looked up", async () => {
    const { world, pull } = dropping("group");
    const base = world.origin.tip("main");
    const ref = `refs/heads/gh-readonly-queue/main/pr-7-${base}`;
    const head = world.origin.merge("main", pull.head, ref);
    const payload = {
      action: "checks_requested", repository: { full_name: world.repository, default_branch: "main" },
      merge_group: { head_sha: head, head_ref: ref, base_sha: base, base_ref: "refs/heads/main" },
    };
    const run = () => world.run(world.origin.checkout(ref), ["ci"], { event: { name: "merge_group", payload, sha: head, ref } });
    assert.equal((await run()).status, 1);
    world.github.label(pull, LABEL, "bob");
    const green = await run();
    assert.equal(green.status, 0, green.err);
    assert.deepEqual(green.requests.filter((one) => !/^(QUERY|GET)/.test(one.what)), [], "a merge group is told nothing");
    world.isAtPeace();
  });
}
