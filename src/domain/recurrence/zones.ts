import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { calendarDateOf, MS_PER_DAY } from "../../core/dates.ts";

/**
 * What the clocks of a zone show, as stretches of constant offset. Stretch `i` begins at the instant
 * `startsAt[i]`; a wall clock is read with `offsets[i]` from `wallFrom[i]` on. All are milliseconds, wall
 * clocks being counted as if they were UTC. The first stretch begins at -Infinity.
 */
interface Stretches {
  readonly startsAt: Float64Array;
  readonly wallFrom: Float64Array;
  readonly offsets: Float64Array;
  /** Whether the clocks still change in 2499, where the tables end, and so for ever in the same cycle. */
  readonly endless: boolean;
}

/** A zone of the IANA database. */
export interface Zone extends Stretches {
  readonly name: string;
  /** Shared by single conversions; what follows one schedule opens its own. */
  readonly reader: WallReader;
}

/** The zone of that exact name, a link (`US/Eastern`) as good as any, or undefined if IANA knows no such name. */
export function findZone(name: string): Zone | undefined {
  const known = decoded.get(name);
  if (known) return known;
  const packed = loadTables().zones.get(name);
  if (packed === undefined) return undefined;
  const zone = decodeZone(name, packed);
  decoded.set(name, zone);
  return zone;
}

/** The zone of a location. Only names that `findZone` knows are stored. */
export function zoneOfLocation(timezone: string): Zone {
  const zone = findZone(timezone);
  if (!zone)
    throw new Error(`a location has the time zone ${timezone}, which the time-zone data does not know`);
  return zone;
}

/** Every name that `findZone` knows, in alphabetical order. */
export function listZoneNames(): readonly string[] {
  return loadTables().names;
}

/** The release of the IANA database behind the tables: `2026f`. */
export function tzdataVersion(): string {
  return loadTables().version;
}

/** For every name a digest of what its clocks show from an instant on, for ever. One by one: all of them take 50 ms. */
export function* digestClocks(fromMs: number): Generator<[name: string, digest: string]> {
  // Links share the table of the zone that they stand for.
  const byTable = new Map<string, string>();
  for (const [name, packed] of loadTables().zones) {
    const digest = byTable.get(packed) ?? digestFrom(decodeZone(name, packed), fromMs);
    byTable.set(packed, digest);
    yield [name, digest];
  }
}

function digestFrom({ startsAt, offsets, endless }: Stretches, fromMs: number): string {
  const first = lastAtOrBefore(startsAt, fromMs);
  const hash = createHash("sha256")
    .update(startsAt.subarray(first + 1))
    .update(offsets.subarray(first));
  return hash.update(String(endless)).digest("base64url").slice(0, 16);
}

/**
 * The instant at which the zone's clocks show a wall clock. A time that exists twice is its first occurrence; a
 * time that a spring gap leaves out is read with the offset before the gap.
 */
export function wallToInstant(zone: Zone, wallMs: number): number {
  return zone.reader.read(wallMs);
}

/** The instant at which a date begins: its 00:00, read as any other wall clock is. */
export function dayStart(zone: Zone, date: string): number {
  return wallToInstant(zone, Date.parse(date));
}

/** What the zone's clocks show at an instant. */
export function instantToWall(zone: Zone, instantMs: number): number {
  const folded = instantMs - cycleShift(zone, instantMs);
  return instantMs + at(zone.offsets, lastAtOrBefore(zone.startsAt, folded));
}

/** The date that calendars show at that instant; those of UTC where the name is of no zone. */
export function dateIn(timezone: string, instantMs: number): string {
  const zone = findZone(timezone);
  return calendarDateOf(zone ? instantToWall(zone, instantMs) : instantMs);
}

/**
 * Wall clocks `[lowMs, highMs)` that hold every one whose instant lies in `[fromMs, toMs)`, and few others. The
 * offset before the latest change counts too: clocks in its gap are still read with that one.
 */
export function wallBounds(zone: Zone, fromMs: number, toMs: number): { lowMs: number; highMs: number } {
  const from = offsetsAround(zone, fromMs);
  const to = offsetsAround(zone, toMs);
  return { lowMs: fromMs + Math.min(...from), highMs: toMs + Math.max(...to) };
}

/**
 * Turns wall clocks into instants. It remembers the stretch it last used, so that clocks which mostly rise cost
 * a comparison each, however long the table.
 */
export class WallReader {
  /** Whether the clock last read does not exist: it lies in the gap that a change of offset left. */
  inGap = false;
  readonly #zone: Stretches;
  #lowMs = Number.POSITIVE_INFINITY;
  #highMs = Number.NEGATIVE_INFINITY;
  #gapFromMs = Number.NaN;
  #offsetMs = Number.NaN;

  constructor(zone: Stretches) {
    this.#zone = zone;
  }

