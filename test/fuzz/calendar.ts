import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { RRuleTemporal } from "rrule-temporal";
import { formatWallClock, MS_PER_DAY } from "../../src/core/dates.ts";
import { compileSchedule, lastSlotWall, openSlots } from "../../src/domain/recurrence/expand.ts";
import { parseRule } from "../../src/domain/recurrence/rule.ts";
import { findZone, instantToWall, type Zone } from "../../src/domain/recurrence/zones.ts";

/** What a run found: how many rules were compared, and every one on which the two opinions differ. */
export interface FuzzReport {
  readonly seed: number;
  readonly rounds: number;
  readonly slots: number;
  readonly wrong: readonly string[];
}

/**
 * Expands random rules twice: with our expander, and with `rrule-temporal` in floating time, whose wall clocks
 * are turned into instants by trying offsets. The same seed gives the same rules.
 */
export function fuzzCalendar({ seed, rounds, reach = "years" }: FuzzOptions): FuzzReport {
  const random = new Random(seed);
  const wrong: string[] = [];
  let slots = 0;
  for (let round = 0; round < rounds; round++) {
    const example = makeExample(random, REACH_DAYS[reach]);
    const ours = expandOurs(example, random);
    const theirs = expandTheirs(example);
    slots += theirs.length;
    if (ours.join() !== theirs.join()) wrong.push(explain(example, ours, theirs));
  }
  return { seed, rounds, slots, wrong };
}

export interface FuzzOptions {
  readonly seed: number;
  readonly rounds: number;
  /** How far from its start a schedule is looked at, and for how long: the other library walks every slot until then. */
  readonly reach?: "weeks" | "years";
}

const REACH_DAYS = {
  weeks: { latest: [10, 60], longest: 60 },
  years: { latest: [10, 400, 4_000], longest: 366 },
};

interface Example {
  readonly zone: Zone;
  readonly startWallMs: number;
  /** Without UNTIL, which is compared with instants and so stays out of floating time. */
  readonly rule: string;
  readonly untilMs: number | undefined;
  readonly untilDay: number | undefined;
  readonly exceptionWallsMs: readonly number[];
  readonly extraWallsMs: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
}

function expandOurs(example: Example, random: Random): number[] {
  const { zone, startWallMs, exceptionWallsMs, extraWallsMs, fromMs, toMs } = example;
  const rule = parseRule(ruleText(example), "rule", []);
  if (!rule) throw new Error(`A rule of the fuzz is refused: ${ruleText(example)}`);
  const lastSlotWallMs = lastSlotWall(startWallMs, rule);
  const schedule = compileSchedule({
    zone,
    startWallMs,
    rule,
    exceptionWallsMs,
    extraWallsMs,
    lastSlotWallMs,
  });
  const cursor = openSlots(schedule, fromMs, toMs);
  const instants: number[] = [];
  // Read in slices, as a response is written.
  const sliceMs = random.from(1, 40) * MS_PER_DAY;
  for (let endMs = fromMs + sliceMs; ; endMs += sliceMs) {
    while (cursor.next(Math.min(endMs, toMs))) instants.push(cursor.instantMs);
    if (endMs >= toMs) return instants;
  }
}

function expandTheirs(example: Example): number[] {
  const { zone, exceptionWallsMs, extraWallsMs, fromMs, toMs } = example;
  const untilMs = example.untilMs ?? Number.POSITIVE_INFINITY;
  const lastWallMs = ((example.untilDay ?? Number.POSITIVE_INFINITY) + 1) * MS_PER_DAY;
  const walls = (isMisread(example.rule) ? walkEveryDay(example) : askReference(example)).filter(
    (wallMs) => wallMs < lastWallMs && tryOffsets(zone, wallMs) <= untilMs,
  );
  const kept = [...walls, ...extraWallsMs].filter((wallMs) => !exceptionWallsMs.includes(wallMs));
  const instants = new Set(kept.map((wallMs) => tryOffsets(zone, wallMs)));
  return [...instants].filter((ms) => ms >= fromMs && ms < toMs).sort((a, b) => a - b);
}

function askReference({ rule, startWallMs, fromMs, toMs }: Example): number[] {
  const start = formatWallClock(startWallMs).replace(/[-:]/g, "");
  const reference = new RRuleTemporal({
    rruleString: `DTSTART:${start}00Z\nRRULE:${rule}`,
    maxIterations: 1_000_000,
    maxCandidateEvaluations: 10_000_000,
  });
  return reference
    .between(new Date(fromMs - 2 * MS_PER_DAY), new Date(toMs + 2 * MS_PER_DAY), true)
    .map((slot) => slot.epochMilliseconds);
}

