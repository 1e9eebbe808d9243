import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { fuzzBytes } from "./bytes.ts";
import { fuzzRequests } from "./requests.ts";

// As many downloads as requests at once: that one too many is refused is tested by itself.
const api = await startApi({ downloads: { atOnce: 30 } });
const seed = 20261115;

test("random requests to every operation are answered as the published document says, never with 5xx", async () => {
  const report = await fuzzRequests(api, { seed, requests: 2_600 });
  assert.deepEqual(report.findings, [], `seed ${seed}`);
  assert.equal(report.statuses.size, 18, "every operation was asked");
  const seen = new Set([...report.statuses.values()].flatMap((statuses) => [...statuses.keys()]));
  for (const status of [200, 201, 204, 304, 400, 401, 404, 406, 412, 413, 415, 422, 431]) {
    assert.ok(seen.has(status), `no answer was ${status}`);
  }
});

test("random bytes are refused in the same form, never with 5xx, and no connection stays open", async () => {
  const { key } = await api.newOrganization();
  const report = await fuzzBytes(api.url, key, { seed, connections: 300 });
  assert.deepEqual(report.findings, [], `seed ${seed}`);
  assert.ok((report.statuses.get(400) ?? 0) > 50);
});
