import assert from "node:assert/strict";
import { test } from "node:test";
import { failOver } from "./patroni.ts";
import { whyNoCluster } from "./patroni-cluster.ts";

// A short version: `npm run crash -- --patroni` does the same for long, with every fault.
const skip = await whyNoCluster();
const seed = Date.now() % 1_000_000;

test("nothing that two nodes have acknowledged is lost or read stale when the leader of a Patroni cluster is killed, or stops and wakes up as the old one", {
  skip,
}, async (t) => {
  t.diagnostic(`chances drawn from ${seed}`);
  const faults = ["kill PostgreSQL", "stop Patroni"] as const;
  const report = await failOver({ seed, faults });
  assert.deepEqual(report.faults, []);
  assert.equal(report.failovers.length, faults.length);
  assert.equal(report.lost, 0);
  for (const [name, count] of Object.entries(report)) {
    if (["acknowledged", "explained", "bookings", "changes", "probed"].includes(name))
      assert.ok(count > 0, name);
  }
});
