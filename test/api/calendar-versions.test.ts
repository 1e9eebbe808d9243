import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addLocation } from "../support/records.ts";

/** How often everything was read in a transaction, and how often a few schedules by themselves. */
let wholeReads = 0;
let scheduleReads = 0;
const api = await startApi({
  disturb: (db) => ({
    query: (statement, values) => {
      if (statement.name === "read_schedules") scheduleReads++;
      return db.query(statement, values);
    },
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
    snapshot: (work) => {
      wholeReads++;
      return db.snapshot(work);
    },
    transaction: (work) => {
      wholeReads++;
      return db.transaction(work);
    },
  }),
});

const timezone = "America/Sao_Paulo";
const WEEK = "from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z";

const book = pooled(
  "test_book",
  `insert into sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id, start, start_at,
     duration_minutes, capacity, booked_count, status)
   values ($1, $2, $3, $4, $5, $6, $4, $7, 60, 10, 1, 'scheduled')`,
);
const sell = pooled(
  "test_move_contracts",
  `update organization_counters set catalog_version = catalog_version + 1, contracts_version = contracts_version + 1
   where organization_id = $1 and slot = 9`,
);

test("a booking is seen at once and leaves the compiled schedules as they are; a sale leaves the calendar as it is", async () => {
  const studio = await api.newOrganization({ timezone });
  const locationId = await addLocation(api.db, studio.id, { timezone });
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const place = { serviceTypeId, locationId, timezone };
  const daily = { ...place, start: "2026-11-16T07:00", rrule: "FREQ=DAILY" };
  const scheduleId = await addSchedule(api.db, studio.id, daily);
  const look = async () => {
    const { body, headers } = await studio.get(`/v1/calendar?${WEEK}`);
    const booked = body.data.filter(({ bookedCount }: { bookedCount: number }) => bookedCount > 0).length;
    return { booked, total: body.total, etag: headers.get("etag") };
  };
  const first = await look();
  assert.deepEqual([first.booked, first.total], [0, 7]);
  assert.deepEqual([scheduleReads, wholeReads], [1, 0]);
  for (const day of ["16", "17", "18"]) {
    const start = `2026-11-${day}T07:00`;
    await api.db.query(book, [
      studio.id,
      newId(),
      scheduleId,
      start,
      serviceTypeId,
      locationId,
      `2026-11-${day}T10:00Z`,
    ]);
    const seen = await look();
    assert.deepEqual([seen.booked, seen.total], [Number(day) - 15, 7]);
    assert.notEqual(seen.etag, first.etag);
  }
  const booked = await look();
  await api.db.query(sell, [studio.id]);
  assert.deepEqual(await look(), booked);
  assert.equal(scheduleReads, 1, "the schedules were read again");
  // A schedule more is another catalog.
  await addSchedule(api.db, studio.id, { ...place, start: "2026-11-16T19:00" });
  assert.equal((await look()).total, 8);
  assert.deepEqual([scheduleReads, wholeReads], [2, 0]);
});

test("schedules that are many, or leave out many dates, are read in a transaction once and compiled as well", async () => {
  for (const [schedules, dates] of [
    [201, 0],
    [2, 501],
    [2, 500],
    [200, 5],
  ] as const) {
    const studio = await api.newOrganization({ timezone });
    const locationId = await addLocation(api.db, studio.id, { timezone });
    const serviceTypeId = await addServiceType(api.db, studio.id);
    // The Mondays that come first are left out, of the others all but those of the week.
    const exdates = Array.from({ length: dates }, (_, week) =>
      new Date(Date.UTC(2026, 10, 16 + 7 * (week + (week === 0 ? 0 : 1)), 7)).toISOString().slice(0, 16),
    );
    for (let n = 0; n < schedules; n++)
      await addSchedule(api.db, studio.id, {
        ...{ serviceTypeId, locationId, timezone, start: "2026-11-16T07:00", rrule: "FREQ=WEEKLY", exdates },
      });
    const before = wholeReads;
    const isFew = schedules <= 200 && schedules * dates <= 1_000;
    for (const [week, count] of [
      [WEEK, dates > 0 ? 0 : schedules],
      ["from=2026-11-23T00:00:00Z&to=2026-11-30T00:00:00Z", schedules],
    ] as const) {
      assert.equal((await studio.get(`/v1/calendar?${week}`)).body.total, count);
      assert.equal(wholeReads, before + (isFew ? 0 : 1));
    }
  }
});
