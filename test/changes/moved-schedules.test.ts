import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { refreshInstants } from "../../src/domain/calendar/refresh.ts";
import { recomputeContracts } from "../../src/domain/contracts/recompute.ts";
import { noteMovedSchedules } from "../../src/sync/changes/moved-schedules.ts";
import { numberCommitted } from "../../src/sync/changes/numbering.ts";
import { readChanges } from "../../src/sync/changes/queries.ts";
import { startApi } from "../support/api.ts";
import { addSchedule, addServiceType } from "../support/calendar.ts";
import { addLocation } from "../support/records.ts";

// What was taken in is a fact of the whole database.
const api = await startApi({ isIsolated: true });
const { db } = api;

const setFact = (name: string, value: string) =>
  db.query(
    pooled(
      "test_set_fact",
      "insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    ),
    [name, value],
  );
const forget = pooled("test_forget_schedules", "delete from facts where name = any ($1)");
const forgetClocks = () =>
  db.query(forget, [["known clocks", "tzdata of schedules", "tzdata of schedules position"]]);

/** As if data had been taken in by which the clocks of these zones were others. */
async function useOlderData(...zones: string[]): Promise<void> {
  await noteMovedSchedules(db);
  await changeClocks("known clocks", zones);
  await setFact("tzdata of schedules", "1999a");
}

async function changeClocks(fact: string, zones: string[]): Promise<void> {
  const changed = Object.fromEntries(zones.map((zone) => [zone, "another"]));
  await db.query(
    pooled(
      "test_change_clocks",
      `update facts set value = jsonb_set(value::jsonb, '{digests}', value::jsonb -> 'digests' || $2::jsonb)::text
       where name = $1`,
    ),
    [fact, JSON.stringify(changed)],
  );
}

async function newStudio(timezone: string) {
  const { id } = await api.newOrganization({ timezone });
  const serviceTypeId = await addServiceType(db, id);
  const locationId = await addLocation(db, id, { timezone });
  const read = async (after = 0) => {
    await numberCommitted(db, id);
    return (await readChanges(db, id, { after, limit: 100_000 })).entries;
  };
  return {
    id,
    schedule: (start: string, rrule: string) =>
      addSchedule(db, id, { serviceTypeId, locationId, timezone, start, rrule }),
    read,
  };
}

/** What work adds to the feeds. */
async function added(work: () => Promise<unknown>, ...studios: Awaited<ReturnType<typeof newStudio>>[]) {
  const before = await Promise.all(studios.map(async ({ read }) => (await read()).at(-1)?.sequence));
  await work();
  return Promise.all(
    studios.map(async ({ read }, index) =>
      (await read(before[index])).map(({ kind, id, type, reason }) => ({ kind, id, type, reason })),
    ),
  );
}

const noted = (...ids: string[]) =>
  ids.sort().map((id) => ({ kind: "schedule", id, type: "updated", reason: { by: "clock" } }));

const newYork = await newStudio("America/New_York");
const linked = await newStudio("US/Eastern");
const lisbon = await newStudio("Europe/Lisbon");
const yearAgo = await db.now().then((ms) => new Date(ms - 380 * 86_400_000).toISOString().slice(0, 10));
const monthsAgo = await db.now().then((ms) => new Date(ms - 300 * 86_400_000).toISOString().slice(0, 10));
const endless = await newYork.schedule("2026-01-05T09:00", "FREQ=WEEKLY");
const ended = await newYork.schedule(`${monthsAgo}T09:00`, "FREQ=DAILY;COUNT=2");
await newYork.schedule(`${yearAgo}T09:00`, "FREQ=DAILY;COUNT=2");
const ofLink = await linked.schedule("2026-01-05T09:00", "FREQ=WEEKLY");
const ofLisbon = await lisbon.schedule("2026-01-05T09:00", "FREQ=WEEKLY");

test("newer time-zone data notes the schedules of the zones it changes, those alone, and once for all nodes", async () => {
  await useOlderData("America/New_York");
  const all = [newYork, linked, lisbon];
  const twoNodes = async () => {
    const counts = await Promise.all([noteMovedSchedules(db), noteMovedSchedules(db)]);
    assert.equal(counts[0] + counts[1], 2);
  };
  assert.deepEqual(await added(twoNodes, ...all), [noted(endless, ended), [], []]);
  assert.deepEqual(await added(() => noteMovedSchedules(db), ...all), [[], [], []]);
  // The same clocks by data with a newer name.
  assert.equal(await noteMovedSchedules(db, { version: "2998a" }), 0);
});

test("newer time-zone data computes the contracts of the organizations of these zones again, and of no other", async () => {
  await recomputeContracts(db);
  const changes = async (zones: string[]) => {
    await changeClocks("known clocks of contracts", zones);
    await setFact("tzdata of contracts", "1999a");
    return recomputeContracts(db);
  };
  const count = async (...zones: string[]) => {
    const [row] = await db.query<{ count: number }>(
      pooled(
        "test_count_of_zones",
        "select count(*)::int as count from organizations where timezone = any ($1)",
      ),
      [zones],
    );
    return row?.count ?? 0;
  };
  assert.ok((await count("Europe/Lisbon")) >= 1);
  assert.equal(await changes(["Europe/Lisbon"]), await count("Europe/Lisbon"));
  assert.equal(await changes([]), 0);
  const zones = ["America/New_York", "US/Eastern"];
  assert.equal(await changes(zones), await count(...zones));
  // Ended after the first, and begun by still newer data that has these clocks too.
  await changeClocks("known clocks of contracts", zones);
  await setFact("tzdata of contracts", "1999a");
  let parts = 0;
  assert.equal(await recomputeContracts(db, { isStopped: () => parts++ > 0 }), 1);
  assert.equal(await recomputeContracts(db, { version: "2999a" }), await count(...zones));
  assert.equal(await recomputeContracts(db, { version: "2999b" }), 0);
});

test("a release that finds no digests notes all schedules if its data is newer, and none if it is what was used", async () => {
  await refreshInstants(db);
  await forgetClocks();
  assert.equal(await noteMovedSchedules(db), 0);
  await forgetClocks();
  await db.query(forget, [["tzdata"]]);
  assert.equal(await noteMovedSchedules(db), 0);
  await forgetClocks();
  await setFact("tzdata", "1999a");
  assert.deepEqual(await added(() => noteMovedSchedules(db), newYork, linked, lisbon), [
    noted(endless, ended),
    noted(ofLink),
    noted(ofLisbon),
  ]);
  await refreshInstants(db);
});

test("who is stopped on the way is continued, and still newer data notes again what was not noted to the end", async () => {
  const tokyo = await newStudio("Asia/Tokyo");
  const id = await tokyo.schedule("2026-01-05T09:00", "FREQ=WEEKLY");
  await db.query(
    pooled(
      "test_copy_schedule",
      `insert into schedules (organization_id, id, service_type_id, location_id, start, duration_minutes, rrule, capacity,
         first_slot)
       select organization_id, gen_random_uuid(), service_type_id, location_id, start, duration_minutes, rrule, capacity,
         first_slot
       from schedules, generate_series(1, 1499) where organization_id = $1 and id = $2`,
    ),
    [tokyo.id, id],
  );
  /** Ended after one part. */
  const begin = () => {
    let parts = 0;
    return noteMovedSchedules(db, { isStopped: () => parts++ > 0 });
  };
  await useOlderData("Asia/Tokyo");
  const inTwo = async () => {
    assert.equal(await begin(), 1000);
    assert.equal(await noteMovedSchedules(db), 500);
  };
  const [entries = []] = await added(inTwo, tokyo);
  assert.equal(entries.length, 1500);
  assert.equal(new Set(entries.map((entry) => entry.id)).size, 1500);

  // The data that takes the change back finds the digests of the one that was cut off.
  await useOlderData("Asia/Tokyo");
  assert.equal(await begin(), 1000);
  const [again = []] = await added(() => noteMovedSchedules(db, { version: "2999a" }), tokyo);
  assert.equal(new Set(again.map((entry) => entry.id)).size, 1500);
  assert.equal(await noteMovedSchedules(db, { version: "2999b" }), 0);
});

test("calendars that were answered and kept before are made again", async () => {
  const version = async () =>
    (
      await db.query<{ version: number }>(
        pooled(
          "test_catalog_version",
          "select sum(catalog_version)::bigint as version from organization_counters where organization_id = $1",
        ),
        [lisbon.id],
      )
    )[0]?.version ?? 0;
  await useOlderData("Europe/Lisbon");
  const before = await version();
  assert.equal(await noteMovedSchedules(db), 1);
  assert.equal(await version(), before + 1);
});
