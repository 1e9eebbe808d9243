import type { Schemas } from "../api/operations.ts";
import { isDate } from "../languages/days.ts";
import { count, fullDate, listOf, money } from "../languages/format.ts";
import { moneyWords } from "../money/words.ts";
import { historyWords } from "./words.ts";

type Entry = Schemas["RecordedWrite"];
type Details = Readonly<Record<string, unknown>>;

/** What an entry holds of the circumstances, in words: numbers, days and states, where they say something. */
export function factsOf({ action, details: given }: Entry, currency: string): readonly string[] {
  const t = historyWords();
  const details = membersOf(given);
  const [before, after] = [membersOf(details.before), membersOf(details.after)];
  const { priceCents, amountCents, usedCents, method, startDate, firstDay, lastDay, members, tries } =
    details;
  const methods: Readonly<Record<string, string>> = moneyWords().methods;
  const records = details.records ?? details.rows;
  const facts: (string | undefined)[] = [
    ...[priceCents, amountCents, usedCents].map((cents) =>
      typeof cents === "number" ? money(cents, currency) : undefined,
    ),
    typeof method === "string" ? methods[method] : undefined,
    typeof before.amountCents === "number" && typeof after.amountCents === "number"
      ? t.fromTo(money(before.amountCents, currency), money(after.amountCents, currency))
      : undefined,
    isDate(asText(startDate)) ? t.from(fullDate(String(startDate))) : undefined,
    isDate(asText(firstDay)) && isDate(asText(lastDay))
      ? t.days(fullDate(String(firstDay)), fullDate(String(lastDay)))
      : undefined,
    changeOf(details.before, details.after ?? details.state),
    isDate(asText(after.endDate)) && after.endDate !== before.endDate
      ? t.until(fullDate(String(after.endDate)))
      : undefined,
    typeof records === "number" && records > 0 ? t.records(records, count(records)) : undefined,
    typeof tries === "number" && tries > 1 ? t.tries(tries, count(tries)) : undefined,
    // Of a new record all are written, and of what is archived it is always the same one.
    action.startsWith("edit") && Array.isArray(members) && members.length > 0
      ? listOf(members.map((name) => t.members[String(name)] ?? String(name)))
      : undefined,
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

/** What taking an import of clients back does, in sentences. */
export function takenBackOf(result: unknown): readonly string[] | undefined {
  const t = historyWords();
  const { removed, setBack, kept } = membersOf(result);
  if (typeof removed !== "number" || typeof setBack !== "number" || typeof kept !== "number")
    return undefined;
  return [
    ...(removed > 0 ? [t.importRemoved(removed, count(removed))] : []),
    ...(setBack > 0 ? [t.importSetBack(setBack, count(setBack))] : []),
    ...(kept > 0 ? [t.importKept(kept, count(kept))] : []),
  ];
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
