// The part of the REST interface that gatekeep calls. Prism, which stands before it, holds requests and answers against GitHub's OpenAPI
// description; what that does not say is looked at here.

import { VIEWER } from "./repository.mjs";

const KB = 1024;

/** Answers one request: `{ status, body }`. `route` is what follows `/repos/OWNER/NAME/`. */
export function answer(repository, method, route, query, body) {
  for (const [on, pattern, handle] of ROUTES) {
    const found = on === method && route.match(pattern);
    if (found) return handle(repository, found.slice(1), body, query);
  }
  return { status: 404, body: { message: "Not Found", documentation_url: "https://docs.github.com/rest" } };
}

const ROUTES = [
  ["GET", /^commits\/([0-9a-f]{40})\/check-runs$/, listChecks],
  ["POST", /^check-runs$/, createCheck],
  ["PATCH", /^check-runs\/(\d+)$/, updateCheck],
  ["POST", /^issues\/(\d+)\/comments$/, createComment],
  ["PATCH", /^issues\/comments\/(\d+)$/, updateComment],
  ["DELETE", /^issues\/comments\/(\d+)$/, deleteComment],
];

/** As GitHub refuses: the message is that of a token without the permission. */
const denied = { status: 403, body: { message: "Resource not accessible by integration", documentation_url: "https://docs.github.com/rest" } };
const missing = { status: 404, body: { message: "Not Found", documentation_url: "https://docs.github.com/rest" } };
const invalid = (why) => ({ status: 422, body: { message: `Invalid request. ${why}`, documentation_url: "https://docs.github.com/rest" } });

function listChecks(repository, [head], _, query) {
  const name = query.get("check_name") ?? undefined;
  const runs = query.get("filter") === "all" ? repository.checks(head, name) : repository.latest(head, name);
  const size = Math.min(Number(query.get("per_page") ?? 30), 100);
  return { status: 200, body: { total_count: runs.length, check_runs: runs.slice(0, size).map((run) => shownCheck(repository, run)) } };
}

function createCheck(repository, _, body) {
  if (repository.may.checks !== "write") return denied;
  const why = wrongWithCheck(body, ["name", "head_sha"]);
  if (why) return refused(repository, why);
  return { status: 201, body: shownCheck(repository, repository.addCheck(body)) };
}

function updateCheck(repository, [id], body) {
  if (repository.may.checks !== "write") return denied;
  const run = repository.checkRuns.find((one) => one.id === Number(id));
  if (!run) return missing;
  const why = wrongWithCheck(body, []);
  if (why) return refused(repository, why);
  repository.changeCheck(run, body);
  return { status: 200, body: shownCheck(repository, run) };
}

function createComment(repository, [number], body) {
  if (repository.may.comments !== "write") return denied;
  if (!repository.pull(number)) return missing;
  const why = wrongWithComment(body);
  if (why) return refused(repository, why);
  return { status: 201, body: shownComment(repository, repository.addComment(number, body.body)) };
}

function updateComment(repository, [id], body) {
  const comment = repository.comments.find((one) => one.id === Number(id));
  if (!comment) return missing;
  if (repository.may.comments !== "write" || comment.by !== VIEWER) return denied;
  const why = wrongWithComment(body);
  if (why) return refused(repository, why);
  Object.assign(comment, { body: body.body, updated_at: repository.now() });
  return { status: 200, body: shownComment(repository, comment) };
}

function deleteComment(repository, [id]) {
  const at = repository.comments.findIndex((one) => one.id === Number(id));
  if (at < 0) return missing;
  if (repository.may.comments !== "write" || repository.comments[at].by !== VIEWER) return denied;
  repository.comments.splice(at, 1);
  return { status: 204 };
}

function refused(repository, why) {
  repository.violations.push(why);
  return invalid(why);
}

