/** `npm run crash`: breaks the program for long, and prints the figures that docs/reliability.md keeps. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { whyNoDisk } from "../support/small-disk.ts";
import { openTestStore } from "../support/store.ts";
import { killUnderBookings } from "./bookings.ts";
import { drawer, pick } from "./chance.ts";
import { type DiskReport, failFlushes, fillDisk, whyNoFaultLibrary } from "./disk.ts";
import { killInSharedInsert } from "./kill-mid-statement.ts";
import { type Kill, type KillReport, killUnderLoad, VICTIMS, type Victim } from "./kills.ts";
import { walkMoneyUnderKills } from "./money.ts";
import { type Failover, type Fault, failOver, LEADER_FAULTS, OTHER_FAULTS } from "./patroni.ts";
import { whyNoCluster } from "./patroni-cluster.ts";
import { type RestartReport, restartEmbedded, restartExternal } from "./restarts.ts";
import { stopUnderLoad } from "./stopping.ts";
import { upgradeFromEach } from "./upgrades.ts";

const SCENARIOS = [
  "kills",
  "bookings",
  "money",
  "mid-statement",
  "restarts",
  "stops",
  "disk",
  "flush",
  "upgrades",
] as const;

const USAGE = `npm run crash -- [--kills N] [--seed S] [--minutes M] [--only NAME[,NAME]]
       npm run crash -- --patroni [--kills N] [--seed S]

  --kills    how often something is killed with SIGKILL (200; 30 leaders of a cluster)
  --seed     what chances are drawn from (the time)
  --minutes  stop killing after this long (30)
  --only     some of: ${SCENARIOS.join(", ")}
  --patroni  instead of these, what befalls the leader of a cluster of scripts/cluster.sh
`;

/** After the promotion of another leader. */
const WRITES_AGAIN_MS = 10_000;
const STEPS_A_WALK = 500;
const STEPS_A_KILL = 25;

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    minutes: { type: "string", default: "30" },
    only: { type: "string", default: "" },
    patroni: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const seed = Number(flags.seed);
const kills = Number(flags.kills ?? (flags.patroni ? 30 : 200));
const wanted = flags.patroni ? [] : flags.only === "" ? SCENARIOS : flags.only.split(",");
let failures = 0;

say(`seed ${seed}, ${new Date().toISOString()}, load ${loadavg()[0]?.toFixed(1)}`);
if (flags.patroni) await runPatroni(kills);
if (wanted.includes("kills")) await runKills(kills, Number(flags.minutes));
if (wanted.includes("bookings")) await runBookings(kills, Number(flags.minutes));
if (wanted.includes("money")) await runMoney(kills, Number(flags.minutes));
if (wanted.includes("mid-statement")) await runMidStatement();
if (wanted.includes("restarts")) await runRestarts();
if (wanted.includes("stops")) await runStops();
if (wanted.includes("disk")) await runDisk();
if (wanted.includes("flush")) await runFlush();
if (wanted.includes("upgrades")) await runUpgrades();
say(failures === 0 ? "\nall as it must be" : `\n${failures} faults`);
process.exitCode = failures === 0 ? 0 : 1;

/** The same under bookings, a quarter as often. */
async function runBookings(count: number, minutes: number): Promise<void> {
  const deadline = Date.now() + minutes * 60_000;
  const draw = drawer(seed);
  let [kills, acknowledged, repeated] = [0, 0, 0];
  for (let turn = 0; kills < count / 4 && Date.now() < deadline; turn++) {
    const workers = 1 + (turn % 2);
    const possible = VICTIMS.filter((victim) => victim !== "worker" || workers > 1);
    const victims = Array.from({ length: 5 }, () => pick(possible, draw) as Victim);
    const report = await killUnderBookings({ seed: seed + turn, workers, victims });
    kills += report.kills;
    acknowledged += report.acknowledged;
    repeated += report.repeated;
    process.stderr.write(`${kills} kills under bookings, load ${loadavg()[0]?.toFixed(1)}\n`);
    fail(report.faults);
    if (report.faults.length > 0) break;
  }
  say(
    `\nkills under bookings: ${kills}; answered ${acknowledged}, of which to a repeated request ${repeated}; ` +
      "seats, draws and balances agree with each other and the answers after each kill",
  );
}

