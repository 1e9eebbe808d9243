import { dateOf, MS_PER_DAY } from "../../core/dates.ts";
import type { LinkLanguage } from "./values.ts";

/**
 * Calendars as text (RFC 5545). Every event is an instant in UTC without a rule: programs differ in how they expand rules
 * and read time zones, and all read instants alike.
 */

/** What stands above the events. */
export interface CalendarHead {
  readonly name: string;
  /** The zone that a subscriber's program shows the calendar in, if it asks for one. */
  readonly timezone: string;
}

/** One session on one day. */
export interface CalendarEvent {
  /** Of its schedule, or its own if it has none: 36 letters. */
  readonly id: string;
  /** The local date-time of its slot in milliseconds, if it has a schedule. */
  readonly slotMs: number | undefined;
  /** The number of the last change to anything that the event shows. */
  readonly sequence: number;
  /** When that was, in milliseconds. */
  readonly changedMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** What events that are alike share. */
export interface EventWords {
  readonly summary: string;
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly isCancelled: boolean;
}

const CANCELLED: Readonly<Record<LinkLanguage, string>> = {
  en: "Cancelled",
  "pt-BR": "Cancelado",
  es: "Cancelado",
};

/** RFC 5545 has no larger whole numbers. */
const MOST_SEQUENCE = 2 ** 31 - 1;

export function calendarHead({ name, timezone }: CalendarHead): string {
  return lines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Rollbook//Calendar//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `X-WR-TIMEZONE:${escapeText(timezone)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
  ]);
}

export const CALENDAR_END = "END:VCALENDAR\r\n";

/** For a calendar without events: one that holds nothing at all is not valid. */
export const NO_EVENTS = lines([
  "BEGIN:VTIMEZONE",
  "TZID:UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "END:STANDARD",
  "END:VTIMEZONE",
]);

/**
 * The last lines of events with zeros for their times, written once for all that are alike. A cancelled one says so in its
 * summary too: some programs show nothing else of it.
 */
