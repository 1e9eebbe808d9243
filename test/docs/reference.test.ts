import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { writeReference } from "../support/reference.ts";

test("docs/reference.md names every operation, failure, command and setting as the program has them", async () => {
  const written = readFileSync("docs/reference.md", "utf8");
  assert.equal(written, await writeReference(), "run: npm run reference");
});
