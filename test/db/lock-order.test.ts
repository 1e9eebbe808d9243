import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { shareOrganization } from "../../src/domain/contract-status/queries.ts";
import { lockOrganization } from "../../src/domain/organizations/queries.ts";
import { startApi } from "../support/api.ts";
import { LockOrder } from "../support/lock-order.ts";

const api = await startApi();

test("an organization that is locked after a record of it is found, and one that is locked first is not", async () => {
  const { id } = await api.newOrganization();
  const write = pooled(
    "test_count",
    "update organization_counters c set plans_active = 0 where organization_id = $1",
  );
  const order = new LockOrder();
  const db = order.watch(api.db).for(id);
  await db.transaction(async (tx) => {
    await shareOrganization(tx, id);
    await tx.transaction((inner) => inner.query(write, [id]));
  });
  const given = new Error("given up");
  await db.transaction(async (tx) => {
    const inner = tx.transaction(async (own) => {
      await own.query(write, [id]);
      throw given;
    });
    await assert.rejects(inner, given);
    await lockOrganization(tx, id);
  });
  assert.deepEqual([...order.faults], [], "what failed has given its locks back");
  await db.transaction(async (tx) => {
    await tx.transaction((inner) => inner.query(write, [id]));
    await lockOrganization(tx, id);
  });
  assert.deepEqual([...order.faults], ["lock_organization after test_count"]);
});
