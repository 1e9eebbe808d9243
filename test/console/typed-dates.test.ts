import assert from "node:assert/strict";
import { test } from "node:test";
import type { Language } from "../../console/languages/languages.ts";
import { readDate, readTime, stepDate, stepTime, writeDate } from "../../console/languages/typed-dates.ts";

const TODAY = "2026-11-16";

/** What is written, and the date that it is, or nothing. */
const DATES: readonly (readonly [string, string | undefined, Language?])[] = [
  ["18/11/2026", "2026-11-18"],
  ["2026-11-18", "2026-11-18"],
  [" 18.11.2026 ", "2026-11-18"],
  ["18-11-26", "2026-11-18"],
  ["18 11", "2026-11-18"],
  ["1811", "2026-11-18"],
  ["181126", "2026-11-18"],
  ["18112026", "2026-11-18"],
  // The nearest one: in November, January is the next.
  ["5/1", "2027-01-05"],
  ["1/9", "2026-09-01"],
  ["29/2", "2028-02-29"],
  ["29/02/2027", undefined],
  ["31/4", undefined],
  ["1/13", undefined],
  ["0/1", undefined],
  ["18/11/85", "1985-11-18"],
  ["18/11/46", "2046-11-18"],
  ["18/11/47", "1947-11-18"],
  ["18/11/2", undefined],
  ["18/11/202", undefined],
  ["18/11/0026", undefined],
  ["18 nov", "2026-11-18"],
  ["18 November 2027", "2027-11-18"],
  ["1st jan", "2027-01-01"],
  ["18 de novembro", "2026-11-18", "pt-BR"],
  ["18 de março de 2027", "2027-03-18", "pt-BR"],
  ["18 marco", "2027-03-18", "pt-BR"],
  ["3 ene.", "2027-01-03", "es"],
  ["3 ene", undefined, "en"],
  ["18", undefined],
  ["tomorrow", undefined],
  ["", undefined],
  ["18/11/2026 07:00", undefined],
];

for (const [text, date, language = "en"] of DATES)
  test(`“${text}” is ${date ?? "no date"}`, () => {
    assert.equal(readDate(text, { today: TODAY, language }), date);
  });

test("a date without a year lies within the limits of its field", () => {
  const read = (text: string, limits: object) => readDate(text, { today: TODAY, language: "en", ...limits });
  assert.equal(read("1/11", { min: TODAY }), "2027-11-01");
  assert.equal(read("1/12", { max: TODAY }), "2025-12-01");
  assert.equal(read("1/12", { min: "2028-01-01" }), "2028-12-01");
});

test("while somebody types, what may become something else is nothing yet", () => {
  const typing = (text: string) => readDate(text, { today: TODAY, language: "en", isWhole: false });
  assert.deepEqual(["18/11/2", "18/11/20", "18/11/202", "18/11/2027", "18/11/27"].map(typing), [
    undefined,
    undefined,
    undefined,
    "2027-11-18",
    "2027-11-18",
  ]);
  assert.deepEqual(["5/1", "5/0", "5/12", "5/2"].map(typing), [
    undefined,
    undefined,
    "2026-12-05",
    "2027-02-05",
  ]);
  assert.deepEqual([readTime("1", false), readTime("18", false)], [undefined, "18:00"]);
});

test("a date is written with the day first and steps by its parts", () => {
  assert.equal(writeDate("2026-11-08"), "08/11/2026");
  assert.equal(stepDate("2026-12-31", "day", 1), "2027-01-01");
  assert.equal(stepDate("2026-12-31", "month", -1), "2026-11-30");
  assert.equal(stepDate("2026-12-31", "month", 2), "2027-02-28");
  assert.equal(stepDate("2028-02-29", "year", 1), "2029-02-28");
  assert.equal(stepDate("2026-01-15", "month", -1), "2025-12-15");
});

const TIMES: readonly (readonly [string, string | undefined])[] = [
  ["7h30", "07:30"],
  ["7:30", "07:30"],
  ["07.30", "07:30"],
  ["7 30", "07:30"],
  ["730", "07:30"],
  ["0730", "07:30"],
  ["19h", "19:00"],
  ["7", "07:00"],
  ["0", "00:00"],
  ["7pm", "19:00"],
  ["12 am", "00:00"],
  ["12:15 p.m.", "12:15"],
  ["7:30 AM", "07:30"],
  ["19:30h", "19:30"],
  ["24:00", undefined],
  ["7:60", undefined],
  ["7:3", undefined],
  ["13 pm", undefined],
  ["0 pm", undefined],
  ["073000", undefined],
  ["noon", undefined],
  ["", undefined],
];

for (const [text, time] of TIMES)
  test(`“${text}” is ${time ?? "no time"}`, () => {
    assert.equal(readTime(text), time);
  });

test("a time steps by the hour and by five minutes", () => {
  assert.equal(stepTime("23:30", "hour", 1), "00:30");
  assert.equal(stepTime("00:30", "hour", -1), "23:30");
  assert.equal(stepTime("07:32", "minute", 1), "07:35");
  assert.equal(stepTime("07:32", "minute", -1), "07:30");
  assert.equal(stepTime("07:55", "minute", 1), "08:00");
  assert.equal(stepTime("00:00", "minute", -1), "23:55");
});
