import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CALENDAR_END,
  type CalendarEvent,
  calendarHead,
  EventPages,
  type EventWords,
  escapeText,
  eventWords,
  foldLine,
  NO_EVENTS,
} from "./ics-text.ts";

const EVENT: CalendarEvent = {
  id: "0190aaaa-0000-7000-8000-000000000001",
  slotMs: Date.UTC(2026, 10, 16, 7),
  sequence: 1842,
  changedMs: Date.UTC(2026, 10, 15, 9, 30, 0, 999),
  startMs: Date.UTC(2026, 10, 16, 10),
  endMs: Date.UTC(2026, 10, 16, 11),
};
const WORDS: EventWords = {
  summary: "Pilates",
  location: "Vila Madalena, Rua Harmonia 100",
  isCancelled: false,
};

const ORGANIZATION_ID = "0190bbbb-0000-7000-8000-000000000002";

function eventTexts(events: readonly CalendarEvent[], words = WORDS): string {
  const written = new EventPages(ORGANIZATION_ID);
  for (const event of events) written.add(event, eventWords(words, "en"));
  return Buffer.concat(written.pages).toString();
}

test("an event has its times in UTC and whole seconds, its number, and its texts escaped", () => {
  assert.equal(
    eventTexts([EVENT]),
    [
      "BEGIN:VEVENT",
      "UID:0190aaaa-0000-7000-8000-000000000001-20261116T070000@0190bbbb-0000-7000",
      " -8000-000000000002",
      "DTSTAMP:20261115T093000Z",
      "LAST-MODIFIED:20261115T093000Z",
      "SEQUENCE:1842",
      "DTSTART:20261116T100000Z",
      "DTEND:20261116T110000Z",
      "SUMMARY:Pilates",
      "LOCATION:Vila Madalena\\, Rua Harmonia 100",
      "STATUS:CONFIRMED",
      "TRANSP:OPAQUE",
      "END:VEVENT",
      "",
    ].join("\r\n"),
  );
});

test("an event that is of no slot is told by its own id", () => {
  assert.match(
    eventTexts([{ ...EVENT, slotMs: undefined }]),
    /^BEGIN:VEVENT\r\nUID:0190aaaa-0000-7000-8000-000000000001@0190bbbb-0000-7000-8000-0000000000\r\n 02\r\nDTSTAMP:20261115T093000Z\r\n/,
  );
});

test("each time is written to the second, on either side of a day, a leap day, a century and 1970", () => {
  for (const [startMs, endMs, start, end] of [
    [Date.UTC(2028, 1, 28, 23, 59, 59), Date.UTC(2028, 1, 29), "20280228T235959Z", "20280229T000000Z"],
    [
      Date.UTC(2099, 11, 31, 9, 8, 7),
      Date.UTC(2100, 0, 1, 10, 20, 30),
      "20991231T090807Z",
      "21000101T102030Z",
    ],
    [Date.UTC(1969, 11, 31, 23, 0, 1), 0, "19691231T230001Z", "19700101T000000Z"],
  ] as const)
    assert.ok(
      eventTexts([{ ...EVENT, startMs, endMs }]).includes(`\r\nDTSTART:${start}\r\nDTEND:${end}\r\n`),
    );
});

test("many events, and one larger than a piece of memory, follow one another as each is alone", () => {
  const events = Array.from({ length: 1000 }, (_, sequence) => ({ ...EVENT, sequence }));
  assert.equal(eventTexts(events), events.map((event) => eventTexts([event])).join(""));
  const long = { ...WORDS, location: "Rua Harmonia ".repeat(10_000) };
  assert.equal(eventTexts([EVENT, EVENT], long), eventTexts([EVENT], long).repeat(2));
});

test("a cancelled event says so by its status, by leaving the time free, and in words of the link's language", () => {
  const cancelled = { ...WORDS, isCancelled: true };
  for (const [language, summary] of [
    ["en", "Cancelled: Pilates"],
    ["pt-BR", "Cancelado: Pilates"],
    ["es", "Cancelado: Pilates"],
  ] as const) {
    const text = eventWords(cancelled, language).toString();
    for (const line of [`SUMMARY:${summary}`, "STATUS:CANCELLED", "TRANSP:TRANSPARENT"])
      assert.ok(text.split("\r\n").includes(line), `${language}: ${line}`);
  }
});

test("a number is never larger than a calendar's numbers may be", () => {
  assert.match(eventTexts([{ ...EVENT, sequence: 2 ** 31 + 5 }]), /\r\nSEQUENCE:2147483647\r\n/);
});

test("the head names the calendar for old programs and new, with its zone", () => {
  const head = calendarHead({ name: "Estúdio; Aurora", timezone: "America/Sao_Paulo" });
  assert.match(head, /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/);
  assert.match(head, /\r\nNAME:Estúdio\\; Aurora\r\nX-WR-CALNAME:Estúdio\\; Aurora\r\n/);
  assert.match(head, /\r\nX-WR-TIMEZONE:America\/Sao_Paulo\r\n/);
  for (const text of [head, NO_EVENTS, CALENDAR_END]) assert.ok(text.endsWith("\r\n"));
});

test("texts are escaped so that nothing in them ends a value or a line", () => {
  for (const [text, escaped] of [
    ["plain", "plain"],
    ["a,b;c\\d", "a\\,b\\;c\\\\d"],
    ["two\nlines\r\nor\rmore", "two\\nlines\\nor\\nmore"],
    ["bell\x07, null\x00", "bell\\, null"],
    ["tab\tstays", "tab\tstays"],
    ["colon: \"quotes\" 'stay'", "colon: \"quotes\" 'stay'"],
  ] as const)
    assert.equal(escapeText(text), escaped);
});

test("a line is folded at 75 octets and never inside a character", () => {
  for (const line of [
    "x".repeat(75),
    "x".repeat(76),
    "x".repeat(75 + 74),
    "x".repeat(75 + 75),
    `SUMMARY:${"é".repeat(200)}`,
    `SUMMARY:x${"é".repeat(200)}`,
    `SUMMARY:${"字".repeat(200)}`,
    `SUMMARY:${"🧘".repeat(200)}`,
    `SUMMARY:ab${"🧘".repeat(200)}`,
    `SUMMARY:abc${"👩‍👩‍👧".repeat(50)}`,
    "",
  ]) {
    const pieces = foldLine(line).split("\r\n");
    for (const piece of pieces) {
      assert.ok(Buffer.byteLength(piece) <= 75, `${Buffer.byteLength(piece)} octets`);
      assert.ok(piece.isWellFormed());
    }
    for (const piece of pieces.slice(1)) assert.ok(piece.startsWith(" "));
    assert.equal(pieces.map((piece, place) => (place === 0 ? piece : piece.slice(1))).join(""), line);
    // No line is shorter than it need be: a further character would not fit.
    for (const piece of pieces.slice(0, -1)) assert.ok(Buffer.byteLength(piece) > 75 - 4);
  }
});
