import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { startApi } from "../support/api.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../support/browser.ts";
import { findAxeFaults } from "../support/console.ts";
import { newDirectory } from "../support/processes.ts";

const api = await startApi();

interface Manifest {
  readonly pages: Readonly<Record<string, { readonly title: string }>>;
  readonly assets: Readonly<Record<string, { readonly version: string }>>;
}

const { pages, assets } = JSON.parse(
  await readFile(new URL("../../docs/manifest.json", import.meta.url), "utf8"),
) as Manifest;
const addresses = Object.keys(pages).map((name) => (name === "" ? "/docs" : `/docs/${name}`));

describe("the documentation over HTTP", () => {
  test("every page is there, small, without inline scripts, and forbids every other host", async () => {
    assert.ok(addresses.length > 70);
    for (const address of addresses) {
      const { status, headers, text } = await api.call("GET", address);
      assert.equal(status, 200, address);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(headers.get("cache-control"), "public, max-age=300");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(
        policy,
        /^default-src 'none'; script-src 'self'; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; /,
      );
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.doesNotMatch(text, /<script(?![^>]* src="\/docs\/)|<style[^>]| style="| on\w+="/, address);
      assert.doesNotMatch(text, /public-url\.invalid|undefined<|\[object/, address);
      assert.ok(gzipSync(text).length <= 60_000, address);
      // Whoever reads the source, or a model that does, finds the Markdown at once.
      assert.match(
        text.slice(0, 120),
        /^<!doctype html>\n<!-- This page as Markdown: \/docs\/\S+\.md · all pages: \/llms\.txt -->/,
      );
    }
  });

  test("every link of every page leads to a page that is there, and to an anchor on it", async () => {
    const texts = new Map<string, string>();
    for (const address of addresses) texts.set(address, (await api.call("GET", address)).text);
    const others = new Set<string>();
    for (const [address, text] of texts) {
      const anchors = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(anchors).size, anchors.length, `${address} has an anchor twice`);
      for (const [, href = ""] of text.matchAll(/href="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(href, `http://here${address}`);
        if (origin !== "http://here") continue;
        const target = texts.get(pathname);
        if (target === undefined) others.add(href.split("#")[0] ?? href);
        else if (hash !== "")
          assert.ok(
            target.includes(` id="${decodeURIComponent(hash.slice(1))}"`),
            `${address} leads to ${href}`,
          );
      }
    }
    for (const href of others) assert.equal((await api.call("GET", href)).status, 200, href);
  });

  test("every file that a page names is in the project", async (t) => {
    const script = new URL("../../../scripts/build-docs.mjs", import.meta.url).href;
    const { buildDocs }: { buildDocs: (folder: string, built: string) => Promise<string[]> } = await import(
      script
    );
    const folder = await newDirectory(t);
    assert.deepEqual(await buildDocs(folder, fileURLToPath(new URL("../../", import.meta.url))), []);
  });

  test("every page is there as Markdown, with the address of this server, and so are all of them in one", async () => {
    for (const name of Object.keys(pages)) {
      const { status, headers, text } = await api.call("GET", `/docs/${name === "" ? "index" : name}.md`);
      assert.equal(status, 200, name);
      assert.equal(headers.get("content-type"), "text/markdown; charset=utf-8");
      assert.match(text, /^# ./m, name);
      assert.doesNotMatch(text, /public-url\.invalid|\{try|\{#/, name);
    }
    const { text: index, headers } = await api.call("GET", "/llms.txt");
    assert.equal(headers.get("content-type"), "text/markdown; charset=utf-8");
    assert.match(index, /^# Rollbook\n\n> /);
    for (const section of ["Docs", "API", "Instructions", "Optional"])
      assert.match(index, new RegExp(`^## ${section}$`, "m"));
    const whole = (await api.call("GET", "/llms-full.txt")).text;
    const links = [...(index.split("## Optional")[0]?.matchAll(/\]\((\S+?)\)/g) ?? [])].map(
      ([, href = ""]) => href,
    );
    assert.ok(links.length > 20);
    for (const href of links) assert.equal((await api.call("GET", new URL(href).pathname)).status, 200, href);
    for (const title of ["# A signup form", "# Errors", "# Clients"])
      assert.ok(whole.includes(`\n${title}\n`), title);
  });

  test("what is asked for again is not sent again, HEAD is GET without its body, and names that no page has are 404", async () => {
    for (const path of ["/docs", "/docs/api", "/docs/api.md", "/docs/docs.js", "/llms.txt"]) {
      const first = await api.call("GET", path);
      const etag = first.headers.get("etag") ?? "";
      assert.match(etag, /^"[\w-]{22}"$/);
      const again = await api.call("GET", path, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, path);
      const head = await api.call("HEAD", path);
      assert.equal(head.status, 200, path);
      assert.equal(head.headers.get("etag"), etag);
      for (const coding of ["br", "gzip"]) {
        const packed = await api.call("GET", path, { headers: { "accept-encoding": coding } });
        assert.equal(packed.headers.get("content-encoding"), coding, path);
        assert.notEqual(packed.headers.get("etag"), etag);
      }
    }
    for (const path of [
      "/docs/index",
      "/docs/.md",
      "/docs/nothing",
      "/docs/nothing.md",
      "/docs/toString",
      "/docs/__proto__",
      "/docs/constructor.md",
      "/docs/..%2f..%2fpackage.json",
      "/docs/manifest.json",
      "/docs/pages/index.html",
    ])
      assert.equal((await api.call("GET", path)).status, 404, path);
  });

  test("a person at an address without a page gets one that leads on, a program a problem", async () => {
    for (const path of ["/docs/nothing", "/docs/decisions/nothing", "/docs/nothing.md"]) {
      const page = await api.call("GET", path, { headers: { accept: "text/html,*/*;q=0.8" } });
      assert.equal(page.status, 404, path);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      assert.equal(page.headers.get("cache-control"), "no-store");
      assert.match(page.text, /<h1[^>]*>There is no such page/);
      assert.match(page.text, /href="\/docs\/contents"/);
      const problem = await api.call("GET", path);
      assert.equal(problem.status, 404, path);
      assert.match(problem.headers.get("content-type") ?? "", /^application\/problem\+json/);
    }
  });

  test("what pages share is kept for good under its exact version, and for five minutes under any other", async () => {
    const { text } = await api.call("GET", "/docs");
    for (const [name, { version }] of Object.entries(assets)) {
      assert.ok(text.includes(`"/docs/${name}?v=${version}"`), name);
      const exact = await api.call("GET", `/docs/${name}?v=${version}`);
      assert.equal(exact.status, 200, name);
      assert.equal(exact.headers.get("cache-control"), "public, max-age=31536000, immutable");
      const other = await api.call("GET", `/docs/${name}?v=other`);
      assert.equal(other.headers.get("cache-control"), "public, max-age=300");
    }
  });

  test("each operation has its call in three languages, its form and its failures", async () => {
    const { paths } = api.document as {
      paths: Record<string, Record<string, { operationId: string; tags: [string] }>>;
    };
    for (const methods of Object.values(paths))
      for (const { operationId, tags } of Object.values(methods)) {
        const { text } = await api.call(
          "GET",
          `/docs/reference/${tags[0].toLowerCase().replaceAll(" ", "-")}`,
        );
        const [, section = ""] = text.split(` id="${operationId}"`);
        const own = section.split("<h2")[0] ?? "";
        for (const language of ["curl", "TypeScript", "Python"])
          assert.ok(own.includes(`data-language="${language}"`), `${operationId} in ${language}`);
        assert.ok(own.includes(`data-try="${operationId}"`), operationId);
        assert.match(own, /href="\/docs\/errors#unauthorized"/);
      }
    // An answer has what the request beside it asks for.
    const { text: calendar } = await api.call("GET", "/docs/reference/calendar.md");
    assert.match(calendar, /include=names[\s\S]*### Answer 200[\s\S]*"localStart": "2026-11-16 07:00"/);
    const { text: contracts } = await api.call("GET", "/docs/reference/contracts.md");
    assert.match(contracts, /include=names[\s\S]*### Answer 200[\s\S]*"clientName": "Beatriz Nogueira"/);
  });
});

describe("the documentation in a browser", () => {
  const executablePath = findChromium();
  let browser: Browser | undefined;
  before(async () => {
    if (executablePath) browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  });
  after(() => browser?.close());

  const SHORT = ["/docs", "/docs/first-request"];
  const readers: [string, BrowserContextOptions][] = [
    ["a wide screen", { viewport: { width: 1280, height: 900 } }],
    [
      "a narrow phone in dark mode",
      { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true },
    ],
    ["a browser without scripts", { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false }],
  ];
  for (const [reader, settings] of readers)
    test(`on ${reader} pages are readable, within their width, without calls elsewhere or breaches of the policy`, async (t) => {
      if (!browser) return t.skip("no Chromium on this machine");
      const { page, faults } = await openDocs(browser, settings);
      for (const [path, heading] of [
        ["/docs", "Rollbook"],
        ["/docs/first-request", "The first request"],
        ["/docs/reference/clients", "Clients"],
        ["/docs/errors", "Errors"],
        ["/docs/signup-form", "A signup form"],
      ] as const) {
        await page.goto(`${api.url}${path}`);
        await page.getByRole("heading", { name: heading, level: 1, exact: true }).waitFor();
        const code = page.locator(".tabs > pre").filter({ visible: true }).first();
        if (path === "/docs") assert.match((await code.textContent()) ?? "", /curl/);
        if (settings.javaScriptEnabled !== false)
          assert.ok(
            await page.evaluate<boolean>("document.documentElement.scrollWidth <= window.innerWidth"),
            `${path} is wider than the screen`,
          );
        // The long pages are of the same parts, and would take axe ten seconds each.
        if (settings.hasTouch && SHORT.includes(path))
          assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), [], path);
        await keepPicture(page, `${reader}, ${heading}`);
      }
      await page.context().close();
      assert.deepEqual(faults, []);
    });

  test("on a phone the list of pages opens by a press and by the keyboard, also without scripts", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page, faults } = await openDocs(browser, {
      viewport: { width: 360, height: 740 },
      javaScriptEnabled: false,
    });
    await page.goto(`${api.url}/docs/errors`);
    const pages = page.getByRole("navigation", { name: "Pages" });
    await pages.waitFor({ state: "hidden" });
    await page.getByText("Pages", { exact: true }).click();
    await pages.getByRole("link", { name: "A signup form" }).waitFor();
    await page.getByRole("checkbox", { name: "Show the list of pages" }).press("Space");
    await pages.waitFor({ state: "hidden" });
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test("search finds a section by its words in any order and case, and leads there", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page, faults } = await openDocs(browser, { viewport: { width: 1280, height: 900 } });
    await page.goto(`${api.url}/docs`);
    await page.keyboard.press("/");
    await page.keyboard.type("KEY idempotency repeating");
    const found = page.getByRole("region", { name: "Found" });
    await found
      .getByRole("link", { name: /Repeating a write/ })
      .first()
      .click();
    await page.waitForURL(/\/docs\/api#repeating-a-write$/);
    // What was asked of the box without a script is searched at once with one.
    await page.goto(`${api.url}/docs/contents?q=zzzz`);
    await found.getByText("Nothing found.").waitFor();
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test("the language of examples that a reader has chosen is shown everywhere, on the next page too", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page, faults } = await openDocs(browser, { viewport: { width: 1280, height: 900 } });
    await page.goto(`${api.url}/docs/reference/plans`);
    await page.getByText("Python", { exact: true }).first().click();
    const shown = page.locator(".tabs > pre").filter({ visible: true });
    assert.deepEqual(await shown.evaluateAll((all) => all.map((one) => one.getAttribute("data-language"))), [
      "Python",
      "Python",
    ]);
    await page.goto(`${api.url}/docs/reference/locations`);
    await page.waitForLoadState("load");
    assert.equal(await shown.first().getAttribute("data-language"), "Python");
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test("a request can be tried from the page, with the reader's key, and the key is not stored", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const studio = await api.newOrganization();
    const { page, faults } = await openDocs(browser, { viewport: { width: 1280, height: 900 } });
    await page.goto(`${api.url}/docs/reference/organization`);
    await page.getByRole("button", { name: "Try it" }).click();
    const form = page.getByRole("form", { name: "getOrganization" });
    await form.getByLabel("Key", { exact: true }).fill(studio.key);
    const answered = page.waitForResponse((response) => response.url() === `${api.url}/v1/organization`);
    await form.getByRole("button", { name: "Send GET /v1/organization" }).click();
    assert.equal((await answered).request().headers().authorization, `Bearer ${studio.key}`);
    await form.getByText(/^200 OK/).waitFor();
    await keepPicture(page, "a tried request");
    const { cookies, origins } = await page.context().storageState({ indexedDB: true });
    assert.ok(!JSON.stringify({ cookies, origins }).includes(studio.key));
    await page.context().close();
    assert.deepEqual(faults, []);
  });
});

/** A page, with whatever must not happen on it. */
async function openDocs(
  browser: Browser,
  settings: BrowserContextOptions,
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const faults: string[] = [];
  context.on("request", (request) => {
    if (!request.url().startsWith(`${api.url}/`)) faults.push(`request to ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} from ${response.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`uncaught ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  return { page, faults };
}

/** For the eye: set SCREENSHOTS to a folder to look at what was tested. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `docs, ${name}.png`) });
}