/**
 * YEARLY without BYMONTH, BYDAY with an ordinal, and beside it a plain weekday or BYMONTHDAY. RFC 5545 makes a
 * union of the BYDAY entries, and lets BYDAY only limit where BYMONTHDAY is present; `rrule-temporal` 2.2.7
 * drops the plain weekdays and BYMONTHDAY there.
 */
function isMisread(rule: string): boolean {
  if (!rule.startsWith("FREQ=YEARLY") || rule.includes("BYMONTH=")) return false;
  const entries = partOf(rule, "BYDAY");
  return (
    /\d/.test(entries.join()) && (rule.includes("BYMONTHDAY=") || entries.some((entry) => entry.length === 2))
  );
}

/** For those rules the second opinion is the definition itself: every day of every year is looked at. */
function walkEveryDay({ rule, startWallMs, toMs }: Example): number[] {
  const start = new Date(startWallMs);
  const byDay = partOf(rule, "BYDAY");
  const byMonthDay = partOf(rule, "BYMONTHDAY").map(Number);
  const positions = partOf(rule, "BYSETPOS").map(Number);
  const hours = rule.includes("BYHOUR=") ? partOf(rule, "BYHOUR").map(Number) : [start.getUTCHours()];
  const minutes = rule.includes("BYMINUTE=") ? partOf(rule, "BYMINUTE").map(Number) : [start.getUTCMinutes()];
  const walls: number[] = [];
  const step = Number(partOf(rule, "INTERVAL")[0] ?? 1);
  for (let year = start.getUTCFullYear(); Date.UTC(year, 0, 1) < toMs + 2 * MS_PER_DAY; year += step) {
    const clocks: number[] = [];
    for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += MS_PER_DAY) {
      const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? "";
      const nth = Math.floor((day - Date.UTC(year, 0, 1)) / (7 * MS_PER_DAY)) + 1;
      const nthLast = Math.floor((Date.UTC(year, 11, 31) - day) / (7 * MS_PER_DAY)) + 1;
      const names = [weekday, `${nth}${weekday}`, `+${nth}${weekday}`, `-${nthLast}${weekday}`];
      if (!byDay.some((entry) => names.includes(entry))) continue;
      const dayOfMonth = new Date(day).getUTCDate();
      const fromEnd = (day - Date.UTC(year, new Date(day).getUTCMonth() + 1, 1)) / MS_PER_DAY;
      if (byMonthDay.length > 0 && !byMonthDay.includes(dayOfMonth) && !byMonthDay.includes(fromEnd))
        continue;
      for (const hour of hours)
        for (const minute of minutes) clocks.push(day + (hour * 60 + minute) * 60_000);
    }
    clocks.sort((a, b) => a - b);
    const chosen = clocks.filter(
      (_, index) => positions.includes(index + 1) || positions.includes(index - clocks.length),
    );
    walls.push(...(positions.length > 0 ? chosen : clocks).filter((wallMs) => wallMs >= startWallMs));
  }
  return walls.slice(0, Number(partOf(rule, "COUNT")[0] ?? walls.length));
}

function partOf(rule: string, name: string): string[] {
  const part = rule.split(";").find((text) => text.startsWith(`${name}=`));
  return part?.slice(name.length + 1).split(",") ?? [];
}

/** The first instant that shows this wall clock, of the offsets two days around it; in a gap the earlier offset. */
export function tryOffsets(zone: Zone, wallMs: number): number {
  const before = offsetAt(zone, wallMs - 2 * MS_PER_DAY);
  const after = offsetAt(zone, wallMs + 2 * MS_PER_DAY);
  const shown = [wallMs - before, wallMs - after].filter((ms) => instantToWall(zone, ms) === wallMs);
  return shown.length > 0 ? Math.min(...shown) : wallMs - before;
}

function offsetAt(zone: Zone, instantMs: number): number {
  return instantToWall(zone, instantMs) - instantMs;
}

function explain(example: Example, ours: readonly number[], theirs: readonly number[]): string {
  const show = (values: readonly number[], others: readonly number[]) =>
    values
      .filter((value) => !others.includes(value))
      .slice(0, 3)
      .map((value) => new Date(value).toISOString())
      .join(" ");
  return [
    `${example.zone.name} ${formatWallClock(example.startWallMs)} ${ruleText(example)}`,
    `  window ${new Date(example.fromMs).toISOString()} ${new Date(example.toMs).toISOString()}`,
    `  only ours: ${show(ours, theirs)}`,
    `  only theirs: ${show(theirs, ours)}`,
  ].join("\n");
}

