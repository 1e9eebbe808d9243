import { instantText } from "../../core/clock.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere } from "../../db/elsewhere.ts";
import { pooled, read } from "../../db/statements.ts";
import type { OrganizationStatus } from "../organizations/values.ts";
import { CHALLENGE_MS, type CheckedPasskey, type KnownPasskey, type PasskeyState } from "./rules.ts";
import type { Passkey } from "./schema.ts";

const columns = `p.id, p.name, p.created_at as "createdAt", p.last_used_at as "lastUsedAt"`;

const listStatement = read(
  "list_passkeys",
  `select ${columns} from passkeys p where p.organization_id = $1 and p.staff_id = $2 order by p.id`,
);

/** Those of one person, the oldest first. */
export function listPasskeys(db: Database, organizationId: string, staffId: string): Promise<Passkey[]> {
  return db.query<Passkey>(listStatement, [organizationId, staffId]);
}

const findStatement = read(
  "find_passkey",
  `select ${columns} from passkeys p where p.organization_id = $1 and p.staff_id = $2 and p.id = $3`,
);

export async function findPasskey(
  db: Database,
  organizationId: string,
  staffId: string,
  id: string,
): Promise<Passkey | undefined> {
  const [passkey] = await db.query<Passkey>(findStatement, [organizationId, staffId, id]);
  return passkey;
}

const credentialsStatement = read(
  "list_passkey_credentials",
  `select credential_id as "credentialId" from passkeys where organization_id = $1 and staff_id = $2 order by id`,
);

/** By what authenticators know the passkeys of a person. */
export async function listCredentialIds(
  db: Database,
  organizationId: string,
  staffId: string,
): Promise<Buffer[]> {
  const rows = await db.query<{ credentialId: Buffer }>(credentialsStatement, [organizationId, staffId]);
  return rows.map(({ credentialId }) => credentialId);
}

const signedInStatement = pooled(
  "is_signed_in",
  "select from sign_ins where organization_id = $1 and id = $2 and ended_at is null",
);

/** Whether a sign-in goes on. The person must be locked: who ends all sign-ins of somebody locks them first. */
export async function isSignedIn(tx: Database, organizationId: string, signInId: string): Promise<boolean> {
  return (await tx.query(signedInStatement, [organizationId, signInId])).length > 0;
}

export interface NewPasskey extends CheckedPasskey {
  readonly id: string;
  readonly staffId: string;
  readonly name: string;
  readonly at: string;
}

const insertStatement = pooled(
  "insert_passkey",
  `insert into passkeys (organization_id, id, staff_id, name, credential_id, public_key, sign_count, challenged_at,
     created_at, is_synced)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (organization_id, credential_id) do nothing returning id`,
);

/** Whether it was stored: false if it is there already, whoever's it is. */
export async function insertPasskey(
  tx: Database,
  organizationId: string,
  passkey: NewPasskey,
): Promise<boolean> {
  const { id, staffId, name, credentialId, publicKey, signCount, challengedAt, at, isSynced } = passkey;
  const key = [id, staffId, name, credentialId, publicKey];
  const values = [organizationId, ...key, signCount, instantText(challengedAt), at, isSynced];
  return (await tx.query(insertStatement, values)).length > 0;
}

const deleteStatement = pooled(
  "delete_passkey",
  `delete from passkeys p where p.organization_id = $1 and p.staff_id = $2 and p.id = $3 returning ${columns}`,
);

export async function deletePasskey(
  tx: Database,
  organizationId: string,
  staffId: string,
  id: string,
): Promise<Passkey | undefined> {
  const [passkey] = await tx.query<Passkey>(deleteStatement, [organizationId, staffId, id]);
  return passkey;
}

/** A passkey that somebody is about to sign in with, and whose it is. */
export interface PresentedPasskey extends KnownPasskey {
  readonly id: string;
  readonly organizationStatus: OrganizationStatus;
  readonly elsewhere?: Elsewhere;
  /** The stored password of the person, which changes when everything of theirs ends. */
  readonly password: string;
}

const presentedStatement = read(
  "find_presented_passkey",
  `select p.id, p.public_key as "publicKey", p.sign_count as "signCount", p.is_synced as "isSynced",
     o.status as "organizationStatus", ${ELSEWHERE} as elsewhere, s.password
   from passkeys p
   join staff s on s.organization_id = p.organization_id and s.id = p.staff_id and s.status = 'active'
   join organizations o on o.id = p.organization_id
   where p.organization_id = $1 and p.staff_id = $2 and p.credential_id = $3`,
);

export async function findPresented(
  db: ShortReads,
  organizationId: string,
  staffId: string,
  credentialId: Buffer,
): Promise<PresentedPasskey | undefined> {
  const [found] = await db.query<PresentedPasskey>(presentedStatement, [
    organizationId,
    staffId,
    credentialId,
  ]);
  return found;
}

// Of two answers at once that both fit what was stored, one counts if it is the same answer, or if the counter does not grow.
// The challenge answered last is also stored apart, for nodes of the release before, which take later ones alone.
const useStatement = pooled(
  "use_passkey",
  `update passkeys set sign_count = $3, is_synced = $4, last_used_at = $6,
     challenged_at = greatest(challenged_at, $5::timestamptz),
     answered = array(select a from unnest(answered) a where a > $7::timestamptz) || $5::timestamptz
   where organization_id = $1 and id = $2 and challenged_at <> $5 and $5 <> all (answered)
     and ($4 or sign_count < $3 or (sign_count = 0 and $3 = 0))
   returning id`,
);

/** Whether it was used: false if this answer was used before, a copy was used meanwhile, or it is gone. */
export async function writePasskeyUsed(
  tx: Database,
  organizationId: string,
  id: string,
  { signCount, isSynced, challengedAt }: PasskeyState,
  now: number,
): Promise<boolean> {
  const [at, oldest] = [instantText(now), instantText(now - CHALLENGE_MS)];
  const values = [organizationId, id, signCount, isSynced, instantText(challengedAt), at, oldest];
  return (await tx.query(useStatement, values)).length > 0;
}
