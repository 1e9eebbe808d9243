import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled } from "../../db/statements.ts";
import { CLIENT_COLUMNS } from "../../domain/clients/client-columns.ts";

/** How an import of clients is taken back. Only clients whom nobody has written since are touched. */

/** For how long an import can be taken back, and so for how long what it replaced is kept. */
const UNDO_DAYS = 30;

// In the order of their ids, as all writers lock them.
const lockStatement = pooled(
  "lock_imported_clients",
  `select c.id from imported_clients i join clients c on (c.organization_id, c.id) = (i.organization_id, i.client_id)
   where i.organization_id = $1 and i.import_id = $2 and i.written_at > $3::timestamptz - make_interval(days => $4)
   order by c.id for update of c`,
);

/** Locks the clients that an import wrote, and says how many there are. */
export async function lockImported(
  tx: Database,
  organizationId: string,
  importId: string,
  now: number,
): Promise<number> {
  return (await tx.query(lockStatement, [organizationId, importId, instantText(now), UNDO_DAYS])).length;
}

/** A client `c` of the import `i` whom nobody has written since. */
const untouched = `i.organization_id = $1 and i.import_id = $2
  and c.organization_id = i.organization_id and c.id = i.client_id and c.updated_at = i.written_at`;
const isNamedIn = (table: string) =>
  `exists (select from ${table} n where n.organization_id = c.organization_id and n.client_id = c.id)`;

const removeStatement = pooled(
  "remove_imported_clients",
  `with removed as (
     delete from clients c using imported_clients i
     where ${untouched} and i.before is null
       and not (${["contracts", "bookings", "waiting", "invoices", "payments", "audit", "erasures"].map(isNamedIn).join(" or ")})
     returning c.status
   )
   select count(*) as count, count(*) filter (where status = 'active') as active from removed`,
);

const columns = [
  ...CLIENT_COLUMNS.map(({ name, type }) => ({ name, type })),
  { name: "status", type: "text" },
];

const setBackStatement = pooled(
  "set_back_imported_clients",
  `with was as materialized (
     select c.id, c.status as old_status, b.*
     from imported_clients i, clients c, jsonb_to_record(i.before) as b (${columns
       .map(({ name, type }) => `${name} ${type}`)
       .join(", ")}, location_ids uuid[])
     where ${untouched} and i.before is not null
   ), written as (
     update clients c set ${columns.map(({ name }) => `${name} = was.${name}`).join(", ")},
       updated_at = greatest($3::timestamptz, c.updated_at + interval '1 millisecond')
     from was where c.organization_id = $1 and c.id = was.id
     returning was.old_status, was.status
   ), parted as (
     delete from client_locations l using was
     where l.organization_id = $1 and l.client_id = was.id and l.location_id <> all (was.location_ids)
   ), joined as (
     insert into client_locations (organization_id, client_id, location_id)
     select $1, was.id, unnest(was.location_ids) from was on conflict do nothing
   )
   select count(*) as count,
     count(*) filter (where status = 'active') - count(*) filter (where old_status = 'active') as active
   from written`,
);

const forgetStatement = pooled(
  "forget_import",
  "delete from imported_clients where organization_id = $1 and import_id = $2",
);

const countStatement = pooled(
  "count_taken_back",
  `update organization_counters set clients_active = clients_active + $3, clients_archived = clients_archived + $4
   where organization_id = $1 and slot = $2`,
);

interface TakenBack {
  readonly count: number;
  /** How many more are active than before. */
  readonly active: number;
}

/** Takes back what can be. Violates `clients_id_document` if somebody else holds a document that is to come back. */
export async function takeBack(
  tx: Database,
  organizationId: string,
  importId: string,
  { now, slot }: { readonly now: number; readonly slot: number },
): Promise<{ readonly removed: number; readonly setBack: number }> {
  const [removed = { count: 0, active: 0 }] = await tx.query<TakenBack>(removeStatement, [
    organizationId,
    importId,
  ]);
  const [setBack = { count: 0, active: 0 }] = await tx.query<TakenBack>(setBackStatement, [
    organizationId,
    importId,
    instantText(now),
  ]);
  await tx.query(forgetStatement, [organizationId, importId]);
  if (removed.count + setBack.count > 0) {
    const active = setBack.active - removed.active;
    const archived = removed.active - removed.count - setBack.active;
    await tx.query(countStatement, [organizationId, slot, active, archived]);
  }
  return { removed: removed.count, setBack: setBack.count };
}

// Rows that another process is removing are passed over.
const sweepStatement = pooled(
  "sweep_imported_clients",
  `with over as (
     select organization_id, import_id, client_id from imported_clients
     where written_at <= $1::timestamptz - make_interval(days => $3) and ${isHere("organization_id")}
     order by written_at limit $2 for update skip locked
   ), swept as (
     delete from imported_clients i using over
     where (i.organization_id, i.import_id, i.client_id) = (over.organization_id, over.import_id, over.client_id)
     returning 1
   )
   select count(*) as count from swept`,
);

/** Forgets what imports replaced that cannot be taken back any more, at most so many, and returns how many. */
export async function sweepImported(db: Database, now: number, limit: number): Promise<number> {
  const [swept] = await db.query<{ count: number }>(sweepStatement, [instantText(now), limit, UNDO_DAYS]);
  return swept?.count ?? 0;
}
