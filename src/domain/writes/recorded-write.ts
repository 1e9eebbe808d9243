import type { Actor } from "../../core/actor.ts";
import { instantText } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { type ChangeCounts, NO_CHANGES, type Written } from "../../core/written.ts";
import { recordWrite } from "../audit/list-audit-queries.ts";
import type { EntryContent } from "../audit/queries.ts";
import type { AuditAction } from "../audit/values.ts";
import { refuseOverfull } from "../organizations/limit-queries.ts";
import {
  exclusiveTransaction,
  type OpenOrganization,
  sharedTransaction,
  type WriteCall,
} from "./transactions.ts";

/**
 * The one way through which operations write. An operation says what it did; that it is recorded, once, under which id and
 * how it is undone is known here. Functions that several operations call return what they did, too, and record nothing.
 */

/** What an operation did, and what the trail says of it. */
export interface Outcome<Result> {
  readonly result: Result;
  /** Absent if nothing but the record itself. */
  readonly changes?: ChangeCounts;
  readonly entry: EntryContent;
}

/** What an operation works in: an organization, and the id that its audit entry will have. */
export interface OpenWrite extends OpenOrganization {
  readonly actor: Actor;
  readonly auditId: string;
}

/** The same without the organization: what is locked is the operation's matter. */
export type OpenAccount = Pick<OpenWrite, "tx" | "organizationId" | "now" | "at" | "actor" | "auditId">;

/** An operation as it is called: in a transaction of its own, with its entry. `More` is what its call has beside the usual. */
export type WriteOperation<More, Input, Result> = (
  call: WriteCall & More,
  input: Input,
) => Promise<Written<Result>>;

/** An operation that has the organization for itself: see `exclusiveTransaction`. */
export function exclusiveWrite<Input, Result, More extends object = object>(
  action: AuditAction,
  perform: (open: OpenWrite & More, input: Input) => Promise<Outcome<Result>>,
): WriteOperation<More, Input, Result> {
  return (call, input) =>
    exclusiveTransaction(call, (open) => withinLimit(action, call, open, (write) => perform(write, input)));
}

/** An operation beside others of its kind: see `sharedTransaction`. */
export function sharedWrite<Input, Result, More extends object = object>(
  action: AuditAction,
  perform: (open: OpenWrite & More, input: Input) => Promise<Outcome<Result>>,
): WriteOperation<More, Input, Result> {
  return (call, input) =>
    sharedTransaction(call, (open) => withinLimit(action, call, open, (write) => perform(write, input)));
}

/** An operation on somebody's own account, which does not wait for what is done to the organization. */
export function accountWrite<Input, Result, More extends object = object>(
  action: AuditAction,
  perform: (open: OpenAccount & More, input: Input) => Promise<Outcome<Result>>,
): WriteOperation<More, Input, Result> {
  return (call, input) =>
    call.db.transaction(async (tx) => {
      const now = await tx.now();
      const open = { tx, organizationId: call.organizationId, now, at: instantText(now) };
      return recorded(action, call, open, (write) => perform(write, input));
    });
}

/**
 * What takes away, ends, changes or keeps the desk's day going is never refused for want of room, although it may store a session
 * that was computed until then, or a schedule that takes over from another one.
 */
const DONE_WHEN_FULL: ReadonlySet<AuditAction> = new Set<AuditAction>([
  "archiveClient",
  "eraseClient",
  "undoImport",
  "voidSale",
  "blockAccess",
  "setEndDate",
  "pauseContract",
  "cancelContract",
  "editSchedule",
  "endSchedule",
  "deleteSchedule",
  "editSession",
  "cancelSession",
  "closeDays",
  "releaseUnnamed",
  "endFixedPlace",
  "cancelBooking",
  "checkIn",
  "setAttendance",
  "leaveWaiting",
  "closeLocation",
  "deleteLocation",
  "deleteServiceGroup",
  "archiveServiceType",
  "deleteServiceType",
  "archiveResource",
  "archivePlan",
  "deletePlan",
]);

/** The same for an operation that may add records: one that leaves more of them than the organization may have is refused. */
async function withinLimit<Call extends WriteCall, Result>(
  action: AuditAction,
  call: Call,
  open: OpenOrganization,
  perform: (write: Call & OpenOrganization & { readonly auditId: string }) => Promise<Outcome<Result>>,
): Promise<Written<Result>> {
  const written = await recorded(action, call, open, perform);
  const { organizationId, maxRecords } = call;
  if (maxRecords !== undefined && !DONE_WHEN_FULL.has(action))
    await refuseOverfull(open.tx, organizationId, maxRecords);
  return written;
}

/** Carries out what is recorded as one, within a transaction. */
export async function recorded<
  Open extends Pick<OpenOrganization, "tx" | "now">,
  Call extends WriteCall,
  Result,
>(
  action: AuditAction,
  call: Call,
  open: Open,
  perform: (write: Call & Open & { readonly auditId: string }) => Promise<Outcome<Result>>,
): Promise<Written<Result>> {
  const auditId = newId(open.now);
  const { result, changes = NO_CHANGES, entry } = await perform({ ...call, ...open, auditId });
  const { actor, organizationId, request } = call;
  const written = { ...entry, id: auditId, action, organizationId };
  const kept = request && { ...request, result: request.resultOf(result as never) };
  return {
    result,
    changes,
    entry: await recordWrite(open.tx, actor, written, open.now, kept),
    isKept: kept !== undefined,
  };
}
