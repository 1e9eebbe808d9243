import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Actor } from "../../src/core/actor.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { pooled, read } from "../../src/db/statements.ts";
import * as contracts from "../../src/domain/contracts/operations.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import * as money from "../../src/domain/money/operations.ts";
import { createOrganization } from "../../src/domain/organizations/operations.ts";
import { eraseClient } from "../../src/domain/privacy/operations.ts";
import { openStore } from "../../src/process/store.ts";
import { exportText } from "../bundle/support.ts";
import { addServiceType, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { later, newDirectory, serve } from "../support/processes.ts";
import { addLocation, addPlan } from "../support/records.ts";
import { freePort } from "../support/target.ts";
import { runIn } from "../support/terminal.ts";

const OWNER: Actor = { name: "staff:owner", role: "owner", locationIds: undefined };
const ZONE = "America/Sao_Paulo";

const PERSON = {
  contactName: "Zenaide Quaresma",
  contactEmail: "zequaresma@example.com",
  contactPhone: "+55 11 90873-6519",
  birthdate: "1947-03-29",
  address: {
    line1: "Travessa Pirilampo 7",
    line2: "Fundos Jacarandá",
    city: "Xapuri",
    state: "Acre-X",
    postalCode: "69930-417",
    country: "Brasilândia",
  },
  idDocument: { type: "cpf", value: "529.982.247-25" },
  notes: "Alergia a alfazema",
};

/** By any of these the person would be known, in whatever case and form. */
const TRACES = [
  "zenaide",
  "quaresma",
  "90873",
  "908736519",
  "1947-03-29",
  "pirilampo",
  "jacarand",
  "xapuri",
  "acre-x",
  "69930",
  "brasil[aâ]ndia",
  "529.?982.?247",
  "alfazema",
].map((pattern) => new RegExp(pattern, "i"));

/** Which traces a text has. */
function tracesIn(text: string): string[] {
  return TRACES.filter((trace) => trace.test(text)).map(({ source }) => source);
}

const columnsStatement = read(
  "test_every_column",
  `select c.relname::text as table, a.attname::text as column, t.typname::text as type
   from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   join pg_type t on t.oid = a.atttypid
   where c.relkind in ('r', 'p', 'm') and c.relnamespace = current_schema()::regnamespace`,
);

/** The columns of the database in which the person is found, each with its traces. */
async function tracesInDatabase(
  db: OpenDatabase,
  hashes: readonly string[] = [],
): Promise<Map<string, string[]>> {
  const columns = await db.query<{ table: string; column: string; type: string }>(columnsStatement);
  assert.ok(columns.length > 200, "the catalog was read");
  const found = new Map<string, string[]>();
  for (const { table, column, type } of columns) {
    // Bytes as the text that they may be, and as the digits of a hash.
    const text =
      type === "bytea"
        ? `encode("${column}", 'escape') || ' ' || encode("${column}", 'hex')`
        : `"${column}"::text`;
    const statement = pooled("", `select string_agg(${text}, ' ') as text from "${table}"`);
    const [row] = await db.query<{ text?: string }>(statement);
    const stored = row?.text ?? "";
    const traces = [...tracesIn(stored), ...hashes.filter((hash) => stored.includes(hash))];
    if (traces.length > 0) found.set(`${table}.${column}`, traces);
  }
  return found;
}

const statisticsStatement = pooled(
  "test_statistics",
  `select string_agg(concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text), ' ') as text
   from pg_stats where schemaname = current_schema()`,
);

/** Files that the program writes; those of PostgreSQL's own tables are not ours to read. */
async function ownFiles(dataDir: string): Promise<Map<string, string>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(dataDir, path).startsWith("postgres/"));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, "latin1")] as const)),
  );
}

