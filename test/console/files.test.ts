import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { startApi } from "../support/api.ts";

const api = await startApi();
const off = await startApi({ beside: api, hasApplication: false });

const get = (path: string, headers: Record<string, string> = {}, through = api) =>
  fetch(through.url + path, { headers, redirect: "manual" });

test("every address of the console has the page, which may load from its own host alone", async () => {
  for (const path of ["/console/", "/console/clients/0181?query=a", "/console/nothing"]) {
    const answer = await get(path);
    assert.equal(answer.status, 200);
    assert.equal(
      answer.headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.equal(answer.headers.get("cache-control"), "private, no-cache");
    const again = await get(path, { "if-none-match": answer.headers.get("etag") ?? "" });
    assert.equal(again.status, 304);
    assert.doesNotMatch(await answer.text(), /<script(?![^>]* src=)|style=|onload=/);
  }
  const bare = await get("/console");
  assert.equal(bare.status, 308);
  assert.equal(bare.headers.get("location"), "/console/");
});

test("a browser with an address that cannot be read is led to the console, a program is told", async () => {
  const path = "/console/clients/%E0%A4%A";
  const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
  const led = await get(path, browser);
  assert.deepEqual([led.status, led.headers.get("location")], [302, "/console/"]);
  for (const [address, headers, through] of [
    [path, {}, api],
    [path, { accept: "application/json" }, api],
    ["/v1/clients/%E0%A4%A", browser, api],
    [path, browser, off],
  ] as const) {
    const answer = await get(address, headers, through);
    assert.equal(answer.status, 400, address);
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
  }
});

test("the page speaks the language of the cookie, then of the browser, and repeats nothing that was sent", async () => {
  const head = async (headers: Record<string, string>) =>
    /<html[^>]*? data-theme="\w+"/.exec(await (await get("/console/", headers)).text())?.[0];
  assert.equal(await head({}), '<html lang="en" data-theme="system"');
  assert.equal(await head({ "accept-language": "pt-PT,pt" }), '<html lang="pt-BR" data-theme="system"');
  const cookie = "rollbook-language=es; rollbook-theme=dark";
  assert.equal(await head({ "accept-language": "pt", cookie }), '<html lang="es" data-theme="dark"');
  const hostile = 'rollbook-language="><b>; rollbook-theme="><b>';
  assert.equal(await head({ cookie: hostile }), '<html lang="en" data-theme="system"');
});

test("the page asks ahead for what its screen reads first, if somebody is signed in and the request is the same", async () => {
  const ahead = async (path: string, cookie?: string) =>
    [
      ...(await (await get(path, cookie ? { cookie } : {})).text()).matchAll(
        /as="fetch" crossorigin href="([^"]+)"/g,
      ),
    ].map(([, address]) => address);
  const [me, locations] = ["/app/v1/me", "/app/v1/locations"];
  const id = "0181a8d4-d000-7680-9dbe-90c1088fe4dc";
  assert.deepEqual(await ahead("/console/"), []);
  assert.deepEqual(await ahead("/console/", "rollbook=1"), ["/app/v1/today", me, locations]);
  assert.deepEqual(await ahead("/console/", `rollbook=1; rollbook-location=${id}`), [
    `/app/v1/today?locationId=${id}`,
    me,
    locations,
  ]);
  assert.deepEqual(await ahead(`/console/?location=${id}`, "rollbook=1; rollbook-location=all"), [
    `/app/v1/today?locationId=${id}`,
    me,
    locations,
  ]);
  assert.deepEqual(await ahead("/console/?location=%22%3E%3Cb%3E", "rollbook=1"), [me, locations]);
  assert.deepEqual(await ahead("/console/clients", "rollbook=1"), [me]);
  // A language that was chosen is said in a header, which a request that was made ahead does not have.
  assert.deepEqual(await ahead("/console/", "rollbook=1; rollbook-language=es"), []);
});

test("its files are kept for good, in the form that the browser reads, and nothing else is there", async () => {
  const page = await (await get("/console/")).text();
  const addresses = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, address]) => address ?? "",
  );
  assert.ok(addresses.length >= 3);
  for (const address of addresses) {
    const plain = await get(address, { "accept-encoding": "identity" });
    assert.equal(plain.status, 200);
    assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(plain.headers.get("content-encoding"), null);
    const bytes = (await plain.arrayBuffer()).byteLength;
    const packed = await get(address, { "accept-encoding": "gzip, br" });
    assert.equal(packed.headers.get("content-encoding"), "br");
    assert.equal((await packed.arrayBuffer()).byteLength, bytes, "fetch unpacks it to the same");
  }
  for (const none of ["manifest.json", "..%2fmanifest.json", "%2e%2e/manifest.json", "main.js", "x.css"])
    assert.equal((await get(`/console/assets/${none}`)).status, none.startsWith("%2e") ? 200 : 404, none);
});

test("what sign-in and Today need at first is at most 40 kB, and a further screen at most 25 kB in few files", async () => {
  // With a sign-in the page also names what is read ahead.
  const pageOf = async (address: string) => (await get(address, { cookie: "rollbook=1" })).text();
  const filesOf = (page: string) =>
    new Set([...page.matchAll(/(?:src|href)="\/console\/assets\/([^"]+)"/g)].map(([, name]) => name ?? ""));
  const folder = new URL("../../console/assets/", import.meta.url);
  const sizeOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + statSync(new URL(`${name}.gz`, folder)).size, 0);
  const page = await pageOf("/console/");
  const first = filesOf(page);
  const total = gzipSync(page).byteLength + sizeOf(first);
  assert.ok(total > 10_000 && total <= 40_000, `${total} bytes`);
  const { screens } = JSON.parse(readFileSync(new URL("../manifest.json", folder), "utf8"));
  for (const screen of Object.keys(screens).filter((name) => name !== "today")) {
    const more = [...filesOf(await pageOf(`/console/${screen}`))].filter((name) => !first.has(name));
    const size = sizeOf(more);
    assert.ok(size > 2_000 && size <= 25_000, `${screen}: ${size} bytes`);
    assert.ok(more.length <= 7, `${screen}: ${more.join(", ")}`);
  }
});

test("CONSOLE=off leaves no address of it", async () => {
  for (const path of ["/console", "/console/", "/console/clients", "/app/openapi.json"])
    assert.equal((await get(path, {}, off)).status, 404, path);
});

test("another method is refused with those that are there", async () => {
  const answer = await fetch(`${api.url}/console/`, { method: "POST" });
  assert.equal(answer.status, 405);
  assert.match(answer.headers.get("allow") ?? "", /GET/);
});
