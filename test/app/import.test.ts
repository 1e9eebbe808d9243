import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { buildWorkbook } from "../spreadsheet/workbooks.ts";
import { startApi } from "../support/api.ts";
import { sendFile } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();

/** Semicolons, accents in Windows-1252, a date of no month, a CPF with a wrong digit, a cell too many. */
const FAULTY = Buffer.from(
  [
    "Nome;E-mail;Nascimento;CPF;Observações",
    "João Conceição;joao@example.com;23/04/1990;529.982.247-25;",
    "Márcia Antônia;marcia@example.com;31/02/1988;;",
    "Álvaro Muñoz;alvaro@example.com;;111.444.777-36;",
    "Inês Brandão;ines@example.com;01/12/1975;;prefere manhã; joelho",
  ].join("\r\n"),
  "latin1",
);

const FIXES = [
  { row: 3, column: 2, value: "28/02/1988" },
  { row: 4, column: 3, value: "111.444.777-35" },
  { row: 5, column: 4, value: "prefere manhã; joelho" },
  { row: 5, column: 5, value: "" },
];

async function newStudio(locations: readonly string[] = ["Centro"]) {
  const studio = await api.newOrganization();
  for (const name of locations) await addLocation(api.db, studio.id, { name });
  const owner = await newStaff(api, studio.id);
  const names = async () => {
    const { body } = await studio.get("/v1/clients?limit=200");
    return (body.data as { contactName: string }[]).map(({ contactName }) => contactName).sort();
  };
  return {
    ...studio,
    owner,
    names,
    read: (file: string | Uint8Array, input?: object, language = "en") =>
      sendFile(owner, "readSheet", file, input, { headers: { "accept-language": language } }),
    load: (file: string | Uint8Array, input?: object, key = newId()) =>
      sendFile(owner, "importClients", file, input, { headers: { "idempotency-key": key } }),
  };
}

test("a faulty sheet is read without being stored, its faults stand beside their cells, and corrected it comes in", async () => {
  const studio = await newStudio();
  const { status, body } = await studio.read(FAULTY, { strict: true }, "pt-BR");
  assert.equal(status, 200);
  assert.deepEqual(body.format, { kind: "text", encoding: "windows-1252", delimiter: ";" });
  assert.deepEqual(
    body.columns.map(({ name, as, samples }: Record<string, unknown>) => [name, as, samples]),
    [
      ["Nome", "contactName", ["João Conceição", "Márcia Antônia", "Álvaro Muñoz"]],
      ["E-mail", "contactEmail", ["joao@example.com", "marcia@example.com", "alvaro@example.com"]],
      ["Nascimento", "birthdate", ["23/04/1990", "31/02/1988", "01/12/1975"]],
      ["CPF", "cpf", ["529.982.247-25", "111.444.777-36"]],
      ["Observações", "notes", ["prefere manhã"]],
    ],
  );
  assert.deepEqual(body.questions, []);
  assert.deepEqual(body.counts, { rows: 4, fresh: 1, known: 0, updating: 0, faulty: 3, incomplete: 0 });
  assert.deepEqual(
    body.faultyRows.map(({ row, faults }: { row: number; faults: Record<string, unknown>[] }) => [
      row,
      ...faults.map(({ column, code, message }) => `${column} ${code}: ${message}`),
    ]),
    [
      [3, "2 date_invalid: não é uma data; escreva DD/MM/AAAA ou AAAA-MM-DD"],
      [4, "3 cpf_invalid: não é um CPF válido"],
      [
        5,
        "undefined cells_beyond_header: tem valores em colunas sem nome; dê nome às colunas ou esvazie as células",
      ],
    ],
  );
  assert.deepEqual(body.faultyRows[2].cells.slice(4), ["prefere manhã", " joelho"]);
  assert.deepEqual(await studio.names(), []);

  const refused = await studio.load(FAULTY);
  assert.deepEqual([refused.status, refused.body.reason], [409, "sheet_faulty"]);
  assert.deepEqual(await studio.names(), []);

  const again = await studio.read(FAULTY, { fixes: FIXES });
  assert.deepEqual(again.body.counts, { rows: 4, fresh: 4, known: 0, updating: 0, faulty: 0, incomplete: 0 });
  const dry = await studio.load(FAULTY, { fixes: FIXES, dryRun: true });
  assert.deepEqual(dry.body.result, { created: 4, replaced: 0, unchanged: 0, known: 0, faulty: 0 });
  assert.equal(dry.body.dryRun, true);
  assert.deepEqual(await studio.names(), [], "a dry run writes nothing");

  const key = newId();
  const done = await studio.load(FAULTY, { fixes: FIXES }, key);
  assert.deepEqual([done.status, done.body.result.created], [200, 4]);
  assert.deepEqual(await studio.names(), [
    "Inês Brandão",
    "João Conceição",
    "Márcia Antônia",
    "Álvaro Muñoz",
  ]);
  const repeated = await studio.load(FAULTY, { fixes: FIXES }, key);
  assert.equal(repeated.headers.get("idempotent-replayed"), "true");
  assert.deepEqual([repeated.body.auditId, repeated.body.result], [done.body.auditId, done.body.result]);
  const reused = await studio.load("Nome\nAna\n", { fixes: FIXES }, key);
  assert.deepEqual([reused.status, reused.body.reason], [409, "key_reused"], "with another file");
  const { body: trail } = await studio.owner.read("audit");
  const entries = trail.data.filter(({ id }: { id: string }) => id === done.body.auditId);
  assert.deepEqual(
    entries.map(({ actor, action }: Record<string, unknown>) => [actor, action]),
    [[`staff:${studio.owner.id}`, "import"]],
  );
});