test("an erased person is in no table, file, log, metric, export or new backup, where there were traces before", async (t) => {
  const [dataDir, folder] = [await newDirectory(t), await newDirectory(t)];
  const ADMIN_PORT = await freePort();
  const environment = {
    DATA_DIR: dataDir,
    ADMIN_PORT,
    LOG_LEVEL: "debug",
    LOG_REQUESTS: "all",
    RATE_LIMIT: "0",
  };
  const server = await serve(t, environment);
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  later(t, () => store.close());
  const db = store.open({ applicationName: "rollbook program" });
  const keySecret = await store.keySecret();
  const details = { name: "Estúdio", timezone: ZONE, currency: "BRL", plan: "Pro" } as const;
  const { id: organizationId } = await createOrganization(db, "test", details);
  const { key } = await mintKey(db, keySecret, "test", { organizationId });
  const locationId = await addLocation(db, organizationId);

  let keys = 0;
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json", "idempotency-key": `key-${++keys}` }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const answersOf = async (clientId: string) =>
    (
      await Promise.all(
        [
          `/v1/clients/${clientId}`,
          "/v1/clients",
          "/v1/clients?query=zenaide",
          "/v1/clients?query=52998224725",
          `/v1/contracts?clientId=${clientId}`,
        ].map((path) => call("GET", path)),
      )
    )
      .map(({ text }) => text)
      .join("\n");

  // The person signs up, is edited, patched, refused, searched for, sold to, blocked, booked, imported.
  const created = await call("POST", "/v1/clients", PERSON);
  const clientId = JSON.parse(created.text).id as string;
  const statuses = [created.status];
  for (const [method, body] of [
    ["PUT", { ...PERSON, notes: `${PERSON.notes}, again` }],
    ["PATCH", { contactPhone: PERSON.contactPhone, notes: PERSON.notes }],
    ["PUT", { ...PERSON, birthdate: "Zenaide" }],
  ] as const)
    statuses.push((await call(method, `/v1/clients/${clientId}`, body)).status);
  statuses.push((await call("POST", "/v1/clients", PERSON)).status);
  assert.deepEqual(statuses, [201, 200, 200, 422, 409]);
  const by = { db, actor: OWNER, organizationId };
  const planId = await addPlan(db, organizationId, { entitlements: [{ type: "access" }], terms: "Be kind." });
  const { result: contract } = await contracts.sellContract(by, { clientId, planId });
  const reason = "Zenaide Quaresma owes for May";
  await contracts.blockAccess(by, { contractId: contract.id, reason });
  await contracts.pauseContract(by, { contractId: contract.id, firstDay: contract.startDate, reason });
  await contracts.cancelContract(by, { contractId: contract.id, now: true, reason });
  await money.addInvoice(by, { clientId, description: "Towel of Zenaide", amountCents: 600 });
  const note = "For Zenaide Quaresma";
  await money.recordPayment(by, { clientId, amountCents: 900, method: "cash", note });
  const serviceTypeId = await addServiceType(db, organizationId);
  const at = { locationId, serviceTypeId, timezone: ZONE, start: "2026-01-05T07:00" };
  const sessionId = await addSession(db, organizationId, at);
  await db.query(
    pooled(
      "test_leave_traces",
      `with booked as (
         insert into bookings (organization_id, id, session_id, client_id, visit_date, state, uncovered_reason, booked_at)
         values ($1, $2, $3, $4, '2026-01-05', 'no_show', $5, now())
       ), waited as (
         insert into waiting (organization_id, id, session_id, client_id, joined_at) values ($1, $2, $3, $4, now())
       ), hashed as (
         update audit set request_hash = sha256('Zenaide Quaresma owes') where reason is not null
       )
       insert into audit (id, organization_id, actor, action, session_id, reason, details, at)
       values ($2, $1, 'staff:x', 'cancelSession', $3, 'Zenaide is ill', '{}', now())`,
    ),
    [organizationId, newId(), sessionId, clientId, reason],
  );
  const sheet = join(folder, "sheet.csv");
  const rejected = join(folder, "rejected.csv");
  await writeFile(
    sheet,
    `Nome,CPF,Observações\n${PERSON.contactName},${PERSON.idDocument.value},alfazema\nZenaide Quaresma,1,errada\n`,
  );
  const importing = [
    "import",
    sheet,
    "--org",
    organizationId,
    "--update",
    "--strict",
    "--skip-faulty",
    "--rejected",
    rejected,
  ];
  const imported = await runIn({ DATA_DIR: dataDir, LC_ALL: "C" }, ...importing);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(await readFile(rejected, "utf8"), /Zenaide/);

  const hashesStatement = read(
    "test_request_hashes",
    `select encode(fingerprint, 'hex') as hash from idempotency_keys where record_id = $1
     union all select encode(request_hash, 'hex') from audit where request_hash is not null`,
  );
  const hashes = (await db.query<{ hash: string }>(hashesStatement, [clientId])).map(({ hash }) => hash);
  assert.equal(hashes.length, 6);
  const before = await tracesInDatabase(db, hashes);
  assert.deepEqual([...before.keys()].sort(), [
    "audit.reason",
    "audit.request_hash",
    "bookings.uncovered_reason",
    "clients.birthdate",
    "clients.city",
    "clients.contact_email",
    "clients.contact_name",
    "clients.contact_phone",
    "clients.country",
    "clients.id_document_key",
    "clients.id_document_value",
    "clients.line1",
    "clients.line2",
    "clients.notes",
    "clients.postal_code",
    "clients.search",
    "clients.state",
    "idempotency_keys.body",
    "idempotency_keys.fingerprint",
    "imported_clients.before",
    "invoices.description",
    "payments.note",
  ]);
  const all = TRACES.map(({ source }) => source);
  const exported = () => exportText(db, organizationId);
  const backedUp = async (name: string) => {
    const path = join(folder, name);
    const { code, stderr } = await runIn({ DATA_DIR: dataDir }, "backup", path);
    assert.equal(code, 0, stderr);
    return gunzipSync(await readFile(path)).toString();
  };
  // The digits alone are only in the text that is searched.
  const shown = all.filter((trace) => trace !== "908736519");
  assert.deepEqual(tracesIn(await answersOf(clientId)), shown);
  assert.deepEqual(tracesIn(await exported()), shown);
  assert.deepEqual(tracesIn(await backedUp("before.backup")), all);

  await eraseClient({ ...by, keySecret }, { clientId, basis: "LGPD art. 18 VI" });

  assert.deepEqual(await tracesInDatabase(db, hashes), new Map());
  assert.match(await answersOf(clientId), /Erased client/);
  assert.deepEqual(tracesIn(await answersOf(clientId)), []);
  assert.deepEqual(tracesIn(await exported()), []);
  assert.deepEqual(tracesIn(await backedUp("after.backup")), []);
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  assert.match(metrics, /^rollbook_/m);
  assert.deepEqual(tracesIn(metrics), []);
  const log = server.output();
  assert.match(log, /request refused/);
  assert.deepEqual(tracesIn(log), []);
  const files = await ownFiles(dataDir);
  assert.ok([...files.keys()].some((path) => path.endsWith("postgres.log")));
  for (const [path, text] of files) assert.deepEqual(tracesIn(text), [], path);
  // As the guide says: what the planner remembers of values goes with the next look at the table.
  await db.query(
    pooled("", "vacuum (analyze) clients, audit, bookings, idempotency_keys, invoices, payments"),
  );
  const [statistics] = await db.query<{ text?: string }>(statisticsStatement);
  assert.deepEqual(tracesIn(statistics?.text ?? ""), []);
});
