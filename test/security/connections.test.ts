import assert from "node:assert/strict";
import { test } from "node:test";
import { openTarget } from "../support/target.ts";
import { measureConnections } from "./connections.ts";

test("slow and idle connections cost a good caller nothing, and slow ones are closed within 10 s", async (t) => {
  const target = await openTarget(t);
  const report = await measureConnections(target, { idle: 500, slow: 100, seconds: 1 });
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.slowStillOpen, 0);
  assert.ok(report.longestSlowMs <= 10_000, `${report.longestSlowMs} ms`);
  // Work instead of time, as the machine runs other tests beside; the long run compares times.
  assert.ok(
    report.crowdedCpuMs <= 2 * report.baselineCpuMs,
    `${report.crowdedCpuMs} ms of work a request beside the crowd, ${report.baselineCpuMs} ms alone`,
  );
});
