import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApi } from "../support/api.ts";
import { databaseUrl } from "../support/processes.ts";
import { runIn } from "../support/terminal.ts";
import { newStudio } from "./support.ts";

const api = await startApi();
const folder = await mkdtemp(join(tmpdir(), "rollbook-sheets-"));
after(() => rm(folder, { recursive: true }));

const environment = {
  DATABASE_URL: databaseUrl(api.store.connection),
  KEY_SECRET: "a secret of these tests",
  LC_ALL: "C",
};

/** Imports a sheet as its owner would, and gives back what is seen. */
async function load(studio: { id: string }, name: string, content: string | Uint8Array, ...flags: string[]) {
  const path = join(folder, name);
  await writeFile(path, content);
  return importFile(studio, path, ...flags);
}

function importFile(studio: { id: string }, path: string, ...flags: string[]) {
  return runIn(environment, "import", path, "--org", studio.id, ...flags);
}

const FAULTY = [
  "Nome;CPF;Nascimento;Observações",
  "Ana;529.982.247-25;23/04/1990;",
  'Bia;123;01/02/90;"diz ""oi""; até"',
  ";111.444.777-35;;",
  "Caio;;;;sobra",
].join("\r\n");

test("a format is known by what the file holds, whatever its name", async () => {
  const studio = await newStudio(api);
  const files: [string, string | Uint8Array][] = [
    ["unicode.txt", Buffer.from("\ufeffNome\tE-mail\r\nÂngela\ta@example.com\r\n", "utf16le")],
    ["tabs.tsv", "Nome\tE-mail\nBia\tb@example.com\n"],
    ["no-ending", "sep=;\nNome;E-mail\nCaio;c@example.com\n"],
    ["wrong.ndjson", "Nome,E-mail\nDora,d@example.com\n"],
    ["bundle.csv", `{"kind":"client","contactName":"Eva"}\n`],
    ["workbook.csv", await readFile(new URL("../../../test/data/clients.xlsx", import.meta.url))],
  ];
  for (const [name, content] of files) {
    const { code, stderr } = await load(
      studio,
      name,
      content,
      ...(name === "workbook.csv" ? ["--location", "Centro", "--ignore", "Unidade"] : []),
    );
    assert.equal(code, 0, `${name}: ${stderr}`);
  }
  assert.deepEqual(await studio.names(), [
    "Ana Souza",
    "Bia",
    "Bia Lima",
    "Caio",
    "Dora",
    "Eva",
    "José D’Ávila",
    "Ângela",
  ]);
  const { code, stderr } = await load(
    studio,
    "bundle.csv",
    `{"kind":"client","contactName":"Eva"}\n`,
    "--update",
  );
  assert.deepEqual(
    [code, stderr],
    [2, "rollbook: --update is for spreadsheets, and the file is a bundle.\n"],
  );
});

/** Every cell that cannot be read is a fault. */
const STRICT = ["--strict", "--short-years", "notes"];

test("with one faulty row nothing goes in, and each fault is reported in the owner's language", async () => {
  const studio = await newStudio(api);
  const cases: [string[], string][] = [
    [
      [],
      `rollbook: 3 rows have faults; nothing was imported. --skip-faulty imports the others.
  row 3, column "CPF": is not a valid CPF
  row 3, column "Nascimento": has a year of two digits, as in 01/02/90; write four
  row 4, column "Nome": is needed and is empty
  row 5: has values in columns without a name; name the columns or empty the cells
`,
    ],
    [
      ["--lang", "pt-BR"],
      `rollbook: 3 linhas têm erros; nada foi importado. --skip-faulty importa as outras.
  linha 3, coluna "CPF": não é um CPF válido
  linha 3, coluna "Nascimento": tem ano de dois dígitos, como em 01/02/90; escreva quatro
  linha 4, coluna "Nome": é obrigatório e está vazio
  linha 5: tem valores em colunas sem nome; dê nome às colunas ou esvazie as células
`,
    ],
    [
      ["--lang", "es"],
      `rollbook: 3 filas tienen errores; no se importó nada. --skip-faulty importa las demás.
  fila 3, columna "CPF": no es un CPF válido
  fila 3, columna "Nascimento": tiene un año de dos cifras, como en 01/02/90; escriba cuatro
  fila 4, columna "Nome": es obligatorio y está vacío
  fila 5: tiene valores en columnas sin nombre; dé nombre a las columnas o vacíe las celdas
`,
    ],
  ];
  for (const [flags, expected] of cases) {
    const { code, stdout, stderr } = await load(studio, "faulty.csv", FAULTY, ...STRICT, ...flags);
    assert.deepEqual([code, stdout, stderr], [1, "", expected]);
  }
  assert.deepEqual(await studio.names(), []);
});

