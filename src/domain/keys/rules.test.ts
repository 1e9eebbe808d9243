import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDigits, composeKey, hashKey, KEY_ENTROPY_BYTES } from "./rules.ts";

// Computed apart, with Python's zlib.crc32.
const CHECKED = [
  ["rbk_00000000000000000000000000000000", "2Intvb"],
  ["rbk_11111111111111111111111111111111", "07wAti"],
  ["rbk_hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "03yw4x"],
  ["rbk_0123456789ABCDEFGHIJKLMNOPQRSTUV", "2MUyEm"],
] as const;

test("a key ends in the CRC-32 of what stands before: six base62 digits, padded with zeros", () => {
  for (const [body, digits] of CHECKED) assert.equal(checkDigits(body), digits);
});

test("a key is made of the random bytes that favour no character", () => {
  const bytes = Uint8Array.from({ length: KEY_ENTROPY_BYTES }, (_, i) =>
    i % 2 === 0 ? 248 + (i % 8) : (i - 1) / 2,
  );
  assert.equal(composeKey(bytes), "rbk_0123456789ABCDEFGHIJKLMNOPQRSTUV2MUyEm");
});

test("too few usable random bytes make no key rather than a weak one", () => {
  assert.throws(() => composeKey(new Uint8Array(KEY_ENTROPY_BYTES).fill(255)), /too few random bytes/);
});

test("the hash of a key depends on the key and on the secret", () => {
  const hash = hashKey("rbk_a", "one secret of many").toString("hex");
  assert.equal(hash.length, 64);
  assert.notEqual(hash, hashKey("rbk_b", "one secret of many").toString("hex"));
  assert.notEqual(hash, hashKey("rbk_a", "another secret").toString("hex"));
});
