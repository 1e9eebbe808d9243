import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { CLIENT_CSV_COLUMNS } from "../../src/domain/clients/schema.ts";
import { startApi } from "../support/api.ts";
import { newStudio, remarksOf } from "./support.ts";

const api = await startApi();

type Studio = Awaited<ReturnType<typeof newStudio>>;

/** Texts that a spreadsheet program or a reader of CSV may change. */
const CLIENTS = [
  {
    contactName: "=1+1",
    contactEmail: "ana@example.com",
    contactPhone: "+55 11 9",
    birthdate: "1990-04-23",
    idDocument: { type: "cpf", value: "00000000191" },
    address: { line1: " outer ", line2: "@x", city: "a;b", state: 'the "boss"', country: "'" },
    notes: "-first line\r\nsecond, line\n",
    status: "archived",
  },
  { contactName: "@x", contactPhone: "123.0", idDocument: { type: "other", value: "52998224725" } },
  { contactName: "'=x", contactPhone: "5E+10", idDocument: { type: "other", value: "5,2E+10" } },
  { contactName: "'+55 11 9", notes: "＝SUM(A1)" },
  { contactName: "Souza, Ana", notes: "\tindented" },
];

async function stored(studio: Studio): Promise<Record<string, unknown>[]> {
  const clients = await studio.clients();
  return Promise.all(clients.map(async ({ id }) => (await studio.get(`/v1/clients/${id}`)).body));
}

