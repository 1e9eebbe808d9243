import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import {
  type Transfer,
  TransferLimiter,
  type TransferLimits,
  type TransferOwner,
} from "./transfer-limiter.ts";

const LIMITS: TransferLimits = { atOnce: [4, 3, 2], lagMs: 0, patienceMs: 2_000 };

/** A limiter, with who has a place in it at the moment. */
function newLimiter(limits: Partial<TransferLimits> = {}) {
  const limiter = new TransferLimiter({ ...LIMITS, ...limits }, "downloads_taken");
  const running = new Map<string, { readonly transfer: Transfer; leave(): Promise<void> }>();
  const gaveWay: string[] = [];
  /** `A1`: of organization A and its caller 1. What is under way is called by it and a number: `A1.0`. */
  const enter = (name: string, raw = new EventEmitter()) => {
    const [organization = "", caller = ""] = name;
    const owner: TransferOwner = [organization, organization + caller];
    const ended = limiter.run(owner, raw as ServerResponse, (transfer) => {
      transfer.giveWay = () => gaveWay.push(name);
      return new Promise<void>((resolve) => {
        const leave = async () => {
          running.delete(name);
          resolve();
          await new Promise(setImmediate);
        };
        running.set(name, { transfer, leave });
      });
    });
    // Some are never given a place, and nobody looks.
    ended.catch(() => undefined);
    return ended;
  };
  return { enter, running, gaveWay, names: () => [...running.keys()].join(" ") };
}

const turn = () => new Promise(setImmediate);

test("an organization has a share of the places, and each of its callers a share of that", async () => {
  const { enter, running, names } = newLimiter();
  for (const name of ["A1.0", "A1.1", "A1.2", "A2.0", "A2.1", "B1.0", "B1.1"]) enter(name);
  await turn();
  assert.equal(names(), "A1.0 A1.1 A2.0 B1.0");
  await running.get("A2.0")?.leave();
  // B has fewer, so it is first although it came last.
  assert.equal(names(), "A1.0 A1.1 B1.0 B1.1");
  await running.get("A1.0")?.leave();
  assert.equal(names(), "A1.1 B1.0 B1.1 A1.2");
});

test("the slowest of those who are behind gives way, in the share that is full", async () => {
  const { enter, running, names, gaveWay } = newLimiter();
  for (const name of ["A1.0", "A1.1", "B1.0", "C1.0"]) enter(name);
  await turn();
  for (const { transfer } of running.values()) transfer.waitForCaller();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const transferOf = (name: string) => running.get(name)?.transfer as Transfer;
  // Both stay behind, one of them less; C is in time.
  transferOf("A1.1").advance(100);
  transferOf("A1.1").waitForCaller();
  transferOf("C1.0").advance(1 << 20);
  enter("A1.2");
  await turn();
  assert.deepEqual(gaveWay, ["A1.0"]);
  enter("D1.0");
  await turn();
  assert.deepEqual(gaveWay, ["A1.0", "B1.0"]);
  assert.ok(names().endsWith("A1.2 D1.0"));
});

test("who is not awaited, or in time, keeps the place: others wait, and are refused when their patience is over", async () => {
  const { enter, running, gaveWay } = newLimiter({ atOnce: [1, 1, 1], lagMs: 60_000, patienceMs: 20 });
  enter("A1.0");
  await turn();
  await assert.rejects(enter("B1.0"), { kind: "unavailable" });
  running.get("A1.0")?.transfer.waitForCaller();
  await assert.rejects(enter("B1.1"), { kind: "unavailable" });
  assert.deepEqual(gaveWay, []);
});

test("who leaves while waiting is not given a place", async () => {
  const { enter, running, names } = newLimiter({ atOnce: [1, 1, 1] });
  enter("A1.0");
  const raw = new EventEmitter();
  const waiting = enter("B1.0", raw);
  enter("C1.0");
  await turn();
  raw.emit("close");
  await assert.rejects(waiting, { kind: "unavailable" });
  await running.get("A1.0")?.leave();
  assert.equal(names(), "C1.0");
});

test("of one organization only so many wait", async () => {
  const { enter } = newLimiter({ atOnce: [0, 0, 0], patienceMs: 20 });
  const waiting = Array.from({ length: 64 }, (_, n) => assert.rejects(enter(`A${n}`)));
  let isRefused = false;
  const refused = assert.rejects(enter("A0.65")).then(() => {
    isRefused = true;
  });
  await turn();
  assert.ok(isRefused);
  await Promise.all([...waiting, refused]);
});
