import assert from "node:assert/strict";
import { test } from "node:test";
import { PUBLIC_URL, startApi } from "../support/api.ts";

const api = await startApi();

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

test("a browser at / gets a page whose links all lead somewhere, under a policy that allows no script", async () => {
  const page = await api.call("GET", "/", { headers: { accept: BROWSER } });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(page.headers.get("x-content-type-options"), "nosniff");
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src 'self'; /);
  assert.doesNotMatch(policy, /script-src|unsafe/);
  assert.doesNotMatch(page.text, /<script| style=| on\w+=/);
  assert.ok(page.text.includes(`curl ${PUBLIC_URL}/v1/organization`));
  const links = [...page.text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link]) => link ?? "");
  assert.deepEqual([...new Set(links)].sort(), [
    "/console/",
    "/docs",
    "/docs/icon.svg",
    "/openapi.json",
    "/openapi.yaml",
  ]);
  for (const link of links) assert.equal((await api.call("GET", link)).status, 200, link);
  assert.equal((await api.call("HEAD", "/", { headers: { accept: BROWSER } })).status, 200);
});

test("a program at / gets the problem document, and caches keep the two apart", async () => {
  for (const accept of [
    "*/*",
    "application/json",
    "application/json, text/html;q=0.5",
    "text/html;q=0",
    "text/*",
    "",
  ]) {
    const answer = await api.call("GET", "/", { headers: { accept } });
    assert.equal(answer.status, 404, accept);
    assert.equal(answer.body.code, "not_found");
    assert.equal(answer.headers.get("vary"), "accept, accept-language");
  }
  const page = await api.call("GET", "/", { headers: { accept: "text/html" } });
  assert.equal(page.headers.get("vary"), "accept, accept-encoding");
});
