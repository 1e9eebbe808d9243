import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { newStudio, remarksOf } from "./support.ts";

const api = await startApi();

const PORTUGUESE = [
  "Telefone;NOME;e-mail;Nascimento;CPF;Endereço;Cidade;UF;CEP;Observações;Cor favorita",
  '(11) 98765-4321;José da Silva;jose@example.com;23/04/1990;529.982.247-25;"Rua A, 1";São Paulo;SP;05435-000;"diz: ""olá"";',
  'segunda linha";azul',
  ";Ana;;02/01/1985;;;;;;;",
].join("\r\n");

test("a Portuguese spreadsheet with semicolons becomes clients, whatever its encoding", async () => {
  const utf16 = Buffer.from(PORTUGUESE, "utf16le");
  const encodings: [string, Buffer, boolean][] = [
    ["UTF-8", Buffer.from(PORTUGUESE), false],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${PORTUGUESE}`), false],
    ["Windows-1252", Buffer.from(PORTUGUESE, "latin1"), true],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${PORTUGUESE}`, "utf16le"), false],
    ["UTF-16 without a mark", utf16, false],
    ["UTF-16 with the high byte first", Buffer.from(`\ufeff${PORTUGUESE}`, "utf16le").swap16(), false],
    ["the same without a mark", Buffer.from(utf16).swap16(), false],
  ];
  for (const [name, bytes, isTold] of encodings) {
    const studio = await newStudio(api);
    const summary = await studio.load(bytes);
    assert.deepEqual(summary.kinds.client, { created: 2, replaced: 0, unchanged: 0 }, name);
    assert.deepEqual(remarksOf(summary), [
      ...(isTold ? ["The file was read as Windows-1252."] : []),
      'Columns that are not known were left out: "Cor favorita".',
    ]);
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
  const studio = await newStudio(api, ["Vila Madalena", "Centro"]);
  await studio.load(
    "Status,Location,Full Name,Passport\ninactive,vila madaléna,Ann Lee,X1234\n,Centro | Vila Madalena,Bob,\n",
  );
  const clients = (await studio.clients()) as Record<string, string>[];
  const ann = clients.find(({ contactName }) => contactName === "Ann Lee");
  const bob = clients.find(({ contactName }) => contactName === "Bob");
  assert.deepEqual([ann?.status, ann?.idDocument], ["archived", { type: "other", value: "X1234" }]);
  const { body } = await studio.get(`/v1/clients/${bob?.id}`);
  assert.deepEqual(body.locationIds, [...studio.locationIds].sort());
});

test("every fault names its rows and column, equal ones are listed once, and nothing is written", async () => {
  const studio = await newStudio(api, ["Centro", "Norte"]);
  const rows = [
    "Nome;CPF;Nascimento;E-mail;Unidade",
    "Ana;111.111.111-11;31/02/1990;ana;Sul",
    ";;;;Centro",
    "",
    "Bia;;01/01/2999;;",
    "Cai;529.982.247-25;;;Norte",
    "Dora;52998224725;;;Norte",
    "Eva;;01/02/90;;sul",
    "Fia;;32986;;Leste",
  ];
  for (let n = 0; n < 210; n++) rows.push(`Gil ${n};;03/04/85;;Norte`);
  assert.deepEqual(await studio.refusal(rows.join("\n"), { strict: true, shortYears: "notes" }), [
    'row 2, column "CPF": is not a valid CPF',
    'row 2, column "Nascimento": is not a date; write DD/MM/YYYY or YYYY-MM-DD',
    'row 2, column "E-mail": is not an e-mail address',
    'rows 2, 8, column "Unidade": "Sul" is not a location of the organization',
    'row 3, column "Nome": is needed and is empty',
    'row 5, column "Nascimento": must be from 1900-01-01 to today',
    'row 5, column "Unidade": names no location',
    'row 7, column "CPF": is the id document of a row above too',
    'rows 8, 10, 11, 12, 13 and 206 more, column "Nascimento": has a year of two digits, as in 01/02/90; write four',
    'row 9, column "Nascimento": is a number, not a date; format the column as a date and save again',
    'row 9, column "Unidade": "Leste" is not a location of the organization',
    "The locations are: Centro, Norte.",
  ]);
});

test("people who are there already are counted and left as they are", async () => {
  const studio = await newStudio(api);
  await studio.load("nome,cpf\nAna,52998224725\n");
  const summary = await studio.load("nome,cpf\nAna Souza,529.982.247-25\nBia,11144477735\n");
  assert.deepEqual(summary.kinds.client, { created: 1, replaced: 0, unchanged: 0 });
  assert.equal(summary.known, 1);
  assert.deepEqual(remarksOf(summary), [
    "1 client is there already, by the id document, and was left as is; --update replaces what the sheet names.",
  ]);
  assert.deepEqual(await studio.names(), ["Ana", "Bia"]);
});

