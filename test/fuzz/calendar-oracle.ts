import { MS_PER_DAY } from "../../src/core/dates.ts";
import { findZone, type Zone } from "../../src/domain/recurrence/zones.ts";
import { tryOffsets } from "./calendar.ts";

/** What the oracle knows of a schedule. */
export interface OracleSchedule {
  readonly id: string;
  readonly timezone: string;
  readonly start: string;
  readonly rrule?: string | undefined;
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
  readonly locationId: string;
  readonly serviceTypeId: string;
}

/** And of a stored session. */
export interface OracleSession {
  readonly id: string;
  readonly timezone: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly start: string;
  readonly locationId: string;
  readonly serviceTypeId: string;
}

/**
 * The sessions of a window by definition, a line each in the order of the answer: each day on its own is asked whether the
 * rule has it. Shares nothing with the server but the zones.
 */
export function expectSessions(
  schedules: readonly OracleSchedule[],
  sessions: readonly OracleSession[],
  [fromMs, toMs]: readonly [number, number],
): string[] {
  const taken = new Set(sessions.map(({ scheduleId, originalStart }) => `${scheduleId} ${originalStart}`));
  const found: [number, string][] = [];
  const add = (ms: number, session: Omit<OracleSession, "start" | "timezone" | "id">, id = "") => {
    if (ms < fromMs || ms >= toMs) return;
    const { locationId, serviceTypeId, scheduleId = "" } = session;
    found.push([ms, [locationId, serviceTypeId, scheduleId, id].join(" ")]);
  };
  for (const session of sessions)
    add(tryOffsets(zoneOf(session.timezone), wallOf(session.start)), session, session.id);
  for (const schedule of schedules) {
    const zone = zoneOf(schedule.timezone);
    /** By instant, the clocks that name it. */
    const slots = new Map<number, string[]>();
    for (const wallMs of wallClocks(schedule, fromMs, toMs)) {
      const ms = tryOffsets(zone, wallMs);
      slots.set(ms, [...(slots.get(ms) ?? []), textOf(wallMs)]);
    }
    for (const [ms, names] of slots) {
      if (names.some((name) => taken.has(`${schedule.id} ${name}`))) continue;
      add(ms, { ...schedule, scheduleId: schedule.id });
    }
  }
  found.sort(([a, one], [b, other]) => a - b || (one < other ? -1 : 1));
  return found.map(([ms, text]) => `${new Date(ms).toISOString()} ${text}`);
}

/** All local date-times of a schedule that may lie in the window. */
function wallClocks(schedule: OracleSchedule, fromMs: number, toMs: number): number[] {
  const [lowMs, highMs] = [fromMs - 2 * MS_PER_DAY, toMs + 2 * MS_PER_DAY];
  const walls = new Set(schedule.rdates.map(wallOf));
  if (schedule.rrule === undefined) walls.add(wallOf(schedule.start));
  else for (const wallMs of ruleClocks(schedule.rrule, schedule, lowMs, highMs)) walls.add(wallMs);
  for (const text of schedule.exdates) walls.delete(wallOf(text));
  return [...walls].filter((wallMs) => wallMs >= lowMs && wallMs <= highMs);
}

