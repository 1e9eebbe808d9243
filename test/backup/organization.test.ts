import assert from "node:assert/strict";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { writeWholeFile } from "../../src/data/backup/file.ts";
import { type BackupHeader, headerLine } from "../../src/data/backup/format.ts";
import {
  type ImportedOrganization,
  importOrganization,
  type OrganizationImportOptions,
} from "../../src/data/backup/import-organization.ts";
import { ORGANIZATION_TABLES } from "../../src/data/backup/organization-tables.ts";
import { checkBackup, countRows } from "../../src/data/backup/read.ts";
import { databaseOf } from "../../src/data/backup/snapshot.ts";
import { type WrittenBackup, writeBackup } from "../../src/data/backup/write.ts";
import { removeRows } from "../../src/data/move/moves.ts";
import { latestVersion } from "../../src/db/migrate.ts";
import { holdTzdataState, TZDATA_FACTS } from "../../src/domain/calendar/tzdata-work.ts";
import { numberCommitted } from "../../src/sync/changes/numbering.ts";
import { findMarkOf } from "../../src/sync/changes/queries.ts";
import { type Answer, openApi, type TestApi } from "../support/api.ts";
import { newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";
import { openTestStore } from "../support/store.ts";
import { addRecords } from "./records.ts";
import { backUp, check, newFolder, restore, rollbook, seal } from "./support.ts";

const store = await openTestStore();
const folder = await newFolder();
after(() => store.close());
const latest = await latestVersion();
/** Has rows in every table, and a neighbour whose records have the same ids. */
const ID = "00000000-0000-7000-8000-000000000001";
const NEIGHBOUR = "00000000-0000-7000-8000-000000000002";

const source = await newMigratedDatabase(store);
await addRecords(source, latest);
for (const id of [ID, NEIGHBOUR])
  await source.query(
    `with attempt as (
       insert into webhook_attempts (organization_id, webhook_id, id, at, event, try, milliseconds)
       select organization_id, id, gen_random_uuid(), now(), 'webhook.test', 1, 5 from webhook_endpoints where organization_id = $1
     ), request as (
       insert into key_requests (organization_id, key_id, failed, id, at, kept, left_out, entries)
       select organization_id, id, false, gen_random_uuid(), now(), 1, 0, '[[0, "getOrganization", 200, 1, "a"]]'
       from keys where organization_id = $1
     )
     insert into idempotency_keys (organization_id, key, fingerprint, status, body, created_at)
     values ($1, 'a', '\\x00', 201, '\\x5c2e0a', now())`,
    [id],
  );
await source.query("insert into facts values ('key-secret', 'one')");
const file = join(folder, "one.organization");
const exported = await exportTo(source, file);

function exportTo(database: Pick<OwnDatabase, "connection">, path: string, id = ID): Promise<WrittenBackup> {
  const organization = { id, publicUrl: "https://a.example" };
  return writeWholeFile(path, (destination) =>
    writeBackup(database.connection, destination, { programVersion: "1.2.3", organization }),
  );
}

async function importInto(
  database: Pick<OwnDatabase, "connection">,
  path = file,
  options: Partial<OrganizationImportOptions> = {},
): Promise<ImportedOrganization> {
  const handle = await open(path, "r");
  try {
    return await importOrganization(database.connection, await checkBackup(handle), {
      actor: "test",
      ...options,
    });
  } finally {
    await handle.close();
  }
}

/** The text of a file without what its header says of the export. */
async function rowsOf(path: string): Promise<string> {
  const text = gunzipSync(await readFile(path)).toString();
  return text.slice(text.indexOf("\n") + 1).replace(/-- sha256 .*\n$/, "");
}

async function forge(change: (text: string, header: BackupHeader) => string): Promise<string> {
  const path = join(folder, "forged.organization");
  const text = gunzipSync(await readFile(file)).toString();
  const { header } = await check(file);
  await seal(path, change(text.replace(/-- sha256 .*\n$/, ""), header));
  return path;
}

function total({ rows }: Pick<WrittenBackup, "rows">): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** How many rows of an organization are in any table. */
async function countAll({ query }: OwnDatabase, id = ID): Promise<number> {
  const counts = ORGANIZATION_TABLES.map(
    ({ name, column }) => `(select count(*) from ${name} where ${column} = $1)`,
  );
  const [row] = await query<{ count: string }>(`select ${counts.join(" + ")} as count`, [id]);
  return Number(row?.count);
}

describe("an organization's file", () => {
  test("has rows of every table, of this organization alone, and is for its owner's eyes", async () => {
    for (const { name } of ORGANIZATION_TABLES) assert.ok((exported.rows[name] ?? 0) > 0, `${name} has rows`);
    assert.equal(await countAll(source), total(exported));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const handle = await open(file, "r");
    assert.deepEqual(await countRows(await checkBackup(handle)), exported.rows);
    await handle.close();
  });

  test("comes back row for row beside others, and a second export is the same, byte for byte", async () => {
    const target = await newMigratedDatabase(store);
    // One of another database formats and in the middle of something.
    await target.query(`alter database ${target.connection.database} set datestyle = 'SQL, DMY'`);
    const neighbour = join(folder, "neighbour.organization");
    await exportTo(source, neighbour, NEIGHBOUR);
    await importInto(target, neighbour);
    const beside = await countAll(target, NEIGHBOUR);
    const imported = await importInto(target);
    assert.deepEqual(imported.rows, exported.rows);
    assert.equal(imported.hasSameSecret, true);
    const again = join(folder, "again.organization");
    const second = await exportTo(target, again);
    assert.equal(await rowsOf(again), await rowsOf(file));
    assert.equal(second.rowsSha256, exported.rowsSha256);
    assert.equal(await countAll(target, NEIGHBOUR), beside);
    const [trail] = await target.query<{ actor: string; details: { rows: object } }>(
      "select actor, details from audit where action = 'organization.import' and subject = $1",
      [ID],
    );
    assert.equal(trail?.actor, "test");
    assert.deepEqual(trail?.details.rows, exported.rows);
    // What has no number yet has ids below 0, as it must come before all that this server notes.
    await target.query("delete from change_log where id > 0");
    const whole = join(folder, "with-imported.backup");
    await backUp(target.connection, whole);
    await restore((await newMigratedDatabase(store)).connection, whole);
    const [kept] = await target.query("select from staff_versions");
    assert.equal(kept, undefined);
  });

  test("has the same sum before and after a server has numbered the changes that waited", async () => {
    const here = await newMigratedDatabase(store);
    const a = await openApi({ beside: { store } as TestApi, database: { connection: here.connection } });
    after(() => a.close());
    const { id } = await a.newOrganization();
    await addLocation(a.db, id);
    const waiting = () => here.query("select from change_log where organization_id = $1", [id]);
    assert.notDeepEqual(await waiting(), []);
    const sum = async (name: string) => {
      const { code, stdout, stderr } = await rollbook(
        ["org", "export", id, "--complete", join(folder, name), "--json"],
        { DATABASE_URL: here.url, KEY_SECRET: a.keySecret },
      );
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout.toString()).rowsSha256;
    };
    const atOnce = await sum("at-once.organization");
    await numberCommitted(a.db, id);
    assert.deepEqual(await waiting(), []);
    assert.equal(await sum("later.organization"), atOnce);
  });

  test("of one without that organization is not written", async () => {
    const path = join(folder, "nobody.organization");
    await assert.rejects(exportTo(source, path, "00000000-0000-7000-8000-00000000dead"), /no organization/);
    await assert.rejects(stat(path));
  });
});

