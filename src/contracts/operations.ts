import { createHash } from "node:crypto";
import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { findVisitOn, hasDrawn, releaseBookings } from "../bookings/contract-bookings.ts";
import { dateIn } from "../calendar/zones.ts";
import { type Actor, hasRole, requirePlace } from "../core/actor.ts";
import { instantText } from "../core/clock.ts";
import { MS_PER_DAY } from "../core/dates.ts";
import { type AppError, invalid, notFound, refusal, refuseFaults } from "../core/errors.ts";
import type { Fault } from "../core/faults.ts";
import type { Static } from "../core/fields.ts";
import { newId } from "../core/ids.ts";
import { type ChangeCounts, NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { listLocationIds } from "../locations/queries.ts";
import { anySlot } from "../organizations/queries.ts";
import { lockPlan } from "../plans/queries.ts";
import type { Plan } from "../plans/schema.ts";
import {
  type ContractTerm,
  cancelAfter,
  cancelNow,
  endPauseOfTerm,
  pauseTerm,
  reinstateTerm,
  setEndOfTerm,
  type TermChange,
} from "./changes.ts";
import { type ContractStatus, isOver, nextChangeAt, type Pause, statusKept, statusOn } from "./course.ts";
import {
  countContracts,
  lockRunningCourses,
  lockToSettle,
  setDueAt,
  writeCourses,
} from "./course-queries.ts";
import { inOrganization, type OpenOrganization } from "./open-organization.ts";
import { checkSale } from "./rules.ts";
import type {
  AdjustCredits,
  AnswerTerms,
  BlockAccess,
  CancelContract,
  EndPause,
  PauseContract,
  ReinstateContract,
  SellContract,
  SetEndDate,
  StaffContract,
  UnblockAccess,
  VoidSale,
} from "./schema.ts";
import { settleWithin, zoneOf } from "./settling.ts";
import * as queries from "./staff-queries.ts";
import { endOfTerm } from "./term.ts";

/**
 * What the staff does to contracts. Each operation is one transaction and one audit entry. It works on contracts in which
 * nothing is due, checks in the order that its rule names, and answers with the contract as it is then.
 */

/** Sells a plan to a client. The contract keeps what was agreed, whatever becomes of the plan. */
export async function sellContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof SellContract>,
): Promise<Written<StaffContract>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx, today, now, at, zone } = open;
    const { clientId, planId, startDate = today } = input;
    // The house order of locks: the plan before the client.
    const plan = await lockPlan(tx, organizationId, planId, "share");
    const buyer = await queries.lockBuyer(tx, organizationId, clientId);
    if (!buyer) throw refusal("no_client");
    if (!plan) throw refusal("no_plan");
    requirePlace(actor, plan);
    const place = await choosePlace(open, plan, input.locationIds);
    refuseFaults([...checkSale(input, plan, { today, startDate }), ...place.faults]);
    const priceCents = input.priceCents ?? plan.priceCents;
    if (buyer.isErased) throw refusal("erased_client");
    if (buyer.status === "archived") throw refusal("archived_client");
    if (plan.status === "archived") throw refusal("plan_archived");
    if (priceCents !== plan.priceCents && !hasRole(actor, "manager")) throw refusal("price_needs_manager");
    if (plan.isTrial && (await queries.hasHistory(tx, organizationId, clientId))) throw refusal("trial_used");

    const endDate = endOfTerm(startDate, plan);
    const status = statusOn({ status: "active", endDate, pauses: [] }, today);
    const next = nextChangeAt({ status, endDate, pauses: [] }, zone, now);
    const id = newId(now);
    const contract: queries.NewContract = {
      id,
      clientId,
      planId,
      planName: plan.name,
      priceCents,
      currency: plan.currency,
      isTrial: plan.isTrial,
      billingKind: plan.billingKind,
      ...(plan.billingInterval !== undefined && { billingInterval: plan.billingInterval }),
      startDate,
      ...(endDate !== undefined && { endDate }),
      status,
      accessBlocked: false,
      allLocations: place.allLocations,
      locationIds: place.locationIds,
      terms: plan.terms,
      ...(input.termsResponse !== undefined && { termsResponse: input.termsResponse }),
      entitlements: plan.entitlements.map(({ creditQuantity, ...grant }) => ({
        id: newId(now),
        ...grant,
        ...(creditQuantity !== undefined && { remainingCredits: creditQuantity }),
      })),
    };
    await queries.insertContract(tx, organizationId, contract, { at, nextChangeAt: textOf(next) });
    await countContracts(tx, organizationId, new Map([[status, 1]]), anySlot());
    await setDueAt(tx, organizationId);
    const { termsResponse } = input;
    const auditId = await recordAudit(tx, actor.name, {
      action: "sellContract",
      organizationId,
      subject: id,
      clientId,
      contractId: id,
      details: {
        planId,
        startDate,
        ...(endDate !== undefined && { endDate }),
        priceCents,
        ...(termsResponse !== undefined && { termsResponse, termsSha256: sha256(plan.terms ?? "") }),
      },
    });
    const result = await queries.readContract(tx, organizationId, id);
    return { auditId, result, changes: { ...NO_CHANGES, contracts: 1 } };
  });
}

