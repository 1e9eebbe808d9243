import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { open, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { type BackupHeader, CLOSING_BYTES, closing, headerLine } from "../../src/data/backup/format.ts";
import { checkBackup } from "../../src/data/backup/read.ts";
import { BACKED_UP, LEFT_OUT } from "../../src/data/backup/tables.ts";
import { listMigrations, migrate } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { ClientInserts, createClient } from "../../src/domain/clients/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { newDatabase, newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { addLocation } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";
import { addRecords } from "./records.ts";
import { backUp, check, checksums, contents, newFolder, restore, seal } from "./support.ts";

const store = await openTestStore();
const folder = await newFolder();
const latest = (await listMigrations()).at(-1)?.version ?? 0;
/** A database with rows in every table, its checksums, its backup, and what comes of that. */
const source = await newMigratedDatabase(store);
await addRecords(source, latest);
await source.query("insert into key_rates values (gen_random_uuid(), 1, 1, 1)");
const STORED_ANSWER = `insert into idempotency_keys (organization_id, key, fingerprint, created_at)
  values (gen_random_uuid(), 'a', '', now())`;
await source.query(STORED_ANSWER);
const sums = await checksums(source);
const file = join(folder, "source.backup");
await backUp(source.connection, file);
const copy = await restored(file);
after(() => store.close());

async function restored(path: string): Promise<OwnDatabase> {
  const database = await newDatabase(store);
  await restore(database.connection, path);
  return database;
}

/** The text of the backup, changed and sealed again. */
async function forge(change: (text: string, header: BackupHeader) => string): Promise<string> {
  const path = join(folder, "forged.backup");
  const text = gunzipSync(await readFile(file)).toString();
  const { header } = await check(file);
  await seal(path, change(text.replace(/-- sha256 .*\n$/, ""), header));
  return path;
}

describe("a backup", () => {
  test("holds every table of the schema that is not named as left out, and the schema is tables, and functions of triggers", async () => {
    const all = await contents(source);
    // What it is at follows from the rows: see `renewHistory`.
    const SEQUENCE = "change_log_id_seq";
    const found = all.filter(({ kind, name }) => kind !== "function" && name !== SEQUENCE);
    assert.deepEqual(
      found.map(({ name }) => name),
      [...BACKED_UP, ...LEFT_OUT].toSorted(),
      "a table that a migration makes belongs into src/data/backup/tables.ts",
    );
    // A sequence's position or a view would need a word in backup and restore. Functions hold no data: the migrations make
    // them, in a way that they can be made again.
    assert.deepEqual([...new Set(found.map(({ kind }) => kind))], ["r"]);
    assert.deepEqual(
      all.filter(({ kind }) => kind === "function").map(({ name }) => name),
      [
        "average_organizations",
        "claim_version",
        "count_records",
        "end_made_links",
        "follow_session",
        "forget_calendar_links",
        "forget_imported_client",
        "hold_new_webhook",
        "hold_webhooks",
        "keep_invoices_due",
        "keep_named_seats",
        "mark_contract_to_invoice",
        "move_staff_version",
        "move_versions",
        "note_changed",
        "note_client_locations",
        "note_contract_course",
        "note_contract_entitlements",
        "note_contract_locations",
        "note_contract_pauses",
        "note_created",
        "note_named_resources",
        "note_organization",
        "note_plan_entitlements",
        "note_plan_locations",
        "note_schedules_of_location",
        "note_schedules_of_service_type",
        "note_service_group_members",
        "organization_elsewhere",
        "refuse_absent_organization",
        "remember_first_note",
        "remove_passkeys",
        "wake_webhooks",
      ],
    );
  });

  test("comes back row for row, with whatever text the rows have", async () => {
    // Those of heads are raised by a restore: see history.test.ts.
    for (const table of BACKED_UP.filter((name) => name !== "change_heads"))
      assert.match(sums[table] ?? "", /^[1-9]/, `${table} has rows`);
    assert.deepEqual(await checksums(copy), sums);
    const [entry] = await copy.query<{ actor: string; details: { rows: Record<string, number> } }>(
      "select actor, details from audit where action = 'restore'",
    );
    assert.equal(entry?.actor, "test");
    assert.equal(entry?.details.rows.clients, Number(sums.clients?.split(" ")[0]));
  });

  test("bears the time of the clock, and so does the entry that a restore leaves", async () => {
    const moved = { clockOffsetMs: 400 * MS_PER_DAY };
    const path = join(folder, "moved.backup");
    const { header } = await backUp({ ...source.connection, ...moved }, path);
    const database = await newDatabase(store);
    await restore({ ...database.connection, ...moved }, path);
    const [entry] = await database.query<{ at: Date }>("select at from audit where action = 'restore'");
    for (const at of [Date.parse(header.createdAt), entry?.at.getTime() ?? 0])
      assert.ok(Math.abs(at - Date.now() - moved.clockOffsetMs) < 60_000, new Date(at).toISOString());
  });

  test("brings back every table, column, index, constraint and trigger as the migrations make them, with all that is said of them", async () => {
    const shape = `
      select pg_get_indexdef(indexrelid) || ' ' || concat_ws(' ', x.indisreplident, x.indisclustered, x.indisvalid) as it
      from pg_index x join pg_class c on c.oid = indrelid where c.relnamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', c.oid::regclass, c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity, c.reloptions)
      from pg_class c where c.relnamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
        a.attgenerated, a.attstorage, a.attoptions, pg_get_expr(d.adbin, d.adrelid))
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0
      union all
      select concat_ws(' ', tgrelid::regclass, tgenabled, pg_get_triggerdef(t.oid)) from pg_trigger t where not tgisinternal
      union all
      select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
      from pg_constraint where connamespace = 'public'::regnamespace
      order by 1`;
    assert.deepEqual(await copy.query(shape), await source.query(shape));
  });

  test("of a restored server is the same backup, however each database would show its values", async () => {
    const again = join(folder, "again.backup");
    await showDifferently(copy, "SQL, DMY", "Asia/Tokyo");
    await backUp(copy.connection, again);
    const other = await newDatabase(store);
    await showDifferently(other, "German", "America/New_York");
    await restore(other.connection, again);
    for (const { connection, query } of [copy, other]) {
      await query(`alter database ${connection.database} reset all`);
    }
    assert.deepEqual(await checksums(other), sums);
  });

  async function showDifferently({ connection, query }: OwnDatabase, datestyle: string, timezone: string) {
    const values = { datestyle, timezone, bytea_output: "escape", extra_float_digits: "-5" };
    for (const [name, value] of Object.entries(values)) {
      await query(`alter database ${connection.database} set ${name} = '${value}'`);
    }
  }

  test("is a gzip file of SQL, with the SHA-256 of all before its last line", async () => {
    const bytes = await readFile(file);
    const text = gunzipSync(bytes).toString();
    const sha256 = createHash("sha256").update(bytes.subarray(0, -CLOSING_BYTES)).digest("hex");
    assert.ok(text.endsWith(`\n-- sha256 ${sha256}\n`));
    const [first = ""] = text.split("\n", 1);
    const header = JSON.parse(first.replace("-- rollbook-backup ", "")) as BackupHeader;
    assert.equal(header.formatVersion, 1);
    assert.equal(header.schemaVersion, latest);
    assert.equal(header.programVersion, "1.2.3");
    const statements = text.match(/^copy "\w+" \(("\w+"(, )?)+\) from stdin;$/gm) ?? [];
    assert.equal(statements.length, BACKED_UP.length);
  });

  for (const table of ["key_rates", "idempotency_keys"]) {
    test(`does not hold ${table}, which are of the moment`, async () => {
      assert.equal((await source.query(`select 1 from ${table}`)).length, 1);
      assert.deepEqual(await copy.query(`select 1 from ${table}`), []);
    });
  }

  test("is readable by its owner alone and leaves no other file; a link to it stays one", async () => {
    const place = await newFolder();
    const path = join(place, "a.backup");
    await writeFile(path, "old", { mode: 0o644 });
    await symlink("a.backup", join(place, "link"));
    await backUp(source.connection, join(place, "link"));
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual((await readdir(place)).toSorted(), ["a.backup", "link"]);
    await check(path);
  });

  test("that fails leaves the old file as it was, and nothing beside it", async () => {
    const place = await newFolder();
    const path = join(place, "a.backup");
    await writeFile(path, "old");
    await assert.rejects(backUp((await newDatabase(store)).connection, path), /nothing to back up/);
    await assert.rejects(backUp(source.connection, join(place, "no", "a.backup")), /There is no directory/);
    await assert.rejects(backUp(source.connection, place), /not a file/);
    await assert.rejects(backUp(source.connection, "/dev/null"), /not a file/);
    assert.ok((await stat("/dev/null")).isCharacterDevice());
    assert.equal(await readFile(path, "utf8"), "old");
    assert.deepEqual(await readdir(place), ["a.backup"]);
  });

  test("is of one moment, whatever is written meanwhile", async () => {
    const busy = await newMigratedDatabase(store);
    const db = openDatabase({ connection: busy.connection, applicationName: "test", poolSize: 4 });
    const { id } = await createOrganization(db, "test", {
      name: "Busy",
      timezone: "America/Sao_Paulo",
      currency: "BRL",
      plan: "Pro",
    });
    const facts = { now: await db.now(), today: "2026-01-01", locationIds: [await addLocation(db, id)] };
    const inserts = new ClientInserts(db);
    let writing = true;
    let written = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) {
        await createClient(db, inserts, id, { contactName: "Ana" } as never, facts);
        written++;
      }
    });
    const files = Array.from({ length: 2 }, (_, i) => join(folder, `busy-${i}.backup`));
    for (const path of files) await backUp(busy.connection, path);
    writing = false;
    await Promise.all(writers);
    await db.close();
    let before = 0;
    for (const path of files) {
      const copy = await restored(path);
      const [counted] = await copy.query<Record<"clients" | "places" | "counters", string>>(
        `select (select count(*) from clients) as clients, (select count(*) from client_locations) as places,
                (select sum(clients_active) from organization_counters) as counters`,
      );
      assert.equal(counted?.counters, counted?.clients);
      assert.equal(counted?.places, counted?.clients);
      assert.ok(Number(counted?.clients) >= before && Number(counted?.clients) <= written);
      before = Number(counted?.clients);
    }
    assert.ok(before > 0, "something was written while the backups were taken");
  });

  test("names tables that are not Rollbook's and leaves them out", async () => {
    const shared = await newMigratedDatabase(store);
    await shared.query("create table ledgers (id integer)");
    const written = await backUp(shared.connection, join(folder, "shared.backup"));
    assert.deepEqual(written.foreignTables, ["ledgers"]);
    await restored(join(folder, "shared.backup"));
  });

  test("of a schema that the program does not know is refused", async () => {
    const future = await newMigratedDatabase(store);
    await future.query("insert into schema_migrations (version, name) values (9999, 'later')");
    await assert.rejects(backUp(future.connection, join(folder, "future.backup")), /run a newer rollbook/);
  });
});

