import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { passSeconds } from "../support/records.ts";
import { measureRate } from "./rate.ts";

test("200 callers at once, through two servers, get at most burst + rate × time and at least 95 % of it", async (t) => {
  // A burst that the first 200 requests exceed; what comes in later is kept for five seconds, should nobody be served.
  const rate = { perMinute: 600, burst: 50 };
  const one = await startApi({ rate });
  const two = await startApi({ rate, beside: one });
  const { key, keyId } = await one.newOrganization();
  const report = await measureRate({
    urls: [one.url, two.url],
    key,
    callers: 200,
    seconds: 2,
    rate,
    wait: (seconds) => passSeconds(one.db, keyId, seconds),
  });
  const { admitted, excess, most, due, asked, seconds } = report;
  t.diagnostic(
    `${admitted} of ${asked} admitted in ${seconds.toFixed(2)} s, at most ${most.toFixed(0)} allowed`,
  );
  assert.deepEqual(report.statuses, [200, 429]);
  // At every moment, so that an excess that is made up for later is found too.
  assert.ok(excess <= 0, `${excess} more admitted than allowed`);
  assert.ok(admitted >= 0.95 * due, `${admitted} admitted, ${due} due`);
  assert.ok(report.retryHonoured, "who waited as long as Retry-After said was refused again");
});
