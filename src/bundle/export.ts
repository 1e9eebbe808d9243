import { type ClientRow, clientColumns, clientLocationIds, toClient } from "../clients/queries.ts";
import { Client } from "../clients/schema.ts";
import { contractColumns, contractEntitlements } from "../contracts/queries.ts";
import { Contract } from "../contracts/schema.ts";
import { notFound } from "../core/errors.ts";
import { type Database, pooled, type Statement } from "../db/database.ts";
import { Location } from "../locations/schema.ts";
import { findOrganization } from "../organizations/queries.ts";
import { planColumns } from "../plans/queries.ts";
import { Plan } from "../plans/schema.ts";
import { serviceTypeColumns } from "../service-types/queries.ts";
import { ServiceType } from "../service-types/schema.ts";
import { KINDS, type Kind } from "./schema.ts";

/**
 * Writes an organization's bundle, some lines at a time, waiting for each piece to be taken. All of it is of one
 * moment, however long it takes.
 */
export async function exportBundle(
  db: Database,
  organizationId: string,
  /** Takes some lines; `records` is how many there were, these included. */
  write: (lines: string, records: number) => Promise<void> | void,
): Promise<Record<Kind, number>> {
  return db.transaction(async (tx) => {
    await tx.query(snapshot);
    const organization = await findOrganization(tx, organizationId);
    if (!organization) throw notFound("There is no organization with this id.");
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    await write(lineOf("organization", { ...organization }), 1);
    counts.organization = 1;
    let records = 1;
    for (const kind of KINDS) {
      if (kind === "organization") continue;
      for await (const rows of readAll(tx, kind, organizationId)) {
        counts[kind] += rows.length;
        records += rows.length;
        await write(rows.map((row) => lineOf(kind, row)).join(""), records);
      }
    }
    return counts;
  });
}

/** The members of each kind in the order in which they are written: the API's, and what the bundle adds. */
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  organization: ["id", "name", "timezone", "currency", "plan", "status", "joinedAt"],
  location: [...Object.keys(Location.properties), "createdAt"],
  serviceGroup: ["id", "name", "serviceTypeIds"],
  serviceType: apiMembers(ServiceType),
  plan: apiMembers(Plan),
  client: apiMembers(Client),
  contract: apiMembers(Contract),
  schedule: [
    "id",
    "serviceTypeId",
    "locationId",
    "resourceIds",
    "start",
    "durationMinutes",
    "rrule",
    "exdates",
    "rdates",
    "capacity",
  ],
  session: [
    "id",
    "scheduleId",
    "originalStart",
    "serviceTypeId",
    "locationId",
    "resourceIds",
    "start",
    "durationMinutes",
    "capacity",
    "bookedCount",
    "status",
  ],
};

function apiMembers(schema: { properties: object }): string[] {
  return Object.keys(schema.properties).filter((name) => name !== "$schema");
}

/** Lists that are left out when they are empty, as the bundle leaves them out. */
const LEFT_OUT_EMPTY = new Set(["resourceIds", "exdates", "rdates"]);

function lineOf(kind: Kind, row: Readonly<Record<string, unknown>>): string {
  const line: Record<string, unknown> = { kind };
  for (const name of MEMBERS[kind]) {
    const value = row[name];
    if (LEFT_OUT_EMPTY.has(name) && Array.isArray(value) && value.length === 0) continue;
    line[name] = value;
  }
  return `${JSON.stringify(line)}\n`;
}

const snapshot = pooled("export_snapshot", "set transaction isolation level repeatable read, read only");

const SELECTS: Readonly<Record<Exclude<Kind, "organization">, string>> = {
  location: `select r.id, r.name, r.address, r.status, r.timezone, r.created_at as "createdAt" from locations r`,
  serviceGroup: `
    select r.id, r.name, array(
      select m.service_type_id from service_group_members m
      where m.organization_id = r.organization_id and m.service_group_id = r.id order by m.service_type_id
    ) as "serviceTypeIds"
    from service_groups r`,
  serviceType: `select ${serviceTypeColumns} from service_types r`,
  plan: `select ${planColumns} from plans r`,
  client: `select ${clientColumns}, ${clientLocationIds} from clients r`,
  contract: `select ${contractColumns}, ${contractEntitlements} from contracts r`,
  schedule: `
    select r.id, r.service_type_id as "serviceTypeId", r.location_id as "locationId",
      r.resource_ids as "resourceIds", r.start, r.duration_minutes as "durationMinutes", r.rrule, r.exdates,
      r.rdates, r.capacity
    from schedules r`,
  session: `
    select r.id, r.schedule_id as "scheduleId", r.original_start as "originalStart",
      r.service_type_id as "serviceTypeId", r.location_id as "locationId", r.resource_ids as "resourceIds",
      r.start, r.duration_minutes as "durationMinutes", r.capacity, r.booked_count as "bookedCount", r.status
    from sessions r`,
};

const BATCH_RECORDS = 2_000;

interface Cursor {
  readonly open: Statement;
  readonly fetch: Statement;
  readonly close: Statement;
}

const CURSORS = Object.fromEntries(
  Object.entries(SELECTS).map(([kind, select]): [string, Cursor] => [
    kind,
    {
      open: pooled(
        `export_open_${kind}`,
        `declare export_rows no scroll cursor for ${select} where r.organization_id = $1 order by r.id`,
      ),
      fetch: pooled(`export_fetch_${kind}`, `fetch ${BATCH_RECORDS} from export_rows`),
      close: pooled(`export_close_${kind}`, "close export_rows"),
    },
  ]),
) as Readonly<Record<keyof typeof SELECTS, Cursor>>;

/** All records of a kind in the order of their ids, some at a time, so that memory stays flat. */
async function* readAll(
  tx: Database,
  kind: keyof typeof SELECTS,
  organizationId: string,
): AsyncGenerator<Readonly<Record<string, unknown>>[]> {
  const { open, fetch, close } = CURSORS[kind];
  await tx.query(open, [organizationId]);
  for (;;) {
    const rows = await tx.query<Record<string, unknown>>(fetch);
    if (rows.length === 0) break;
    yield kind === "client" ? rows.map((row) => ({ ...toClient(row as unknown as ClientRow) })) : rows;
  }
  await tx.query(close);
}
