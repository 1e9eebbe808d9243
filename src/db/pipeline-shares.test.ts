import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnswerSize, PipelineShares } from "./pipeline-shares.ts";

/** Reads that are answered when a test says so, with as many characters. */
function heldReads(shares: PipelineShares) {
  const began: string[] = [];
  const ends: ((characters: number) => void)[] = [];
  const on = (connection: string) => (size: AnswerSize) => {
    began.push(connection);
    return new Promise<string>((resolve) => {
      ends.push((characters) => {
        size.characters += characters;
        resolve(connection);
      });
    });
  };
  const read = (organizationId: string) => shares.read(organizationId, on("shared"), on("own"));
  return { began, ends, read };
}

test("few statements of an organization are in flight on the shared connections, and others are not held up by them", async () => {
  const { began, ends, read } = heldReads(new PipelineShares());
  const reads = Array.from({ length: 20 }, () => read("a"));
  await Promise.resolve();
  assert.equal(began.length, 8);
  const other = read("b");
  assert.equal(began.length, 9);
  for (let ended = 0; ended < 21; ended++) {
    ends[ended]?.(100);
    await new Promise(setImmediate);
  }
  assert.deepEqual(new Set(await Promise.all([...reads, other])), new Set(["shared"]));
});

test("after a large answer an organization reads in its own share, those that wait as well", async () => {
  const { began, ends, read } = heldReads(new PipelineShares());
  const reads = Array.from({ length: 10 }, () => read("a"));
  const other = read("b");
  ends[0]?.(1_000_000);
  await reads[0];
  await new Promise(setImmediate);
  assert.deepEqual(began.slice(9), ["own", "own"]);
  for (let ended = 1; ended < 11; ended++) {
    ends[ended]?.(100);
    await new Promise(setImmediate);
  }
  assert.deepEqual((await Promise.all(reads)).slice(8), ["own", "own"]);
  assert.equal(await other, "shared");
});

test("a read that fails gives its place back", async () => {
  const shares = new PipelineShares();
  const fail = () => Promise.reject(new Error("lost"));
  for (let tries = 0; tries < 30; tries++) await assert.rejects(shares.read("a", fail, fail), /lost/);
});
