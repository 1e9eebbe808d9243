import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { openDatabase } from "../../src/db/open-database.ts";
import { takeInTzdata } from "../../src/domain/calendar/tzdata-work.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { serve } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());

test("newer time-zone data is taken in part by part: who is stopped is continued from there, and several share the parts", async () => {
  const { connection } = await newMigratedDatabase(store);
  const db = openDatabase({ connection, applicationName: "test" });
  after(() => db.close());
  const fact = "tzdata of contracts";
  const done: string[] = [];
  const part = async (_tx: object, after = "0") => {
    done.push(after);
    const next = String(Number(after) + 1);
    return { moved: 1, next: next === "6" ? undefined : next };
  };
  const run = (version: string, isStopped = () => false) =>
    takeInTzdata(db, { fact, part }, { version, isStopped });
  assert.equal(await run("2030a", () => done.length === 2), 2);
  assert.deepEqual(done, ["0", "1"]);
  await assert.rejects(
    takeInTzdata(db, { fact, part: () => Promise.reject(new Error("cut off")) }, { version: "2030a" }),
  );
  const moved = await Promise.all([run("2030a"), run("2030a"), run("2029z")]);
  assert.deepEqual(done, ["0", "1", "2", "3", "4", "5"]);
  assert.equal(moved[0] + moved[1], 4);
  assert.equal(await run("2030a"), 0);
  // By data that is newer still, all of it again.
  assert.equal(await run("2030b", () => done.length === 8), 2);
  assert.equal(await run("2030c"), 6);
});

test("the server serves before newer time-zone data has been taken in, and says when it has", async (t) => {
  const own = await newMigratedDatabase(store);
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  const all = `'${id}', '${id}'`;
  await own.query(`
    insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro');
    insert into locations (organization_id, id, name, status, timezone) values (${all}, 'A', 'active', 'UTC');
    insert into service_types (organization_id, id, name, holds_resource, status, search)
      values (${all}, 'Class', false, 'active', 'class');
    insert into sessions (organization_id, id, service_type_id, location_id, resource_ids, start, start_at,
      duration_minutes, capacity, booked_count, status)
    values (${all}, '${id}', '${id}', '{}', '2026-11-16 10:00', '2026-11-16 11:00Z', 50, 9, 0, 'scheduled');
    insert into facts (name, value) values ('tzdata', '1999a'), ('tzdata position', '')`);
  const other = new pg.Client(own.connection);
  await other.connect();
  await other.query("begin; select from facts where name = 'tzdata position' for update");
  const server = await serve(t, { DATABASE_URL: own.url, KEY_SECRET: "a secret for nobody at all" });
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  await other.query("commit");
  await other.end();
  await until("the session begins by its wall clock", async () => {
    const [row] = await own.query<{ at: string }>("select start_at at time zone 'UTC' as at from sessions");
    return String(row?.at).includes("10:00:00");
  });
  await until("it is logged", async () => /1 sessions were/.test(server.output()));
});
