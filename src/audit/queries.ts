import { userInfo } from "node:os";
import type { Actor } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { pooled, read } from "../db/statements.ts";

/**
 * The trail of what operators and staff did: every key minted, revoked or rotated, every record written by an operation
 * of the application or the command line, every import and restore. An entry is written in the transaction of the write.
 */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: AuditAction;
  readonly organizationId?: string;
  /** What it was done to: the id of a key, organization or location. Never a secret, never a member's data. */
  readonly subject?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Operations of the application by their names; the others are of the command line alone. */
export const AUDIT_ACTIONS = [
  "organization.create",
  "organization.change",
  "contracts.settle",
  "sellContract",
  "voidSale",
  "answerTerms",
  "blockAccess",
  "unblockAccess",
  "adjustCredits",
  "setEndDate",
  "pauseContract",
  "endPause",
  "cancelContract",
  "reinstateContract",
  "addPlan",
  "editPlan",
  "archivePlan",
  "restorePlan",
  "deletePlan",
  "addSchedule",
  "editSchedule",
  "endSchedule",
  "deleteSchedule",
  "addSession",
  "editSession",
  "cancelSession",
  "reinstateSession",
  "closeDays",
  "releaseUnnamed",
  "book",
  "bookMany",
  "cancelBooking",
  "restoreBooking",
  "checkIn",
  "setAttendance",
  "markRest",
  "unmarkRest",
  "coverBooking",
  "joinWaiting",
  "leaveWaiting",
  "promoteWaiting",
  "markTold",
  "eraseClient",
  "exportClient",
  "addLocation",
  "editLocation",
  "closeLocation",
  "reopenLocation",
  "deleteLocation",
  "addServiceGroup",
  "editServiceGroup",
  "deleteServiceGroup",
  "addServiceType",
  "editServiceType",
  "archiveServiceType",
  "restoreServiceType",
  "deleteServiceType",
  "addResource",
  "editResource",
  "archiveResource",
  "restoreResource",
  "addClient",
  "editClient",
  "archiveClient",
  "restoreClient",
  "editSettings",
  "mintKey",
  "revokeKey",
  "rotateKey",
  "addStaff",
  "editStaff",
  "linkStaff",
  "removeStaff",
  "addPasskey",
  "removePasskey",
  "key.replace-secret",
  "import",
  "restore",
  "demo",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface NewAuditEntry {
  /** Made unless given. */
  readonly id?: string;
  readonly action: AuditAction;
  readonly organizationId?: string;
  readonly subject?: string;
  /** Whom and what it concerns, so that an entry is found from there. */
  readonly clientId?: string;
  readonly contractId?: string;
  readonly sessionId?: string;
  /** As whoever did it gave it. */
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

const insertStatement = pooled(
  "insert_audit",
  `insert into audit (id, organization_id, actor, action, subject, details, at, client_id, contract_id, session_id,
     reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

/** Writes an entry and returns its id. */
export async function recordAudit(tx: Database, actor: string, entry: NewAuditEntry): Promise<string> {
  const now = await tx.now();
  const { id = newId(now) } = entry;
  await tx.query(insertStatement, [
    id,
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
  ]);
  return id;
}

const listStatement = read(
  "list_audit",
  `select id, organization_id as "organizationId", at, actor, action, subject, details
   from audit where $1::uuid is null or organization_id = $1 order by id desc limit $2`,
);

const countStatement = read(
  "count_audit",
  "select count(*) as total from audit where $1::uuid is null or organization_id = $1",
);

/** The newest entries first, at most `limit`, and how many there are in all. */
export async function listAudit(
  db: Database,
  organizationId: string | undefined,
  limit: number,
): Promise<{ data: AuditEntry[]; total: number }> {
  const [data, [count]] = await Promise.all([
    db.query<AuditEntry>(listStatement, [organizationId ?? null, limit]),
    db.query<{ total: number }>(countStatement, [organizationId ?? null]),
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
