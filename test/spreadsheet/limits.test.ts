import assert from "node:assert/strict";
import type { FileHandle } from "node:fs/promises";
import { test } from "node:test";
import { importSheetByStaff, readSheetForStaff } from "../../src/data/spreadsheet/staff-import.ts";
import { startApi } from "../support/api.ts";
import { least } from "../support/least.ts";
import { addLocation } from "../support/records.ts";
import { withFile } from "./support.ts";
import { buildWorkbook, rawWorkbook } from "./workbooks.ts";

/**
 * The largest and the most awkward files that are allowed. Whatever a file is, reading it holds the event loop for a few
 * milliseconds at a time, takes little memory, and is answered by less than a megabyte.
 */

const MEBIBYTE = 1024 * 1024;
const FILE_BYTES = 20 * MEBIBYTE;
const MAX_HOLD_MS = 20;
/** On a busy machine some turns take longer: a few, or one in fifty, and none for as long as somebody would notice. */
const FEW = 4;
const LONGER_SHARE = 0.02;
const LONGEST_HOLD_MS = 150;
const MAX_MEMORY_BYTES = 300 * MEBIBYTE;

const fill = (unit: string, bytes = FILE_BYTES, head = "") =>
  head + unit.repeat(Math.floor((bytes - head.length) / Buffer.byteLength(unit)));
const places = Array.from({ length: 14_000 }, (_, i) => `Lugar ${i}`).join(";");
const sheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const nome = '<row><c t="inlineStr"><is><t>Nome</t></is></c></row>';