test("rows are left out by their numbers, or all that are faulty; people who are there are known or updated", async () => {
  const studio = await newStudio();
  const first = await studio.load(FAULTY, { leaveOut: [3, 5], skipFaulty: true, strict: true });
  assert.deepEqual(first.body.result, { created: 1, replaced: 0, unchanged: 0, known: 0, faulty: 1 });
  const sheet = "Nome,CPF,Telefone\nJoão C.,529.982.247-25,11 90000-0000\nAna,,\n";
  const { body } = await studio.read(sheet);
  assert.deepEqual(body.counts, { rows: 2, fresh: 1, known: 1, updating: 0, faulty: 0, incomplete: 0 });
  assert.deepEqual(
    body.remarks.map(({ message }: { message: string }) => message),
    ["1 client is there already, by the id document, and stays as is."],
  );
  const { body: updating } = await studio.read(sheet, { update: true });
  assert.deepEqual(updating.counts, { rows: 2, fresh: 1, known: 0, updating: 1, faulty: 0, incomplete: 0 });
  const done = await studio.load(sheet, { update: true });
  assert.deepEqual(done.body.result, { created: 1, replaced: 1, unchanged: 0, known: 0, faulty: 0 });
  assert.deepEqual(await studio.names(), ["Ana", "João C."]);
});

