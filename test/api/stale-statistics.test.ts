import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { importRecords } from "../../src/data/bundle/import.ts";
import { refreshStatistics } from "../../src/data/bundle/statistics.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { openExplainer, type SentStatement } from "../support/explain.ts";
import { newId } from "../support/ids.ts";
import { writtenOut } from "../support/openapi-document.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";
import { openTestStore } from "../support/store.ts";
import { type StudioSize, studioIds, writeStudios } from "../support/studio-rows.ts";

/**
 * Until PostgreSQL has looked at its tables again, its statistics know nothing of what came last: an organization that was just
 * imported beside a larger one is taken for empty, and so are its locations. No plan that is made then may join all of one kind
 * with all of another.
 */

const store = await openTestStore();
after(() => store.close());
const { connection } = await newMigratedDatabase(store);

const sent = new Map<string, SentStatement>();

function recording(db: Database): Database {
  return {
    query: (statement, values = []) => {
      const text = statement.text.replace(/^\s*declare \w+ no scroll cursor for/, "");
      if (/^\s*(select|with)/.test(text)) {
        const one = { statement: { ...statement, text }, values };
        sent.set(`${text} ${JSON.stringify(values)}`, one);
      }
      return db.query(statement, values);
    },
    transaction: (work) => db.transaction((tx) => work(recording(tx))),
    snapshot: (work) => db.snapshot((tx) => work(recording(tx))),
    now: () => db.now(),
    clockOffsetMs: db.clockOffsetMs,
  };
}

const api = await startApi({ database: { connection }, disturb: recording });

const LARGER: StudioSize = {
  clients: 6_000,
  contracts: 3_000,
  sessions: 12_000,
  bookings: 12_000,
  schedules: 50,
};
const IMPORTED: StudioSize = {
  clients: 3_000,
  contracts: 1_500,
  sessions: 3_000,
  bookings: 3_000,
  schedules: 50,
};
/** A plan that reads every record for each of its sessions visits some millions. */
const MOST_ROWS = 60_000;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly enum?: readonly string[]; readonly format?: string };
}

interface Read {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** It waits on purpose. */
const LEFT_OUT = "waitForVersions";
/** Reads of a record that the organizations do not have. */
const WITHOUT_RECORDS = ["listWebhookAttempts"];

interface HuntedRead {
  readonly operationId: string;
  readonly path: string;
  readonly accept?: string;
}

/** Every read of a document: with what it must have, then with each of its filters and each two, then whole as a file. */
function readsOf(document: object, known: Readonly<Record<string, string>>): HuntedRead[] {
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, Read>>>> };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || get.operationId === LEFT_OUT) return [];
    const { operationId } = get;
    const [, kind = ""] = /\/([\w-]+)\/\{id\}/.exec(path) ?? [];
    const place = path.replace("{id}", known[kind] ?? "");
    const queries = (get.parameters ?? []).filter(({ in: where }) => where === "query");
    const valuesOf = ({ name, schema }: Parameter): readonly string[] => {
      const value =
        known[`${name} of ${operationId}`] ?? known[schema.format === "date-time" ? `${name} at` : name];
      return schema.enum ?? (value === undefined ? [] : [value]);
    };
    const needed = new URLSearchParams(
      queries
        .filter(({ required }) => required)
        .map((one): [string, string] => [one.name, valuesOf(one)[0] ?? ""]),
    );
    const filters = queries.filter(({ required }) => !required);
    const addresses = [
      needed,
      ...filters.flatMap((one) =>
        valuesOf(one).map((value) => new URLSearchParams([...needed, [one.name, value]])),
      ),
    ].map((query) => `${place}?${query}`);
    // Two of them at a time, by which both of what is joined look small.
    const pairs = filters.flatMap((one, index) =>
      filters.slice(index + 1).flatMap((other) => {
        const [value, otherValue] = [valuesOf(one)[0], valuesOf(other)[0]];
        if (value === undefined || otherValue === undefined) return [];
        const query = new URLSearchParams([...needed, [one.name, value], [other.name, otherValue]]);
        return [`${place}?${query}`];
      }),
    );
    const file = Object.keys(get.responses["200"]?.content ?? {}).find((type) => type.includes("csv"));
    return [
      ...[...addresses, ...pairs].map((address) => ({ operationId, path: address })),
      ...(file === undefined
        ? []
        : addresses.map((address) => ({ operationId, path: address, accept: file }))),
    ];
  });
}

/** How many rows the busiest node of a plan has looked at. */
function mostRows(plan: string): number {
  let [most, rows, loops] = [0, 0, 0];
  for (const line of plan.split("\n")) {
    const [, actualRows, actualLoops] = /actual .*rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
    const [, removed] = /Rows Removed by [\w ]+: (\d+)/.exec(line) ?? [];
    if (actualRows !== undefined) [rows, loops] = [Number(actualRows), Number(actualLoops)];
    if (removed !== undefined) rows += Number(removed);
    most = Math.max(most, rows * loops);
  }
  return most;
}

