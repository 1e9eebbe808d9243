import assert from "node:assert/strict";
import { test } from "node:test";
import { SlotKeys } from "./slot-keys.ts";

/** More schedules than a list can hold; 2^20 was once the silent limit. */
const PLACES = [1, 2, 3, 500, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20 + 7, 2 ** 32];

for (const places of PLACES) {
  test(`keys of ${places} schedules are exact and in order to the ends of the longest slice`, () => {
    const keys = new SlotKeys(places);
    const offsets = [0, 1, 59_999, Math.floor(keys.longestMs / 3), keys.longestMs - 2, keys.longestMs - 1];
    let before = -1;
    for (const offset of offsets) {
      for (const place of new Set([0, Math.floor(places / 2), places - 1])) {
        const key = keys.of(offset, place);
        assert.ok(Number.isSafeInteger(key), `${offset} ${place}`);
        assert.ok(key > before, `${offset} ${place}`);
        assert.equal(keys.offsetOf(key), offset);
        assert.equal(keys.placeOf(key), place);
        before = key;
      }
    }
  });
}

test("a slice of a minute, the shortest there is, has keys for as many schedules as a list can hold", () => {
  assert.ok(new SlotKeys(2 ** 32).longestMs >= 60_000);
});

test("a key is refused for what is no whole number or out of bounds, whatever the other part is", () => {
  const keys = new SlotKeys(3);
  const wrong = [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY];
  for (const offset of [...wrong, keys.longestMs])
    assert.throws(() => keys.of(offset, 2), RangeError, String(offset));
  for (const place of [...wrong, 4]) assert.throws(() => keys.of(1_000, place), RangeError, String(place));
});
