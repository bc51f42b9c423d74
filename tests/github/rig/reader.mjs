// How a runner and GitHub's pages read what gatekeep prints and writes, to find what a hostile change may have smuggled in.

import assert from "node:assert/strict";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** Where the documentation of built-in rules is. */
const DOCS = ["https://supabase.com/"];
const KEYS = ["file", "line", "endLine", "col", "endColumn", "title"];

/** What the runner takes for commands: lines that begin with `::`, and `##[` wherever it stands (actions/runner, ActionCommand.cs). */
export function commands(text) {
  assert.ok(!text.includes("##["), "a command of the old form");
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trimStart()).filter((line) => line.startsWith("::"));
  return lines.map((line) => {
    const [, header, message] = line.match(/^::(.*?)::(.*)$/) ?? assert.fail(line);
    const [, name, rest] = header.match(/^(\S+) ?(.*)$/);
    const properties = Object.fromEntries(rest.split(",").map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    return { name, properties, message };
  });
}

/** Every command is an annotation of ours, and nothing moves the terminal. */
export function isHarmlessLog(text, codes) {
  const strange = [...text].filter((c) => c !== "\n" && /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u.test(c));
  assert.deepEqual(strange.map((c) => c.codePointAt(0).toString(16)), [], "control characters");
  for (const { name, properties } of commands(text)) {
    assert.ok(["error", "warning", "notice"].includes(name), name);
    assert.deepEqual(Object.keys(properties).filter((key) => !KEYS.includes(key)), []);
    const title = decodeURIComponent(properties.title);
    assert.ok(["gatekeep", "gatekeep: incomplete", ...codes].includes(title), title);
  }
}

/** Markdown of which nothing is HTML, an image, a mention, a reference or a link of somebody else's. */
export function isHarmlessMarkdown(text) {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const visit = (node) => {
    if (node.type === "html") assert.equal(node.value, "<!-- gatekeep -->");
    assert.ok(!["image", "imageReference", "linkReference", "definition", "footnoteReference", "footnoteDefinition"].includes(node.type), node.type);
    if (node.type === "link") {
      assert.ok(DOCS.some((site) => node.url.startsWith(site)), node.url);
      return; // its text is its address
    }
    if (node.type === "text") {
      assert.doesNotMatch(node.value, /@[\p{L}\p{N}]/u, "a mention");
      assert.doesNotMatch(node.value, /#\d|\bgh-\d/iu, "a reference");
      assert.doesNotMatch(node.value, /(https?:\/\/|www\.)\w/i, "an address");
      assert.doesNotMatch(node.value, /:[a-z0-9_+]+:/i, "an emoji");
    }
    node.children?.forEach(visit);
  };
  visit(tree);
}

/** The outputs of a step are our five, each once. */
export function outputs(text) {
  const pairs = text.trimEnd().split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2));
  assert.deepEqual(pairs.map(([key]) => key), ["findings", "errors", "warnings", "complete", "report"]);
  return Object.fromEntries(pairs);
}
