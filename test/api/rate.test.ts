import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { type Answer, startApi } from "../support/api.ts";
import { passSeconds } from "../support/records.ts";
import { exchange, parseAnswers } from "../support/wire.ts";

const PATH = "/v1/organization";

const unlimited = await startApi();
const slow = await startApi({ beside: unlimited, rate: { perMinute: 1, burst: 5 } });

test("a burst is admitted at once, then requests at the rate; the headers count along", async () => {
  const studio = await slow.newOrganization();
  const begun = performance.now();
  for (const [status, remaining, resetSeconds] of [
    [200, 4, 60],
    [200, 3, 120],
    [200, 2, 180],
    [200, 1, 240],
    [200, 0, 300],
    [429, 0, 300],
    [429, 0, 300],
  ] as const) {
    const answer = await studio.get(PATH);
    const elapsed = Math.ceil((performance.now() - begun) / 1000);
    const { policy, rate, retryAfter, ...rest } = rateHeaders(answer);
    assert.equal(rest.status, status);
    assert.equal(policy, '"default";q=1;w=60');
    assert.match(rate ?? "", new RegExp(`^"default";r=${remaining};t=\\d+$`));
    assertNear(Number(/t=(\d+)/.exec(rate ?? "")?.[1]), resetSeconds, elapsed);
    if (status === 200) assert.equal(retryAfter, null);
    else assertNear(Number(retryAfter), 60, elapsed);
  }
});

test("requests that arrive together are answered as if they had come one by one", async () => {
  const studio = await slow.newOrganization();
  const neighbour = await slow.newOrganization();
  const second = await mintKey(slow.db, slow.keySecret, "test", { organizationId: studio.id });
  // Pipelined in one piece, so that one batch of the gate holds them all.
  const keys = [
    studio.key,
    neighbour.key,
    studio.key,
    second.key,
    "wrong",
    studio.key,
    studio.key,
    studio.key,
  ];
  const all = [...keys, studio.key, neighbour.key];
  const { text } = await exchange(slow.url, all.map((key, i) => rawGet(key, i === all.length - 1)).join(""));
  const seen = parseAnswers(text).map(({ status, headers }) =>
    [status, headers.ratelimit?.slice(10), headers["retry-after"]].filter(Boolean).join(" "),
  );
  assert.deepEqual(seen, [
    "200 r=4;t=60",
    "200 r=4;t=60",
    "200 r=3;t=120",
    "200 r=4;t=60",
    "401",
    "200 r=2;t=180",
    "200 r=1;t=240",
    "200 r=0;t=300",
    "429 r=0;t=300 60",
    "200 r=3;t=120",
  ]);
});

test("all keys of an organization share its limit, exactly, whether their requests come together or one by one", async () => {
  const studio = await unlimited.newOrganization();
  const neighbour = await unlimited.newOrganization();
  const second = await mintKey(slow.db, slow.keySecret, "test", { organizationId: studio.id });
  // Twelve a minute: two at once, and one more every five seconds.
  await changeOrganization(slow.db, "test", studio.id, { requestsPerMinute: 12 });
  const keys = [studio.key, second.key, neighbour.key, second.key, studio.key, neighbour.key];
  const { text } = await exchange(
    unlimited.url,
    keys.map((key, i) => rawGet(key, i === keys.length - 1)).join(""),
  );
  const seen = parseAnswers(text).map(({ status, headers }) =>
    [status, headers["ratelimit-policy"], headers.ratelimit, headers["retry-after"]]
      .filter(Boolean)
      .join(" "),
  );
  const policy = '"organization";q=12;w=60 "organization"';
  assert.deepEqual(seen, [
    `200 ${policy};r=1;t=5`,
    `429 ${policy};r=0;t=10 5`,
    "200",
    `429 ${policy};r=0;t=10 5`,
    `200 ${policy};r=0;t=10`,
    "200",
  ]);
  const refused = await studio.get(PATH);
  assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
  assert.equal(refused.body.reason, "organization_limit");
  assert.match(refused.body.detail, /keys of this organization/);
  await passSeconds(unlimited.db, studio.id, 5);
  assert.equal((await studio.get(PATH)).status, 200);
  assert.equal((await studio.get(PATH)).status, 429);
  await changeOrganization(slow.db, "test", studio.id, { requestsPerMinute: 0 });
  const freed = await studio.get(PATH);
  assert.deepEqual([freed.status, freed.headers.get("ratelimit")], [200, null]);
});

test("a key that is over its own limit uses nothing up of what it shares, and the headers tell of what has less left", async () => {
  const studio = await slow.newOrganization();
  const second = await mintKey(slow.db, slow.keySecret, "test", { organizationId: studio.id });
  // Eight at once; the key has five. Sent in one piece, so that no time passes between them.
  await changeOrganization(slow.db, "test", studio.id, { requestsPerMinute: 48 });
  const keys = [
    ...Array.from({ length: 6 }, () => studio.key),
    ...Array.from({ length: 4 }, () => second.key),
  ];
  const { text } = await exchange(
    slow.url,
    keys.map((key, i) => rawGet(key, i === keys.length - 1)).join(""),
  );
  const seen = parseAnswers(text).map(
    ({ status, headers }) => `${status} ${headers.ratelimit?.replace(/;t=\d+$/, "")}`,
  );
  assert.deepEqual(seen, [
    ...[4, 3, 2, 1, 0].map((left) => `200 "default";r=${left}`),
    '429 "default";r=0',
    ...[2, 1, 0].map((left) => `200 "organization";r=${left}`),
    '429 "organization";r=0',
  ]);
});

