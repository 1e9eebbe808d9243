import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openTestStore } from "../support/store.ts";
import { upgradeFromEach } from "./upgrades.ts";

const store = await openTestStore();
after(() => store.close());

/** The first, that of 0.1, and the two newest; `npm run crash` takes all of them. */
const isShort = (version: number, latest: number) => version === 1 || version === 3 || version >= latest - 1;

test("an earlier schema with rows in each table is upgraded in place and by a backup to the same export", async () => {
  const upgrades = await upgradeFromEach(store, isShort);
  assert.equal(upgrades.length, 4);
  for (const { from, faults, rows } of upgrades) {
    assert.deepEqual(faults, [], `from version ${from}`);
    assert.ok(rows > 0);
  }
});
