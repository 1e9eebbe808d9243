/**
 * The only source of speed claims: `npm run bench` prints one table and writes the figures behind it.
 * docs/decisions/benchmarks.md says how each is measured.
 */
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureConsole } from "./console.ts";
import { ensureLoaded, type OpenDataset, openDataset, removeWrites } from "./data.ts";
import { Bench, type Plan } from "./measure.ts";
import { canMeasureCpu, choosePlacement, moveTo } from "./processes.ts";
import { profileRow } from "./profile.ts";
import { table, writeResults } from "./report.ts";
import type { Figure } from "./row.ts";
import { ROWS } from "./rows.ts";

const USAGE = `npm run bench -- [--quick] [--only NAME[,NAME]] [--rounds N] [--seconds N] [--cpu-prof]
       npm run bench -- --console [--quick]

  --quick     short rounds, for a look; a claim needs the whole run
  --only      the rows whose names begin so: ${ROWS.map(({ name }) => name).join(", ")}
  --rounds    how often each side has its turn (at least 3)
  --seconds   how long a turn is
  --console   instead of the rows, the console in a browser: sizes, times, a slow phone
  --cpu-prof  instead of measuring, profile the program in each row and print what it spends its time on
`;

const BUSY_SHARE = 0.5;

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    console: { type: "boolean", default: false },
    "cpu-prof": { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const wanted = flags.only.split(",");
const rows = ROWS.filter(({ name }) => wanted.some((start) => name.startsWith(start)));
if (rows.length === 0) {
  process.stderr.write(`No row has this name.\n\n${USAGE}`);
  process.exit(2);
}

const quick: Plan = { quick: true, rounds: 3, seconds: 0.4, warmSeconds: 0.6, memoryRequests: 25_000 };
const whole: Plan = { quick: false, rounds: 9, seconds: 2, warmSeconds: 4, memoryRequests: 1_000_000 };
const chosen = flags.quick ? quick : whole;
const plan: Plan = {
  ...chosen,
  rounds: Math.max(3, Number(flags.rounds ?? chosen.rounds)),
  seconds: Number(flags.seconds ?? chosen.seconds),
};

const begun = new Date();
const log = (line: string) => process.stderr.write(`${line}\n`);
const placement = choosePlacement();
moveTo(placement.others);
log(
  placement.server === undefined
    ? "Processes are not pinned: taskset is not there, or there is one core."
    : `The server has core ${placement.server}; the generator and PostgreSQL have ${placement.others}.`,
);
const loadBefore = loadavg()[0] ?? 0;
if (loadBefore > BUSY_SHARE * availableParallelism()) {
  log(
    `Other work keeps this machine busy (load ${loadBefore.toFixed(1)}): trust CPU times, not requests a second.`,
  );
}
if (!canMeasureCpu) log("CPU times are read from /proc, which only Linux has: they are left out here.");

const datasets = new Map<number, Promise<OpenDataset>>();
const bench = new Bench(plan, placement, (clients) => {
  const known = datasets.get(clients) ?? open(clients);
  datasets.set(clients, known);
  return known;
});

async function open(clients: number): Promise<OpenDataset> {
  moveTo(placement.everywhere);
  await ensureLoaded(clients, log);
  // PostgreSQL is started from here, and so stays where this process is.
  moveTo(placement.others);
  const dataset = await openDataset(clients);
  await removeWrites(dataset);
  return dataset;
}

const figures: (Figure & { row: string })[] = [];
try {
  if (flags.console)
    figures.push(...(await measureConsole(bench)).map((figure) => ({ row: "console", ...figure })));
  for (const row of flags.console ? [] : rows) {
    if (flags["cpu-prof"]) {
      process.stdout.write(`${await profileRow(bench, row)}\n\n`);
      continue;
    }
    const started = Date.now();
    try {
      for (const figure of await row.measure(bench, row)) figures.push({ row: row.name, ...figure });
    } catch (error) {
      // The other rows are worth having all the same.
      process.exitCode = 1;
      log(`${row.name} could not be measured: ${error instanceof Error ? error.message : error}`);
    }
    await bench.clear();
    log(`${row.name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
} finally {
  await bench.close();
  for (const dataset of datasets.values()) await dataset.then((open) => open.close());
}

if (figures.length > 0) {
  const machine = { cores: availableParallelism(), cpu: cpus()[0]?.model, node: process.version, loadBefore };
  const path = await writeResults({ at: begun.toISOString(), plan, placement, machine, figures }, begun);
  process.stdout.write(`\n${table(figures)}\n\n`);
  log(`${((Date.now() - begun.getTime()) / 1000).toFixed(0)} s in all; everything measured is in ${path}`);
}
