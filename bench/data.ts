/** The data that is measured on. It is loaded once for each size and kept between runs. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { MS_PER_DAY, parseWallClock } from "../src/core/dates.ts";
import { searchText } from "../src/core/search.ts";
import type { Database } from "../src/db/database.ts";
import { listMigrations, migrate } from "../src/db/migrate.ts";
import { openConnection } from "../src/db/server-connection.ts";
import { clientSearchText, idDocumentKey } from "../src/domain/clients/rules.ts";
import { mintKey } from "../src/domain/keys/operations.ts";
import { createOrganization } from "../src/domain/organizations/operations.ts";
import { planSchedule } from "../src/domain/recurrence/schedule.ts";
import { findZone, wallToInstant } from "../src/domain/recurrence/zones.ts";
import { openStore, type Store } from "../src/process/store.ts";
import { newId } from "../test/support/ids.ts";
import { dice, type Person, person, personId } from "./people.ts";

export interface BenchOrganization {
  readonly id: string;
  readonly key: string;
  readonly locationIds: readonly string[];
}

export interface Dataset {
  readonly clients: number;
  /** Clients, contracts, 200 schedules of many kinds with booked sessions among their slots. */
  readonly studio: BenchOrganization;
  /** 500 schedules, each with a session a day. */
  readonly daily: BenchOrganization;
  /** Schedules whose slots were nearly all booked: 50,000 stored sessions in a year. */
  readonly booked: BenchOrganization;
  /** Empty; what a run creates in it is removed by the next. */
  readonly writes: BenchOrganization;
}

