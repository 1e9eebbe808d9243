import { instantText } from "../../core/clock.ts";
import type { ChangeReason } from "../../core/reasons.ts";
import { REASON_SAID, sayReason } from "../../db/change-reason.ts";
import type { Database } from "../../db/database.ts";
import { TRANSACTION_TIME } from "../../db/read-clock.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { pausesJson } from "./pauses.ts";
import type { Pause } from "./status-timeline.ts";
import { CONTRACT_STATUSES, type ContractStatus } from "./values.ts";

/** What due changes read and write: the status timelines of contracts, and when their organization is to be looked at again. */

/** An organization whose row is locked, as far as due changes need it. */
export interface DueOrganization {
  readonly id: string;
  readonly timezone: string;
  readonly currency: string;
  /** Absent if nothing will change by itself. */
  readonly dueAt?: string;
  /** The day from which it invoices; absent if it does not. */
  readonly invoicesFrom?: string;
  /** How many days after its own an invoice is due. */
  readonly paymentDays: number;
}

/** The same with its settings. */
export interface LockedOrganization extends DueOrganization {
  readonly cancelWindowMinutes: number;
  readonly checkInOpensMinutes: number;
  /** As ISO 8601 counts: 1 is Monday, 7 is Sunday. */
  readonly weekStart: 1 | 7;
}

/** What a transaction begins with: the organization, whose row it has locked, and its instant. */
export interface BegunTransaction {
  readonly organization: LockedOrganization;
  readonly now: number;
}

// The clock and whose changes are made travel with the lock: every write asks for all three.
const lockStatementFor = (mode: "share" | "no key update") =>
  pooled(
    `lock_organization_for_${mode.replaceAll(" ", "_")}`,
    `with ${sayReason("$2")}
     select ${TRANSACTION_TIME} as now, id, timezone, currency, due_at as "dueAt", invoices_from as "invoicesFrom", payment_days as "paymentDays",
       cancel_window_minutes as "cancelWindowMinutes",
       check_in_opens_minutes as "checkInOpensMinutes", week_start as "weekStart"
     from organizations where id = $1 and ${REASON_SAID} for ${mode}`,
  );

// Locked as everybody locks an organization before anything of its own: see `lockOrganization`.
const lockStatement = lockStatementFor("no key update");
const shareStatement = lockStatementFor("share");

/** `reason`: whose changes the transaction makes, if that is not said yet. */
export function lockForWrite(
  tx: Database,
  id: string,
  reason?: ChangeReason,
): Promise<BegunTransaction | undefined> {
  return begin(tx, lockStatement, id, reason);
}

/** Keeps those away who lock the organization for themselves, and none of those who share it. */
export function shareOrganization(
  tx: Database,
  id: string,
  reason?: ChangeReason,
): Promise<BegunTransaction | undefined> {
  return begin(tx, shareStatement, id, reason);
}

async function begin(
  tx: Database,
  statement: Statement,
  id: string,
  reason: ChangeReason | undefined,
): Promise<BegunTransaction | undefined> {
  const [row] = await tx.query<LockedOrganization & { readonly now: number }>(statement, [
    id,
    reason === undefined ? null : JSON.stringify(reason),
  ]);
  if (!row) return undefined;
  const { now, ...organization } = row;
  return { organization, now: now + tx.clockOffsetMs };
}

const dueStatement = pooled(
  "is_organization_due",
  "select 1 as due from organizations where id = $1 and due_at <= $2",
);

/** Whether the status of a contract is to change by now, and has not. */
export async function isDue(db: Database, id: string, now: number): Promise<boolean> {
  return (await db.query(dueStatement, [id, instantText(now)])).length > 0;
}

export interface TimelineRow {
  readonly id: string;
  readonly status: ContractStatus;
  readonly endDate?: string;
  readonly cancelledAt?: string;
  readonly pauses: readonly Pause[];
  readonly nextChangeAt?: string;
}

const timelineColumns = `
  c.id, c.status, c.end_date as "endDate", c.cancelled_at as "cancelledAt", c.next_change_at as "nextChangeAt",
  ${pausesJson("c")} as pauses`;

const dueTimelinesStatement = pooled(
  "lock_due_contracts",
  `select ${timelineColumns} from contracts c
   where c.organization_id = $1 and c.next_change_at <= $2 order by c.id limit $3 for no key update of c`,
);

/** Contracts with a change that is due, some of them. */
export function lockDueTimelines(
  tx: Database,
  organizationId: string,
  now: number,
  limit: number,
): Promise<TimelineRow[]> {
  return tx.query<TimelineRow>(dueTimelinesStatement, [organizationId, instantText(now), limit]);
}