describe("a file is refused before anything is written", () => {
  test("cut off at any byte", async () => {
    const small = await smallBackup("cut.backup");
    const { size } = await stat(small);
    const handle = await open(small, "r");
    try {
      for (let length = size - 1; length >= 0; length--) {
        await truncate(small, length);
        await assert.rejects(checkBackup(handle), /damaged or incomplete|not a Rollbook backup/);
      }
    } finally {
      await handle.close();
    }
  });

  test("with any one byte changed", async () => {
    const small = await smallBackup("flip.backup");
    const bytes = await readFile(small);
    const handle = await open(small, "r+");
    try {
      await checkBackup(handle);
      for (const [position, byte] of bytes.entries()) {
        await handle.write(Buffer.of(byte ^ (1 << (position % 8))), 0, 1, position);
        await assert.rejects(checkBackup(handle), /damaged or incomplete|not a Rollbook backup/);
        await handle.write(Buffer.of(byte), 0, 1, position);
      }
      await checkBackup(handle);
    } finally {
      await handle.close();
    }
  });

  test("that is something else", async () => {
    const path = join(folder, "foreign");
    const backup = await readFile(file);
    for (const content of ["", "{}", gzipSync("-- rollbook-backup {}\n"), backup.subarray(1)]) {
      await writeFile(path, content);
      await assert.rejects(check(path), /not a Rollbook backup/);
    }
    for (const content of [Buffer.concat([backup, backup]), Buffer.concat([backup, Buffer.from("\n")])]) {
      await writeFile(path, content);
      await assert.rejects(check(path), /damaged or incomplete/);
    }
  });

  test("of a newer format or a newer schema, with the version that is needed", async () => {
    const later = (change: Partial<BackupHeader>) =>
      forge((text, header) => text.replace(headerLine(header), headerLine({ ...header, ...change })));
    await assert.rejects(check(await later({ formatVersion: 2 })), /another format, by rollbook 1\.2\.3/);
    await assert.rejects(
      check(await later({ schemaVersion: latest + 1 })),
      new RegExp(
        `schema version ${latest + 1}, but this program knows versions up to ${latest}: .* rollbook 1\\.2\\.3`,
      ),
    );
  });

  async function smallBackup(name: string): Promise<string> {
    const path = join(folder, name);
    const database = await newMigratedDatabase(store);
    await database.query("insert into facts values ('a', 'b')");
    await backUp(database.connection, path);
    return path;
  }
});

