import type pg from "pg";
import { conflict, notFound, unavailable } from "../../core/errors.ts";
import { findTzdataState, TZDATA_STATE } from "../../domain/calendar/tzdata-work.ts";
import { databaseOf } from "../backup/snapshot.ts";
import { findRows, hasOrganization } from "./moves.ts";
import { findUnfilterable } from "./replication.ts";

interface ReplicationFacts {
  /** The same for two databases of one server. */
  readonly instance: string;
  readonly walLevel: string;
  readonly freeSlots: number;
  readonly senders: number;
  readonly mayReplicate: boolean;
  readonly maySubscribe: boolean;
  readonly user: string;
  readonly tzdata: string;
}

async function readFacts(connection: pg.Client): Promise<ReplicationFacts> {
  // The role that may make subscriptions came with PostgreSQL 16.
  const { rows } = await connection.query<ReplicationFacts>(
    `select (select system_identifier::text from pg_control_system()) || ' ' || pg_postmaster_start_time() as instance,
       current_setting('wal_level') as "walLevel",
       current_setting('max_replication_slots')::int - (select count(*)::int from pg_replication_slots) as "freeSlots",
       current_setting('max_wal_senders')::int as senders,
       r.rolsuper or r.rolreplication as "mayReplicate",
       r.rolsuper or exists (
         select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(p.oid, 'usage')
       ) as "maySubscribe",
       current_user::text as user,
       ${TZDATA_STATE} as tzdata
     from pg_roles r where r.rolname = current_user`,
  );
  const [facts] = rows;
  if (!facts) throw new Error("a role has a row");
  return facts;
}

async function isToBeDeleted(connection: pg.Client, organizationId: string): Promise<boolean> {
  const { rows } = await connection.query(
    "select from organization_deletions where id = $1 and deleted_at is null",
    [organizationId],
  );
  return rows.length > 0;
}

function requireSame(from: string, to: string): void {
  if (from !== to)
    throw conflict(
      "Source and target have different time-zone data: run the same release of Rollbook on both, and try again when it has been taken in.",
    );
}

/** To be asked again before it leaves: what the target takes in meanwhile passes over an organization on its way there. */
export async function requireSameTzdata(source: pg.Client, target: pg.Client): Promise<void> {
  const [from, to] = await Promise.all(
    [source, target].map((connection) => findTzdataState(databaseOf(connection, {}))),
  );
  requireSame(from ?? "", to ?? "");
}

/** Refuses a move that cannot come to its end, before anything is written. */
export async function checkServers(
  { source, target }: { readonly source: pg.Client; readonly target: pg.Client },
  organizationId: string,
  isBegun: boolean,
): Promise<void> {
  if (!(await hasOrganization(source, organizationId)))
    throw notFound("There is no organization with this id on the source, the server of DATABASE_URL.");
  for (const connection of [source, target])
    if (await isToBeDeleted(connection, organizationId))
      throw conflict(
        'This organization is to be deleted: "rollbook org restore" keeps it, so that it can move.',
      );
  const [from, to] = await Promise.all([readFacts(source), readFacts(target)]);
  if (from.instance === to.instance)
    throw conflict(
      "Source and target are the same PostgreSQL: an organization moves from one server to another.",
    );
  if (from.walLevel !== "logical")
    throw unavailable(
      `The source's PostgreSQL has wal_level = ${from.walLevel}: set it to logical in postgresql.conf and restart PostgreSQL.`,
    );
  if (!isBegun && (from.freeSlots < 2 || from.senders < 2))
    throw unavailable(
      "The source's PostgreSQL has no replication slots left: raise max_replication_slots and max_wal_senders, and restart it.",
    );
  if (!from.mayReplicate)
    throw unavailable(
      `The user ${from.user} may not replicate from the source: alter role ${from.user} replication.`,
    );
  if (!to.maySubscribe)
    throw unavailable(
      `The user ${to.user} may not make subscriptions at the target: grant pg_create_subscription to ${to.user}, or before PostgreSQL 16 name a superuser in --to.`,
    );
  requireSame(from.tzdata, to.tzdata);
  const unfilterable = await findUnfilterable(source);
  if (unfilterable.length > 0)
    throw unavailable(
      `These tables have no key that begins with the organization: ${unfilterable.join(", ")}.`,
    );
  const found = isBegun ? undefined : await findRows(target, organizationId);
  if (found !== undefined)
    throw conflict(
      `The target has rows of this organization already, in ${found}. If it lived there once, "rollbook org move ${organizationId} --remove-copy" with the DATABASE_URL of the target removes the old copy.`,
    );
}
