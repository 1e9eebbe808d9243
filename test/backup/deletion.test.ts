import assert from "node:assert/strict";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { pino } from "pino";
import { writeWholeFile } from "../../src/data/backup/file.ts";
import { importOrganization } from "../../src/data/backup/import-organization.ts";
import { ORGANIZATION_TABLES, STAYING_TABLES } from "../../src/data/backup/organization-tables.ts";
import { checkBackup } from "../../src/data/backup/read.ts";
import { writeBackup } from "../../src/data/backup/write.ts";
import { latestVersion } from "../../src/db/migrate.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { addKeyUsage } from "../../src/domain/keys/queries.ts";
import { insertRequests } from "../../src/domain/keys/request-rows.ts";
import { listDeletions, type OrganizationDeletion } from "../../src/domain/organizations/deletion-queries.ts";
import { deleteOrganization, keepOrganization } from "../../src/domain/organizations/deletions.ts";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { Sweep } from "../../src/process/sweep.ts";
import { openApi, PUBLIC_URL, type TestApi } from "../support/api.ts";
import { newMigratedDatabase, type OwnDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { CHEAP, newStaff } from "../support/staff.ts";
import { openTestStore } from "../support/store.ts";
import { addRecords } from "./records.ts";
import { newFolder } from "./support.ts";

const store = await openTestStore();
after(() => store.close());
const latest = await latestVersion();
/** They have rows in every table, and records with the same ids. */
const [ID, NEIGHBOUR] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
const TABLES = [
  ...ORGANIZATION_TABLES,
  ...Object.keys(STAYING_TABLES).map((name) => ({ name, column: "organization_id" })),
];

/** How many rows an organization has, by table. */
async function countRows({ query }: OwnDatabase, id: string): Promise<Record<string, number>> {
  const [row] = await query<Record<string, string>>(
    `select ${TABLES.map(({ name, column }) => `(select count(*) from ${name} where ${column} = $1) as ${name}`)}`,
    [id],
  );
  return Object.fromEntries(
    Object.entries(row ?? {}).flatMap(([name, count]) => (count === "0" ? [] : [[name, Number(count)]])),
  );
}

async function twoOrganizations() {
  const own = await newMigratedDatabase(store);
  await addRecords(own, latest);
  await own.query("update organizations set name = 'Studio'");
  // What is swept by its own age is not of these tests, and notes go with each part, without a count.
  await own.query("update sign_ins set seen_at = now()");
  await own.query("update imported_clients set written_at = now()");
  await own.query("delete from change_log");
  const db = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 4 });
  after(() => db.close());
  const find = async (): Promise<OrganizationDeletion | undefined> =>
    (await listDeletions(db)).find(({ id }) => id === ID);
  const sweep = (rowsAtOnce: number) =>
    new Sweep({ db, logger: pino({ level: "silent" }), onSwept: () => {}, everyMs: 1, rowsAtOnce });
  return { own, db, find, sweep };
}

test("an organization is deleted to its last row after its grace, by several processes and through cut connections; the evidence counts each row once, and its neighbour keeps all", async () => {
  const { own, db, find, sweep } = await twoOrganizations();
  const beside = await countRows(own, NEIGHBOUR);
  await deleteOrganization(db, "operator:ana", ID, { name: "Studio", days: 0 });
  const { change_log: _, ...before } = await countRows(own, ID);
  assert.ok(Object.keys(before).length > 40);
  const sweeps = [sweep(3), sweep(3), sweep(3)];
  let cuts = 0;
  await until("it is deleted", async () => {
    const known = await find();
    // What a kill does to the transactions of a server.
    if (cuts < 10 && !known?.deletedAt) {
      cuts++;
      await own.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'rollbook test'",
      );
    }
    return known?.deletedAt;
  });
  await Promise.all(sweeps.map((one) => one.stop()));
  assert.ok(cuts > 1, "it was cut while it was at work");
  assert.deepEqual(await countRows(own, ID), {});
  assert.deepEqual(await countRows(own, NEIGHBOUR), beside);
  const evidence = await find();
  assert.deepEqual(sorted(evidence?.rows ?? {}), sorted(before));
  assert.equal(evidence?.actor, "operator:ana");
  assert.deepEqual(await own.query("select from key_rates"), []);
});

