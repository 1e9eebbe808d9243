import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { after, test } from "node:test";
import pg from "pg";
import { writeBackup } from "../../src/data/backup/write.ts";
import { listMigrations, migrate } from "../../src/db/migrate.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { openStore } from "../../src/process/store.ts";
import { newDatabase } from "../support/databases.ts";
import { until } from "../support/poll.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());
const migrations = await listMigrations();
const latest = migrations.length;

test("migrations are numbered from 1 without a gap", () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 1),
  );
});

test("an empty database gets all migrations, an up-to-date one none", async (t) => {
  const place = await newSchema(t);
  assert.equal((await migrate(place.connection)).length, latest);
  assert.deepEqual(await migrate(place.connection), []);
  assert.equal(await place.version(), latest);
});

test("of several processes that migrate at once, each migration is applied by exactly one", async (t) => {
  const place = await newSchema(t);
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(place.connection)));
  assert.deepEqual(
    applied
      .flat()
      .map(({ version }) => version)
      .sort((a, b) => a - b),
    migrations.map(({ version }) => version),
  );
  assert.equal(await place.version(), latest);
});

test("a node that starts while another one makes the database takes the secret for right at every version", async () => {
  const own = await newDatabase(store);
  for (let version = 0; version <= latest; version++) {
    await migrate(own.connection, { upTo: version });
    const place = { dataDir: "unused", databaseUrl: own.url, keySecret: "the same secret on every node" };
    const node = await openStore(place);
    try {
      await node.checkKeySecret();
    } finally {
      await node.close();
    }
  }
});

test(`an upgrade from each earlier version keeps what is stored`, async (t) => {
  const earlier = Array.from({ length: latest - 1 }, (_, index) => index + 1);
  for (const from of earlier) {
    const place = await newSchema(t);
    await migrate(place.connection, { upTo: from });
    assert.equal(await place.version(), from);
    const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
    await place.query(
      `insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro')`,
    );
    await place.query(`insert into keys (id, organization_id, hash) values ('${id}', '${id}', sha256('a'))`);
    assert.equal((await migrate(place.connection)).length, latest - from);
    const [row] = await place.query(
      `select o.name, encode(k.hash, 'hex') as hash from organizations o join keys k on k.organization_id = o.id`,
    );
    assert.equal(row?.name, "Studio");
    assert.match(row?.hash ?? "", /^ca978112ca1bbdcafac231b39a23dc4d/);
  }
});

test("a migration that is cut off leaves the version before, and the next start goes on from there", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection, { upTo: 1 });
  // Holds what the next migration needs, so that it is under way when its connection is ended.
  const blocker = await place.connect();
  await blocker.query("begin; lock table organizations in access exclusive mode");
  const cutOff = assert.rejects(migrate(place.connection), { kind: "unavailable" });
  // On a connection without a transaction: within one, the list of connections is read only once.
  const watcher = await place.connect();
  await until("the migration waits for the lock", async () => {
    const { rows } = await watcher.query(
      `select pg_terminate_backend(a.pid) from pg_stat_activity a join pg_locks l on l.pid = a.pid
       where a.application_name = 'rollbook migrate' and not l.granted
         and l.relation = '${place.schema}.organizations'::regclass`,
    );
    return rows.length > 0;
  });
  await watcher.end();
  await cutOff;
  await blocker.query("rollback");
  await blocker.end();
  assert.equal(await place.version(), 1);
  const [row] = await place.query(`select to_regclass('${place.schema}.locations') as locations`);
  assert.equal(row?.locations, null);
  assert.equal((await migrate(place.connection)).length, latest - 1);
});

