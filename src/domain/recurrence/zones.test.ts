import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWallClock } from "../../core/dates.ts";
import {
  digestClocks,
  findZone,
  instantToWall,
  listZoneNames,
  tzdataVersion,
  WallReader,
  wallBounds,
  wallToInstant,
  type Zone,
} from "./zones.ts";

const HOUR = 3_600_000;

test("the tables are from IANA's release 2026f or a later one", () => {
  assert.ok(tzdataVersion() >= "2026f", tzdataVersion());
});

test("every IANA name is accepted, links included", () => {
  const names = listZoneNames();
  assert.ok(names.length >= 598, String(names.length));
  for (const name of names) assert.equal(findZone(name)?.name, name);
  for (const name of Intl.supportedValuesOf("timeZone")) assert.ok(findZone(name), name);
  const links = ["US/Eastern", "Asia/Calcutta", "Europe/Kiev", "GB-Eire", "Zulu", "UTC", "GMT", "Etc/GMT+12"];
  for (const name of [
    ...links,
    "Etc/GMT-14",
    "EST5EDT",
    "PST8PDT",
    "EST",
    "Factory",
    "America/Buenos_Aires",
  ]) {
    assert.ok(findZone(name), name);
  }
});

test("a name that is not IANA's, or in another case, is unknown", () => {
  for (const name of ["", "europe/london", "Europe/Atlantis", "+02:00", "__proto__", "constructor", "UTC "]) {
    assert.equal(findZone(name), undefined, name);
  }
});

test("a zone is decoded once", () => {
  assert.equal(findZone("Europe/Lisbon"), findZone("Europe/Lisbon"));
});

test("a link shows what its target shows", () => {
  for (let ms = 0; ms < Date.UTC(2040, 0, 1); ms += 37 * 24 * HOUR) {
    assert.equal(instantToWall(zone("US/Eastern"), ms), instantToWall(zone("America/New_York"), ms));
  }
});

const READINGS: readonly [guarantee: string, zone: string, wall: string, instant: string][] = [
  [
    "New York 02:30 in the gap has the offset before it",
    "America/New_York",
    "2026-03-08T02:30",
    "2026-03-08T07:30Z",
  ],
  ["New York 01:30 is the first of two", "America/New_York", "2026-11-01T01:30", "2026-11-01T05:30Z"],
  ["New York's last minute before the gap", "America/New_York", "2026-03-08T01:59", "2026-03-08T06:59Z"],
  ["New York's first minute after the gap", "America/New_York", "2026-03-08T03:00", "2026-03-08T07:00Z"],
  ["New York's first minute after the overlap", "America/New_York", "2026-11-01T02:00", "2026-11-01T07:00Z"],
  ["Lord Howe's gap is half an hour", "Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:45Z"],
  ["Lord Howe after the gap", "Australia/Lord_Howe", "2026-10-04T02:30", "2026-10-03T15:30Z"],
  ["Lord Howe's overlap is half an hour", "Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45Z"],
  ["São Paulo had no midnight", "America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00Z"],
  ["São Paulo had 23:30 twice", "America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T01:30Z"],
  ["Havana had no midnight", "America/Havana", "2025-03-09T00:30", "2025-03-09T05:30Z"],
  ["Havana had 00:30 twice", "America/Havana", "2025-11-02T00:30", "2025-11-02T04:30Z"],
  ["Dublin's winter is its daylight saving", "Europe/Dublin", "2026-03-29T01:30", "2026-03-29T01:30Z"],
  ["Dublin had 01:30 twice", "Europe/Dublin", "2026-10-25T01:30", "2026-10-25T00:30Z"],
  ["Casablanca goes back for Ramadan", "Africa/Casablanca", "2025-02-23T02:30", "2025-02-23T01:30Z"],
  ["Casablanca in Ramadan", "Africa/Casablanca", "2025-03-10T12:00", "2025-03-10T12:00Z"],
  ["Casablanca comes out of Ramadan", "Africa/Casablanca", "2025-04-06T02:30", "2025-04-06T02:30Z"],
  ["Apia lost a day", "Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00Z"],
  ["Apia before the lost day", "Pacific/Apia", "2011-12-29T12:00", "2011-12-29T22:00Z"],
  ["Apia after the lost day", "Pacific/Apia", "2011-12-31T12:00", "2011-12-30T22:00Z"],
  [
    "Winnipeg stays on its summer clock from 2026",
    "America/Winnipeg",
    "2027-01-15T12:00",
    "2027-01-15T17:00Z",
  ],
  [
    "Havana keeps its summer clock in the winter of 2026",
    "America/Havana",
    "2027-01-15T12:00",
    "2027-01-15T16:00Z",
  ],
  [
    "New York in 2080, long after stored tables end elsewhere",
    "America/New_York",
    "2080-07-01T12:00",
    "2080-07-01T16:00Z",
  ],
  ["New York in the winter of 2499", "America/New_York", "2499-12-31T23:30", "2500-01-01T04:30Z"],
  ["New York in the summer of 2500", "America/New_York", "2500-07-01T12:00", "2500-07-01T16:00Z"],
  ["New York in the summer of 9999", "America/New_York", "9999-07-01T12:00", "9999-07-01T16:00Z"],
  ["New York in the winter of 9999", "America/New_York", "9999-01-01T12:00", "9999-01-01T17:00Z"],
  [
    "New York in the gap of 9999, the second Sunday of March",
    "America/New_York",
    "9999-03-14T02:30",
    "9999-03-14T07:30Z",
  ],
  ["New York in 1900", "America/New_York", "1900-01-01T12:00", "1900-01-01T17:00Z"],
];

