import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newStudio, remarksOf } from "./support.ts";
import { buildWorkbook, type TestCell, type TestSheet, zip } from "./workbooks.ts";

const api = await startApi();

const number = (value: number | string, style = 0): TestCell => ({
  xml: `<c s="${style}"><v>${value}</v></c>`,
});
const sheet = (rows: TestSheet["rows"], more: Partial<TestSheet> = {}): TestSheet => ({
  name: "Clientes",
  rows,
  ...more,
});

test("a workbook's cells are read as its owner sees them: texts, numbers, dates, formulas, formats with zeros", async () => {
  const studio = await newStudio(api);
  const workbook = (born: number) =>
    buildWorkbook({
      strings: [
        "<t>Nome</t>",
        '<r><t xml:space="preserve">Ana </t></r><r><t>Souza</t></r><rPh><t>x</t></rPh>',
        "<t>a_x005F_b_x0041_</t>",
      ],
      formats: ["dd/mm/yyyy", "000\\.000\\.000\\-00", '"d"0', "[$-416]d\\ mmm\\ yyyy;@"],
      sheets: [
        sheet([
          [{ xml: '<c t="s"><v>0</v></c>' }, "CPF", "Celular", "Nascimento", "Observações", "CEP"],
          [
            { xml: '<c t="s"><v>1</v></c>' },
            number(52998224725),
            number("1.1987654321E10"),
            number(32986, 1),
            { xml: '<c t="str"><f>A1&amp;"x"</f><v>feito &amp; dito</v></c>' },
            number(5435000),
          ],
          [
            "Bia",
            number(191, 2),
            "(11) 3333-4444",
            number(31049, 5),
            { xml: '<c t="b"><v>1</v></c>' },
            number(7, 3),
          ],
          ["Caio", "", "", number(born, 4), { xml: '<c t="s"><v>2</v></c>' }, ""],
          ["Dora", "", "", { xml: '<c t="d"><v>1990-04-23T00:00:00</v></c>' }, "", ""],
        ]),
      ],
    });
  assert.deepEqual(await studio.refusal(workbook(33000.5), { strict: true }), [
    'row 4, column "Nascimento": is not a date; write DD/MM/YYYY or YYYY-MM-DD',
  ]);
  const summary = await studio.load(workbook(33000));
  assert.deepEqual(remarksOf(summary), [
    "1 row had a postal code or document that had lost its leading zeros; they were put back.",
  ]);
  const byName = new Map((await studio.clients()).map((client) => [client.contactName, client]));
  const seen = (name: string) => {
    const { idDocument, contactPhone, birthdate, notes, address } = byName.get(name) ?? {};
    const { value } = (idDocument ?? {}) as { value?: string };
    const { postalCode } = (address ?? {}) as { postalCode?: string };
    return [value, contactPhone, birthdate, notes, postalCode];
  };
  assert.deepEqual(seen("Ana Souza"), [
    "52998224725",
    "11987654321",
    "1990-04-23",
    "feito & dito",
    "05435000",
  ]);
  assert.deepEqual(seen("Bia"), ["00000000191", "(11) 3333-4444", "1985-01-02", "TRUE", "7"]);
  assert.deepEqual(seen("Caio"), [undefined, undefined, "1990-05-07", "a_bA", undefined]);
  assert.deepEqual(seen("Dora"), [undefined, undefined, "1990-04-23", undefined, undefined]);
});

test("dates are read in both of the systems that workbooks count days in", async () => {
  for (const [is1904, serial] of [
    [false, 32986],
    [true, 31524],
  ] as const) {
    const studio = await newStudio(api);
    const rows = [
      ["Nome", "Nascimento"],
      ["Ana", number(serial, 1)],
    ];
    await studio.load(buildWorkbook({ is1904, formats: ["yyyy\\-mm\\-dd"], sheets: [sheet(rows)] }));
    assert.equal((await studio.clients())[0]?.birthdate, "1990-04-23", String(is1904));
  }
});

