// Runs all scenarios; see README.md.

import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { start, stop } from "./rig/world.mjs";

const parts = process.argv.slice(2);
const known = ["verdict", "tokens", "people", "events", "faults", "places", "hostile"];
let shared;

before(async () => {
  shared = await start();
  if (!shared.prism) console.error("Prism is not installed: the REST interface was not held against GitHub's OpenAPI description");
}, { timeout: 300_000 });

after(() => {
  console.error(`${shared.runs} runs of gatekeep, the slowest ${shared.slowest.toFixed(1)} s`);
  stop();
});

describe("gatekeep on GitHub", { concurrency: 1 }, async () => {
  for (const name of parts.length > 0 ? parts : known) {
    const { all } = await import(`./scenarios/${name}.mjs`);
    describe(name, { concurrency: name === "faults" ? 6 : 3 }, all);
  }
});

test("GitHub's own description has nothing to complain of", () => {
  if (!shared.prism) return;
  assert.doesNotMatch(shared.prism.log(), /violation|not match/i);
  if (parts.length === 0) assert.match(shared.prism.log(), /post \/repos\/acme\/\S+\/check-runs/, "it was asked");
});