  read(wallMs: number): number {
    if (wallMs < this.#lowMs || wallMs >= this.#highMs) this.#moveTo(wallMs);
    this.inGap = wallMs >= this.#gapFromMs;
    return wallMs - this.#offsetMs;
  }

  #moveTo(wallMs: number): void {
    const { wallFrom, startsAt, offsets, endless } = this.#zone;
    const shift = cycleShift(this.#zone, wallMs);
    const index = lastAtOrBefore(wallFrom, wallMs - shift);
    const last = index === offsets.length - 1;
    this.#offsetMs = at(offsets, index);
    this.#lowMs = Math.max(at(wallFrom, index), shift > 0 ? CYCLE_FROM_MS : Number.NEGATIVE_INFINITY) + shift;
    const end = endless ? CYCLE_TO_MS : Number.POSITIVE_INFINITY;
    this.#highMs = (last ? end : at(wallFrom, index + 1)) + shift;
    // When clocks go back the next stretch begins exactly here, and no clock is left in between.
    this.#gapFromMs = last ? Number.POSITIVE_INFINITY : at(startsAt, index + 1) + this.#offsetMs + shift;
  }
}

/**
 * The tables end with the year 2499. Whatever then still changes follows yearly rules, and the Gregorian
 * calendar repeats every 400 years to the weekday, so a later time is looked up in the cycle 2100 to 2499.
 */
const CYCLE_MS = 146_097 * MS_PER_DAY;
const CYCLE_TO_MS = Date.UTC(2500, 0, 1);
const CYCLE_FROM_MS = CYCLE_TO_MS - CYCLE_MS;

function cycleShift(zone: Stretches, ms: number): number {
  if (ms < CYCLE_TO_MS || !zone.endless) return 0;
  return (Math.floor((ms - CYCLE_TO_MS) / CYCLE_MS) + 1) * CYCLE_MS;
}

function offsetsAround(zone: Stretches, instantMs: number): [before: number, now: number] {
  const index = lastAtOrBefore(zone.startsAt, instantMs - cycleShift(zone, instantMs));
  return [at(zone.offsets, Math.max(index - 1, 0)), at(zone.offsets, index)];
}

function lastAtOrBefore(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (at(sorted, middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** An element that the caller knows to exist. */
function at(values: Float64Array, index: number): number {
  return values[index] ?? Number.NaN;
}

interface Tables {
  readonly version: string;
  readonly zones: ReadonlyMap<string, string>;
  readonly names: readonly string[];
}

/** What `moment-timezone` ships: `name|abbreviations|offsets|indices|changes|population`, numbers in base 60. */
interface PackedTables {
  readonly version: string;
  readonly zones: readonly string[];
  readonly links: readonly string[];
}

const decoded = new Map<string, Zone>();
let tables: Tables | undefined;

/** Read at first use: importing a module does nothing, and the data is 0.7 MB. */
function loadTables(): Tables {
  tables ??= indexTables(createRequire(import.meta.url)("moment-timezone/data/packed/latest.json"));
  return tables;
}

function indexTables(packed: PackedTables): Tables {
  const zones = new Map<string, string>();
  for (const line of packed.zones) zones.set(line.slice(0, line.indexOf("|")), line);
  for (const link of packed.links) {
    const [target = "", name = ""] = link.split("|");
    const line = zones.get(target);
    if (line !== undefined) zones.set(name, line);
  }
  // IANA's name for a computer whose zone nobody has set. The package leaves it out; its clocks show UTC.
  if (!zones.has("Factory")) zones.set("Factory", "Factory|-00|0|0||");
  return { version: packed.version, zones, names: [...zones.keys()].sort() };
}

function decodeZone(name: string, packed: string): Zone {
  const [, , offsetList = "", indices = "", changeList = ""] = packed.split("|");
  // Packed as minutes west of Greenwich; 0 - x rather than -x keeps -0 out.
  const choices = offsetList.split(" ").map((text) => 0 - secondsOf(text) * 1000);
  const changes = changeList === "" ? [] : changeList.split(" ");
  const startsAt = [Number.NEGATIVE_INFINITY];
  const offsets = [choices[digit(indices, 0)] ?? 0];
  let instant = 0;
  for (const [index, change] of changes.entries()) {
    instant += secondsOf(change) * 1000;
    const offset = choices[digit(indices, index + 1)] ?? 0;
    // Many changes are of name or of law alone; the clocks run on.
    if (offset === offsets.at(-1)) continue;
    startsAt.push(instant);
    offsets.push(offset);
  }
  // The one rule for gap and overlap: the new offset holds from the later of the two wall clocks of the change.
  const wallFrom = startsAt.map(
    (start, index) => start + Math.max(offsets[index - 1] ?? 0, offsets[index] ?? 0),
  );
  const stretches: Stretches = {
    startsAt: Float64Array.from(startsAt),
    wallFrom: Float64Array.from(wallFrom),
    offsets: Float64Array.from(offsets),
    endless: (startsAt.at(-1) ?? 0) > Date.UTC(2499, 0, 1),
  };
  return { ...stretches, name, reader: new WallReader(stretches) };
}

/** `-2ldXH.Q`: base-60 minutes, after the point the seconds. */
function secondsOf(text: string): number {
  const negative = text.startsWith("-");
  const point = text.indexOf(".");
  let minutes = 0;
  for (let i = negative ? 1 : 0; i < (point < 0 ? text.length : point); i++)
    minutes = minutes * 60 + digit(text, i);
  const seconds = minutes * 60 + (point < 0 ? 0 : digit(text, point + 1));
  return negative ? -seconds : seconds;
}

/** 0-9, a-z, A-X. */
function digit(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code > 96 ? code - 87 : code > 64 ? code - 29 : code - 48;
}

/**
 * How far a wall clock, counted as if it were UTC, may be from its instant. No zone is further from UTC, and a slot in a
 * gap adds at most a day (Apia skipped one).
 */
export const WALL_SLACK_MS = 3 * MS_PER_DAY;
