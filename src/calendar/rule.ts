import { MS_PER_DAY, realDay } from "../core/dates.ts";
import type { Fault } from "../core/errors.ts";
import { MAX_RULE_LENGTH } from "../core/limits.ts";

export type Frequency = "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** One entry of BYDAY. Monday is 0; ordinal 0 means every such weekday, -1 the last one of its month or year. */
export interface ByDay {
  readonly weekday: number;
  readonly ordinal: number;
}

/** A recurrence rule of RFC 5545, as far as schedules use it. A part that is absent was not written. */
export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count?: number;
  /** UNTIL as an instant: slots at or before it are kept. */
  readonly untilMs?: number;
  /** UNTIL as a date: the day number of the last wall-clock day that is kept. */
  readonly untilDay?: number;
  readonly byDay?: readonly ByDay[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
  readonly byHour?: readonly number[];
  readonly byMinute?: readonly number[];
  /** The weekday on which a week begins, Monday being 0. */
  readonly weekStart: number;
}

/**
 * Reads the value of an RRULE property, such as `FREQ=WEEKLY;BYDAY=MO,WE`. Whatever is wrong with it is added to
 * `faults`, all at once, and nothing is returned.
 */
export function parseRule(text: string, location: string, faults: Fault[]): Rule | undefined {
  const messages = new Set<string>();
  const rule = readRule(text, (message) => messages.add(message));
  for (const message of messages) faults.push({ location, message });
  return messages.size === 0 ? rule : undefined;
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const FREQUENCIES: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] satisfies Frequency[];
const SUPPORTED =
  "FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, BYHOUR, BYMINUTE and WKST";

type Refuse = (message: string) => void;
type RuleDraft = { -readonly [K in keyof Rule]?: Rule[K] };
type PartReader = (value: string, draft: RuleDraft, refuse: Refuse) => void;

function readRule(text: string, refuse: Refuse): Rule | undefined {
  if (text.length > MAX_RULE_LENGTH) {
    refuse(`The rule is longer than ${MAX_RULE_LENGTH} characters.`);
    return undefined;
  }
  // Names and values are case-insensitive in RFC 5545.
  let rest = text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  if (rest.startsWith("RRULE:")) {
    refuse('Write the rule without the leading "RRULE:".');
    rest = rest.slice("RRULE:".length);
  }
  const values = new Map<string, string>();
  for (const part of rest.split(";")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(equals, 0));
    if (!/^[A-Z][A-Z-]{0,29}$/.test(name))
      refuse("Every part of the rule must be written NAME=VALUE, with one ; between parts.");
    else if (values.has(name)) refuse(`${name} is given more than once.`);
    else values.set(name, part.slice(equals + 1));
  }
  const draft: RuleDraft = {};
  for (const [name, value] of values) {
    const read = PARTS.get(name);
    if (read) read(value, draft, refuse);
    else if (UNSUPPORTED.has(name)) refuse(`${name} is not supported; a rule may use ${SUPPORTED}.`);
    else refuse(`${name} is not a part of a recurrence rule; a rule may use ${SUPPORTED}.`);
  }
  refuseCombinations(values, draft, refuse);
  const { frequency, interval = 1, weekStart = 0 } = draft;
  return frequency && { ...draft, frequency, interval, weekStart };
}

/** Parts of RFC 5545 and 7529 that schedules do not use. */
const UNSUPPORTED = new Set(["BYSECOND", "BYYEARDAY", "BYWEEKNO", "RSCALE", "SKIP"]);

const PARTS = new Map<string, PartReader>([
  ["FREQ", readFrequency],
  ["INTERVAL", numberInto("interval", "INTERVAL")],
  ["COUNT", numberInto("count", "COUNT")],
  ["UNTIL", readUntil],
  ["BYDAY", readByDay],
  ["BYMONTHDAY", listInto("byMonthDay", "BYMONTHDAY", -31, 31)],
  ["BYMONTH", listInto("byMonth", "BYMONTH", 1, 12)],
  ["BYSETPOS", listInto("bySetPos", "BYSETPOS", -366, 366)],
  ["BYHOUR", listInto("byHour", "BYHOUR", 0, 23)],
  ["BYMINUTE", listInto("byMinute", "BYMINUTE", 0, 59)],
  ["WKST", readWeekStart],
]);