for (const [guarantee, name, wall, instant] of READINGS) {
  test(`wall clocks: ${guarantee}`, () => {
    const wallMs = parseWallClock(wall) ?? Number.NaN;
    assert.equal(new Date(wallToInstant(zone(name), wallMs)).toISOString(), new Date(instant).toISOString());
  });
}

test("at every change of every zone, gap and overlap are read as defined, and no two changes interfere", () => {
  for (const name of listZoneNames()) {
    const changes = zone(name);
    const { startsAt, offsets } = changes;
    // Half a million times: a sentence is only made for what is wrong.
    const expectInstant = (wall: number, instant: number) => {
      if (wallToInstant(changes, wall) !== instant) assert.fail(`${name} ${new Date(wall).toISOString()}`);
    };
    for (let i = 1; i < startsAt.length; i++) {
      const change = startsAt[i] ?? 0;
      const before = offsets[i - 1] ?? 0;
      const after = offsets[i] ?? 0;
      if (before === after) assert.fail(`${name}: nothing changes at ${new Date(change).toISOString()}`);
      // What a gap's clocks are read as ends before the next change: two slots at most share an instant.
      if (change + Math.abs(after - before) >= (startsAt[i + 1] ?? Number.POSITIVE_INFINITY))
        assert.fail(`${name}: two changes are too close at ${new Date(change).toISOString()}`);
      const [low, high] = [change + Math.min(before, after), change + Math.max(before, after)];
      for (const wall of [low - 1, low, (low + high) / 2, high - 1]) expectInstant(wall, wall - before);
      expectInstant(high, high - after);
    }
  }
});

test("a clock that exists is turned into an instant and back unchanged, whatever the order of asking", () => {
  for (const name of ["America/New_York", "Asia/Gaza", "Pacific/Apia", "Africa/Casablanca", "UTC"]) {
    for (let i = 0; i < 4_000; i++) {
      const wall = Math.floor(((i * 0.618034) % 1) * Date.UTC(9999, 0, 1)) - 2e12;
      const reader = new WallReader(zone(name));
      const instant = wallToInstant(zone(name), wall);
      assert.equal(reader.read(wall), instant);
      assert.equal(instantToWall(zone(name), instant) === wall, !reader.inGap);
    }
  }
});