export interface OpenDataset extends Dataset {
  readonly dataDir: string;
  readonly store: Store;
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** To be raised when what is loaded changes. */
const LOADER = 2;
const STAMP_FILE = "bench.json";
export const SCHEDULES = 200;
export const DAILY_SCHEDULES = 500;
const BOOKED_SCHEDULES = 150;
/** Of each schedule from 2026-01-01 on: 50,250 in all. */
const BOOKED_DAYS = 335;
export const TIMEZONE = "America/Sao_Paulo";
const FIRST_CLIENT_MS = Date.UTC(2023, 0, 1);

/** Whether data of this size is there, as this program would load it. */
export async function isLoaded(clients: number): Promise<boolean> {
  const stored = await readFile(join(directoryOf(clients), STAMP_FILE), "utf8").then(
    JSON.parse,
    () => undefined,
  );
  return stored?.stamp === (await currentStamp());
}

function directoryOf(clients: number): string {
  return join(tmpdir(), "rollbook-bench", String(clients));
}

/** Loads the data of this size unless it is there already. */
export async function ensureLoaded(clients: number, log: (line: string) => void): Promise<void> {
  if (await isLoaded(clients)) return;
  const dataDir = directoryOf(clients);
  const begun = Date.now();
  // Loaded beside and moved into place, so that an interrupted load leaves nothing half.
  const draft = `${dataDir}.${process.pid}`;
  await mkdir(draft, { recursive: true, mode: 0o755 });
  const loaded = await load(draft, clients);
  await writeFile(join(draft, STAMP_FILE), JSON.stringify({ stamp: await currentStamp(), ...loaded }));
  await rm(dataDir, { recursive: true, force: true });
  await rename(draft, dataDir);
  log(`loaded ${clients} clients in ${((Date.now() - begun) / 1000).toFixed(1)} s into ${dataDir}`);
}

/** Opens loaded data, with PostgreSQL running on it. */
export async function openDataset(clients: number): Promise<OpenDataset> {
  const dataDir = directoryOf(clients);
  const dataset = JSON.parse(await readFile(join(dataDir, STAMP_FILE), "utf8")) as Dataset;
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  return {
    ...dataset,
    dataDir,
    store,
    connect: () => openConnection(store.connection, "rollbook bench"),
    close: () => store.close(),
  };
}

/** Removes what earlier runs created, so that every run begins with the same tables. */
export async function removeWrites(dataset: OpenDataset): Promise<void> {
  const client = await dataset.connect();
  try {
    const { rowCount } = await client.query("delete from clients where organization_id = $1", [
      dataset.writes.id,
    ]);
    if (!rowCount) return;
    await client.query("truncate idempotency_keys");
    await client.query(
      "update organization_counters set clients_active = 0, clients_archived = 0 where organization_id = $1",
      [dataset.writes.id],
    );
    await client.query("vacuum analyze clients");
    await client.query("vacuum analyze client_locations");
  } finally {
    await client.end();
  }
}

async function currentStamp(): Promise<string> {
  const hash = createHash("sha256").update(String(LOADER));
  for (const { text } of await listMigrations()) hash.update(text);
  return hash.digest("hex");
}

async function load(dataDir: string, clients: number): Promise<Dataset> {
  const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
  try {
    await migrate(store.connection);
    const db = store.open({ applicationName: "rollbook bench", poolSize: 2 });
    const secret = await store.keySecret();
    const client = await openConnection(store.connection, "rollbook bench");
    await client.query("set timezone = 'UTC'; set maintenance_work_mem = '512MB'");
    const studio = await addOrganization(client, db, secret, "Studio", 5);
    const daily = await addOrganization(client, db, secret, "Daily", 1);
    const booked = await addOrganization(client, db, secret, "Booked", 3);
    const writes = await addOrganization(client, db, secret, "Writes", 1);
    await addSchedules(client, studio, Array.from({ length: SCHEDULES }, variedSchedule), fifthWeeks);
    await addSchedules(client, daily, Array.from({ length: DAILY_SCHEDULES }, dailySchedule), () => []);
    await addSchedules(client, booked, Array.from({ length: BOOKED_SCHEDULES }, dailySchedule), mostDays);
    const tables = [
      "clients",
      "client_locations",
      "contracts",
      "contract_locations",
      "contract_entitlements",
    ];
    await withoutIndexes(client, tables, () => addClients(client, studio, clients));
    await client.query(countAll);
    await client.query("vacuum analyze");
    await client.query("checkpoint").catch(() => {});
    await client.end();
    return { clients, studio, daily, booked, writes };
  } finally {
    await store.close();
  }
}

export async function addOrganization(
  client: pg.Client,
  db: Database,
  secret: string,
  name: string,
  locations: number,
): Promise<BenchOrganization> {
  const { id } = await createOrganization(db, "bench", {
    name,
    timezone: TIMEZONE,
    currency: "BRL",
    plan: "Pro",
  });
  const { key } = await mintKey(db, secret, "bench", { organizationId: id });
  const locationIds = Array.from({ length: locations }, newId);
  await copy(
    client,
    "locations (organization_id, id, name, address, status, timezone)",
    locationIds.map((location, i) => [id, location, `Unit ${i + 1}`, `Rua ${i + 1}`, "active", TIMEZONE]),
  );
  return { id, key, locationIds };
}

/** Takes indexes and foreign keys away while rows are loaded, and builds them again at the end. */
export async function withoutIndexes(
  client: pg.Client,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
       format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         as create
     from pg_constraint c where c.contype = 'f' and c.conrelid = any($1::regclass[])
     union all
     select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
     from pg_index i
     where i.indrelid = any($1::regclass[]) and not i.indisprimary
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { drop } of rows) await client.query(drop);
  await work();
  for (const { create } of rows.reverse()) await client.query(create);
}

async function addClients(client: pg.Client, studio: BenchOrganization, count: number): Promise<void> {
  const stepMs = Math.floor((3 * 365 * MS_PER_DAY) / count);
  const createdAt = (n: number) => FIRST_CLIENT_MS + n * stepMs;
  const ids = Array.from({ length: count }, (_, n) => personId(createdAt(n)));
  const locationOf = (n: number) => studio.locationIds[n % studio.locationIds.length] as string;
  await copy(
    client,
    `clients (organization_id, id, status, contact_name, contact_email, contact_phone, birthdate, city, country,
       line1, postal_code, state, id_document_type, id_document_value, id_document_key, notes, search,
       created_at, updated_at)`,
    map(ids, (id, n) => {
      const at = iso(createdAt(n));
      return [studio.id, id, n % 8 === 5 ? "archived" : "active", ...values(person(n)), at, at];
    }),
  );
  await copy(client, "client_locations (organization_id, client_id, location_id)", memberships(studio, ids));

  const plans = Array.from({ length: 20 }, (_, n) => ({
    id: newId(),
    name: `Plan ${n + 1}`,
    cents: 9900 + n * 500,
  }));
  await copy(
    client,
    `plans (organization_id, id, name, status, billing_kind, billing_interval, price_cents, currency, is_trial,
       all_locations, search)`,
    plans.map(({ id, name, cents }) => [
      ...[studio.id, id, name, "active", "recurring", "month", cents, "BRL", false, true],
      searchText([name]),
    ]),
  );
  const contracts = ids
    .filter((_, n) => n % 10 === 3)
    .map((clientId, n) => ({ id: personId(createdAt(n * 10)), clientId, plan: plans[n % plans.length] }));
  await copy(
    client,
    `contracts (organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial, billing_kind,
       billing_interval, start_date, status, access_blocked, all_locations)`,
    map(contracts, ({ id, clientId, plan }, n) => [
      ...[studio.id, id, clientId, plan?.id, plan?.name, plan?.cents, "BRL", false, "recurring", "month"],
      ...["2025-03-01", n % 5 === 0 ? "cancelled" : "active", false, n % 2 === 0],
    ]),
  );
  await copy(
    client,
    "contract_locations (organization_id, contract_id, location_id)",
    map(
      contracts.filter((_, n) => n % 2 !== 0),
      ({ id }, n) => [studio.id, id, locationOf(n)],
    ),
  );
  await copy(
    client,
    "contract_entitlements (organization_id, contract_id, position, id, type, period, max_visits_per_period)",
    map(contracts, ({ id }) => [studio.id, id, 0, newId(), "access", "week", 3]),
  );
}