test("the language is that of the locale unless it is named, and English for any other", async () => {
  const studio = await newStudio(api);
  const path = join(folder, "nobody.csv");
  await writeFile(path, "Cor\nazul\n");
  const languageOf = async (locale: Record<string, string>, ...flags: string[]) => {
    const { stderr } = await runIn(
      { ...environment, LC_ALL: "", ...locale },
      "import",
      path,
      "--org",
      studio.id,
      ...flags,
    );
    return stderr.split(". ")[1]?.split(" ")[0];
  };
  assert.deepEqual(
    [
      await languageOf({ LANG: "pt_BR.UTF-8" }),
      await languageOf({ LC_MESSAGES: "es_AR", LANG: "pt_BR" }),
      await languageOf({ LC_ALL: "pt_PT@euro", LC_MESSAGES: "es_AR" }),
      await languageOf({ LANG: "de_DE.UTF-8" }),
      await languageOf({}),
      await languageOf({ LANG: "pt_BR.UTF-8" }, "--lang", "en"),
    ],
    ["Nenhuma", "Ninguna", "Nenhuma", "No", "No", "No"],
  );
  const { code, stderr } = await importFile(studio, path, "--lang", "fr");
  assert.deepEqual([code, stderr], [2, "rollbook: --lang must be one of: pt-BR, es, en.\n"]);
});

test("--skip-faulty imports the good rows and writes the others with their reasons, to be fixed and imported", async () => {
  const studio = await newStudio(api);
  const { code, stdout, stderr } = await load(
    studio,
    "list.csv",
    FAULTY,
    "--skip-faulty",
    "--lang",
    "pt-BR",
    ...STRICT,
  );
  const rejected = join(folder, "list.csv.rejected.csv");
  assert.deepEqual([code, stdout], [0, "1 cliente criado, 0 substituídos, 0 sem mudança.\n"]);
  assert.match(stderr, /linha 3, coluna "CPF": não é um CPF válido\n/);
  assert.ok(
    stderr.endsWith(
      `3 linhas com erro estão em ${rejected}, cada uma com o motivo. Corrija e importe esse arquivo.\n`,
    ),
    stderr,
  );
  assert.equal(
    await readFile(rejected, "utf8"),
    [
      "\ufeffNome;CPF;Nascimento;Observações;Motivo da recusa",
      'Bia;123;01/02/90;"diz ""oi""; até";"CPF: não é um CPF válido; Nascimento: tem ano de dois dígitos, como em 01/02/90; escreva quatro"',
      ";111.444.777-35;;;Nome: é obrigatório e está vazio",
      'Caio;;;;"tem valores em colunas sem nome; dê nome às colunas ou esvazie as células";sobra',
      "",
    ].join("\r\n"),
  );
  assert.equal((await stat(rejected)).mode & 0o777, 0o600);

  const again = await importFile(studio, join(folder, "list.csv"), "--skip-faulty");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /list\.csv\.rejected\.csv is there already, with rows of an earlier import/);

  const fixed = (await readFile(rejected, "utf8"))
    .replace("Bia;123;01/02/90", "Bia;11144477735;01/02/1990")
    .replace(";111.444.777-35;", "Dora;;")
    .replace(";sobra", "");
  const last = await load(studio, "list.csv.rejected.csv", fixed);
  assert.deepEqual(
    [last.code, last.stdout],
    [0, "3 clients created, 0 replaced, 0 unchanged.\n"],
    last.stderr,
  );
  assert.deepEqual(await studio.names(), ["Ana", "Bia", "Caio", "Dora"]);
  const bia = (await studio.clients()).find(({ contactName }) => contactName === "Bia");
  assert.equal(bia?.notes, 'diz "oi"; até');
});