function ruleClocks(
  rule: string,
  { start, timezone }: OracleSchedule,
  lowMs: number,
  highMs: number,
): number[] {
  const part = (name: string) => new RegExp(`(?:^|;)${name}=([^;]*)`).exec(rule)?.[1];
  const numbers = (name: string) => part(name)?.split(",").map(Number);
  const startMs = wallOf(start);
  const startAt = new Date(startMs);
  const frequency = part("FREQ") ?? "";
  const interval = Number(part("INTERVAL") ?? 1);
  const weekStart = WEEKDAYS.indexOf(part("WKST") ?? "MO");
  const byDay = part("BYDAY")?.split(",");
  const [byMonth, byMonthDay, positions] = [numbers("BYMONTH"), numbers("BYMONTHDAY"), numbers("BYSETPOS")];
  const hours = numbers("BYHOUR") ?? [startAt.getUTCHours()];
  const minutes = numbers("BYMINUTE") ?? [startAt.getUTCMinutes()];
  const until = part("UNTIL");
  const zone = zoneOf(timezone);
  const count = Number(part("COUNT") ?? Number.POSITIVE_INFINITY);

  /** A number for the period that a day belongs to; whole steps of the interval apart from that of the start. */
  const periodOf = (dayMs: number): number => {
    const at = new Date(dayMs);
    if (frequency === "YEARLY") return at.getUTCFullYear();
    if (frequency === "MONTHLY") return at.getUTCFullYear() * 12 + at.getUTCMonth();
    const day = dayMs / MS_PER_DAY;
    // 1970-01-05 was a Monday.
    return frequency === "WEEKLY" ? Math.floor((day - 4 - weekStart) / 7) : day;
  };
  const hasDay = (dayMs: number): boolean => {
    const at = new Date(dayMs);
    const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
    const isBare = !byDay && !byMonthDay;
    if (byMonth && !byMonth.includes(month + 1)) return false;
    if (frequency === "YEARLY" && isBare && !byMonth && month !== startAt.getUTCMonth()) return false;
    if ((frequency === "YEARLY" || frequency === "MONTHLY") && isBare && date !== startAt.getUTCDate())
      return false;
    if (byMonthDay) {
      const fromEnd = (dayMs - Date.UTC(year, month + 1, 1)) / MS_PER_DAY;
      if (!byMonthDay.includes(date) && !byMonthDay.includes(fromEnd)) return false;
    }
    const weekday = WEEKDAYS[(at.getUTCDay() + 6) % 7] as string;
    if (!byDay) return frequency !== "WEEKLY" || weekday === WEEKDAYS[(startAt.getUTCDay() + 6) % 7];
    const inMonth = frequency === "MONTHLY" || byMonth !== undefined;
    const first = Date.UTC(year, inMonth ? month : 0, 1);
    const next = inMonth ? Date.UTC(year, month + 1, 1) : Date.UTC(year + 1, 0, 1);
    const nth = Math.floor((dayMs - first) / (7 * MS_PER_DAY)) + 1;
    const nthLast = Math.floor((next - MS_PER_DAY - dayMs) / (7 * MS_PER_DAY)) + 1;
    return [weekday, `${nth}${weekday}`, `+${nth}${weekday}`, `-${nthLast}${weekday}`].some((name) =>
      byDay.includes(name),
    );
  };

  const firstPeriod = periodOf(dayOf(startMs));
  // COUNT counts from the start; BYSETPOS looks at whole periods.
  const fromDay = Number.isFinite(count) ? startMs : Math.max(startMs, lowMs);
  const periodDays = { DAILY: 0, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[frequency] ?? 0;
  let day = dayOf(fromDay) - (positions || Number.isFinite(count) ? periodDays * MS_PER_DAY : 0);
  const clocks: number[] = [];
  let period: number[] = [];
  let current = Number.NaN;
  const endPeriod = () => {
    period.sort((a, b) => a - b);
    const chosen = positions
      ? period.filter(
          (_, place) => positions.includes(place + 1) || positions.includes(place - period.length),
        )
      : period;
    for (const wallMs of chosen) if (wallMs >= startMs) clocks.push(wallMs);
    period = [];
  };
  const lastDay = dayOf(highMs) + (positions ? periodDays * MS_PER_DAY : 0);
  for (; day <= lastDay && clocks.length < count; day += MS_PER_DAY) {
    const number = periodOf(day);
    if (number !== current) endPeriod();
    current = number;
    if ((number - firstPeriod) % interval !== 0 || !hasDay(day)) continue;
    for (const hour of hours) for (const minute of minutes) period.push(day + (hour * 60 + minute) * 60_000);
  }
  endPeriod();
  return clocks.slice(0, count).filter((wallMs) => {
    if (until === undefined) return true;
    if (!until.includes("T")) return textOf(wallMs).slice(0, 10).replaceAll("-", "") <= until;
    return tryOffsets(zone, wallMs) <= Date.parse(until.replace(/(....)(..)(..T..)(..)/, "$1-$2-$3:$4:"));
  });
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

function zoneOf(name: string): Zone {
  const zone = findZone(name);
  if (!zone) throw new Error("no such zone");
  return zone;
}

function dayOf(ms: number): number {
  return Math.floor(ms / MS_PER_DAY) * MS_PER_DAY;
}

function wallOf(text: string): number {
  return Date.parse(`${text}Z`);
}

function textOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 16);
}
