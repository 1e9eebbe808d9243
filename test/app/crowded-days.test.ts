import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType } from "../support/calendar.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const range = (end: number) => Array.from({ length: end }, (_, value) => value).join();
const EACH_MINUTE = `FREQ=DAILY;BYHOUR=${range(24)};BYMINUTE=${range(60)}`;

async function newStudio(timezone = "America/Sao_Paulo") {
  const studio = await api.newOrganization({ timezone });
  const locationId = await addLocation(api.db, studio.id, { timezone });
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const staff = await newStaff(api, studio.id, { role: "front_desk" });
  const schedule = (rrule: string) =>
    addSchedule(api.db, studio.id, { locationId, serviceTypeId, timezone, start: "2026-01-01T00:00", rrule });
  return { ...studio, locationId, staff, schedule };
}

for (const timezone of ["America/Sao_Paulo", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
  test(`today in ${timezone} has the sessions of its date and no others, though there is one each minute`, async () => {
    const studio = await newStudio(timezone);
    const scheduleIds = [await studio.schedule(EACH_MINUTE), await studio.schedule(EACH_MINUTE)];
    const { status, body } = await studio.staff.read("today");
    assert.equal(status, 200);
    const shown = body.sessions.map(
      ({ session }: { session: { scheduleId: string; originalStart: string } }) =>
        `${session.originalStart} ${session.scheduleId}`,
    );
    const minutes = Array.from({ length: 1440 }, (_, minute) =>
      new Date(Date.parse(body.date) + minute * 60_000).toISOString().slice(0, 16),
    );
    assert.deepEqual(
      shown,
      minutes.flatMap((minute) => scheduleIds.map((id) => `${minute} ${id}`)),
    );
  });
}

test("a day with more sessions than anybody can look at is refused, and the quiet locations of that day are shown", async () => {
  const studio = await newStudio();
  for (let count = 0; count < 20; count++) await studio.schedule(EACH_MINUTE);
  const quiet = await addLocation(api.db, studio.id);
  const { status, body } = await studio.staff.read("today");
  assert.deepEqual(
    [status, body.errors[0].code, body.errors[0].location],
    [422, "day_too_full", "query.locationId"],
  );
  const other = await studio.staff.read(`today?locationId=${quiet}`);
  assert.deepEqual([other.status, other.body.sessions], [200, []]);
});

test("more sessions than can be added up are refused, and a day of them is added up", async () => {
  const studio = await newStudio();
  for (let count = 0; count < 10; count++) await studio.schedule(EACH_MINUTE);
  const use = (days: number) => {
    const to = new Date(Date.UTC(2026, 5, 1 + days)).toISOString();
    return studio.staff.read(`overview/timetable?from=2026-06-01T00:00:00.000Z&to=${to}`);
  };
  const { status, body } = await use(8);
  assert.deepEqual([status, body.errors[0].code], [422, "timetable_too_full"]);
  const day = await use(1);
  const sessions = day.body.data.reduce((sum: number, hour: { sessions: number }) => sum + hour.sessions, 0);
  assert.deepEqual([day.status, sessions], [200, 14_400]);
});

test("a preview of a rule whose COUNT lies thousands of years ahead is refused, and says why", async () => {
  const studio = await newStudio();
  const positions = Array.from({ length: 230 }, (_, place) => `${place + 1},-${place + 1}`).join();
  for (const rrule of [
    `FREQ=DAILY;COUNT=999999999;BYHOUR=7;BYSETPOS=${positions}`,
    "FREQ=DAILY;COUNT=999999999;BYDAY=MO",
  ]) {
    const query = new URLSearchParams({ start: "2026-01-05T07:00", rrule, limit: "10" });
    const { status, body } = await studio.staff.read(`slots?${query}`);
    assert.deepEqual(
      [status, body.errors],
      [
        422,
        [
          {
            location: "query.rrule",
            code: "rule_count_too_far",
            message:
              "COUNT is reached too far in the future to be counted. Use a smaller COUNT, UNTIL, or neither.",
          },
        ],
      ],
    );
  }
});
