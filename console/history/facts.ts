import type { Schemas } from "../api/operations.ts";
import { isDate } from "../languages/days.ts";
import { count, fullDate, money } from "../languages/format.ts";
import { historyWords } from "./words.ts";

type Entry = Schemas["RecordedWrite"];
type Details = Readonly<Record<string, unknown>>;

/** What an entry holds of the circumstances, in words: numbers, days and states, where they say something. */
export function factsOf({ details: given }: Entry, currency: string): readonly string[] {
  const t = historyWords();
  const details = membersOf(given);
  const [before, after] = [membersOf(details.before), membersOf(details.after)];
  const { priceCents, startDate, firstDay, lastDay, records } = details;
  const facts: (string | undefined)[] = [
    typeof priceCents === "number" ? money(priceCents, currency) : undefined,
    isDate(asText(startDate)) ? t.from(fullDate(String(startDate))) : undefined,
    isDate(asText(firstDay)) && isDate(asText(lastDay))
      ? t.days(fullDate(String(firstDay)), fullDate(String(lastDay)))
      : undefined,
    changeOf(details.before, details.after ?? details.state),
    isDate(asText(after.endDate)) && after.endDate !== before.endDate
      ? t.until(fullDate(String(after.endDate)))
      : undefined,
    typeof records === "number" && records > 0 ? t.records(records, count(records)) : undefined,
    ...countsOf(details),
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** "2 sessions", "3 bookings": what a write touched or would touch. */
export function countsOf(counts: Details): readonly string[] {
  const t = historyWords();
  const number = (name: string) => (typeof counts[name] === "number" ? counts[name] : 0);
  const said = [
    ["contracts", t.contracts],
    ["sessions", t.sessions],
    ["bookings", t.bookings],
    ["creditsReturned", t.credits],
  ] as const;
  return said.flatMap(([name, say]) => (number(name) > 0 ? [say(number(name), count(number(name)))] : []));
}

/** Numbers and known states before and after. */
function changeOf(before: unknown, after: unknown): string | undefined {
  const t = historyWords();
  const word = (value: unknown) =>
    typeof value === "number" ? count(value) : typeof value === "string" ? t.states[value] : undefined;
  const [from, to] = [word(before), word(after)];
  if (to === undefined || before === after) return undefined;
  return from === undefined ? to : t.fromTo(from, to);
}

function membersOf(value: unknown): Details {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Details) : {};
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
