import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { nearsLimit, type StorageUse, storageFull } from "./organization-limits.ts";

// The feed counts what is numbered (migration 0032); what has no number yet is noted and counted here.
const ADDED = "coalesce(sum(case l.type when 'created' then 1 else -1 end), 0)::bigint";
const NOTED = "l.organization_id = $1 and l.type <> 'updated' and l.kind <> 'organization'";
const COUNTED = "(select sum(records)::bigint from organization_counters where organization_id = $1)";

const storedStatement = pooled(
  "count_stored_records",
  `select coalesce(${COUNTED}, 0) + (select ${ADDED} from change_log l where ${NOTED}) as records`,
);

/** How many records an organization stores, exactly: those that the change feed tells of. */
export async function countStored(db: Pick<Database, "query">, organizationId: string): Promise<number> {
  const [row] = await db.query<{ records: number }>(storedStatement, [organizationId]);
  if (!row) throw new Error("a sum has one row");
  return row.records;
}

/** Refuses one more record, if there is no room for it. */
export async function refuseWhenFull(
  db: Pick<Database, "query">,
  organizationId: string,
  use: StorageUse,
): Promise<void> {
  if (!nearsLimit(use)) return;
  const records = await countStored(db, organizationId);
  if (records >= use.limit) throw storageFull(records, use.limit);
}

const ownStatement = pooled(
  "count_own_records",
  `select ${ADDED} as added from change_log l
   where ${NOTED} and l.xact = pg_current_xact_id_if_assigned()
     and l.id >= nullif(current_setting('rollbook.first_note', true), '')::bigint`,
);

/** Refuses what this transaction has done if it has added records for which there is no room. */
export async function refuseOverfull(tx: Database, organizationId: string, limit: number): Promise<void> {
  const [[own], records] = await Promise.all([
    tx.query<{ added: number }>(ownStatement, [organizationId]),
    countStored(tx, organizationId),
  ]);
  const added = own?.added ?? 0;
  if (added > 0 && records > limit) throw storageFull(records - added, limit);
}

const MEGABYTE = 1024 * 1024;
const uploadedStatement = pooled(
  "find_uploaded",
  `select coalesce(o.upload_mb_per_day, $3::int) as megabytes, coalesce(u.bytes, 0) as bytes, coalesce(u.day, $2::date) as day
   from organizations o left join organization_uploads u on u.organization_id = o.id and u.day >= $2::date
   where o.id = $1`,
);

/** What an organization has uploaded on a day, and may. */
export interface UploadUse {
  /**
   * What is counted counts until this day is over. It is a later one than it is in the organization's time zone where that was
   * changed to one that is behind: what was uploaded is not forgotten by that.
   */
  readonly day: string;
  readonly bytes: number;
  /** 0 is no limit. */
  readonly megabytes: number;
}

export async function findUploaded(
  db: Pick<Database, "query">,
  organizationId: string,
  day: string,
  general: number,
): Promise<UploadUse> {
  const [use] = await db.query<UploadUse>(uploadedStatement, [organizationId, day, general]);
  return use ?? { day, bytes: 0, megabytes: general };
}

/** Whether that is more than it may. */
export function exceedsUploads({ bytes, megabytes }: UploadUse): boolean {
  return megabytes !== 0 && bytes > megabytes * MEGABYTE;
}

// One statement, so that uploads on several nodes cannot take the same room.
const countStatement = pooled(
  "count_upload",
  `insert into organization_uploads as u (organization_id, day, bytes)
   select o.id, $2::date, $3::bigint from organizations o where o.id = $1
   on conflict (organization_id) do update
   set day = greatest(u.day, excluded.day), bytes = excluded.bytes + case when u.day >= excluded.day then u.bytes else 0 end
   returning day, bytes, (select coalesce(o.upload_mb_per_day, $4::int) from organizations o where o.id = $1) as megabytes`,
);

/** Counts what has arrived, and returns what the organization has uploaded with it. */
export async function countUpload(
  db: Pick<Database, "query">,
  organizationId: string,
  { day, bytes, general }: { readonly day: string; readonly bytes: number; readonly general: number },
): Promise<UploadUse> {
  const [use] = await db.query<UploadUse>(countStatement, [organizationId, day, bytes, general]);
  // Of an organization that has gone since nothing is counted.
  return use ?? { day, bytes: 0, megabytes: general };
}
