import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { OrganizationStatus } from "./values.ts";

/** An organization that is to be deleted, or the evidence that it was. */
export interface OrganizationDeletion {
  readonly id: string;
  readonly askedAt: string;
  readonly actor: string;
  readonly deleteAfter: string;
  /** What it had before, and has again if it is kept. */
  readonly status: OrganizationStatus;
  /** From then on it cannot be kept. */
  readonly begunAt?: string;
  readonly deletedAt?: string;
  /** How many of each table are gone. */
  readonly rows: Readonly<Record<string, number>>;
}

const columns = `id, asked_at as "askedAt", actor, delete_after as "deleteAfter", status, begun_at as "begunAt",
  deleted_at as "deletedAt", rows`;

const insertStatement = pooled(
  "insert_organization_deletion",
  `insert into organization_deletions (id, asked_at, actor, delete_after, status) values ($1, $2, $3, $4, $5)
   returning ${columns}`,
);

export async function insertDeletion(
  tx: Database,
  { id, askedAt, actor, deleteAfter, status }: Omit<OrganizationDeletion, "rows">,
): Promise<OrganizationDeletion> {
  const [stored] = await tx.query<OrganizationDeletion>(insertStatement, [
    id,
    askedAt,
    actor,
    deleteAfter,
    status,
  ]);
  if (!stored) throw new Error("what was inserted did not come back");
  return stored;
}

const findStatement = pooled(
  "find_organization_deletion",
  `select ${columns} from organization_deletions where id = $1 and deleted_at is null`,
);

/** The deletion of an organization that is still there. */
export async function findDeletion(tx: Database, id: string): Promise<OrganizationDeletion | undefined> {
  const [found] = await tx.query<OrganizationDeletion>(findStatement, [id]);
  return found;
}

const lockStatement = pooled(
  "lock_organization_deletion",
  `select ${columns} from organization_deletions where id = $1 and deleted_at is null for update`,
);

/** The same, which nobody begins or takes back meanwhile. */
export async function lockDeletion(tx: Database, id: string): Promise<OrganizationDeletion | undefined> {
  const [found] = await tx.query<OrganizationDeletion>(lockStatement, [id]);
  return found;
}

const takeBackStatement = pooled(
  "take_organization_deletion_back",
  "delete from organization_deletions where id = $1 and deleted_at is null",
);

export async function takeDeletionBack(tx: Database, id: string): Promise<void> {
  await tx.query(takeBackStatement, [id]);
}

const listStatement = pooled(
  "list_organization_deletions",
  `select ${columns} from organization_deletions order by asked_at, id`,
);

/** All of them, those that are still to come too. */
export function listDeletions(db: Database): Promise<OrganizationDeletion[]> {
  return db.query<OrganizationDeletion>(listStatement);
}

const overStatement = pooled(
  "find_organizations_to_delete",
  `select id from organization_deletions where deleted_at is null and delete_after <= $1 order by delete_after, id`,
);

/** The organizations whose time of grace is over. */
export async function findOrganizationsToDelete(db: Database, now: number): Promise<string[]> {
  return (await db.query<{ id: string }>(overStatement, [instantText(now)])).map(({ id }) => id);
}

const beginStatement = pooled(
  "begin_organization_deletion",
  `with mine as (
     select id, asked_at from organization_deletions
     where id = $1 and deleted_at is null and delete_after <= $2 for update skip locked
   )
   update organization_deletions d set begun_at = coalesce(d.begun_at, $2)
   from mine where d.id = mine.id and d.asked_at = mine.asked_at
   returning d.id`,
);

/** Whether a part of the deletion can be done now, by this transaction alone. */
export async function beginDeletion(tx: Database, id: string, now: number): Promise<boolean> {
  return (await tx.query(beginStatement, [id, instantText(now)])).length > 0;
}

const countStatement = pooled(
  "count_deleted_rows",
  `update organization_deletions d
   set rows = d.rows || (
       select coalesce(jsonb_object_agg(part.key, part.value::bigint + coalesce((d.rows ->> part.key)::bigint, 0)), '{}')
       from jsonb_each_text($2::jsonb) part
     ), deleted_at = $3
   where d.id = $1 and d.deleted_at is null`,
);

/** Adds what a part has deleted to the evidence; with a time, nothing is left. */
export async function recordDeletedRows(
  tx: Database,
  id: string,
  rows: Readonly<Record<string, number>>,
  deletedAt: number | undefined,
): Promise<void> {
  await tx.query(countStatement, [
    id,
    JSON.stringify(rows),
    deletedAt === undefined ? null : instantText(deletedAt),
  ]);
}