/** As many kills as are asked for, in walks of their own on two nodes each. */
async function runMoney(count: number, minutes: number): Promise<void> {
  const deadline = Date.now() + minutes * 60_000;
  const sums = { steps: 0, kills: 0, acknowledged: 0, repeated: 0, invoices: 0, payments: 0, days: 0 };
  for (let turn = 0; sums.kills < count && Date.now() < deadline; turn++) {
    const { faults, ...report } = await walkMoneyUnderKills({
      ...{ seed: seed + turn, steps: STEPS_A_WALK, stepsAKill: STEPS_A_KILL },
    });
    for (const [name, value] of Object.entries(report)) sums[name as keyof typeof sums] += value;
    process.stderr.write(`${sums.kills} kills under payments, load ${loadavg()[0]?.toFixed(1)}\n`);
    fail(faults);
    if (faults.length > 0) break;
  }
  say(
    `\nmoney: ${sums.steps} steps on two nodes, ${sums.kills} kills, ${sums.days} days; carried out ${sums.acknowledged}, of which ` +
      `answered to a repeated request ${sums.repeated}; ${sums.invoices} invoices and ${sums.payments} payments, which agree after each step`,
  );
}

/** In turns of ten: one process, two workers. Each turn has a new database. */
async function runKills(count: number, minutes: number): Promise<void> {
  const deadline = Date.now() + minutes * 60_000;
  const draw = drawer(seed);
  const reports: KillReport[] = [];
  for (let done = 0, turn = 0; done < count && Date.now() < deadline; turn++) {
    const workers = 1 + (turn % 2);
    const possible = VICTIMS.filter((victim) => victim !== "worker" || workers > 1);
    const length = Math.min(10, count - done);
    const victims = Array.from({ length }, () => pick(possible, draw) as Victim);
    const report = await killUnderLoad({ seed: seed + turn, workers, victims });
    reports.push(report);
    done += report.kills.length;
    process.stderr.write(`${done} kills, load ${loadavg()[0]?.toFixed(1)}\n`);
    fail(report.faults);
    if (report.faults.length > 0) break;
  }
  const sum = (of: (report: KillReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const kills = reports.flatMap((report) => report.kills);
  say(
    `\nkills: ${kills.length}; acknowledged writes ${sum((r) => r.acknowledged)}, lost ${sum((r) => r.lost)}, ` +
      `half-applied ${sum((r) => r.halfApplied)}; without an answer ${sum((r) => r.inDoubt)}, ` +
      `of which carried out ${sum((r) => r.appliedInDoubt)}; replayed to a retry ${sum((r) => r.replays)}, none made twice; counters and versions exact after each kill`,
  );
  say(`answers: ${tallyText(reports.map(({ tally }) => tally))}`);
  for (const workers of [1, 2]) {
    for (const victim of VICTIMS) {
      const some = kills.filter((kill) => kill.victim === victim && kill.workers === workers);
      if (some.length > 0) say(`  ${victim}, ${workers} process(es): ${some.length} kills, ${times(some)}`);
    }
  }
}

/** Each fault of a leader in turn, in an order that is drawn, and now and then one that promotes nobody. */
async function runPatroni(count: number): Promise<void> {
  const reason = await whyNoCluster();
  if (reason) return say(`\nPatroni: skipped, ${reason}`);
  const draw = drawer(seed);
  const faults: Fault[] = [];
  for (let done = 0; done < count; ) {
    const left: Fault[] = [...LEADER_FAULTS];
    for (; left.length > 0 && done < count; done++)
      faults.push(...left.splice(Math.floor(draw() * left.length), 1));
    faults.push(pick(OTHER_FAULTS, draw) as Fault);
  }
  const report = await failOver({
    seed,
    faults,
    onFailover: ({ fault, promotedMs, writesMs }) =>
      process.stderr.write(
        `${fault}: promoted after ${Math.round(promotedMs)} ms, writes ${Math.round(writesMs)} ms later, load ${loadavg()[0]?.toFixed(1)}\n`,
      ),
  });
  const isOfLeader = ({ fault }: Failover) => LEADER_FAULTS.some((name) => name === fault);
  const late = report.failovers.filter((one) => isOfLeader(one) && one.writesMs > WRITES_AGAIN_MS);
  say(
    `\nPatroni: ${report.failovers.filter(isOfLeader).length} leaders lost; acknowledged writes ${report.acknowledged}, lost ${report.lost}; ` +
      `${report.explained} answers in one order for each record and session, ${report.bookings} bookings among them; ` +
      `${report.changes} changes in the feed of both nodes; ${report.probed} commits straight to one PostgreSQL, all with the last leader`,
  );
  for (const fault of [...LEADER_FAULTS, ...OTHER_FAULTS]) {
    const some = report.failovers.filter((failover) => failover.fault === fault);
    if (some.length === 0) continue;
    const [promoted, writes] = [some.map((one) => one.promotedMs), some.map((one) => one.writesMs)];
    const promotion = some.some(isOfLeader)
      ? `promoted ${spread(promoted)}; writes after that`
      : "writes after it";
    say(`  ${fault}: ${some.length} ×, ${promotion} ${spread(writes)}`);
  }
  fail([
    ...report.faults,
    ...late.map(
      ({ fault, writesMs }) =>
        `${fault}: writes came back only ${Math.round(writesMs)} ms after the promotion`,
    ),
  ]);
}

async function runMidStatement(): Promise<void> {
  for (const victim of ["server", "machine"] as const) {
    for (let turn = 0; turn < 3; turn++) {
      const report = await killInSharedInsert(victim);
      say(
        `\nkill of the ${victim} in the middle of a shared insert: ${report.sent} creates, each sent again with its key; ` +
          `${report.clients} clients, ${report.replays} of them from before the kill`,
      );
      fail(report.faults);
    }
  }
}

async function runRestarts(): Promise<void> {
  for (const workers of [1, 2]) {
    const modes = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? "fast" : "immediate") as "fast");
    restartLine(
      `restarts, external, ${workers} process(es)`,
      await restartExternal({ seed, workers, modes }),
    );
    const signals = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? "SIGINT" : "SIGQUIT") as "SIGINT");
    restartLine(
      `restarts, built-in, ${workers} process(es)`,
      await restartEmbedded({ seed, workers, signals }),
    );
  }
}