const CASES: readonly [what: string, file: () => string | Uint8Array, expected: string][] = [
  [
    "one cell of 300,000 places",
    () => `Nome,Unidade\nAna,${Array.from({ length: 300_000 }, (_, i) => `L${i}`).join(";")}\n`,
    "row_too_long",
  ],
  [
    "20 rows with as many places as a row can have",
    () => `Nome,Unidade\n${`Ana,"${places}"\n`.repeat(20)}`,
    "20 faulty",
  ],
  [
    "a column of 300,000 places",
    () => `Nome,Unidade\n${Array.from({ length: 300_000 }, (_, i) => `Ana ${i},Lugar ${i}\n`).join("")}`,
    "rows_too_many",
  ],
  [
    "20,000 different places",
    () => `Nome,Unidade\n${Array.from({ length: 20_000 }, (_, i) => `Ana ${i},Lugar ${i}\n`).join("")}`,
    "20000 faulty",
  ],
  ["one cell of 20 MB", () => fill("x", FILE_BYTES, "Nome\n"), "row_too_long"],
  ["one quoted cell of 20 MB", () => fill("x\n", FILE_BYTES, 'Nome\n"'), "row_too_long"],
  ["20 MB of empty lines", () => fill("\n", FILE_BYTES, "Nome\nAna"), "sheet_too_large"],
  ["a million rows of nothing", () => `Nome\n${"\n".repeat(1_000_000)}Ana\n`, "sheet_too_large"],
  [
    "rows of 16,384 columns",
    () => fill(`Ana,1234567${",".repeat(16_382)}\n`, FILE_BYTES, "Nome,Tel\n"),
    "1279 rows",
  ],
  ["20 MB of commas", () => fill(","), "row_too_long"],
  ["20 MB of semicolons", () => fill(";"), "row_too_long"],
  [
    "one row of 20 MB of commas",
    () => fill(",", FILE_BYTES, "Name,Email\r\nAna,a@example.com\r\n"),
    "row_too_long",
  ],
  [
    "rows of as many cells as a row can have",
    () => `Name,Email\n${Array.from({ length: 30 }, (_, i) => `Ana ${i}${",x".repeat(80_000)}\n`).join("")}`,
    "30 faulty",
  ],
  [
    "20 MB of rows that are wider than the first",
    () => fill(";;;;\n", FILE_BYTES, "Nome;E-mail\nAna;\n"),
    "sheet_too_large",
  ],
  ["16,384 names", () => `Nome${",x".repeat(16_383)}\nAna\n`, "columns_too_many"],
  ["500 names that mean the same", () => `Nome${",CPF".repeat(499)}\nAna\n`, "columns_same"],
  [
    "500 long names",
    () => `Nome,${Array.from({ length: 499 }, (_, i) => `"${i}${'"'.repeat(380)}"`).join(",")}\nAna\n`,
    "1 rows",
  ],
  ["bytes of every kind", () => noise(FILE_BYTES), "encoding_unclear"],
  [
    "letters that fold to many",
    () => fill(`${"\ufdfa".repeat(150)},x\n`, FILE_BYTES, "Nome,Unidade\n"),
    "rows_too_many",
  ],
  [
    "18,000 rows full of what cannot be read",
    () =>
      `Nome,E-mail,Tel,Nascimento,CPF,CEP,Cidade\n${Array.from(
        { length: 18_000 },
        (_, i) => `Ana ${i},${"\u0001".repeat(240)},x@x,1/1/1,0,#,${"\u0001".repeat(700)}\n`,
      ).join("")}`,
    "18000 rows",
  ],
  ["a zip of nothing but blanks", () => rawWorkbook(sheet(`${nome}${" ".repeat(60 * MEBIBYTE)}`)), "0 rows"],
  [
    "a million rows of nothing in a workbook",
    () => rawWorkbook(sheet(`${nome}${"<row/>".repeat(1_000_000)}`)),
    "0 rows",
  ],
  [
    "a workbook of nothing but tags",
    () => rawWorkbook(sheet(`${nome}${"<a/>".repeat(10 * MEBIBYTE)}`)),
    "sheet_too_large",
  ],
  [
    "an attribute without an end",
    () => rawWorkbook(`<worksheet a="${"x".repeat(120 * MEBIBYTE)}"/>`),
    "workbook_damaged",
  ],
  [
    "a tag of a million attributes",
    () => rawWorkbook(`<worksheet${Array.from({ length: 1_000_000 }, (_, i) => ` a${i}=""`).join("")}/>`),
    "workbook_damaged",
  ],
  ["XML that is deep", () => rawWorkbook("<a>".repeat(10 * MEBIBYTE)), "workbook_damaged"],
  [
    "rows of 16,384 columns in a workbook",
    () =>
      rawWorkbook(
        sheet(
          nome +
            Array.from({ length: 20_000 }, (_, i) => `<row><c r="XFD${i + 2}"><v>1</v></c></row>`).join(""),
        ),
      ),
    "20000 faulty",
  ],
  [
    "seven million shared texts",
    () => rawWorkbook(sheet(nome), `<sst>${"<si/>".repeat(6 * MEBIBYTE)}</sst>`),
    "workbook_too_large",
  ],
  [
    "one shared text of 30 MB",
    () => rawWorkbook(sheet(nome), `<sst><si><t>${"_x0041_".repeat(4 * MEBIBYTE)}</t></si></sst>`),
    "workbook_too_large",
  ],
  [
    "100,000 merged cells and hidden columns",
    () =>
      buildWorkbook({
        sheets: [
          {
            name: "A",
            rows: [["Nome"], ["Ana"]],
            columns: `<cols>${'<col min="1" max="16384" hidden="1"/>'.repeat(10_000)}</cols>`,
            merged: Array.from({ length: 100_000 }, () => "B5:XFD6"),
          },
        ],
      }),
    "1 rows",
  ],
];

const api = await startApi();
const studio = await api.newOrganization();
const locationId = await addLocation(api.db, studio.id, { name: "Centro" });
await addLocation(api.db, studio.id, { name: "Norte" });
const actor = { name: "test", role: "owner", locationIds: undefined } as const;

const read = (file: FileHandle) => readSheetForStaff(api.db, studio.id, file, { locationId }, "pt-BR");
const write = (file: FileHandle) =>
  importSheetByStaff(api.db, actor, { organizationId: studio.id, maxRecords: undefined }, file, {
    locationId,
    skipFaulty: true,
    dryRun: true,
  });

// What is compiled at first use is not what a file costs.
await withFile("Nome,Unidade,E-mail\nAna,Centro,x\n", async (file) => [await read(file), await write(file)]);

for (const [what, make, expected] of CASES)
  test(`a file neither holds up other callers nor fills the memory: ${what}`, async (t) => {
    await withFile(make(), async (file) => {
      const reading = await watchAgain(() => read(file));
      const { questions, counts } = reading.result;
      const [question] = questions;
      const found = question?.code ?? (counts?.faulty ? `${counts.faulty} faulty` : `${counts?.rows} rows`);
      assert.equal(found, expected);
      if (question)
        assert.ok(question.message.length > 20 && question.message.length < 400, question.message);
      const bytes = Buffer.byteLength(JSON.stringify(reading.result));
      assert.ok(bytes <= MEBIBYTE, `an answer of ${bytes} bytes`);
      // What is refused when it is read is refused at the same place when it is imported.
      const writing = question ? [] : [await watchAgain(() => write(file))];
      for (const watched of [reading, ...writing]) {
        const { hold, longHolds, turns, memory } = watched;
        const held = `held for ${hold.toFixed(1)} ms; ${longHolds} of ${turns} turns above ${MAX_HOLD_MS}`;
        t.diagnostic(`${held}, ${(memory / MEBIBYTE).toFixed(0)} MiB`);
        assert.ok(excess(watched) <= 1, held);
        assert.ok(memory <= MAX_MEMORY_BYTES, `${(memory / MEBIBYTE).toFixed(0)} MiB`);
      }
    });
  });

interface Watched {
  readonly hold: number;
  readonly longHolds: number;
  readonly turns: number;
  readonly memory: number;
}

/** How far beyond what is allowed the turns were; 1 is all that is allowed. */
function excess({ hold, longHolds, turns }: Watched): number {
  return Math.max(hold / LONGEST_HOLD_MS, longHolds / Math.max(FEW, turns * LONGER_SHARE));
}

function watchAgain<Result>(work: () => Promise<Result>) {
  return least(() => watch(work), { cost: excess, most: 1 });
}

/** Runs work beside a loop that sees how long it does not get a turn, and how much memory is taken meanwhile. */
async function watch<Result>(work: () => Promise<Result>): Promise<Watched & { result: Result }> {
  const before = process.memoryUsage().rss;
  let memory = 0;
  let isUnderWay = true;
  let [hold, longHolds, turns] = [0, 0, 0];
  let [wall, cpu] = [performance.now(), process.cpuUsage()];
  const look = () => {
    // A busy machine makes the clock go on without us, and helpers of the runtime use the processor beside us.
    const used = process.cpuUsage(cpu);
    const ms = Math.min(performance.now() - wall, (used.user + used.system) / 1000);
    turns++;
    if (ms > MAX_HOLD_MS) longHolds++;
    hold = Math.max(hold, ms);
    if (turns % 20 === 0) memory = Math.max(memory, process.memoryUsage.rss() - before);
    [wall, cpu] = [performance.now(), process.cpuUsage()];
    if (isUnderWay) setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  isUnderWay = false;
  return { result, hold, longHolds, turns, memory };
}

/** Bytes of every kind but NUL, and no UTF-8 among them. */
function noise(length: number): Uint8Array {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = i % 2 === 0 ? 0x80 + ((state >>> 16) & 0x3f) : 0x21 + ((state >>> 16) % 90);
  }
  bytes.write("Nome\n", 0, "latin1");
  return bytes;
}
