import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { AppError } from "../../src/core/errors.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { recordBatches } from "../../src/db/record-batches.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());

/** One connection for each lane, so that what happens to it happens to the next statement. */
function openOne(statementTimeoutMs = 0) {
  return openDatabase({
    connection: store.connection,
    applicationName: "test",
    pipelines: 1,
    poolSize: 1,
    statementTimeoutMs,
  });
}

test("a statement that PostgreSQL no longer has prepared is answered all the same, and prepared again", async () => {
  const db = openOne();
  try {
    for (const lane of [read, pooled]) {
      const statement = lane(`test_answer_${lane.name}`, "select $1::int as answer");
      const isPrepared = async () =>
        (
          await db.query(lane("", "select 1 from pg_prepared_statements where name = $1::text"), [
            statement.name,
          ])
        ).length === 1;
      await db.query(statement, [1]);
      assert.ok(await isPrepared());
      await db.query(lane("", "deallocate all"));
      assert.deepEqual(await db.query(statement, [2]), [{ answer: 2 }]);
      assert.deepEqual(await db.query(statement, [3]), [{ answer: 3 }]);
      assert.ok(await isPrepared(), "it was not prepared again");
    }
  } finally {
    await db.close();
  }
});

test("PostgreSQL shows each statement with its name behind its first word, which is the same in every run", async () => {
  const db = openOne();
  const shown = `select a.query, (select count(*)::int from pg_prepared_statements p where p.name = $1) as prepared
     from pg_stat_activity a where a.pid = pg_backend_pid()`;
  try {
    for (const lane of [read, pooled]) {
      const statement = lane(`test_shown_${lane.name}`, shown);
      for (let run = 0; run < 2; run++)
        assert.deepEqual(await db.query(statement, [statement.name]), [
          { query: shown.replace("select", `select /* rollbook:${statement.name} */`), prepared: 1 },
        ]);
    }
    const [unnamed] = await db.query<{ query: string }>(pooled("", shown), ["none"]);
    assert.equal(unnamed?.query, shown, "what is planned again each time has no name");
  } finally {
    await db.close();
  }
});

test("columns are asked for once on a connection, and again when a statement is prepared again", async () => {
  const db = openOne();
  const run = (text: string) => db.query(pooled("", text));
  const all = pooled("test_all_columns", "select * from test_columns");
  try {
    await run("create temporary table test_columns as select 1 as first, 'two' as second");
    const runs = [await db.query(all), await db.query(all)];
    assert.deepEqual(runs, [[{ first: 1, second: "two" }], [{ first: 1, second: "two" }]]);
    await run("drop table test_columns");
    await run(
      "create temporary table test_columns as select 'one' as first, 0.5::float8 as half, 2 as second",
    );
    // PostgreSQL would rather fail than answer with other columns than it has described.
    await assert.rejects(db.query(all), (error: Error) =>
      String(error.cause ?? error).includes("result type"),
    );
    await run("deallocate all");
    for (let time = 0; time < 3; time++)
      assert.deepEqual(await db.query(all), [{ first: "one", half: 0.5, second: 2 }], `run ${time}`);
  } finally {
    await db.close();
  }
});

test("statements sent behind one whose preparation times out end as unavailable or are answered, never as a defect", async () => {
  const db = openOne(300);
  const holder = new pg.Client(store.connection);
  await holder.connect();
  try {
    await holder.query("create table if not exists test_locked (id int)");
    await holder.query("begin; lock table test_locked in access exclusive mode");
    const statement = read("test_behind_a_lock", "select count(*)::int as n from test_locked");
    // PostgreSQL waits for the lock when it prepares the first; the others were sent as prepared already.
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => db.query(statement).catch((error: unknown) => error)),
    );
    for (const outcome of outcomes) {
      assert.ok(outcome instanceof AppError, String(outcome));
      assert.equal(outcome.kind, "unavailable");
    }
    await holder.query("rollback");
    assert.deepEqual(await db.query(statement), [{ n: 0 }]);
  } finally {
    await holder.query("drop table if exists test_locked").catch(() => {});
    await holder.end();
    await db.close();
  }
});

test("a transaction inside another one is undone by itself if it fails, and with the outer one if that fails", async () => {
  const db = openOne();
  const insert = pooled("test_nested_insert", "insert into test_nested (id) values ($1)");
  const list = pooled("test_nested_list", "select id from test_nested order by id");
  const failure = new Error("given up");
  try {
    await db.query(pooled("", "create temporary table test_nested (id int primary key)"));
    await db.transaction(async (tx) => {
      await tx.query(insert, [1]);
      await tx.transaction(async (inner) => {
        await inner.query(insert, [2]);
        // One that PostgreSQL refuses, and one that fails for another reason.
        await assert.rejects(inner.transaction((innermost) => innermost.query(insert, [1])));
        await assert.rejects(
          inner.transaction(async (innermost) => {
            await innermost.query(insert, [3]);
            throw failure;
          }),
          failure,
        );
        await inner.query(insert, [4]);
      });
    });
    assert.deepEqual(await db.query(list), [{ id: 1 }, { id: 2 }, { id: 4 }]);
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.transaction((inner) => inner.query(insert, [5]));
        throw failure;
      }),
      failure,
    );
    assert.deepEqual(await db.query(list), [{ id: 1 }, { id: 2 }, { id: 4 }]);
  } finally {
    await db.close();
  }
});

test("records come in batches of which each is emptied before the next one: nothing is lost and nothing is held", async () => {
  const db = openOne();
  const ids: number[] = [];
  const taken: object[][] = [];
  try {
    await db.transaction(async (tx) => {
      const numbers = "select id from generate_series(1, $1::int) id order by id";
      for await (const batch of recordBatches<{ id: number }>(tx, numbers, [1_000])) {
        assert.ok(taken.every((earlier) => earlier.length === 0));
        ids.push(...batch.map(({ id }) => id));
        taken.push(batch);
      }
    });
  } finally {
    await db.close();
  }
  assert.deepEqual(
    ids,
    Array.from({ length: 1_000 }, (_, index) => index + 1),
  );
  assert.ok(taken.length > 3);
});

/** Lists that are short by a rule, and by which. */
const SHORT_LISTS: Readonly<Record<string, string>> = {
  admit_sign_in: "at most 200 places of work of a person",
  list_passkeys: "at most 20 of a person",
  list_passkey_credentials: "at most 20 of a person",
  list_webhooks: "at most 10 of an organization",
  list_location_ids: "asked for by each create of a client; none but owners add locations",
};

test("what many requests share a connection for is short: a list that is read whole is pooled", async () => {
  const sources = fileURLToPath(new URL("../../../src", import.meta.url));
  const long: string[] = [];
  let reads = 0;
  for (const file of await readdir(sources, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const text = await readFile(`${sources}/${file}`, "utf8");
    for (const [, name = "", statement = ""] of text.matchAll(
      /(?<![\w.])read\(\s*"(\w+)",\s*("[^"]*"|`[^`]*`)/g,
    )) {
      reads++;
      if (/order by/.test(statement) && !/limit/.test(statement)) long.push(name);
    }
  }
  assert.ok(reads > 30, `only ${reads} short reads were found`);
  assert.deepEqual(long.sort(), Object.keys(SHORT_LISTS).sort());
});
