import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { get as httpGet } from "node:http";
import { test } from "node:test";
import { CALLER_TIME_LIMITS } from "../../src/api/server.ts";
import type { Database, SharedDatabase } from "../../src/db/database.ts";
import { pooled, type Statement } from "../../src/db/statements.ts";
import { CalendarReader, LONG_READ_TIMEOUT_MS } from "../../src/domain/calendar/operations.ts";
import { refreshInstants } from "../../src/domain/calendar/refresh.ts";
import { isNewerTzdata } from "../../src/domain/calendar/tzdata-work.ts";
import { tzdataVersion } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType, addSession } from "../support/calendar.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi({ isIsolated: true });
const NEW_YORK = "America/New_York";

async function newStudio(timezone = NEW_YORK) {
  const studio = await api.newOrganization({ timezone });
  const locationId = await addLocation(api.db, studio.id, { timezone });
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const place = { locationId, serviceTypeId, timezone };
  return {
    ...studio,
    ...place,
    place,
    schedule: (
      schedule: Omit<Parameters<typeof addSchedule>[2], keyof typeof place> & Partial<typeof place>,
    ) => addSchedule(api.db, studio.id, { ...place, ...schedule }),
    session: (session: Omit<Parameters<typeof addSession>[2], keyof typeof place> & Partial<typeof place>) =>
      addSession(api.db, studio.id, { ...place, ...session }),
    async calendar(from: string, to: string, more = "") {
      const query = new URLSearchParams({ from, to }).toString();
      return (await studio.get(`/v1/calendar?${query}${more}`)).body;
    },
    async starts(from: string, to: string, more = ""): Promise<string[]> {
      const query = new URLSearchParams({ from, to }).toString();
      const { body } = await studio.get(`/v1/calendar?${query}${more}`);
      assert.equal(body.total, body.data.length);
      return body.data.map((session: { startAt: string }) => session.startAt);
    },
  };
}

test("a slot that nobody touched is a session without id, with every field of its schedule", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({
    start: "2026-01-05T07:00",
    rrule: "FREQ=WEEKLY",
    durationMinutes: 45,
    capacity: 8,
    resourceIds: ["room-1"],
  });
  const { data, total } = await studio.calendar("2026-01-12T00:00:00Z", "2026-01-19T00:00:00Z");
  assert.equal(total, 1);
  assert.deepEqual(data, [
    {
      scheduleId,
      originalStart: "2026-01-12T07:00",
      serviceTypeId: studio.serviceTypeId,
      locationId: studio.locationId,
      resourceIds: ["room-1"],
      startAt: "2026-01-12T12:00:00.000Z",
      endAt: "2026-01-12T12:45:00.000Z",
      capacity: 8,
      bookedCount: 0,
      status: "scheduled",
    },
  ]);
});

test("the window includes its start and excludes its end", async () => {
  const studio = await newStudio("UTC");
  await studio.schedule({ start: "2026-01-01T10:00", rrule: "FREQ=DAILY" });
  assert.deepEqual(await studio.starts("2026-01-02T10:00:00Z", "2026-01-03T10:00:00Z"), [
    "2026-01-02T10:00:00.000Z",
  ]);
  assert.deepEqual(await studio.starts("2026-01-02T10:00:00.001Z", "2026-01-03T10:00:00.001Z"), [
    "2026-01-03T10:00:00.000Z",
  ]);
  // Finer than a millisecond: still exact.
  assert.deepEqual(await studio.starts("2026-01-02T10:00:00.0000001Z", "2026-01-03T10:00:00Z"), []);
});

test("offsets in from and to name instants, and an unencoded + is read as one", async () => {
  const studio = await newStudio("UTC");
  await studio.schedule({ start: "2026-01-01T10:00", rrule: "FREQ=DAILY" });
  const encoded = await studio.starts("2026-01-02T15:30:00+05:30", "2026-01-02T16:00:00+05:30");
  assert.deepEqual(encoded, ["2026-01-02T10:00:00.000Z"]);
  const { body } = await studio.get(
    "/v1/calendar?from=2026-01-02T15:30:00+05:30&to=2026-01-02T16:00:00+05:30",
  );
  assert.equal(body.total, 1);
});

