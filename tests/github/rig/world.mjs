// One scenario's world: a repository on the fake GitHub, its git side, and runs of gatekeep on a runner.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import assert from "node:assert/strict";
import { GitHub } from "../fake/server.mjs";
import { Repository } from "../fake/repository.mjs";
import { Origin } from "./origin.mjs";
import { start as startPrism } from "./prism.mjs";

const program = resolve(process.env.GATEKEEP ?? join(import.meta.dirname, "../../../target/debug/gatekeep"));
/** The mark of a Supabase project, and its first migration. */
export const PROJECT = { "supabase/config.toml": "", "supabase/migrations/20240101000000_init.sql": "create table a (id int);\n" };
export const migration = (version, name) => `supabase/migrations/${version}_${name}.sql`;
/** The version that several take. */
export const SECOND = "20240102000000";

/** Two pull requests that take one version. */
export function pair(name, options) {
  const world = new World(name, options);
  world.trunk(PROJECT);
  const older = world.pull(7, { [migration(SECOND, "users")]: "create table users ();\n" });
  const younger = world.pull(9, { [migration(SECOND, "teams")]: "create table teams ();\n" });
  return { world, older, younger };
}

let shared;

/** Starts the fake and Prism, which all scenarios share. */
export async function start() {
  const folder = mkdtempSync(join(tmpdir(), "gatekeep-github-"));
  const github = new GitHub();
  await github.listen();
  const prism = await startPrism(github.url, folder);
  if (!existsSync(program)) throw new Error(`there is no ${program}: build it, or name one in GATEKEEP`);
  shared = { folder, github, prism, runs: 0, slowest: 0 };
  return shared;
}

export function stop() {
  shared.prism?.stop();
  shared.github.close();
  rmSync(shared.folder, { recursive: true, force: true });
}

export class World {
  #folder;
  #runs = 0;

