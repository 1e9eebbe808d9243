import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { AppError } from "../../src/core/errors.ts";
import { pooled } from "../../src/db/statements.ts";
import { mintKey, revokeKey, rotateKey } from "../../src/domain/keys/operations.ts";
import { listKeys } from "../../src/domain/keys/queries.ts";
import { checkDigits, hashKey } from "../../src/domain/keys/rules.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { exchange } from "../support/wire.ts";

const api = await startApi({ isIsolated: true });
const other = await startApi({ beside: api });
const limited = await startApi({ beside: api, rate: { perMinute: 1, burst: 1 } });
const hurried = await startApi({ beside: api, rate: { perMinute: 100_000, burst: 1_000 } });

const mint = (organizationId: string, lifetimeSeconds?: number, name?: string) =>
  mintKey(api.db, api.keySecret, "test", { organizationId, lifetimeSeconds, name });
const statusOf = async (key: string, through = api) =>
  (await through.call("GET", "/v1/organization", { headers: { authorization: `Bearer ${key}` } })).status;

test("a minted key has the published form, and opens the API", async () => {
  const { id } = await api.newOrganization();
  for (let i = 0; i < 20; i++) {
    const { key } = await mint(id);
    assert.match(key, /^rbk_[0-9A-Za-z]{38}$/);
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const check = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(check, crc32(key.slice(0, -6)));
  }
  const { key } = await mint(id);
  assert.equal(await statusOf(key), 200);
});

test("the scheme is read in any case, with any number of spaces", async () => {
  const { key } = await api.newOrganization();
  for (const authorization of [`bearer ${key}`, `BEARER   ${key}`]) {
    assert.equal((await api.call("GET", "/v1/organization", { headers: { authorization } })).status, 200);
  }
});

test("of a key nothing is stored but its keyed hash", async () => {
  const { id } = await api.newOrganization();
  const { key, id: keyId } = await mint(id, undefined, "website");
  const [row] = await api.db.query<{ row: string; hash: Buffer }>(
    pooled("test_key_row", "select keys::text as row, hash from keys where id = $1"),
    [keyId],
  );
  assert.deepEqual(row?.hash, hashKey(key, api.keySecret));
  const [trail] = await api.db.query<{ rows: string }>(
    pooled(
      "test_audit_rows",
      "select string_agg(audit::text, ' ') as rows from audit where organization_id = $1",
    ),
    [id],
  );
  for (const stored of [row?.row, trail?.rows]) {
    assert.ok(stored);
    for (const part of [key, key.slice(4, 20), key.slice(-12)]) assert.ok(!stored.includes(part));
  }
});

