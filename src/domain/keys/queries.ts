import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";

/** A key as the operator sees it. The secret itself is nowhere. */
export interface KeyRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name?: string;
  readonly status: "active" | "expired" | "revoked";
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

/** A key is expired or not by the time of the given parameter. */
const columns = (nowParameter: string) => `
  id, organization_id as "organizationId", name,
  case when revoked_at is not null then 'revoked' when expires_at <= ${nowParameter} then 'expired' else 'active' end as status,
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

const insertStatement = pooled(
  "insert_key",
  `insert into keys (id, organization_id, hash, name, lifetime, created_at, expires_at)
   values ($1, $2, $3, $4, $5 * interval '1 second', $6::timestamptz, $6::timestamptz + $5 * interval '1 second')
   returning ${columns("$6::timestamptz")}`,
);

export interface KeyRow {
  readonly id: string;
  readonly organizationId: string;
  readonly hash: Buffer;
  readonly name?: string | undefined;
  readonly lifetimeSeconds?: number | undefined;
}

export async function insertKey(db: Database, key: KeyRow, now: number): Promise<KeyRecord> {
  const [stored] = await db.query<KeyRecord>(insertStatement, [
    key.id,
    key.organizationId,
    key.hash,
    key.name ?? null,
    key.lifetimeSeconds ?? null,
    instantText(now),
  ]);
  if (!stored) throw new Error("insert into keys returned no row");
  return stored;
}

const listStatement = pooled(
  "list_keys",
  `select ${columns("$2::timestamptz")} from keys where organization_id = $1 order by id`,
);

export async function listKeys(db: Database, organizationId: string): Promise<KeyRecord[]> {
  return db.query<KeyRecord>(listStatement, [organizationId, instantText(await db.now())]);
}

const findStatement = read(
  "find_key",
  `select ${columns("$3::timestamptz")} from keys where organization_id = $1 and id = $2`,
);

/** A key of an organization. */
export async function findKey(
  db: Database,
  organizationId: string,
  id: string,
): Promise<KeyRecord | undefined> {
  const [key] = await db.query<KeyRecord>(findStatement, [organizationId, id, instantText(await db.now())]);
  return key;
}

const lockStatement = pooled(
  "lock_key",
  `select ${columns("$2::timestamptz")}, extract(epoch from lifetime)::bigint as "lifetimeSeconds"
   from keys where id = $1 for update`,
);

/** The key, which nobody else can change now, and how long it was meant to live. */
export async function lockKey(
  tx: Database,
  id: string,
  now: number,
): Promise<(KeyRecord & { readonly lifetimeSeconds?: number }) | undefined> {
  const [key] = await tx.query<KeyRecord & { lifetimeSeconds?: number }>(lockStatement, [
    id,
    instantText(now),
  ]);
  return key;
}

/** A key whose organization is known. */
type KeyPlace = Pick<KeyRecord, "id" | "organizationId">;

const revokeStatement = pooled(
  "revoke_key",
  `update keys set revoked_at = coalesce(revoked_at, $2::timestamptz) where id = $1 and organization_id = $3
   returning ${columns("$2::timestamptz")}`,
);

export async function revokeKeyRow(
  tx: Database,
  { id, organizationId }: KeyPlace,
  now: number,
): Promise<KeyRecord | undefined> {
  const [key] = await tx.query<KeyRecord>(revokeStatement, [id, instantText(now), organizationId]);
  return key;
}

const shortenStatement = pooled(
  "shorten_key",
  `update keys set expires_at = least(expires_at, $3::timestamptz + $2 * interval '1 second')
   where id = $1 and organization_id = $4 returning ${columns("$3::timestamptz")}`,
);

/** Lets a key end after the given time, unless it ends sooner anyway. */
export async function shortenKey(
  tx: Database,
  { id, organizationId }: KeyPlace,
  seconds: number,
  now: number,
): Promise<KeyRecord | undefined> {
  const values = [id, seconds, instantText(now), organizationId];
  const [key] = await tx.query<KeyRecord>(shortenStatement, values);
  return key;
}

const touchStatement = pooled(
  "touch_key",
  `update keys set last_used_at = $2::timestamptz
   where organization_id = $3 and id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')`,
);

