import assert from "node:assert/strict";
import { test } from "node:test";
import { followUnderKills } from "./follow-under-kills.ts";

// A short version: `npm run feed` does the same for long, and waits for leases and repeated attempts as they are.
const skip = process.platform === "linux" ? false : "processes are found by way of /proc";
const seed = Date.now() % 1_000_000;

test("two mirrors and a receiver of webhooks hold what the lists have, each change once and in one order, after kills of nodes, senders and PostgreSQL and the promotion of a standby", {
  skip,
}, async (t) => {
  t.diagnostic(`chances drawn from ${seed}`);
  const report = await followUnderKills({
    seed,
    before: ["worker", "both"],
    after: ["node"],
    peaceMs: () => 500,
    pauseMs: 200,
    hurries: true,
  });
  assert.deepEqual(report.faults, []);
  assert.equal(report.kills, 4);
  assert.ok(report.acknowledged > 0 && report.changes > 0);
});