describe("a restore", () => {
  test("into a database that has rows is refused, and changes none", async () => {
    await assert.rejects(restore(source.connection, file), /is not empty \(it has rows in organizations, /);
    assert.deepEqual(await checksums(source), sums);
    const lone = await newMigratedDatabase(store);
    await lone.query(
      "insert into audit (id, actor, action) values ('00000000-0000-7000-8000-000000000001', 'a', 'import')",
    );
    await assert.rejects(restore(lone.connection, file), /is not empty \(it has rows in audit\)/);
  });

  test("into tables of another program is refused", async () => {
    const theirs = await newDatabase(store);
    await theirs.query("create table clients (id integer)");
    await assert.rejects(restore(theirs.connection, file), /used by another program/);
    assert.deepEqual(await contents(theirs), [{ kind: "r", name: "clients" }]);
  });

  test("into a database that was set up and never used keeps what the operator granted", async () => {
    const fresh = await newMigratedDatabase(store);
    await fresh.query("insert into facts values ('tzdata', 'newer')");
    await fresh.query(STORED_ANSWER);
    await fresh.query("grant select on clients to public");
    await restore(fresh.connection, file);
    assert.deepEqual(await checksums(fresh), sums);
    assert.deepEqual(await fresh.query("select 1 from idempotency_keys"), []);
    const [granted] = await fresh.query<{ is: boolean }>(
      "select relacl::text like '%=r/%' as is from pg_class where relname = 'clients'",
    );
    assert.equal(granted?.is, true);
  });

  test("of an earlier schema is upgraded, into an empty database and into one that was set up", async () => {
    for (const version of [1, latest - 1]) {
      const old = await newDatabase(store);
      await migrate(old.connection, { upTo: version });
      await addRecords(old, version);
      const path = join(folder, `version-${version}.backup`);
      const { header } = await backUp(old.connection, path);
      assert.equal(header.schemaVersion, version);
      const columns = new Map(header.tables.map((table) => [table.name, table.columns]));
      // The feed begins with the records that are there when its tables come.
      if (version < 18) columns.delete("changes");
      const before = await checksums(old, columns);
      const bare = await newDatabase(store);
      const ready = await newMigratedDatabase(store);
      // The step down is one and the same from whatever version.
      for (const database of version === latest - 1 ? [bare, ready] : [bare]) {
        assert.equal((await restore(database.connection, path)).schemaVersion, latest);
        assert.deepEqual(await checksums(database, columns), before);
        assert.deepEqual(await migrate(database.connection), []);
        assert.deepEqual(await contents(database), await contents(source));
      }
    }
  });

  const faults: [string, (text: string) => string, RegExp][] = [
    ["a row too few", (text) => text.replace(/(copy "clients".*\n).*\n/, "$1"), /\d rows of clients where/],
    ["a value that is none", (text) => text.replace(/(copy "sessions".*\n)./, "$1!"), /uuid/],
    ["a row twice", (text) => text.replace(/(copy "clients".*\n)(.*\n)/, "$1$2$2"), /duplicate key/],
    [
      "a reference to nothing",
      (text) => text.replace(/(copy "keys".*\n)[\s\S]*?\n\\\.\n/, cutReference),
      /foreign key/,
    ],
    ["a table that ends early", (text) => text.slice(0, text.indexOf('copy "plans"')), /damaged/],
    ["rows without an end", (text) => text.slice(0, -1000).replace(/\n\\\.\n[\s\S]*$/, "\n"), /damaged/],
    [
      "an unknown column",
      (text) => text.replaceAll('"holds_resource"', '"holds"'),
      /not those of its schema/,
    ],
    ["no header", (text) => text.replace("-- rollbook-backup", "-- rollback"), /another format/],
  ];

  test("that fails half-way leaves the database as empty as it was", async (t) => {
    const database = await newDatabase(store);
    for (const [name, change, refusal] of faults) {
      await t.test(`over ${name}`, async () => {
        await assert.rejects(restore(database.connection, await forge(change)), refusal);
        assert.deepEqual(await contents(database), []);
      });
    }
    await restore(database.connection, file);
    assert.deepEqual(await checksums(database), sums);
  });

  test("is seen by others all at once", async () => {
    const database = await newDatabase(store);
    const other = new pg.Client(database.connection);
    await other.connect();
    let restoring = true;
    const seen = new Set<number>();
    const watch = (async () => {
      while (restoring) seen.add((await contentsOf(other)).length);
    })();
    await restore(database.connection, file);
    restoring = false;
    await watch;
    await other.end();
    const all = BACKED_UP.length + LEFT_OUT.length;
    assert.deepEqual(
      [...seen].filter((count) => count !== 0 && count !== all),
      [],
    );
  });

  async function contentsOf(client: pg.Client): Promise<object[]> {
    const { rows } = await client.query("select from pg_tables where schemaname = 'public'");
    return rows;
  }

  /** Sends the first key to an organization that is not there. */
  function cutReference(rows: string): string {
    return rows.replace(/(\n[^\t]+\t)[^\t]+/, "$100000000-0000-7000-8000-00000000dead");
  }
});

test("the closing has one length", () => {
  assert.equal(closing("f".repeat(64)).length, CLOSING_BYTES);
});
