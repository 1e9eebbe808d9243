import assert from "node:assert/strict";
import { test } from "node:test";
import { afterFailure, GIVE_UP_SECONDS, isSuccess, messageId, readRetryAfter } from "./rules.ts";

const NOW = Date.UTC(2026, 10, 15, 9, 30);
const FAILED = { status: 500, milliseconds: 12 };
const HOUR = 3_600;

test("a failed attempt is repeated after 5 s, then after longer and longer, at last every 8 hours", () => {
  const delays = [5, 30, 120, 600, 1_800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR];
  for (const [tries, seconds] of delays.entries()) {
    for (const [chance, factor] of [
      [0, 0.8],
      [0.5, 1],
      [1, 1.2],
    ] as const) {
      const found = afterFailure(FAILED, { tries, failingSince: NOW, now: NOW, chance });
      assert.deepEqual(found, {
        state: "active",
        failingSince: NOW,
        nextAttemptAt: NOW + seconds * factor * 1_000,
      });
    }
  }
});

test("an endpoint is tried for 72 hours after its first failure, the last time when they are over", () => {
  const since = NOW - (GIVE_UP_SECONDS - 60) * 1_000;
  const before = afterFailure(FAILED, { tries: 15, failingSince: since, now: NOW, chance: 0.5 });
  assert.deepEqual(before, { state: "active", failingSince: since, nextAttemptAt: NOW + 60_000 });
  const over = { tries: 16, failingSince: since, now: NOW + 60_000, chance: 0.5 };
  assert.deepEqual(afterFailure(FAILED, over), { state: "disabled", failingSince: since, reason: "failing" });
  // The first failure begins the time.
  const first = afterFailure(FAILED, { tries: 0, failingSince: undefined, now: NOW, chance: 0.5 });
  assert.deepEqual(first, { state: "active", failingSince: NOW, nextAttemptAt: NOW + 5_000 });
});

test("410 disables at once, and a longer Retry-After of 429 and 503 is kept to, up to 8 hours", () => {
  const failing = { tries: 0, failingSince: NOW, now: NOW, chance: 0.5 };
  for (const [status, retryAfterSeconds, seconds] of [
    [429, 60, 60],
    [503, 60, 60],
    [500, 60, 5],
    [404, 60, 5],
    [503, 1, 5],
    [429, 9 * HOUR, 8 * HOUR],
  ] as const)
    assert.deepEqual(
      { status, ...afterFailure({ status, retryAfterSeconds, milliseconds: 1 }, failing) },
      { status, state: "active", failingSince: NOW, nextAttemptAt: NOW + seconds * 1_000 },
    );
  assert.deepEqual(afterFailure({ status: 410, milliseconds: 1 }, failing), {
    state: "disabled",
    failingSince: NOW,
    reason: "gone",
  });
});

test("a success is a status from 200 to 299, and nothing else", () => {
  for (const status of [200, 201, 202, 204, 299])
    assert.ok(isSuccess({ status, milliseconds: 1 }), `${status}`);
  for (const status of [100, 199, 300, 301, 304, 400, 404, 410, 500])
    assert.ok(!isSuccess({ status, milliseconds: 1 }), `${status}`);
  assert.ok(!isSuccess({ failure: "timeout", milliseconds: 1 }));
  assert.ok(!isSuccess({ status: 302, failure: "redirect", milliseconds: 1 }));
});

test("Retry-After is a number of seconds or a date of HTTP", () => {
  for (const [header, seconds] of [
    [undefined, undefined],
    ["120", 120],
    ["0", 0],
    ["Sun, 15 Nov 2026 09:31:00 GMT", 60],
    ["Sun, 15 Nov 2026 09:29:00 GMT", 0],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026-11-15T09:31:00Z", undefined],
    ["9999999999", undefined],
  ] as const)
    assert.equal(`${header} ${readRetryAfter(header, NOW)}`, `${header} ${seconds}`);
});

test("a message has one name for its organization and number, until a backup is restored", () => {
  const id = messageId("r1", "o1", "1842");
  assert.match(id, /^msg_[0-9A-Za-z]{10}_1842$/);
  assert.equal(messageId("r1", "o1", "1842"), id);
  const others = [
    messageId("r2", "o1", "1842"),
    messageId("r1", "o2", "1842"),
    messageId("r1", "o1", "1843"),
  ];
  assert.equal(new Set([id, ...others]).size, 4);
});
