import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { KeyUsage } from "../../src/domain/keys/key-usage.ts";
import { openApi, startApi } from "../support/api.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import { newStaff, type TestStaff } from "../support/staff.ts";

const first = await startApi();
/** A Monday, nine in the morning in São Paulo. */
const NOW = "2026-11-16T12:00:00.000Z";
const api = await startApi({ beside: first, clockOffsetMs: Date.parse(NOW) - Date.now() });

async function read(staff: TestStaff, path: string) {
  const { status, body } = await staff.read(`overview/${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const insertPause = pooled(
  "test_insert_pause",
  `insert into contract_pauses (organization_id, id, contract_id, first_day, last_day, extends_term)
   values ($1, gen_random_uuid(), $2, $3, $4, false)`,
);

/** Contracts of a client: first day, last day, and more if it is not just running. */
interface TestTerm {
  readonly first: string;
  readonly last?: string;
  readonly status?: "active" | "cancelled" | "expired";
  readonly cancelledAt?: string;
  readonly pauses?: readonly (readonly [string, string | undefined])[];
}

const CLIENTS: readonly (readonly TestTerm[])[] = [
  // Without end; ended in August; from September on.
  [{ first: "2026-01-15" }],
  [{ first: "2026-02-01", last: "2026-08-31", status: "expired" }],
  [{ first: "2026-09-01", last: "2027-08-31" }],
  // One after the other, and two at once: one client.
  [
    { first: "2026-01-01", last: "2026-07-10", status: "expired" },
    { first: "2026-07-11", last: "2026-12-31" },
    { first: "2026-06-01", last: "2026-09-15", status: "expired" },
  ],
  // A month between two contracts.
  [
    { first: "2026-05-01", last: "2026-07-20", status: "expired" },
    { first: "2026-08-25", last: "2026-12-31" },
  ],
  // Paused at the end of July, and from October on without end.
  [
    {
      first: "2026-05-01",
      pauses: [
        ["2026-07-20", "2026-08-10"],
        ["2026-10-05", undefined],
      ],
    },
  ],
  // Paused over all of its days; imported as cancelled, before its agreed end and without one; expired nobody knows when.
  [{ first: "2026-07-01", last: "2026-08-31", status: "expired", pauses: [["2026-07-01", "2026-08-31"]] }],
  [{ first: "2026-05-01", last: "2027-04-30", status: "cancelled", cancelledAt: "2026-08-20T15:00:00.000Z" }],
  [{ first: "2026-05-01", status: "cancelled", cancelledAt: "2026-10-02T15:00:00.000Z" }],
  [{ first: "2026-05-01", status: "expired" }],
  // To begin.
  [{ first: "2026-12-01" }],
];

/** The same, asked day by day. */
function isMember(terms: readonly TestTerm[], day: string): boolean {
  return terms.some(({ first: begins, last = "9999", status, cancelledAt, pauses = [] }) => {
    const cancelled = status === "cancelled" ? (cancelledAt?.slice(0, 10) ?? "") : "9999";
    const known = status === "expired" && last === "9999" ? "" : last;
    const ends = known < cancelled ? known : cancelled;
    const isPaused = pauses.some(([from, to = "9999"]) => from <= day && day <= to);
    return begins <= day && day <= ends && !isPaused;
  });
}

test("members are counted once each at the end of every month, without those who are paused", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  for (const terms of CLIENTS) {
    const clientId = await studio.newClient();
    for (const { first: startDate, last, status = "active", cancelledAt, pauses = [] } of terms) {
      const contractId = await studio.newContract(
        clientId,
        {},
        { startDate, status, ...(last && { endDate: last }), ...(cancelledAt && { cancelledAt }) },
      );
      for (const [from, to] of pauses)
        await api.db.query(insertPause, [studio.id, contractId, from, to ?? null]);
    }
  }
  const months = await read(owner, "members?from=2026-01-01&until=2026-11-16");
  assert.equal(months.length, 11);
  for (const { day, members } of months)
    assert.equal(members, CLIENTS.filter((terms) => isMember(terms, day)).length, day);
  const august = months[7];
  assert.deepEqual(august, {
    month: "2026-08",
    day: "2026-08-31",
    members: august.members,
    began: 1,
    ended: 3,
  });
  assert.deepEqual([months[10].day, months[10].began, months[10].ended], ["2026-11-16", 0, 0]);
  // A kept answer is not used after a contract was written.
  const clientId = await studio.newClient();
  const { body: plan } = await owner.write("addPlan", {
    name: "All",
    billingKind: "one_time",
    priceCents: 0,
    entitlements: [{ type: "access" }],
  });
  for (let n = 0; n < 2; n++) await read(owner, "members?from=2026-11-01&until=2026-11-16");
  await owner.write("sellContract", { clientId, planId: plan.result.id });
  const [now] = await read(owner, "members?from=2026-11-01&until=2026-11-16");
  assert.deepEqual([now.members, now.began], [months[10].members + 1, 1]);
});

test("attendance is added up by weeks of the organization, and a closed record reads as not come", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const insert = pooled(
    "test_insert_visits",
    `insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at,
       checked_in_at, ended_at)
     select $1, gen_random_uuid(), $2, $3, $4, $5, 'test', now(), case when $5 = 'attended' then now() end,
       case when $5 like '%cancelled' then now() end`,
  );
  const visits: readonly [day: string, state: string][] = [
    ["2026-11-01", "attended"],
    ["2026-11-02", "no_show"],
    ["2026-11-07", "booked"],
    ["2026-11-08", "booked"],
    ["2026-11-09", "booked"],
    ["2026-11-09", "late_cancelled"],
    ["2026-11-15", "attended"],
    ["2026-11-15", "cancelled"],
    ["2026-11-16", "attended"],
  ];
  for (const [day, state] of visits) {
    const sessionId = await studio.session(`${day}T07:00`);
    await api.db.query(insert, [studio.id, sessionId, await studio.newClient(), day, state]);
  }
  const week = (
    firstDay: string,
    attended: number,
    noShows: number,
    lateCancelled: number,
    unmarked: number,
  ) => ({
    firstDay,
    attended,
    noShows,
    lateCancelled,
    unmarked,
  });
  assert.deepEqual(await read(owner, "attendance?from=2026-11-01&until=2026-11-15"), [
    week("2026-10-26", 1, 0, 0, 0),
    week("2026-11-02", 0, 3, 0, 0),
    week("2026-11-09", 1, 0, 1, 1),
  ]);
  await owner.write("editSettings", { changes: { weekStart: "sunday" } });
  assert.deepEqual(await read(owner, "attendance?from=2026-11-08&until=2026-11-16"), [
    week("2026-11-08", 0, 1, 1, 1),
    week("2026-11-15", 2, 0, 0, 0),
  ]);
});

test("the timetable counts stored sessions with their seats and slots that nobody has booked", async () => {
  const studio = await newBookingStudio(api);
  const owner = await newStaff(api, studio.id);
  const scheduleId = await studio.schedule({ start: "2026-11-02T07:00", rrule: "FREQ=DAILY", capacity: 8 });
  await studio.book({
    clientId: await studio.member(),
    session: { scheduleId, originalStart: "2026-11-17T07:00" },
  });
  await studio.session("2026-11-10T07:30", { bookedCount: 4 });
  const window = "from=2026-11-09T00:00:00-03:00&to=2026-11-18T00:00:00-03:00";
  const hours = await read(owner, `timetable?${window}`);
  assert.deepEqual(hours.slice(0, 3), [
    { weekday: 1, hour: 7, sessions: 2, capacity: 16, booked: 0 },
    { weekday: 2, hour: 7, sessions: 3, capacity: 26, booked: 5 },
    { weekday: 3, hour: 7, sessions: 1, capacity: 8, booked: 0 },
  ]);
  assert.equal(hours.length, 7);
  const none = await owner.read(`overview/timetable?${window}&locationId=${studio.id}`);
  assert.deepEqual(none.body.data, []);
});

test("requests are counted by key and day of the organization, refused ones too, and stored when a server stops", async () => {
  // 2026-11-16, a minute before midnight in São Paulo; then a minute later.
  const at = (instant: string) => ({ beside: first, clockOffsetMs: Date.parse(instant) - Date.now() });
  const studio = await first.newOrganization();
  const free = await first.newOrganization({ plan: "Free" });
  for (const [instant, requests] of [
    ["2026-11-17T02:59:00.000Z", 3],
    ["2026-11-17T03:00:30.000Z", 2],
    ["2026-11-17T03:01:00.000Z", 1],
  ] as const) {
    const node = await openApi(at(instant));
    const get = (key: string) =>
      node.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${key}` } });
    for (let n = 0; n < requests; n++) assert.equal((await get(studio.key)).status, 200);
    assert.equal((await get(free.key)).status, 402);
    await get("rb_wrong");
    await node.close();
  }
  const owner = await newStaff(first, studio.id);
  const days = await read(owner, "keys?from=2026-11-01&until=2026-11-30");
  assert.deepEqual(days, [
    { keyId: studio.keyId, day: "2026-11-16", requests: 3, refused: 0 },
    { keyId: studio.keyId, day: "2026-11-17", requests: 3, refused: 0 },
  ]);
  const other = await newStaff(first, free.id);
  assert.deepEqual(await read(other, "keys?from=2026-11-17&until=2026-11-17"), [
    { keyId: free.keyId, day: "2026-11-17", requests: 2, refused: 2 },
  ]);
});

