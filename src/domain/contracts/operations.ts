import { createHash } from "node:crypto";
import { hasRole, requirePlace } from "../../core/actor.ts";
import { invalid, refusal, refuseFaults } from "../../core/errors.ts";
import type { Fault } from "../../core/faults.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { isOwnAndRecent } from "../../core/undo.ts";
import { NO_CHANGES } from "../../core/written.ts";
import { type Adjustment, findAdjustment, findSale } from "../audit/list-audit-queries.ts";
import { findVisitOn, hasDrawn } from "../bookings/queries.ts";
import { countContracts, setDueAt } from "../contract-status/queries.ts";
import { isOver, nextChangeAt, type Pause, statusOn } from "../contract-status/status-timeline.ts";
import { issueInvoices } from "../invoicing/issuing.ts";
import { hasOpenLocation, listLocationIds } from "../locations/queries.ts";
import { paySale, voidMoneyOfSale } from "../money/operations.ts";
import { checkPaidOn } from "../money/rules.ts";
import type { SalePayment } from "../money/schema.ts";
import { anySlot } from "../organizations/queries.ts";
import { lockPlan } from "../plans/queries.ts";
import type { Plan } from "../plans/schema.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { cancelAfter, cancelNow, endPauseOfTerm, pauseTerm, reinstateTerm, setEndOfTerm } from "./changes.ts";
import { type ContractToChange, changeContract, changeTerm, lockKnownContract } from "./locked-contract.ts";
import { checkSale, SALE_UNDONE_MS } from "./rules.ts";
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
  VoidedSale,
  VoidSale,
} from "./schema.ts";
import * as queries from "./staff-queries.ts";
import { endOfTerm } from "./term.ts";

/**
 * What the staff does to contracts. Each operation is one transaction and one audit entry. It works on contracts in which
 * nothing is due, checks in the order that its rule names, and answers with the contract as it is then.
 */

/** Sells a plan to a client. The contract keeps what was agreed, whatever becomes of the plan. */
export const sellContract = exclusiveWrite(
  "sellContract",
  async (open, input: Static<typeof SellContract>): Promise<Outcome<StaffContract>> => {
    const { tx, today, now, at, zone, actor, organizationId } = open;
    const { clientId, planId, startDate = today } = input;
    // The house order of locks: the plan before the client.
    const plan = await lockPlan(tx, organizationId, planId, "share");
    const buyer = await queries.lockBuyer(tx, organizationId, clientId);
    if (!buyer) throw refusal("no_client");
    if (!plan) throw refusal("no_plan");
    requirePlace(actor, plan);
    const place = await choosePlace(open, plan, input.locationIds);
    const { payment } = input;
    refuseFaults([
      ...checkSale(input, plan, { today, startDate }),
      ...place.faults,
      ...(payment ? checkSalePayment(payment, plan, open) : []),
    ]);
    requirePlace(actor, place);
    const priceCents = input.priceCents ?? plan.priceCents;
    if (buyer.isErased) throw refusal("erased_client");
    if (buyer.status === "archived") throw refusal("archived_client");
    if (plan.status === "archived") throw refusal("plan_archived");
    if (!place.allLocations && !(await hasOpenLocation(tx, organizationId, place.locationIds)))
      throw refusal("place_closed");
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
    await queries.insertContract(tx, organizationId, contract, { at, nextChangeAt: next });
    await countContracts(tx, organizationId, new Map([[status, 1]]), anySlot());
    await issueInvoices(tx, open.organization, zone, now);
    const paymentId =
      payment && (await paySale(open, actor, { clientId, contractId: id, priceCents }, payment));
    const { termsResponse } = input;
    const details = {
      planId,
      startDate,
      ...(endDate !== undefined && { endDate }),
      priceCents,
      ...(paymentId !== undefined && { paymentId }),
      ...(termsResponse !== undefined && { termsResponse, termsSha256: sha256(plan.terms ?? "") }),
    };
    return {
      result: await queries.readContract(tx, organizationId, id),
      changes: { ...NO_CHANGES, contracts: 1 },
      entry: { subject: id, clientId, contractId: id, details },
    };
  },
);

