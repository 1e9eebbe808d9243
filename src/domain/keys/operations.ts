import { randomBytes } from "node:crypto";
import { refusal } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import type { AuditAction } from "../audit/values.ts";
import { findOrganization } from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import type { Outcome } from "../writes/recorded-write.ts";
import {
  findSecretCheck,
  hasKeys,
  insertKey,
  type KeyRecord,
  keepSecretCheck,
  lockKey,
  replaceSecretCheck,
  revokeAllKeys,
  revokeKeyRow,
  shortenKey,
} from "./queries.ts";
import { composeKey, hashKey, KEY_ENTROPY_BYTES, secretCheck } from "./rules.ts";

/** A key with its secret: the only moment at which it can be seen. */
export type MintedKey = KeyRecord & { readonly key: string };

export interface NewKey {
  readonly organizationId: string;
  readonly name?: string | undefined;
  readonly lifetimeSeconds?: number | undefined;
}

/** A key by its id, of one organization or of any. */
interface NamedKey {
  readonly id: string;
  readonly organizationId?: string | undefined;
}

/** What the operator does to keys, of whatever organization they are. The staff does the same to those of its own. */

export function mintKey(db: Database, secret: string, actor: string, given: NewKey): Promise<MintedKey> {
  return byOperator(db, actor, "mintKey", (tx) => mint(tx, secret, given));
}

export function revokeKey(db: Database, actor: string, id: string): Promise<KeyRecord> {
  return byOperator(db, actor, "revokeKey", (tx) => revoke(tx, { id }));
}

export function rotateKey(
  db: Database,
  secret: string,
  actor: string,
  id: string,
  overlapSeconds: number,
): Promise<MintedKey> {
  return byOperator(db, actor, "rotateKey", (tx) => rotate(tx, secret, { id }, overlapSeconds));
}

function byOperator<Key extends KeyRecord>(
  db: Database,
  actor: string,
  action: AuditAction,
  work: (tx: Database) => Promise<Outcome<Key>>,
): Promise<Key> {
  return db.transaction(async (tx) => {
    const { result, entry } = await work(tx);
    await recordAudit(tx, actor, { ...entry, action, organizationId: result.organizationId });
    return result;
  });
}

export async function mint(tx: Database, secret: string, given: NewKey): Promise<Outcome<MintedKey>> {
  if (!(await findOrganization(tx, given.organizationId))) throw unknownOrganization();
  const result = await storeNewKey(tx, secret, given);
  const { id: subject, name, expiresAt } = result;
  return { result, entry: { subject, details: { name, expiresAt } } };
}

export async function revoke(tx: Database, named: NamedKey): Promise<Outcome<KeyRecord>> {
  const now = await tx.now();
  const key = await lockKnown(tx, named, now);
  const result = await revokeKeyRow(tx, key, now);
  if (!result) throw new Error("a key that is locked is gone");
  return { result, entry: { subject: result.id } };
}

/**
 * A new key of the same name and lifetime; the old one goes on working for the overlap, so that callers can
 * be changed over without an outage.
 */
export async function rotate(
  tx: Database,
  secret: string,
  named: NamedKey,
  overlapSeconds: number,
): Promise<Outcome<MintedKey>> {
  const now = await tx.now();
  const old = await lockKnown(tx, named, now);
  if (old.status !== "active") throw refusal("key_not_active", { params: { status: old.status } });
  const { organizationId, name, lifetimeSeconds } = old;
  const result = await storeNewKey(tx, secret, { organizationId, name, lifetimeSeconds });
  await shortenKey(tx, old, overlapSeconds, now);
  return { result, entry: { subject: old.id, details: { newKeyId: result.id, overlapSeconds } } };
}

/** Whether this is the secret of the database's keys. The first one that is shown to a database is. */
export async function acceptSecret(db: Database, secret: string): Promise<boolean> {
  const check = secretCheck(secret);
  return (await keepSecretCheck(db, check)) === check;
}

/** Whether `acceptSecret` would accept it. Nothing is written, and the schema may be any but none. */
export async function wouldAcceptSecret(db: Database, secret: string): Promise<boolean> {
  const check = secretCheck(secret);
  return ((await findSecretCheck(db)) ?? check) === check;
}

/** A new secret for a database that has no key yet; undefined if it has one, which the new secret would lock out. */
export async function acceptSecretWithoutKeys(
  db: Database,
  makeSecret: () => Promise<string>,
): Promise<string | undefined> {
  if (await hasKeys(db)) return undefined;
  const secret = await makeSecret();
  await replaceSecretCheck(db, secretCheck(secret));
  return secret;
}

/** After the secret was lost: no key that was made with it can be used again, so all of them end. */
export async function replaceSecret(db: Database, secret: string, actor: string): Promise<number> {
  return db.transaction(async (tx) => {
    const revokedKeys = await revokeAllKeys(tx, await tx.now());
    await replaceSecretCheck(tx, secretCheck(secret));
    await recordAudit(tx, actor, { action: "key.replace-secret", details: { revokedKeys } });
    return revokedKeys;
  });
}

async function lockKnown(
  tx: Database,
  { id, organizationId }: NamedKey,
  now: number,
): Promise<NonNullable<Awaited<ReturnType<typeof lockKey>>>> {
  const key = await lockKey(tx, id, now);
  if (!key || (organizationId !== undefined && key.organizationId !== organizationId))
    throw refusal("no_key");
  return key;
}

async function storeNewKey(tx: Database, secret: string, given: NewKey): Promise<MintedKey> {
  const key = composeKey(randomBytes(KEY_ENTROPY_BYTES));
  const now = await tx.now();
  const stored = await insertKey(tx, { ...given, id: newId(now), hash: hashKey(key, secret) }, now);
  return { ...stored, key };
}