const runningTimelinesStatement = pooled(
  "lock_running_contracts",
  `select ${timelineColumns} from contracts c
   where c.organization_id = $1 and c.status in ('active', 'paused') and ($2::uuid is null or c.id > $2)
     and (c.end_date is not null or c.next_change_at is not null
       or exists (select from contract_pauses p where p.organization_id = $1 and p.contract_id = c.id))
   order by c.id limit $3 for no key update of c`,
);

/** Contracts that are not over and have days on which they change, in the order of their ids, after the given one. */
export function lockRunningTimelines(
  tx: Database,
  organizationId: string,
  after: string | undefined,
  limit: number,
): Promise<TimelineRow[]> {
  return tx.query<TimelineRow>(runningTimelinesStatement, [organizationId, after ?? null, limit]);
}

/** A timeline as it is to be stored, over one that was. */
export interface TimelineWrite {
  readonly id: string;
  readonly before: ContractStatus;
  readonly status: ContractStatus;
  /** When it changed; absent if only the next change is another. */
  readonly changedAt?: number | undefined;
  readonly nextChangeAt?: number | undefined;
}

// `updated_at` moves even if it lies ahead, as an import may have set it.
const writeStatement = pooled(
  "write_contract_timelines",
  `update contracts c set
     status = w.status, next_change_at = w.next_change_at, course_revision = c.course_revision + 1,
     updated_at = greatest(w.changed_at, c.updated_at + interval '1 millisecond')
   from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
     as w (id, status, next_change_at, changed_at)
   where c.organization_id = $1 and c.id = w.id`,
);

const writeNextStatement = pooled(
  "write_next_changes",
  `update contracts c set next_change_at = w.next_change_at
   from unnest($2::uuid[], $3::timestamptz[]) as w (id, next_change_at)
   where c.organization_id = $1 and c.id = w.id`,
);

/** Stores timelines, with the totals if any status is another. */
export async function writeTimelines(
  tx: Database,
  organizationId: string,
  writes: readonly TimelineWrite[],
  slot: number,
): Promise<void> {
  const [changed, same] = [
    writes.filter(({ changedAt }) => changedAt !== undefined),
    writes.filter(({ changedAt }) => changedAt === undefined),
  ];
  if (same.length > 0)
    await tx.query(writeNextStatement, [
      organizationId,
      same.map(({ id }) => id),
      same.map(({ nextChangeAt }) => storedInstant(nextChangeAt)),
    ]);
  if (changed.length === 0) return;
  await tx.query(writeStatement, [
    organizationId,
    changed.map(({ id }) => id),
    changed.map(({ status }) => status),
    changed.map(({ nextChangeAt }) => storedInstant(nextChangeAt)),
    changed.map(({ changedAt }) => storedInstant(changedAt)),
  ]);
  const counts = new Map<ContractStatus, number>();
  const count = (status: ContractStatus, by: number) => counts.set(status, (counts.get(status) ?? 0) + by);
  for (const { before, status } of changed) {
    count(before, -1);
    count(status, 1);
  }
  await countContracts(tx, organizationId, counts, slot);
}

const countStatement = pooled(
  "count_contracts",
  `update organization_counters set
     ${CONTRACT_STATUSES.map((status, index) => `contracts_${status} = contracts_${status} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals of contracts by status. */
export async function countContracts(
  tx: Database,
  organizationId: string,
  counts: ReadonlyMap<ContractStatus, number>,
  slot: number,
): Promise<void> {
  await tx.query(countStatement, [
    organizationId,
    slot,
    ...CONTRACT_STATUSES.map((status) => counts.get(status) ?? 0),
  ]);
}

const setDueStatement = pooled(
  "set_due_at",
  `update organizations o set due_at = n.next
   from (select least(
     (select min(next_change_at) from contracts where organization_id = $1),
     (select min(next_invoice_at) from contracts where organization_id = $1 and next_invoice_at is not null)
   ) as next) n
   where o.id = $1 and o.due_at is distinct from n.next`,
);

/** Lets the organization, whose row is locked, be due with the first status that changes, or the first invoice that is issued. */
export async function setDueAt(tx: Database, organizationId: string): Promise<void> {
  await tx.query(setDueStatement, [organizationId]);
}

/** An instant as it is stored. */
export function storedInstant(instant: number | undefined): string | null {
  return instant === undefined ? null : instantText(instant);
}