test("a window of exactly 366 days is answered, one millisecond more is refused at query.to", async () => {
  const studio = await newStudio("UTC");
  await studio.schedule({ start: "2026-01-01T00:00", rrule: "FREQ=DAILY" });
  assert.equal((await studio.starts("2026-01-01T00:00:00Z", "2027-01-02T00:00:00Z")).length, 366);
  const reversed = { code: "window_reversed", message: "must be after from" };
  const long = {
    code: "window_too_long",
    params: { maxDays: 366 },
    message: "must be at most 366 days after from",
  };
  for (const [from, to, fault] of [
    ["2026-01-01T00:00:00Z", "2027-01-02T00:00:00.001Z", long],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", reversed],
    ["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", reversed],
  ] as const) {
    const { status, body } = await studio.get(`/v1/calendar?from=${from}&to=${to}&locationId=x`);
    assert.equal(status, 422);
    assert.deepEqual(body.errors, [
      { location: "query.locationId", code: "uuid_invalid", message: "must be a UUID" },
      { location: "query.to", ...fault },
    ]);
  }
});

test("what is no RFC 3339 date-time with an offset is refused, each end on its own", async () => {
  const studio = await newStudio("UTC");
  for (const bad of [
    "2026-01-01",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "2026-02-30T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-01-01T00:00:00%2B25:00",
    "2026-01-01T00:00:00",
    "2026-01-01%2000:00:00Z",
    "now",
    "",
  ]) {
    const { status, body } = await studio.get(`/v1/calendar?from=${bad}&to=${bad}`);
    assert.equal(status, 422, bad);
    assert.deepEqual(
      body.errors.map((e: { location: string }) => e.location),
      ["query.from", "query.to"],
      bad,
    );
  }
  const { body } = await studio.get("/v1/calendar");
  assert.deepEqual(
    body.errors.map((e: { message: string }) => e.message),
    ["is required", "is required"],
  );
});

test("a stored session takes its slot's place and shows at its current time, even moved in or out of the window", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({ start: "2026-03-02T09:00", rrule: "FREQ=DAILY;COUNT=10" });
  const within = await studio.session({
    scheduleId,
    originalStart: "2026-03-03T09:00",
    start: "2026-03-03T11:00",
  });
  const inwards = await studio.session({
    scheduleId,
    originalStart: "2026-03-11T09:00",
    start: "2026-03-04T10:00",
  });
  await studio.session({ scheduleId, originalStart: "2026-03-04T09:00", start: "2026-03-20T09:00" });
  const cancelled = await studio.session({
    scheduleId,
    originalStart: "2026-03-05T09:00",
    start: "2026-03-05T09:00",
    status: "cancelled",
  });
  const { data } = await studio.calendar("2026-03-02T05:00:00Z", "2026-03-06T05:00:00Z");
  assert.deepEqual(
    data.map(({ id, startAt, status, scheduleId: of }: Record<string, string>) => [id, startAt, status, of]),
    [
      [undefined, "2026-03-02T14:00:00.000Z", "scheduled", scheduleId],
      [within, "2026-03-03T16:00:00.000Z", "scheduled", scheduleId],
      [inwards, "2026-03-04T15:00:00.000Z", "scheduled", scheduleId],
      [cancelled, "2026-03-05T14:00:00.000Z", "cancelled", scheduleId],
    ],
  );
});

test("a one-off session has no scheduleId, and one whose slot the rule no longer produces still shows", async () => {
  const studio = await newStudio("UTC");
  const scheduleId = await studio.schedule({ start: "2026-05-04T09:00", rrule: "FREQ=WEEKLY" });
  const oneOff = await studio.session({ start: "2026-05-05T09:00" });
  const orphan = await studio.session({
    scheduleId,
    originalStart: "2026-05-06T08:00",
    start: "2026-05-06T08:00",
  });
  const { data } = await studio.calendar("2026-05-05T00:00:00Z", "2026-05-07T00:00:00Z");
  assert.deepEqual(
    data.map((s: { id: string; scheduleId?: string }) => [s.id, s.scheduleId]),
    [
      [oneOff, undefined],
      [orphan, scheduleId],
    ],
  );
});