test("rejected rows are written only if there are any, nowhere in a dry run, and not if the import fails", async () => {
  const studio = await newStudio(api);
  const elsewhere = join(folder, "elsewhere.csv");
  const good = await load(studio, "good.csv", "Nome\nAna\n", "--skip-faulty", "--rejected", elsewhere);
  assert.deepEqual([good.code, good.stderr], [0, ""]);
  const dry = await load(studio, "dry.csv", FAULTY, "--skip-faulty", "--dry-run", ...STRICT);
  assert.equal(dry.stdout, "A dry run, nothing was written: 1 client created, 0 replaced, 0 unchanged.\n");
  assert.match(dry.stderr, /\n3 faulty rows would be rejected\.\n$/);
  const endless = `Nome;CPF\nBia;1\n${"Caio;\n".repeat(600)}"Dora;\n`;
  const failed = await load(studio, "failed.csv", endless, "--skip-faulty");
  assert.deepEqual([failed.code, failed.stdout], [1, ""]);
  assert.match(failed.stderr, /^rollbook: Nothing was imported\. Row 603 does not end: [^\n]*\n$/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => /^(good|dry|failed)\.csv\.|^elsewhere/.test(name)),
    [],
  );
  const faulty = await load(
    studio,
    "faulty.csv",
    FAULTY,
    "--skip-faulty",
    "--rejected",
    elsewhere,
    "--json",
    ...STRICT,
  );
  const { rejectedRows, rejectedFile, faults, kinds } = JSON.parse(faulty.stdout);
  assert.deepEqual([rejectedRows, rejectedFile, kinds.client.created], [3, elsewhere, 1]);
  assert.deepEqual(faults[1], {
    fault: { code: "year_two_digits", params: {}, index: 2 },
    column: "Nascimento",
    count: 1,
    rows: [3],
  });
  assert.match(
    await readFile(elsewhere, "utf8"),
    /^\ufeffNome;CPF;Nascimento;Observações;Reason rejected\r\n/,
  );
  for (const [path, flags, expected] of [
    [
      "-",
      ["--skip-faulty"],
      "--skip-faulty needs --rejected PATH if the sheet comes through standard input.",
    ],
    [elsewhere, ["--rejected", "x"], "--rejected goes with --skip-faulty."],
  ] as const) {
    const { code, stderr } = await importFile(studio, path, ...flags);
    assert.deepEqual([code, stderr], [2, `rollbook: ${expected}\n`]);
  }
});

test("a question is asked once, with what to do", async () => {
  const several = await newStudio(api, ["Centro", "Norte"]);
  const asked = await load(several, "asked.csv", "ID,Name\n1,Ana\n2,Bia\n");
  assert.deepEqual(
    [asked.code, asked.stderr],
    [
      1,
      `rollbook: Nothing was imported.
  The column "ID" may be a number of your list or an id document: call it Document if it is one, else say --ignore "ID".
  The organization has several locations, so a column Location is needed, or --location NAME for all rows. There are: Centro, Norte.
`,
    ],
  );
  const answered = await importFile(
    several,
    join(folder, "asked.csv"),
    "--ignore",
    "ID",
    "--location",
    "Norte",
  );
  assert.equal(answered.code, 0, answered.stderr);
  const none = await newStudio(api, []);
  const { stderr } = await load(none, "none.csv", "Name\nAna\nBia\n");
  assert.equal(
    stderr,
    `rollbook: Nothing was imported. The organization has no location yet; create one first: rollbook location create --org ${none.id} --name NAME\n`,
  );
});
