import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemo } from "../../src/data/demo/operations.ts";
import { startApi } from "../support/api.ts";
import { findChromium } from "../support/browser.ts";
import { pressSends } from "../support/reference-page.ts";

// Drawing the page takes seconds for each: `npm run lint-openapi` presses them all, and test/api/examples.test.ts sends
// the same requests without a browser.
test(`on a demo server a request with a body, a path and a required query can be sent as the page suggests it`, async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("no Chromium on this machine");
  const api = await startApi();
  const { key } = await createDemo(api.db, api.keySecret, "test");
  const sends: [string, number][] = [
    ["post /v1/clients", 201],
    ["put /v1/clients/{id}", 200],
    ["get /v1/calendar", 200],
  ];
  const expected = Object.fromEntries(sends);
  const { url, document } = api;
  const page = { url, document, key: key.key, executablePath };
  assert.deepEqual(await pressSends(page, (name) => name in expected), expected);
});