test("--update replaces what the sheet says of people, and keeps what it does not", async () => {
  const studio = await newStudio(api, ["Centro", "Norte"]);
  await studio.load(
    "nome;cpf;telefone;email;rua;cidade;obs;unidade;status\nAna;52998224725;1111;a@example.com;Rua A;Santos;vip;Norte;inativo\n",
  );
  const [before] = await studio.clients();
  const sheet =
    "nome;cpf;telefone;celular;email;cidade;unidade\n;529.982.247-25;3333;2222;;Campinas;\nBia;11144477735;;;;;Centro\n";
  const summary = await studio.load(sheet, { update: true });
  assert.deepEqual(summary.kinds.client, { created: 1, replaced: 1, unchanged: 0 });
  const { body: ana } = await studio.get(`/v1/clients/${before?.id}`);
  const { updatedAt, $schema, ...rest } = ana;
  assert.deepEqual(rest, {
    id: before?.id,
    contactName: "Ana",
    contactEmail: "a@example.com",
    contactPhone: "2222",
    address: { line1: "Rua A", city: "Campinas" },
    idDocument: { type: "cpf", value: "52998224725" },
    locationIds: [studio.locationIds[1]],
    notes: "vip\ntelefone: 3333",
    status: "archived",
    createdAt: before?.createdAt,
  });
  const again = await studio.load(sheet, { update: true });
  assert.deepEqual(again.kinds.client, { created: 0, replaced: 0, unchanged: 2 });
  assert.deepEqual(await studio.refusal("nome;cpf;unidade\nAna;52998224725;Sul\n", { update: true }), [
    'row 2, column "unidade": "Sul" is not a location of the organization',
    "The locations are: Centro, Norte.",
  ]);
});

test("with --update a part that is empty keeps what several columns made: name, phone and notes", async () => {
  const studio = await newStudio(api);
  const header = "CPF;Nome;Sobrenome;Celular;Telefone;Obs;Notas\n";
  await studio.load(`${header}52998224725;Ana;Souza;11 98765-4321;;vip;joelho\n`);
  const [before] = await studio.clients();
  for (const row of ["Ana;;;;;", ";Souza;;11987654321;vip;"]) {
    const { kinds } = await studio.load(`${header}52998224725;${row}\n`, { update: true });
    assert.deepEqual(kinds.client, { created: 0, replaced: 0, unchanged: 1 }, row);
  }
  const sheet = `${header}52998224725;Bia;;;(11) 3333-4444;;ombro\n`;
  const summary = await studio.load(sheet, { update: true });
  assert.deepEqual(remarksOf(summary).slice(-1), [
    "A part of the name is empty and the rest is not in the stored name, which was kept: row 2.",
  ]);
  const { body } = await studio.get(`/v1/clients/${before?.id}`);
  assert.deepEqual(
    [body.contactName, body.contactPhone, body.notes],
    ["Ana Souza", "11 98765-4321", "Obs: vip\nNotas: joelho\nNotas: ombro\nTelefone: (11) 3333-4444"],
  );
  const again = await studio.load(sheet, { update: true });
  assert.deepEqual(again.kinds.client, { created: 0, replaced: 0, unchanged: 1 });
});

test("a CPF that lost its leading zeros to the spreadsheet is fixed if the check digits confirm it, and it is said", async () => {
  const studio = await newStudio(api);
  const summary = await studio.load("nome,cpf\nAna,191\n");
  assert.deepEqual((await studio.clients())[0]?.idDocument, { type: "cpf", value: "00000000191" });
  assert.deepEqual(remarksOf(summary), [
    "1 CPF had lost leading zeros; the check digits confirm those that were put back.",
  ]);
  assert.deepEqual(await studio.refusal("nome,cpf\nBia,192\n", { strict: true }), [
    'row 2, column "cpf": is not a valid CPF',
  ]);
});

test("a dry run checks everything and writes nothing", async () => {
  const studio = await newStudio(api);
  const summary = await studio.load("nome\nAna\n", { dryRun: true });
  assert.equal(summary.kinds.client?.created, 1);
  assert.equal((await studio.clients()).length, 0);
});