test("what could not be stored is stored later, and a day that is over keeps its own count", async (t) => {
  const studio = await first.newOrganization();
  const errors: unknown[] = [];
  let isBroken = true;
  const usage = new KeyUsage(
    {
      query: async (statement, values) => {
        if (isBroken) throw new Error("no connection");
        return first.db.query(statement, values);
      },
    },
    (error) => errors.push(error),
  );
  t.after(() => usage.stop());
  const use = { keyId: studio.keyId, organizationId: studio.id, timezone: "America/Sao_Paulo" };
  usage.count({ ...use, now: Date.parse("2026-11-17T02:59:59.999Z") }, 2, 1);
  await usage.store();
  assert.equal(errors.length, 1);
  usage.count({ ...use, now: Date.parse("2026-11-17T02:59:59.999Z") }, 1, 0);
  usage.count({ ...use, now: Date.parse("2026-11-17T03:00:00.000Z") }, 5, 0);
  isBroken = false;
  await usage.store();
  const owner = await newStaff(first, studio.id);
  assert.deepEqual(await read(owner, "keys?from=2026-11-01&until=2026-11-30"), [
    { keyId: studio.keyId, day: "2026-11-16", requests: 3, refused: 1 },
    { keyId: studio.keyId, day: "2026-11-17", requests: 5, refused: 0 },
  ]);
});

test("a span that is reversed or too long is refused", async () => {
  const studio = await api.newOrganization();
  const owner = await newStaff(api, studio.id);
  for (const path of [
    "members?from=2026-11-16&until=2026-11-15",
    "members?from=2020-01-01&until=2026-11-15",
    "attendance?from=2026-11-16",
    "timetable?from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z",
  ])
    assert.equal((await owner.read(`overview/${path}`)).status, 422, path);
});
