import type { Input } from "../../api/writes.ts";
import { isDate } from "../../languages/days.ts";
import { localIn } from "../../languages/format.ts";
import { countBefore, newRepeat, type Repeat, writeRule } from "../../recurrence/repeat.ts";
import { type SessionDraft, toSession } from "../../sessions/session-fields.tsx";
import { type MovableDraft, withTime } from "./draft-moves.ts";
import { repeatOf, type Schedule } from "./schedule.ts";

type Changes = Input<"editSchedule">["changes"];

export type Draft = MovableDraft<SessionDraft>;

export function newDraft(locationId = "", zone: string, weekStart: number): Draft {
  const date = localIn(Date.now(), zone).slice(0, 10);
  return {
    session: { serviceTypeId: "", locationId, resourceIds: [], durationMinutes: "60", capacity: "10" },
    date,
    time: "09:00",
    repeat: newRepeat(date, weekStart),
    exdates: [],
    rdates: [],
  };
}

/** What there is from a slot on: of a number of times, those that are left. */
export function draftOf(schedule: Schedule, from: string | undefined, zone: string): Draft {
  const begin = from ?? schedule.start;
  const repeat = repeatOf(schedule, zone);
  const isAhead = (local: string) => local >= begin;
  return {
    session: {
      serviceTypeId: schedule.serviceTypeId,
      locationId: schedule.locationId,
      resourceIds: schedule.resourceIds ?? [],
      durationMinutes: String(schedule.durationMinutes),
      capacity: String(schedule.capacity),
    },
    date: begin.slice(0, 10),
    time: begin.slice(11),
    repeat: repeat?.end.kind === "after" ? withRest(repeat, schedule.start, begin) : repeat,
    exdates: (schedule.exdates ?? []).filter(isAhead),
    rdates: (schedule.rdates ?? []).filter(isAhead),
  };
}

function withRest(repeat: Repeat, start: string, begin: string): Repeat {
  if (repeat.end.kind !== "after") return repeat;
  const times = repeat.end.times - countBefore(repeat, start.slice(0, 10), begin.slice(0, 10));
  return { ...repeat, end: { kind: "after", times: Math.max(1, times) } };
}

/** What was chosen by nobody but follows from the first date, such as the weekday, follows another one too. */
export function following(repeat: Repeat, before: string, date: string): Repeat {
  if (!isDate(before)) return repeat;
  const [old, next] = [newRepeat(before, 0), newRepeat(date, 0)];
  const isOld = (member: "weekdays" | "monthDay" | "ordinals" | "monthWeekday") =>
    String(repeat[member]) === String(old[member]);
  return {
    ...repeat,
    ...(isOld("weekdays") && { weekdays: next.weekdays }),
    ...(isOld("monthDay") && { monthDay: next.monthDay }),
    ...(isOld("ordinals") && { ordinals: next.ordinals }),
    ...(isOld("monthWeekday") && { monthWeekday: next.monthWeekday }),
  };
}

/** Only what differs is sent: what is left out stays as it is in every session. */
export function changesOf(
  schedule: Schedule,
  initial: Draft,
  draft: Draft,
  start: string | undefined,
  rrule: string | undefined,
): Changes {
  const before = toSession(initial.session);
  const after = toSession(draft.session);
  const ruleBefore = initial.repeat ? writeRule(initial.repeat) : schedule.rrule;
  const hasOtherRule = rrule !== ruleBefore;
  const hasOtherTimes = hasOtherRule || draft.time !== initial.time;
  const isSameList = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((value) => b.includes(value));
  return {
    ...(after.serviceTypeId !== before.serviceTypeId && { serviceTypeId: after.serviceTypeId }),
    ...(after.locationId !== before.locationId && { locationId: after.locationId }),
    ...(after.durationMinutes !== before.durationMinutes && { durationMinutes: after.durationMinutes }),
    ...(after.capacity !== before.capacity && { capacity: after.capacity }),
    ...(!isSameList(after.resourceIds, before.resourceIds) && { resourceIds: after.resourceIds }),
    ...(hasOtherTimes && start !== undefined && { start }),
    ...(hasOtherRule && { rrule: rrule ?? null }),
    ...(!isSameList(draft.exdates, initial.exdates) && {
      exdates: draft.exdates.map((exdate) => withTime(initial, draft.time, exdate)),
    }),
    ...(!isSameList(draft.rdates, initial.rdates) && { rdates: draft.rdates }),
  };
}
