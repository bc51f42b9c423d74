// What a token may do, and what a run costs of it.

import { test } from "node:test";
import assert from "node:assert/strict";
import { PROJECT, SECOND, World, migration, pair } from "../rig/world.mjs";

const MANY = Number(process.env.GATEKEEP_MANY ?? 500);
const lines = (text, word) => text.split("\n").filter((line) => line.includes(word));
const writes = (run) => run.requests.filter((one) => !/^(QUERY|GET)/.test(one.what));

export function all() {
  test("a token that may only read changes no verdict, and each thing left out is said once in the log", async () => {
    const { world, younger } = pair("read-only", { direct: true });
    world.github.may = { checks: "read", comments: "read" };
    const run = await world.ci(younger);
    assert.equal(run.status, 1);
    assert.equal(run.report.complete, true);
    for (const what of ["the check run (it needs", "the comment (it needs", "the check runs of other pull requests (they need"]) {
      assert.equal(lines(run.err, what).length, 1, `${what}: ${run.err}`);
    }
    assert.equal(lines(run.out, "::warning").length, 0, run.out);
    assert.deepEqual(writes(run).map((one) => [one.what, one.status]), [
      ["POST check-runs", 403], ["POST issues/N/comments", 403], ["POST check-runs", 403],
    ]);
    const green = await world.ci(world.pull(11, { "README.md": "x\n" }));
    assert.equal(green.status, 0, green.err);
    world.isAtPeace();
  });

  test("who insists on a check run is told aloud that there is none", async () => {
    const { world, younger } = pair("insists", { direct: true });
    world.github.may.checks = "read";
    const run = await world.ci(younger, { args: ["--check", "always"] });
    assert.equal(run.status, 1);
    assert.match(run.out, /^::warning title=gatekeep::the check run .* could not be written: not allowed \(403\)/m);
    assert.equal(world.github.comments.length, 1, "the comment is there all the same");
    world.isAtPeace();
  });

  test("without a token the checkout alone is judged, and the report says what was left out", async () => {
    const { world, younger } = pair("no-token");
    const run = await world.ci(younger, { token: null });
    assert.equal(run.status, 0, run.err);
    assert.deepEqual(run.requests, []);
    assert.equal(run.report.complete, true);
    assert.match(run.report.skipped[0].what, /^the open pull requests \(no token in GITHUB_TOKEN or GH_TOKEN\)$/);
    assert.match(run.summary, /Left out: the open pull requests/);
    const insisted = await world.ci(younger, { token: null, args: ["--pull-requests", "always"] });
    assert.equal(insisted.status, 3);
    assert.equal(insisted.report.complete, false);
    assert.match(insisted.out, /^::error title=gatekeep%3A incomplete::could not be looked at: the open pull requests/m);
  });

  test("`scan --pull-requests` sees what `ci` sees, and writes nothing", async () => {
    const { world, younger } = pair("scan");
    const folder = world.origin.checkout(`refs/pull/${younger.number}/head`);
    const base = world.origin.tip("main");
    world.origin.git(folder, "fetch", "--quiet", "--unshallow", "origin", "refs/heads/main:refs/remotes/origin/main");
    const scan = (args, more) => world.run(folder, ["scan", "--format", "json", ...args], more);
    // against a branch, and against a bare commit, which no pull request is made for
    for (const against of ["origin/main", base]) {
      const seen = await scan(["--base", against, "--pull-requests"]);
      const report = JSON.parse(seen.out);
      assert.deepEqual([seen.status, report.complete], [1, true], seen.err);
      assert.deepEqual(report.findings.flatMap((found) => found.sites.map((site) => site.holder.name)), ["HEAD", "#7"]);
      assert.deepEqual(seen.requests.map((one) => one.what), ["QUERY pulls"]);
    }
    const blind = await scan(["--base", base, "--pull-requests"], { token: null });
    assert.equal(blind.status, 3, "who asks for them by hand wants them");
    const fleet = await scan(["--base", base, "--fleet"], { token: null });
    assert.equal(fleet.status, 0, fleet.err);
    assert.match(JSON.parse(fleet.out).skipped.map((one) => one.what).join(), /no token/);
    world.isAtPeace();
  });

  test("500 open pull requests cost less than 20 requests, sweep included", async () => {
    const world = new World("many");
    world.trunk(PROJECT);
    const one = (number) => ({
      number, target: number <= MANY ? "main" : "release", files: { [migration(20240300000000 + number, `n${number}`)]: "select 1;\n" },
    });
    const pulls = world.pulls(Array.from({ length: 500 }, (_, at) => one(at + 1)));
    const shared = pulls[MANY / 2];
    const [late] = world.pulls([{ number: 900, files: { [migration(20240300000000 + shared.number, "late")]: "select 1;\n" } }]);
    // what earlier runs have said of them: that nothing is wrong
    const first = await world.ci(pulls[0], { args: ["--sweep", "never"] });
    assert.equal(first.status, 0, first.err);
    const { external_id } = world.github.checks(pulls[0].head)[0];
    for (const pull of pulls.slice(1)) {
      world.github.addCheck({ name: "gatekeep", head_sha: pull.head, status: "completed", conclusion: "success", external_id });
    }
    const run = await world.ci(late);
    assert.equal(run.status, 1, run.err);
    assert.equal(run.report.summary.holders, MANY + 2);
    const points = run.requests.reduce((sum, request) => sum + (request.points ?? 0), 0);
    const cost = `${run.requests.length} requests, ${points} points of GraphQL, ${first.seconds.toFixed(1)} s without the sweep, ${run.seconds.toFixed(1)} s with it`;
    console.error(`500 pull requests, ${MANY} of them into main: ${cost}`);
    assert.ok(run.requests.length <= 20, JSON.stringify(run.requests.map((request) => request.what)));
    assert.deepEqual(writes(run).map((request) => request.what), ["POST check-runs", "POST issues/N/comments", "POST check-runs"]);
    assert.equal(world.github.checks(shared.head).length, 2, "the one that keeps the name is told of the other");
    world.isAtPeace();
  });
}
