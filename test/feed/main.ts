/** `npm run feed`: follows an organization for long while everything is killed, and prints the figures that docs/reliability.md keeps. */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { drawer, pick } from "../crash/chance.ts";
import { FEED_VICTIMS, type FeedVictim, followUnderKills } from "./follow-under-kills.ts";

const USAGE = `npm run feed -- [--minutes M] [--seed S]

  --minutes  how long it writes and kills (10); half of it before the promotion
  --seed     what chances are drawn from (the time)
`;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const seed = Number(flags.seed);
const draw = drawer(seed);
const begunAt = Date.now();
const halfMs = Number(flags.minutes) * 30_000;
const tally = new Map<string, number>();

process.stdout.write(`seed ${seed}, ${new Date().toISOString()}, load ${loadavg()[0]?.toFixed(1)}\n`);
const report = await followUnderKills({
  seed,
  before: victimsUntil(begunAt + halfMs),
  after: victimsUntil(begunAt + 2 * halfMs),
  peaceMs: () => 4_000 + 12_000 * draw(),
  pauseMs: 1_000,
  hurries: false,
  onKill: (victim) => {
    tally.set(victim, (tally.get(victim) ?? 0) + 1);
    const seconds = Math.round((Date.now() - begunAt) / 1_000);
    process.stderr.write(`${seconds} s: ${victim} killed, load ${loadavg()[0]?.toFixed(1)}\n`);
  },
});
const kills = [...tally].map(([victim, count]) => `${count} × ${victim}`).join(", ");
process.stdout.write(
  `${report.kills} kills (${kills}); ${report.acknowledged} writes acknowledged, ${report.changes} changes; ` +
    `the receiver failed ${report.receiverFailures} times and got ${report.repeatedEvents} events again; ` +
    `${Math.round((Date.now() - begunAt) / 1_000)} s\n`,
);
for (const fault of report.faults.slice(0, 20)) process.stdout.write(`  FAULT: ${fault}\n`);
process.stdout.write(report.faults.length === 0 ? "all as it must be\n" : `${report.faults.length} faults\n`);
process.exitCode = report.faults.length === 0 ? 0 : 1;

function* victimsUntil(end: number): Generator<FeedVictim> {
  while (Date.now() < end) yield pick(FEED_VICTIMS, draw) as FeedVictim;
}
