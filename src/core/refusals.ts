import { type AppError, conflict } from "./errors.ts";

/** Why an operation was refused although its input is valid: a word for programs, and the sentence for people. */
const SENTENCES = {
  archived_client: "This client is archived. Bring the client back first.",
  erased_client: "This client was erased.",
  plan_archived: "This plan is archived and not sold.",
  price_needs_manager: "Only a manager can change the price.",
  trial_used: "A trial is only for a client who has never had a contract.",
  already_drawn: "Something was booked with this contract; cancel it instead.",
  sale_too_old: "A sale can be undone for 24 hours; cancel the contract instead.",
  no_terms: "This contract has no terms.",
  terms_accepted: "The terms were accepted; cancel the contract instead.",
  contract_over: "This contract is over.",
  cancellation_set: "This contract is cancelled as of {date}.",
  not_cancelled_here: "This contract was not cancelled in the application.",
  pause_overlaps: "The contract is paused on some of these days already.",
  pause_visited: "The client came on {date}; a pause cannot cover that day.",
} as const;

export type RefusalReason = keyof typeof SENTENCES;

/** `refusal("pause_visited", { date: "2026-11-18" })`; the problem has the reason beside its code. */
export function refusal(reason: RefusalReason, values: Readonly<Record<string, string>> = {}): AppError {
  const sentence = SENTENCES[reason].replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? "");
  return conflict(sentence, { reason });
}
