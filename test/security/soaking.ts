import { parseArgs } from "node:util";
import { Closing, openTarget } from "../support/target.ts";
import { type Hold, MOST_HOLD_MS } from "./loop-holds.ts";
import { soakHolds } from "./random-holds.ts";
import { ORIGIN } from "./slow-transfers.ts";
import { drift, soak } from "./soak.ts";

/**
 * `npm run soak`: a mixed load for long. Prints a line a minute; exit 1 if memory, files or times grow.
 * With `--holds`, random timetables and rules instead: exit 1 if a request holds the event loop for too long.
 */
const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    callers: { type: "string", default: "8" },
    rate: { type: "string", default: "200" },
    holds: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const seconds = Number(flags.minutes) * 60;
const say = (text: string) => process.stdout.write(`${text}\n`);
const scope = new Closing();
try {
  await (flags.holds ? soakTimetables() : soakLoad());
} finally {
  await scope.close();
}

async function soakTimetables(): Promise<void> {
  const target = await openTarget(scope, { PUBLIC_URL: ORIGIN });
  const db = target.store.open({ applicationName: "rollbook test" });
  scope.after(() => db.close());
  const longest = new Map<string, Hold>();
  const statuses = new Map<string, number>();
  let requests = 0;
  let tooLong = 0;
  await soakHolds(target, db, {
    seconds,
    seed: Number(flags.seed),
    onHold: (hold) => {
      const { operation, input, status, holdMs } = hold;
      requests++;
      statuses.set(`${operation} ${status}`, (statuses.get(`${operation} ${status}`) ?? 0) + 1);
      if (holdMs > (longest.get(operation)?.holdMs ?? 0)) longest.set(operation, hold);
      const isWrong = holdMs > MOST_HOLD_MS || status >= 500;
      if (isWrong)
        say(`WRONG ${operation} ${input}: ${status}, held ${holdMs.toFixed(0)} ms ${hold.problem}`);
      if (isWrong) tooLong++;
    },
  });
  for (const { operation, input, holdMs, tookMs } of longest.values())
    say(
      `${operation.padEnd(20)} longest hold ${holdMs.toFixed(0)} ms of ${tookMs.toFixed(0)}: ${input.slice(0, 160)}`,
    );
  say([...statuses].map(([answer, count]) => `${answer}: ${count}`).join(", "));
  say(`seed ${flags.seed}: ${requests} requests in ${seconds} s, ${tooLong} wrong`);
  process.exitCode = tooLong === 0 ? 0 : 1;
}

async function soakLoad(): Promise<void> {
  const target = await openTarget(scope);
  const load = { callers: Number(flags.callers), perSecond: Number(flags.rate) };
  // Caches fill and code is compiled first.
  await soak(target, { ...load, seconds: Math.min(60, seconds / 5), sampleSeconds: 60 });
  const report = await soak(target, {
    ...load,
    seconds,
    sampleSeconds: Math.max(5, Math.min(60, seconds / 12)),
    onSample: ({ atSeconds, residentMiB, heapMiB, openFiles, p99Ms }) =>
      say(
        `${String(atSeconds).padStart(6)} s  resident ${residentMiB.toFixed(0)} MiB, heap ${heapMiB.toFixed(0)} MiB, ` +
          `${openFiles} files, p99 ${p99Ms.toFixed(1)} ms`,
      ),
  });
  const growth = {
    resident: drift(report.samples, ({ residentMiB }) => residentMiB),
    files: drift(report.samples, ({ openFiles }) => openFiles),
    p99: drift(report.samples, ({ p99Ms }) => p99Ms),
  };
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  say(
    `${report.requests} requests in ${seconds} s; from the first third to the last: resident memory ` +
      `${percent(growth.resident)}, files ${percent(growth.files)}, p99 ${percent(growth.p99)}; ` +
      `${report.unexpected.length} unexpected answers`,
  );
  for (const answer of report.unexpected) say(`WRONG ${answer}`);
  const isFlat = growth.resident < 0.1 && growth.files < 0.05 && growth.p99 < 0.1;
  if (!isFlat) say("WRONG something grew");
  process.exitCode = isFlat && report.unexpected.length === 0 ? 0 : 1;
}