/** Where the contract can be used: everywhere that the plan is sold for, or at some of those places. */
async function choosePlace(
  { tx, organizationId }: OpenOrganization,
  { allLocations, locationIds }: Plan,
  named: readonly string[] | undefined,
): Promise<{ allLocations: boolean; locationIds: string[]; faults: Fault[] }> {
  if (named === undefined) return { allLocations, locationIds, faults: [] };
  const chosen = named.map((id) => id.toLowerCase());
  const offered = allLocations ? await listLocationIds(tx, organizationId) : locationIds;
  const faults = chosen.flatMap((id, index) =>
    offered.includes(id) ? [] : [{ location: `body.locationIds[${index}]`, code: "not_of_plan" as const }],
  );
  return { allLocations: false, locationIds: [...new Set(chosen)].sort(), faults };
}

const SALE_UNDONE_MS = MS_PER_DAY;

/** Undoes a sale, as if it had not been: the contract is gone. */
export async function voidSale(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId }: Static<typeof VoidSale>,
): Promise<Written<{ readonly id: string }>> {
  return inOrganization(db, organizationId, async ({ tx, now }) => {
    const contract = await lockKnown(tx, actor, organizationId, contractId);
    if (await hasDrawn(tx, organizationId, contractId)) throw refusal("already_drawn");
    if (now - Date.parse(contract.createdAt) > SALE_UNDONE_MS) throw refusal("sale_too_old");
    await queries.deleteContract(tx, organizationId, contractId);
    await countContracts(tx, organizationId, new Map([[contract.status, -1]]), anySlot());
    await setDueAt(tx, organizationId);
    const { clientId, planId, startDate, priceCents } = contract;
    const auditId = await recordAudit(tx, actor.name, {
      action: "voidSale",
      organizationId,
      subject: contractId,
      clientId,
      contractId,
      details: { ...(planId !== undefined && { planId }), startDate, priceCents },
    });
    return { auditId, result: { id: contract.id }, changes: { ...NO_CHANGES, contracts: 1 } };
  });
}

/** Records the client's answer to the agreement. What was accepted stays accepted. */
export async function answerTerms(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, termsResponse }: Static<typeof AnswerTerms>,
): Promise<Written<StaffContract>> {
  return changeContract(
    db,
    actor,
    organizationId,
    { action: "answerTerms", contractId },
    async ({ tx, at }, contract) => {
      const { terms, termsResponse: before } = contract;
      if (terms === undefined) throw refusal("no_terms");
      if (before === "accepted") throw refusal("terms_accepted");
      requireRunning(contract);
      const isChanged = before !== termsResponse;
      if (isChanged) await queries.writeTermsResponse(tx, organizationId, contract.id, termsResponse, at);
      const details = { ...(before && { before }), after: termsResponse, termsSha256: sha256(terms) };
      return { isChanged, details };
    },
  );
}

/** Lets the contract cover no new booking and no check-in. What is booked stands. */
export async function blockAccess(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, reason }: Static<typeof BlockAccess>,
): Promise<Written<StaffContract>> {
  return setBlocked(db, actor, organizationId, { action: "blockAccess", contractId, reason }, true);
}