test("a date cell that shows no year or no day is no birthdate, and a time is no date", async () => {
  const formats = [
    "d-mmm",
    "dd/mm",
    "mmm-yy",
    "dddd",
    "[$-416]d\\ mmm;@",
    "yyyy",
    "hh:mm",
    "[h]:mm",
    "m/d/yy h:mm",
  ];
  const serials = [45082, 45082, 45082, 45082, 45082, 45082, 0.5, 1.25, 45082.5];
  const shown = [
    "05/06",
    "05/06",
    "06/2023",
    "05/06",
    "05/06",
    "2023",
    "12:00",
    "30:00",
    "2023-06-05 12:00:00",
  ];
  const studio = await newStudio(api);
  const rows: TestCell[][] = [
    ["Nome", "Nascimento"],
    ...serials.map((serial, i) => [`Ana ${i}`, number(serial, i + 1)]),
    ["Ana 9", { xml: '<c t="d" s="1"><v>2023-06-05T00:00:00</v></c>' }],
    ["Bia", number(45082, formats.length + 1)],
  ];
  const { notices } = await studio.load(buildWorkbook({ formats, sheets: [sheet(rows)] }));
  assert.deepEqual(
    notices.map(({ code }) => code),
    ["cells_set_aside", "cells_set_aside"],
  );
  const people = (await studio.clients()).map(({ contactName, birthdate, notes }) => [
    contactName,
    birthdate,
    notes,
  ]);
  assert.deepEqual(people.sort(), [
    ...[...shown, "05/06"].map((text, i) => [`Ana ${i}`, undefined, `Nascimento: ${text}`]),
    ["Bia", "2023-06-05", undefined],
  ]);
});

test("numbers in the notes are as their cells show them", async () => {
  const studio = await newStudio(api);
  const cells = [number("0.30000000000000004"), number(0.5, 1), number(0.50001, 1), number(1.25, 2)];
  const rows = [["Nome", "Obs"], ...cells.map((cell, i) => [`Ana ${i}`, cell])];
  await studio.load(buildWorkbook({ formats: ["hh:mm", "[h]:mm"], sheets: [sheet(rows)] }));
  const notes = (await studio.clients()).map(({ contactName, notes: text }) => `${contactName}: ${text}`);
  assert.deepEqual(notes.sort(), ["Ana 0: 0.3", "Ana 1: 12:00", "Ana 2: 12:00:01", "Ana 3: 30:00"]);
});

