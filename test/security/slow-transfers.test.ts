import assert from "node:assert/strict";
import { test } from "node:test";
import { openTarget } from "../support/target.ts";
import { measureSlowTransfers, ORIGIN } from "./slow-transfers.ts";

test("beside eight slow readers and eight slow writers of one organization, another one downloads, uploads and reads as before", async (t) => {
  const target = await openTarget(t, { PUBLIC_URL: ORIGIN });
  const { figures } = await measureSlowTransfers(target, { slow: 8, rounds: 1, seconds: 4 });
  for (const { kind, requests, failures } of figures) {
    assert.deepEqual(failures, {}, kind);
    // At least one alone and one beside them; how fast they are is what `npm run load-attacks` measures.
    assert.ok(requests >= 2, `${requests} × ${kind}`);
  }
});