describe("an import is refused, and leaves nothing", () => {
  test("of an organization that is there, of a whole server, and of one as a server", async () => {
    await assert.rejects(importInto(source), /is on this server already/);
    const whole = join(folder, "whole.backup");
    await backUp(source.connection, whole);
    await assert.rejects(importInto(await newMigratedDatabase(store), whole), /backup of a whole server/);
    await assert.rejects(
      restore((await newMigratedDatabase(store)).connection, file),
      /holds one organization/,
    );
  });

  const faults: [string, (text: string, header: BackupHeader) => string, RegExp][] = [
    [
      "another schema version",
      (text, header) =>
        text.replace(headerLine(header), headerLine({ ...header, schemaVersion: latest - 1 })),
      /bring both servers to one version/,
    ],
    ["a row too few", (text) => text.replace(/(copy "waiting".*\n).*\n/, "$1"), /\d rows of waiting where/],
    [
      "a row of another organization",
      (text) => text.replace(new RegExp(`(copy "idempotency_keys".*\n)${ID}`), `$1${NEIGHBOUR}`),
      /0 rows of idempotency_keys are there where the file has 1/,
    ],
    ["a table that ends early", (text) => text.slice(0, text.indexOf('copy "plans"')), /damaged/],
    ["another column", (text) => text.replaceAll('"holds_resource"', '"holds"'), /not those of its schema/],
  ];
  for (const [name, change, refusal] of faults)
    test(`with ${name}`, async () => {
      const target = await newMigratedDatabase(store);
      await assert.rejects(importInto(target, await forge(change)), refusal);
      assert.equal(await countAll(target), 0);
      assert.deepEqual(await target.query("select from audit"), []);
    });

  test("with a key that is on the server already", async () => {
    const target = await newMigratedDatabase(store);
    const neighbour = join(folder, "clash.organization");
    await exportTo(source, neighbour, NEIGHBOUR);
    await importInto(target, neighbour);
    await target.query(
      "update keys set hash = (select decode(repeat('01', 32), 'hex')) where id = (select min(id::text)::uuid from keys)",
    );
    await assert.rejects(
      importInto(target),
      /A row of keys has an id or hash that is on this server already/,
    );
    assert.equal(await countAll(target), 0);
  });

  test("under another key secret, unless that is accepted", async () => {
    const target = await newMigratedDatabase(store);
    await target.query("insert into facts values ('key-secret', 'another')");
    await assert.rejects(importInto(target), /--other-secret/);
    assert.equal(await countAll(target), 0);
    assert.equal((await importInto(target, file, { allowsOtherSecret: true })).hasSameSecret, false);
    assert.equal(await countAll(target), total(exported));
  });

  test("by other time-zone data, unless the server has never taken any in", async () => {
    const target = await newMigratedDatabase(store);
    const setFact = (name: string, value: string) =>
      target.query(
        "insert into facts values ($1, $2) on conflict (name) do update set value = excluded.value",
        [name, value],
      );
    const of = (tzdata: string) =>
      forge((text, header) => {
        const { organization } = header;
        assert.ok(organization);
        return text.replace(
          headerLine(header),
          headerLine({ ...header, organization: { ...organization, tzdata } }),
        );
      });
    await setFact("tzdata", "2026b");
    // A work that is done has an empty position.
    await setFact("tzdata position", "");
    for (const other of ["", "tzdata 2026a", "tzdata 2026b, tzdata position 2026c: 1"])
      await assert.rejects(importInto(target, await of(other)), /had other time-zone data than this one/);
    assert.equal(await countAll(target), 0);
    await importInto(target, await of("tzdata 2026b"));
    const fresh = await newMigratedDatabase(store);
    await importInto(fresh, await of("tzdata 2026a"));
    // A server that starts for the first time meanwhile waits with it: it would not see what is imported.
    const client = new pg.Client(fresh.connection);
    await client.connect();
    await client.query("begin; delete from facts where name like 'tzdata%'; commit; begin");
    await holdTzdataState(databaseOf(client, fresh.connection));
    for (const fact of TZDATA_FACTS)
      await assert.rejects(
        fresh.query(
          `set lock_timeout = '50ms';
           insert into facts values ('${fact} position', '') on conflict (name) do update set value = facts.value`,
        ),
        /lock timeout/,
      );
    await client.end();
  });

  test("while its deletion is not finished", async () => {
    const target = await newMigratedDatabase(store);
    await target.query(
      `insert into organization_deletions (id, asked_at, actor, delete_after, status, begun_at, rows)
       values ($1, now(), 'test', now(), 'active', now(), '{}')`,
      [ID],
    );
    const refused = () =>
      assert.rejects(importInto(target), /is being deleted here, and what is imported would be deleted/);
    await refused();
    assert.equal(await countAll(target), 0);
    await target.query("update organization_deletions set deleted_at = now()");
    await importInto(target);
    await target.query("update organization_deletions set deleted_at = null");
    await refused();
  });

  test("of which some is deleted already where it is exported", async () => {
    const target = await newMigratedDatabase(store);
    await importInto(target);
    await target.query(
      `insert into organization_deletions (id, asked_at, actor, delete_after, status)
       values ($1, now(), 'test', now(), 'active')`,
      [ID],
    );
    const path = join(folder, "half.organization");
    await exportTo(target, path);
    await target.query("update organization_deletions set begun_at = now()");
    await assert.rejects(exportTo(target, path), /is being deleted, and some of its rows are gone/);
  });

  test("when it is killed with -9 half-way, and then goes through", async () => {
    const target = await newMigratedDatabase(store);
    const holder = new pg.Client(target.connection);
    await holder.connect();
    const environment = { DATABASE_URL: target.url, KEY_SECRET: "a secret of sixteen letters" };
    // A row of the last table waits for this one, with all of the tables before it in the transaction.
    await holder.query(
      `begin; insert into idempotency_keys (organization_id, key, fingerprint, created_at) values ('${ID}', 'a', '', now())`,
    );
    let pid = 0;
    const started = (child: number) => {
      pid = child;
    };
    const killed = rollbook(["org", "import", "--complete", file], environment, { started });
    await until("the import waits", async () => {
      const [row] = await target.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'copy \"idempotency_keys\"%'",
      );
      return row;
    });
    process.kill(pid, "SIGKILL");
    assert.equal((await killed).code, null);
    await holder.end();
    await until("its transaction is gone", async () => {
      const [row] = await target.query(
        "select from pg_stat_activity where datname = current_database() and application_name = 'rollbook org import'",
      );
      return !row;
    });
    assert.equal(await countAll(target), 0);
    const { code, stderr } = await rollbook(["org", "import", "--complete", file], environment);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /takes that of the file: set KEY_SECRET/);
    assert.equal(await countAll(target), total(exported));
  });
});

