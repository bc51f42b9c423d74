// The git side of a repository: a bare one that stands for GitHub's, with `refs/pull/N/head` and `refs/pull/N/merge`, and checkouts of it as
// actions/checkout leaves them.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export class Origin {
  #folder;
  #clock = 1_780_000_000;
  #checkouts = 0;
  constructor(folder) {
    this.#folder = folder;
    this.path = join(folder, "origin.git");
    mkdirSync(folder, { recursive: true });
    this.environment = {
      PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8",
      GIT_AUTHOR_NAME: "ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "ann", GIT_COMMITTER_EMAIL: "ann@example.org",
    };
    this.git(folder, "init", "--quiet", "--bare", "-b", "main", this.path);
    for (const key of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"]) this.git(this.path, "config", key, "true");
  }

  git(cwd, ...args) {
    return this.#git(cwd, args).toString().trim();
  }

  #git(cwd, args, input) {
    const options = { cwd, input, env: this.environment, stdio: ["pipe", "pipe", "pipe"], maxBuffer: 1 << 28 };
    return execFileSync("git", ["-c", "gc.auto=0", ...args], options);
  }

  /** Where a name stands now; undefined where there is no such one. */
  tip(name) {
    try {
      return this.git(this.path, "rev-parse", "--verify", "--quiet", `${name}^{commit}`);
    } catch {
      return undefined;
    }
  }

  /** Makes commits, all at once: `{ ref, parent, files: { path: text or null }, message, author }`. Gives their ids. */
  commits(list) {
    const parts = [];
    list.forEach((one, at) => {
      this.#clock += 60;
      const parent = "parent" in one ? one.parent : this.tip(one.ref);
      const who = `${one.author ?? "ann"} <${one.author ?? "ann"}@example.org> ${this.#clock} +0000`;
      parts.push(`commit ${one.ref}\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\n`, data(one.message ?? "work"));
      if (parent) parts.push(`from ${parent}\n`);
      for (const [path, text] of Object.entries(one.files ?? {})) {
        parts.push(text === null ? `D ${quoted(path)}\n` : `M 100644 inline ${quoted(path)}\n`, text === null ? "" : data(text));
      }
    });
    const marks = join(this.#folder, "marks");
    this.#git(this.path, ["fast-import", "--quiet", "--force", `--export-marks=${marks}`], Buffer.concat(parts.map((part) => Buffer.from(part))));
    const ids = readFileSync(marks, "utf8").trim().split("\n").map((line) => line.split(" "));
    const byMark = new Map(ids.map(([mark, id]) => [mark, id]));
    return list.map((_, at) => byMark.get(`:${at + 1}`));
  }

  /** Merges a commit into a branch, as a queue or a person would; undefined where git would stop. */
  merge(into, head, ref) {
    const base = this.tip(into);
    try {
      const tree = this.git(this.path, "merge-tree", "--write-tree", base, head);
      const commit = this.git(this.path, "commit-tree", tree, "-p", base, "-p", head, "-m", `Merge ${head} into ${base}`);
      if (ref) this.git(this.path, "update-ref", ref, commit);
      return commit;
    } catch (error) {
      if (error.status === 1) return undefined;
      throw error;
    }
  }

  /** A checkout of one commit without history, in a folder of its own. */
  checkout(ref) {
    this.#checkouts += 1;
    const folder = join(this.#folder, `checkout-${this.#checkouts}`);
    mkdirSync(folder);
    this.git(folder, "init", "--quiet", "-b", "none");
    this.git(folder, "remote", "add", "origin", `file://${this.path}`);
    this.git(folder, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", ref);
    this.git(folder, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD");
    return folder;
  }
}

const data = (text) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
};

/** A path as fast-import reads it. */
const quoted = (path) => `"${path.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