const CHECK = ["name", "head_sha", "details_url", "external_id", "status", "started_at", "conclusion", "completed_at", "output", "actions"];
const OUTPUT = ["title", "summary", "text", "annotations", "images"];
const ANNOTATION = [
  "path", "start_line", "end_line", "start_column", "end_column", "annotation_level", "message", "title", "raw_details",
];

/** What is wrong with a check run; the OpenAPI description lets pass most of it. */
function wrongWithCheck(body, needed) {
  if (typeof body !== "object" || body === null) return "the body is no object";
  const unknown = unknownKey(body, CHECK) ?? unknownKey(body.output ?? {}, OUTPUT);
  if (unknown) return `unknown field ${unknown}`;
  const lacking = needed.find((key) => !body[key]);
  if (lacking) return `${lacking} is missing`;
  if ((body.status === "completed" || body.completed_at) && !body.conclusion) return "completed without a conclusion";
  if (!body.output) return undefined;
  if (!body.output.title || !body.output.summary) return "an output without title or summary";
  if ([...body.output.summary].length > 65_535 || [...(body.output.text ?? "")].length > 65_535) return "summary or text is too long";
  const annotations = body.output.annotations ?? [];
  if (annotations.length > 50) return `${annotations.length} annotations in one request`;
  return annotations.map(wrongWithAnnotation).find((why) => why);
}

function wrongWithAnnotation(one) {
  const unknown = unknownKey(one, ANNOTATION);
  if (unknown) return `unknown field ${unknown} of an annotation`;
  if (!one.path || one.path.startsWith("/") || one.path.startsWith("./")) return `an annotation at ${JSON.stringify(one.path)}`;
  if (!(one.start_line >= 1) || !(one.end_line >= one.start_line)) return `an annotation at the lines ${one.start_line} to ${one.end_line}`;
  const hasColumns = "start_column" in one || "end_column" in one;
  if (hasColumns && one.start_line !== one.end_line) return "an annotation with columns over several lines";
  if (hasColumns && !(one.start_column >= 1 && one.end_column >= one.start_column)) return "an annotation with columns that are none";
  if (!["notice", "warning", "failure"].includes(one.annotation_level)) return `an annotation of level ${one.annotation_level}`;
  if (!one.message || Buffer.byteLength(one.message) > 64 * KB) return "the message of an annotation is empty or too long";
  if ([...(one.title ?? "")].length > 255) return "the title of an annotation is too long";
  return undefined;
}

function wrongWithComment(body) {
  if (typeof body?.body !== "string" || body.body.trim() === "") return "a comment without a body";
  if ([...body.body].length > 65_536) return "a comment that is too long";
  const unknown = unknownKey(body, ["body"]);
  return unknown && `unknown field ${unknown} of a comment`;
}

function unknownKey(object, known) {
  return Object.keys(object).find((key) => !known.includes(key));
}

function shownCheck(repository, run) {
  const at = `https://api.github.com/repos/${repository.owner}/${repository.name}/check-runs/${run.id}`;
  return {
    id: run.id, node_id: `CR_${run.id}`, head_sha: run.head_sha, external_id: run.external_id, url: at, html_url: at, details_url: run.details_url,
    status: run.status, conclusion: run.conclusion, started_at: run.started_at, completed_at: run.completed_at, name: run.name,
    output: { title: run.title, summary: run.summary, text: null, annotations_count: run.annotations.length, annotations_url: `${at}/annotations` },
    check_suite: { id: 5 }, app: null, pull_requests: [],
  };
}

function shownComment(repository, comment) {
  const at = `https://api.github.com/repos/${repository.owner}/${repository.name}/issues`;
  return {
    id: comment.id, node_id: `IC_${comment.id}`, url: `${at}/comments/${comment.id}`, html_url: `${at}/comments/${comment.id}`, body: comment.body,
    issue_url: `${at}/${comment.number}`, user: null, author_association: "NONE", created_at: comment.created_at, updated_at: comment.updated_at,
  };
}
