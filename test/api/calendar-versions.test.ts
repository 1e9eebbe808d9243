import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addLocation } from "../support/records.ts";

/** How often everything was read: a calendar whose schedules are compiled needs no transaction. */
let wholeReads = 0;
const api = await startApi({
  disturb: (db) => ({
    query: (statement, values) => db.query(statement, values),
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
  const compiled = wholeReads;
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
  assert.equal(wholeReads, compiled, "the schedules were read again");
  // A schedule more is another catalog.
  await addSchedule(api.db, studio.id, { ...place, start: "2026-11-16T19:00" });
  assert.equal((await look()).total, 8);
  assert.equal(wholeReads, compiled + 1);
});