test("no resource is missed that was named before its table was there, while it is made, or by an older program", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection, { upTo: 5 });
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  const name = (scheduleId: string, ...resources: string[]) => `
    insert into schedules (organization_id, id, service_type_id, location_id, resource_ids, start, duration_minutes,
      capacity, first_slot)
    values ('${id}', '${scheduleId}', '${id}', '${id}', '{${resources.join(",")}}', '2026-01-05 07:00', 60, 9,
      '2026-01-05 07:00')`;
  await place.query(`
    insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro');
    insert into locations (organization_id, id, name, status, timezone) values ('${id}', '${id}', 'A', 'active', 'UTC');
    insert into service_types (organization_id, id, name, holds_resource, status, search)
      values ('${id}', '${id}', 'Class', false, 'active', 'class');
    ${name("00000000-0000-7000-8000-000000000001", "before", "twice")};
    ${name("00000000-0000-7000-8000-000000000002", "twice")}`);
  // A program of the release before is in the midst of a transaction when the migration comes.
  const older = await place.connect();
  await older.query(`begin; ${name("00000000-0000-7000-8000-000000000003", "meanwhile")}`);
  const migrated = migrate(place.connection);
  const watcher = await place.connect();
  await until("the migration waits for the older program", async () => {
    const { rows } = await watcher.query(
      `select from pg_locks where not granted and relation = '${place.schema}.schedules'::regclass`,
    );
    return rows.length > 0;
  });
  await watcher.end();
  await older.query("commit");
  await migrated;
  await older.query(name("00000000-0000-7000-8000-000000000004", "after", "before"));
  await older.query(
    `update schedules set resource_ids = '{changed}' where id = '00000000-0000-7000-8000-000000000004'`,
  );
  await older.end();
  const rows = await place.query("select id, name, kind, status from resources order by id");
  assert.deepEqual(
    rows,
    ["after", "before", "changed", "meanwhile", "twice"].map((resource) => ({
      id: resource,
      name: resource,
      kind: "person",
      status: "active",
    })),
  );
});

test("a program that knows nothing of bookings takes no seat from anybody, and leaves no claim and no day behind", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection);
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  const own = `'${id}', '${id}'`;
  await place.query(`
    insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro');
    insert into locations (organization_id, id, name, status, timezone) values (${own}, 'A', 'active', 'UTC');
    insert into service_types (organization_id, id, name, holds_resource, status, search)
      values (${own}, 'Physio', true, 'active', 'physio');
    insert into clients (organization_id, id, status, contact_name, search) values (${own}, 'active', 'Ana', 'ana');
    insert into sessions (organization_id, id, service_type_id, location_id, resource_ids, start, start_at,
      duration_minutes, capacity, booked_count, status)
    values (${own}, '${id}', '${id}', '{carla}', '2026-11-16 10:00', '2026-11-16 10:00Z', 50, 9, 3, 'scheduled');
    insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at)
    values (${own}, '${id}', '${id}', '2026-11-16', 'booked', 'courtesy', now());
    insert into resource_claims (organization_id, session_id, resource_id, during)
    values (${own}, 'carla', '[2026-11-16 10:00Z,2026-11-16 10:50Z)')`);
  // As an import of the release before writes sessions.
  const write = (set: string) => place.query(`update sessions set ${set}`);
  const stored = async () => {
    const [row] = await place.query(`
      select s.booked_count || ' ' || b.visit_date || ' ' || (select count(*) from resource_claims) as it
      from sessions s, bookings b`);
    return row?.it;
  };
  await write("booked_count = 2");
  assert.equal(await stored(), "2 2026-11-16 1");
  await write("booked_count = 0, start = '2026-11-17 00:30'");
  assert.equal(await stored(), "1 2026-11-17 1");
  await assert.rejects(
    write("booked_count = 0, status = 'cancelled'"),
    /has 1 bookings and cannot be cancelled/,
  );
  await place.query("update bookings set state = 'cancelled', ended_at = now()");
  await write("booked_count = 0");
  assert.equal(await stored(), "0 2026-11-17 0");
});

test("a write of the release before and the counting of audit entries do not wait for each other", async (t) => {
  for (const table of ["organizations", "staff", "bookings"]) {
    const place = await newSchema(t);
    await migrate(place.connection, { upTo: 9 });
    const older = await place.connect();
    const watcher = await place.connect();
    try {
      // No row, but the lock on the table that a write takes.
      await older.query(`begin; delete from ${table}`);
      const migrated = migrate(place.connection, { upTo: 10 });
      await until("the migration waits for the older program", async () => {
        const { rows } = await watcher.query(
          `select from pg_locks where not granted and relation = '${place.schema}.${table}'::regclass`,
        );
        return rows.length > 0;
      });
      // Every write ends with its audit entry.
      await older.query(`
        insert into audit (id, actor, action, details)
        values ('019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31', 'operator:test', 'import', '{}');
        commit`);
      await migrated;
      assert.equal(await place.version(), 10, table);
    } finally {
      await Promise.all([older.end(), watcher.end()]);
    }
  }
});

