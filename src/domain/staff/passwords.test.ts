import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { test } from "node:test";
import { AppError } from "../../core/errors.ts";
import { PASSWORD_COST, Passwords } from "./passwords.ts";

const CHEAP = { logN: 4, r: 8, p: 1 };
const salt = Buffer.from("0123456789abcdef");

test("a password is stored as scrypt with N = 2^15, r = 8, p = 3, its salt and these numbers beside it", async () => {
  assert.deepEqual(PASSWORD_COST, { logN: 15, r: 8, p: 3 });
  const key = scryptSync("correct horse battery", salt, 32, { N: 32_768, r: 8, p: 3, maxmem: 2 ** 27 });
  const text = await new Passwords().hash("correct horse battery", salt);
  assert.equal(text, `$scrypt$ln=15,r=8,p=3$${salt.toString("base64url")}$${key.toString("base64url")}`);
});

test("a hash that was made at another cost is still known", async () => {
  const stored = await new Passwords({ logN: 5, r: 4, p: 2 }).hash("correct horse battery", salt);
  const passwords = new Passwords(CHEAP);
  assert.deepEqual(await passwords.findMatches("correct horse battery", [stored], salt), [true]);
  assert.deepEqual(await passwords.findMatches("correct horse batterY", [stored], salt), [false]);
});

test("one computation serves every hash with the same salt, and none at all", async () => {
  const passwords = new Passwords(CHEAP);
  const stored = [await passwords.hash("one password", salt), await passwords.hash("another one", salt)];
  const before = passwords.computed;
  assert.deepEqual(await passwords.findMatches("another one", stored, salt), [false, true]);
  assert.deepEqual(await passwords.findMatches("another one", [], salt), []);
  assert.equal(passwords.computed, before + 2);
});

test("the same characters count as the same password, however they were typed", async () => {
  const passwords = new Passwords(CHEAP);
  const stored = await passwords.hash("coração de leão", salt);
  assert.deepEqual(await passwords.findMatches("coração de leão".normalize("NFD"), [stored], salt), [true]);
});

test("two hashes are computed at a time, forty may wait, and more are told to come back", async () => {
  const passwords = new Passwords(CHEAP);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => passwords.hash("correct horse battery", salt)),
  );
  const refused = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  assert.equal(refused.length, 8);
  for (const { reason } of refused) {
    assert.ok(reason instanceof AppError);
    assert.equal(reason.kind, "unavailable");
  }
  // Whoever waited has handed the place on: there is room again.
  assert.match(await passwords.hash("correct horse battery", salt), /^\$scrypt/);
});