test("what is not certain is asked, with what the answer needs, and no question speaks of flags", async () => {
  const studio = await newStudio(["Centro", "Norte"]);
  const [centro] = (await studio.read("Nome,Unidade\nAna,Centro\n")).body.locations;
  const cases: [what: string, file: string | Uint8Array, code: string, answer: object][] = [
    [
      "no name",
      "Pessoa,Unidade\nAna,Centro\n",
      "name_column_missing",
      { columns: [{ column: 0, as: "contactName" }] },
    ],
    ["ID", "ID,Nome,Unidade\n1,Ana,Centro\n", "id_column_unclear", { columns: [{ column: 0, as: "none" }] }],
    [
      "twice",
      "Nome,Cidade,Ciudad,Unidade\nAna,a,b,Centro\n",
      "columns_same",
      { columns: [{ column: 2, as: "none" }] },
    ],
    [
      "who is active",
      "Nome,Estado,Unidade\nAna,Ativa,Centro\nBia,SP,Centro\n",
      "state_or_status",
      { columns: [{ column: 1, as: "none" }], leaveOut: [3] },
    ],
    ["short years", "Nome,Nasc,Unidade\nAna,23/04/90,Centro\n", "years_two_digits", { shortYears: "recent" }],
    ["letters", "Nome,Unidade\nJoÃ£o,Centro\n", "letters_garbled", { garbled: "repair" }],
    [
      "short numbers",
      "Nome,Unidade,Código postal\nAna,Centro,8001\n,,28001\n,,28002\n,,28003\n",
      "numbers_short",
      { shortNumbers: "zeros", leaveOut: [3, 4, 5] },
    ],
    [
      "the same name",
      "Nome,Nome,Unidade\nAna,Ana,Centro\n",
      "columns_same",
      { columns: [{ column: 1, as: "none" }] },
    ],
    [
      "documents",
      "Nome,CPF,RG,Unidade\nAna,,,Centro\n",
      "documents_two",
      { columns: [{ column: 2, as: "none" }] },
    ],
    ["dates", "Nome,Nascimento,Unidade\nAna,04/23/1990,Centro\n", "dates_month_first", { dates: "mdy" }],
    [
      "a date to fix",
      "Nome,Nascimento,Unidade\nAna,04/23/1990,Centro\n",
      "dates_month_first",
      { fixes: [{ row: 2, column: 1, value: "23/04/1990" }] },
    ],
    ["location", "Nome\nAna\n", "location_column_missing", { locationId: centro.id }],
    [
      "bytes",
      Buffer.from("Nome;Unidade\nJo\x8bo;Centro\n", "latin1"),
      "encoding_unclear",
      { encoding: "macintosh" },
    ],
    [
      "one column",
      "Nome\nAna, Centro\n",
      "single_column_divided",
      { delimiter: "none", locationId: centro.id },
    ],
    [
      "a title that names a client",
      "Nome,Cliente,Unidade\nPessoa,,Unidade\nAna,,Centro\n",
      "columns_same",
      { headerRow: 2, columns: [{ column: 0, as: "contactName" }] },
    ],
  ];
  for (const [what, file, code, answer] of cases) {
    const { status, body } = await studio.read(file, what === "one column" ? { locationId: centro.id } : {});
    assert.deepEqual(
      [status, body.questions.map((asked: { code: string }) => asked.code)],
      [200, [code]],
      what,
    );
    assert.equal(body.counts, undefined, `${what}: rows are not counted while a question is open`);
    const unclear = await studio.load(file, { dryRun: true, locationId: centro.id, columns: [] });
    if (code !== "location_column_missing")
      assert.deepEqual([unclear.status, unclear.body.reason], [409, "sheet_unclear"], what);
    const answered = await studio.read(file, answer);
    assert.deepEqual(answered.body.questions, [], what);
    assert.deepEqual([answered.body.counts.faulty, answered.body.counts.fresh], [0, 1], what);
    for (const language of ["en", "pt-BR", "es"]) {
      const { body: told } = await studio.read(file, {}, language);
      for (const { message } of [...told.questions, ...told.remarks])
        assert.doesNotMatch(message, /--/, what);
    }
  }
  assert.deepEqual(await studio.names(), []);
});

test("a workbook's sheet is chosen, and a cell whose formula failed is a fault until it is corrected", async () => {
  const studio = await newStudio();
  const file = buildWorkbook({
    sheets: [
      { name: "Resumo", rows: [["Nome"], ["Total"]] },
      {
        name: "Alunos",
        rows: [
          ["Nome", "E-mail"],
          ["Ana", { xml: '<c t="e"><f>A9</f><v>#REF!</v></c>' }],
        ],
      },
    ],
  });
  const { body: first } = await studio.read(file);
  assert.deepEqual(first.format, { kind: "workbook", worksheet: "Resumo", worksheets: ["Resumo", "Alunos"] });
  const { body } = await studio.read(file, { worksheet: "Alunos", strict: true });
  assert.deepEqual(body.faultyRows[0].faults[0].code, "formula_failed");
  const other = await studio.read(file, {
    worksheet: "Alunos",
    strict: true,
    fixes: [{ row: 2, column: 0, value: "Anna" }],
  });
  assert.equal(other.body.counts.faulty, 1, "another cell of the row was corrected");
  const fixes = [{ row: 2, column: 1, value: "" }];
  assert.equal((await studio.read(file, { worksheet: "Alunos", fixes })).body.counts.faulty, 0);
  const done = await studio.load(file, { worksheet: "Alunos", fixes });
  assert.equal(done.body.result.created, 1);
});

