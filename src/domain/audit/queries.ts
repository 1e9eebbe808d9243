import { userInfo } from "node:os";
import type { Actor } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled, replanned } from "../../db/statements.ts";
import { timestampText } from "../../db/timestamps.ts";
import type { AuditAction } from "./values.ts";

/**
 * The trail of what operators, staff and API keys did: every record written by an operation of the application, the API or
 * the command line, every import and restore, and also who signed in and who took a list as a file. The entry of a write is
 * written in its transaction.
 */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: AuditAction;
  readonly organizationId?: string;
  /** What it was done to: the id of a key, organization or location. Never a secret, never a member's data. */
  readonly subject?: string;
  /** The `X-Request-Id` of a write by an API key, or of a list taken as a file. */
  readonly requestId?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What an operation says of what it did. */
export interface EntryContent {
  readonly subject?: string;
  /** Whom and what it concerns, so that an entry is found from there. */
  readonly clientId?: string;
  readonly contractId?: string;
  readonly sessionId?: string;
  /** As whoever did it gave it. */
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface NewAuditEntry extends EntryContent {
  /** Made unless given. */
  readonly id?: string;
  readonly action: AuditAction;
  readonly organizationId?: string;
  /** The `X-Request-Id` of a write by an API key, or of a list taken as a file. */
  readonly requestId?: string | undefined;
}

const COLUMNS =
  "id, organization_id, actor, action, subject, details, at, client_id, contract_id, session_id, reason, request_id";

const insertStatement = pooled(
  "insert_audit",
  `insert into audit (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

/** Writes an entry and returns its id. */
export async function recordAudit(tx: Database, actor: string, entry: NewAuditEntry): Promise<string> {
  const values = entryValues(await tx.now(), actor, entry);
  await tx.query(insertStatement, values);
  return values[0];
}

/** As an entry is inserted that stands for a request with a key: `$13` is for whoever inserts it. */
export const INSERTED_WITH_REQUEST = `(${COLUMNS}, request_key, request_hash, result)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, decode($15, 'hex'), $16)`;

/** The first twelve values of an entry. */
export function entryValues(now: number, actor: string, entry: NewAuditEntry): [string, ...unknown[]] {
  return [
    entry.id ?? newId(now),
    entry.organizationId ?? null,
    actor,
    entry.action,
    entry.subject ?? null,
    JSON.stringify(entry.details ?? {}),
    instantText(now),
    entry.clientId ?? null,
    entry.contractId ?? null,
    entry.sessionId ?? null,
    entry.reason ?? null,
    entry.requestId ?? null,
  ];
}

/** Whom somebody tried to sign in as. */
export interface TriedAccount {
  readonly organizationId: string;
  readonly staffId: string;
}

// Counted in one entry an hour for each account, and in one for all that is nobody's: however often somebody tries, the
// trail does not grow by more.
const failedSignInStatement = pooled(
  "record_failed_sign_in",
  `insert into audit as a (id, organization_id, subject, at, actor, action, details)
   select t.id, t.organization_id, t.staff_id, $4::timestamptz, 'unknown', 'signIn.failed', $5::jsonb
   from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (id, organization_id, staff_id)
   where ${isHere("t.organization_id")}
   -- So that two of them wait for each other in one direction only.
   order by t.organization_id, t.staff_id
   on conflict (organization_id, subject, (date_trunc('hour', at at time zone 'UTC'))) where action = 'signIn.failed'
   do update set details = excluded.details || jsonb_build_object('tries', (a.details ->> 'tries')::int + 1)`,
);

/**
 * Records that somebody failed to sign in, for each account that their address stands for: never the address, which may be
 * anything that somebody typed. One that is nobody's is recorded too, for the operator, and costs as much.
 */
export async function recordFailedSignIn(
  shared: SharedDatabase,
  accounts: readonly TriedAccount[],
): Promise<void> {
  const db = shared.for(accounts[0]?.organizationId ?? "");
  const now = await db.now();
  const tried = accounts.length > 0 ? accounts : [{ organizationId: null, staffId: null }];
  await db.query(failedSignInStatement, [
    tried.map(() => newId(now)),
    tried.map(({ organizationId }) => organizationId),
    tried.map(({ staffId }) => staffId),
    instantText(now),
    JSON.stringify({ tries: 1, lastAt: instantText(now) }),
  ]);
}

/** What an operator looks for in the trail. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  /** The id of whatever it was done to, or of whom it concerns. */
  readonly subject?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Instants in milliseconds; the second is not included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const isFound = `($1::uuid is null or organization_id = $1)
  and ($2::text is null or actor = $2)
  and ($3::text is null or $3 in (subject, client_id::text, contract_id::text, session_id::text))
  and ($4::text is null or action = $4)
  and ($5::timestamptz is null or at >= $5)
  and ($6::timestamptz is null or at < $6)`;

// Planned for its values each time: a condition that is not given is then no condition.
const listStatement = replanned(
  `select id, organization_id as "organizationId", at, actor, action, coalesce(subject, client_id::text) as subject,
     request_id as "requestId", details
   from audit where ${isFound} order by id desc limit $7`,
);

const countStatement = replanned(`select count(*) as total from audit where ${isFound}`);

/** The newest entries first, at most `limit`, and how many there are in all. */
export async function listAudit(
  db: Database,
  organizationId: string | undefined,
  limit: number,
  { actor, subject, action, from, to }: AuditFilter = {},
): Promise<{ data: AuditEntry[]; total: number }> {
  const values = [
    organizationId,
    actor,
    subject,
    action,
    from === undefined ? from : timestampText(from),
    to === undefined ? to : timestampText(to),
  ].map((value) => value ?? null);
  const [data, [count]] = await Promise.all([
    db.query<AuditEntry>(listStatement, [...values, limit]),
    db.query<{ total: number }>(countStatement, values),
  ]);
  return { data, total: count?.total ?? data.length };
}

/** Whoever sits at the keyboard, as the operating system knows them. */
export function operator(): Actor {
  return { name: `operator:${operatingSystemUser()}`, role: undefined, locationIds: undefined };
}

function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the user database, as in many containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