test("the wall clocks of a window hold every clock whose instant lies in it", () => {
  for (const name of ["America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Europe/Dublin"]) {
    for (const change of zone(name).startsAt.slice(1).slice(-40)) {
      for (let from = change - 30 * HOUR; from <= change + 30 * HOUR; from += 5 * HOUR) {
        const { lowMs, highMs } = wallBounds(zone(name), from, from + 7 * HOUR);
        for (let wall = from - 50 * HOUR; wall < from + 50 * HOUR; wall += HOUR / 2) {
          const instant = wallToInstant(zone(name), wall);
          if (instant >= from && instant < from + 7 * HOUR) assert.ok(wall >= lowMs && wall < highMs, name);
        }
      }
    }
  }
});

test("what still changes when the tables end repeats with the calendar's cycle of 400 years", () => {
  const cycle = 146_097 * 24 * HOUR;
  for (const name of listZoneNames().filter((name) => zone(name).endless)) {
    const inYear = (year: number) =>
      [...zone(name).startsAt].filter((ms) => ms >= Date.UTC(year, 0, 1) && ms < Date.UTC(year + 1, 0, 1));
    assert.ok(inYear(2499).length > 0, name);
    assert.deepEqual(
      inYear(2099).map((ms) => ms + cycle),
      inYear(2499),
      name,
    );
    for (const ms of [
      Date.UTC(2499, 11, 31, 23),
      Date.UTC(2500, 0, 1),
      Date.UTC(2500, 6, 1),
      Date.UTC(9999, 6, 1),
    ]) {
      const years = Math.ceil((ms - Date.UTC(2499, 11, 31)) / cycle) * cycle;
      assert.equal(
        instantToWall(zone(name), ms) - ms,
        instantToWall(zone(name), ms - years) - (ms - years),
        name,
      );
    }
  }
});

test("from 1970 to 2025 every zone agrees with Node's own data, but for what IANA has corrected since", () => {
  const differing = new Set<string>();
  for (const name of Intl.supportedValuesOf("timeZone")) {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const samples = [...zone(name).startsAt].flatMap((ms) => [ms - 1000, ms]);
    for (let ms = 0; ms < Date.UTC(2026, 0, 1); ms += 45.25 * 24 * HOUR) samples.push(ms);
    for (const ms of samples.filter((sample) => sample >= 0 && sample < Date.UTC(2026, 0, 1))) {
      if (shownBy(format, ms) !== instantToWall(zone(name), ms)) differing.add(name);
    }
  }
  assert.deepEqual(
    [...differing].filter((name) => !CORRECTED_SINCE_2025C.has(name)),
    [],
  );
});

// Past changes that IANA moved in 2026a to 2026d; an older Node still has them at their former times.
const CORRECTED_SINCE_2025C = new Set(["America/Bogota", "Asia/Tehran", "Europe/Chisinau"]);

function shownBy(format: Intl.DateTimeFormat, instantMs: number): number {
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    format.format(instantMs).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function zone(name: string): Zone {
  const found = findZone(name);
  assert.ok(found, name);
  return found;
}

test("the digest of a zone's clocks differs where they do from an instant on, and by nothing before or by its name", () => {
  const since2025 = new Map(digestClocks(Date.UTC(2025, 0, 1)));
  assert.deepEqual([...since2025.keys()].sort(), listZoneNames());
  assert.equal(since2025.get("US/Eastern"), since2025.get("America/New_York"));
  // Portugal had Central European Time until 1996.
  assert.equal(since2025.get("Europe/Lisbon"), since2025.get("Europe/London"));
  const since1990 = new Map(digestClocks(Date.UTC(1990, 0, 1)));
  assert.notEqual(since1990.get("Europe/Lisbon"), since1990.get("Europe/London"));
  for (const other of ["Europe/Paris", "UTC", "Africa/Casablanca"])
    assert.notEqual(since2025.get("Europe/London"), since2025.get(other), other);
});
