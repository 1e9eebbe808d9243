import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newStudio, remarksOf } from "./support.ts";
import { buildWorkbook } from "./workbooks.ts";

/** What used to be lost or changed without a word: each is a fault or a question now, and nothing is written. */

const api = await startApi();

test("a row with more cells than the header is a fault, and so is a value under a column without a name", async () => {
  const studio = await newStudio(api);
  const expected = "has values in columns without a name; name the columns or empty the cells";
  assert.deepEqual(await studio.refusal("nome;email\nAna;a@example.com;lost\nBia;;;;lost too\n"), [
    `rows 2, 3: ${expected}`,
  ]);
  assert.deepEqual(await studio.refusal("nome;;email\nAna;lost;\n"), [`row 2: ${expected}`]);
  await studio.load("nome;email;;\nAna;a@example.com;;\nBia\n");
  assert.deepEqual(await studio.names(), ["Ana", "Bia"]);
});

test("a single column is never divided without asking", async () => {
  const studio = await newStudio(api);
  const question =
    "The first row names one column, but row 3 looks divided into several: say --delimiter none if it is one column, name the others if not.";
  for (const sign of [";", ",", "\t", "|"])
    assert.deepEqual(await studio.refusal(`Nome\nAna\nSouza${sign} Bia\n`), [question], JSON.stringify(sign));
  await studio.load('Nome\nAna\n"Souza; Bia"\n');
  await studio.load("Nome\nLima; Caio\n", { delimiter: "none" });
  assert.deepEqual(await studio.names(), ["Ana", "Lima; Caio", "Souza; Bia"]);
});

test("one byte that is not UTF-8 in a UTF-8 file is asked about by its line", async () => {
  const studio = await newStudio(api);
  const mixed = Buffer.concat([
    Buffer.from("Nome;Obs\nJosé;ação\nAna;"),
    Buffer.from([0xe9]),
    Buffer.from("\nÂngela;\n"),
  ]);
  assert.deepEqual(await studio.refusal(mixed), [
    "Line 3 has a character that is not UTF-8, and other lines are UTF-8: fix that line, or say --encoding.",
  ]);
  assert.deepEqual(await studio.refusal(mixed, { encoding: "utf-8" }), [
    "The file is not utf-8, as --encoding says.",
  ]);
});

test("of the encodings with one byte a character, Windows-1252 is recognized only if no other could be meant", async () => {
  const certain = ["José", "JOÃO", "Ávila", "São João", "Peña", "Nº 5 – José", "D\u2019Ávila", "ação é"];
  for (const name of certain) {
    const studio = await newStudio(api);
    const bytes = Buffer.from(`Nome\n${name}\n`, "latin1");
    // What Latin-1 does not have, as Windows writes it.
    for (const [i, sign] of [...`Nome\n${name}\n`].entries())
      if (sign === "\u2019") bytes[i] = 0x92;
      else if (sign === "–") bytes[i] = 0x96;
    assert.deepEqual(remarksOf(await studio.load(bytes)), ["The file was read as Windows-1252."], name);
    assert.deepEqual(await studio.names(), [name]);
  }
  const studio = await newStudio(api);
  const unclear: [string, number[]][] = [
    ["José of an old Mac", [0x4a, 0x6f, 0x73, 0x8e]],
    ["José of DOS", [0x4a, 0x6f, 0x73, 0x82]],
    ["JOÇO of Windows is JOÃO of DOS", [0x4a, 0x4f, 0xc7, 0x4f]],
    ["d'avila of Windows is díavila of an old Mac", [0x64, 0x92, 0x61, 0x76, 0x69, 0x6c, 0x61]],
  ];
  for (const [name, bytes] of unclear) {
    const sheet = Buffer.concat([Buffer.from("Nome\nAna\n"), Buffer.from(bytes), Buffer.from("\n")]);
    assert.deepEqual(
      await studio.refusal(sheet),
      [
        "Line 3 has a character whose encoding is not certain: save the file as UTF-8, or say --encoding windows-1252 or macintosh.",
      ],
      name,
    );
  }
  const mac = Buffer.concat([Buffer.from("Nome\nJos"), Buffer.from([0x8e])]);
  await studio.load(mac, { encoding: "macintosh" });
  assert.deepEqual(await studio.names(), ["José"]);
});