test("a migration that waits for a reader lets everybody else pass, says who is in the way, and goes on by itself", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection, { upTo: 6 });
  const [reader, other] = await Promise.all([place.connect(), place.connect()]);
  try {
    await reader.query("begin; select from organizations");
    const said: string[] = [];
    const migrated = migrate(place.connection, { log: (sentence) => said.push(sentence) });
    let longestMs = 0;
    await until("it has tried twice", async () => {
      const begunAt = performance.now();
      await other.query("select count(*) from organizations");
      longestMs = Math.max(longestMs, performance.now() - begunAt);
      return said.length >= 2;
    });
    // The reader never ends meanwhile: whoever came behind a waiting migration would wait for as long.
    assert.ok(longestMs < 2_000, `${Math.round(longestMs)} ms`);
    assert.match(said[0] ?? "", /^A migration waits for a table that is in use; trying again\. The oldest/);
    await reader.query("commit");
    const applied = await migrated;
    assert.deepEqual(
      applied.map(({ version }) => version),
      migrations.slice(6).map(({ version }) => version),
    );
    assert.match(said.at(-1) ?? "", new RegExp(`to schema version ${latest} \\(.*\\) in [0-9.]+ s\\.$`));
  } finally {
    await Promise.all([reader.end(), other.end()]);
  }
});

test("a backup under way and an upgrade do not wait for each other, and the backup is of the schema before", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection, { upTo: 6 });
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  await place.query(`
    insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro');
    insert into clients (organization_id, id, status, contact_name, notes, search)
    select '${id}', gen_random_uuid(), 'active', 'Ana',
      (select string_agg(md5(i || '.' || j), '') from generate_series(1, 100) j), 'ana'
    from generate_series(1, 2000) i`);
  // Takes nothing once the first rows have come, so that the backup stands in the middle of its largest table.
  const written: Buffer[] = [];
  let goOn = () => {};
  const stalled = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let bytes = 0;
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      bytes += chunk.length;
      if (bytes > 100_000) stalled.then(() => done());
      else done();
    },
  });
  const backup = writeBackup(place.connection, destination, { programVersion: "0.0.0" });
  await until("the backup is in the midst of it", async () => bytes > 100_000);
  assert.equal((await migrate(place.connection)).length, latest - 6);
  goOn();
  const { header, rows } = await backup;
  assert.deepEqual([header.schemaVersion, rows.organizations, rows.clients], [6, 1, 2000]);
});

test("a backup that finds a table that was recreated since its snapshot fails instead of leaving its rows out", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection);
  const id = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";
  await place.query(
    `insert into organizations (id, name, timezone, currency, tier) values ('${id}', 'Studio', 'UTC', 'BRL', 'Pro');
     insert into locations (organization_id, id, name, status, timezone) values ('${id}', '${id}', 'A', 'active', 'UTC')`,
  );
  // The backup waits for the table until it has been recreated.
  const migrating = await place.connect();
  await migrating.query("begin; lock table locations in access exclusive mode");
  const backup = assert.rejects(
    writeBackup(place.connection, new PassThrough().resume(), { programVersion: "0.0.0" }),
    /The schema was changed just now\. Run the backup again\./,
  );
  const watcher = await place.connect();
  await until("the backup waits", async () => {
    const { rows } = await watcher.query(
      `select from pg_locks where not granted and relation = '${place.schema}.locations'::regclass`,
    );
    return rows.length > 0;
  });
  await migrating.query("alter table locations add made_anew float default random(); commit");
  await backup;
  await Promise.all([migrating.end(), watcher.end()]);
});

test("a database newer than the program is left alone", async (t) => {
  const place = await newSchema(t);
  await migrate(place.connection);
  await place.query("insert into schema_migrations (version, name) values (9999, 'future')");
  await assert.rejects(
    migrate(place.connection),
    /schema version 9999, but this program knows versions up to/,
  );
});

interface Place {
  readonly schema: string;
  readonly connection: ConnectionSettings;
  connect(): Promise<pg.Client>;
  query(text: string): Promise<Record<string, string>[]>;
  version(): Promise<number>;
}

let made = 0;

/** A schema of its own stands for a database of its own: nothing of Rollbook names one. */
async function newSchema(t: { after(work: () => Promise<void>): void }): Promise<Place> {
  const schema = `migrate_${process.pid}_${++made}`;
  const connection = { ...store.connection, options: `-c search_path=${schema},public` };
  const connect = async () => {
    const client = new pg.Client(connection);
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const query = async (text: string) => {
    const client = await connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await query(`create schema ${schema}`);
  t.after(async () => void (await query(`drop schema ${schema} cascade`)));
  return {
    schema,
    connection,
    connect,
    query,
    version: async () =>
      Number((await query("select max(version) as version from schema_migrations"))[0]?.version),
  };
}
