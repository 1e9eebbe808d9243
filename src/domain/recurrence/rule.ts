import { MS_PER_DAY, realDay } from "../../core/dates.ts";
import type { Fault, FaultContent } from "../../core/faults.ts";
import { MAX_RULE_LENGTH } from "../../core/limits.ts";

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
  const found = new Map<string, FaultContent>();
  const rule = readRule(text, (fault) => found.set(JSON.stringify(fault), fault));
  for (const fault of found.values()) faults.push({ location, ...fault });
  return found.size === 0 ? rule : undefined;
}

/** The text of a rule with another end, `COUNT=9` or `UNTIL=20261118T095959Z`, in the place of the one that it has. */
export function withEnd(text: string, end: string): string {
  const parts = text.split(";");
  const place = parts.findIndex((part) => /^(COUNT|UNTIL)=/i.test(part));
  parts.splice(place < 0 ? parts.length : place, 1, end);
  return parts.join(";");
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const FREQUENCIES: readonly string[] = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] satisfies Frequency[];
type Refuse = (fault: FaultContent) => void;
type RuleDraft = { -readonly [K in keyof Rule]?: Rule[K] };
type PartReader = (value: string, draft: RuleDraft, refuse: Refuse) => void;

function readRule(text: string, refuse: Refuse): Rule | undefined {
  if (text.length > MAX_RULE_LENGTH) {
    refuse({ code: "rule_too_long", params: { max: MAX_RULE_LENGTH } });
    return undefined;
  }
  // Names and values are case-insensitive in RFC 5545.
  let rest = text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  if (rest.startsWith("RRULE:")) {
    refuse({ code: "rule_prefixed" });
    rest = rest.slice("RRULE:".length);
  }
  const values = new Map<string, string>();
  for (const part of rest.split(";")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(equals, 0));
    if (!/^[A-Z][A-Z-]{0,29}$/.test(name)) refuse({ code: "rule_malformed" });
    else if (values.has(name)) refuse({ code: "rule_part_repeated", params: { part: name } });
    else values.set(name, part.slice(equals + 1));
  }
  const draft: RuleDraft = {};
  for (const [name, value] of values) {
    const read = PARTS.get(name);
    if (read) read(value, draft, refuse);
    else {
      const code = UNSUPPORTED.has(name) ? "rule_part_unsupported" : "rule_part_unknown";
      refuse({ code, params: { part: name, supported: [...PARTS.keys()] } });
    }
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
  if (!values.has("FREQ")) refuse({ code: "rule_frequency_missing" });
  if (values.has("COUNT") && values.has("UNTIL")) refuse({ code: "rule_count_with_until" });
  const { frequency } = draft;
  if (
    (frequency === "DAILY" || frequency === "WEEKLY") &&
    draft.byDay?.some((entry) => entry.ordinal !== 0)
  ) {
    refuse({ code: "rule_ordinal_refused", params: { frequency } });
  }
  if (frequency === "WEEKLY" && values.has("BYMONTHDAY")) refuse({ code: "rule_month_day_refused" });
  const others = [...values.keys()].filter((name) => name.startsWith("BY") && name !== "BYSETPOS");
  if (values.has("BYSETPOS") && others.length === 0) refuse({ code: "rule_set_position_alone" });
}

function readFrequency(value: string, draft: RuleDraft, refuse: Refuse): void {
  if (isFrequency(value)) draft.frequency = value;
  else refuse({ code: "rule_frequency_invalid" });
}

function isFrequency(value: string): value is Frequency {
  return FREQUENCIES.includes(value);
}

function readUntil(value: string, draft: RuleDraft, refuse: Refuse): void {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(value);
  if (!match) {
    refuse({ code: "rule_until_malformed" });
    return;
  }
  const day = realDay(Number(match[1]), Number(match[2]), Number(match[3]));
  const hour = Number(match[4] ?? 0);
  const minute = Number(match[5] ?? 0);
  const second = Number(match[6] ?? 0);
  if (day === undefined || hour > 23 || minute > 59 || second > 59) refuse({ code: "rule_until_unreal" });
  else if (match[4] === undefined) draft.untilDay = day;
  else draft.untilMs = day * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}

function readByDay(value: string, draft: RuleDraft, refuse: Refuse): void {
  const entries: ByDay[] = [];
  for (const text of value.split(",")) {
    const match = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text);
    const ordinal = Number(match?.[1] ?? 0);
    if (!match || Math.abs(ordinal) > 53 || (match[1] !== undefined && ordinal === 0)) {
      refuse({ code: "rule_weekdays_invalid" });
      return;
    }
    entries.push({ weekday: WEEKDAYS.indexOf(match[2] ?? ""), ordinal });
  }
  draft.byDay = entries;
}

function readWeekStart(value: string, draft: RuleDraft, refuse: Refuse): void {
  const weekday = WEEKDAYS.indexOf(value);
  if (weekday >= 0) draft.weekStart = weekday;
  else refuse({ code: "rule_week_start_invalid" });
}

function numberInto(key: "interval" | "count", name: string): PartReader {
  return (value, draft, refuse) => {
    if (/^\d{1,9}$/.test(value) && Number(value) > 0) draft[key] = Number(value);
    else refuse({ code: "rule_number_invalid", params: { part: name, min: 1, max: 999_999_999 } });
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
      refuse({ code: "rule_numbers_invalid", params: { part: name, min: least, max: most } });
    } else {
      draft[key] = [...new Set(numbers)].sort((a, b) => a - b);
    }
  };
}