function ruleText({ rule, untilMs, untilDay }: Example): string {
  const compact = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");
  if (untilMs !== undefined) return `${rule};UNTIL=${compact(untilMs)}`;
  return untilDay === undefined ? rule : `${rule};UNTIL=${compact(untilDay * MS_PER_DAY).slice(0, 8)}`;
}

const ZONES = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Havana",
  "America/New_York",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Asia/Beirut",
  "Asia/Gaza",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Dublin",
  "Pacific/Apia",
  "Pacific/Chatham",
  "UTC",
];
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

function makeExample(random: Random, reach: (typeof REACH_DAYS)["weeks"]): Example {
  const zone = findZone(random.of(ZONES));
  if (!zone) throw new Error("A zone of the fuzz does not exist.");
  const startDay = Math.floor(Date.UTC(random.from(1995, 2045), 0, 1) / MS_PER_DAY) + random.from(0, 365);
  const minuteOfDay = random.chance(0.5) ? random.from(0, 16) * 15 : random.from(0, 1439);
  const startWallMs = startDay * MS_PER_DAY + minuteOfDay * 60_000;
  const ending = random.of(["none", "none", "count", "instant", "day"]);
  const fromMs = startWallMs + random.from(-30, random.of(reach.latest)) * MS_PER_DAY;
  const toMs = fromMs + random.from(1, reach.longest) * MS_PER_DAY + random.of([0, 0, 1, 1_800_000]);
  const near = () => startWallMs + random.from(0, 1_500) * MS_PER_DAY;
  return {
    zone,
    startWallMs,
    rule:
      makeAnyRule(random) + (ending === "count" ? `;COUNT=${random.from(1, random.of([5, 50, 2_000]))}` : ""),
    untilMs: ending === "instant" ? near() + random.from(-26, 26) * 1_800_000 : undefined,
    untilDay: ending === "day" ? Math.floor(near() / MS_PER_DAY) : undefined,
    exceptionWallsMs: Array.from({ length: random.from(0, 30) }, near),
    extraWallsMs: Array.from({ length: random.from(0, 4) }, () => near() + random.from(-5, 5) * 900_000),
    fromMs,
    toMs,
  };
}

/** Of any frequency, with any parts, without an end. */
export function makeAnyRule(random: Random): string {
  const frequency = random.of(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
  const dated = frequency === "MONTHLY" || frequency === "YEARLY";
  const parts = [`FREQ=${frequency}`];
  let choices = 0;
  const add = (chance: number, name: string, values: () => readonly (number | string)[]) => {
    if (!random.chance(chance)) return;
    parts.push(`${name}=${[...new Set(values())].join()}`);
    choices++;
  };
  const list = <T>(most: number, one: () => T) => Array.from({ length: random.from(1, most) }, one);
  const ordinal = () => random.of(["", "", "+", "-"]) + random.from(1, frequency === "YEARLY" ? 53 : 5);
  add(0.3, "BYMONTH", () => list(5, () => random.from(1, 12)));
  if (frequency !== "WEEKLY") {
    add(0.3, "BYMONTHDAY", () => list(6, () => random.of([1, -1]) * random.from(1, 31)));
  }
  add(0.5, "BYDAY", () =>
    list(6, () => (dated && random.chance(0.4) ? ordinal() : "") + random.of(WEEKDAYS)),
  );
  add(0.2, "BYHOUR", () => list(4, () => random.from(0, 23)));
  add(0.2, "BYMINUTE", () => list(4, () => random.from(0, 59)));
  if (choices > 0)
    add(0.3, "BYSETPOS", () => list(4, () => random.of([1, -1]) * random.from(1, random.of([3, 12]))));
  if (random.chance(0.5)) parts.push(`INTERVAL=${random.from(1, random.of([3, 15, 60]))}`);
  if (random.chance(0.4)) parts.push(`WKST=${random.of(WEEKDAYS)}`);
  return parts.join(";");
}

/** A small seeded generator (mulberry32): a failure must be repeatable. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number, both ends included. */
  from(least: number, most: number): number {
    return least + Math.floor(this.#fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability;
  }

  of<T>(values: readonly [T, ...T[]] | readonly T[]): T {
    const value = values[this.from(0, values.length - 1)];
    if (value === undefined) throw new Error("Nothing to choose from.");
    return value;
  }

  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { rounds: { type: "string" }, seed: { type: "string" } } });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const { rounds, slots, wrong } = fuzzCalendar({ seed, rounds: Number(values.rounds ?? 5_000) });
  for (const text of wrong.slice(0, 20)) process.stdout.write(`${text}\n`);
  process.stdout.write(`seed ${seed}: ${rounds} rules, ${slots} slots, ${wrong.length} wrong\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