/** The statements of which some node looks at more rows than there are to look at. */
async function costlyOn(connection: ConnectionSettings): Promise<string[]> {
  const explainer = await openExplainer(connection);
  const costly: string[] = [];
  for (const one of sent.values()) {
    const { plan } = await explainer.explainStatement(one, 1);
    const rows = mostRows(plan);
    if (rows > MOST_ROWS) costly.push(`${one.statement.name || one.statement.text}: ${rows} rows\n${plan}`);
  }
  await explainer.close();
  return costly;
}

async function write(
  connection: ConnectionSettings,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  for (const { name } of tables) await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
  await work(client);
  await client.end();
}

const ORGANIZATION = { name: "S", timezone: "UTC", currency: "BRL", plan: "Pro" } as const;
const IMPORTED_NUMBER = 2;
const imported = { first: IMPORTED_NUMBER, last: IMPORTED_NUMBER };

test("an organization that was imported beside a larger one since the tables were looked at is read by no plan that joins all with all", async () => {
  await write(connection, async (client) => {
    await writeStudios(client, { first: 1, last: 1 }, LARGER);
    await client.query("analyze");
    await writeStudios(client, imported, IMPORTED);
  });
  const { organizationId, ...ids } = studioIds(IMPORTED_NUMBER);
  const { key, id: keyId } = await mintKey(api.db, api.keySecret, "test", { organizationId });
  const staff = await newStaff(api, organizationId);
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const day = (days: number) => at(days).slice(0, 10);
  const known = {
    ...ids,
    ...{ serviceTypeId: ids.typeId, resourceId: "teacher-1", actor: `staff:${ids.clientId}` },
    ...{ clients: ids.clientId, contracts: ids.contractId, schedules: ids.scheduleId, keys: keyId },
    ...{
      plans: ids.planId,
      "service-types": ids.typeId,
      query: "ana silva",
      include: "names",
      offset: "1200",
    },
    ...{ from: day(-140), to: day(1), until: day(1), "from at": at(-14), "to at": at(14) },
    ...{ "from of getClassesGiven": day(-20) },
    ...{ "updatedSince at": at(-1), start: "2026-01-05T06:00", rrule: "FREQ=WEEKLY" },
  };
  const statuses = new Map<string, number[]>();
  for (const [document, headers] of [
    ["/openapi.json", { authorization: `Bearer ${key}` }],
    ["/app/openapi.json", { cookie: staff.cookie }],
  ] as const) {
    const { body } = await api.call("GET", document);
    for (const { operationId, path, accept } of readsOf(writtenOut(body), known)) {
      const { status } = await api.call("GET", path, {
        headers: { ...headers, ...(accept !== undefined && { accept }) },
      });
      statuses.set(operationId, [...(statuses.get(operationId) ?? []), status]);
    }
  }
  const unread = [...statuses].filter(([, all]) => !all.includes(200)).map(([operationId]) => operationId);
  assert.deepEqual(unread, WITHOUT_RECORDS);
  assert.ok([...statuses.values()].flat().every((status) => status < 500));
  assert.ok(sent.size > 200, `only ${sent.size} statements were sent`);
  assert.deepEqual(await costlyOn(connection), []);
});

test("nor is the first one of a server, once its import has returned", async () => {
  const { connection } = await newMigratedDatabase(store);
  const db = openDatabase({ connection, applicationName: "rollbook test" });
  await write(connection, (client) => writeStudios(client, imported, IMPORTED));
  const created = { replaced: 0, unchanged: 0 };
  const { clients, contracts, sessions, bookings } = IMPORTED;
  await refreshStatistics(db, {
    client: { ...created, created: clients },
    session: { ...created, created: sessions },
    contract: { ...created, created: contracts },
    booking: { ...created, created: bookings },
    invoice: { ...created, created: contracts },
  });
  await db.close();
  assert.deepEqual(await costlyOn(connection), []);
});

test("an import has PostgreSQL look at a table of which it has made most, and at no other", async () => {
  const { connection, query } = await newMigratedDatabase(store);
  const db = openDatabase({ connection, applicationName: "rollbook test" });
  await write(connection, async () => {});
  const { id: organizationId } = await createOrganization(db, "test", ORGANIZATION);
  await addLocation(db, organizationId);
  const lines = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ kind: "client", id: newId(), contactName: `Ana ${n}` }));
  const known = async () => {
    const rows = await query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples > 0
         and relname like 'client%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  await importRecords(db, lines(499), { organizationId, actor: "test" });
  assert.deepEqual(await known(), []);
  await importRecords(db, lines(600), { organizationId, actor: "test", dryRun: true });
  assert.deepEqual(await known(), []);
  await importRecords(db, lines(600), { organizationId, actor: "test" });
  assert.deepEqual(await known(), ["client_locations", "clients"]);
  await db.close();
});
