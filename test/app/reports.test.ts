import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { addContract, addLocation, addPlan } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const today = dateIn(ZONE, Date.now());
const CSV = { headers: { accept: "text/csv" } };

type Row = Readonly<Record<string, unknown>>;

test("visits and attendance are of the days of their sessions, both included, as pages and as files", async () => {
  const studio = await newBookingStudio(api);
  const staff = await newStaff(api, studio.id);
  const done = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const [ana, bia] = [await studio.member("Ana"), await studio.newClient("Bia, a guest")];
  const days = [-12, -2, -1];
  const sessions: string[] = [];
  for (const ago of days)
    sessions.push(await studio.session(`${daysAfter(today, ago)}T07:00`, { capacity: 4 }));
  const [closed = "", marked = "", open = ""] = sessions;
  const book = (sessionId: string, clientId: string, more: object = {}) =>
    done("book", { clientId, session: { sessionId }, ...more });
  // One that nobody marked, whose record is closed by now: it was booked when it was open.
  await studio.book(
    { clientId: ana, session: { sessionId: closed } },
    `${daysAfter(today, -13)}T12:00:00.000Z`,
  );
  const came = await book(marked, ana);
  await done("setAttendance", { bookingId: came.id, state: "attended" });
  await book(marked, bia, { uncovered: { reason: "A guest, of Ana" } });
  await book(open, ana);
  const span = `from=${daysAfter(today, -12)}&until=${daysAfter(today, -2)}`;
  const visits = (await staff.read(`reports/visits?${span}`)).body;
  assert.deepEqual(
    visits.data
      .map(({ day, clientName, state, uncoveredReason }: Row) =>
        [day, clientName, state, uncoveredReason].filter(Boolean).join(" "),
      )
      .sort(),
    [
      `${daysAfter(today, -12)} Ana no_show`,
      `${daysAfter(today, -2)} Ana attended`,
      `${daysAfter(today, -2)} Bia, a guest booked A guest, of Ana`,
    ],
  );
  const attendance = (await staff.read(`reports/attendance?${span}`)).body;
  assert.deepEqual(
    attendance.data
      .map(({ day, bookedCount, attended, noShows, unmarked, capacity }: Row) =>
        [day, bookedCount, capacity, attended, noShows, unmarked].join(" "),
      )
      .sort(),
    [`${daysAfter(today, -12)} 1 4 0 1 0`, `${daysAfter(today, -2)} 2 4 1 0 1`],
  );
  const file = await staff.read(`reports/visits?${span}&csv=excel`, CSV);
  assert.equal(file.status, 200, file.text);
  assert.match(file.headers.get("content-disposition") ?? "", /filename="visits-/);
  const [head = "", ...lines] = file.text.trim().split(/\r?\n/);
  assert.match(head, /day;localStart;serviceTypeName/);
  assert.deepEqual([lines.length, lines.filter((line) => line.includes("Bia, a guest")).length], [3, 1]);
  const elsewhere = await addLocation(api.db, studio.id);
  assert.equal((await staff.read(`reports/visits?${span}&locationId=${elsewhere}`)).body.total, 0);
  const here = studio.place.locationId;
  assert.equal((await staff.read(`reports/attendance?${span}&locationId=${here}`)).body.total, 2);
  const { data } = (await staff.read("audit?action=list.download")).body;
  assert.deepEqual(
    data.map(({ subjectId, details }: { subjectId: string; details: Row }) => [subjectId, details.rows]),
    [["visits", 3]],
  );
});

test("sales are of the days on which they were made on the organization's clock, with who sold", async () => {
  const studio = await newBookingStudio(api, "Pacific/Auckland", "Pacific/Auckland");
  const staff = await newStaff(api, studio.id, { name: "Carla" });
  const clientId = await studio.newClient("Ana");
  const planId = await addPlan(api.db, studio.id, {
    name: "Monthly",
    durationCount: 1,
    durationUnit: "month",
    entitlements: [{ type: "access" }],
  });
  await staff.write("sellContract", { clientId, planId });
  await addContract(api.db, studio.id, { clientId, planName: "Brought in" });
  const there = dateIn("Pacific/Auckland", Date.now());
  const of = async (from: string, to: string) =>
    (await staff.read(`reports/sales?from=${from}&until=${to}`)).body.data.map(
      ({ planName, soldBy, clientName }: Row) => `${planName} ${soldBy} ${clientName}`,
    );
  assert.deepEqual(await of(daysAfter(there, -1), daysAfter(there, 1)), ["Monthly Carla Ana"]);
  assert.deepEqual(await of(daysAfter(there, -9), daysAfter(there, -2)), []);
  assert.deepEqual((await of("2025-01-01", daysAfter(there, 1))).sort(), [
    "Brought in undefined Ana",
    "Monthly Carla Ana",
  ]);
  const file = await staff.read(
    `reports/sales?from=${daysAfter(there, -1)}&until=${daysAfter(there, 1)}`,
    CSV,
  );
  assert.match(file.text, /^id,soldAt,clientId,clientName,planId,planName,priceCents/);
});

test("a report asks for both days in their order, pages like every list, and is nobody else's", async () => {
  const studio = await newBookingStudio(api);
  const staff = await newStaff(api, studio.id);
  const teacher = await newStaff(api, studio.id, { role: "teacher" });
  for (const name of ["visits", "sales", "attendance"]) {
    const fault = async (query: string) => (await staff.read(`reports/${name}?${query}`)).body.errors[0].code;
    assert.equal(await fault("from=2026-01-01"), "required", name);
    assert.equal(await fault("from=2026-01-02&until=2026-01-01"), "window_reversed", name);
    assert.equal(
      (await teacher.read(`reports/${name}?from=2026-01-01&until=2026-01-02`)).body.reason,
      "not_allowed",
    );
  }
  const clientId = await studio.member("Ana");
  for (const hour of ["07", "08", "09"]) {
    const sessionId = await studio.session(`${daysAfter(today, 1)}T${hour}:00`);
    await staff.write("book", { clientId, session: { sessionId } });
  }
  const span = `from=${today}&until=${daysAfter(today, 2)}&limit=2`;
  const first = (await staff.read(`reports/visits?${span}`)).body;
  const second = (await staff.read(`reports/visits?${span}&cursor=${first.nextCursor}`)).body;
  assert.deepEqual(
    [first.total, first.data.length, second.data.length, second.nextCursor],
    [3, 2, 1, undefined],
  );
});
