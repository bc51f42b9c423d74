// Opens the pages that `GATEKEEP_PAGES=FOLDER cargo test --test it report::pages` wrote, in a real browser.
//
//   node check.mjs [FOLDER]      the pages; default ../../target/pages
//   CHROMIUM=PATH                which browser; default chromium on the PATH
//   GATEKEEP_SHOTS=FOLDER        leave screenshots there

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = import.meta.dirname;
const folder = resolve(process.argv[2] ?? process.env.GATEKEEP_PAGES ?? join(here, "../../target/pages"));
const pages = readdirSync(folder).filter((name) => name.endsWith(".html")).map((name) => join(folder, name));
const shots = process.env.GATEKEEP_SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = { phone: { width: 360, height: 800 }, desk: { width: 1280, height: 900 } };
const focusable = "a[href], summary, textarea, [tabindex='0']";

let checks = 0;
const mistakes = [];
function expect(holds, where, what) {
  checks += 1;
  if (!holds) mistakes.push(`${where}: ${what}`);
}

expect(pages.length >= 6, folder, `expected the pages of the tests, found ${pages.length}`);
if (shots) mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim(),
  args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** Opens a page, hands it on, and fails if it said or asked for anything meanwhile. */
async function open(file, options, look) {
  const where = `${basename(file, ".html")} ${options.label}`;
  const context = await browser.newContext({ viewport: options.size, colorScheme: options.scheme ?? "light", bypassCSP: false });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  page.on("console", (said) => expect(false, where, `the console says: ${said.text()}`));
  page.on("pageerror", (error) => expect(false, where, `an error: ${error}`));
  page.on("dialog", (dialog) => (expect(false, where, "a dialog opens"), dialog.dismiss()));
  page.on("popup", () => expect(false, where, "a window opens"));
  page.on("request", (request) => expect(request.url().split("#")[0] === address, where, `it asks for ${request.url()}`));
  await page.goto(address);
  await look(page, where);
  await context.close();
}

/** What holds of every page in every size and scheme. */
async function sound(page, where) {
  const seen = await page.evaluate(() => ({
    title: document.title,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    styled: getComputedStyle(document.body).maxWidth !== "none",
    alien: document.querySelectorAll("script, img, iframe, object, embed, link, form, base, [style], [onload], [onerror], [onmouseover]").length,
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((one) => Number(one.tagName[1])),
    small: [...document.querySelectorAll("a[href], summary")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 16).length,
  }));
  expect(seen.title.endsWith(" · gatekeep") && !seen.title.includes("pwned"), where, `the title is ${seen.title}`);
  expect(seen.wide <= 0, where, `it is ${seen.wide} pixels too wide`);
  expect(seen.styled, where, "the policy kept the style out");
  expect(seen.alien === 0, where, `${seen.alien} elements or attributes are not ours`);
  expect(seen.headings.filter((level) => level === 1).length === 1, where, `levels of headings: ${seen.headings}`);
  expect(seen.headings.every((level, at) => level <= (seen.headings[at - 1] ?? 0) + 1), where, `levels of headings: ${seen.headings}`);
  expect(seen.small === 0, where, `${seen.small} links are hard to hit`);
}

