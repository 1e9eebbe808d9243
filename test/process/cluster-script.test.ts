import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../scripts/cluster.sh", import.meta.url));

test("the cluster's script names a part that does not exist, and does nothing", () => {
  const data = join(import.meta.dirname, "no-cluster");
  for (const [words, sentence] of [
    [["down", "nod1"], "There is no part nod1."],
    [["up", "pg3"], "There is no part pg3."],
    [["kill"], "kill needs the names of parts."],
    [["status", "node1"], "status is of all parts: it takes no name."],
  ] as const) {
    const ended = spawnSync("bash", [SCRIPT, ...words, "--data", data], {
      encoding: "utf8",
      timeout: 30_000,
    });
    assert.equal(ended.status, 2, ended.stderr);
    assert.ok(ended.stderr.startsWith(sentence), ended.stderr);
    assert.equal(ended.stdout, "");
  }
});
