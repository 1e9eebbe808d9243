import assert from "node:assert/strict";
import { test } from "node:test";
import { newDirectory } from "../support/processes.ts";
import { openTarget } from "../support/target.ts";
import { measureBulkImport } from "./bulk-import.ts";

test("while clients are imported again, neither their writers nor another organization is refused anything", async (t) => {
  const target = await openTarget(t);
  const directory = await newDirectory(t);
  const order = {
    clients: 1_000,
    changedEvery: 10,
    writers: 4,
    writesEveryMs: 25,
    baselineSeconds: 0,
    directory,
  };
  const { replaced, beside, writers } = await measureBulkImport(target, order);
  assert.ok(replaced >= 100, `${replaced} were replaced`);
  assert.ok(beside.requests > 0 && writers.requests > 0);
  assert.deepEqual([beside.failed, writers.failed], [0, 0]);
});