test("filters ask what a session is now, while its slot stays suppressed everywhere", async () => {
  const studio = await newStudio("UTC");
  const elsewhere = await addLocation(api.db, studio.id, { timezone: "UTC" });
  const otherType = await addServiceType(api.db, studio.id);
  const scheduleId = await studio.schedule({ start: "2026-05-04T09:00", rrule: "FREQ=DAILY;COUNT=2" });
  const moved = await studio.session({
    scheduleId,
    originalStart: "2026-05-04T09:00",
    start: "2026-05-04T09:00",
    locationId: elsewhere,
    serviceTypeId: otherType,
  });
  const ids = async (more: string) =>
    (await studio.calendar("2026-05-04T00:00:00Z", "2026-05-06T00:00:00Z", more)).data.map(
      (s: { id?: string }) => s.id ?? "slot",
    );
  assert.deepEqual(await ids(""), [moved, "slot"]);
  assert.deepEqual(await ids(`&locationId=${studio.locationId}`), ["slot"]);
  assert.deepEqual(await ids(`&locationId=${elsewhere.toUpperCase()}`), [moved]);
  assert.deepEqual(await ids(`&serviceTypeId=${otherType}&locationId=${elsewhere}`), [moved]);
  assert.deepEqual(await ids(`&serviceTypeId=${otherType}&locationId=${studio.locationId}`), []);
  assert.deepEqual(await ids(`&locationId=${studio.id}`), []);
});

test("closed locations and archived service types produce nothing new, but what is stored still shows", async () => {
  const studio = await newStudio("UTC");
  const closed = await addLocation(api.db, studio.id, { timezone: "UTC", status: "closed" });
  const archived = await addServiceType(api.db, studio.id, "archived");
  for (const where of [{ locationId: closed }, { serviceTypeId: archived }]) {
    const scheduleId = await studio.schedule({ start: "2026-05-04T09:00", rrule: "FREQ=DAILY", ...where });
    const start = "2026-05-05T09:00";
    await studio.session({ scheduleId, originalStart: start, start, ...where });
  }
  assert.deepEqual(await studio.starts("2026-05-04T00:00:00Z", "2026-06-04T00:00:00Z"), [
    "2026-05-05T09:00:00.000Z",
    "2026-05-05T09:00:00.000Z",
  ]);
});

test("sessions are in order of start, location, service type, schedule, id, an absent one first", async () => {
  const studio = await newStudio("UTC");
  const second = await addLocation(api.db, studio.id, { timezone: "UTC" });
  const otherType = await addServiceType(api.db, studio.id);
  const start = "2026-05-04T09:00";
  const schedules: string[] = [];
  for (const locationId of [second, studio.locationId]) {
    for (const serviceTypeId of [otherType, studio.serviceTypeId]) {
      for (let i = 0; i < 2; i++) schedules.push(await studio.schedule({ start, locationId, serviceTypeId }));
      await studio.session({ start, locationId, serviceTypeId });
      await studio.session({ start, locationId, serviceTypeId });
    }
  }
  // Of one schedule on one instant: the slot that is left and a session that was moved there.
  const repeating = await studio.schedule({ start, rrule: "FREQ=DAILY;COUNT=2" });
  await studio.session({ scheduleId: repeating, originalStart: "2026-05-05T09:00", start });
  const { data } = await studio.calendar("2026-05-04T00:00:00Z", "2026-05-06T00:00:00Z");
  const keys = data.map((s: Record<string, string>) =>
    [s.startAt, s.locationId, s.serviceTypeId, s.scheduleId ?? "", s.id ?? ""].join(" "),
  );
  assert.equal(keys.length, 18);
  assert.deepEqual(keys, [...keys].sort());
});

test("two slots of one schedule on one instant are one session, the stored one if either is stored", async () => {
  const studio = await newStudio();
  // 02:30 does not exist on 8 March 2026 and is read as 03:30, which the rule produces as well.
  const rule = { start: "2026-03-07T02:30", rrule: "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30;COUNT=6" };
  const window = ["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"] as const;
  const scheduleId = await studio.schedule(rule);
  assert.deepEqual(await studio.starts(...window), ["2026-03-08T07:30:00.000Z"]);
  const id = await studio.session({
    scheduleId,
    originalStart: "2026-03-08T02:30",
    start: "2026-03-08T02:30",
  });
  const { data } = await studio.calendar(...window);
  assert.deepEqual(
    data.map((s: { id: string; startAt: string }) => [s.id, s.startAt]),
    [[id, "2026-03-08T07:30:00.000Z"]],
  );
});

