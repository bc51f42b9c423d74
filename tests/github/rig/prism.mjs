// Prism as a proxy before the fake: it refuses (422) requests and reports (500) answers that GitHub's OpenAPI description does not allow.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const modules = join(import.meta.dirname, "../node_modules");
const description = join(modules, "@octokit/openapi/generated/api.github.com.json");
const program = join(modules, ".bin/prism");
const HERE = "/repos/{owner}/{repo}";
const PATHS = [
  `${HERE}/check-runs`, `${HERE}/check-runs/{check_run_id}`, `${HERE}/commits/{ref}/check-runs`, `${HERE}/issues/{issue_number}/comments`,
  `${HERE}/issues/comments/{comment_id}`,
];

/** Starts it; undefined where it is not installed (`npm ci --omit=optional`). */
export async function start(upstream, folder) {
  if (!existsSync(description) || !existsSync(program)) return undefined;
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(slice()));
  const port = await freePort();
  const args = ["proxy", "-h", "127.0.0.1", "-p", String(port), "--errors", file, upstream];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } });
  let log = "";
  const listening = new Promise((resolve, reject) => {
    const hear = (text) => {
      log += text;
      if (log.includes("listening on")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`prism ended with ${code}: ${log}`)));
  });
  await listening;
  return { url: `http://127.0.0.1:${port}`, log: () => log, stop: () => child.kill() };
}

/** What gatekeep calls, out of the whole description, with what that refers to. */
function slice() {
  const whole = JSON.parse(readFileSync(description, "utf8"));
  const paths = Object.fromEntries(PATHS.map((path) => [path, whole.paths[path]]));
  const components = {};
  const queue = [JSON.stringify(paths)];
  while (queue.length > 0) {
    for (const [, section, name] of queue.pop().matchAll(/"#\/components\/([^"/]+)\/([^"]+)"/g)) {
      const key = name.replace(/~1/g, "/");
      if (components[section]?.[key] !== undefined) continue;
      (components[section] ??= {})[key] = whole.components[section][key];
      queue.push(JSON.stringify(whole.components[section][key]));
    }
  }
  return { openapi: whole.openapi, info: whole.info, paths, components };
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