function restartLine(name: string, report: RestartReport): void {
  const [before, after] = report.connections;
  say(
    `\n${name}: ${report.recoveredMs.length}; recovered ${spread(report.recoveredMs)}; lost ${report.lost} of ` +
      `${report.acknowledged}; connections ${before} before, ${after} after; ${tallyText([report.tally])}`,
  );
  fail(report.faults);
}

async function runStops(): Promise<void> {
  for (const workers of [1, 2]) {
    const stalls = Array.from({ length: 10 }, (_, stop) => stop % 2 === 1);
    const report = await stopUnderLoad({ seed, workers, stalls });
    say(
      `\nSIGTERM, ${workers} process(es): ${report.stops} stops, 32 callers, ${report.requests} requests, ` +
        `cut ${report.cut.length}, refused before they were sent ${report.refused}; exit codes ` +
        `${[...new Set(report.exitCodes)]}; stopped ${spread(report.stoppedMs)}; lost ${report.lost}`,
    );
    fail([...report.cut, ...report.faults, ...report.exitCodes.filter((code) => code !== 0).map(String)]);
  }
}

async function runDisk(): Promise<void> {
  const reason = await whyNoDisk();
  if (reason) return say(`\ndisk full: skipped, ${reason}`);
  for (const workers of [1, 2]) {
    const full = await fillDisk({ seed, workers, fullForMs: 30_000 });
    diskLine(`disk full for 30 s, ${workers} process(es)`, full);
    if (full.reads.answered < full.reads.asked) fail(["reads did not go on"]);
    const fuller = await fillDisk({ seed, workers, fullForMs: 10_000, logToo: true });
    diskLine(`disk full for 10 s, no room for the log either, ${workers} process(es)`, fuller);
  }
}

async function runFlush(): Promise<void> {
  const reason = await whyNoFaultLibrary();
  if (reason) return say(`\nfailing flushes: skipped, ${reason}`);
  for (const workers of [1, 2]) {
    const report = await failFlushes({ seed, workers, failForMs: 5_000 });
    diskLine(`every flush fails for 5 s, ${workers} process(es)`, report);
  }
}

function diskLine(name: string, report: DiskReport): void {
  say(
    `\n${name}: acknowledged ${report.acknowledged} (${report.acknowledgedMeanwhile} meanwhile), lost ${report.lost}, ` +
      `half-applied ${report.halfApplied}; writes refused meanwhile ${report.refusedMeanwhile}; reads answered ` +
      `${report.reads.answered} of ${report.reads.asked}; recovered in ${Math.round(report.recoveredMs)} ms; ` +
      tallyText([report.tally]),
  );
  fail(report.faults);
}

async function runUpgrades(): Promise<void> {
  const store = await openTestStore();
  try {
    for (const upgrade of await upgradeFromEach(store)) {
      say(
        `\nupgrade from ${upgrade.from} to ${upgrade.to}: ${upgrade.tables} tables, ${upgrade.rows} rows, all kept; export ` +
          `${upgrade.upgraded.slice(0, 16)}… in place, ${upgrade.restored.slice(0, 16)}… restored`,
      );
      fail(upgrade.faults);
    }
  } finally {
    await store.close();
  }
}

function fail(faults: readonly string[]): void {
  failures += faults.length;
  for (const fault of faults.slice(0, 20)) say(`  FAULT: ${fault}`);
}

function times(kills: readonly Kill[]): string {
  return `recovered ${spread(kills.map(({ recoveredMs }) => recoveredMs))}`;
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `in ${at(0.5)} ms (median), ${at(1)} ms (most)`;
}

function tallyText(tallies: readonly ReadonlyMap<string, number>[]): string {
  const sums = new Map<string, number>();
  for (const tally of tallies)
    for (const [name, count] of tally) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => `${count} × ${name}`).join(", ");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