test("other organizations' schedules and sessions are never seen", async () => {
  const [mine, theirs] = [await newStudio("UTC"), await newStudio("UTC")];
  await theirs.schedule({ start: "2026-05-04T09:00", rrule: "FREQ=DAILY" });
  await theirs.session({ start: "2026-05-04T10:00" });
  assert.deepEqual(await mine.starts("2026-05-04T00:00:00Z", "2026-05-08T00:00:00Z"), []);
  assert.deepEqual(
    await mine.starts("2026-05-04T00:00:00Z", "2026-05-08T00:00:00Z", `&locationId=${theirs.locationId}`),
    [],
  );
});

test("windows at the ends of time are answered", async () => {
  const studio = await newStudio("UTC");
  await studio.schedule({ start: "2026-05-04T09:00", rrule: "FREQ=YEARLY" });
  assert.deepEqual(await studio.starts("0001-01-01T00:00:00Z", "0001-12-31T00:00:00Z"), []);
  assert.deepEqual(await studio.starts("0001-01-01T00:00:00+14:00", "0001-01-02T00:00:00Z"), []);
  assert.equal((await studio.starts("9999-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z")).length, 1);
  assert.deepEqual(await studio.starts("9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999-12:00"), []);
});

test("new time-zone data moves stored sessions to the instants of their wall clocks, once, and drops none", async () => {
  const studio = await newStudio();
  const scheduleId = await studio.schedule({ start: "2026-07-01T09:00", rrule: "FREQ=DAILY;COUNT=3" });
  const id = await studio.session({
    scheduleId,
    originalStart: "2026-07-02T09:00",
    start: "2026-07-02T10:00",
  });
  const read = () => studio.calendar("2026-07-01T00:00:00Z", "2026-07-08T00:00:00Z");
  const expected = await read();
  // As an older release would have left it, had it known another offset.
  const spoil = () =>
    api.db.query(
      pooled(
        "test_spoil",
        `with moved as (
           update sessions set start_at = start_at + interval '1 hour' where organization_id = $1 and id = $2
         )
         update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 1`,
      ),
      [studio.id, id],
    );
  const store = (version: string) =>
    api.db.query(
      pooled(
        "test_store_tzdata",
        `insert into facts (name, value) values ('tzdata', $1)
         on conflict (name) do update set value = excluded.value`,
      ),
      [version],
    );
  await spoil();
  const spoiled = await read();
  assert.notDeepEqual(spoiled, expected);
  await store("1999a");
  assert.ok((await refreshInstants(api.db)) >= 1);
  assert.deepEqual(await read(), expected);
  assert.equal(await refreshInstants(api.db), 0);

  // A node of a release with older data starts beside: it serves what the newer one has stored.
  await spoil();
  assert.equal(await refreshInstants(api.db, { version: "2019b" }), 0);
  assert.deepEqual(await read(), spoiled);
  assert.equal(await refreshInstants(api.db, { version: tzdataVersion() }), 0);
  assert.deepEqual(await read(), spoiled);
  assert.ok((await refreshInstants(api.db, { version: "9998a" })) >= 1);
  assert.deepEqual(await read(), expected);
  assert.equal(await refreshInstants(api.db), 0);
  await store(tzdataVersion());
});

test("releases of the time-zone data are compared by their order", () => {
  const releases = ["1999a", "2025c", "2026a", "2026b", "2026z", "2026za", "2026zb", "2027a"];
  for (const [i, version] of releases.entries())
    for (const [j, stored] of releases.entries())
      assert.equal(isNewerTzdata(version, stored), i > j, `${version} after ${stored}`);
  for (const stored of [undefined, "", "unknown"]) assert.ok(isNewerTzdata("2026a", stored));
});