function refuseCombinations(values: ReadonlyMap<string, string>, draft: RuleDraft, refuse: Refuse): void {
  if (!values.has("FREQ")) refuse("FREQ is missing; it must be DAILY, WEEKLY, MONTHLY or YEARLY.");
  if (values.has("COUNT") && values.has("UNTIL"))
    refuse("COUNT and UNTIL exclude each other; give one of them.");
  const { frequency } = draft;
  if (
    (frequency === "DAILY" || frequency === "WEEKLY") &&
    draft.byDay?.some((entry) => entry.ordinal !== 0)
  ) {
    refuse(`BYDAY takes no ordinal (as in 1MO) with FREQ=${frequency}; only with MONTHLY and YEARLY.`);
  }
  if (frequency === "WEEKLY" && values.has("BYMONTHDAY"))
    refuse("BYMONTHDAY cannot be used with FREQ=WEEKLY.");
  const others = [...values.keys()].filter((name) => name.startsWith("BY") && name !== "BYSETPOS");
  if (values.has("BYSETPOS") && others.length === 0) {
    refuse("BYSETPOS needs another BY part, such as BYDAY, to choose from.");
  }
}

function readFrequency(value: string, draft: RuleDraft, refuse: Refuse): void {
  if (isFrequency(value)) draft.frequency = value;
  else refuse("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY.");
}

function isFrequency(value: string): value is Frequency {
  return FREQUENCIES.includes(value);
}

function readUntil(value: string, draft: RuleDraft, refuse: Refuse): void {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(value);
  if (!match) {
    refuse("UNTIL must be a date such as 20261231, or an instant in UTC such as 20261231T235959Z.");
    return;
  }
  const day = realDay(Number(match[1]), Number(match[2]), Number(match[3]));
  const hour = Number(match[4] ?? 0);
  const minute = Number(match[5] ?? 0);
  const second = Number(match[6] ?? 0);
  if (day === undefined || hour > 23 || minute > 59 || second > 59)
    refuse("UNTIL names a date or a time that does not exist.");
  else if (match[4] === undefined) draft.untilDay = day;
  else draft.untilMs = day * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}

function readByDay(value: string, draft: RuleDraft, refuse: Refuse): void {
  const entries: ByDay[] = [];
  for (const text of value.split(",")) {
    const match = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text);
    const ordinal = Number(match?.[1] ?? 0);
    if (!match || Math.abs(ordinal) > 53 || (match[1] !== undefined && ordinal === 0)) {
      refuse(
        "BYDAY must list weekdays (MO, TU, WE, TH, FR, SA, SU), each with an optional ordinal from -53 to 53 but not 0, such as 1MO or -1FR.",
      );
      return;
    }
    entries.push({ weekday: WEEKDAYS.indexOf(match[2] ?? ""), ordinal });
  }
  draft.byDay = entries;
}

function readWeekStart(value: string, draft: RuleDraft, refuse: Refuse): void {
  const weekday = WEEKDAYS.indexOf(value);
  if (weekday >= 0) draft.weekStart = weekday;
  else refuse("WKST must be one of MO, TU, WE, TH, FR, SA, SU.");
}

function numberInto(key: "interval" | "count", name: string): PartReader {
  return (value, draft, refuse) => {
    if (/^\d{1,9}$/.test(value) && Number(value) > 0) draft[key] = Number(value);
    else refuse(`${name} must be a whole number from 1 to 999999999.`);
  };
}

type ListKey = "byMonthDay" | "byMonth" | "bySetPos" | "byHour" | "byMinute";

/** A range that reaches below zero counts from the end there, and then 0 names nothing. */
function listInto(key: ListKey, name: string, least: number, most: number): PartReader {
  const signed = least < 0;
  const pattern = signed ? /^[+-]?\d{1,3}$/ : /^\d{1,2}$/;
  return (value, draft, refuse) => {
    const texts = value.split(",");
    const numbers = texts.map(Number);
    const wrong = numbers.some((number) => number < least || number > most || (signed && number === 0));
    if (wrong || !texts.every((text) => pattern.test(text))) {
      refuse(`${name} must list whole numbers from ${least} to ${most}${signed ? ", but not 0" : ""}.`);
    } else {
      draft[key] = [...new Set(numbers)].sort((a, b) => a - b);
    }
  };
}
