import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { importRecords } from "../../src/data/bundle/import.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { read } from "../../src/db/statements.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { PROGRAM } from "../support/program.ts";
import { openTestStore } from "../support/store.ts";
import { exportText, rowCounts, smallStudio, textOf } from "./support.ts";

const store = await openTestStore();
const own = await newMigratedDatabase(store);
const db = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 2 });
const directory = await mkdtemp(join(tmpdir(), "rollbook-bundle-"));
after(async () => {
  await db.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

function start(commandLine: readonly string[]) {
  return spawn(process.execPath, [PROGRAM, ...commandLine, "--database-url", own.url]);
}

async function run(commandLine: readonly string[], input: string | Uint8Array = "") {
  const child = start(commandLine);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A command that fails early reads nothing.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

test("a file goes in and comes out, plain, compressed or through pipes", async () => {
  const { ids, lines } = smallStudio();
  const path = join(directory, "studio.ndjson");
  await writeFile(path, textOf(lines));
  const imported = await run(["import", path]);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(
    imported.stdout,
    /^KIND +CREATED +REPLACED +UNCHANGED\norganization +1 +0 +0\nlocation +2 +0 +0\n/,
  );
  assert.match(imported.stdout, new RegExp(`Imported into organization ${ids.organization}\\.\n$`));
  assert.equal(imported.stderr, "", "no progress line where nobody sees it");

  const piped = await run(["import", "-", "--json"], gzipSync(textOf(lines)));
  assert.equal(piped.code, 0, piped.stderr);
  const summary = JSON.parse(piped.stdout);
  assert.deepEqual(summary.kinds.client, { created: 0, replaced: 0, unchanged: 2 });
  assert.equal(summary.records, lines.length);

  const exported = await run(["export", "--org", ids.organization]);
  assert.equal(exported.stdout, await exportText(db, ids.organization));
  const out = join(directory, "out.ndjson");
  const written = await run(["export", "--org", ids.organization, "--out", out]);
  assert.equal(written.stdout, `Wrote ${lines.length} records to ${out}.\n`);
  assert.equal(await readFile(out, "utf8"), exported.stdout);
});

test("a command that fails says why in one sentence, with every fault of the file below it", async () => {
  const { ids, lines } = smallStudio();
  const faulty = await run(["import", "-"], `${textOf(lines.slice(0, 2))}oops\n{"kind":"client"}\n`);
  assert.equal(faulty.code, 1);
  assert.equal(faulty.stdout, "");
  assert.equal(
    faulty.stderr,
    "rollbook: The file has 2 faults; nothing was imported.\n" +
      "  line 3: not JSON\n  line 4: client: contactName: is required\n",
  );
  const coded = await run(["import", "-", "--json"], `${textOf(lines.slice(0, 2))}{\n{"kind":"client"}\n`);
  assert.deepEqual([coded.code, coded.stdout], [1, ""]);
  const [sentence, ...told] = coded.stderr.trimEnd().split("\n");
  assert.equal(sentence, "rollbook: The file has 2 faults; nothing was imported.");
  assert.deepEqual(
    told.map((line) => JSON.parse(line)),
    [
      { location: "line 3", code: "line_not_json", message: "not JSON" },
      { location: "line 4: client: contactName", code: "required", message: "is required" },
    ],
  );
  const absent = await run(["import", join(directory, "absent.ndjson")]);
  assert.deepEqual([absent.code, absent.stdout], [1, ""]);
  assert.match(absent.stderr, /^rollbook: .*absent\.ndjson cannot be read: there is no such file\.\n$/);
  const nowhere = await run(["import", "-"], textOf(lines.slice(1, 2)));
  assert.match(
    nowhere.stderr,
    /^rollbook: The file has no organization line; say where it goes with --org ID\.\n$/,
  );
  const torn = await run(["import", "-"], gzipSync(textOf(lines)).subarray(0, 300));
  assert.match(
    torn.stderr,
    /^rollbook: The file is damaged: it is compressed, but does not unpack whole\.\n$/,
  );
  const unknown = await run(["export", "--org", ids.organization]);
  assert.deepEqual([unknown.code, unknown.stderr], [1, "rollbook: There is no organization with this id.\n"]);
  assert.equal((await run(["export"])).code, 2);
  assert.deepEqual(await rowCounts(db, ids.organization), {});
});

const backends = read(
  "test_import_backends",
  "select count(*) as count from pg_stat_activity where application_name = 'rollbook import' and datname = current_database()",
);
const working = read(
  "test_import_working",
  `select 1 as one from pg_stat_activity
   where application_name = 'rollbook import' and datname = current_database() and state = 'active'
     and query like '%into clients%'`,
);

test("an import that is killed half-way, reading or writing, leaves not a row", async () => {
  const { ids, lines } = smallStudio();
  const path = join(directory, "many.ndjson");
  const file = createWriteStream(path);
  file.write(textOf(lines.slice(0, 2)));
  for (let n = 0; n < 20_000; n++)
    file.write(
      textOf([
        { kind: "client", id: newId(), contactName: `Client ${n} of many`, locationIds: [ids.centro] },
      ]),
    );
  file.end();
  await once(file, "finish");
  for (const isReached of [
    async () => (await db.query<{ count: number }>(backends))[0]?.count === 1,
    async () => (await db.query(working)).length === 1,
  ]) {
    const child = start(["import", path]);
    await until("the import is under way", isReached);
    child.kill("SIGKILL");
    await once(child, "close");
    await until(
      "PostgreSQL has noticed",
      async () => (await db.query<{ count: number }>(backends))[0]?.count === 0,
    );
    assert.deepEqual(await rowCounts(db, ids.organization), {});
    await assert.rejects(exportText(db, ids.organization), /There is no organization/);
  }
});

test("an export whose reader leaves ends without a word", async () => {
  const { ids, lines } = smallStudio();
  const many = Array.from({ length: 4000 }, (_, n) => ({
    kind: "client",
    contactName: `Client ${n}`,
    notes: "x".repeat(200),
    locationIds: [ids.centro],
  }));
  await run(["import", "-"], textOf([...lines, ...many]));
  const child = start(["export", "--org", ids.organization]);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child.stdout, "data");
  child.stdout.destroy();
  await once(child, "close");
  assert.equal(stderr, "");
});

test("a spreadsheet of 1,001 people is looked up and stored over one connection", async () => {
  const { ids, lines } = smallStudio();
  await importRecords(db, lines.slice(0, 2), { actor: "test" });
  const path = join(directory, "people.csv");
  const people = Array.from({ length: 1_001 }, (_, n) => `Person ${n},DOC-${n}`);
  await writeFile(path, ["name,document", ...people].join("\n"));
  const { code, stdout, stderr } = await run(["import", path, "--org", ids.organization, "--json"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).kinds.client, { created: 1_001, replaced: 0, unchanged: 0 });
});
