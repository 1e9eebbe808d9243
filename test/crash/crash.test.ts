import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whyNoDisk } from "../support/small-disk.ts";
import { killUnderBookings } from "./bookings.ts";
import { fillDisk } from "./disk.ts";
import { killInSharedInsert } from "./kill-mid-statement.ts";
import { killUnderLoad } from "./kills.ts";
import { walkMoneyUnderKills } from "./money.ts";
import { restartEmbedded, restartExternal } from "./restarts.ts";
import { killUnderSales } from "./sales.ts";
import { stopUnderLoad } from "./stopping.ts";

// Short versions: `npm run crash` does the same for long. How fast it must be is measured there, on a quiet machine.
const noDisk = await whyNoDisk();
const skip = process.platform === "linux" ? false : "processes are found by way of /proc";
const seed = Date.now() % 1_000_000;
/** Sixteen callers then have some writes under way at any moment. */
const pauseMs = 10;

describe(`under load, with chances drawn from ${seed}`, { concurrency: 2, skip }, () => {
  test("what was acknowledged by one process is whole after each kill of PostgreSQL and of the server", async () => {
    const victims = ["postmaster", "machine"] as const;
    const report = await killUnderLoad({ seed, workers: 1, victims, pauseMs });
    assert.deepEqual(report.faults, []);
    assert.equal(report.kills.length, victims.length);
    assert.ok(report.acknowledged > 0);
  });

  test("what was acknowledged by two workers is whole after each kill of one of them and of all", async () => {
    const victims = ["worker", "server"] as const;
    const report = await killUnderLoad({ seed, workers: 2, victims, pauseMs });
    assert.deepEqual(report.faults, []);
    assert.equal(report.kills.length, victims.length);
    assert.ok(report.acknowledged > 0);
  });

  test("seats, draws and balances agree with each other and the answers after kills under bookings", async () => {
    const report = await killUnderBookings({ seed, workers: 2, victims: ["machine"] });
    assert.deepEqual(report.faults, []);
    assert.equal(report.kills, 1);
    assert.ok(report.acknowledged > 0);
  });

  test("every sale that was answered has its paid invoice, and numbers have no gap, after kills under sales", async () => {
    const report = await killUnderSales({ seed, workers: 2, victims: ["worker", "machine"] });
    assert.deepEqual(report.faults, []);
    assert.equal(report.kills, 2);
    assert.ok(report.acknowledged > 0);
  });

  test("what is invoiced, paid, refunded and left agrees after every operation on two nodes that are killed", async () => {
    const { faults, kills, acknowledged, invoices } = await walkMoneyUnderKills({
      ...{ seed, steps: 45, stepsAKill: 10 },
    });
    assert.deepEqual(faults, []);
    assert.ok(kills >= 4, `${kills} kills`);
    assert.ok(acknowledged > 0 && invoices > 0);
  });

  test("creates whose shared statement was under way at a kill are each there once after a retry with their keys", async () => {
    let replays = 0;
    // Whether PostgreSQL notices first that the server is gone, or that it may go on, is chance.
    for (let tries = 0; tries < 4 && replays === 0; tries++) {
      const report = await killInSharedInsert("server");
      assert.deepEqual(report.faults, []);
      assert.equal(report.clients, report.sent);
      replays = report.replays;
    }
    assert.ok(replays > 0, "none was committed after the kill");
  });

  test("a restart of an operator's PostgreSQL is 503 with Retry-After, and leaves no connection behind", async () => {
    const modes = ["fast", "immediate"] as const;
    const report = await restartExternal({ seed, workers: 1, modes, pauseMs });
    assert.deepEqual(report.faults, []);
    assert.equal(report.lost, 0);
  });

  test("a restart of the built-in PostgreSQL is 503 with Retry-After, and leaves no connection behind", async () => {
    const report = await restartEmbedded({ seed, workers: 1, signals: ["SIGINT"], pauseMs });
    assert.deepEqual(report.faults, []);
    assert.equal(report.lost, 0);
  });

  const stops = [
    { name: "one process", workers: 1, stalls: [false] },
    {
      name: "two workers, also if they stall now and then,",
      workers: 2,
      stalls: [false, true],
    },
  ];
  for (const { name, ...plan } of stops) {
    test(`SIGTERM to ${name} cuts off none of 32 callers, exit 0`, async () => {
      const report = await stopUnderLoad({ seed, ...plan });
      assert.deepEqual(report.cut, []);
      const codes = plan.stalls.map(() => 0);
      assert.deepEqual(report.exitCodes, codes);
      assert.deepEqual(report.faults, []);
    });
  }

  test("on a full disk writes are 503, reads go on, and writes come back with the space", {
    skip: noDisk,
  }, async () => {
    const report = await fillDisk({ seed, workers: 1, fullForMs: 1_500 });
    assert.deepEqual(report.faults, []);
    assert.equal(report.lost, 0);
    assert.ok(report.refusedMeanwhile > 0);
    assert.equal(report.reads.answered, report.reads.asked);
  });

  test("a disk so full that PostgreSQL stops is 503, and it comes back by itself with the space", {
    skip: noDisk,
  }, async () => {
    const report = await fillDisk({ seed, workers: 1, fullForMs: 1_500, logToo: true });
    assert.deepEqual(report.faults, []);
    assert.equal(report.lost, 0);
    assert.equal(report.acknowledgedMeanwhile, 0);
  });
});