test("of requests at once on two servers no more are admitted than the organization may make", async () => {
  const studio = await unlimited.newOrganization();
  await changeOrganization(slow.db, "test", studio.id, { requestsPerMinute: 60 });
  const other = await startApi({ beside: unlimited });
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? unlimited : other).call("GET", PATH, {
        headers: { authorization: `Bearer ${studio.key}` },
      }),
    ),
  );
  const admitted = answers.filter(({ status }) => status === 200).length;
  // Ten at once, and one for each second that this took.
  const most = 10 + Math.ceil((performance.now() - begun) / 1000);
  assert.ok(admitted >= 10 && admitted <= most, `${admitted} were admitted, of ${most}`);
});

test("a key that has rate left is asked for with one statement", async () => {
  const asked: string[] = [];
  const watched = await startApi({
    beside: unlimited,
    rate: { perMinute: 1, burst: 2 },
    disturb: (db) => ({
      transaction: (work) => db.transaction(work),
      snapshot: (work) => db.snapshot(work),
      now: () => db.now(),
      clockOffsetMs: db.clockOffsetMs,
      query: (statement, values) => {
        if (statement.name.startsWith("admit")) asked.push(statement.name);
        return db.query(statement, values);
      },
    }),
  });
  const studio = await watched.newOrganization();
  const statements = async () => {
    asked.length = 0;
    const { status } = await studio.get(PATH);
    return [status, ...asked];
  };
  assert.deepEqual(await statements(), [200, "admit_whole", "admit_limited"], "used for the first time");
  assert.deepEqual(await statements(), [200, "admit_whole"]);
  assert.deepEqual(await statements(), [429, "admit_whole", "admit_limited"], "nothing left");
  await passSeconds(unlimited.db, studio.keyId, 120);
  assert.deepEqual(await statements(), [200, "admit_whole"], "something left again");
});

test("who waits as long as Retry-After says is admitted, who comes before is not", async () => {
  const studio = await slow.newOrganization();
  for (let i = 0; i < 5; i++) await studio.get(PATH);
  const refused = await studio.get(PATH);
  assert.equal(refused.status, 429);
  assert.equal(refused.body.code, "rate_limited");
  const seconds = Number(refused.headers.get("retry-after"));
  // The rest of the minute is time that the test may take itself.
  await passSeconds(unlimited.db, studio.keyId, seconds - 30);
  assert.equal((await studio.get(PATH)).status, 429);
  await passSeconds(unlimited.db, studio.keyId, 30);
  assert.equal((await studio.get(PATH)).status, 200);
});

test("refused requests cost nothing, and one key does not use up another's rate", async () => {
  const studio = await slow.newOrganization();
  const second = await mintKey(slow.db, slow.keySecret, "test", { organizationId: studio.id });
  for (let i = 0; i < 20; i++) await studio.get(PATH);
  assert.equal((await studio.get(PATH)).status, 429);
  const [spent] = await slow.db.query<{ seconds: number }>(
    pooled(
      "test_spent_seconds",
      "select tat / 1e9::float8 - extract(epoch from clock_timestamp())::float8 as seconds from key_rates where key_id = $1",
    ),
    [studio.keyId],
  );
  assert.ok((spent?.seconds ?? 0) <= 300, "a refused request was charged");
  const answer = await slow.call("GET", PATH, { headers: { authorization: `Bearer ${second.key}` } });
  assert.equal(answer.headers.get("ratelimit"), '"default";r=4;t=60');
});

test("every keyed answer counts, failures included, and carries the headers", async () => {
  const studio = await slow.newOrganization();
  const remaining = async (method: string, path: string, raw?: string) =>
    (await studio.call(method, path, raw === undefined ? {} : { raw })).headers
      .get("ratelimit")
      ?.slice(10, 13);
  assert.equal(await remaining("GET", "/v1/clients?limit=0"), "r=4");
  assert.equal(await remaining("GET", "/v1/clients/019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31"), "r=3");
  assert.equal(await remaining("POST", "/v1/clients", "{"), "r=2");
  assert.equal(await remaining("PATCH", "/v1/clients"), undefined);
  assert.equal(await remaining("HEAD", PATH), "r=1");
});

test("with the limit off the headers are absent", async () => {
  const studio = await unlimited.newOrganization();
  assert.deepEqual(rateHeaders(await studio.get(PATH)), {
    status: 200,
    policy: null,
    rate: null,
    retryAfter: null,
  });
});

