import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { databaseUrl, newDirectory } from "../support/processes.ts";
import { Closing, openTarget } from "../support/target.ts";
import { measureBulkImport } from "./bulk-import.ts";
import { measureConnections } from "./connections.ts";
import { CROWDED } from "./crowded-studio.ts";
import { measureFairness } from "./fairness.ts";
import { huntCommands, MOST_COMMAND_HOLD_MS } from "./hunted-commands.ts";
import { type HuntOptions, huntHolds, MOST_HOLD_MS } from "./loop-holds.ts";
import { measureRate } from "./rate.ts";
import { measureSlowTransfers, ORIGIN } from "./slow-transfers.ts";
import { measureUnauthorized } from "./unauthorized.ts";

/** `npm run load-attacks`: the long measurements of hostile callers. Prints figures; exit 1 if one is not as promised. */
const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "connections,unauthorized,rate,fairness,transfers,holds" },
    samples: { type: "string", default: "20000" },
    callers: { type: "string", default: "4" },
    idle: { type: "string", default: "5000" },
    slow: { type: "string", default: "1000" },
    clients: { type: "string", default: "200000" },
    changed: { type: "string", default: "100,1" },
    attackers: { type: "string", default: "20" },
    rounds: { type: "string", default: "5" },
  },
});
const wanted = new Set(flags.only.split(","));
const say = (text: string) => process.stdout.write(`${text}\n`);
const wrong: string[] = [];

async function within(work: (scope: Closing) => Promise<void>): Promise<void> {
  const scope = new Closing();
  try {
    await work(scope);
  } finally {
    await scope.close();
  }
}

if (wanted.has("holds")) {
  await within(async (scope) => {
    const target = await openTarget(scope, { PUBLIC_URL: ORIGIN });
    const db = target.store.open({ applicationName: "rollbook test" });
    scope.after(() => db.close());
    let crowd: Parameters<NonNullable<HuntOptions["onCrowd"]>>[0] | undefined;
    await huntHolds(target, db, {
      onCrowd: (imported) => {
        crowd = imported;
      },
      onHold: ({ operation, input, status, problem, holdMs, tookMs }) => {
        const [held, took] = [`${holdMs.toFixed(0)} ms`, `${tookMs.toFixed(0)} ms`];
        say(
          `${operation.padEnd(28)} ${input.padEnd(52)} ${status}  held ${held.padStart(7)} of ${took.padStart(8)}`,
        );
        if (problem !== "" && process.env.HUNT_PROBLEMS) say(`    ${problem.slice(0, 400)}`);
        if (status >= 500) wrong.push(`${operation}, ${input}, was answered ${status}`);
        if (holdMs > MOST_HOLD_MS) wrong.push(`${operation}, ${input}, held the event loop for ${held}`);
      },
    });
    if (!crowd) return;
    const environment = { DATABASE_URL: databaseUrl(target.store.connection), KEY_SECRET: target.keySecret };
    const place = { ...crowd, size: CROWDED, environment, folder: await newDirectory(scope) };
    await huntCommands(place, ({ command, input, code, holdMs, tookMs }) => {
      const held = `${holdMs.toFixed(0)} ms`;
      say(
        `rollbook ${command.padEnd(19)} ${input.padEnd(52)} ${String(code).padStart(3)}  held ${held.padStart(7)} of ${tookMs.toFixed(0).padStart(5)} ms`,
      );
      if (holdMs > MOST_COMMAND_HOLD_MS)
        wrong.push(`rollbook ${command}, ${input}, held the event loop for ${held}`);
    });
  });
}

if (wanted.has("connections")) {
  await within(async (scope) => {
    const target = await openTarget(scope);
    const crowd = { idle: Number(flags.idle), slow: Number(flags.slow), seconds: 4 };
    const report = await measureConnections(target, crowd);
    const { baselineP99Ms, crowdedP99Ms, longestSlowMs, slowStillOpen } = report;
    say(
      `${crowd.slow} slow and ${crowd.idle} idle connections: p99 ${baselineP99Ms.toFixed(2)} ms alone, ` +
        `${crowdedP99Ms.toFixed(2)} ms beside them; slow ones closed after at most ${(longestSlowMs / 1000).toFixed(1)} s`,
    );
    if (crowdedP99Ms > 2 * baselineP99Ms) wrong.push("a good caller's p99 more than doubled");
    if (longestSlowMs > 10_000 || slowStillOpen > 0) wrong.push("slow connections were borne for over 10 s");
  });
}

if (wanted.has("unauthorized")) {
  await within(async (scope) => {
    const target = await openTarget(scope, { RATE_LIMIT: "600" });
    const { figures, different, samples } = await measureUnauthorized(
      target,
      Number(flags.samples),
      Number(flags.callers),
    );
    say(`401 in seven forms, ${samples} samples each, interleaved:`);
    for (const { form, medianMs, medianShift, p } of figures) {
      const shift = `${(medianShift * 100).toFixed(2)} % off`;
      say(`  ${form.padEnd(18)} median ${(medianMs * 1000).toFixed(1)} µs, ${shift}, KS p = ${p.toFixed(4)}`);
      if (medianShift > 0.05 || p < 0.01 / figures.length)
        wrong.push(`401 of ${form} can be recognized by its time`);
    }
    if (different.length > 0) wrong.push(`answers differ: ${different.join()}`);
  });
}