/** The values of a person's columns from the name to the search text. */
function values(someone: Person): unknown[] {
  const { contactName, contactEmail, contactPhone, birthdate, address, idDocument, notes } = someone;
  const content = {
    ...{ contactName, contactEmail, contactPhone, birthdate, idDocument, notes },
    address: address ?? {},
    locationIds: [],
  };
  return [
    ...[contactName, contactEmail, contactPhone, birthdate],
    ...[address?.city, address?.country, address?.line1, address?.postalCode, address?.state],
    ...[idDocument?.type, idDocument?.value, idDocument && idDocumentKey(idDocument.value)],
    ...[notes, clientSearchText(content)],
  ];
}

function* memberships(studio: BenchOrganization, ids: readonly string[]): Generator<unknown[]> {
  for (const [n, id] of ids.entries()) {
    const { locationIds } = studio;
    yield [studio.id, id, locationIds[n % locationIds.length]];
    if (n % 3 === 0) yield [studio.id, id, locationIds[(n + 1) % locationIds.length]];
  }
}

interface ScheduleText {
  readonly start: string;
  readonly rrule: string;
}

/** Classes as a studio has them: most on some days of the week, some daily, fortnightly or monthly. */
function variedSchedule(_: unknown, n: number): ScheduleText {
  const time = `${String(6 + (n % 15)).padStart(2, "0")}:${n % 2 === 0 ? "00" : "30"}`;
  const kind = n % 20;
  if (kind < 5) return { start: `2026-01-01T${time}`, rrule: "FREQ=DAILY" };
  // 2026-01-05 is a Monday, 2026-01-06 a Tuesday, 2026-01-03 the first Saturday.
  if (kind < 12) return { start: `2026-01-05T${time}`, rrule: "FREQ=WEEKLY;BYDAY=MO,WE,FR" };
  if (kind < 17) return { start: `2026-01-06T${time}`, rrule: "FREQ=WEEKLY;BYDAY=TU,TH" };
  if (kind < 19) return { start: `2026-01-05T${time}`, rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO" };
  return { start: `2026-01-03T${time}`, rrule: "FREQ=MONTHLY;BYDAY=1SA" };
}

function dailySchedule(_: unknown, n: number): ScheduleText {
  const minute = (n * 7) % 1440;
  const two = (value: number) => String(value).padStart(2, "0");
  return { start: `2026-01-01T${two(Math.floor(minute / 60))}:${two(minute % 60)}`, rrule: "FREQ=DAILY" };
}

/** Every fifth week of the schedules that have a session on that day of every week. */
function fifthWeeks({ rrule }: ScheduleText): number[] {
  return rrule.startsWith("FREQ=WEEKLY;BYDAY") ? Array.from({ length: 10 }, (_, n) => n * 35) : [];
}

function mostDays(): number[] {
  return Array.from({ length: BOOKED_DAYS }, (_, day) => day);
}

/** Schedules, and stored sessions for their slots so many days after the start. */
async function addSchedules(
  client: pg.Client,
  { id: organizationId, locationIds }: BenchOrganization,
  texts: readonly ScheduleText[],
  bookedDays: (schedule: ScheduleText) => readonly number[],
): Promise<void> {
  const typeIds = Array.from({ length: 12 }, newId);
  await copy(
    client,
    "service_types (organization_id, id, name, holds_resource, status, search)",
    typeIds.map((id, n) => [
      organizationId,
      id,
      `Class ${n + 1}`,
      false,
      "active",
      searchText([`Class ${n + 1}`]),
    ]),
  );
  const zone = findZone(TIMEZONE);
  if (!zone) throw new Error(`no zone ${TIMEZONE}`);
  const schedules = texts.map((text, n) => {
    const { span, faults } = planSchedule(text, zone);
    if (!span) throw new Error(JSON.stringify(faults));
    const place = [typeIds[n % typeIds.length], locationIds[n % locationIds.length], `{room-${n % 9}}`];
    return { id: newId(), ...text, ...span, place };
  });
  await copy(
    client,
    `schedules (organization_id, id, service_type_id, location_id, resource_ids, start, duration_minutes, rrule,
       capacity, first_slot, last_slot, counted_slot)`,
    schedules.map((s) => [
      ...[organizationId, s.id, ...s.place, s.start, 60, s.rrule],
      ...[20, s.firstSlot, s.lastSlot, s.countedSlot],
    ]),
  );
  const booked = schedules.flatMap((schedule) =>
    bookedDays(schedule).map((days, n) => {
      const wallMs = (parseWallClock(schedule.start) ?? 0) + days * MS_PER_DAY;
      const wall = iso(wallMs).slice(0, 16);
      const at = iso(wallToInstant(zone, wallMs));
      return [
        organizationId,
        newId(),
        schedule.id,
        wall,
        ...schedule.place,
        wall,
        at,
        60,
        20,
        n % 20,
        "scheduled",
      ];
    }),
  );
  await copy(
    client,
    `sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id, resource_ids, start,
       start_at, duration_minutes, capacity, booked_count, status)`,
    booked,
  );
}

const countAll = `
  update organization_counters c set
    clients_active = (select count(*) from clients r where r.organization_id = c.organization_id and status = 'active'),
    clients_archived =
      (select count(*) from clients r where r.organization_id = c.organization_id and status = 'archived'),
    contracts_active =
      (select count(*) from contracts r where r.organization_id = c.organization_id and status = 'active'),
    contracts_cancelled =
      (select count(*) from contracts r where r.organization_id = c.organization_id and status = 'cancelled'),
    plans_active = (select count(*) from plans r where r.organization_id = c.organization_id),
    service_types_active = (select count(*) from service_types r where r.organization_id = c.organization_id),
    catalog_version = catalog_version + 1, clients_version = clients_version + 1
  where slot = 0`;

export async function copy(
  client: pg.Client,
  target: string,
  rows: Iterable<readonly unknown[]>,
): Promise<void> {
  await pipeline(Readable.from(blocks(rows)), client.query(copyFrom(`copy ${target} from stdin`)));
}

function* blocks(rows: Iterable<readonly unknown[]>): Generator<Buffer> {
  let text = "";
  for (const row of rows) {
    text += `${row.map(field).join("\t")}\n`;
    if (text.length < 1 << 16) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

function field(value: unknown): string {
  if (value === undefined || value === null) return "\\N";
  const text = String(value);
  return /[\\\t\n\r]/.test(text)
    ? text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
    : text;
}

function* map<Item>(
  items: readonly Item[],
  row: (item: Item, index: number) => readonly unknown[],
): Generator<readonly unknown[]> {
  for (const [index, item] of items.entries()) yield row(item, index);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Numbers for choosing requests at random, other ones in every round but the same in every run. */
export function picker(round: number): (below: number) => number {
  const random = dice(1_000_003 * (round + 1));
  return (below) => Math.floor(random() * below);
}

/**
 * The same question, written in another way for each number: the cache answers by the address, so that each answer is computed.
 * Of the letters and digits of the query, those whose bit is set are written as %xx.
 */
export function spelled(target: string, number: number): string {
  const [path, query = ""] = target.split("?");
  let rest = number;
  const spelt = query.replaceAll(/[a-z0-9]/g, (character) => {
    const isEscaped = rest % 2 === 1;
    rest = Math.floor(rest / 2);
    return isEscaped ? `%${character.charCodeAt(0).toString(16)}` : character;
  });
  return `${path}?${spelt}`;
}
