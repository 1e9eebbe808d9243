import assert from "node:assert/strict";
import { test } from "node:test";
import { openTarget } from "../support/target.ts";
import { measureConnections } from "./connections.ts";

test("slow and idle connections do not slow a good caller down, and slow ones are closed within 10 s", async (t) => {
  const target = await openTarget(t);
  const report = await measureConnections(target, { idle: 500, slow: 100, seconds: 2 });
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.slowStillOpen, 0);
  assert.ok(report.longestSlowMs <= 10_000, `${report.longestSlowMs} ms`);
  // Two times of a few milliseconds each, on a machine that runs other tests: the long run has the sharp figure.
  assert.ok(
    report.crowdedP99Ms <= 2 * report.baselineP99Ms + 20,
    `p99 ${report.crowdedP99Ms} ms beside the crowd, ${report.baselineP99Ms} ms alone`,
  );
});
