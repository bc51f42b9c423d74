// What one repository on the fake GitHub holds. A scenario sets it up, gatekeep reads and writes it through the two interfaces, and the scenario
// looks at what has become of it.

/** Who the token of a workflow is. */
export const VIEWER = "github-actions[bot]";

export class Repository {
  constructor(owner, name, token) {
    Object.assign(this, { owner, name, token });
    /** What the token may do: `write` or `read`. */
    this.may = { checks: "write", comments: "write" };
    this.pulls = [];
    this.checkRuns = [];
    this.comments = [];
    /** Every request, in order: `{ what: "POST check-runs", status, … }`. */
    this.requests = [];
    /** What the fake does wrong on purpose; see `server.mjs`. */
    this.faults = [];
    /** What GitHub would not have liked, or would have done wrong with, and no schema tells. */
    this.violations = [];
    this.ids = 1000;
    this.clock = Date.parse("2026-11-01T00:00:00Z");
  }

  /** A second later. */
  now() {
    this.clock += 1000;
    return new Date(this.clock).toISOString().replace(".000", "");
  }

  id() {
    this.ids += 1;
    return this.ids;
  }

  pull(number) {
    return this.pulls.find((pull) => pull.number === Number(number));
  }

  /** A pull request. `pushed`: when its head came, as the check suites of that commit tell. */
  open(pull) {
    const whole = {
      title: "x", branch: "x", target: "main", author: "ann", isDraft: false, isFork: false, isOpen: true, labels: [], labelled: [], reviews: [],
      ...pull,
    };
    this.pulls.push(whole);
    this.pushed(whole, pull.head);
    return whole;
  }

  /** Something was pushed to a pull request: a workflow begins, and with it a suite of checks. */
  pushed(pull, head) {
    const at = this.now();
    Object.assign(pull, { head, updatedAt: at });
    pull.suites = [{ createdAt: at, branch: pull.branch, head }];
  }

  /** Somebody sets a label. */
  label(pull, name, by, isBot = false) {
    pull.labels = [...new Set([...pull.labels, name])];
    pull.labelled.push({ name, by, isBot, at: this.now() });
  }

  /** Check runs on a commit, the newest first, as the token of a workflow would have written them. */
  checks(head, name) {
    const there = this.checkRuns.filter((run) => run.head_sha === head && (name === undefined || run.name === name));
    return there.sort((a, b) => b.id - a.id);
  }

  /** The one of each name that was completed last. One that runs still is later than all. */
  latest(head, name) {
    const end = (run) => run.completed_at ?? "9999";
    const runs = this.checks(head, name).sort((a, b) => (end(a) < end(b) ? 1 : -1));
    return runs.filter((run, at) => runs.findIndex((other) => other.name === run.name) === at);
  }

  addCheck(body) {
    const at = this.now();
    const isDone = (body.status ?? "queued") === "completed" || body.conclusion !== undefined;
    const run = {
      id: this.id(), name: body.name, head_sha: body.head_sha, external_id: body.external_id ?? "", details_url: body.details_url ?? null,
      status: isDone ? "completed" : (body.status ?? "queued"), conclusion: body.conclusion ?? null, started_at: at, completed_at: isDone ? at : null,
      title: null, summary: null, annotations: [], batches: [],
    };
    this.checkRuns.push(run);
    this.changeCheck(run, body);
    return run;
  }

  changeCheck(run, body) {
    for (const key of ["name", "external_id", "details_url", "status", "conclusion"]) if (key in body) run[key] = body[key];
    if (body.output) {
      run.title = body.output.title;
      run.summary = body.output.summary;
      run.annotations.push(...(body.output.annotations ?? []));
      run.batches.push((body.output.annotations ?? []).length);
    }
  }

  addComment(number, body, by = VIEWER) {
    const at = this.now();
    const comment = { id: this.id(), number: Number(number), body, by, isMinimized: false, created_at: at, updated_at: at };
    this.comments.push(comment);
    return comment;
  }

  /** Requests so far, of which the name begins so. */
  count(what = "") {
    return this.requests.filter((one) => one.what.startsWith(what)).length;
  }
}