describe("after a move between two servers", () => {
  test("keys, sign-ins, repeated requests and cursors go on, and a cursor of what was written since is gone", async () => {
    const [here, there] = [await newMigratedDatabase(store), await newMigratedDatabase(store)];
    const serverOn = async ({ connection }: OwnDatabase) => {
      const api = await openApi({ beside: { store } as TestApi, database: { connection } });
      after(() => api.close());
      return api;
    };
    const [a, b] = [await serverOn(here), await serverOn(there)];
    await b.newOrganization();
    const studio = await a.newOrganization();
    await addLocation(a.db, studio.id);
    const owner = await newStaff(a, studio.id);
    const headers = { authorization: `Bearer ${studio.key}` };
    const create = (at: TestApi, contactName: string, key?: string) =>
      at.call("POST", "/v1/clients", {
        body: { contactName },
        headers: { ...headers, ...(key && { "idempotency-key": key }) },
      });
    const feed = (at: TestApi, cursor?: string) =>
      at.call("GET", `/v1/changes?limit=1000${cursor ? `&after=${cursor}` : ""}`, { headers });
    const first = await create(a, "Ana", "once");
    const read = await feed(a);
    const { body: unread } = await create(a, "Bia");
    const path = join(folder, "moved.organization");
    await exportTo(here, path, studio.id);
    // Written on the old server after the export, and read there.
    await create(a, "Lost");
    const beyond = await feed(a, read.body.nextCursor);

    await importInto(there, path);
    assert.equal((await create(b, "Ana", "once")).text, first.text);
    const list = await b.call("GET", "/v1/clients", { headers });
    assert.deepEqual(
      list.body.data.map(({ contactName }: { contactName: string }) => contactName),
      ["Bia", "Ana"],
    );
    assert.equal((await owner.read("me", { through: b })).status, 200);
    const { body: made } = await create(b, "Caio");
    const next = await feed(b, read.body.nextCursor);
    assert.deepEqual(
      next.body.data.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`),
      [`client ${unread.id}`, `client ${made.id}`],
    );
    assert.equal((await feed(b, beyond.body.nextCursor)).status, 410);
    assert.equal((await feed(b, next.body.nextCursor)).status, 200);

    // Ids of webhook messages: a number that both servers have given tells of another change on each.
    const marksOf = (page: Answer) => {
      const numbers = page.body.data.map(({ sequence }: { sequence: number }) => sequence) as number[];
      return Promise.all(
        [a, b].map(({ db }) => Promise.all(numbers.map((number) => findMarkOf(db, studio.id, number)))),
      );
    };
    const [readThere, readHere] = await marksOf(read);
    assert.deepEqual(readHere, readThere);
    const [lost, caio] = await marksOf(beyond);
    assert.ok(lost?.every((mark) => !caio?.includes(mark)));
  });

  test("an organization that comes back to a server is not taken for what it was there before", async () => {
    const here = await newMigratedDatabase(store);
    const api = await openApi({ beside: { store } as TestApi, database: { connection: here.connection } });
    after(() => api.close());
    const studio = await api.newOrganization();
    const locationIds = [await addLocation(api.db, studio.id)];
    const create = (contactName: string) =>
      studio.call("POST", "/v1/clients", { body: { contactName, locationIds } });
    const list = (tag?: string | null) =>
      studio.call("GET", "/v1/clients", { headers: tag ? { "if-none-match": tag } : {} });
    await create("Zero");
    const path = join(folder, "back.organization");
    await exportTo(here, path, studio.id);
    await create("Before");
    const tag = (await list()).headers.get("etag");
    assert.equal((await list(tag)).status, 304);
    const connection = new pg.Client(here.connection);
    await connection.connect();
    await removeRows(connection, { id: newId(), organizationId: studio.id, url: "", target: "" });
    await connection.end();
    await importInto(here, path);
    await create("After");
    const answer = await list(tag);
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.get("etag"), tag);
    assert.deepEqual(
      answer.body.data.map(({ contactName }: { contactName: string }) => contactName),
      ["After", "Zero"],
    );
  });
});
