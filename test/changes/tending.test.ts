import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { FeedTask } from "../../src/process/feed-task.ts";
import { clearLog, compactChanges } from "../../src/sync/changes/compaction.ts";
import { numberChanges, numberCommitted, numberSome } from "../../src/sync/changes/numbering.ts";
import { readChanges } from "../../src/sync/changes/queries.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { openTestStore } from "../support/store.ts";

// A database of its own: the task is at work in all organizations.
const store = await openTestStore();
const { connection } = await newMigratedDatabase(store);
const db = openDatabase({ connection, applicationName: "rollbook test", poolSize: 4 });
const later = openDatabase({
  connection: { ...connection, clockOffsetMs: 31 * MS_PER_DAY },
  applicationName: "rollbook test",
});
test.after(async () => {
  await Promise.all([db.close(), later.close()]);
  await store.close();
});

const rename = pooled("test_rename", "update organizations set name = name || '!' where id = $1");
const studio = { name: "Studio Test", timezone: "UTC", currency: "BRL", plan: "Pro" } as const;
const isStopped = () => false;

async function newFeed(): Promise<string> {
  const { id } = await createOrganization(db, "test", studio);
  for (let times = 0; times < 3; times++) await db.query(rename, [id]);
  await numberChanges(db, id);
  return id;
}

const sequencesOf = async (id: string) =>
  (await readChanges(db, id, { after: 0, limit: 100 })).entries.map(({ sequence }) => sequence);

test("superseded entries are removed when they are old, the last one of a record and every young one stay", async () => {
  const id = await newFeed();
  assert.equal(await compactChanges(db, id, { keptDays: 30, isStopped }), 0);
  assert.deepEqual(await sequencesOf(id), [1, 2, 3, 4]);
  assert.equal(await compactChanges(later, id, { keptDays: 30, isStopped }), 3);
  assert.deepEqual(await sequencesOf(id), [4]);
  assert.deepEqual((await readChanges(db, id, { after: 2, limit: 100 })).entries[0]?.sequence, 4);
  await db.query(rename, [id]);
  await numberChanges(db, id);
  assert.deepEqual(await sequencesOf(id), [4, 5]);
});

test("what nobody reads is numbered and compacted all the same, by any number of processes", async () => {
  const ids = await Promise.all([newFeed(), newFeed()]);
  for (const id of ids) await db.query(rename, [id]);
  const done = { numbered: 0, removed: 0 };
  const options = {
    db: later,
    logger: pino({ level: "silent" }),
    keptDays: 30,
    numberEveryMs: 1,
    compactEveryMs: 1,
    onDone: (numbered: number, removed: number) => {
      done.numbered += numbered;
      done.removed += removed;
    },
  };
  const tasks = [new FeedTask(options), new FeedTask(options)];
  for (const id of ids)
    await until("all but the last entry are gone", async () => {
      const { state, entries } = await readChanges(db, id, { after: 0, limit: 100 });
      return !state.isBehind && entries.length === 1 && entries[0]?.sequence === 5;
    });
  await Promise.all(tasks.map((task) => task.stop()));
  assert.ok(done.numbered >= 2 && done.removed >= 8);
});

const note = pooled(
  "test_note_many",
  `insert into change_log (organization_id, kind, record_id, type)
   select $1, 'client', gen_random_uuid()::text, 'created' from generate_series(1, $2::int)`,
);

test("numbering is not planned by a log that was empty when it was last looked at, and its remains are cleared", async () => {
  const { id } = await createOrganization(db, "test", studio);
  await numberCommitted(db, id);
  await db.query(pooled("", "vacuum (analyze) change_log"));
  await db.query(note, [id, 20_000]);
  // By a join it would take minutes: the time limit is not about the machine.
  await db.transaction(async (tx) => {
    await tx.query(pooled("", "set local statement_timeout = '20s'"));
    assert.equal(await numberSome(tx, id), true);
  });
  await until("the remains are counted and cleared", () => clearLog(db));
  const [size] = await db.query<{ dead: number }>(
    pooled("", "select n_dead_tup as dead from pg_stat_user_tables where relid = 'change_log'::regclass"),
  );
  assert.equal(size?.dead, 0);
  assert.equal((await readChanges(db, id, { after: 0, limit: 1 })).state.sequence, 20_001);
});
