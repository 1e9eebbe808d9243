import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { type BookingStudio, newBookingStudio } from "../support/booking-studio.ts";
import { addLocation, addServiceType } from "../support/records.ts";
import { newStaff, type TestStaff } from "../support/staff.ts";

/** What owners ask for at the end of a month: who came and went, who was there, and who taught. */

const first = await startApi();
/** A Monday, nine in the morning in São Paulo. */
const NOW = "2026-11-16T12:00:00.000Z";
const TODAY = NOW.slice(0, 10);
const api = await startApi({ beside: first, clockOffsetMs: Date.parse(NOW) - Date.now() });

async function read(staff: TestStaff, path: string) {
  const { status, body } = await staff.read(`overview/${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The lines of the file. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
async function readLines(staff: TestStaff, path: string): Promise<any[]> {
  const accept = "application/x-ndjson";
  const { status, text, headers } = await staff.read(`overview/${path}`, { headers: { accept } });
  assert.equal(status, 200, text);
  const lines = text.split("\n").filter(Boolean);
  assert.equal(headers.get("x-total-count"), String(lines.length));
  return lines.map((line) => JSON.parse(line));
}

async function readCsv(staff: TestStaff, path: string): Promise<string[]> {
  const { status, text } = await staff.read(`overview/${path}`, { headers: { accept: "text/csv" } });
  assert.equal(status, 200, text);
  return text.trim().split("\r\n");
}

interface TestTerm {
  readonly first: string;
  readonly last?: string;
  readonly status?: "active" | "paused" | "cancelled" | "expired";
  readonly cancelledAt?: string;
}

const CLIENTS: readonly (readonly TestTerm[])[] = [
  // Without end; ended in August; from September on.
  [{ first: "2026-01-15" }],
  [{ first: "2026-02-01", last: "2026-08-31", status: "expired" }],
  [{ first: "2026-09-01", last: "2027-08-31" }],
  // One after the other, two at once, and one within another: one membership.
  [
    { first: "2026-01-01", last: "2026-07-10", status: "expired" },
    { first: "2026-07-11", last: "2026-10-31", status: "expired" },
    { first: "2026-06-01", last: "2026-09-15", status: "expired" },
  ],
  // A month between two contracts, and a day.
  [
    { first: "2026-05-01", last: "2026-07-20", status: "expired" },
    { first: "2026-08-25", last: "2026-12-31" },
  ],
  [
    { first: "2025-05-01", last: "2026-07-20", status: "expired" },
    { first: "2026-07-22", last: "2026-08-21", status: "expired" },
  ],
  // Paused is not lost.
  [{ first: "2026-03-01", status: "paused" }],
  // Imported as cancelled, before the agreed end and without one; expired nobody knows when.
  [{ first: "2026-05-01", last: "2027-04-30", status: "cancelled", cancelledAt: "2026-08-20T15:00:00.000Z" }],
  [{ first: "2026-05-01", status: "cancelled", cancelledAt: "2026-10-02T15:00:00.000Z" }],
  [{ first: "2026-05-01", status: "expired" }],
  // Over today, and to begin: neither has happened.
  [{ first: "2026-05-01", last: TODAY }],
  [{ first: "2026-12-01" }],
];

/** The same, asked day by day. */
function isMember(terms: readonly TestTerm[], day: string): boolean {
  return terms.some(({ first: begins, last = "9999", status, cancelledAt }) => {
    const cancelled = status === "cancelled" ? (cancelledAt?.slice(0, 10) ?? "") : "9999";
    const known = status === "expired" && last === "9999" ? "" : last;
    return begins <= day && day <= (known < cancelled ? known : cancelled);
  });
}

function changesOf(terms: readonly TestTerm[], from: string, until: string): string[] {
  const found: string[] = [];
  for (let day = from; day <= until && day <= TODAY; day = daysAfter(day, 1)) {
    if (!isMember(terms, day)) continue;
    if (!isMember(terms, daysAfter(day, -1))) found.push(`${day} gained`);
    if (!isMember(terms, daysAfter(day, 1)) && day < TODAY) found.push(`${day} lost`);
  }
  return found;
}

test("members are gained and lost on the days on which they are when asked day by day, with the reasons", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const expected: string[] = [];
  const [from, until] = ["2026-02-01", "2026-12-31"];
  for (const terms of CLIENTS) {
    const clientId = await studio.newClient();
    for (const { first: startDate, last, status = "active", cancelledAt } of terms)
      await studio.newContract(
        clientId,
        {},
        { startDate, status, ...(last && { endDate: last }), ...(cancelledAt && { cancelledAt }) },
      );
    expected.push(...changesOf(terms, from, until).map((change) => `${change} ${clientId}`));
  }
  const lines = await readLines(owner, `member-changes?from=${from}&until=${until}`);
  assert.deepEqual(
    lines.map(({ day, type, clientId }) => `${day} ${type} ${clientId}`).sort(),
    expected.sort(),
  );
  const returned = lines.filter(({ isReturn }) => isReturn).map(({ day, type }) => [day, type]);
  assert.deepEqual(returned, [
    ["2026-07-22", "gained"],
    ["2026-08-25", "gained"],
  ]);
  const { data, total, reasons } = await read(owner, `member-changes?from=${from}&until=${until}`);
  assert.equal(total, 11);
  assert.deepEqual(
    data.map(({ month }: { month: string }) => month),
    Array.from({ length: 11 }, (_, place) => `2026-${String(place + 2).padStart(2, "0")}`),
  );
  for (const { month, ...counts } of data) {
    const here = lines.filter(({ day }) => day.startsWith(month));
    const count = (member: string, value: unknown) => here.filter((line) => line[member] === value).length;
    assert.deepEqual(counts, {
      gained: count("type", "gained"),
      returned: count("isReturn", true),
      cancelled: count("cause", "cancelled"),
      expired: count("cause", "expired"),
    });
  }
  assert.deepEqual(reasons, [
    { cause: "expired", members: 5 },
    { cause: "cancelled", members: 2 },
  ]);
});

test("why somebody left is what was written when the contract was cancelled, and who never began never left", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const cancelled = async (startDate: string, reason: string) => {
    const clientId = await studio.newClient();
    const contractId = await studio.newContract(clientId, {}, { startDate });
    await studio.cancelContract({ contractId, now: true, reason }, "2026-11-10T12:00:00Z");
    return { clientId, contractId };
  };
  const reasons = ["Moves to Porto", "Too expensive", "Moves to Porto"];
  for (const reason of reasons) await cancelled("2026-03-01", reason);
  const early = await cancelled("2026-11-12", "Changed their mind");
  const report = await read(owner, "member-changes?from=2026-11-01&until=2026-11-30");
  assert.deepEqual(report.reasons, [
    { cause: "cancelled", reason: "Moves to Porto", members: 2 },
    { cause: "cancelled", reason: "Too expensive", members: 1 },
  ]);
  const lines = await readLines(owner, "member-changes?from=2026-11-01&until=2026-11-30");
  assert.equal(lines.length, 3);
  assert.ok(!lines.some(({ clientId }) => clientId === early.clientId));
  const csv = await readCsv(owner, "member-changes?from=2026-11-01&until=2026-11-30");
  assert.equal(csv[0], "day,type,clientId,clientName,contractId,planName,isReturn,cause,reason");
  assert.match(csv[1] ?? "", /^2026-11-10,lost,[^,]+,Ana,[^,]+,[^,]+,false,cancelled,/);
});

const insertResource = pooled(
  "test_insert_resource",
  `insert into resources (organization_id, id, name, kind, status) values ($1, $2, $3, $4, 'active')`,
);
const insertVisit = pooled(
  "test_insert_visit",
  `insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at,
     checked_in_at, ended_at)
   select $1, gen_random_uuid(), $2, $3, $4, $5, 'test', now(), case when $5 = 'attended' then now() end,
     case when $5 like '%cancelled' then now() end`,
);

/** A studio with two teachers, a room and two services. */
async function newTaughtStudio() {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  for (const [id, name, kind] of [
    ["carla", "Carla Dias", "person"],
    ["bruno", "Bruno Reis", "person"],
    ["sala-1", "Sala 1", "room"],
  ])
    await api.db.query(insertResource, [studio.id, id, name, kind]);
  const yogaId = await addServiceType(api.db, studio.id, { name: "Yoga" });
  return { studio, owner, yogaId };
}

async function visit(
  studio: BookingStudio,
  sessionId: string,
  day: string,
  ...states: string[]
): Promise<void> {
  for (const state of states)
    await api.db.query(insertVisit, [studio.id, sessionId, await studio.newClient(), day, state]);
}

test("visits are added up by service, by hour and by teacher, at one place or all", async () => {
  const { studio, owner, yogaId } = await newTaughtStudio();
  const elsewhere = await addLocation(api.db, studio.id, { name: "Praia", timezone: "America/Manaus" });
  const monday = await studio.session("2026-11-09T07:30", { resourceIds: ["carla", "sala-1"] });
  await visit(studio, monday, "2026-11-09", "attended", "attended", "no_show", "cancelled");
  const open = await studio.session("2026-11-10T07:00", { resourceIds: ["carla", "bruno"] });
  await visit(studio, open, "2026-11-10", "attended", "booked", "late_cancelled");
  // In Manaus, and so long ago that its record is closed.
  const closed = await studio.session("2026-11-02T18:00", {
    ...{ serviceTypeId: yogaId, locationId: elsewhere, timezone: "America/Manaus", resourceIds: ["sala-1"] },
  });
  await visit(studio, closed, "2026-11-02", "booked");
  await visit(studio, await studio.session("2026-10-31T07:00"), "2026-10-31", "attended");
  const sums = (
    sessions: number,
    attended: number,
    noShows: number,
    lateCancelled: number,
    unmarked: number,
  ) => ({
    ...{ sessions, attended, noShows, lateCancelled, unmarked },
  });
  const { serviceTypeId } = studio.place;
  const days = "from=2026-11-01&until=2026-11-30";
  const shown = async (query: string) => (await read(owner, `visits?${days}&${query}`)).data;
  assert.deepEqual(await shown("by=service"), [
    { serviceTypeId, name: "Pilates", ...sums(2, 3, 1, 1, 1) },
    { serviceTypeId: yogaId, name: "Yoga", ...sums(1, 0, 1, 0, 0) },
  ]);
  assert.deepEqual(await shown("by=hour"), [
    { weekday: 1, hour: 7, ...sums(1, 2, 1, 0, 0) },
    { weekday: 1, hour: 18, ...sums(1, 0, 1, 0, 0) },
    { weekday: 2, hour: 7, ...sums(1, 1, 0, 1, 1) },
  ]);
  const teachers = [
    { resourceId: "bruno", name: "Bruno Reis", ...sums(1, 1, 0, 1, 1) },
    { resourceId: "carla", name: "Carla Dias", ...sums(2, 3, 1, 1, 1) },
    sums(1, 0, 1, 0, 0),
  ];
  assert.deepEqual(await shown("by=teacher"), teachers);
  assert.deepEqual(await shown(`by=teacher&locationId=${elsewhere}`), teachers.slice(2));
  assert.deepEqual(await readLines(owner, `visits?${days}&by=teacher`), teachers);
  assert.deepEqual(await readCsv(owner, `visits?${days}&by=hour&locationId=${elsewhere}`), [
    "weekday,hour,sessions,attended,noShows,lateCancelled,unmarked",
    "1,18,1,0,1,0,0",
  ]);
});

test("classes are given by those who are named for them when they have begun, whether or not somebody came", async () => {
  const { studio, owner } = await newTaughtStudio();
  // Mondays at 08:00: the 2nd, the 9th, and the 16th, an hour ago. On the 9th somebody came.
  const scheduleId = await studio.schedule({
    ...{ start: "2026-11-02T08:00", rrule: "FREQ=WEEKLY", capacity: 8, resourceIds: ["carla", "sala-1"] },
    durationMinutes: 50,
  });
  const came = await studio.session("2026-11-09T08:00", {
    ...{ scheduleId, originalStart: "2026-11-09T08:00", resourceIds: ["carla", "sala-1"], bookedCount: 3 },
  });
  await visit(studio, came, "2026-11-09", "attended", "attended", "no_show");
  await studio.session("2026-11-10T10:00", { resourceIds: ["carla", "bruno"], bookedCount: 1 });
  // Nobody was named; cancelled; later today; and in the month before.
  await studio.session("2026-11-11T10:00", { resourceIds: ["sala-1"] });
  await studio.session("2026-11-12T10:00", { resourceIds: ["carla"], status: "cancelled", bookedCount: 0 });
  await studio.session("2026-11-16T18:00", { resourceIds: ["carla"] });
  await studio.session("2026-10-31T23:30", { resourceIds: ["carla"] });
  const days = "from=2026-11-01&until=2026-11-30";
  const { data } = await read(owner, `classes?${days}`);
  assert.deepEqual(data, [
    {
      resourceId: "bruno",
      name: "Bruno Reis",
      classes: 1,
      withoutVisit: 1,
      minutes: 60,
      booked: 1,
      attended: 0,
    },
    {
      resourceId: "carla",
      name: "Carla Dias",
      classes: 4,
      withoutVisit: 3,
      minutes: 220,
      booked: 4,
      attended: 2,
    },
    { classes: 1, withoutVisit: 1, minutes: 60, booked: 0, attended: 0 },
  ]);
  const lines = await readLines(owner, `classes?${days}&resourceId=carla`);
  assert.deepEqual(
    lines.map(({ localStart, name, minutes, booked, attended }) => [
      localStart,
      name,
      minutes,
      booked,
      attended,
    ]),
    [
      ["2026-11-02 08:00", "Carla Dias", 50, 0, 0],
      ["2026-11-09 08:00", "Carla Dias", 60, 3, 2],
      ["2026-11-10 10:00", "Carla Dias", 60, 1, 0],
      ["2026-11-16 08:00", "Carla Dias", 50, 0, 0],
    ],
  );
  const csv = await readCsv(
    owner,
    `classes?from=2026-11-09&until=2026-11-09&locationId=${studio.place.locationId}`,
  );
  assert.deepEqual(csv, [
    "day,localStart,minutes,resourceId,name,serviceTypeName,locationName,capacity,booked,attended,sessionId",
    `2026-11-09,2026-11-09 08:00,60,carla,Carla Dias,Pilates,${lines[1].locationName},10,3,2,${came}`,
  ]);
  assert.deepEqual((await read(owner, "classes?from=2027-03-01&until=2027-03-31")).data, []);
});

test("days in the wrong order or too far apart are refused, and nothing of others is read", async () => {
  const { studio, owner } = await newTaughtStudio();
  const stranger = await newStaff(api, (await newBookingStudio(api)).id);
  const sessionId = await studio.session("2026-11-09T07:30", { resourceIds: ["carla"] });
  await visit(studio, sessionId, "2026-11-09", "attended");
  await studio.newContract(await studio.newClient(), {}, { startDate: "2026-11-02" });
  for (const path of ["member-changes?", "visits?by=teacher&", "classes?"]) {
    const days = "from=2026-11-01&until=2026-11-15";
    assert.notDeepEqual(await readLines(owner, path + days), []);
    assert.deepEqual(await readLines(stranger, path + days), []);
    for (const [from, until, code] of [
      ["2026-11-15", "2026-11-01", "window_reversed"],
      ["2020-01-01", "2026-11-15", "window_too_long"],
    ]) {
      const { status, body } = await owner.read(`overview/${path}from=${from}&until=${until}`);
      assert.deepEqual([status, body.errors[0].code], [422, code], path);
    }
  }
  const { status } = await owner.read("overview/classes?from=2026-01-01&until=2026-06-30");
  assert.equal(status, 422, "a quarter at most");
  assert.equal((await owner.read("overview/visits?from=2026-01-01&until=2026-06-30")).status, 422);
});

test("the front desk reads the reports, and teachers do not", async () => {
  const studio = await newBookingStudio(api);
  for (const [role, expected] of [
    ["front_desk", 200],
    ["manager", 200],
    ["teacher", 403],
  ] as const) {
    const person = await newStaff(api, studio.id, { role });
    for (const path of ["member-changes?", "visits?by=hour&", "classes?"])
      for (const accept of ["application/json", "text/csv"]) {
        const address = `overview/${path}from=2026-11-01&until=2026-11-15`;
        const { status } = await person.read(address, { headers: { accept } });
        assert.equal(status, expected, `${role} ${path} ${accept}`);
      }
  }
});