/** A price in another currency than the organization's is not invoiced, so nothing pays it. */
function checkSalePayment(
  { paidOn }: SalePayment,
  plan: Plan,
  { today, organization: { currency } }: OpenOrganization,
): Fault[] {
  return [
    ...(paidOn === undefined ? [] : checkPaidOn(paidOn, today, "body.payment.paidOn")),
    ...(plan.currency === currency
      ? []
      : [{ location: "body.payment", code: "currency_differs" as const, params: { currency } }]),
  ];
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

/** Undoes a sale, as if it had not been: the contract is gone. */
export const voidSale = exclusiveWrite(
  "voidSale",
  async (
    open,
    { contractId, voidPayments }: Static<typeof VoidSale>,
  ): Promise<Outcome<Static<typeof VoidedSale>>> => {
    const { tx, now, actor, organizationId } = open;
    const contract = await lockKnownContract(tx, actor, organizationId, contractId);
    const sale = await findSale(tx, organizationId, contract.id);
    const isOwn = sale !== undefined && isOwnAndRecent(sale, actor.name, now);
    if (!isOwn && !hasRole(actor, "manager")) throw refusal("not_allowed");
    if (await hasDrawn(tx, organizationId, contractId)) throw refusal("already_drawn");
    if (now - Date.parse(contract.createdAt) > SALE_UNDONE_MS) throw refusal("sale_too_old");
    const paid = { contractId: contract.id, paymentId: sale?.paymentId };
    const { invoiceIds, paymentIds } = await voidMoneyOfSale(open, paid, voidPayments);
    await queries.deleteContract(tx, organizationId, contractId);
    await countContracts(tx, organizationId, new Map([[contract.status, -1]]), anySlot());
    await setDueAt(tx, organizationId);
    const { clientId, planId, startDate, priceCents } = contract;
    return {
      result: { id: contract.id, paymentIds },
      changes: { ...NO_CHANGES, contracts: 1 },
      entry: {
        subject: contractId,
        clientId,
        contractId,
        details: {
          ...(planId !== undefined && { planId }),
          startDate,
          priceCents,
          ...(invoiceIds.length > 0 && { invoiceIds }),
          ...(voidPayments && { paymentIds }),
        },
      },
    };
  },
);

/** Records the client's answer to the agreement. What was accepted stays accepted. */
export const answerTerms = exclusiveWrite(
  "answerTerms",
  async (
    open,
    { contractId, termsResponse }: Static<typeof AnswerTerms>,
  ): Promise<Outcome<StaffContract>> => {
    return changeContract(open, { contractId }, async (contract) => {
      const { terms, termsResponse: before } = contract;
      if (terms === undefined) throw refusal("no_terms");
      if (before === "accepted") throw refusal("terms_accepted");
      requireRunning(contract);
      const { tx, organizationId, at } = open;
      const isChanged = before !== termsResponse;
      if (isChanged) await queries.writeTermsResponse(tx, organizationId, contract.id, termsResponse, at);
      const details = { ...(before && { before }), after: termsResponse, termsSha256: sha256(terms) };
      return { isChanged, details };
    });
  },
);

/** Lets the contract cover no new booking and no check-in. What is booked stands. */
export const blockAccess = exclusiveWrite(
  "blockAccess",
  async (open, { contractId, reason }: Static<typeof BlockAccess>): Promise<Outcome<StaffContract>> => {
    return setBlocked(open, { contractId, reason }, true);
  },
);

export const unblockAccess = exclusiveWrite(
  "unblockAccess",
  async (open, { contractId }: Static<typeof UnblockAccess>): Promise<Outcome<StaffContract>> => {
    return setBlocked(open, { contractId }, false);
  },
);

function setBlocked(
  open: OpenWrite,
  named: ContractToChange,
  isBlocked: boolean,
): Promise<Outcome<StaffContract>> {
  return changeContract(open, named, async (contract) => {
    requireRunning(contract);
    const { tx, organizationId, at } = open;
    const isChanged = contract.accessBlocked !== isBlocked;
    if (isChanged) await queries.writeAccessBlocked(tx, organizationId, contract.id, isBlocked, at);
    return { isChanged, details: { before: contract.accessBlocked, after: isBlocked } };
  });
}

const MOST_CREDITS = 1_000_000;

/** Adds to a balance of credits, or takes from it. */
export const adjustCredits = exclusiveWrite(
  "adjustCredits",
  async (
    open,
    { entitlementId, by, reason, undoes }: Static<typeof AdjustCredits>,
  ): Promise<Outcome<StaffContract>> => {
    if (by === 0) throw invalid([{ location: "body.by", code: "zero" }]);
    const { tx, organizationId, at } = open;
    const contractId = await queries.findContractOf(tx, organizationId, entitlementId);
    if (contractId === undefined) throw refusal("no_entitlement");
    return changeContract(open, { contractId, reason }, async (contract) => {
      const entitlement = contract.entitlements.find(({ id }) => id === entitlementId.toLowerCase());
      if (!entitlement) throw refusal("no_entitlement");
      requireRunning(contract);
      const { type, remainingCredits: before = 0 } = entitlement;
      if (type !== "credits") throw invalid([{ location: "body.entitlementId", code: "only_for_credits" }]);
      const undone =
        undoes === undefined ? undefined : await findAdjustment(tx, organizationId, contract.id, undoes);
      if (undoes !== undefined) requireUndoable(undone, entitlement.id, by);
      const after = before + by;
      if (after < 0 || after > MOST_CREDITS)
        throw invalid([
          { location: "body.by", code: "balance_out_of_range", params: { min: 0, max: MOST_CREDITS } },
        ]);
      await queries.writeCredits(tx, organizationId, contract.id, entitlement.id, after, at);
      const details = { entitlementId: entitlement.id, before, after };
      return { isChanged: true, details: undone === undefined ? details : { ...details, undoes: undone.id } };
    });
  },
);

/** An adjustment is undone as a whole and once. Checked under the lock of its contract: of two at once, one is refused. */
function requireUndoable(adjustment: Adjustment | undefined, entitlementId: string, by: number): void {
  if (adjustment?.entitlementId !== entitlementId || adjustment.before - adjustment.after !== by)
    throw invalid([{ location: "body.undoes", code: "adjustment_unknown" }]);
  if (adjustment.undoneBy !== undefined) throw refusal("already_undone");
}

/** Sets the last day of a contract, or takes it away. */
export const setEndDate = exclusiveWrite(
  "setEndDate",
  async (
    open,
    { contractId, endDate, reason }: Static<typeof SetEndDate>,
  ): Promise<Outcome<StaffContract>> => {
    return changeTerm(open, { contractId, reason }, (term) =>
      setEndOfTerm(term, endDate ?? undefined, open.today),
    );
  },
);

/** Pauses a contract from a day on: nothing is covered on its days, and they are added to the term unless said otherwise. */
export const pauseContract = exclusiveWrite(
  "pauseContract",
  async (
    open,
    { contractId, firstDay, lastDay, extendsTerm = true, reason }: Static<typeof PauseContract>,
  ): Promise<Outcome<StaffContract>> => {
    const { tx, organizationId, now, today } = open;
    return changeTerm(open, { contractId, reason }, async (term) => {
      const pause: Pause = {
        id: newId(now),
        firstDay,
        ...(lastDay !== undefined && { lastDay }),
        extendsTerm,
      };
      const visitedOn = await findVisitOn(tx, organizationId, contractId, { firstDay, lastDay });
      return pauseTerm(term, pause, { today, visitedOn });
    });
  },
);

/** Ends a pause before the day on which the client is back. */
export const endPause = exclusiveWrite(
  "endPause",
  async (
    open,
    { contractId, pauseId, firstDayBack, reason }: Static<typeof EndPause>,
  ): Promise<Outcome<StaffContract>> => {
    return changeTerm(open, { contractId, reason }, (term) =>
      endPauseOfTerm(term, { pauseId: pauseId?.toLowerCase(), firstDayBack, today: open.today }),
    );
  },
);

/** Cancels a contract at once, or with a last day to come. */
export const cancelContract = exclusiveWrite(
  "cancelContract",
  async (
    open,
    { contractId, now: isNow = false, lastDay, reason }: Static<typeof CancelContract>,
  ): Promise<Outcome<StaffContract>> => {
    if (isNow && lastDay !== undefined)
      throw invalid([{ location: "body.lastDay", code: "not_together_with", params: { member: "now" } }]);
    if (!isNow && lastDay === undefined)
      throw invalid([{ location: "body.lastDay", code: "required_unless_now" }]);
    return changeTerm(open, { contractId, reason }, (term) =>
      lastDay === undefined ? cancelNow(term, open) : cancelAfter(term, lastDay, open),
    );
  },
);

/** Undoes a cancellation that was made here. Bookings that it released are not brought back. */
export const reinstateContract = exclusiveWrite(
  "reinstateContract",
  async (open, { contractId, reason }: Static<typeof ReinstateContract>): Promise<Outcome<StaffContract>> => {
    return changeTerm(open, { contractId, reason }, (term, { isErased }) => {
      if (isErased) throw refusal("erased_client");
      return reinstateTerm(term, open.today);
    });
  },
);

function requireRunning({ status }: Pick<StaffContract, "status">): void {
  if (isOver(status)) throw refusal("contract_over");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
