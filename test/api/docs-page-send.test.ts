import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemo } from "../../src/data/demo/operations.ts";
import { startApi } from "../support/api.ts";
import { findChromium } from "../support/browser.ts";
import { pressSends } from "../support/reference-page.ts";

const SENT: Readonly<Record<string, number>> = { post: 201, delete: 204 };

test("on a demo server every operation can be sent as its page suggests it", async (t) => {
  const executablePath = findChromium();
  if (!executablePath) return t.skip("no Chromium on this machine");
  const api = await startApi();
  const { key } = await createDemo(api.db, api.keySecret, "test");
  const { url, document } = api;
  const { paths } = document as { paths: Record<string, object> };
  const expected = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [`${method} ${path}`, SENT[method] ?? 200]),
  );
  assert.deepEqual(
    await pressSends({ url, document, key: key.key, executablePath }),
    Object.fromEntries(expected),
  );
});