export function eventWords(
  { summary, location, description, isCancelled }: EventWords,
  language: LinkLanguage,
): Buffer {
  const shown = isCancelled ? `${CANCELLED[language]}: ${summary}` : summary;
  const text = lines([
    `DTSTART:${ZERO_TIME}`,
    `DTEND:${ZERO_TIME}`,
    `SUMMARY:${escapeText(shown)}`,
    ...(location === undefined ? [] : [`LOCATION:${escapeText(location)}`]),
    ...(description === undefined ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    isCancelled ? "STATUS:CANCELLED" : "STATUS:CONFIRMED",
    isCancelled ? "TRANSP:TRANSPARENT" : "TRANSP:OPAQUE",
    "END:VEVENT",
  ]);
  return Buffer.from(`${SEQUENCE_END}${text}`);
}

const ZERO_ID = "0".repeat(36);
const ZERO_SLOT = "00000000T000000";
const ZERO_TIME = `${ZERO_SLOT}Z`;
const SEQUENCE_END = "\r\n";
const START_AT = `${SEQUENCE_END}DTSTART:`.length;
const END_AT = START_AT + `${ZERO_TIME}\r\nDTEND:`.length;

/** The first lines of an organization's events with zeros for what differs, and where each of that begins. */
interface EventForm {
  readonly text: Buffer;
  readonly idAt: number;
  readonly slotAt: number;
  readonly stampAt: number;
  readonly modifiedAt: number;
}

/** An event is that of its slot, booked, moved or cancelled. Its line is folded after what differs. */
function eventForm(organizationId: string, slot: string): EventForm {
  let text = "BEGIN:VEVENT\r\n";
  const idAt = text.length + "UID:".length;
  const slotAt = idAt + ZERO_ID.length + "-".length;
  text += `${foldLine(`UID:${ZERO_ID}${slot}@${organizationId}`)}\r\nDTSTAMP:`;
  const stampAt = text.length;
  text += `${ZERO_TIME}\r\nLAST-MODIFIED:`;
  const modifiedAt = text.length;
  return { text: Buffer.from(`${text}${ZERO_TIME}\r\nSEQUENCE:`), idAt, slotAt, stampAt, modifiedAt };
}

/** Each piece of memory holds some hundred events. */
const PAGE_BYTES = 1 << 16;

/** Writes an organization's events. Bytes are copied: several times as fast as putting texts together. */
export class EventPages {
  readonly #ofSlot: EventForm;
  readonly #ofSession: EventForm;
  readonly #full: Buffer[] = [];
  #page = Buffer.alloc(0);
  #end = 0;

  constructor(organizationId: string) {
    this.#ofSlot = eventForm(organizationId, `-${ZERO_SLOT}`);
    this.#ofSession = eventForm(organizationId, "");
  }

  /** An event, of which `words` are already bytes. */
  add({ id, slotMs, sequence, changedMs, startMs, endMs }: CalendarEvent, words: Buffer): void {
    const { text, idAt, slotAt, stampAt, modifiedAt } = slotMs === undefined ? this.#ofSession : this.#ofSlot;
    const number = String(Math.min(sequence, MOST_SEQUENCE));
    this.#makeRoom(text.length + number.length + words.length);
    const [page, from] = [this.#page, this.#end];
    page.set(text, from);
    page.write(id, from + idAt, ZERO_ID.length, "latin1");
    if (slotMs !== undefined) writeTime(page, from + slotAt, slotMs);
    writeTime(page, from + stampAt, changedMs);
    page.copy(page, from + modifiedAt, from + stampAt, from + stampAt + ZERO_TIME.length);
    const wordsAt = from + text.length + page.write(number, from + text.length, "latin1");
    page.set(words, wordsAt);
    writeTime(page, wordsAt + START_AT, startMs);
    writeTime(page, wordsAt + END_AT, endMs);
    this.#end = wordsAt + words.length;
  }

  /** All that was added. */
  get pages(): readonly Buffer[] {
    return [...this.#full, this.#page.subarray(0, this.#end)];
  }

  #makeRoom(size: number): void {
    if (this.#end + size <= this.#page.length) return;
    this.#full.push(this.#page.subarray(0, this.#end));
    this.#page = Buffer.allocUnsafeSlow(Math.max(size, PAGE_BYTES));
    this.#end = 0;
  }
}

/** `20261116T100000` over the zeros. Nobody looks at years of more or fewer than four digits. */
function writeTime(bytes: Buffer, at: number, ms: number): void {
  const days = Math.floor(ms / MS_PER_DAY);
  const seconds = Math.floor((ms - days * MS_PER_DAY) / 1000);
  const { year, month, day } = dateOf(days);
  writeTwo(bytes, at, Math.floor(year / 100));
  writeTwo(bytes, at + 2, year % 100);
  writeTwo(bytes, at + 4, month);
  writeTwo(bytes, at + 6, day);
  writeTwo(bytes, at + 9, Math.floor(seconds / 3600));
  writeTwo(bytes, at + 11, Math.floor(seconds / 60) % 60);
  writeTwo(bytes, at + 13, seconds % 60);
}

const ZERO = 48;

function writeTwo(bytes: Buffer, at: number, value: number): void {
  const tens = Math.floor(value / 10);
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}

/** A text as the value of a property. What no line may hold is left out. */
export function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n|\r|\n/g, "\\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}

/** Octets of a line without its end. */
const MOST_OCTETS = 75;

/** A line cut into lines of at most 75 octets, each further one after a space; never within a character. */
export function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= MOST_OCTETS) return line;
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > MOST_OCTETS) {
      folded += "\r\n ";
      octets = 1;
    }
    folded += character;
    octets += length;
  }
  return folded;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${foldLine(text)}\r\n`).join("");
}
