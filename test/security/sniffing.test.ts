import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { exchange } from "../support/wire.ts";

const api = await startApi();

// Answers of operations are looked at in every test: see `request` in test/support/api.ts.
test("browsers guess the type of no answer: not of pages, files and documents, nor of refusals of any kind", async () => {
  const page = await (await fetch(`${api.url}/console/`)).text();
  const [asset = ""] = /\/console\/assets\/[\w.-]+/.exec(page) ?? [];
  const [docsAsset = ""] = /\/docs\/[\w.-]+\.js/.exec(await (await fetch(`${api.url}/docs`)).text()) ?? [];
  assert.ok(asset !== "" && docsAsset !== "");
  const addresses = [
    "/",
    "/livez",
    "/readyz",
    "/docs",
    docsAsset,
    "/docs/icon.svg",
    "/openapi.json",
    "/app/openapi.json",
  ];
  for (const address of [
    ...addresses,
    "/console",
    "/console/",
    "/console/clients",
    asset,
    "/console/assets/none.js",
  ])
    for (const accept of ["text/html", "application/json"])
      for (const method of ["GET", "POST"]) {
        const answer = await fetch(api.url + address, { method, headers: { accept }, redirect: "manual" });
        assert.equal(
          answer.headers.get("x-content-type-options"),
          "nosniff",
          `${method} ${address} ${answer.status}`,
        );
      }
  for (const head of [
    "GET /console/%E0%A4%A HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb",
    "CONNECT a:1 HTTP/1.1\r\nHost: a",
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(100_000)}`,
  ]) {
    const { text } = await exchange(api.url, `${head}\r\n\r\n`);
    assert.match(text, /\r\nx-content-type-options: nosniff\r\n/i, text.slice(0, 200));
  }
});
