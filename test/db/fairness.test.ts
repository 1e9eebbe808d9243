import assert from "node:assert/strict";
import { test } from "node:test";
import { lockBulkWrite } from "../../src/db/bulk-writes.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { expensive, pooled, read } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";

/** Nothing ends by itself, however busy the machine is. */
const PATIENT = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000, queueTimeoutMs: 60_000 };
const api = await startApi({ database: PATIENT });

const holdLock = pooled("test_hold_lock", "select pg_advisory_xact_lock($1)::text");
const WAITING = { pooled: pooled, expensive: expensive } as const;
const countWaiting = read(
  "test_count_waiting",
  "select count(*) as count from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'",
);

/** Does the work while a lock is held that statements wait for. */
async function whileLocked(lock: number, work: () => Promise<void>): Promise<void> {
  await api.db.transaction(async (tx) => {
    await tx.query(holdLock, [lock]);
    await work();
  });
}

for (const lane of ["pooled", "expensive"] as const) {
  test(`however many ${lane} statements of one organization hang, others have connections at once`, async () => {
    const lock = Date.now() * 4 + lane.length;
    const name = `test ${lane}`;
    const db = openDatabase({
      connection: api.store.connection,
      applicationName: name,
      poolSize: 16,
      ...PATIENT,
    });
    const waits = WAITING[lane](`test_wait_${lane}`, "select pg_advisory_xact_lock_shared($1)::text");
    const answers = WAITING[lane](`test_answer_${lane}`, "select $1::int as n");
    const [attacker, ...victims] = [newId(), newId(), newId(), newId()];
    const held: Promise<unknown>[] = [];
    await whileLocked(lock, async () => {
      for (let n = 0; n < 100; n++) held.push(db.for(attacker as string).query(waits, [lock]));
      const share = lane === "pooled" ? 9 : 2;
      await until("the attacker has its share", async () => (await waiting(db, name)) === share);
      for (const victim of victims) {
        for (let n = 0; n < 10; n++) {
          const [row] = await db.for(victim).query<{ n: number }>(answers, [n]);
          assert.equal(row?.n, n);
          if (lane === "pooled") await db.for(victim).transaction((tx) => tx.query(answers, [n]));
        }
        await Promise.all(Array.from({ length: 50 }, (_, n) => db.for(victim).query(answers, [n])));
      }
      assert.equal(await waiting(db, name), share, "the attacker got no more meanwhile");
      assert.equal(db.poolState().waiting, 100 - share);
    });
    // With the lock gone all of the attacker's own are answered too.
    assert.equal((await Promise.all(held)).length, 100);
    await db.close();
  });
}

async function waiting(db: OpenDatabase, name: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(countWaiting, [name]);
  return row?.count ?? 0;
}

test("an expensive statement has its own time, and who waits for a lock gives up; both may be tried again", async () => {
  const lock = Date.now() * 4;
  const db = openDatabase({
    connection: api.store.connection,
    applicationName: "test times",
    statementTimeoutMs: 60_000,
    expensiveTimeoutMs: 50,
    lockTimeoutMs: 50,
  });
  await assert.rejects(db.query(expensive("test_slow_search", "select pg_sleep(30)::text")), {
    kind: "unavailable",
    detail: { code: "search_too_slow" },
  });
  await whileLocked(lock, async () => {
    await assert.rejects(
      db.transaction((tx) => tx.query(holdLock, [lock])),
      {
        kind: "unavailable",
        detail: { code: "record_locked" },
      },
    );
  });
  await db.transaction((tx) => tx.query(holdLock, [lock]));
  await db.close();
});

test("writes of one organization that all wait for one record keep no other organization waiting", async () => {
  const [attacker, victim] = [await api.newOrganization(), await api.newOrganization()];
  await addLocation(api.db, attacker.id);
  await addLocation(api.db, victim.id);
  const { body: client } = await attacker.call("POST", "/v1/clients", { body: { contactName: "Held" } });
  const lockClient = pooled(
    "test_lock_client",
    "select id from clients where organization_id = $1 and id = $2 for update",
  );
  const writes: Promise<{ status: number }>[] = [];
  await api.db.transaction(async (tx) => {
    await tx.query(lockClient, [attacker.id, client.id]);
    for (let n = 0; n < 40; n++) {
      const path = `/v1/clients/${client.id}`;
      writes.push(attacker.call("PUT", path, { body: { contactName: `Held ${n}` } }));
    }
    await until("writes wait for the record", async () => api.served.poolState().waiting > 0);
    for (let n = 0; n < 10; n++) {
      const made = await victim.call("POST", "/v1/clients", { body: { contactName: `Ana ${n}` } });
      assert.equal(made.status, 201, made.text);
      assert.equal((await victim.get(`/v1/clients/${made.body.id}`)).status, 200);
      assert.equal((await victim.get(`/v1/clients?query=ana%20${n}`)).body.total, 1);
    }
  });
  for (const { status } of await Promise.all(writes)) assert.equal(status, 200);
});

test("a write that waits too long for a record is answered with 503 and when to come again", async () => {
  const impatient = await startApi({ beside: api, database: { lockTimeoutMs: 50 } });
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Held" } });
  const write = () =>
    impatient.call("DELETE", `/v1/clients/${client.id}`, {
      headers: { authorization: `Bearer ${studio.key}` },
    });
  await api.db.transaction(async (tx) => {
    await tx.query(
      pooled(
        "test_lock_one_client",
        "select id from clients where organization_id = $1 and id = $2 for update",
      ),
      [studio.id, client.id],
    );
    const refused = await write();
    assert.equal(refused.status, 503);
    assert.equal(refused.body.code, "unavailable");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  });
  assert.equal((await write()).status, 204);
});

test("while an import holds a record, the first write to it waits, those after it hardly, and all answers say so", async () => {
  const waitMs = 1_000;
  const patient = await startApi({ beside: api, database: { lockTimeoutMs: waitMs } });
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const { body: held } = await studio.call("POST", "/v1/clients", { body: { contactName: "Held" } });
  const { body: free } = await studio.call("POST", "/v1/clients", { body: { contactName: "Free" } });
  const replace = async ({ id }: { id: string }) => {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${studio.key}` };
    const body = { contactName: "Replaced" };
    const answer = await patient.call("PUT", `/v1/clients/${id}`, { headers, body });
    return { ...answer, milliseconds: performance.now() - begun };
  };
  const lockClient = pooled(
    "test_lock_imported_client",
    "select id from clients where organization_id = $1 and id = $2 for update",
  );
  await api.db.transaction(async (tx) => {
    await lockBulkWrite(tx, studio.id);
    await tx.query(lockClient, [studio.id, held.id]);
    const first = await replace(held);
    assert.ok(first.milliseconds >= waitMs, `it waited for ${first.milliseconds} ms`);
    const others = [];
    for (let n = 0; n < 5; n++) others.push(await replace(held));
    for (const { status, headers, body } of [first, ...others]) {
      assert.equal(status, 503);
      assert.equal(body.detail, "An import is replacing this record right now. Try again when it has ended.");
      assert.ok(Number(headers.get("retry-after")) >= 1);
    }
    const shortest = Math.min(...others.map(({ milliseconds }) => milliseconds));
    assert.ok(shortest < waitMs / 2, `they waited for ${shortest} ms`);
    assert.equal((await replace(free)).status, 200);
  });
  assert.equal((await replace(held)).status, 200);
});
