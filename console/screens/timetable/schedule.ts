import { signal } from "@preact/signals";
import type { Schemas } from "../../api/operations.ts";
import { addDays } from "../../languages/days.ts";
import { localIn } from "../../languages/format.ts";
import { language } from "../../languages/words.ts";
import { type Repeat, readRule } from "../../recurrence/repeat.ts";
import { describeRepeat } from "../../recurrence/repeat-words.ts";

export type Schedule = Schemas["ListedSchedule"];

/** The choices that a schedule's rule stands for; undefined if it says more. */
export function repeatOf({ rrule, start }: Schedule, timezone: string): Repeat | undefined {
  return readRule(rrule, start, (instant) => localIn(instant, timezone));
}

/** When it takes place, in a sentence, whatever its rule has. */
export function sentenceOf(schedule: Schedule, timezone: string): string {
  const repeat = repeatOf(schedule, timezone);
  if (repeat) return sayRepeat(repeat, schedule.start);
  return sayRule(schedule.rrule ?? "", schedule.start, timezone);
}

export function sayRepeat(repeat: Repeat, start: string): string {
  return describeRepeat(repeat, { start, year: thisYear(), language: language.value });
}

/** Few organizations have such rules: what puts them into words is fetched when the first one is shown. */
const ruleWords = signal<typeof import("../../recurrence/rule-words.ts") | undefined>(undefined);

async function fetchRuleWords(): Promise<void> {
  ruleWords.value = await import("../../recurrence/rule-words.ts");
}

/** A rule that says more than the choices can, in a sentence. */
export function sayRule(rule: string, start: string, timezone: string): string {
  const { describeRule } = ruleWords.value ?? {};
  if (!describeRule) {
    void fetchRuleWords().catch(() => {});
    return "…";
  }
  const toLocal = (instant: string) => localIn(instant, timezone);
  return describeRule(rule, { start, year: thisYear(), language: language.value, toLocal }) ?? "";
}

const thisYear = () => String(new Date().getFullYear());

/** A local date-time so many minutes later, by the clock. */
export function addMinutes(local: string, minutes: number): string {
  return new Date(Date.parse(`${local}:00Z`) + minutes * 60_000).toISOString().slice(0, 16);
}

/** How far ahead ten sessions reach: ten weeks of a weekly class, a year of anything rarer. */
export function windowOf(schedule: Schedule, timezone: string, now: number) {
  const repeat = repeatOf(schedule, timezone);
  const isOften = repeat?.every === "day" || repeat?.every === "week";
  const days = isOften ? Math.min(366, 77 * repeat.interval) : 366;
  // Counted from the full hour, so that the address stays the same for a while.
  const from = new Date(Math.floor(now / 3_600_000) * 3_600_000).toISOString();
  const until = `${addDays(from.slice(0, 10), days - 1)}T00:00:00Z`;
  return { query: { from, to: until, scheduleId: schedule.id } };
}
