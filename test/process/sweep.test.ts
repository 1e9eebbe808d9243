import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { Sweep } from "../../src/process/sweep.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { openTestStore } from "../support/store.ts";

// A database of its own: what is swept is of all organizations.
const store = await openTestStore();
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 4 });
test.after(async () => {
  await db.close();
  await store.close();
});

const insert = pooled(
  "test_insert_keys",
  `insert into idempotency_keys (organization_id, key, fingerprint, status, created_at)
   select $1, n::text, '\\x00', 204, to_timestamp($2::float8 / 1000) from generate_series(1, $3::int) n`,
);

async function addKeys(count: number, ageMs: number): Promise<void> {
  await db.query(insert, [newId(), (await db.now()) - ageMs, count]);
}

async function countKeys(): Promise<number> {
  const [row] = await own.query<{ count: string }>("select count(*) from idempotency_keys");
  return Number(row?.count);
}

test("a sweep removes the keys whose 24 hours are over, a bounded number at a time, and no others", async () => {
  await addKeys(25, MS_PER_DAY + 1);
  await addKeys(7, MS_PER_DAY - 60_000);
  const swept: number[] = [];
  const options = {
    db,
    logger: pino({ level: "silent" }),
    onSwept: (rows: number) => swept.push(rows),
    everyMs: 1,
    rowsAtOnce: 10,
  };
  const sweep = new Sweep(options);
  await until("the second sweep has begun", async () => swept.length > 3);
  await sweep.stop();
  assert.deepEqual(swept.slice(0, 4), [10, 10, 5, 0]);
  assert.equal(await countKeys(), 7);
});

test("sweeps of several processes at once share the work, and one that is stopped asks for nothing more", async () => {
  await addKeys(300, 2 * MS_PER_DAY);
  let swept = 0;
  const sweeps = Array.from({ length: 3 }, () => {
    const onSwept = (rows: number) => {
      swept += rows;
    };
    return new Sweep({ db, logger: pino({ level: "silent" }), onSwept, everyMs: 1, rowsAtOnce: 10 });
  });
  await until("all are gone", async () => (await countKeys()) === 7);
  await Promise.all(sweeps.map((sweep) => sweep.stop()));
  assert.equal(swept, 300);
  await addKeys(1, 2 * MS_PER_DAY);
  // Each look takes longer than the time after which another sweep would begin.
  for (let look = 0; look < 20; look++) assert.equal(await countKeys(), 8);
});

test("a sweep that fails is logged, and the next one is tried", async () => {
  const lines: string[] = [];
  let failures = 0;
  const sweep = new Sweep({
    db: {
      ...db,
      now: () => (failures++ < 2 ? Promise.reject(new Error("away")) : db.now()),
    },
    logger: pino({ level: "warn" }, { write: (line) => lines.push(line) }),
    onSwept: () => undefined,
    everyMs: 1,
  });
  await until("it is swept again", async () => (await countKeys()) === 7);
  await sweep.stop();
  assert.equal(lines.length, 2);
  assert.match(
    lines[0] ?? "",
    /expired idempotency keys, sign-ins, attempts, recorded requests and organizations could not be removed/,
  );
});

test("a sweep removes sign-ins that ended long ago, and tries that do not count any more", async () => {
  const fill = pooled(
    "test_fill_sign_ins",
    `with organization as (
       insert into organizations (id, name, timezone, currency, tier, status, joined_at)
       values ($1, 'Studio', 'UTC', 'BRL', 'Pro', 'active', now()) returning id
     ), person as (
       insert into staff (organization_id, id, name, email, email_key, role, all_locations, status, created_at)
       select id, id, 'Ana', 'a@example.com', 'a@example.com', 'owner', true, 'invited', now() from organization
     ), tries as (
       insert into sign_in_tries (mark, free_at)
       select sha256(n::text::bytea), now() - n * interval '20 hours' from generate_series(0, 2) n
     )
     insert into sign_ins (id, organization_id, staff_id, hash, created_at, seen_at, fresh_at)
     select gen_random_uuid(), $1, $1, sha256(n::text::bytea), seen, seen, seen
     from generate_series(1, 30) n, lateral (select now() - n * interval '1 day') as s (seen)`,
  );
  await db.query(fill, [newId()]);
  const count = async (table: "sign_ins" | "sign_in_tries") =>
    Number((await own.query<{ count: string }>(`select count(*) from ${table}`))[0]?.count);
  const sweep = new Sweep({
    db,
    logger: pino({ level: "silent" }),
    onSwept: () => {},
    everyMs: 1,
    rowsAtOnce: 4,
  });
  await until("the old ones are gone", async () => (await count("sign_ins")) === 14);
  await sweep.stop();
  assert.equal(await count("sign_in_tries"), 2);
});

test("a sweep tells the planner when there are more than a hundred organizations, and not before", async () => {
  const known = async () => {
    const [row] = await own.query<{ count: string }>(
      `select count(*) from pg_attribute where attname = 'organization_id' and attoptions @> '{n_distinct=100}'`,
    );
    return Number(row?.count);
  };
  const add = (count: number) =>
    own.query(
      `insert into organizations (id, name, timezone, currency, status, tier, joined_at)
       select gen_random_uuid(), 'Studio', 'UTC', 'BRL', 'active', 'Pro', now() from generate_series(1, $1::int)`,
      [count],
    );
  let rounds = 0;
  const options = { db, logger: pino({ level: "silent" }), onSwept: () => rounds++, everyMs: 1 };
  const sweepTwice = async () => {
    const sweep = new Sweep(options);
    const from = rounds;
    await until("it has swept", async () => rounds > from + 2);
    await sweep.stop();
  };
  const [there] = await own.query<{ count: string }>("select count(*) from organizations");
  await add(100 - Number(there?.count));
  await sweepTwice();
  assert.equal(await known(), 0);
  await add(1);
  await sweepTwice();
  assert.ok((await known()) > 20);
});