test("whatever is sent as a sheet gets a sentence, and nothing is written", async () => {
  const studio = await newStudio();
  const wide = "x,".repeat(90_000);
  const cases: [what: string, file: string | Uint8Array, expected: string][] = [
    ["nothing", "", "sheet_empty"],
    ["a header alone", "Nome,CPF\n", "0 rows"],
    ["blank lines", "\n\n \n", "sheet_empty"],
    ["a PDF", "%PDF-1.7\n", "not_text"],
    ["a picture", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), "not_text"],
    ["an old workbook", Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), "old_excel"],
    ["a web page", "<html><table><tr><td>Nome", "web_page"],
    ["a damaged archive", Uint8Array.from([0x50, 0x4b, 3, 4, 1, 2, 3]), "workbook_damaged"],
    [
      "mixed encodings",
      Buffer.concat([Buffer.from("Nome\nJoão\n"), Buffer.from([0x4a, 0xe3, 0x6f])]),
      "encoding_mixed",
    ],
    ["a stray quotation mark", 'Nome,CPF\nAn"a,\n', "quote_misplaced"],
    ["a quotation mark that is not closed", 'Nome,CPF\n"Ana,\n', "row_endless"],
    ["90,000 columns", `Nome,${wide}\nAna\n`, "columns_too_many"],
    ["40,000 phones", `Nome,${"tel,".repeat(40_000)}\nAna\n`, "columns_too_many"],
    ["90,000 cells in a row", `Nome,CPF\nAna,,${wide}\n`, "1 faulty"],
    ["a long text that a row has often", sharing("Ana".repeat(40_000), 9), "row_too_long"],
    ["a long text that many rows have", sharing("Ana".repeat(6_000), 10, 200), "workbook_too_large"],
    ["a long blank text", sharing(" ".repeat(150_000), 10), "0 rows"],
    ["merged cells without end", mergedOften(100_001), "workbook_too_large"],
    [
      "1,001 sheets",
      buildWorkbook({ sheets: Array.from({ length: 1_001 }, (_, i) => ({ name: `S${i}`, rows: [] })) }),
      "workbook_too_large",
    ],
    ["20,001 rows", `Nome\n${"Ana\n".repeat(20_001)}`, "rows_too_many"],
  ];
  for (const [what, file, expected] of cases) {
    const { status, body } = await studio.read(file);
    assert.equal(status, 200, what);
    const [question] = body.questions;
    const found =
      question?.code ??
      (body.counts.faulty > 0 ? `${body.counts.faulty} faulty` : `${body.counts.rows} rows`);
    assert.equal(found, expected, what);
    // Read once is enough of the long ones.
    if (expected.includes("_too_")) continue;
    const { status: refused } = await studio.load(file, { dryRun: true });
    assert.equal(refused, expected === "0 rows" ? 200 : 409, what);
  }
  assert.deepEqual(await studio.names(), []);
});

/** A workbook whose rows have one text in many cells, which is stored once. */
function sharing(text: string, cells: number, rows = 1): Buffer {
  const row = [{ xml: '<c t="s"><v>0</v></c>'.repeat(cells) }];
  return buildWorkbook({
    sheets: [{ name: "A", rows: [["Nome"], ...Array.from({ length: rows }, () => row)] }],
    strings: [`<t>${text}</t>`],
  });
}

function mergedOften(count: number): Buffer {
  const merged = Array.from({ length: count }, () => "C5:C6");
  return buildWorkbook({ sheets: [{ name: "A", rows: [["Nome"], ["Ana"]], merged }] });
}

test("a workbook of a few kilobytes takes neither seconds of the processor nor megabytes of an answer", async () => {
  const studio = await newStudio();
  const failed = Array.from({ length: 100 }, () => [{ xml: '<c t="e"/>'.repeat(300) }]);
  const faulty = await studio.read(buildWorkbook({ sheets: [{ name: "A", rows: [["Nome"], ...failed] }] }));
  assert.equal(faulty.body.counts.faulty, 100);
  assert.ok(faulty.text.length < 500_000, `${faulty.text.length} characters`);

  const styled = buildWorkbook({
    sheets: [{ name: "A", rows: [["Nome"], ["Ana"]] }],
    formats: ["0".repeat(60_000)],
    furtherStyles: 5_000,
  });
  const before = process.cpuUsage();
  assert.equal((await studio.read(styled)).body.counts.rows, 1);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_000_000, `${user / 1000} ms of the processor`);
});