test("a long window is streamed whole and in order, and a HEAD request answers without it", async () => {
  const studio = await newStudio("UTC");
  for (let i = 0; i < 40; i++)
    await studio.schedule({ start: `2026-01-01T${String(i % 24).padStart(2, "0")}:15`, rrule: "FREQ=DAILY" });
  const path = "/v1/calendar?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";
  const { body, headers } = await studio.get(path);
  assert.equal(headers.get("content-length"), null);
  assert.equal(body.total, 40 * 365);
  const starts = body.data.map((s: { startAt: string }) => s.startAt);
  assert.deepEqual(starts, [...starts].sort());
  const head = await studio.call("HEAD", path);
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("a caller who goes away in the middle of a long answer leaves the server as it was", async () => {
  const studio = await newStudio("UTC");
  for (let i = 0; i < 60; i++)
    await studio.schedule({ start: "2026-01-01T08:00", rrule: "FREQ=DAILY;BYHOUR=8,9,10" });
  const path = "/v1/calendar?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";
  const whole = await studio.get(path);
  assert.equal(whole.status, 200);
  const connections = await api.countConnections();
  for (let i = 0; i < 5; i++) {
    await new Promise<void>((resolve, reject) => {
      const request = httpGet(
        api.url + path,
        { headers: { authorization: `Bearer ${studio.key}` } },
        (response) => {
          response.once("data", () => {
            request.destroy();
            resolve();
          });
        },
      );
      request.on("error", (error: NodeJS.ErrnoException) =>
        error.code === "ECONNRESET" ? undefined : reject(error),
      );
    });
  }
  await until("the server has let go of all that it held for them", async () => {
    const { total, idle, waiting } = api.served.poolState();
    return idle === total && waiting === 0 && (await api.countConnections()) <= connections;
  });
  const again = await studio.get(path);
  assert.equal(again.status, 200);
  assert.ok(again.text === whole.text, "the answer is another one");
});

test(`every recurrence case with a known answer is exact through the API`, async () => {
  const studio = await newStudio();
  const lines = readFileSync("test/data/calendar-cases.jsonl", "utf8").trim().split("\n");
  assert.equal(lines.length, 1192);
  // Without a server they are all tested in each run.
  const cases = lines.map((line) => JSON.parse(line));
  const inLanes = async (work: (index: number) => Promise<void>) => {
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (let i = lane; i < cases.length; i += 8) await work(i);
    });
    await Promise.all(lanes);
  };
  const locationIds: string[] = [];
  // All are stored before the first is read: each write makes the next read compile every schedule again.
  await inLanes(async (index) => {
    const { timezone, start, rrule, exdates, rdates } = cases[index];
    const locationId = await addLocation(api.db, studio.id, { timezone });
    await studio.schedule({ locationId, timezone, start, rrule, exdates, rdates });
    locationIds[index] = locationId;
  });
  await inLanes(async (index) => {
    const { from, to, expected } = cases[index];
    const starts = await studio.starts(from, to, `&locationId=${locationIds[index]}`);
    assert.deepEqual(starts, expected, JSON.stringify(cases[index]));
  });
});

test("schedules that are kept ready between reads follow every change", async () => {
  const studio = await newStudio("UTC");
  const moveVersion = "update organization_counters set catalog_version = catalog_version + 1";
  const run = (name: string, text: string, values: unknown[]) =>
    api.db.query(
      pooled(name, `with done as (${text}) ${moveVersion} where organization_id = $1 and slot = 3`),
      values,
    );
  // Another window of the same day each time, so that no answer is sent again.
  let reads = 0;
  const starts = () =>
    studio.starts(`2026-03-02T00:00:${String(reads++).padStart(2, "0")}Z`, "2026-03-03T00:00:00Z");
  await studio.schedule({ start: "2026-03-02T08:00" });
  assert.deepEqual(await starts(), ["2026-03-02T08:00:00.000Z"]);
  assert.deepEqual(await starts(), ["2026-03-02T08:00:00.000Z"]);

  const scheduleId = await studio.schedule({ start: "2026-03-01T09:00", rrule: "FREQ=DAILY" });
  assert.deepEqual(await starts(), ["2026-03-02T08:00:00.000Z", "2026-03-02T09:00:00.000Z"]);

  await studio.session({ scheduleId, originalStart: "2026-03-02T09:00", start: "2026-03-02T10:00" });
  assert.deepEqual(await starts(), ["2026-03-02T08:00:00.000Z", "2026-03-02T10:00:00.000Z"]);

  await run(
    "test_shift_schedule",
    `update schedules set start = '2026-03-02T07:00', first_slot = '2026-03-02T07:00', last_slot = '2026-03-02T07:00'
     where organization_id = $1 and id <> $2`,
    [studio.id, scheduleId],
  );
  assert.deepEqual(await starts(), ["2026-03-02T07:00:00.000Z", "2026-03-02T10:00:00.000Z"]);

  await run(
    "test_close_location",
    "update locations set status = 'closed' where organization_id = $1 and id = $2",
    [studio.id, studio.locationId],
  );
  assert.deepEqual(await starts(), ["2026-03-02T10:00:00.000Z"]);
});

