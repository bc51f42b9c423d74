// A GitHub on one port of this machine, for many repositories at once. `/repos/…` and `/graphql` are github.com's; `/api/v3/…` and
// `/api/graphql` are those of a server of one's own.

import http from "node:http";
import * as graphql from "./graphql.mjs";
import * as rest from "./rest.mjs";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

export class GitHub {
  #repositories = new Map();
  #server = http.createServer((request, response) => this.#serve(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  }));

  add(repository) {
    this.#repositories.set(repository.name, repository);
  }

  async listen() {
    await new Promise((ready) => this.#server.listen(0, "127.0.0.1", ready));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request, response) {
    const url = new URL(request.url, "http://localhost");
    const isOwn = url.pathname.startsWith("/api/"); // a server of one's own
    const path = url.pathname.replace(/^\/api(\/v3)?(?=\/)/, "");
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body = text ? JSON.parse(text) : undefined;
    const [, , name, route] = path.match(/^\/repos\/([^/]+)\/([^/]+)\/(.*)$/) ?? [];
    const isGraphql = path === "/graphql";
    const repository = this.#repositories.get(isGraphql ? body?.variables?.name : name);
    if (!repository) return send(response, 404, { message: "Not Found" });
    const seen = { what: isGraphql ? `QUERY ${kind(body.query)}` : `${request.method} ${generic(route)}`, isOwn, host: request.headers.host };
    repository.requests.push(seen);
    const fault = repository.faults.find((one) => one.times > 0 && seen.what.startsWith(one.on));
    if (fault) {
      fault.times -= 1;
      if (fault.after > 0) {
        fault.after -= 1;
        fault.times += 1;
      } else if (!fault.isDone) {
        seen.status = fault.status ?? fault.kind;
        return this.#fail(response, fault);
      }
    }
    const answer = await this.#answer(repository, request, { isGraphql, route, url, body, seen });
    if (fault?.isDone && !(fault.after > 0)) {
      seen.status = fault.status ?? fault.kind; // carried out, and nobody is told
      return this.#fail(response, fault);
    }
    seen.status = answer.status;
    return send(response, answer.status, answer.body);
  }

  async #answer(repository, request, { isGraphql, route, url, body, seen }) {
    if (!request.headers["user-agent"]) repository.violations.push("no User-Agent: GitHub answers 403");
    if (request.headers.authorization !== `Bearer ${repository.token}`) {
      repository.violations.push(`the header Authorization is ${request.headers.authorization ? "another" : "missing"}`);
      return { status: 401, body: { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" } };
    }
    if (!isGraphql) return rest.answer(repository, request.method, route, url.searchParams, body);
    const { body: answered, cost } = await graphql.answer(repository, body);
    Object.assign(seen, cost);
    return { status: 200, body: answered };
  }

  /** Something goes wrong: a status with headers, no answer for ever, or an answer that breaks off in the middle. */
  #fail(response, { kind: how, status, headers, body }) {
    if (how === "hang") return undefined;
    if (how === "cut") {
      response.writeHead(200, { ...JSON_TYPE, "content-length": 1000 });
      response.write('{"data":{"repository":{"pullRequests":{"totalCount":2,');
      return setTimeout(() => response.destroy(), 20);
    }
    return send(response, status, body ?? { message: "out of order" }, headers);
  }
}

function send(response, status, body, headers = {}) {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, { ...(body === undefined ? {} : JSON_TYPE), ...headers, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/** What a query is about, for the list of requests. */
const kind = (query) => (/pullRequests\(/.test(query) ? "pulls" : /comments\(/.test(query) ? "comments" : "approvals");

/** A route without what differs from one to the next. */
const generic = (route) => route.replace(/\b[0-9a-f]{40}\b/, "SHA").replace(/\/\d+/g, "/N");
