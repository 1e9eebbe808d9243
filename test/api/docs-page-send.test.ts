import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemo } from "../../src/demo/operations.ts";
import { startApi } from "../support/api.ts";
import { findChromium } from "../support/browser.ts";
import { pressSends } from "../support/reference-page.ts";
import { TAKES_EVERY_CASE } from "../support/sampling.ts";

/** Drawing the page takes seconds for each: `npm run judges` presses all of the page, test/api/examples.test.ts sends them. */
const EXPECTED = TAKES_EVERY_CASE
  ? { "post /v1/clients": 201, "put /v1/clients/{id}": 200, "get /v1/calendar": 200 }
  : { "put /v1/clients/{id}": 200 };

test("on a demo server a request with a path, a body or a required query can be sent as the page suggests it", async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("no Chromium on this machine");
  const api = await startApi();
  const { key } = await createDemo(api.db, api.keySecret, "test");
  const { url, document } = api;
  const statuses = await pressSends(
    { url, document, key: key.key, executablePath },
    (name) => name in EXPECTED,
  );
  assert.deepEqual(statuses, EXPECTED);
});
