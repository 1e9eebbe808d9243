import { daysBefore } from "../../core/dates.ts";
import { refusal, refuseFaults } from "../../core/errors.ts";
import type { Fault, FaultContent } from "../../core/faults.ts";
import {
  isEndUnknown,
  isOver,
  isPausedByImport,
  type Pause,
  type StatusTimeline,
  statusByDates,
} from "../contract-status/status-timeline.ts";
import { daysFrom, extended } from "./term.ts";

/** A contract as far as its term goes. Each rule below takes it as it is and returns it as it is to be. */
export interface ContractTerm extends StatusTimeline {
  readonly startDate: string;
  /** What `endDate` would be without the cancellation. */
  readonly agreedEndDate?: string | undefined;
  /** Set if the cancellation was made here. */
  readonly cancellation?: Cancellation | undefined;
}

/** What a cancellation changed beside the dates of the contract, so that it can be undone. */
export interface Cancellation {
  /** The open pause that was to end with the contract, as it was. */
  readonly openPause?: Pause | undefined;
}

/** The days of a change on which bookings are released; open where no bound is given. */
export interface ReleasedDays {
  readonly firstDay?: string | undefined;
  readonly lastDay?: string | undefined;
}

export interface TermChange {
  readonly term: ContractTerm;
  readonly released?: ReleasedDays | undefined;
}

/** Pauses a contract. `visitedOn` is a day of the pause on which the client attended, if there is one. */
export function pauseTerm(
  term: ContractTerm,
  pause: Pause,
  { today, visitedOn }: { readonly today: string; readonly visitedOn?: string | undefined },
): TermChange {
  requireRunning(term);
  requireUncancelled(term);
  refuseFaults(checkPause(term, pause));
  if (visitedOn !== undefined) throw refusal("pause_visited", { params: { date: visitedOn } });
  if (term.pauses.some((other) => overlap(other, pause))) throw refusal("pause_overlaps");
  const { firstDay, lastDay } = pause;
  const endDate = moved(term.endDate, addedDays(pause));
  return {
    term: standing(
      term,
      { ...term, endDate, agreedEndDate: endDate, pauses: inOrder([...term.pauses, pause]) },
      today,
    ),
    released: { firstDay, lastDay },
  };
}

function checkPause(
  { startDate, endDate }: ContractTerm,
  { firstDay, lastDay, extendsTerm }: Pause,
): Fault[] {
  const faults: Fault[] = [];
  if (firstDay < startDate) faults.push(fault("firstDay", BEFORE_START));
  else if (endDate !== undefined && firstDay > endDate) faults.push(fault("firstDay", AFTER_END));
  if (lastDay !== undefined && lastDay < firstDay)
    faults.push(fault("lastDay", { code: "before_member", params: { member: "firstDay" } }));
  else if (!extendsTerm && lastDay !== undefined && endDate !== undefined && lastDay > endDate)
    faults.push(fault("lastDay", { code: "after_fixed_end" }));
  return faults;
}

/** The days that a pause adds to the term. */
function addedDays({ firstDay, lastDay, extendsTerm }: Pause): number {
  return extendsTerm && lastDay !== undefined ? daysFrom(firstDay, lastDay) : 0;
}

function overlap(one: Pause, other: Pause): boolean {
  return (
    (other.lastDay === undefined || one.firstDay <= other.lastDay) &&
    (one.lastDay === undefined || other.firstDay <= one.lastDay)
  );
}

/**
 * Ends a pause before the day on which the client is back: the one named, or the first that is not over. Without any,
 * nothing changes, except for a contract that was imported as paused: it is active again.
 */
export function endPauseOfTerm(
  term: ContractTerm,
  {
    pauseId,
    firstDayBack,
    today,
  }: { readonly pauseId?: string | undefined; readonly firstDayBack: string; readonly today: string },
): TermChange {
  requireRunning(term);
  const pause = term.pauses.find(
    ({ id, lastDay }) =>
      (pauseId === undefined || id === pauseId) && (lastDay === undefined || lastDay >= today),
  );
  refuseFaults(checkReturn(pause, firstDayBack, today));
  if (!pause) return { term: { ...term, status: statusByDates(term, today) } };
  const isRemoved = firstDayBack === pause.firstDay;
  const shortened: Pause = { ...pause, lastDay: daysBefore(firstDayBack, 1) };
  // The days of one that the cancellation has closed were never added.
  const isClosedWithTerm = term.cancellation?.openPause?.id === pause.id;
  const days = (isRemoved ? 0 : addedDays(shortened)) - (isClosedWithTerm ? 0 : addedDays(pause));
  const pauses = term.pauses.flatMap((other) => (other !== pause ? [other] : isRemoved ? [] : [shortened]));
  const agreedEndDate = moved(term.agreedEndDate, days);
  const changed = {
    ...term,
    pauses,
    agreedEndDate,
    ...(isClosedWithTerm && { cancellation: {} }),
    // With a cancellation to come, the last day is the one that was agreed for it.
    ...(term.cancelledAt === undefined && { endDate: agreedEndDate }),
  };
  return { term: { ...changed, status: statusByDates(changed, today) } };
}

function checkReturn(pause: Pause | undefined, firstDayBack: string, today: string): Fault[] {
  if (firstDayBack < today) return [fault("firstDayBack", { code: "in_the_past" })];
  if (!pause) return [];
  if (firstDayBack < pause.firstDay) return [fault("firstDayBack", { code: "before_pause" })];
  return pause.lastDay !== undefined && daysBefore(firstDayBack, 1) > pause.lastDay
    ? [fault("firstDayBack", { code: "after_pause" })]
    : [];
}