test("an organization with more schedules than are kept ready is answered exactly too", async () => {
  const studio = await newStudio("UTC");
  const hours = 2_500;
  const insert = pooled(
    "test_insert_many_schedules",
    `insert into schedules (organization_id, id, service_type_id, location_id, resource_ids, start, duration_minutes,
       exdates, rdates, capacity, first_slot, last_slot)
     select $1, gen_random_uuid(), $2, $3, '{}', t, 60, '{}', '{}', 10, t, t
     from generate_series('2026-01-01'::timestamp, '2026-01-01'::timestamp + ($4 - 1) * interval '1 hour', '1 hour') t`,
  );
  await api.db.query(insert, [studio.id, studio.serviceTypeId, studio.locationId, hours]);
  for (const minute of [10, 11]) {
    const from = `2026-02-01T00:${minute}:00Z`;
    assert.equal((await studio.starts(from, "2026-02-08T00:00:00Z")).length, 7 * 24 - 1);
    assert.equal((await studio.starts(`2025-12-31T00:${minute}:00Z`, "2026-12-31T00:00:00Z")).length, hours);
    const elsewhere = `&locationId=00000000-0000-4000-8000-0000000000${minute}`;
    assert.deepEqual(await studio.starts(from, "2026-02-08T00:00:00Z", elsewhere), []);
  }
});

const insertManySessions = pooled(
  "test_insert_many_sessions",
  `with made as (
     insert into sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id, resource_ids,
       start, start_at, duration_minutes, capacity, booked_count, status)
     select $1, gen_random_uuid(), $2, t, $3, $4, '{room-1}', t, t at time zone 'UTC', 60, 10, n % 10, 'scheduled'
     from generate_series(0, $5::int - 1) n, lateral (select '2026-01-01T09:00'::timestamp + n * interval '1 day' as t) d
   )
   update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 2`,
);

/** Daily classes, of which the slots of the first days were all booked. */
async function newBookedStudio(schedules: number, bookedDays: number) {
  const studio = await newStudio("UTC");
  const elsewhere = await addLocation(api.db, studio.id, { timezone: "UTC" });
  const moved: string[] = [];
  for (let i = 0; i < schedules; i++) {
    const locationId = i % 2 === 0 ? studio.locationId : elsewhere;
    const scheduleId = await studio.schedule({ start: "2026-01-01T09:00", rrule: "FREQ=DAILY", locationId });
    await api.db.query(insertManySessions, [
      ...[studio.id, scheduleId, studio.serviceTypeId, locationId, bookedDays],
    ]);
    // Moved out of the year, and from one place to the other.
    const day = `2026-12-${10 + i}T09:00`;
    moved.push(await studio.session({ scheduleId, originalStart: day, start: day, locationId: elsewhere }));
    const late = `2026-11-${10 + i}T09:00`;
    await studio.session({ scheduleId, originalStart: late, start: "2027-06-01T09:00", locationId });
  }
  return { ...studio, elsewhere, moved };
}

