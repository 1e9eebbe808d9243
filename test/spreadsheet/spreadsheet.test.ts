import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/core/errors.ts";
import { importSpreadsheet } from "../../src/spreadsheet/operations.ts";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();

async function newStudio(locations: readonly string[] = ["Centro"]) {
  const studio = await api.newOrganization();
  const ids: string[] = [];
  for (const name of locations) ids.push(await addLocation(api.db, studio.id, { name }));
  const load = async (content: string | Buffer, dryRun = false) =>
    importSpreadsheet(
      api.db,
      (async function* () {
        yield Buffer.from(content as string);
      })(),
      { organizationId: studio.id, dryRun, actor: "test" },
    );
  return {
    ...studio,
    locationIds: ids,
    load,
    /** The faults of a spreadsheet that must be refused. */
    async faults(content: string): Promise<string[]> {
      const error = await load(content).then(
        () => assert.fail("the spreadsheet was accepted"),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof AppError, String(error));
      return error.faults.map(({ location, message }) => `${location}: ${message}`);
    },
    async clients() {
      const { body } = await studio.get("/v1/clients");
      return body.data as Record<string, unknown>[];
    },
  };
}

const PORTUGUESE = [
  "Telefone;NOME;e-mail;Nascimento;CPF;Endereço;Cidade;UF;CEP;Observações;Cor favorita",
  '(11) 98765-4321;José da Silva;jose@example.com;23/04/1990;529.982.247-25;"Rua A, 1";São Paulo;SP;05435-000;"diz: ""olá"";',
  'segunda linha";azul',
  ";Ana;;1985-1-2;;;;;;;",
].join("\r\n");

test("a Portuguese spreadsheet with semicolons becomes clients, whatever its encoding", async () => {
  const text = PORTUGUESE.replace("1985-1-2", "02/01/1985");
  const latin = Buffer.from(text, "latin1");
  const encodings: [string, Buffer][] = [
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["Windows-1252", latin],
    ["UTF-16", Buffer.from(`\ufeff${text}`, "utf16le")],
  ];
  for (const [name, bytes] of encodings) {
    const studio = await newStudio();
    const summary = await studio.load(bytes);
    assert.deepEqual(summary.kinds.client, { created: 2, replaced: 0, unchanged: 0 }, name);
    assert.deepEqual(summary.remarks, ['The column "Cor favorita" is not known and was left out.']);
    const jose = (await studio.clients()).find((client) => client.contactName === "José da Silva");
    const { id, createdAt, updatedAt, ...rest } = jose ?? {};
    assert.deepEqual(rest, {
      contactName: "José da Silva",
      contactEmail: "jose@example.com",
      contactPhone: "(11) 98765-4321",
      birthdate: "1990-04-23",
      address: { city: "São Paulo", line1: "Rua A, 1", postalCode: "05435-000", state: "SP" },
      idDocument: { type: "cpf", value: "52998224725" },
      notes: 'diz: "olá";\r\nsegunda linha',
      status: "active",
    });
  }
});

test("an English one with commas, in any order of columns, with locations by name", async () => {
  const studio = await newStudio(["Vila Madalena", "Centro"]);
  await studio.load(
    "Status,Location,Full Name,Passport\ninactive,vila madaléna,Ann Lee,X1\n,Centro | Vila Madalena,Bob,\n",
  );
  const [bob, ann] = (await studio.clients()) as [Record<string, string>, Record<string, string>];
  assert.deepEqual([ann.status, ann.idDocument], ["archived", { type: "other", value: "X1" }]);
  const { body } = await studio.get(`/v1/clients/${bob.id}`);
  assert.deepEqual(body.locationIds, [...studio.locationIds].sort());
});

test("every fault names its row and column, and nothing is written", async () => {
  const studio = await newStudio(["Centro", "Norte"]);
  const faults = await studio.faults(
    [
      "Nome;CPF;Nascimento;E-mail;Unidade",
      "Ana;111.111.111-11;31/02/1990;ana;Sul",
      ";;;;Centro",
      "",
      "Bia;;01/01/2999;;",
      "Cai;529.982.247-25;;;Norte",
      "Dora;52998224725;;;Norte",
    ].join("\n"),
  );
  assert.deepEqual(
    new Set(faults),
    new Set([
      'row 2, column "Unidade": is not a location; there are: Centro, Norte',
      'row 2, column "Nascimento": must be a calendar date: YYYY-MM-DD',
      'row 2, column "E-mail": must be an e-mail address',
      'row 2, column "CPF": is not a valid CPF',
      'row 3, column "Nome": is required',
      'row 5, column "Nascimento": must be from 1900-01-01 to today',
      'row 5, column "Unidade": must name at least one of the organization\'s locations',
      'row 7, column "CPF": is held by the client of row 6 already',
    ]),
  );
  assert.equal((await studio.clients()).length, 0);
});

test("a person who is there already is reported, not duplicated", async () => {
  const studio = await newStudio();
  await studio.load("nome,cpf\nAna,52998224725\n");
  const [ana] = await studio.clients();
  const summary = await studio.load("nome,cpf\nAna Souza,529.982.247-25\nBia,11144477735\n");
  assert.deepEqual(summary.kinds.client, { created: 1, replaced: 0, unchanged: 0 });
  assert.deepEqual(summary.remarks, [
    `Row 2 was left out: the client ${ana?.id} has this id document already.`,
  ]);
  assert.deepEqual(
    (await studio.clients()).map((client) => client.contactName),
    ["Bia", "Ana"],
  );
});

test("a CPF that lost its leading zeros to the spreadsheet is fixed, if that makes it valid", async () => {
  const studio = await newStudio();
  await studio.load("nome,cpf\nAna,191\n");
  assert.deepEqual((await studio.clients())[0]?.idDocument, { type: "cpf", value: "00000000191" });
  assert.deepEqual(await studio.faults("nome,cpf\nBia,192\n"), ['row 2, column "cpf": is not a valid CPF']);
});

test("a dry run checks everything and writes nothing", async () => {
  const studio = await newStudio();
  const summary = await studio.load("nome\nAna\n", true);
  assert.equal(summary.kinds.client?.created, 1);
  assert.equal((await studio.clients()).length, 0);
});

test("a header that names no client, or means one thing twice, is refused", async () => {
  const studio = await newStudio();
  assert.deepEqual(await studio.faults("cpf;telefone\n1;2"), [
    "row 1: no column is the client's name: call one of them Name or Nome",
  ]);
  assert.deepEqual(await studio.faults("nome;fone;celular\na;1;2"), [
    'row 1: the columns "fone" and "celular" mean the same',
  ]);
  await assert.rejects(studio.load(""), /empty/);
  await assert.rejects(studio.load('nome\n"Ana" x\n'), /line 2 has a misplaced quote/);
});
