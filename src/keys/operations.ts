import { randomBytes } from "node:crypto";
import { recordAudit } from "../audit/queries.ts";
import { conflict, notFound } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { findOrganization } from "../organizations/queries.ts";
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

export async function mintKey(
  db: Database,
  secret: string,
  actor: string,
  given: NewKey,
): Promise<MintedKey> {
  return db.transaction(async (tx) => {
    if (!(await findOrganization(tx, given.organizationId)))
      throw notFound("There is no organization with this id.");
    const minted = await storeNewKey(tx, secret, given);
    await recordAudit(tx, actor, {
      action: "key.mint",
      organizationId: minted.organizationId,
      subject: minted.id,
      details: { name: minted.name, expiresAt: minted.expiresAt },
    });
    return minted;
  });
}

export async function revokeKey(db: Database, actor: string, id: string): Promise<KeyRecord> {
  return db.transaction(async (tx) => {
    const key = await revokeKeyRow(tx, id, await tx.now());
    if (!key) throw notFound("There is no key with this id.");
    await recordAudit(tx, actor, {
      action: "key.revoke",
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
): Promise<MintedKey> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const old = await lockKey(tx, id, now);
    if (!old) throw notFound("There is no key with this id.");
    if (old.status !== "active") throw conflict(`This key is ${old.status}; mint a new one instead.`);
    const minted = await storeNewKey(tx, secret, {
      organizationId: old.organizationId,
      name: old.name,
      lifetimeSeconds: old.lifetimeSeconds,
    });
    await shortenKey(tx, old.id, overlapSeconds, now);
    await recordAudit(tx, actor, {
      action: "key.rotate",
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

async function storeNewKey(tx: Database, secret: string, given: NewKey): Promise<MintedKey> {
  const key = composeKey(randomBytes(KEY_ENTROPY_BYTES));
  const now = await tx.now();
  const stored = await insertKey(tx, { ...given, id: newId(now), hash: hashKey(key, secret) }, now);
  return { ...stored, key };
}
