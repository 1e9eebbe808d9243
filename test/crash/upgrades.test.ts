import assert from "node:assert/strict";
import { after, test } from "node:test";
import { listMigrations } from "../../src/db/migrate.ts";
import { openTestStore } from "../support/store.ts";
import { upgradeFromEach } from "./upgrades.ts";

const store = await openTestStore();
after(() => store.close());

test("every earlier schema with rows in each table is upgraded in place and by a backup to the same export", async () => {
  const upgrades = await upgradeFromEach(store);
  assert.equal(upgrades.length, (await listMigrations()).length);
  for (const { from, faults, rows } of upgrades) {
    assert.deepEqual(faults, [], `from version ${from}`);
    assert.ok(rows > 0);
  }
});
