import { randomBytes } from "node:crypto";
import { recordAudit } from "../audit/queries.ts";
import { refusal } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { findOrganization } from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import {
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

/** What an operation on a key that is there is limited to, and what its audit entry is called. */
interface KeyScope {
  /** Only a key of this organization is known; without it, one of any. */
  readonly organizationId?: string | undefined;
  /** Made unless given. */
  readonly auditId?: string | undefined;
}

export async function mintKey(
  db: Database,
  secret: string,
  actor: string,
  given: NewKey & Pick<KeyScope, "auditId">,
): Promise<MintedKey> {
  return db.transaction(async (tx) => {
    if (!(await findOrganization(tx, given.organizationId))) throw unknownOrganization();
    const { auditId, ...wanted } = given;
    const minted = await storeNewKey(tx, secret, wanted);
    await recordAudit(tx, actor, {
      ...(auditId !== undefined && { id: auditId }),
      action: "mintKey",
      organizationId: minted.organizationId,
      subject: minted.id,
      details: { name: minted.name, expiresAt: minted.expiresAt },
    });
    return minted;
  });
}

export async function revokeKey(
  db: Database,
  actor: string,
  id: string,
  { organizationId, auditId }: KeyScope = {},
): Promise<KeyRecord> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    await lockKnown(tx, id, now, organizationId);
    const key = await revokeKeyRow(tx, id, now);
    if (!key) throw new Error("a key that is locked is gone");
    await recordAudit(tx, actor, {
      ...(auditId !== undefined && { id: auditId }),
      action: "revokeKey",
      organizationId: key.organizationId,
      subject: key.id,
    });
    return key;
  });
}

/**
 * A new key of the same name and lifetime; the old one goes on working for the overlap, so that callers can
 * be changed over without an outage.
 */
export async function rotateKey(
  db: Database,
  secret: string,
  actor: string,
  id: string,
  overlapSeconds: number,
  { organizationId, auditId }: KeyScope = {},
): Promise<MintedKey> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const old = await lockKnown(tx, id, now, organizationId);
    if (old.status !== "active") throw refusal("key_not_active", { params: { status: old.status } });
    const minted = await storeNewKey(tx, secret, {
      organizationId: old.organizationId,
      name: old.name,
      lifetimeSeconds: old.lifetimeSeconds,
    });
    await shortenKey(tx, old.id, overlapSeconds, now);
    await recordAudit(tx, actor, {
      ...(auditId !== undefined && { id: auditId }),
      action: "rotateKey",
      organizationId: old.organizationId,
      subject: old.id,
      details: { newKeyId: minted.id, overlapSeconds },
    });
    return minted;
  });
}

/** Whether this is the secret of the database's keys. The first one that is shown to a database is. */
export async function acceptSecret(db: Database, secret: string): Promise<boolean> {
  const check = secretCheck(secret);
  return (await keepSecretCheck(db, check)) === check;
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
  id: string,
  now: number,
  organizationId: string | undefined,
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
