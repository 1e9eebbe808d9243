import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newLinkedStudio, readEvents } from "../support/calendar-links.ts";

/** The first days of November 2018: on the 4th clocks were set back in New York and forward in São Paulo. */
const NOW = Date.parse("2018-11-01T12:00:00Z");
const api = await startApi({ clockOffsetMs: NOW - Date.now() });

test("in the week of a clock change events are in UTC as the calendar says", async () => {
  const expected = {
    "America/New_York": ["2018-11-03T11:00:00.000Z", "2018-11-04T12:00:00.000Z", "2018-11-05T12:00:00.000Z"],
    "America/Sao_Paulo": ["2018-11-03T10:00:00.000Z", "2018-11-04T09:00:00.000Z", "2018-11-05T09:00:00.000Z"],
  };
  for (const [timezone, starts] of Object.entries(expected)) {
    const studio = await newLinkedStudio(api, timezone);
    const { locationId, serviceTypeId } = studio;
    // One in the hour that is there twice or not at all, too.
    for (const clock of ["00:30", "01:30", "07:00"])
      await studio.done("addSchedule", {
        ...{ locationId, serviceTypeId, durationMinutes: 60, capacity: 5 },
        ...{ start: `2018-11-02T${clock}`, rrule: "FREQ=DAILY" },
      });
    const { path } = await studio.mint({ pastDays: 0, aheadDays: 6 });
    const shown = readEvents(await api.call("GET", path));
    const { body } = await studio.get("/v1/calendar?from=2018-11-01T00:00:00Z&to=2018-11-08T12:00:00Z");
    const inWindow = new Set(shown.map(({ startAt }) => startAt));
    assert.deepEqual(
      shown.map(({ startAt, endAt }) => [startAt, endAt]),
      body.data
        .filter(({ startAt }: { startAt: string }) => inWindow.has(startAt))
        .map(({ startAt, endAt }: Record<string, string>) => [startAt, endAt]),
    );
    assert.equal(shown.length, 18);
    for (const start of starts) assert.ok(inWindow.has(start), `${timezone} ${start}`);
  }
});

test("the window begins and ends with the days of the location, and moves on with them", async () => {
  const studio = await newLinkedStudio(api);
  const { locationId, serviceTypeId } = studio;
  await studio.done("addSchedule", {
    ...{ locationId, serviceTypeId, durationMinutes: 30, capacity: 5 },
    ...{ start: "2018-11-01T23:00", rrule: "FREQ=DAILY" },
  });
  const { path } = await studio.mint({ pastDays: 0, aheadDays: 1 });
  const days = async (through = api) => {
    const { body, headers } = await through.call("GET", path.replace(/ics$/, "json"));
    const shown = body.data.map(({ localStart }: { localStart: string }) => localStart.slice(0, 10));
    return { shown, etag: headers.get("etag") };
  };
  const today = await days();
  assert.deepEqual(today.shown, ["2018-11-01", "2018-11-02"]);
  const tomorrow = await startApi({ beside: api, clockOffsetMs: NOW + 86_400_000 - Date.now() });
  const next = await days(tomorrow);
  assert.deepEqual(next.shown, ["2018-11-02", "2018-11-03"]);
  assert.notEqual(next.etag, today.etag, "another day is another answer");
});