if (wanted.has("rate")) {
  const rate = { perMinute: 6_000, burst: 100 };
  for (const workers of [1, 2, 3, 4]) {
    await within(async (scope) => {
      const target = await openTarget(
        scope,
        { RATE_LIMIT: String(rate.perMinute), RATE_BURST: String(rate.burst) },
        ["--workers", String(workers)],
      );
      const { url, key } = target;
      const wait = (seconds: number) => delay(seconds * 1000);
      const report = await measureRate({ urls: [url], key, callers: 200, seconds: 10, rate, wait });
      const share = (100 * report.admitted) / report.due;
      say(
        `rate limit, ${workers} processes, 200 callers: ${report.admitted} of ${report.asked} admitted in ` +
          `${report.seconds.toFixed(2)} s, ${share.toFixed(1)} % of what is due; Retry-After honoured: ${report.retryHonoured}`,
      );
      if (report.admitted > report.most) wrong.push(`${workers} processes admitted more than the limit`);
      if (share < 95) wrong.push(`${workers} processes admitted less than 95 % of the limit`);
      if (!report.retryHonoured) wrong.push(`${workers} processes refused who had waited`);
    });
  }
}

if (wanted.has("import")) {
  const clients = Number(flags.clients);
  // One in a hundred clients is what a nightly synchronization changes; all of them is the worst there is.
  for (const changedEvery of flags.changed.split(",").map(Number)) {
    await within(async (scope) => {
      const target = await openTarget(scope, {});
      const directory = await newDirectory(scope);
      const order = {
        clients,
        changedEvery,
        writers: 20,
        writesEveryMs: 2_000,
        baselineSeconds: 20,
        directory,
      };
      const report = await measureBulkImport(target, order);
      const { importSeconds, replaced, baseline, beside, writers } = report;
      say(
        `${clients} clients imported again in ${importSeconds.toFixed(1)} s, ${replaced} replaced, 20 writers:\n` +
          `  another organization: p99 ${baseline.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside it ` +
          `(longest ${beside.longestMs.toFixed(0)} ms), ${beside.failed} of ${beside.requests} failed\n` +
          `  writers of those clients: p99 ${writers.p99Ms.toFixed(1)} ms, longest ${writers.longestMs.toFixed(0)} ms, ` +
          `${writers.failed} of ${writers.requests} failed, ${writers.failedAgain} of those again after Retry-After`,
      );
      if (beside.p99Ms > 3 * baseline.p99Ms) wrong.push("another organization's p99 more than trebled");
      if (beside.failed > 0) wrong.push("requests of another organization failed");
      if (changedEvery > 1 && writers.longestMs > 1_000) wrong.push("a writer waited for over a second");
      // A lock, then the end of the import, then a lock again; and what a busy machine adds.
      if (writers.longestMs > 8_000) wrong.push("a writer waited for over eight seconds");
      if (changedEvery > 1 && writers.failed > 0) wrong.push("a writer failed");
    });
  }
}

if (wanted.has("fairness")) {
  await within(async (scope) => {
    const target = await openTarget(scope, { CACHE_MB: "0" });
    const order = {
      clients: Number(flags.clients),
      callers: Number(flags.attackers),
      rounds: Number(flags.rounds),
      seconds: 5,
    };
    const { figures, attack } = await measureFairness(target, order);
    say(
      `beside an organization of ${order.clients} clients, whose ${order.callers} callers search all the time:`,
    );
    for (const figure of figures) {
      const { kind, requests, failures } = figure;
      const ratio = figure.attackedP99Ms / figure.baselineP99Ms;
      const medians = `p50 ${figure.baselineP50Ms.toFixed(1)} → ${figure.attackedP50Ms.toFixed(1)} ms`;
      const slowest = `p99 ${figure.baselineP99Ms.toFixed(1)} → ${figure.attackedP99Ms.toFixed(1)} ms (× ${ratio.toFixed(2)})`;
      say(`  ${kind.padEnd(15)} ${medians}, ${slowest}, ${requests} requests, ${failures} not answered well`);
      if (ratio > 3) wrong.push(`the p99 of ${kind} grew × ${ratio.toFixed(2)} beside another organization`);
      if (failures > 0) wrong.push(`${failures} requests of ${kind} failed beside another organization`);
    }
    const answers = Object.entries(attack).map(([status, count]) => `${count} × ${status}`);
    say(`  the other organization was answered ${answers.join(", ")}`);
  });
}

if (wanted.has("transfers")) {
  await within(async (scope) => {
    const target = await openTarget(scope, { PUBLIC_URL: ORIGIN });
    const order = { slow: 8, rounds: Number(flags.rounds), seconds: 8 };
    const { figures, attack } = await measureSlowTransfers(target, order);
    say(`beside ${order.slow} slow readers and ${order.slow} slow writers of one organization:`);
    for (const { kind, baselineP99Ms, attackedP99Ms, requests, failures } of figures) {
      const ratio = attackedP99Ms / baselineP99Ms;
      const failed = Object.entries(failures).map(([status, count]) => `${count} × ${status}`);
      say(
        `  ${kind.padEnd(15)} p99 ${baselineP99Ms.toFixed(1)} → ${attackedP99Ms.toFixed(1)} ms (× ${ratio.toFixed(2)}), ` +
          `${requests} requests, failed: ${failed.join(", ") || "none"}`,
      );
      if (ratio > 3) wrong.push(`the p99 of ${kind} grew × ${ratio.toFixed(2)} beside slow transfers`);
      if (failed.length > 0) wrong.push(`requests of ${kind} failed beside slow transfers`);
    }
    say(`  the slow ones were cut off ${attack.cutOff} times and refused ${attack.refused} times`);
  });
}

for (const sentence of wrong) say(`WRONG ${sentence}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