test("the limits at the ends of their range are exact too", async () => {
  const ends = [
    { perMinute: 1, burst: 1, first: '"default";r=0;t=60', full: { resetSeconds: 60 } },
    { perMinute: 1, burst: 1e6, first: '"default";r=999999;t=60', full: { resetSeconds: 60_000_000 } },
    { perMinute: 1e9, burst: 1, first: undefined, full: undefined },
    { perMinute: 1e9, burst: 1e6, first: '"default";r=999999;t=1', full: undefined },
  ];
  for (const { perMinute, burst, first, full } of ends) {
    const api = await startApi({ beside: unlimited, rate: { perMinute, burst } });
    const studio = await api.newOrganization();
    const answer = await studio.get(PATH);
    assert.equal(answer.status, 200);
    if (first) assert.equal(answer.headers.get("ratelimit"), first);
    if (!full) continue;
    // As if the whole burst had been spent this very moment.
    await api.db.query(
      pooled(
        "test_spend_burst",
        `update key_rates set tat = (extract(epoch from clock_timestamp()) * 1000000000)::bigint + $2::bigint * $3::bigint
         where key_id = $1`,
      ),
      [studio.keyId, burst, 60e9 / perMinute],
    );
    const refused = await studio.get(PATH);
    assert.equal(refused.status, 429);
    const [, remaining, reset] = /r=(\d+);t=(\d+)/.exec(refused.headers.get("ratelimit") ?? "") ?? [];
    assert.equal(Number(remaining), 0);
    assertNear(Number(reset), full.resetSeconds, 10);
    assertNear(Number(refused.headers.get("retry-after")), 60, 10);
  }
});

test("after a change of the limit a key waits a minute at the most, and Retry-After says so", async () => {
  const changes = [
    // Raised: five requests at one a minute are a debt of five minutes, or of 25 seconds.
    { before: { perMinute: 1, burst: 5 }, after: { perMinute: 12, burst: 5 } },
    // Lowered: 100 requests at one a minute are a debt of 100 minutes.
    { before: { perMinute: 1, burst: 100 }, after: { perMinute: 1, burst: 2 } },
    { before: { perMinute: 30, burst: 60 }, after: { perMinute: 6, burst: 2 } },
  ];
  for (const { before, after } of changes) {
    const [old, changed] = [
      await startApi({ beside: unlimited, rate: before }),
      await startApi({ beside: unlimited, rate: after }),
    ];
    const studio = await old.newOrganization();
    const headers = { authorization: `Bearer ${studio.key}` };
    for (let i = 0; i < before.burst; i++)
      assert.equal((await fetch(old.url + PATH, { headers })).status, 200);
    const refused = await changed.call("GET", PATH, { headers });
    assert.equal(refused.status, 429);
    const retryAfter = Number(refused.headers.get("retry-after"));
    assert.ok(retryAfter <= 60, `Retry-After is ${retryAfter}`);
    await passSeconds(unlimited.db, studio.keyId, retryAfter);
    const answer = await changed.call("GET", PATH, { headers });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("ratelimit") ?? "", /r=0;/);
    // From here on the new limit is all that counts.
    await passSeconds(unlimited.db, studio.keyId, Math.ceil(60 / after.perMinute));
    assert.equal((await changed.call("GET", PATH, { headers })).status, 200);
  }
});

test("a clock that is set back by hours locks no key out, and gives no second burst", async () => {
  const studio = await slow.newOrganization();
  for (let i = 0; i < 5; i++) await studio.get(PATH);
  await passSeconds(unlimited.db, studio.keyId, -3 * 3600);
  assert.deepEqual([(await studio.get(PATH)).status, (await studio.get(PATH)).status], [200, 429]);
  await passSeconds(unlimited.db, studio.keyId, 60);
  assert.deepEqual([(await studio.get(PATH)).status, (await studio.get(PATH)).status], [200, 429]);
});

test("two servers with different limits never admit more than the larger burst + the larger rate × time", async () => {
  const patient = await startApi({ beside: unlimited, rate: { perMinute: 300, burst: 40 } });
  const quick = await startApi({ beside: unlimited, rate: { perMinute: 600, burst: 2 } });
  const studio = await unlimited.newOrganization();
  const headers = { authorization: `Bearer ${studio.key}` };
  const begun = performance.now();
  let admitted = 0;
  while (admitted < 45) {
    for (const server of [patient, patient, patient, quick]) {
      const response = await fetch(server.url + PATH, { headers });
      await response.arrayBuffer();
      if (response.status === 200) admitted++;
      else assert.equal(response.status, 429);
      const most = 40 + 10 * ((performance.now() - begun) / 1000);
      assert.ok(admitted <= most, `${admitted} admitted, at most ${most} allowed`);
    }
  }
});

/** Seconds that count down while the test runs. */
function assertNear(actual: number, expected: number, elapsed: number): void {
  assert.ok(actual <= expected && actual >= expected - elapsed, `${actual}, expected ${expected}`);
}

function rateHeaders({ status, headers }: Answer) {
  return {
    status,
    policy: headers.get("ratelimit-policy"),
    rate: headers.get("ratelimit"),
    retryAfter: headers.get("retry-after"),
  };
}

function rawGet(key: string, isLast: boolean): string {
  const close = isLast ? "Connection: close\r\n" : "";
  return `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${close}\r\n`;
}
