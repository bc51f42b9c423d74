// GitHub on a bad day. Whatever happens: the exit status is the verdict or 3, nothing is written twice, and the token is never printed (each run
// is searched for it).

import { test } from "node:test";
import assert from "node:assert/strict";
import { PROJECT, SECOND, World, migration, pair } from "../rig/world.mjs";

const writes = (run) => run.requests.filter((one) => !/^(QUERY|GET)/.test(one.what));
const often = (run, what) => run.requests.filter((one) => one.what === what).length;
/** A limit that ends in an hour. */
const USED_UP = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3600) };

/** A run on the younger of a pair, with faults. What it says of the sibling's sweep is another scenario's matter. */
async function ailing(name, faults, more = {}) {
  const { world, younger } = pair(name, { direct: true });
  world.github.faults.push(...faults);
  const run = await world.ci(younger, { ...more, args: ["--sweep", "never", ...(more.args ?? [])] });
  return { world, younger, run };
}

/** All was said, and once. */
function isSaidOnce({ world, younger, run }) {
  assert.equal(run.status, 1, run.err);
  assert.equal(run.report.complete, true);
  assert.deepEqual(world.github.checks(younger.head).map((check) => check.conclusion), ["failure"]);
  assert.equal(world.github.comments.length, 1);
  assert.doesNotMatch(run.out, /::warning title=gatekeep::/);
  world.isAtPeace();
}

/** The other pull requests are not known, and that is no pass. */
function isIncomplete({ run }) {
  assert.equal(run.status, 3, run.err);
  assert.deepEqual(run.report.incomplete.map((gap) => gap.what), ["the open pull requests"]);
  assert.match(run.output, /^complete=false$/m);
}

