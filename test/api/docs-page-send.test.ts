import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemo } from "../../src/demo/operations.ts";
import { startApi } from "../support/api.ts";
import { findChromium } from "../support/browser.ts";
import { pressSends } from "../support/reference-page.ts";

// Drawing the page takes seconds for each: `npm run judges` presses them all, and test/api/examples.test.ts sends
// the same requests without a browser.
test("on a demo server a request with a body, a path and a required query can be sent as the page suggests it", async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("no Chromium on this machine");
  const api = await startApi();
  const { key } = await createDemo(api.db, api.keySecret, "test");
  const wanted = ["post /v1/clients", "put /v1/clients/{id}", "get /v1/calendar"];
  const { url, document } = api;
  const statuses = await pressSends({ url, document, key: key.key, executablePath }, (name) =>
    wanted.includes(name),
  );
  assert.deepEqual(statuses, {
    "post /v1/clients": 201,
    "put /v1/clients/{id}": 200,
    "get /v1/calendar": 200,
  });
});