test("every 401 is the same to the byte, save Date and X-Request-Id, and waits for the same lookup", async () => {
  const lookups: string[] = [];
  const watched = await startApi({
    beside: api,
    rate: { perMinute: 100_000, burst: 1_000 },
    disturb: (db) => ({
      transaction: (work) => db.transaction(work),
      snapshot: (work) => db.snapshot(work),
      now: () => db.now(),
      clockOffsetMs: db.clockOffsetMs,
      query: (statement, values = []) => {
        const [hashes, ...more] = values;
        if (statement.name.startsWith("admit"))
          lookups.push(`${statement.name} ${(hashes as Buffer[]).length} ${more.map(String)}`);
        return db.query(statement, values);
      },
    }),
  });
  const { id } = await api.newOrganization();
  const [good, revoked, expired] = [await mint(id), await mint(id), await mint(id, 0)];
  await revokeKey(api.db, "test", revoked.id);
  const random = "a".repeat(32);
  const credentials = {
    "no header": "",
    "another scheme": "Authorization: Basic dXNlcjpwYXNz\r\n",
    "an empty header": "Authorization: \r\n",
    "the scheme alone": "Authorization: Bearer\r\n",
    "the key alone": `Authorization: ${good.key}\r\n`,
    "not a key": "Authorization: Bearer x\r\n",
    "a wrong checksum": `Authorization: Bearer ${good.key.slice(0, -1)}_\r\n`,
    unknown: `Authorization: Bearer rbk_${random}${checkDigits(`rbk_${random}`)}\r\n`,
    revoked: `Authorization: Bearer ${revoked.key}\r\n`,
    expired: `Authorization: Bearer ${expired.key}\r\n`,
    "two headers": `Authorization: Bearer ${good.key}\r\nAuthorization: Bearer ${good.key}\r\n`,
    "more than a key": `Authorization: Bearer ${good.key} x\r\n`,
    "bytes that are no text": "Authorization: Bearer \xff\xfe\x80\r\n",
    "a very long one": `Authorization: Bearer ${"k".repeat(10_000)}\r\n`,
  };
  const answers = new Map<string, string>();
  const asked = new Map<string, string>();
  for (const [name, header] of Object.entries(credentials)) {
    lookups.length = 0;
    const { text } = await exchange(
      watched.url,
      `GET /v1/organization HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 401 Unauthorized\r\n/, name);
    answers.set(name, text.replace(/\r\nDate: [^\r]+/, "").replace(/\r\nx-request-id: [^\r]+/, ""));
    asked.set(name, lookups.join("; "));
  }
  const [first] = answers.values();
  for (const [name, text] of answers) assert.equal(text, first, name);
  const [lookup] = asked.values();
  assert.ok(lookup);
  for (const [name, statements] of asked) assert.equal(statements, lookup, name);
  assert.match(first ?? "", /\r\nwww-authenticate: Bearer\r\n/);
  assert.doesNotMatch(first ?? "", /ratelimit/i);
});

test("every check has its place: address, method, key, rate, organization, plan, input, record", async () => {
  const headers = { authorization: "Bearer wrong" };
  assert.equal((await api.call("GET", "/v1/nothing")).status, 404);
  assert.equal((await api.call("PATCH", "/v1/organization")).status, 405);
  assert.equal((await api.call("GET", "/v1/clients?limit=x", { headers })).status, 401);
  assert.equal((await api.call("POST", "/v1/clients", { raw: "{", headers })).status, 401);

  const studio = await api.newOrganization();
  const authorization = { headers: { authorization: `Bearer ${studio.key}` } };
  await changeOrganization(api.db, "test", studio.id, { status: "suspended", plan: "Free" });
  assert.equal((await limited.call("GET", "/v1/organization", authorization)).status, 403);
  assert.equal((await limited.call("GET", "/v1/organization", authorization)).status, 429);
  assert.equal((await studio.get("/v1/clients?limit=x")).status, 403);
  await changeOrganization(api.db, "test", studio.id, { status: "active" });
  assert.equal((await studio.get("/v1/clients?limit=x")).status, 402);
  assert.equal((await studio.call("POST", "/v1/clients", { raw: "{" })).status, 402);
  await changeOrganization(api.db, "test", studio.id, { plan: "Pro" });
  assert.equal((await studio.get("/v1/clients?limit=x")).status, 422);
  assert.equal((await studio.get("/v1/clients/x")).status, 422);
  assert.equal((await studio.call("PUT", `/v1/clients/${newId()}`, { body: {} })).status, 422);
  assert.equal((await studio.get(`/v1/clients/${newId()}`)).status, 404);
});

test("a revoked key is refused on the next request, through another server too", async () => {
  const { id } = await api.newOrganization();
  const { key, id: keyId } = await mint(id);
  assert.equal(await statusOf(key, other), 200);
  await revokeKey(api.db, "test", keyId);
  assert.equal(await statusOf(key, other), 401);
  assert.equal(await statusOf(key), 401);
});

test("suspending, closing and downgrading hold from the next request on, through another server too", async () => {
  const { id, key } = await api.newOrganization();
  const changes = [
    [{ status: "suspended" }, 403],
    [{ status: "closed" }, 403],
    [{ status: "active" }, 200],
    [{ plan: "Starter" }, 402],
    [{ plan: "Free" }, 402],
    [{ plan: "Enterprise" }, 200],
    [{ plan: "Pro" }, 200],
  ] as const;
  for (const [change, expected] of changes) {
    await changeOrganization(api.db, "test", id, change);
    assert.equal(await statusOf(key, other), expected, JSON.stringify(change));
    assert.equal(await statusOf(key), expected, JSON.stringify(change));
  }
});

test("a key stops at its expiry", async () => {
  const { id } = await api.newOrganization();
  const [ended, running] = [await mint(id, 0), await mint(id, 3600)];
  assert.equal(await statusOf(ended.key), 401);
  assert.equal(await statusOf(running.key), 200);
  const lifetime = Date.parse(running.expiresAt ?? "") - Date.parse(running.createdAt);
  assert.ok(Math.abs(lifetime - 3_600_000) <= 1, String(lifetime));
});

test("a rotated key works until the overlap ends, its successor from the start", async () => {
  const { id } = await api.newOrganization();
  const old = await mint(id, 90 * 86_400, "website");
  const successor = await rotateKey(api.db, api.keySecret, "test", old.id, 3600);
  assert.equal(await statusOf(old.key), 200);
  assert.equal(await statusOf(successor.key), 200);
  assert.equal(successor.name, "website");
  assert.ok(Date.parse(successor.expiresAt ?? "") - Date.now() > 89 * 86_400_000);
  const listed = (await listKeys(api.db, id)).find((key) => key.id === old.id);
  assert.ok(Math.abs(Date.parse(listed?.expiresAt ?? "") - Date.now() - 3_600_000) < 60_000);

  const last = await rotateKey(api.db, api.keySecret, "test", successor.id, 0);
  assert.equal(await statusOf(successor.key), 401);
  assert.equal(await statusOf(last.key), 200);
});

test("a rotation never lengthens the life of the old key, and needs one that is valid", async () => {
  const { id } = await api.newOrganization();
  const short = await mint(id, 60);
  await rotateKey(api.db, api.keySecret, "test", short.id, 86_400);
  const listed = (await listKeys(api.db, id)).find((key) => key.id === short.id);
  assert.equal(listed?.expiresAt, short.expiresAt);

  const revoked = await mint(id);
  await revokeKey(api.db, "test", revoked.id);
  const expired = await mint(id, 0);
  for (const key of [revoked, expired]) {
    await assert.rejects(
      rotateKey(api.db, api.keySecret, "test", key.id, 60),
      (error) => error instanceof AppError && error.kind === "conflict",
    );
  }
});

test("the last use of a key is recorded at most once a minute", async () => {
  const { id } = await api.newOrganization();
  const { key, id: keyId } = await mint(id);
  const lastUse = async () => (await listKeys(api.db, id)).find((one) => one.id === keyId)?.lastUsedAt;
  assert.equal(await lastUse(), undefined);
  await statusOf(key);
  const first = await until("the first use is noted", lastUse);
  for (const through of [api, other, api, other]) await statusOf(key, through);
  // Uses are noted after the answer, in their order: once a later one is, these would be too.
  for (const through of [api, other]) {
    const later = await mint(id);
    await statusOf(later.key, through);
    await until("a later use is noted", async () =>
      (await listKeys(api.db, id)).some((one) => one.id === later.id && one.lastUsedAt),
    );
  }
  assert.equal(await lastUse(), first);

  const age = pooled(
    "test_age_key",
    "update keys set last_used_at = now() - interval '61 seconds' where id = $1",
  );
  await api.db.query(age, [keyId]);
  const aged = await lastUse();
  await statusOf(key);
  await until("the next use is noted", async () => (await lastUse()) !== aged);
});

test("a refused key is not recorded as used", async () => {
  const { id } = await api.newOrganization();
  const revoked = await mint(id);
  await revokeKey(api.db, "test", revoked.id);
  await statusOf(revoked.key);
  await statusOf((await mint(id)).key);
  await until("the good key is noted", async () =>
    (await listKeys(api.db, id)).some((key) => key.lastUsedAt),
  );
  assert.equal((await listKeys(api.db, id)).find((key) => key.id === revoked.id)?.lastUsedAt, undefined);
});

test("a key whose rate row is locked holds up nobody else's requests", async () => {
  const [held, free] = [await api.newOrganization(), await api.newOrganization()];
  assert.deepEqual([await statusOf(held.key, hurried), await statusOf(free.key, hurried)], [200, 200]);
  let answer: Promise<number> | undefined;
  let isAnswered = false;
  await api.db.transaction(async (tx) => {
    const lock = pooled(
      "test_lock_rate",
      "select 1 from key_rates where key_id in (select id from keys where organization_id = $1) for update",
    );
    await tx.query(lock, [held.id]);
    answer = statusOf(held.key, hurried).finally(() => {
      isAnswered = true;
    });
    const waiting = pooled(
      "test_waiting",
      "select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))",
    );
    await until("a statement waits", async () => (await tx.query(waiting)).length > 0);
    for (let i = 0; i < 3; i++) {
      assert.equal(await statusOf(free.key, hurried), 200);
      assert.equal(isAnswered, false, "they waited for the one that waits for the lock");
    }
  });
  assert.equal(await answer, 200);
});