test("failed formulas, those never computed and numbers in the place of dates are faults of their rows", async () => {
  const studio = await newStudio(api);
  const rows = [
    ["Nome", "Nascimento", "Obs"],
    ["Ana", number(32986), { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' }],
    ["Bia", { xml: '<c s="1"><f>TODAY()</f></c>' }, ""],
  ];
  assert.deepEqual(
    await studio.refusal(buildWorkbook({ formats: ["dd/mm/yyyy"], sheets: [sheet(rows)] }), { strict: true }),
    [
      'row 2, column "Nascimento": is a number, not a date; format the column as a date and save again',
      'row 2, column "Obs": has a formula that failed',
      'row 3, column "Nascimento": has a formula that was never computed; open the file, save it, and try again',
    ],
  );
});

test("the first sheet that is not hidden is read, or the one that is named, and it is said which", async () => {
  const studio = await newStudio(api);
  const named = (name: string, person: string, isHidden = false) => ({
    ...sheet([["Nome"], [person]]),
    name,
    isHidden,
  });
  const bytes = buildWorkbook({
    sheets: [named("Velha", "Vera", true), named("Clientes", "Ana"), named("Equipe &amp; Cia", "Edu")],
  });
  assert.deepEqual(remarksOf(await studio.load(bytes)), [
    'Read the sheet "Clientes". The others can be read with --sheet: "Velha", "Equipe & Cia".',
  ]);
  assert.deepEqual(remarksOf(await studio.load(bytes, { sheet: "equipe & cia" })), []);
  assert.deepEqual(await studio.names(), ["Ana", "Edu"]);
  assert.deepEqual(await studio.refusal(bytes, { sheet: "Alunos" }), [
    "The workbook has no such sheet. There are: Velha, Clientes, Equipe & Cia.",
  ]);
});

test("hidden rows and columns are read and mentioned; cells merged over rows are asked about, those of a title are not", async () => {
  const studio = await newStudio(api);
  const rows: TestCell[][] = [
    ["Academia Sol"],
    [],
    ["Nome", "Telefone", "Cor"],
    ["Ana", "1111", "x"],
    ["Bia", "2222", ""],
    ["Caio", "", ""],
  ];
  const columns = '<cols><col min="2" max="3" hidden="1"/></cols>';
  const title = buildWorkbook({ sheets: [sheet(rows, { columns, merged: ["A1:C2"], hiddenRows: [5, 6] })] });
  assert.deepEqual(remarksOf(await studio.load(title)), [
    'Hidden columns were read too: "Telefone".',
    "2 hidden rows were read too.",
    "1 row above the names of the columns was left out.",
    'Columns that are not known were left out: "Cor".',
  ]);
  const merged = buildWorkbook({ sheets: [sheet(rows, { merged: ["B5:B6", "C4:C6", "A4:B4"] })] });
  assert.deepEqual(await studio.refusal(merged), [
    "Cells are merged over several rows (B5:B6), so that rows below the first have no value: unmerge them and fill them in.",
  ]);
});

test("what looks like a workbook and is none is refused by its name", async () => {
  const studio = await newStudio(api);
  const damaged = "The workbook is damaged: open it in a spreadsheet and save it again.";
  const archive = "The file is an archive without a workbook in it: unpack it first.";
  const good = buildWorkbook({ sheets: [sheet([["Nome"], ["Ana"]])] });
  const withSheet = (xml: string) => {
    const relations = (type: string, target: string) =>
      Buffer.from(
        `<Relationships><Relationship Id="r" Type="x/${type}" Target="${target}"/></Relationships>`,
      );
    return zip([
      ["_rels/.rels", relations("officeDocument", "xl/workbook.xml")],
      [
        "xl/workbook.xml",
        Buffer.from('<workbook xmlns:r="x"><sheets><sheet name="a" r:id="r"/></sheets></workbook>'),
      ],
      ["xl/_rels/workbook.xml.rels", relations("worksheet", "sheet.xml")],
      ["xl/sheet.xml", Buffer.from(xml)],
    ]);
  };
  const entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>';
  const row = '<row><c t="inlineStr"><is><t>Nome</t></is></c></row>';
  const cases: [string, Uint8Array, string][] = [
    ["a torn file", good.subarray(0, good.length - 30), damaged],
    ["bytes changed inside", Buffer.from(good).fill(0, 200, 400), damaged],
    ["a zip without a workbook", zip([["a.txt", Buffer.from("x")]]), archive],
    [
      "OpenDocument",
      zip([["content.xml", Buffer.from("<x/>")]]),
      "The file is an OpenDocument sheet (.ods): save it as .xlsx or CSV.",
    ],
    ["XML that does not end", withSheet(`<worksheet><sheetData>${row}`), damaged],
    [
      "XML with entities",
      withSheet(`${entity}<worksheet><sheetData>${row}</sheetData></worksheet>`),
      damaged,
    ],
    ["deeply nested XML", withSheet(`${"<a>".repeat(100_000)}`), damaged],
    [
      "a text that is not there",
      withSheet('<worksheet><sheetData><row><c t="s"><v>5</v></c></row></sheetData></worksheet>'),
      damaged,
    ],
    [
      "the old format",
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      "The file is a workbook of the old kind (.xls), or has a password: save it as .xlsx without a password, or as CSV.",
    ],
    [
      "a web page",
      Buffer.from("\n<html><table><tr><td>Nome"),
      "The file is a web page or XML, whatever its name says: open it in a spreadsheet and save it as .xlsx.",
    ],
    [
      "bytes of any kind",
      Buffer.from([1, 0, 0, 2, 65, 0, 0, 66]),
      "The file is neither a spreadsheet nor a bundle: save the sheet as .xlsx or CSV.",
    ],
  ];
  for (const [name, bytes, expected] of cases)
    assert.deepEqual(await studio.refusal(bytes), [expected], name);
  await studio.load(withSheet(`<x:worksheet xmlns:x="y"><x:sheetData>${row}</x:sheetData></x:worksheet>`));
});

test("an archive that unpacks to more than it says, or to too much, is refused before it fills the memory", async () => {
  const studio = await newStudio(api);
  const good = [["Nome"], ["Ana"]];
  const bytes = buildWorkbook({ sheets: [sheet(good)] });
  // The size of the shared strings, the fourth part, as the directory at the end of the archive has it.
  const at = bytes.lastIndexOf("xl/sharedStrings.xml") - 46 + 24;
  const lying = Buffer.from(bytes);
  lying.writeUInt32LE(5, at);
  assert.deepEqual(await studio.refusal(lying), [
    "The workbook is damaged: open it in a spreadsheet and save it again.",
  ]);
  const huge = Buffer.from(bytes);
  huge.writeUInt32LE(0x7fffffff, at);
  assert.deepEqual(await studio.refusal(huge), [
    "The workbook is too large to be read: save the sheet as CSV.",
  ]);
});

test("a workbook that LibreOffice has written is read, and so are the texts that it and Excel write", async () => {
  const workbook = new URL("../../../test/data/clients.xlsx", import.meta.url);
  const studio = await newStudio(api, ["Centro", "Norte"]);
  const summary = await studio.load(await readFile(workbook));
  assert.deepEqual(summary.kinds.client, { created: 3, replaced: 0, unchanged: 0 });
  const clients = (await studio.clients()).map(({ contactName, birthdate, idDocument, contactPhone }) => [
    contactName,
    birthdate,
    (idDocument as { value: string } | undefined)?.value,
    contactPhone,
  ]);
  assert.deepEqual(clients.sort(), [
    ["Ana Souza", "1990-04-23", "52998224725", "11987654321"],
    ["Bia Lima", undefined, undefined, undefined],
    ["José D’Ávila", "1985-02-01", "00000000191", "(11) 3333-4444"],
  ]);
});
