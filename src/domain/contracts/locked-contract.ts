import { type Actor, requirePlace } from "../../core/actor.ts";
import { type ChangeCounts, NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import { releaseBookings } from "../bookings/contract-bookings.ts";
import { countContracts } from "../contract-status/queries.ts";
import { nextChangeAt } from "../contract-status/status-timeline.ts";
import type { ContractStatus } from "../contract-status/values.ts";
import { issueInvoices } from "../invoicing/issuing.ts";
import { anySlot } from "../organizations/queries.ts";
import type { OpenWrite, Outcome } from "../writes/recorded-write.ts";
import type { ContractTerm, TermChange } from "./changes.ts";
import { unknownContract } from "./rules.ts";
import type { StaffContract } from "./schema.ts";
import * as queries from "./staff-queries.ts";

/** What operations on a contract begin and end with: it is locked, the change is written, and what was done is said. */

/** The contract that an operation is about, and why it is done. */
export interface ContractToChange {
  readonly contractId: string;
  readonly reason?: string | undefined;
}

interface ContractChange {
  /** Whether anything is another than before. */
  readonly isChanged: boolean;
  /** By how many the totals of contracts change. */
  readonly counts?: ReadonlyMap<ContractStatus, number>;
  readonly details: Readonly<Record<string, unknown>>;
  readonly released?: ChangeCounts;
}

/** Changes a contract, and counts it if anything is another than before. */
export async function changeContract(
  { tx, organizationId, actor }: OpenWrite,
  { contractId, reason }: ContractToChange,
  change: (contract: queries.LockedContract) => Promise<ContractChange>,
): Promise<Outcome<StaffContract>> {
  const contract = await lockKnownContract(tx, actor, organizationId, contractId);
  const { isChanged, counts = new Map(), details, released = NO_CHANGES } = await change(contract);
  if (isChanged) await countContracts(tx, organizationId, counts, anySlot());
  const { id, clientId } = contract;
  return {
    result: await queries.readContract(tx, organizationId, id),
    changes: { ...released, contracts: released.contracts + (isChanged ? 1 : 0) },
    entry: { subject: id, clientId, contractId: id, reason, details },
  };
}

/** Changes the term of a contract: its dates, pauses and status, and the bookings that they no longer cover. */
export function changeTerm(
  open: OpenWrite,
  named: ContractToChange,
  rule: (term: ContractTerm, contract: queries.LockedContract) => TermChange | Promise<TermChange>,
): Promise<Outcome<StaffContract>> {
  return changeContract(open, named, async (contract) => {
    const before = termOf(contract);
    const { term, released } = await rule(before, contract);
    const { isChanged, isShown } = await storeTerm(open, contract, before, term);
    const freed = released && (await releaseBookings(open, contract.id, released, { isTouched: isShown }));
    const counts = new Map<ContractStatus, number>();
    if (before.status !== term.status) counts.set(before.status, -1).set(term.status, 1);
    return { isChanged, counts, details: termDetails(before, term), ...(freed && { released: freed }) };
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
  { tx, organization, organizationId, zone, now, at, auditId }: OpenWrite,
  contract: queries.LockedContract,
  before: ContractTerm,
  term: ContractTerm,
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
  await issueInvoices(tx, organization, zone, now);
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