/** Another last day, or none. Pauses do not reach beyond it. */
export function setEndOfTerm(term: ContractTerm, endDate: string | undefined, today: string): TermChange {
  requireRunning(term);
  requireUncancelled(term);
  if (endDate !== undefined) refuseFaults(checkLastDay("endDate", endDate, term, today));
  const isShorter = endDate !== undefined && (term.endDate === undefined || endDate < term.endDate);
  return {
    term: standing(
      term,
      { ...term, endDate, agreedEndDate: endDate, pauses: pausesUntil(endDate, term.pauses) },
      today,
    ),
    released: isShorter ? { firstDay: extended(endDate, 1) } : undefined,
  };
}

/**
 * The pauses of a contract whose last day was set: those after it are gone, and one that reaches beyond it ends with it.
 * Its days do not count for the term any more: coming back earlier does not take from a last day that was set knowing of
 * the pause. An open pause stays open, since its days are yet to be added.
 */
function pausesUntil(endDate: string | undefined, pauses: readonly Pause[]): readonly Pause[] {
  if (endDate === undefined) return pauses;
  return pauses.flatMap((pause) => {
    if (pause.firstDay > endDate) return [];
    const isBeyond = pause.lastDay !== undefined && pause.lastDay > endDate;
    return [isBeyond ? { ...pause, lastDay: endDate, extendsTerm: false } : pause];
  });
}

function checkLastDay(member: string, day: string, { startDate }: ContractTerm, today: string): Fault[] {
  if (day < today) return [fault(member, { code: "in_the_past" })];
  return day < startDate ? [fault(member, BEFORE_START)] : [];
}

/** Cancels at once. A contract that has not begun keeps its first day as its last. */
export function cancelNow(
  term: ContractTerm,
  { today, at }: { readonly today: string; readonly at: string },
): TermChange {
  requireRunning(term);
  const agreed = uncancelled(term);
  const last = agreed.startDate > today ? agreed.startDate : today;
  const endDate = agreed.endDate === undefined || agreed.endDate > last ? last : agreed.endDate;
  return {
    term: { ...agreed, endDate, status: "cancelled", cancelledAt: at, cancellation: {} },
    released: {},
  };
}

/** Cancels with the last day given, up to which the contract runs. One that is set already may be set again. */
export function cancelAfter(
  term: ContractTerm,
  lastDay: string,
  { today, at }: { readonly today: string; readonly at: string },
): TermChange {
  requireRunning(term);
  const agreed = uncancelled(term);
  const faults = checkLastDay("lastDay", lastDay, agreed, today);
  const isAfterEnd =
    agreed.endDate !== undefined && lastDay > agreed.endDate && !isEndUnknown(agreed.pauses, today);
  refuseFaults(isAfterEnd ? [...faults, fault("lastDay", AFTER_END)] : faults);
  const openPause = agreed.pauses.find((pause) => pause.lastDay === undefined);
  const pauses = agreed.pauses.flatMap((pause) => {
    if (pause !== openPause) return [pause];
    return pause.firstDay > lastDay ? [] : [{ ...pause, lastDay }];
  });
  return {
    term: standing(
      term,
      { ...agreed, endDate: lastDay, pauses, cancelledAt: at, cancellation: { openPause } },
      today,
    ),
    released: { firstDay: extended(lastDay, 1) },
  };
}

/** Undoes a cancellation that was made here, if the term that it cut short still runs. */
export function reinstateTerm(term: ContractTerm, today: string): TermChange {
  if (term.cancellation === undefined) throw refusal("not_cancelled_here");
  const agreed = uncancelled(term);
  const status = statusByDates(agreed, today);
  if (isOver(status)) throw refusal("contract_over");
  return { term: { ...agreed, status } };
}

/** The contract as it would be without its cancellation; its status is for the caller to say. */
function uncancelled(term: ContractTerm): ContractTerm {
  const { cancelledAt, cancellation, ...agreed } = term;
  if (cancelledAt === undefined) return term;
  const openPause = cancellation?.openPause;
  const others = term.pauses.filter(({ id }) => id !== openPause?.id);
  return {
    ...agreed,
    endDate: term.agreedEndDate,
    pauses: openPause ? inOrder([...others, openPause]) : term.pauses,
  };
}

/** The contract after a change, with the status that it now has. */
function standing(before: ContractTerm, after: ContractTerm, today: string): ContractTerm {
  const status = statusByDates(after, today);
  return { ...after, status: isPausedByImport(before) && status === "active" ? "paused" : status };
}

function requireRunning({ status }: ContractTerm): void {
  if (isOver(status)) throw refusal("contract_over");
}

function requireUncancelled({ cancelledAt, endDate = "" }: ContractTerm): void {
  if (cancelledAt !== undefined) throw refusal("cancellation_set", { params: { date: endDate } });
}

function moved(date: string | undefined, days: number): string | undefined {
  return date === undefined ? undefined : extended(date, days);
}

function inOrder(pauses: readonly Pause[]): Pause[] {
  return [...pauses].sort((one, other) => (one.firstDay < other.firstDay ? -1 : 1));
}

const BEFORE_START: FaultContent = { code: "before_member", params: { member: "startDate" } };
const AFTER_END: FaultContent = { code: "after_member", params: { member: "endDate" } };

function fault(member: string, content: FaultContent): Fault {
  return { location: `body.${member}`, ...content };
}