/** Its bytes as they are: a reader of text would drop the mark of Excel's form. */
async function download(studio: Studio, form = "plain"): Promise<Buffer> {
  const response = await fetch(`${api.url}/v1/clients?csv=${form}`, {
    headers: { authorization: `Bearer ${studio.key}`, accept: "text/csv" },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

async function newFilledStudio(): Promise<Studio> {
  const studio = await newStudio(api, ["Centro", "Norte"]);
  for (const [index, client] of CLIENTS.entries()) {
    const locationIds = index % 2 === 0 ? studio.locationIds : studio.locationIds.slice(1);
    const { status } = await studio.call("POST", "/v1/clients", { body: { ...client, locationIds } });
    assert.equal(status, 201);
  }
  return studio;
}

test("a download that comes back unchanged changes nothing, in either form, whatever is in its texts", async () => {
  const studio = await newFilledStudio();
  const before = await stored(studio);
  for (const form of ["plain", "excel"]) {
    const summary = await studio.load(await download(studio, form), { update: true });
    assert.deepEqual(summary.kinds.client, { created: 0, replaced: 0, unchanged: CLIENTS.length });
    assert.deepEqual(remarksOf(summary), []);
    assert.deepEqual(await stored(studio), before);
  }
});

test("the rows of a download are known by their ids, and only changed cells change a client", async () => {
  const studio = await newFilledStudio();
  const before = await stored(studio);
  const text = (await download(studio)).toString();
  const untouched = await studio.load(text.replace("'@x,", "Bia,"));
  assert.deepEqual(remarksOf(untouched), [
    "5 clients are there already, by the id, and were left as is; --update replaces what the sheet names.",
  ]);
  assert.deepEqual(await stored(studio), before);
  const changed = text
    .replace("'@x,", "Bia,")
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "1999-01-01T00:00:00.000Z");
  const summary = await studio.load(changed, { update: true });
  assert.deepEqual(summary.kinds.client, { created: 0, replaced: 1, unchanged: CLIENTS.length - 1 });
  const after = await stored(studio);
  for (const [index, client] of after.entries()) {
    const old = before[index] ?? {};
    const isChanged = old.contactName === "@x";
    const { updatedAt, ...rest } = client;
    const { updatedAt: oldUpdate, ...oldRest } = old;
    assert.deepEqual(rest, isChanged ? { ...oldRest, contactName: "Bia" } : oldRest);
    assert.equal(updatedAt !== oldUpdate, isChanged);
  }
});

test("a row without an id is a new client, and a client that is gone comes back under its id", async () => {
  const studio = await newStudio(api);
  const head = `${CLIENT_CSV_COLUMNS.join(",")}\r\n`;
  const id = "019a0000-0000-7000-8000-00000000abcd";
  const line = (cells: Record<string, string>) =>
    `${CLIENT_CSV_COLUMNS.map((name) => cells[name] ?? "").join(",")}\r\n`;
  const summary = await studio.load(
    head + line({ contactName: "Ana" }) + line({ id: id.toUpperCase(), contactName: "Bia" }),
  );
  assert.deepEqual(summary.kinds.client, { created: 2, replaced: 0, unchanged: 0 });
  assert.equal((await studio.get(`/v1/clients/${id}`)).body.contactName, "Bia");
  const repeated = line({ id, contactName: "Bia" }).repeat(2) + line({ id: "7", contactName: "Cai" });
  assert.deepEqual(await studio.refusal(head + repeated, { update: true }), [
    'row 3, column "id": is the id of a row above too',
    'row 4, column "id": is not the id of a client; leave it empty for a new one',
  ]);
  assert.deepEqual(await studio.refusal(head + line({ contactName: "Dora", locationIds: id })), [
    `row 2, column "locationIds": "${id}" is not a location of the organization`,
    "The locations are: Centro.",
  ]);
});

test("zeros that a spreadsheet took from a CPF of a download are put back", async () => {
  const studio = await newFilledStudio();
  const text = (await download(studio)).toString().replace(",cpf,00000000191,", ",cpf,191,");
  const summary = await studio.load(text, { update: true });
  assert.deepEqual(summary.kinds.client, { created: 0, replaced: 0, unchanged: CLIENTS.length });
  assert.match(remarksOf(summary).join(), /1 CPF had lost leading zeros/);
});

test("an apostrophe before a formula is taken off in any sheet, and one before anything else stays", async () => {
  const studio = await newStudio(api);
  await studio.load("Name,Notes\n'=1+1,'Ana\n''@x,'+55 11 9\n");
  assert.deepEqual(await studio.names(), ["'@x", "=1+1"]);
  const notes = (await studio.clients()).map((client) => client.notes);
  assert.deepEqual(notes.sort(), ["'+55 11 9", "'Ana"]);
});

test("a download whose columns were changed is refused, not read as a sheet of new clients", async () => {
  const studio = await newFilledStudio();
  const lines = (await download(studio)).toString().split("\r\n");
  const [head = "", ...rows] = lines;
  const says = (missing: string) =>
    `The file is a download of clients whose columns were changed, so its rows cannot be matched with the clients: keep exactly its columns, in their order and under their names${missing}.`;
  const cases: readonly [head: string, missing: string][] = [
    [head.replace("id,", "number,"), ' (missing: "id")'],
    [head.replace("idDocument.type,", ""), ' (missing: "idDocument.type")'],
    [head.replace(",notes,", ",remarks,"), ' (missing: "notes")'],
    [head.replace("contactEmail,contactPhone", "contactPhone,contactEmail"), ""],
    [`${head},instagram`, ""],
  ];
  for (const [changed, missing] of cases)
    for (const ignore of [[], ["id"]])
      assert.deepEqual(
        await studio.refusal([changed, ...rows].join("\r\n"), { update: true, ignore }),
        [says(missing)],
        changed,
      );
  assert.equal((await studio.clients()).length, CLIENTS.length);
});

test("a download of a release that had fewer columns changes nothing of those that it does not name", async () => {
  const studio = await newFilledStudio();
  const before = await stored(studio);
  const rows = parse((await download(studio)).toString(), { relax_column_count: false }) as string[][];
  const optional = CLIENT_CSV_COLUMNS.filter((name) => name !== "id" && name !== "contactName");
  const dropped = [
    ...optional.filter((name) => !name.startsWith("idDocument.")).map((name) => [name]),
    ["idDocument.type", "idDocument.value"],
    ["status", "address.line1", "address.line2", "locationIds", "notes", "createdAt", "updatedAt"],
  ];
  let text = "";
  for (const names of dropped) {
    const places = names.map((name) =>
      CLIENT_CSV_COLUMNS.indexOf(name as (typeof CLIENT_CSV_COLUMNS)[number]),
    );
    const older = rows.map((cells) =>
      cells
        .filter((_, index) => !places.includes(index))
        .map((cell) => `"${cell.replaceAll('"', '""')}"`)
        .join(","),
    );
    text = `${older.join("\r\n")}\r\n`;
    const { kinds } = await studio.load(text, { update: true });
    assert.deepEqual(kinds.client, { created: 0, replaced: 0, unchanged: CLIENTS.length }, names.join());
  }
  // And what it does name is changed.
  await studio.load(text.replace(`"'@x"`, '"Bia"'), { update: true });
  const after = await stored(studio);
  assert.deepEqual(
    after.map(({ updatedAt: _, ...client }) => client),
    before.map(({ updatedAt: _, ...client }) =>
      client.contactName === "@x" ? { ...client, contactName: "Bia" } : client,
    ),
  );
});

test("a sheet with a few names of a download is one of the owner's own", async () => {
  const studio = await newStudio(api);
  await studio.load("contactName,address.city\nAna,Santos\n");
  assert.deepEqual(await studio.names(), ["Ana"]);
  assert.deepEqual(await studio.refusal("id,contactName\n7,Bia\n"), [
    'The column "id" may be a number of your list or an id document: call it Document if it is one, else say --ignore "id".',
  ]);
});

test("a cell beyond the columns of a download refuses its row, so that no text is cut at a comma", async () => {
  const studio = await newFilledStudio();
  const before = await stored(studio);
  const text = (await download(studio)).toString();
  assert.match(text, /,"Souza, Ana",/);
  const notes = "\tindented";
  const cut = text.replace(`,'${notes},`, ",likes yoga, not running,");
  assert.notEqual(cut, text);
  assert.deepEqual(await studio.refusal(cut, { update: true }), [
    "row 2: has values in columns without a name; name the columns or empty the cells",
  ]);
  assert.deepEqual(await stored(studio), before);
});

test("texts of a download that a spreadsheet took for numbers stay as they are stored, and shortened ones refuse their row", async () => {
  const studio = await newStudio(api);
  const client = {
    contactName: "007",
    contactPhone: "+5511987654321",
    idDocument: { type: "other", value: "00123" },
    address: { city: "Boston", postalCode: "02134" },
    locationIds: studio.locationIds,
  };
  assert.equal((await studio.call("POST", "/v1/clients", { body: client })).status, 201);
  const before = await stored(studio);
  const text = (await download(studio)).toString();
  const asNumbers = text
    .replace(",007,", ",7,")
    .replace(",+5511987654321,", ",5511987654321,")
    .replace(",00123,", ",123,")
    .replace(",02134,", ",2134,");
  const summary = await studio.load(asNumbers, { update: true });
  assert.deepEqual(summary.kinds.client, { created: 0, replaced: 0, unchanged: 1 });
  assert.deepEqual(remarksOf(summary), [
    "1 row has numbers where a text with a leading zero or plus sign is stored; the stored texts were kept.",
  ]);
  assert.deepEqual(await stored(studio), before);

  for (const [cell, column] of [
    ["+5511987654321", "contactPhone"],
    ["00123", "idDocument.value"],
    ["02134", "address.postalCode"],
  ] as const)
    assert.deepEqual(await studio.refusal(text.replace(`,${cell},`, ",5.51199E+12,"), { update: true }), [
      `row 2, column "${column}": was shortened by the spreadsheet, as in 5.29982E+10; format the column as text and enter it again`,
    ]);

  const changed = await studio.load(text.replace(",02134,", ",2135,"), { update: true });
  assert.deepEqual(changed.kinds.client, { created: 0, replaced: 1, unchanged: 0 });
});

test("a download that was opened in the wrong encoding is refused, and no name is garbled", async () => {
  const studio = await newStudio(api);
  for (const contactName of ["Ana", "João Ávila", "Bia 😀"]) {
    const body = { contactName, address: { city: "São Paulo" }, locationIds: studio.locationIds };
    assert.equal((await studio.call("POST", "/v1/clients", { body })).status, 201);
  }
  const before = await stored(studio);
  const bytes = await download(studio);
  for (const encoding of ["windows-1252", "macintosh"]) {
    const shown = new TextDecoder(encoding).decode(bytes);
    // Also if the program has signs of its own for bytes without a meaning, and if a name was edited afterwards.
    for (const text of [shown, shown.replace(/[\u0080-\u009f]/g, "\uf18d"), shown.replace(",Ana,", ",Eva,")])
      assert.deepEqual(await studio.refusal(text, { update: true }), [
        'Row 2 has letters in "contactName" that the spreadsheet read in the wrong encoding, such as JoÃ£o for João: download the file again, open it as UTF-8 (or ask for csv=excel) and repeat the changes.',
      ]);
  }
  assert.deepEqual(await stored(studio), before);
});

test("a download that comes back with letters lost is refused, and no good name is overwritten", async () => {
  const studio = await newStudio(api);
  for (const contactName of ["Ana", "João Conceição 😀", "Why? José"]) {
    const body = { contactName, address: { city: "São Paulo" }, locationIds: studio.locationIds };
    assert.equal((await studio.call("POST", "/v1/clients", { body })).status, 201);
  }
  const before = await stored(studio);
  const text = (await download(studio)).toString();
  for (const lost of [
    "Jo\ufffdo Conceição 😀",
    "Jo?o Concei??o ?",
    "Jo?o Concei??o ??",
    "Jo??o Concei????o ????",
    "João Conceição ?",
  ])
    assert.match(
      (await studio.refusal(text.replace("João Conceição 😀", lost), { update: true })).join(),
      /^Row \d has letters in "contactName"/,
      lost,
    );
  const isNew = text.replace(/^[0-9a-f-]{36}(?=,active,Ana,)/m, "").replace(",Ana,", ",An\ufffd,");
  assert.match((await studio.refusal(isNew)).join(), /^Row \d has letters in "contactName"/);
  assert.deepEqual(await stored(studio), before);
  // A question mark that somebody wrote is none of these.
  const asked = await studio.load(text.replace("João Conceição 😀", "João?"), { update: true });
  assert.deepEqual(asked.kinds.client, { created: 0, replaced: 1, unchanged: 2 });
});