export function all() {
  for (const [what, fault] of [
    ["502", { status: 502 }],
    ["a secondary limit with Retry-After", { status: 403, headers: { "retry-after": "1" }, body: { message: "You have exceeded a secondary rate limit" } }],
    ["429", { status: 429, headers: { "retry-after": "1" } }],
    ["an answer that breaks off", { kind: "cut" }],
    ["an answer without data", { status: 200, body: { data: null } }],
  ]) {
    test(`${what}, once, while it reads: it asks again`, async () => {
      const seen = await ailing("once", [{ on: "QUERY pulls", times: 1, ...fault }]);
      isSaidOnce(seen);
      assert.equal(often(seen.run, "QUERY pulls"), 2);
    });
  }

  test("no answer at all, once: it asks again after half a minute", async () => {
    const seen = await ailing("hang", [{ on: "QUERY pulls", times: 1, kind: "hang" }]);
    isSaidOnce(seen);
    assert.ok(seen.run.seconds > 25, `${seen.run.seconds} s`);
  });

  for (const [what, fault, tries] of [
    ["502", { status: 502 }, 4],
    ["an answer that breaks off", { kind: "cut" }, 4],
    ["a limit that ends in an hour", { status: 403, headers: USED_UP, body: { message: "API rate limit exceeded" } }, 1],
    ["a limit of GraphQL that ends in an hour", { status: 200, headers: USED_UP, body: { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] } }, 1],
    ["a limit that asks to wait for an hour", { status: 429, headers: { "retry-after": "3600" } }, 1],
  ]) {
    test(`${what}, for ever, while it reads: incomplete, and soon`, async () => {
      const seen = await ailing("ever", [{ on: "QUERY pulls", times: 99, ...fault }]);
      isIncomplete(seen);
      assert.equal(often(seen.run, "QUERY pulls"), tries);
      assert.ok(seen.run.seconds < 60, `${seen.run.seconds} s`);
      assert.deepEqual(seen.world.github.checks(seen.younger.head).map((check) => check.conclusion), ["action_required"]);
    });
  }

  test("GitHub out of reach altogether: incomplete, and a finding of the checkout is one all the same", async () => {
    const seen = await ailing("down", [{ on: "", times: 99, status: 503 }]);
    isIncomplete(seen);
    const { world } = seen;
    world.trunk({ [migration(SECOND, "landed")]: "" });
    const red = await world.ci(seen.younger, { args: ["--sweep", "never"] });
    assert.equal(red.status, 1);
    assert.equal(red.report.complete, false);
    const allowed = await world.ci(world.pull(20, { "README.md": "x" }), { args: ["--allow-incomplete", "--sweep", "never"] });
    assert.equal(allowed.status, 0, "who says so takes it");
  });

  test("a token that has expired: incomplete, and said", async () => {
    const { world, younger } = pair("expired", { direct: true });
    const run = await world.ci(younger, { token: `ghs_${"0".repeat(36)}` });
    isIncomplete({ run });
    assert.match(run.report.incomplete[0].why, /^not allowed \(401\): Bad credentials$/);
    assert.match(run.out, /^::warning title=gatekeep::the check run .* could not be written: not allowed \(401\)/m);
    assert.deepEqual([world.github.checkRuns, world.github.comments], [[], []]);
  });

  test("a list that breaks off after its first page is not the whole", async () => {
    const broken = [
      { status: 502 },
      { status: 200, body: { errors: [{ message: "Something went wrong while executing your query" }] } },
      { status: 200, body: { data: { repository: { pullRequests: { totalCount: 130, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] } } } } },
      { status: 200, body: { data: { repository: { pullRequests: { totalCount: 130, pageInfo: { hasNextPage: true, endCursor: null }, nodes: [] } } } } },
      { status: 200, body: { data: { repository: { pullRequests: null } }, errors: [{ type: "FORBIDDEN", message: "no" }] } },
    ];
    const world = new World("pages", { direct: true });
    world.trunk(PROJECT);
    const pulls = world.pulls(Array.from({ length: 129 }, (_, at) => ({ number: at + 1, files: { [`docs/${at}.md`]: "x\n" } })));
    for (const fault of broken) {
      world.github.faults = [{ on: "QUERY pulls", times: 99, after: 1, ...fault }];
      isIncomplete({ run: await world.ci(pulls[128], { args: ["--sweep", "never", "--check", "never", "--comment", "never"] }) });
    }
    world.github.faults = [];
    const whole = await world.ci(pulls[128], { args: ["--sweep", "never"] });
    assert.deepEqual([whole.status, whole.report.summary.holders], [0, 130], whole.err);
    world.isAtPeace();
  });

  for (const [what, fault] of [["502", { status: 502 }], ["an answer that breaks off", { kind: "cut" }]]) {
    for (const on of ["POST check-runs", "POST issues/N/comments"]) {
      test(`${on}: ${what}, though it was carried out: nothing is written twice`, async () => {
        const seen = await ailing("done", [{ on, times: 1, isDone: true, ...fault }]);
        isSaidOnce(seen);
        assert.equal(often(seen.run, on), 1);
      });
      test(`${on}: ${what}, and it was not carried out: it is written then`, async () => {
        const seen = await ailing("undone", [{ on, times: 1, ...fault }]);
        isSaidOnce(seen);
        assert.equal(often(seen.run, on), 2);
      });
    }
  }

  test("a write that is refused for now is made when GitHub says so", async () => {
    const later = { status: 403, headers: { "retry-after": "1" }, body: { message: "You have exceeded a secondary rate limit" } };
    isSaidOnce(await ailing("later", [{ on: "POST check-runs", times: 1, ...later }, { on: "POST issues", times: 1, ...later }]));
  });

  test("writes that fail for ever change no verdict, and are said aloud", async () => {
    const { run, world } = await ailing("unwritten", [{ on: "POST", times: 99, status: 502 }]);
    assert.equal(run.status, 1);
    assert.equal(run.report.complete, true);
    const warned = run.out.split("\n").filter((line) => line.startsWith("::warning title=gatekeep::"));
    assert.deepEqual(warned.map((line) => line.match(/the (check run|comment)/)[1]), ["check run", "comment"]);
    assert.ok(writes(run).length <= 4);
    assert.deepEqual([world.github.checkRuns, world.github.comments], [[], []]);
  });

  test("more annotations that may have come are not sent again", async () => {
    const world = new World("annotations", { direct: true });
    const taken = (name) => Object.fromEntries(Array.from({ length: 70 }, (_, at) => [migration(20240200000000 + at, name), ""]));
    world.trunk({ ...PROJECT, ...taken("a") });
    const pull = world.pull(3, taken("b"));
    world.github.faults.push({ on: "PATCH check-runs", times: 1, status: 502, isDone: true });
    const run = await world.ci(pull);
    assert.equal(run.status, 1);
    assert.match(run.out, /^::warning title=gatekeep::the check run/m);
    assert.deepEqual(world.github.checks(pull.head)[0].batches, [50, 20]);
    assert.equal((await world.ci(pull)).requests.filter((one) => /^(POST|PATCH)/.test(one.what)).length, 0);
    world.isAtPeace();
  });

  test("a comment whose end nobody confirmed is gone, and nobody is alarmed", async () => {
    const { world, younger } = pair("removal", { direct: true });
    await world.ci(younger);
    world.push(younger, { [migration(SECOND, "teams")]: null });
    world.github.faults.push({ on: "DELETE", times: 1, status: 502, isDone: true });
    const run = await world.ci(younger);
    assert.deepEqual([run.status, world.github.comments.length], [0, 0], run.err);
    assert.doesNotMatch(run.out, /::warning title=gatekeep::/);
    world.isAtPeace();
  });

  test("a sweep that fails changes no verdict", async () => {
    const { world, older } = pair("sweep", { direct: true });
    world.github.faults.push({ on: "POST check-runs", times: 99, after: 1, status: 502 });
    const run = await world.ci(older);
    assert.equal(run.status, 0, run.err);
    assert.equal(world.github.checkRuns.length, 1);
    assert.equal(run.out.split("\n").filter((line) => /^::warning title=gatekeep::the check runs of other/.test(line)).length, 1, run.out);
  });
}
