import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { undoneBy } from "../../core/undo.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import * as undo from "./contract-undo.ts";
import * as operations from "./operations.ts";
import { unknownContract } from "./rules.ts";
import * as schema from "./schema.ts";
import { findStaffContract } from "./staff-queries.ts";

const TAG = "Contracts";
const example = { contractId: EXAMPLE_IDS.contract };
const unknown = unknownContract();

const repeat = repeatedBy(findStaffContract);

export const contractWrites = [
  staffWrite({
    name: "sellContract",
    role: "front_desk",
    tag: TAG,
    summary: "Sell a plan",
    description:
      "Sells a plan to a client. The contract keeps what was agreed, whatever becomes of the plan. Another price than the " +
      "plan's needs a manager.",
    input: schema.SellContract,
    example: { clientId: EXAMPLE_IDS.client, planId: EXAMPLE_IDS.plan, startDate: "2026-11-16" },
    result: schema.StaffContract,
    refusals: [
      refusal("no_client"),
      refusal("trial_used"),
      refusal("erased_client"),
      refusal("archived_client"),
      refusal("plan_archived"),
      refusal("place_closed"),
      refusal("price_needs_manager"),
    ],
    perform: operations.sellContract,
    undo: undo.undoSale,
    repeat,
  }),
  staffWrite({
    name: "voidSale",
    role: "front_desk",
    ownBelow: "manager",
    tag: TAG,
    summary: "Undo a sale",
    description:
      "Within 24 hours, if nothing was booked with it: the contract is gone as if it had not been sold. Its invoices are void; " +
      "if it was paid, `voidPayments` says what becomes of the payments. The front desk undoes what it sold itself, within " +
      "15 minutes.",
    input: schema.VoidSale,
    example,
    result: schema.VoidedSale,
    refusals: [
      unknown,
      refusal("not_allowed"),
      refusal("already_drawn"),
      refusal("sale_too_old"),
      refusal("has_payments"),
      refusal("payment_refunded"),
    ],
    perform: operations.voidSale,
  }),
  staffWrite({
    name: "answerTerms",
    role: "front_desk",
    tag: TAG,
    summary: "Record the answer to the terms",
    description: "Records whether the client accepts the agreement. What was accepted stays accepted.",
    input: schema.AnswerTerms,
    example: { ...example, termsResponse: "accepted" },
    result: schema.StaffContract,
    refusals: [unknown, refusal("no_terms"), refusal("terms_accepted"), refusal("contract_over")],
    perform: operations.answerTerms,
    repeat,
  }),
  staffWrite({
    name: "blockAccess",
    role: "front_desk",
    tag: TAG,
    summary: "Block access",
    description: "Lets the contract cover no new booking and no check-in. What is booked stands.",
    input: schema.BlockAccess,
    example: { ...example, reason: "Two invoices are open." },
    result: schema.StaffContract,
    refusals: [unknown, refusal("contract_over")],
    perform: operations.blockAccess,
    undo: undoneBy("unblockAccess", "contractId"),
    repeat,
  }),
  staffWrite({
    name: "unblockAccess",
    role: "front_desk",
    tag: TAG,
    summary: "Unblock access",
    description: "Lets the contract cover bookings and check-ins again.",
    input: schema.UnblockAccess,
    example,
    result: schema.StaffContract,
    refusals: [unknown, refusal("contract_over")],
    perform: operations.unblockAccess,
    undo: undo.blockAgain,
    repeat,
  }),
  staffWrite({
    name: "adjustCredits",
    role: "manager",
    tag: TAG,
    summary: "Adjust credits",
    description: "Adds to a balance of credits, or takes from it. It stays within 0 and 1,000,000.",
    input: schema.AdjustCredits,
    example: { entitlementId: EXAMPLE_IDS.entitlement, by: 1, reason: "One class too many was counted." },
    result: schema.StaffContract,
    refusals: [refusal("no_entitlement"), refusal("contract_over"), refusal("already_undone")],
    perform: operations.adjustCredits,
    undo: undo.adjustBack,
    repeat,
  }),
  staffWrite({
    name: "setEndDate",
    role: "manager",
    tag: TAG,
    summary: "Set the last day",
    description:
      "Sets the last day of a contract, or takes it away with null. Bookings on later days are released, and pauses do not " +
      "reach beyond it.",
    input: schema.SetEndDate,
    example: { ...example, endDate: "2026-12-31", reason: "A month was given as a present." },
    result: schema.StaffContract,
    refusals: [unknown, refusal("contract_over"), cancellationSet()],
    perform: operations.setEndDate,
    undo: undo.setEndDateBack,
    repeat,
  }),
  staffWrite({
    name: "pauseContract",
    role: "manager",
    tag: TAG,
    summary: "Pause a contract",
    description:
      "Nothing is covered on the days of a pause, and what is booked on them is released. They are added to the term unless " +
      "`extendsTerm` is false.",
    input: schema.PauseContract,
    example: { ...example, firstDay: "2026-12-20", lastDay: "2027-01-10" },
    result: schema.StaffContract,
    refusals: [
      unknown,
      refusal("pause_overlaps"),
      refusal("contract_over"),
      cancellationSet(),
      refusal("pause_visited", { params: { date: "2026-12-20" } }),
    ],
    perform: operations.pauseContract,
    undo: undo.endPauseAtOnce,
    repeat,
  }),
  staffWrite({
    name: "endPause",
    role: "manager",
    tag: TAG,
    summary: "End a pause",
    description:
      "The pause ends the day before `firstDayBack`, and the term has as many days more as it really lasted.",
    input: schema.EndPause,
    example: { ...example, firstDayBack: "2027-01-04" },
    result: schema.StaffContract,
    refusals: [unknown, refusal("contract_over")],
    perform: operations.endPause,
    repeat,
  }),
  staffWrite({
    name: "cancelContract",
    role: "manager",
    tag: TAG,
    summary: "Cancel a contract",
    description:
      "At once, or with a last day to come. Bookings that it then does not cover any more are released.",
    input: schema.CancelContract,
    example: { ...example, lastDay: "2026-11-30", reason: "Moves to another city." },
    result: schema.StaffContract,
    refusals: [unknown, refusal("contract_over")],
    perform: operations.cancelContract,
    undo: undoneBy("reinstateContract", "contractId", undo.isCancellation),
    repeat,
  }),
  staffWrite({
    name: "reinstateContract",
    role: "manager",
    tag: TAG,
    summary: "Undo a cancellation",
    description:
      "If it was made here and the term still runs. Bookings that it released are not brought back.",
    input: schema.ReinstateContract,
    example,
    result: schema.StaffContract,
    refusals: [unknown, refusal("erased_client"), refusal("not_cancelled_here"), refusal("contract_over")],
    perform: operations.reinstateContract,
    repeat,
  }),
];

function cancellationSet() {
  return refusal("cancellation_set", { params: { date: "2026-11-30" } });
}