test("a row that is too long to be shown says so, and an answer stays small however many rows are faulty", async () => {
  const studio = await newStudio();
  const faulty = `Nome,CPF,Obs\n${Array.from({ length: 3_000 }, (_, i) => `,1,nota ${i}\n`).join("")}`;
  const { body, text } = await studio.read(faulty);
  assert.deepEqual([body.counts.faulty, body.faultyRows.length], [3_000, 200]);
  assert.ok(text.length < 100_000);
  const long = await studio.read(`Nome,CPF,Obs\nAna,1,${"x".repeat(150_000)}\n`);
  assert.deepEqual([long.body.faultyRows[0].isCut, long.body.faultyRows[0].cells[2].length], [true, 60]);
});

test("without a location it is asked for one, and people of other organizations are neither known nor changed", async () => {
  const empty = await newStudio([]);
  assert.deepEqual(
    (await empty.read("Nome\nAna\n")).body.questions.map(({ code }: { code: string }) => code),
    ["locations_missing"],
  );
  const sheet = "Nome,CPF\nAna,529.982.247-25\n";
  const [one, other] = [await newStudio(), await newStudio()];
  assert.equal((await one.load(sheet)).body.result.created, 1);
  assert.equal((await other.read(sheet)).body.counts.known, 0);
  const elsewhere = (await one.read(sheet)).body.locations[0].id;
  const { body } = await other.read(sheet, { locationId: elsewhere });
  assert.deepEqual(
    body.questions.map(({ code }: { code: string }) => code),
    ["location_flag_unknown"],
  );
});

test("reading and importing let other callers have their turns", async () => {
  const studio = await newStudio();
  const rows = 2_000;
  const people = Array.from({ length: rows }, (_, i) => `Ana Souza,ana${i}@example.com\n`);
  const sheet = `Nome,E-mail\n${people.join("")}`;
  for (const work of [() => studio.read(sheet), () => studio.load(sheet)]) {
    let turns = 0;
    let isUnderWay = true;
    const count = () => {
      turns++;
      if (isUnderWay) setImmediate(count);
    };
    setImmediate(count);
    const { status } = await work();
    isUnderWay = false;
    assert.equal(status, 200);
    assert.ok(turns >= rows / 25, `${turns} turns of the event loop`);
  }
});

test("an import that is cut off leaves nothing behind, and is carried out when it is sent again", async () => {
  const studio = await newStudio();
  const key = newId();
  const sheet = "Nome\nAna\nBia\n";
  const [waiting, cut] = await api.db.transaction(async (tx) => {
    // Held until the import waits for it, with everything but its last step done.
    const [holder] = await tx.query<{ pid: number }>(lockOrganization, [studio.id]);
    const answer = studio.load(sheet, {}, key);
    const ended = await until("the import waits", async () => {
      const [found] = await api.db.query<{ ended: boolean }>(endWaiting, [holder?.pid]);
      return found?.ended;
    });
    return [await answer, ended] as const;
  });
  assert.ok(cut, "its connection was cut");
  assert.equal(waiting.status, 503);
  assert.deepEqual(await studio.names(), []);
  const again = await studio.load(sheet, {}, key);
  assert.deepEqual([again.status, again.body.result.created], [200, 2]);
  assert.deepEqual(await studio.names(), ["Ana", "Bia"]);
});

const lockOrganization = pooled(
  "test_lock_organization",
  "select pg_backend_pid() as pid from organizations where id = $1 for update",
);
const endWaiting = pooled(
  "test_end_waiting",
  "select pg_terminate_backend(pid) as ended from pg_stat_activity where $1 = any (pg_blocking_pids(pid))",
);

test("two imports of the same people at once make each of them once", async () => {
  const studio = await newStudio();
  const cpfs = ["529.982.247-25", "111.444.777-35", "123.456.789-09", "987.654.321-00"];
  const sheet = `Nome,CPF\n${cpfs.map((cpf, i) => `Pessoa ${i},${cpf}\n`).join("")}`;
  const answers = await Promise.all([studio.load(sheet), studio.load(sheet)]);
  let created = 0;
  for (const answer of answers) {
    // Who came second is told to try again, and then finds everybody there.
    const { status, body } = answer.status === 200 ? answer : await studio.load(sheet);
    assert.ok([200, 409, 503].includes(answer.status), answer.text);
    assert.equal(status, 200);
    created += body.result.created;
    assert.equal(body.result.created + body.result.known, 4);
  }
  assert.equal(created, 4);
  assert.equal((await studio.names()).length, 4);
});
