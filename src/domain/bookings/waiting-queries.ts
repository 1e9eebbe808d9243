import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { Waiting } from "./schema.ts";

/** The lines for sessions. Whoever writes a place in one has locked the session. */

/** A place in the line. */
export interface StoredWaiting {
  readonly id: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly joinedAt: string;
  readonly leftAt?: string;
}

const waitingColumns = `
  w.id, w.client_id as "clientId", w.session_id as "sessionId", w.joined_at as "joinedAt", w.left_at as "leftAt"`;

const findWaitingStatement = pooled(
  "find_waiting",
  `select ${waitingColumns} from waiting w where w.organization_id = $1 and w.id = $2`,
);

export async function findWaiting(
  db: Database,
  organizationId: string,
  id: string,
): Promise<StoredWaiting | undefined> {
  const [waiting] = await db.query<StoredWaiting>(findWaitingStatement, [organizationId, id]);
  return waiting;
}

const lineStatement = pooled(
  "list_line",
  `select ${waitingColumns} from waiting w
   where w.organization_id = $1 and w.session_id = $2 and w.left_at is null order by w.joined_at, w.id`,
);

/** Who waits for a session, the first in line first. */
export function listLine(db: Database, organizationId: string, sessionId: string): Promise<StoredWaiting[]> {
  return db.query<StoredWaiting>(lineStatement, [organizationId, sessionId]);
}

/** A place in the line as it is answered; undefined if there is none. */
export async function readWaiting(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Waiting | undefined> {
  const waiting = await findWaiting(db, organizationId, id);
  if (!waiting) return undefined;
  const { leftAt, ...shown } = waiting;
  if (leftAt !== undefined) return shown;
  const line = await listLine(db, organizationId, waiting.sessionId);
  return { ...shown, position: line.findIndex((other) => other.id === waiting.id) + 1 };
}

const joinStatement = pooled(
  "join_waiting",
  `insert into waiting (organization_id, id, session_id, client_id, joined_at) values ($1, $2, $3, $4, $5)`,
);

export async function insertWaiting(
  tx: Database,
  organizationId: string,
  waiting: { readonly id: string; readonly sessionId: string; readonly clientId: string },
  at: string,
): Promise<void> {
  await tx.query(joinStatement, [organizationId, waiting.id, waiting.sessionId, waiting.clientId, at]);
}

const leaveStatement = pooled(
  "leave_waiting",
  `update waiting set left_at = $4, booking_id = $5
   where organization_id = $1 and session_id = $2 and client_id = $3 and left_at is null`,
);

/** Closes the place of a client in the line, if there is one; with what it became. */
export async function leaveLine(
  tx: Database,
  organizationId: string,
  { sessionId, clientId }: { readonly sessionId: string; readonly clientId: string },
  at: string,
  bookingId?: string,
): Promise<void> {
  await tx.query(leaveStatement, [organizationId, sessionId, clientId, at, bookingId ?? null]);
}

const closeLinesStatement = pooled(
  "close_lines",
  `update waiting set left_at = $3 where organization_id = $1 and session_id = any ($2::uuid[]) and left_at is null`,
);

/** Ends the lines of sessions that do not take place. */
export async function closeLines(
  tx: Database,
  organizationId: string,
  sessionIds: readonly string[],
  at: string,
): Promise<void> {
  await tx.query(closeLinesStatement, [organizationId, sessionIds, at]);
}
