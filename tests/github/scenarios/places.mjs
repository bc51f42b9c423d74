// GitHub elsewhere: a server of one's own, whose interfaces have a path, and one behind a proxy.

import { test } from "node:test";
import assert from "node:assert/strict";
import http from "node:http";
import { pair } from "../rig/world.mjs";

/** A forward proxy that brings every request to one place, and lists where they wanted to go. */
async function proxy(target) {
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(request.url);
    const to = new URL(request.url);
    const there = new URL(to.pathname + to.search, target);
    const forward = http.request(there, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forward);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => { server.closeAllConnections(); server.close(); } };
}

export function all() {
  test("a server of one's own has its interfaces below a path", async () => {
    const { world, younger } = pair("ghes");
    const own = { GITHUB_SERVER_URL: world.fake, GITHUB_API_URL: `${world.fake}/api/v3`, GITHUB_GRAPHQL_URL: `${world.fake}/api/graphql` };
    const run = await world.ci(younger, { env: own });
    assert.equal(run.status, 1, run.err);
    assert.ok(run.requests.every((one) => one.isOwn), JSON.stringify(run.requests));
    assert.deepEqual(run.requests.map((one) => one.status).filter((status) => status >= 400), []);
    const [check] = world.github.checks(younger.head);
    assert.equal(check.details_url, `${world.fake}/acme/${world.name}/actions/runs/77`);
    world.isAtPeace();
  });

  test("where only the server is named, both interfaces are found beside it", async () => {
    const { world, younger } = pair("derived");
    const run = await world.ci(younger, { env: { GITHUB_SERVER_URL: world.fake, GITHUB_API_URL: undefined, GITHUB_GRAPHQL_URL: undefined } });
    assert.equal(run.status, 1, run.err);
    assert.ok(run.requests.length > 4 && run.requests.every((one) => one.isOwn), JSON.stringify(run.requests));
    world.isAtPeace();
  });

  test("a token of one server is not shown to another where nothing but the event names the repository", async () => {
    const { world, younger } = pair("elsewhere");
    const run = await world.ci(younger, {
      env: { GITHUB_REPOSITORY: undefined, GITHUB_SERVER_URL: world.fake, GITHUB_API_URL: undefined, GITHUB_GRAPHQL_URL: undefined },
    });
    assert.equal(run.status, 1, run.err);
    assert.ok(run.requests.length > 4 && run.requests.every((one) => one.isOwn), JSON.stringify(run.requests));
  });

  test("a proxy is honoured, for both interfaces", async () => {
    const { world, younger } = pair("proxy");
    const between = await proxy(world.fake);
    const nowhere = "http://api.github.test"; // no such host: only the proxy knows the way
    const env = { HTTP_PROXY: between.url, http_proxy: between.url, GITHUB_API_URL: nowhere, GITHUB_GRAPHQL_URL: `${nowhere}/graphql` };
    const run = await world.ci(younger, { env });
    between.close();
    assert.equal(run.status, 1, run.err);
    assert.equal(between.seen.length, run.requests.length);
    assert.ok(between.seen.every((url) => url.startsWith(nowhere)), between.seen.join());
    assert.equal(world.github.checks(younger.head).length, 1);
    world.isAtPeace();
  });
}