async function accessible(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const one of found.violations) {
    expect(false, where, `axe: ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
  }
  expect(found.passes.length > 10, where, "axe looked at nothing");
}

/** Tab reaches all that can be followed or opened, in order, and shows where it is. */
async function keyboard(page, where) {
  const expected = await page.evaluate((focusable) => {
    const all = [...document.querySelectorAll(focusable)].filter((one) => one.checkVisibility({ contentVisibilityAuto: false }) && !one.closest("details:not([open]) > :not(summary)"));
    all.forEach((one, at) => one.setAttribute("data-at", at));
    return all.length;
  }, focusable);
  for (let at = 0; at < expected; at += 1) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(() => {
      const one = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
      return { at: Number(one.getAttribute("data-at") ?? -1), html: one.outerHTML.slice(0, 80), marked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2, inside };
    });
    expect(now.at === at, where, `Tab ${at + 1} reaches ${now.at}: ${now.html}`);
    expect(now.marked, where, `focus does not show on ${now.html}`);
    expect(now.inside, where, `focus is out of sight on ${now.html}`);
    if (now.at !== at) break;
  }
  expect(expected > 3, where, "there is nothing to reach");
}

for (const file of pages) {
  for (const [name, size] of Object.entries(sizes)) {
    for (const scheme of ["light", "dark"]) {
      await open(file, { label: `${name} ${scheme}`, size, scheme }, async (page, where) => {
        await sound(page, where);
        if (shots) {
          await page.screenshot({ path: join(shots, `${basename(file, ".html")}-${name}-${scheme}.png`) });
          const whole = !file.includes("thousand");
          if (whole) await page.screenshot({ path: join(shots, `${basename(file, ".html")}-${name}-${scheme}-whole.png`), fullPage: true });
        }
        const once = name === "desk" && scheme === "light"; // of the long page; the others have all that it has
        if (once || !file.includes("thousand")) await accessible(page, where);
      });
    }
  }
}

for (const [label, size] of Object.entries(sizes)) {
  for (const name of ["fleet", "hostile"]) {
    await open(join(folder, `${name}.html`), { label: `${label} keyboard`, size }, keyboard);
  }
}

await open(join(folder, "fleet.html"), { label: "links", size: sizes.desk }, async (page, where) => {
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().top >= 0), where, "the first stop is the link past the head");
  for (const link of await page.locator("td a").all()) {
    const target = (await link.getAttribute("href")).slice(1);
    await link.click();
    const seen = await page.evaluate((id) => {
      const box = document.getElementById(id).getBoundingClientRect();
      return location.hash === `#${id}` && box.height > 0 && box.top < innerHeight && box.bottom > 0;
    }, target);
    expect(seen, where, `a cell leads to #${target}, which is out of sight`);
  }
  await page.locator(".pairs a").first().click();
  expect(await page.evaluate(() => document.querySelector(":target").tagName === "ARTICLE"), where, "an entry leads to its finding");
  const commands = page.locator("textarea").first();
  await commands.focus();
  await page.keyboard.press("ControlOrMeta+a");
  const chosen = await commands.evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd));
  expect(/^(mv -n .+ .+\n?)+$/.test(chosen), where, `the commands are not what is chosen: ${chosen}`);
  await page.locator("#suppressed summary").focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("#suppressed article").isVisible(), where, "what is suppressed opens with a key");
});

await open(join(folder, "thousand.html"), { label: "folded", size: sizes.desk }, async (page, where) => {
  const last = page.locator("tbody tr").last().locator("td a").first();
  const target = (await last.getAttribute("href")).slice(1);
  await last.click();
  expect(await page.locator(`#${target}`).isVisible(), where, `#${target} stays folded away`);
});

await open(join(folder, "hostile.html"), { label: "text", size: sizes.phone }, async (page, where) => {
  const text = await page.evaluate(() => document.body.textContent);
  for (const shown of ["</title><script>document.title = 'pwned'</script>", "\"><img src=x onerror=", "</style><style>", "</textarea></pre></code><svg onload=", "<!--<script>--><![CDATA[ &lt;script&gt; %0A%3Cscript%3E", "\\u{202e}lmth.daol\\u{202c}", "javascript:document.title"]) {
    expect(text.includes(shown), where, `the text does not show ${shown}`);
  }
  expect(!/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\0\x1b]/.test(text), where, "a character that hides or turns others is left");
  for (const one of await page.locator("a[href^='http']").all()) {
    expect(false, where, `a link leads to ${await one.getAttribute("href")}`);
  }
});

await open(join(folder, "fleet.html"), { label: "on paper", size: sizes.desk }, async (page, where) => {
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("#suppressed article h3").evaluate((one) => one.checkVisibility({ contentVisibilityAuto: true })), where, "what is folded away is not printed");
  expect(!(await page.locator("nav").isVisible()), where, "links within the page are printed");
  const pdf = await page.pdf({ format: "A4", path: shots ? join(shots, "fleet.pdf") : undefined });
  expect(pdf.length > 10_000, where, "there is no paper");
});

await browser.close();

const jar = createRequire(import.meta.url).resolve("vnu-jar/build/dist/vnu.jar");
try {
  execFileSync("java", ["-jar", jar, "--format", "json", ...pages], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  expect(true, "vnu", "");
} catch (error) {
  if (error.stderr === undefined || error.code === "ENOENT") throw error;
  // vnu reads no hashes, so that it takes any style for forbidden (`styled` above is the browser's word on it), and knows older CSS.
  const known = /^Inline style violates Content Security Policy|^CSS: “field-sizing”|^Text run starts with a composing character|^This document appears to be written in /; // the last: a guess at the language of hostile names
  const messages = JSON.parse(error.stderr).messages.filter((one) => !known.test(one.message));
  for (const one of messages.slice(0, 20)) {
    expect(false, basename(one.url ?? "vnu"), `line ${one.lastLine}: ${one.message} ${one.extract ?? ""}`);
  }
}

for (const mistake of mistakes.slice(0, 60)) console.error(mistake);
console.log(`${pages.length} pages, ${checks} checks, ${mistakes.length} mistakes`);
process.exit(mistakes.length > 0 ? 1 : 0);