test("thousands of stored sessions stand in order among the slots, each slot once, whatever the filter", async () => {
  const schedules = 5;
  const studio = await newBookedStudio(schedules, 300);
  const window = ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"] as const;
  interface Listed {
    readonly id?: string;
    readonly scheduleId: string;
    readonly locationId: string;
    readonly startAt: string;
  }
  const order = (s: Listed) => [s.startAt, s.locationId, s.scheduleId, s.id ?? ""].join(" ");
  const all = await studio.calendar(...window);
  const listed: Listed[] = all.data;
  assert.equal(all.total, schedules * 365 - schedules);
  assert.equal(listed.length, all.total);
  assert.equal(listed.filter(({ id }) => id !== undefined).length, schedules * 300 + studio.moved.length);
  assert.deepEqual(listed.map(order), listed.map(order).sort());
  assert.equal(new Set(listed.map((s) => `${s.scheduleId} ${s.startAt}`)).size, listed.length);
  for (const locationId of [studio.locationId, studio.elsewhere]) {
    const { data, total } = await studio.calendar(...window, `&locationId=${locationId}`);
    const expected = listed.filter((session) => session.locationId === locationId);
    assert.equal(total, expected.length);
    assert.deepEqual(data, expected);
  }
  // The same read by the way that few sessions take.
  const day = await studio.calendar("2026-12-10T00:00:00Z", "2026-12-17T00:00:00Z");
  assert.deepEqual(
    day.data,
    listed.filter(({ startAt }) => startAt > "2026-12-10" && startAt < "2026-12-17"),
  );
});

test("a long calendar that waits for its place is refused before its connection counts as silent", () => {
  assert.ok(LONG_READ_TIMEOUT_MS + 2_000 < CALLER_TIME_LIMITS.silence);
});

test("kinds of sessions that have the same number get others, and the answer is the same", async () => {
  const studio = await newBookedStudio(3, 300);
  const window = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2027, 0, 1) };
  const seeds: unknown[] = [];
  /** With the first seed all kinds have one number, which no real hash is known to do. */
  const colliding = (tx: Database): Database => ({
    ...tx,
    async query<Row extends object>(statement: Statement, values?: readonly unknown[]) {
      if (statement.text.startsWith("declare session_kinds")) seeds.push(values?.at(-1));
      const rows = await tx.query<Row>(statement, values);
      const isFirst = statement.text.endsWith("from session_kinds") && seeds.at(-1) === 0;
      return isFirst ? rows.map((row) => ({ ...row, kind: 1 })) : rows;
    },
  });
  const read = async (db: SharedDatabase) => {
    const reader = new CalendarReader(db);
    const { content } = await reader.read(
      { organizationId: studio.id, history: "", catalogVersion: 0 },
      window,
    );
    let text = "";
    for await (const piece of reader.write(content, window, "{")) text += piece.toString("latin1");
    return JSON.parse(text);
  };
  const disturbed: SharedDatabase = {
    ...api.db,
    for: (owner) => {
      const db = api.db.for(owner);
      return { ...db, transaction: (work) => db.transaction((tx) => work(colliding(tx))) };
    },
  };
  const answer = await read(disturbed);
  assert.deepEqual(seeds, [0, 1]);
  assert.deepEqual(answer, await read(api.db));
  assert.equal(answer.total, 3 * 365 - 3);
});

test("ten long calendars at once leave every other turn of the event loop to others, and write little in each", async (t) => {
  // Time passes with each look at it, so that how much is written in a turn does not depend on the machine.
  let ms = 0;
  t.mock.method(performance, "now", () => (ms += 0.2));
  const studio = await newBookedStudio(4, 300);
  const reader = new CalendarReader(api.db);
  let turn = 0;
  let isDone = false;
  const tick = () => {
    turn++;
    if (!isDone) setImmediate(tick);
  };
  tick();
  const sessionsByTurn = new Map<number, number>();
  const read = async (n: number) => {
    const window = { fromMs: Date.UTC(2026, 0, 1) - n, toMs: Date.UTC(2027, 0, 1) };
    const who = { organizationId: studio.id, history: "", catalogVersion: 0 };
    let sessions = 0;
    const { content: agenda } = await reader.read(who, window);
    for await (const piece of reader.write(agenda, window, "{")) {
      const count = piece.toString("latin1").split('"endAt"').length - 1;
      sessionsByTurn.set(turn, (sessionsByTurn.get(turn) ?? 0) + count);
      sessions += count;
    }
    return sessions;
  };
  const totals = await Promise.all(Array.from({ length: 10 }, (_, n) => read(n)));
  isDone = true;
  assert.deepEqual(new Set(totals), new Set([4 * 365 - 4]));
  const most = Math.max(...sessionsByTurn.values());
  // Two pages and what is written before the next look.
  assert.ok(most <= 500, `${most} sessions were written in one turn of the event loop`);
});
