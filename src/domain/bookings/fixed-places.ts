import { type Actor, requireLocation } from "../../core/actor.ts";
import {
  calendarDateOf,
  dateOfWallClock,
  daysAfter,
  daysBetween,
  formatWallClock,
} from "../../core/dates.ts";
import { AppError, type Fault, refusal, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { type LockedSession, lockSession } from "../calendar/locked-session.ts";
import { type LockedSchedule, lockSchedule } from "../calendar/session-queries.ts";
import { eachSlot } from "../recurrence/expand.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import { dayStart } from "../recurrence/zones.ts";
import { type OpenWrite, type Outcome, sharedWrite } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { BookingEffects } from "./booking-effects.ts";
import { returnDraws } from "./charging.ts";
import type { CoverageReason } from "./coverage.ts";
import {
  type FixedBooking,
  findClientOfFixedPlace,
  keepTogether,
  listFixedBookings,
} from "./fixed-place-queries.ts";
import { lockClientOf, lockVisit, MOST_DAYS_AHEAD, requireActive } from "./locked-booking.ts";
import { endBookings, findBookings } from "./queries.ts";
import { checkMany, checkSpan, checkWaiver, isWithoutLoss } from "./rules.ts";
import {
  type BookedSlots,
  type BookMany,
  type EndedBookings,
  type EndFixedPlace,
  type MovedPlace,
  type MoveFixedPlace,
  WEEKDAYS,
} from "./schema.ts";
import { giveSeatsBack, promoteLine, seatVisit } from "./seating.ts";

/**
 * The fixed place of a regular: bookings of the same slots week after week, made, moved and ended as one. They are told apart by
 * the audit entry that made them, and each of them can still be cancelled by itself.
 */

const MOST_SLOTS = 60;

type WeeklyPlaces = NonNullable<Static<typeof BookMany>["places"]>;
type SlotResult = Static<typeof BookedSlots>[number];

/** A slot that is to be booked. */
interface WantedSlot {
  readonly scheduleId: string;
  readonly originalStart: string;
  readonly instantMs: number;
}

interface DaySpan {
  readonly fromDay: string;
  readonly untilDay: string;
}

/** Books a client into each slot of some schedules from one day to another. */
export const bookMany = sharedWrite(
  "bookMany",
  async (open, input: Static<typeof BookMany>): Promise<Outcome<Static<typeof BookedSlots>>> => {
    refuseFaults([...checkMany(input), ...checkSpan(input)]);
    const { clientId, scheduleId, fromDay, untilDay } = input;
    const places = input.places ?? (scheduleId === undefined ? [] : [{ scheduleId }]);
    const visitor = await lockClientOf(open, clientId);
    const slots = await lockSlots(open, places, { fromDay, untilDay });
    requireActive(visitor);
    const effects = new BookingEffects();
    const result = await bookSlots(open, clientId, slots, effects);
    const booked = bookedOf(result);
    await keepTogether(open.tx, open.organizationId, booked, open.auditId);
    await effects.store(open);
    const first = result.find(({ bookingId }) => bookingId !== undefined);
    const adopted = result.filter(({ wasBooked }) => wasBooked).length;
    return {
      result,
      changes: effects.counts,
      entry: {
        subject: (places[0]?.scheduleId ?? "").toLowerCase(),
        clientId: clientId.toLowerCase(),
        details: {
          fromDay,
          untilDay,
          booked,
          refused: result.length - booked.length,
          ...(adopted > 0 && { adopted }),
          ...(first !== undefined && { firstDay: dateOfWallClock(first.originalStart) }),
        },
      },
    };
  },
);

/** Gives up a fixed place from a day on: each visit is cancelled as it would be by itself. */
export const endFixedPlace = sharedWrite(
  "endFixedPlace",
  async (open, input: Static<typeof EndFixedPlace>): Promise<Outcome<Static<typeof EndedBookings>>> => {
    refuseFaults(checkWaiver(input));
    const { fixedPlaceId, reason } = input;
    const given = await lockFixedPlace(open, input);
    const effects = new BookingEffects();
    const result = await endAll(open, given.bookings, input, effects);
    await effects.store(open);
    return {
      result,
      changes: effects.counts,
      entry: {
        subject: fixedPlaceId.toLowerCase(),
        clientId: given.clientId,
        reason,
        details: { fromDay: given.fromDay, ended: result.map(({ bookingId }) => bookingId) },
      },
    };
  },
);

/** Gives a fixed place other slots from a day on. What it has in both stays as it is. */
export const moveFixedPlace = sharedWrite(
  "moveFixedPlace",
  async (open, input: Static<typeof MoveFixedPlace>): Promise<Outcome<Static<typeof MovedPlace>>> => {
    refuseFaults(checkWaiver(input));
    const { tx, organizationId } = open;
    const { fixedPlaceId, reason, places } = input;
    const { clientId, fromDay, bookings } = await lockFixedPlace(open, input);
    const visitor = await lockClientOf(open, clientId);
    const untilDay = input.untilDay ?? bookings.at(-1)?.day ?? fromDay;
    const span = { fromDay, untilDay };
    refuseFaults(checkSpan(span));
    const slots = await lockSlots(open, places, span);
    requireActive(visitor);
    const wanted = new Set(slots.map(({ scheduleId, originalStart }) => `${scheduleId} ${originalStart}`));
    const leaving = bookings.filter(
      ({ scheduleId, originalStart = "" }) => !wanted.has(`${scheduleId} ${originalStart}`),
    );
    const effects = new BookingEffects();
    const ended = await endAll(open, leaving, input, effects);
    const booked = await bookSlots(open, clientId, slots, effects);
    await keepTogether(tx, organizationId, bookedOf(booked), fixedPlaceId);
    await effects.store(open);
    return {
      result: { ended, booked },
      changes: effects.counts,
      entry: {
        subject: fixedPlaceId.toLowerCase(),
        clientId,
        reason,
        details: {
          ...span,
          ended: ended.map(({ bookingId }) => bookingId),
          booked: bookedOf(booked),
          refused: booked.length - bookedOf(booked).length,
        },
      },
    };
  },
);

const bookedOf = (slots: readonly SlotResult[]) => slots.flatMap(({ bookingId }) => bookingId ?? []);

/** A fixed place, with what of it is to come from a day on: in the order of its days. */
async function lockFixedPlace(
  { tx, organizationId, today, at }: OpenWrite,
  { fixedPlaceId, fromDay = today }: { readonly fixedPlaceId: string; readonly fromDay?: string | undefined },
): Promise<{ clientId: string; fromDay: string; bookings: readonly FixedBooking[] }> {
  const clientId = await findClientOfFixedPlace(tx, organizationId, fixedPlaceId);
  if (clientId === undefined) throw refusal("no_fixed_place");
  const bookings = await listFixedBookings(tx, organizationId, fixedPlaceId, { fromDay, at });
  return { clientId, fromDay, bookings };
}

/** Cancels bookings as `cancelBooking` does. All sessions are locked first, in one order. */
async function endAll(
  open: OpenWrite,
  bookings: readonly FixedBooking[],
  { waive = false }: { readonly waive?: boolean | undefined },
  effects: BookingEffects,
): Promise<Static<typeof EndedBookings>> {
  const { tx, organizationId, organization, actor, now, at, auditId } = open;
  const { cancelWindowMinutes } = organization;
  const locked = new Map<string, LockedSession>();
  for (const sessionId of bookings.map((booking) => booking.sessionId).sort())
    locked.set(sessionId, await lockSession(open, actor, { sessionId }));
  // Read again: they may have changed before their sessions were locked.
  const ids = bookings.map(({ id }) => id);
  const current = await findBookings(tx, organizationId, ids);
  const ending = bookings.flatMap(({ id, sessionId }) => {
    const [booking, session] = [current.get(id), locked.get(sessionId)];
    if (!session || booking?.state !== "booked" || session.startAt <= now) return [];
    const isFree = isWithoutLoss(booking, session, { now, cancelWindowMinutes, waive });
    return [{ booking, session, state: isFree ? ("cancelled" as const) : ("late_cancelled" as const) }];
  });
  const withState = (wanted: string) =>
    ending.flatMap(({ booking, state }) => (state === wanted ? [booking] : []));
  for (const state of ["cancelled", "late_cancelled"] as const) {
    const own = withState(state).map(({ id }) => id);
    if (own.length > 0) await endBookings(tx, organizationId, own, { state, at, auditId, toTell: false });
  }
  effects.bookings += ending.length;
  await returnDraws(open, withState("cancelled"), effects);
  for (const { session } of ending) await giveSeatsBack(open, session.id, 1, effects);
  for (const { session } of ending) await promoteLine(open, session, effects);
  return ending.map(({ booking, session, state }) => ({
    bookingId: booking.id,
    localStart: session.start,
    state,
  }));
}

/** The slots of some places on these days, in the order of time. Their schedules cannot change now. */
async function lockSlots(
  { tx, organizationId, actor, today }: OpenWrite,
  places: WeeklyPlaces,
  span: DaySpan,
): Promise<readonly WantedSlot[]> {
  const slots = new Map<string, WantedSlot>();
  // Everybody locks schedules in the order of their ids.
  for (const { scheduleId, weekdays } of [...places].sort(byScheduleId)) {
    const schedule = await lockSchedule(tx, organizationId, scheduleId, "share");
    if (!schedule) throw refusal("no_schedule");
    requireLocation(actor, schedule.locationId);
    for (const slot of slotsOf(schedule, span, weekdays))
      slots.set(`${slot.scheduleId} ${slot.originalStart}`, slot);
  }
  const wanted = [...slots.values()].sort((one, other) => one.instantMs - other.instantMs);
  refuseFaults(checkSlots(span.untilDay, wanted.length, today));
  return wanted;
}

function byScheduleId(one: WeeklyPlaces[number], other: WeeklyPlaces[number]): number {
  return one.scheduleId.toLowerCase() < other.scheduleId.toLowerCase() ? -1 : 1;
}

function slotsOf(
  schedule: LockedSchedule,
  { fromDay, untilDay }: DaySpan,
  weekdays: readonly string[] | undefined,
): readonly WantedSlot[] {
  if (!schedule.isOffered) return [];
  const compiled = compileTexts(schedule, schedule.timezone);
  // A day more on either side: no clock is further from the others of its day.
  const [fromMs, toMs] = [daysAfter(fromDay, -1), daysAfter(untilDay, 2)].map((day) =>
    dayStart(compiled.zone, day),
  );
  const slots: WantedSlot[] = [];
  for (const { wallMs, instantMs } of eachSlot(compiled, fromMs ?? 0, toMs ?? 0)) {
    const day = calendarDateOf(wallMs);
    const isOnDay = fromDay <= day && day <= untilDay;
    if (isOnDay && (weekdays === undefined || weekdays.includes(weekdayName(day))))
      slots.push({ scheduleId: schedule.id, originalStart: formatWallClock(wallMs), instantMs });
    // One too many says as much as all of them.
    if (slots.length > MOST_SLOTS) break;
  }
  return slots;
}

/** As inputs name it. */
function weekdayName(day: string): (typeof WEEKDAYS)[number] {
  // Sunday is 0 here.
  return WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? "monday";
}

function checkSlots(untilDay: string, slots: number, today: string): Fault[] {
  const location = "body.untilDay";
  if (daysBetween(today, untilDay) > MOST_DAYS_AHEAD)
    return [{ location, code: "too_far_ahead", params: { maxDays: MOST_DAYS_AHEAD } }];
  return slots > MOST_SLOTS ? [{ location, code: "too_many_slots", params: { max: MOST_SLOTS } }] : [];
}

async function bookSlots(
  open: OpenWrite,
  clientId: string,
  slots: readonly WantedSlot[],
  effects: BookingEffects,
): Promise<Static<typeof BookedSlots>> {
  const result: Static<typeof BookedSlots> = [];
  for (const { scheduleId, originalStart } of slots) {
    const session = { scheduleId, originalStart };
    result.push({ ...session, ...(await bookSlot(open, open.actor, { clientId, ...session }, effects)) });
  }
  return result;
}

/** Books one slot, or says why not. In a savepoint: what is refused leaves nothing behind. */
async function bookSlot(
  open: OpenOrganization,
  actor: Actor,
  { clientId, ...session }: { clientId: string; scheduleId: string; originalStart: string },
  effects: BookingEffects,
): Promise<Pick<SlotResult, "bookingId" | "wasBooked" | "reason" | "whyNot">> {
  try {
    return await open.tx.transaction(async (tx) => {
      const inner = { ...open, tx };
      const own = new BookingEffects();
      const visit = await lockVisit(inner, actor, clientId, session);
      const { booking, isNew } = await seatVisit(inner, visit, {}, own);
      effects.add(own);
      return { bookingId: booking.id, ...(!isNew && { wasBooked: true }) };
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
    const code = error.faults[0]?.code ?? error.detail?.code;
    if (code === undefined) throw error;
    const whyNot = code === "not_covered" ? likeliestReason(error) : undefined;
    return { reason: code, ...(whyNot !== undefined && { whyNot }) };
  }
}

/** Why the contract does not cover it that somebody would have expected to: not one for something else, or elsewhere. */
function likeliestReason(error: AppError): string | undefined {
  const { reasons = [] } = error.facts as { readonly reasons?: readonly CoverageReason[] };
  const unlikely = ["other_service", "elsewhere", "revoked", "cancelled"];
  return (reasons.find(({ reason }) => !unlikely.includes(reason)) ?? reasons[0])?.reason;
}
