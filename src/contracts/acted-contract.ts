import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { releaseBookings } from "../bookings/contract-bookings.ts";
import { type Actor, requirePlace } from "../core/actor.ts";
import { newId } from "../core/ids.ts";
import { type ChangeCounts, NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { anySlot } from "../organizations/queries.ts";
import type { ContractTerm, TermChange } from "./changes.ts";
import { type ContractStatus, nextChangeAt } from "./course.ts";
import { countContracts, setDueAt } from "./course-queries.ts";
import { inOrganization, type OpenOrganization } from "./open-organization.ts";
import { unknownContract } from "./rules.ts";
import type { StaffContract } from "./schema.ts";
import * as queries from "./staff-queries.ts";

/** What operations on a contract begin and end with: it is locked, the change is written, what was done is recorded. */

/** What is recorded of an operation on a contract. */
export interface ContractEntry {
  readonly action: AuditAction;
  readonly contractId: string;
  readonly reason?: string | undefined;
}

interface ContractChange {
  /** Whether anything is another than before. */
  readonly isChanged: boolean;
  /** By how many the totals of contracts change. */
  readonly counts?: ReadonlyMap<ContractStatus, number>;
  readonly details: Readonly<Record<string, unknown>>;
  /** Of the audit entry, if the contract refers to it. */
  readonly auditId?: string;
  readonly released?: ChangeCounts;
}

/** What is done to the contract that an operation is about. */
type Change = (open: OpenOrganization, contract: queries.LockedContract) => Promise<ContractChange>;

export function changeContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  entry: ContractEntry,
  change: Change,
): Promise<Written<StaffContract>> {
  return inOrganization(db, organizationId, (open) => changeContractWithin(open, actor, entry, change));
}

/**
 * As `changeContract`, in an organization that is open. Moves the version if anything is another than before, and records
 * what was done in any case.
 */
export async function changeContractWithin(
  open: OpenOrganization,
  actor: Actor,
  { action, contractId, reason }: ContractEntry,
  change: Change,
): Promise<Written<StaffContract>> {
  const { tx, organizationId } = open;
  const contract = await lockKnownContract(tx, actor, organizationId, contractId);
  const {
    isChanged,
    counts = new Map(),
    details,
    auditId: id,
    released = NO_CHANGES,
  } = await change(open, contract);
  if (isChanged) await countContracts(tx, organizationId, counts, anySlot());
  const { clientId } = contract;
  const auditId = await recordAudit(tx, actor.name, {
    ...(id !== undefined && { id }),
    action,
    organizationId,
    subject: contract.id,
    clientId,
    contractId: contract.id,
    reason,
    details,
  });
  const result = await queries.readContract(tx, organizationId, contract.id);
  return { auditId, result, changes: { ...released, contracts: released.contracts + (isChanged ? 1 : 0) } };
}

/** Changes the term of a contract: its dates, pauses and status, and the bookings that they no longer cover. */
export function changeTerm(
  db: Database,
  actor: Actor,
  organizationId: string,
  entry: ContractEntry,
  rule: (
    open: OpenOrganization,
    term: ContractTerm,
    contract: queries.LockedContract,
  ) => TermChange | Promise<TermChange>,
): Promise<Written<StaffContract>> {
  return changeContract(db, actor, organizationId, entry, async (open, contract) => {
    const before = termOf(contract);
    const { term, released } = await rule(open, before, contract);
    const auditId = newId(open.now);
    const { isChanged, isShown } = await storeTerm(open, contract, before, term, auditId);
    const freed =
      released && (await releaseBookings(open, contract.id, released, { auditId, isTouched: isShown }));
    const counts = new Map<ContractStatus, number>();
    if (before.status !== term.status) counts.set(before.status, -1).set(term.status, 1);
    return {
      isChanged,
      counts,
      auditId,
      details: termDetails(before, term),
      ...(freed && { released: freed }),
    };
  });
}

function termOf(contract: queries.LockedContract): ContractTerm {
  const { status, startDate, endDate = "", cancelledAt, cancelledBy, agreedEndDate, pauses } = contract;
  // Only if it is still as the cancellation left it: somebody may have ended it since.
  const closed = pauses.find(({ id }) => id === contract.openPause?.id);
  const isAsLeft = closed ? closed.lastDay === endDate : (contract.openPause?.firstDay ?? "") > endDate;
  const openPause = isAsLeft ? contract.openPause : undefined;
  return {
    status,
    startDate,
    endDate: contract.endDate,
    cancelledAt,
    pauses,
    // What was not cancelled here ends as agreed.
    agreedEndDate: cancelledBy === undefined ? contract.endDate : agreedEndDate,
    ...(cancelledBy !== undefined && { cancellation: { openPause } }),
  };
}

/** Whether anything is another than before, and whether the API shows it. */
async function storeTerm(
  { tx, organizationId, zone, now, at }: OpenOrganization,
  contract: queries.LockedContract,
  before: ContractTerm,
  term: ContractTerm,
  auditId: string,
): Promise<{ readonly isChanged: boolean; readonly isShown: boolean }> {
  const isShown =
    before.status !== term.status ||
    before.endDate !== term.endDate ||
    before.cancelledAt !== term.cancelledAt;
  const isSame = !isShown && before.agreedEndDate === term.agreedEndDate && isSamePauses(before, term);
  if (isSame) return { isChanged: false, isShown };
  const isNewCancellation = term.cancelledAt !== undefined && term.cancelledAt !== before.cancelledAt;
  await queries.writeTerm(tx, organizationId, {
    id: contract.id,
    status: term.status,
    endDate: term.endDate,
    agreedEndDate: term.agreedEndDate,
    cancelledAt: term.cancelledAt,
    cancelledBy: isNewCancellation
      ? auditId
      : term.cancelledAt === undefined
        ? undefined
        : contract.cancelledBy,
    nextChangeAt: nextChangeAt(term, zone, now),
    updatedAt: isShown ? at : undefined,
  });
  if (!isSamePauses(before, term)) await queries.writePauses(tx, organizationId, contract.id, term.pauses);
  await setDueAt(tx, organizationId);
  return { isChanged: true, isShown };
}

function isSamePauses({ pauses: one }: ContractTerm, { pauses: other }: ContractTerm): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, lastDay }, place) => other[place]?.id === id && other[place]?.lastDay === lastDay)
  );
}

/** Dates and words before and after, as far as they differ; with a cancellation, what undoes it. */
function termDetails(before: ContractTerm, after: ContractTerm): Record<string, unknown> {
  const members = ["status", "endDate", "cancelledAt", "pauses"] as const;
  const changed = members.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (term: ContractTerm) => Object.fromEntries(changed.map((name) => [name, term[name]]));
  const openPause = after.cancellation?.openPause;
  return { before: pick(before), after: pick(after), ...(openPause && { openPause }) };
}

/** The contract, which nobody else can change now. */
export async function lockKnownContract(
  tx: Database,
  actor: Actor,
  organizationId: string,
  contractId: string,
): Promise<queries.LockedContract> {
  const contract = await queries.lockContract(tx, organizationId, contractId);
  if (!contract) throw unknownContract();
  requirePlace(actor, contract);
  return contract;
}