test("a header that names no client, or means one thing twice, is refused with what to do", async () => {
  const studio = await newStudio(api);
  const cases: [string, string[]][] = [
    ["cpf;telefone\n1;2", ["No column is the client's name: call one of them Name."]],
    [
      "nome;email;e-mail\na;1;2",
      ['The columns "email" and "e-mail" mean the same: leave one out, with --ignore "e-mail" for example.'],
    ],
    [
      "nome completo;sobrenome\na;b",
      [
        'The columns "nome completo" and "sobrenome" mean the same: leave one out, with --ignore "sobrenome" for example.',
      ],
    ],
    [
      "nome;cpf;rg\na;;",
      [
        'A client has one id document, and the columns "cpf" and "rg" are two: leave one out, with --ignore "rg" for example.',
      ],
    ],
    ["", ["The sheet is empty: a row must name the columns."]],
    ["\n\n;;\n", ["The sheet is empty: a row must name the columns."]],
  ];
  for (const [content, expected] of cases) assert.deepEqual(await studio.refusal(content), expected, content);
  assert.deepEqual(await studio.refusal("nome;nome\nAna;Bia\n"), [
    'Two columns are called "nome": give one of them another name.',
  ]);
  await studio.load("nome;email;e-mail\nEva;x;eva@example.com\n", {
    ignore: ["email"],
    dryRun: true,
    strict: true,
  });
  const summary = await studio.load("nome;cpf;rg\nAna;52998224725;12\n", { ignore: ["RG"] });
  assert.deepEqual(remarksOf(summary), []);
  assert.deepEqual(await studio.refusal("nome;cpf\nAna;\n", { ignore: ["cor"] }), [
    'There is no column "cor", which --ignore names.',
  ]);
});

test("with one location none need be named; with several one must be, by column or for all; without any it is said once", async () => {
  const one = await newStudio(api);
  await one.load("nome\nAna\n");
  const several = await newStudio(api, ["Centro", "Norte"]);
  assert.deepEqual(await several.refusal("nome\nAna\nBia\n"), [
    "The organization has several locations, so a column Location is needed, or --location NAME for all rows. There are: Centro, Norte.",
  ]);
  assert.deepEqual(await several.refusal("nome\nAna\n", { location: "Sul" }), [
    "--location is not a location. There are: Centro, Norte.",
  ]);
  await several.load("nome;unidade\nAna;\nBia;Centro\n", { location: "norte" });
  for (const [name, index] of [
    ["Ana", 1],
    ["Bia", 0],
  ] as const) {
    const found = (await several.clients()).find(({ contactName }) => contactName === name);
    const { body } = await several.get(`/v1/clients/${found?.id}`);
    assert.deepEqual(body.locationIds, [several.locationIds[index]], name);
  }
  // Who is there keeps theirs; whoever is new needs one.
  await several.load("nome;cpf\nEva;52998224725\n", { location: "Norte" });
  const renamed = await several.load("nome;cpf\nEva Lima;52998224725\n", { update: true });
  assert.equal(renamed.kinds.client?.replaced, 1);
  assert.deepEqual(await several.refusal("nome;cpf\nEva;52998224725\nNova;11144477735\n", { update: true }), [
    "The organization has several locations, so a column Location is needed, or --location NAME for all rows. There are: Centro, Norte.",
  ]);
  const none = await newStudio(api, []);
  assert.deepEqual(await none.refusal("nome\nAna\nBia\n"), [
    `The organization has no location yet; create one first: rollbook location create --org ${none.id} --name NAME`,
  ]);
});

test("first and last names are joined, and of several phones the mobile one is the client's and the rest is kept", async () => {
  const studio = await newStudio(api);
  const summary = await studio.load(
    [
      "Nome;Sobrenome;Telefone;Celular;Observações",
      "Ana;Souza;(11) 3333-4444;(11) 98765-4321;vip",
      "Bia;;3333-5555;;",
      "Caio;Lima;11 98888-7777;(11)988887777;",
    ].join("\n"),
  );
  assert.deepEqual(remarksOf(summary), [
    'The name is put together from "Nome", "Sobrenome".',
    'A client has one phone: the first that is filled in of "Celular", "Telefone". Others are kept in the notes.',
  ]);
  const byName = new Map((await studio.clients()).map((client) => [client.contactName, client]));
  assert.deepEqual(
    ["Ana Souza", "Bia", "Caio Lima"].map((name) => [
      byName.get(name)?.contactPhone,
      byName.get(name)?.notes,
    ]),
    [
      ["(11) 98765-4321", "vip\nTelefone: (11) 3333-4444"],
      ["3333-5555", undefined],
      ["(11)988887777", undefined],
    ],
  );
});