test("a column ID is asked about, so that a list's own numbers never stand for people", async () => {
  const studio = await newStudio(api);
  const question =
    'The column "ID" may be a number of your list or an id document: call it Document if it is one, else say --ignore "ID".';
  assert.deepEqual(await studio.refusal("ID;Nome\n1;Ana\n2;Bia\n"), [question]);
  await studio.load("ID;Nome\n1;Ana\n2;Bia\n", { ignore: ["id"] });
  await studio.load("ID;Nome\n1;Caio\n2;Dora\n", { ignore: ["id"] });
  assert.deepEqual(await studio.names(), ["Ana", "Bia", "Caio", "Dora"]);
  assert.ok((await studio.clients()).every(({ idDocument }) => idDocument === undefined));
});

test("dates that only make sense with the month first are asked about, and so are none that are certain", async () => {
  const studio = await newStudio(api);
  const sheet = "Name,Birthdate\nAnn,03/04/1990\nBob,12/31/1990\n";
  assert.deepEqual(await studio.refusal(sheet), [
    'Row 3 has a date in "Birthdate" that has no such month if the day comes first: say --dates mdy if the month comes first, --dates dmy if that row is wrong.',
  ]);
  assert.deepEqual(await studio.refusal(sheet, { dates: "dmy", strict: true }), [
    'row 3, column "Birthdate": is not a date; write DD/MM/YYYY or YYYY-MM-DD',
  ]);
  await studio.load(sheet, { dates: "mdy" });
  assert.deepEqual((await studio.clients()).map(({ birthdate }) => birthdate).sort(), [
    "1990-03-04",
    "1990-12-31",
  ]);
  const unclear = await studio.load("Name,Birthdate\nCy,03/04/1990\n");
  assert.deepEqual(remarksOf(unclear), [
    "Dates were read as day/month/year; if the month comes first, say --dates mdy.",
  ]);
  assert.deepEqual(remarksOf(await studio.load("Name,Birthdate\nDi,03/04/1990\nEd,23/04/1990\n")), []);
});

test("numbers that a spreadsheet has shortened are faults", async () => {
  const studio = await newStudio(api);
  assert.deepEqual(
    await studio.refusal("nome;cpf;celular\nAna;5,29982E+10;1.19877E+10\n", { strict: true }),
    [
      'row 2, column "cpf": was shortened by the spreadsheet, as in 5.29982E+10; format the column as text and enter it again',
      'row 2, column "celular": was shortened by the spreadsheet, as in 5.29982E+10; format the column as text and enter it again',
    ],
  );
  await studio.load("nome;celular\nAna;11987654321.0\n");
  assert.equal((await studio.clients())[0]?.contactPhone, "11987654321");
});

test("a stray quotation mark is reported by its line, without a value, and a row that does not end too", async () => {
  const studio = await newStudio(api);
  const misplaced = (line: number) =>
    `Line ${line} has a quotation mark in the wrong place: remove it, or put the cell in quotation marks and double the one inside.`;
  assert.deepEqual(await studio.refusal('nome;email\n"Ana" x;\n'), [misplaced(2)]);
  assert.deepEqual(await studio.refusal('sep=;\nnome;email\n"Ana" x;\n'), [misplaced(3)]);
  assert.deepEqual(await studio.refusal('nome;email\nBia;\nAna "Aninha" Souza;\n'), [misplaced(3)]);
  assert.deepEqual(await studio.refusal('nome;email\n"Ana;\nBia;\n'), [
    "Row 2 does not end: a quotation mark is probably not closed.",
  ]);
});

test("rows end where their lines end, also if the line endings are mixed", async () => {
  const studio = await newStudio(api);
  await studio.load("nome;email\r\nAna;\nBia;\rCaio;\r\n");
  assert.deepEqual(await studio.names(), ["Ana", "Bia", "Caio"]);
});

test("no character is lost where a file is cut into pieces while it is read, whatever the file is", async () => {
  const names = Array.from({ length: 150 }, (_, i) => `${i} ${"😀ã€".repeat(45)}`).sort();
  const text = `Nome\n${names.join("\n")}\n`;
  const rows = ["Nome", ...names].map((name) => [name]);
  const wide = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const file of [
    text,
    wide,
    Buffer.from(wide).swap16(),
    buildWorkbook({ sheets: [{ name: "A", rows }] }),
  ]) {
    const studio = await newStudio(api);
    await studio.load(file);
    assert.deepEqual(await studio.names(), names);
  }
});