  /** `direct`: without Prism, which lets no misfortune pass that GitHub does not describe. */
  constructor(name, { direct = false } = {}) {
    this.name = `${name}-${randomBytes(3).toString("hex")}`;
    this.#folder = join(shared.folder, this.name);
    this.token = `ghs_${randomBytes(18).toString("hex")}`;
    this.github = new Repository("acme", this.name, this.token);
    shared.github.add(this.github);
    this.origin = new Origin(this.#folder);
    this.fake = shared.github.url;
    this.rest = direct || !shared.prism ? this.fake : shared.prism.url;
  }

  get repository() {
    return `acme/${this.name}`;
  }

  /** Commits to the trunk. */
  trunk(files, message) {
    return this.origin.commits([{ ref: "refs/heads/main", files, message }])[0];
  }

  /** Opens a pull request with these changes. */
  pull(number, files, more = {}) {
    return this.pulls([{ number, files, ...more }])[0];
  }

  /** Opens many. */
  pulls(list) {
    const parent = this.origin.tip("main");
    const heads = this.origin.commits(list.map(({ number, files, message, author }) => ({
      ref: `refs/pull/${number}/head`, parent, files, message, author: author?.replace(/[^a-z]/g, ""),
    })));
    return list.map(({ files: _, message: __, ...pull }, at) =>
      this.github.open({ branch: `agent/n${pull.number}`, ...pull, head: heads[at] }));
  }

  /** Pushes to a pull request; `null` takes a file away. */
  push(pull, files, message) {
    const [head] = this.origin.commits([{ ref: `refs/pull/${pull.number}/head`, files, message }]);
    this.github.pushed(pull, head);
  }

  /** Merges a pull request. */
  land(pull) {
    pull.isOpen = false;
    return this.origin.merge("main", pull.head, "refs/heads/main");
  }

  /** Runs `gatekeep ci` for a pull request, on a fresh checkout of its merge. */
  async ci(pull, { action = "synchronize", args = [], ...more } = {}) {
    const merge = this.origin.merge("main", pull.head, `refs/pull/${pull.number}/merge`);
    const folder = this.origin.checkout(merge ? `refs/pull/${pull.number}/merge` : `refs/pull/${pull.number}/head`);
    const event = { name: "pull_request", payload: this.event(pull, action), sha: merge ?? pull.head, ref: `refs/pull/${pull.number}/merge` };
    return this.run(folder, ["ci", ...args], { event, ...more });
  }

  event(pull, action) {
    const repo = { full_name: this.repository, default_branch: "main" };
    return {
      action, number: pull.number, repository: repo, sender: { login: pull.author },
      pull_request: {
        number: pull.number, user: { login: pull.author }, labels: pull.labels.map((name) => ({ name })), updated_at: pull.updatedAt,
        head: { ref: pull.branch, sha: pull.head, repo: pull.isFork ? { full_name: "fork/demo" } : repo },
        base: { ref: pull.target, sha: this.origin.tip("main"), repo },
      },
    };
  }

  /** Runs gatekeep as a step of a job. */
  async run(folder, args, { event, env = {}, token = this.token } = {}) {
    this.#runs += 1;
    const place = join(this.#folder, `run-${this.#runs}`);
    mkdirSync(place);
    const files = { event: join(place, "event.json"), summary: join(place, "summary"), output: join(place, "output") };
    if (event) writeFileSync(files.event, JSON.stringify(event.payload));
    const variables = {
      PATH: process.env.PATH, HOME: this.#folder, GIT_CONFIG_NOSYSTEM: "1", GITHUB_ACTIONS: "true", RUNNER_TEMP: place,
      GITHUB_REPOSITORY: this.repository, GITHUB_API_URL: this.rest, GITHUB_GRAPHQL_URL: `${this.fake}/graphql`,
      GITHUB_SERVER_URL: "https://github.com", GITHUB_RUN_ID: "77", GITHUB_STEP_SUMMARY: files.summary, GITHUB_OUTPUT: files.output,
      ...(event ? { GITHUB_EVENT_NAME: event.name, GITHUB_EVENT_PATH: files.event, GITHUB_SHA: event.sha, GITHUB_REF: event.ref } : {}),
      ...(token ? { GITHUB_TOKEN: token } : {}), ...env,
    };
    const before = this.github.requests.length;
    const begun = performance.now();
    const ended = await finished(spawn(program, args, { cwd: folder, env: clean(variables), stdio: ["ignore", "pipe", "pipe"] }));
    const seconds = (performance.now() - begun) / 1000;
    shared.runs += 1;
    shared.slowest = Math.max(shared.slowest, seconds);
    const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
    const report = read(join(place, "gatekeep-report.json"));
    const done = {
      ...ended, seconds, summary: read(files.summary), output: read(files.output), report: report && JSON.parse(report),
      requests: this.github.requests.slice(before),
    };
    this.#hides(token ?? "", [done.out, done.err, done.summary, done.output, report, JSON.stringify([this.github.comments, this.github.checkRuns])]);
    assert.doesNotMatch(done.err, /panicked|RUST_BACKTRACE/);
    return done;
  }

  /** A token is in nothing that is printed or written. */
  #hides(token, texts) {
    if (!token) return;
    const forms = [token, Buffer.from(`x-access-token:${token}`).toString("base64")];
    for (const text of texts) for (const form of forms) assert.ok(!text.includes(form), "the token is printed");
  }

  /** GitHub had nothing to complain of. */
  isAtPeace() {
    assert.deepEqual(this.github.violations, []);
  }
}

const clean = (variables) => Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));

/** What a process said, and how it ended. One that needs ten minutes is ended. */
function finished(child) {
  return new Promise((resolve, reject) => {
    const said = { out: [], err: [] };
    child.stdout.on("data", (chunk) => said.out.push(chunk));
    child.stderr.on("data", (chunk) => said.err.push(chunk));
    const timer = setTimeout(() => child.kill("SIGKILL"), 600_000);
    child.on("error", reject);
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      resolve({ status: status ?? signal, out: Buffer.concat(said.out).toString(), err: Buffer.concat(said.err).toString() });
    });
  });
}