/** Records that a key was used; at most once a minute, however many processes say so. */
export async function touchKey(db: Database, id: string, now: number, organizationId: string): Promise<void> {
  await db.query(touchStatement, [id, instantText(now), organizationId]);
}

// A fact that is there stays: of two nodes with different secrets, the first is right.
const secretCheckStatement = pooled(
  "keep_secret_check",
  `with kept as (
     insert into facts (name, value) values ('key-secret', $1) on conflict (name) do nothing returning value
   )
   select value from kept union all select value from facts where name = 'key-secret'`,
);

/** The check value of the secret that keys are made with: the one that is stored, or else this one from now on. */
export async function keepSecretCheck(db: Database, check: string): Promise<string | undefined> {
  const keep = () => db.query<{ value: string }>(secretCheckStatement, [check]);
  const [fact] = await keep();
  // No row: another node has stored its own in this very moment, and now it can be seen.
  return (fact ?? (await keep())[0])?.value;
}

const findSecretCheckStatement = pooled(
  "find_secret_check",
  "select value from facts where name = 'key-secret'",
);

/** The check value of the secret that keys are made with, if one is stored. */
export async function findSecretCheck(db: Database): Promise<string | undefined> {
  const [fact] = await db.query<{ value: string }>(findSecretCheckStatement);
  return fact?.value;
}

const replaceSecretCheckStatement = pooled(
  "replace_secret_check",
  `insert into facts (name, value) values ('key-secret', $1) on conflict (name) do update set value = excluded.value`,
);

export async function replaceSecretCheck(tx: Database, check: string): Promise<void> {
  await tx.query(replaceSecretCheckStatement, [check]);
}

const hasKeysStatement = pooled("has_keys", `select exists (select from keys) as "hasKeys"`);

export async function hasKeys(db: Database): Promise<boolean> {
  const [row] = await db.query<{ hasKeys: boolean }>(hasKeysStatement);
  return row?.hasKeys === true;
}

const revokeAllStatement = pooled(
  "revoke_all_keys",
  `with revoked as (update keys set revoked_at = $1::timestamptz where revoked_at is null returning id)
   select count(*) as count from revoked`,
);

/** Ends every key of every organization and returns how many there were. */
export async function revokeAllKeys(tx: Database, now: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(revokeAllStatement, [instantText(now)]);
  return row?.count ?? 0;
}

/** Requests with one key on one day of its organization. */
export interface UsedKey {
  readonly organizationId: string;
  readonly day: string;
  readonly keyId: string;
  readonly requests: number;
  /** Of those, the ones that the gate did not let in. */
  readonly refused: number;
}

// Rows are locked in one order, so that two nodes cannot deadlock. A key may have counted twice for one day.
const addUsageStatement = pooled(
  "add_key_usage",
  `insert into key_usage as u (organization_id, day, key_id, requests, refused)
   select organization_id, day, key_id, sum(requests), sum(refused)
   from unnest($1::uuid[], $2::date[], $3::uuid[], $4::bigint[], $5::bigint[])
     as n (organization_id, day, key_id, requests, refused)
   -- One that was deleted since has no counts.
   where exists (select from organizations o where o.id = n.organization_id)
     and ${isHere("n.organization_id")}
   group by 1, 2, 3 order by 1, 2, 3
   on conflict (organization_id, day, key_id)
   do update set requests = u.requests + excluded.requests, refused = u.refused + excluded.refused`,
);

export async function addKeyUsage(db: Pick<Database, "query">, used: readonly UsedKey[]): Promise<void> {
  await db.query(addUsageStatement, [
    used.map(({ organizationId }) => organizationId),
    used.map(({ day }) => day),
    used.map(({ keyId }) => keyId),
    used.map(({ requests }) => requests),
    used.map(({ refused }) => refused),
  ]);
}
