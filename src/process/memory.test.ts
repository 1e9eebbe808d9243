import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheMegabytes, usableMemory } from "./memory.ts";

const GIGABYTE = 1024 ** 3;

test("the cache of a process is a part of the memory that there is for all, unless it is given", () => {
  const cases: [number | "auto", number, number, number][] = [
    ["auto", 1, 2 * GIGABYTE, 128],
    ["auto", 4, 2 * GIGABYTE, 32],
    ["auto", 1, GIGABYTE / 8, 16],
    ["auto", 1, 64 * GIGABYTE, 512],
    [64, 1, 2 * GIGABYTE, 64],
    [0, 1, 2 * GIGABYTE, 0],
  ];
  for (const [given, workers, memory, expected] of cases)
    assert.equal(cacheMegabytes({ cacheMegabytes: given, workers }, memory), expected);
});

test("a control group's limit counts if it is below the machine's memory", () => {
  assert.equal(usableMemory(8 * GIGABYTE, 2 * GIGABYTE), 2 * GIGABYTE);
  // As Node reports a group without one, of either version.
  for (const none of [0, 2 ** 64, 2 ** 63 - 4096])
    assert.equal(usableMemory(8 * GIGABYTE, none), 8 * GIGABYTE);
});
