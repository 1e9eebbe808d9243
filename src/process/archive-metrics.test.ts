import assert from "node:assert/strict";
import { test } from "node:test";
import prometheus from "prom-client";
import type { ArchiveState } from "../db/embedded/archive-state.ts";
import { watchArchive } from "./archive-metrics.ts";

test("a share that does not answer is asked once, however often metrics are read", async (t) => {
  // What waits for the share keeps no process from its end.
  const timer = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(timer));
  const register = new prometheus.Registry();
  let asked = 0;
  watchArchive([register], () => {
    asked++;
    return new Promise<ArchiveState>(() => {});
  });
  for (let reads = 0; reads < 2; reads++)
    assert.doesNotMatch(await register.metrics(), /^rollbook_archive_age_seconds \d/m);
  assert.equal(asked, 1);
});