function sorted(rows: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test("one is deleted in parts, and cannot be kept any more once a part is gone", async () => {
  const { own, db, find, sweep } = await twoOrganizations();
  await deleteOrganization(db, "operator:ana", ID, { name: "Studio", days: 0 });
  const { change_log: _, ...counted } = await countRows(own, ID);
  const before = Object.values(counted).reduce((sum, count) => sum + count, 0);
  // Fails the part that comes to the clients, as often as it is tried.
  await own.query(
    `create function cut() returns trigger language plpgsql as $$ begin raise exception 'cut'; end $$;
     create trigger cut before delete on clients for each row when (old.organization_id = '${ID}') execute function cut()`,
  );
  await deleteOrganization(db, "operator:ana", NEIGHBOUR, { name: "Studio", days: 0 });
  const first = sweep(1_000);
  const small = sweep(5);
  await until("it has begun", async () => Object.keys((await find())?.rows ?? {}).length > 0);
  await until(
    "the other one is deleted",
    async () => Object.keys(await countRows(own, NEIGHBOUR)).length === 0,
  );
  await Promise.all([first.stop(), small.stop()]);
  const half = await find();
  assert.ok(half?.begunAt && !half.deletedAt);
  assert.ok(Object.values(half.rows).reduce((sum, count) => sum + count, 0) < before);
  await assert.rejects(keepOrganization(db, "operator:ana", ID), /Its deletion has begun/);
  await own.query("drop trigger cut on clients");
  const last = sweep(5);
  await until("it is deleted", async () => (await find())?.deletedAt);
  await last.stop();
  assert.equal(
    Object.values((await find())?.rows ?? {}).reduce((sum, count) => sum + count, 0),
    before,
  );
});

test("within its grace nothing is deleted, nobody comes in, and one that is kept is as it was before", async () => {
  const own = await newMigratedDatabase(store);
  const passwords = new Passwords(CHEAP);
  const api = await openApi({
    beside: { store } as TestApi,
    database: { connection: own.connection },
    passwords,
  });
  after(() => api.close());
  const studio = await api.newOrganization({ name: "Studio Sol" });
  await addLocation(api.db, studio.id);
  const password = await passwords.hash("correct horse battery", Buffer.alloc(16, 1));
  const owner = await newStaff(api, studio.id, { password });
  await own.query(
    `insert into webhook_endpoints (organization_id, id, url, name, flood, sends_record, secrets, state, position, created_at)
     values ($1, gen_random_uuid(), 'https://example.com', 'x', 10, false, '[]', 'active', 0, now())`,
    [studio.id],
  );
  const signIn = () =>
    api.call("POST", "/app/v1/signIn", {
      body: { email: owner.email, password: "correct horse battery" },
      headers: { origin: PUBLIC_URL },
    });
  const held = async () =>
    (await own.query<{ held: boolean }>("select held_since is not null as held from webhook_endpoints"))[0]
      ?.held;
  const remove = (name: string) => deleteOrganization(api.db, "operator:ana", studio.id, { name, days: 30 });
  const before = await countRows(own, studio.id);
  await assert.rejects(remove("Studio Sun"), /is called "Studio Sol"/);
  assert.equal((await studio.get("/v1/clients")).status, 200);

  await remove("Studio Sol");
  await assert.rejects(remove("Studio Sol"), /already/);
  const sweep = new Sweep({ db: api.db, logger: pino({ level: "silent" }), onSwept: () => {}, everyMs: 1 });
  assert.equal((await studio.get("/v1/clients")).status, 403);
  assert.equal((await owner.read("me")).status, 403);
  assert.equal((await signIn()).status, 403);
  assert.equal(await held(), true);
  await assert.rejects(
    changeOrganization(api.db, "operator:ana", studio.id, { status: "active" }),
    /rollbook org restore/,
  );
  await sweep.stop();
  const { audit = 0, ...kept } = await countRows(own, studio.id);
  assert.ok(audit > (before.audit ?? 0));
  for (const name of ["clients", "locations", "staff", "keys"]) assert.equal(kept[name], before[name], name);

  assert.equal((await keepOrganization(api.db, "operator:ana", studio.id)).status, "active");
  await assert.rejects(keepOrganization(api.db, "operator:ana", studio.id), /is not to be deleted/);
  assert.equal((await studio.get("/v1/clients")).status, 200);
  assert.equal((await signIn()).status, 200);
  assert.equal(await held(), false);
  assert.deepEqual(await listDeletions(api.db), []);
});

test("what a server still counts of a deleted one is left out, and what others are counted is not lost with it", async () => {
  const { own, db, find, sweep } = await twoOrganizations();
  const keyOf = async (id: string) =>
    (await own.query<{ id: string }>("select id from keys where organization_id = $1 limit 1", [id]))[0]
      ?.id ?? "";
  const used = await Promise.all(
    [ID, NEIGHBOUR].map(async (organizationId) => ({
      organizationId,
      keyId: await keyOf(organizationId),
      day: "2026-11-19",
      requests: 5,
      refused: 5,
    })),
  );
  await deleteOrganization(db, "operator:ana", ID, { name: "Studio", days: 0 });
  const sweeping = sweep(1_000);
  await until("it is deleted", async () => (await find())?.deletedAt);
  await sweeping.stop();
  await addKeyUsage(db, used);
  await insertRequests(
    db,
    used.map(({ organizationId, keyId }) => ({
      organizationId,
      keyId,
      failed: true,
      id: newId(),
      kept: 0,
      leftOut: 5,
      entries: [],
    })),
    await db.now(),
  );
  assert.deepEqual(await countRows(own, ID), {});
  assert.deepEqual(
    await own.query("select requests::int from key_usage where organization_id = $1 and day = '2026-11-19'", [
      NEIGHBOUR,
    ]),
    [{ requests: 5 }],
  );
  // As one is that was under way while the last part went.
  await own.query(
    "insert into idempotency_keys (organization_id, key, fingerprint, created_at) values ($1, 'late', '', now())",
    [ID],
  );
  const source = await twoOrganizations();
  const path = join(await newFolder(), "one.organization");
  await writeWholeFile(path, (destination) =>
    writeBackup(source.own.connection, destination, { programVersion: "1.2.3", organization: { id: ID } }),
  );
  const file = await open(path, "r");
  const { rows } = await importOrganization(own.connection, await checkBackup(file), { actor: "test" });
  await file.close();
  assert.equal((await countRows(own, ID)).idempotency_keys, rows.idempotency_keys || undefined);
});

test("an import brings a deleted one back, and no answer of before is taken for one of now", async () => {
  const own = await newMigratedDatabase(store);
  const api = await openApi({ beside: { store } as TestApi, database: { connection: own.connection } });
  after(() => api.close());
  const studio = await api.newOrganization({ name: "Studio" });
  await addLocation(api.db, studio.id);
  const create = (contactName: string) => studio.call("POST", "/v1/clients", { body: { contactName } });
  await create("Ana");
  const path = join(await newFolder(), "studio.organization");
  const options = { programVersion: "1.2.3", organization: { id: studio.id } };
  await writeWholeFile(path, (destination) => writeBackup(own.connection, destination, options));
  await create("Bia");
  const tag = (await studio.get("/v1/clients")).headers.get("etag") ?? "";
  await deleteOrganization(api.db, "operator:ana", studio.id, { name: "Studio", days: 0 });
  const sweep = new Sweep({ db: api.db, logger: pino({ level: "silent" }), onSwept: () => {}, everyMs: 1 });
  await until("it is deleted", async () => (await listDeletions(api.db))[0]?.deletedAt);
  await sweep.stop();
  assert.equal((await studio.get("/v1/clients")).status, 401);

  const file = await open(path, "r");
  await importOrganization(own.connection, await checkBackup(file), { actor: "test" });
  await file.close();
  // As many writes as there were before, with other data.
  await create("Caio");
  const answer = await studio.call("GET", "/v1/clients", { headers: { "if-none-match": tag } });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    answer.body.data.map(({ contactName }: { contactName: string }) => contactName),
    ["Caio", "Ana"],
  );
  assert.ok((await listDeletions(api.db))[0]?.deletedAt, "the evidence stays");
});