export async function unblockAccess(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId }: Static<typeof UnblockAccess>,
): Promise<Written<StaffContract>> {
  return setBlocked(db, actor, organizationId, { action: "unblockAccess", contractId }, false);
}

async function setBlocked(
  db: Database,
  actor: Actor,
  organizationId: string,
  entry: ContractEntry,
  isBlocked: boolean,
): Promise<Written<StaffContract>> {
  return changeContract(db, actor, organizationId, entry, async ({ tx, at }, contract) => {
    requireRunning(contract);
    const isChanged = contract.accessBlocked !== isBlocked;
    if (isChanged) await queries.writeAccessBlocked(tx, organizationId, contract.id, isBlocked, at);
    return { isChanged, details: { before: contract.accessBlocked, after: isBlocked } };
  });
}

const MOST_CREDITS = 1_000_000;

/** Adds to a balance of credits, or takes from it. */
export async function adjustCredits(
  db: Database,
  actor: Actor,
  organizationId: string,
  { entitlementId, by, reason }: Static<typeof AdjustCredits>,
): Promise<Written<StaffContract>> {
  if (by === 0) throw invalid([{ location: "body.by", code: "zero" }]);
  return inOrganization(db, organizationId, async (open) => {
    const contractId = await queries.findContractOf(open.tx, organizationId, entitlementId);
    if (contractId === undefined) throw refusal("no_entitlement");
    const entry: ContractEntry = { action: "adjustCredits", contractId, reason };
    return changeOpen(open, actor, entry, async ({ tx, at }, contract) => {
      const entitlement = contract.entitlements.find(({ id }) => id === entitlementId.toLowerCase());
      if (!entitlement) throw refusal("no_entitlement");
      requireRunning(contract);
      const { type, remainingCredits: before = 0 } = entitlement;
      if (type !== "credits") throw invalid([{ location: "body.entitlementId", code: "only_for_credits" }]);
      const after = before + by;
      if (after < 0 || after > MOST_CREDITS)
        throw invalid([
          { location: "body.by", code: "balance_out_of_range", params: { min: 0, max: MOST_CREDITS } },
        ]);
      await queries.writeCredits(tx, organizationId, contract.id, entitlement.id, after, at);
      return { isChanged: true, details: { entitlementId: entitlement.id, before, after } };
    });
  });
}

/** Sets the last day of a contract, or takes it away. */
export async function setEndDate(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, endDate, reason }: Static<typeof SetEndDate>,
): Promise<Written<StaffContract>> {
  const entry: ContractEntry = { action: "setEndDate", contractId, reason };
  return changeTerm(db, actor, organizationId, entry, ({ today }, term) =>
    setEndOfTerm(term, endDate ?? undefined, today),
  );
}

/** Pauses a contract from a day on: nothing is covered on its days, and they are added to the term unless said otherwise. */
export async function pauseContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, firstDay, lastDay, extendsTerm = true, reason }: Static<typeof PauseContract>,
): Promise<Written<StaffContract>> {
  const entry: ContractEntry = { action: "pauseContract", contractId, reason };
  return changeTerm(db, actor, organizationId, entry, async ({ tx, now, today }, term) => {
    const pause: Pause = { id: newId(now), firstDay, ...(lastDay !== undefined && { lastDay }), extendsTerm };
    const visitedOn = await findVisitOn(tx, organizationId, contractId, { firstDay, lastDay });
    return pauseTerm(term, pause, { today, visitedOn });
  });
}

/** Ends a pause before the day on which the client is back. */
export async function endPause(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, pauseId, firstDayBack, reason }: Static<typeof EndPause>,
): Promise<Written<StaffContract>> {
  const entry: ContractEntry = { action: "endPause", contractId, reason };
  return changeTerm(db, actor, organizationId, entry, ({ today }, term) =>
    endPauseOfTerm(term, { pauseId: pauseId?.toLowerCase(), firstDayBack, today }),
  );
}

/** Cancels a contract at once, or with a last day to come. */
export async function cancelContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, now: isNow = false, lastDay, reason }: Static<typeof CancelContract>,
): Promise<Written<StaffContract>> {
  if (isNow && lastDay !== undefined)
    throw invalid([{ location: "body.lastDay", code: "not_together_with", params: { member: "now" } }]);
  if (!isNow && lastDay === undefined)
    throw invalid([{ location: "body.lastDay", code: "required_unless_now" }]);
  const entry: ContractEntry = { action: "cancelContract", contractId, reason };
  return changeTerm(db, actor, organizationId, entry, ({ today, at }, term) =>
    lastDay === undefined ? cancelNow(term, { today, at }) : cancelAfter(term, lastDay, { today, at }),
  );
}

/** Undoes a cancellation that was made here. Bookings that it released are not brought back. */
export async function reinstateContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  { contractId, reason }: Static<typeof ReinstateContract>,
): Promise<Written<StaffContract>> {
  const entry: ContractEntry = { action: "reinstateContract", contractId, reason };
  return changeTerm(db, actor, organizationId, entry, ({ today }, term, { isErased }) => {
    if (isErased) throw refusal("erased_client");
    return reinstateTerm(term, today);
  });
}

/** What is recorded of an operation on a contract. */
interface ContractEntry {
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

type Change = (open: OpenOrganization, contract: queries.LockedContract) => Promise<ContractChange>;

function changeContract(
  db: Database,
  actor: Actor,
  organizationId: string,
  entry: ContractEntry,
  change: Change,
): Promise<Written<StaffContract>> {
  return inOrganization(db, organizationId, (open) => changeOpen(open, actor, entry, change));
}

/** Changes a contract, moves the version if that made a difference, and records what was done in any case. */
async function changeOpen(
  open: OpenOrganization,
  actor: Actor,
  { action, contractId, reason }: ContractEntry,
  change: Change,
): Promise<Written<StaffContract>> {
  const { tx, organizationId } = open;
  const contract = await lockKnown(tx, actor, organizationId, contractId);
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
function changeTerm(
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
  const isCancelledAnew = term.cancelledAt !== undefined && term.cancelledAt !== before.cancelledAt;
  await queries.writeTerm(tx, organizationId, {
    id: contract.id,
    status: term.status,
    endDate: term.endDate,
    agreedEndDate: term.agreedEndDate,
    cancelledAt: term.cancelledAt,
    cancelledBy: isCancelledAnew
      ? auditId
      : term.cancelledAt === undefined
        ? undefined
        : contract.cancelledBy,
    nextChangeAt: textOf(nextChangeAt(term, zone, now)),
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

async function lockKnown(
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

export function unknownContract(): AppError {
  return refusal("no_contract");
}

function requireRunning({ status }: Pick<StaffContract, "status">): void {
  if (isOver(status)) throw refusal("contract_over");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function textOf(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : instantText(instant);
}

const PAGE = 1_000;

/**
 * Ends the contracts whose last day had passed when they were imported as running. An import states facts, so nothing
 * but this ends them; it is done now, whenever it was due.
 */
export async function settleOverdue(
  db: Database,
  actor: Actor,
  organizationId: string,
): Promise<{ readonly contracts: number }> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const organization = await lockToSettle(tx, organizationId);
    if (!organization) throw notFound("There is no organization with this id.");
    await settleWithin(tx, organization);
    const zone = zoneOf(organization.timezone);
    const today = dateIn(zone.name, now);
    let contracts = 0;
    for (let after: string | undefined; ; ) {
      const rows = await lockRunningCourses(tx, organizationId, after, PAGE);
      const writes = rows.flatMap((row) => {
        const status = statusKept(row, today);
        if (status === row.status) return [];
        const next = nextChangeAt({ ...row, status }, zone, now);
        return [{ id: row.id, before: row.status, status, changedAt: now, nextChangeAt: next }];
      });
      await writeCourses(tx, organizationId, writes, anySlot());
      contracts += writes.length;
      after = rows.at(-1)?.id;
      if (rows.length < PAGE) break;
    }
    await setDueAt(tx, organizationId);
    await recordAudit(tx, actor.name, {
      action: "contracts.settle",
      organizationId,
      subject: organizationId,
      details: { contracts },
    });
    return { contracts };
  });
}
