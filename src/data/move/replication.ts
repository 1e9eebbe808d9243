import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { unavailable } from "../../core/errors.ts";
import { ORGANIZATION_TABLES } from "../backup/organization-tables.ts";
import type { KnownMove, Move } from "./moves.ts";

/** PostgreSQL's own logical replication, of the rows of one organization: a publication at the source, a subscription at the target. */

const PUBLISHED = [
  ...ORGANIZATION_TABLES,
  { name: "organization_departures", column: "organization_id" } as const,
];

const POLL_MS = 20;
/** How long the workers of PostgreSQL are waited for when a subscription ends. */
const WORKERS_MS = 30_000;

const STREAM = "rollbook_move_";

/** Of publication, subscription and slot. */
export function streamName({ id }: Pick<Move, "id">): string {
  return `${STREAM}${id.replaceAll("-", "")}`;
}

export interface UnfinishedMove extends KnownMove {
  readonly begunAt: Date;
}

/** The moves of a server that are not done: from there with what they publish, or to there. */
export async function findUnfinished(connection: pg.Client): Promise<UnfinishedMove[]> {
  const { rows } = await connection.query<UnfinishedMove>(
    `select * from (
       select m.id, m.organization_id as "organizationId", m.url, m.side, coalesce(m.target, '') as target, exists (
           select from organization_departures d where d.organization_id = m.organization_id and d.move_id = m.id
         ) as "hasLeft", m.begun_at as "begunAt"
       from organization_moves m
     ) k
     where k.side = 'target' or not k."hasLeft"
       or exists (select from pg_publication where pubname = $1 || replace(k.id::text, '-', ''))
     order by k."begunAt", k."organizationId"`,
    [STREAM],
  );
  return rows;
}

/**
 * Tables whose updates and deletes cannot be told apart by organization: a publication with its row filter would make
 * PostgreSQL refuse them for all organizations.
 */
export async function findUnfilterable(source: pg.Client): Promise<string[]> {
  const { rows } = await source.query<{ name: string }>(
    `select t.name from unnest($1::text[], $2::text[]) as t (name, "column")
     join pg_class c on c.relname = t.name and c.relnamespace = current_schema()::regnamespace
     where c.relreplident <> 'f' and not exists (
       select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
       where i.indrelid = c.oid and a.attname = t.column
         and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end
     )`,
    [PUBLISHED.map(({ name }) => name), PUBLISHED.map(({ column }) => column)],
  );
  return rows.map(({ name }) => name);
}

export async function publish(source: pg.Client, move: Move): Promise<void> {
  const name = streamName(move);
  const { rows } = await source.query("select from pg_publication where pubname = $1", [name]);
  if (rows.length > 0) return;
  const organization = source.escapeLiteral(move.organizationId);
  const tables = PUBLISHED.map((table) => `${table.name} where (${table.column} = ${organization})`);
  await source.query(`create publication ${name} for table ${tables.join(", ")}`);
}

export async function isPublished(source: pg.Client, move: Move): Promise<boolean> {
  const { rows } = await source.query("select from pg_publication where pubname = $1", [streamName(move)]);
  return rows.length > 0;
}

export async function unpublish(source: pg.Client, move: Move): Promise<void> {
  await source.query(`drop publication if exists ${streamName(move)}`);
}

/**
 * Begins to copy the organization to the target, and to follow what is written meanwhile. `sourceUrl` is where the target's
 * PostgreSQL finds the source.
 */
export async function subscribe(
  { source, target }: { readonly source: pg.Client; readonly target: pg.Client },
  move: Move,
  sourceUrl: string,
): Promise<void> {
  const name = streamName(move);
  const { rows } = await target.query("select from pg_subscription where subname = $1", [name]);
  if (rows.length > 0) return;
  // Left by a command that was killed half-way.
  await dropSlots(source, name, undefined);
  await raiseLogIds(source, target);
  try {
    await target.query(
      `create subscription ${name} connection ${target.escapeLiteral(sourceUrl)} publication ${name} with (streaming = off)`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : "no cause was given";
    throw unavailable(
      `The target's PostgreSQL cannot follow the source: ${reason}. It needs an address of the source that it can reach (--from) and the right to make subscriptions.`,
      error,
    );
  }
}

/** What was noted at the source and has no number yet must not meet ids that the target gives, nor come behind them. */
async function raiseLogIds(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ last: string }>(
    "select last_value::text as last from pg_sequences where sequencename = 'change_log_id_seq'",
  );
  await target.query(
    `select setval('change_log_id_seq', greatest($1::bigint + 1000000000, (select last_value from change_log_id_seq)))`,
    [rows[0]?.last ?? "0"],
  );
}

/** How far the first copy is. */
export interface CopyProgress {
  readonly tables: number;
  readonly copied: number;
  /** How often a worker has failed since the subscription was made. */
  readonly failures: number;
}

export async function copyProgress(target: pg.Client, move: Move): Promise<CopyProgress> {
  const { rows } = await target.query<CopyProgress>(
    `select count(*)::int as tables, count(*) filter (where r.srsubstate = 'r')::int as copied,
       coalesce((select apply_error_count + sync_error_count from pg_stat_subscription_stats t where t.subid = s.oid), 0)::int
         as failures
     from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid where s.subname = $1 group by s.oid`,
    [streamName(move)],
  );
  return rows[0] ?? { tables: 0, copied: 0, failures: 0 };
}

export async function analyze(target: pg.Client): Promise<void> {
  await target.query(`analyze ${PUBLISHED.map(({ name }) => name).join(", ")}`);
}

/** How long a row takes from the source to the target now, in milliseconds; undefined if it takes longer than it may. */
export async function measureLag(
  { source, target }: { readonly source: pg.Client; readonly target: pg.Client },
  { organizationId, id }: Move,
  withinMs: number,
): Promise<number | undefined> {
  // A departure of another id says nothing to anybody.
  await source.query("delete from organization_departures where organization_id = $1 and move_id <> $2", [
    organizationId,
    id,
  ]);
  const { rows } = await source.query<{ probe: string }>(
    `insert into organization_departures (organization_id, move_id) values ($1, gen_random_uuid())
     returning move_id as probe`,
    [organizationId],
  );
  const begunAt = performance.now();
  const isThere = await hasArrived(target, { organizationId, id: rows[0]?.probe ?? "" }, withinMs);
  return isThere ? performance.now() - begunAt : undefined;
}

/** Waits for a departure to be at the target. */
export async function hasArrived(
  target: pg.Client,
  { organizationId, id }: Pick<Move, "organizationId" | "id">,
  withinMs: number,
): Promise<boolean> {
  for (const deadline = performance.now() + withinMs; ; ) {
    const { rows } = await target.query(
      "select from organization_departures where organization_id = $1 and move_id = $2",
      [organizationId, id],
    );
    if (rows.length > 0) return true;
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
}

/** Ends the subscription with its slots: nothing arrives after it. Each part may be gone already. */
export async function unsubscribe(
  { source, target }: { readonly source: pg.Client; readonly target: pg.Client },
  move: Move,
): Promise<void> {
  const name = streamName(move);
  const { rows } = await target.query<{ oid: string }>(
    "select oid::text from pg_subscription where subname = $1",
    [name],
  );
  const [found] = rows;
  if (found) {
    await target.query(`alter subscription ${name} disable`);
    await waitFor("the workers of the subscription end", async () => {
      const { rows: workers } = await target.query(
        "select from pg_stat_subscription where subname = $1 and pid is not null",
        [name],
      );
      return workers.length === 0;
    });
  }
  await dropSlots(source, name, found?.oid);
  if (!found) return;
  await target.query(`alter subscription ${name} set (slot_name = none)`);
  await target.query(`drop subscription ${name}`);
}

/** That of the subscription, and those of its tables that were being copied. */
async function dropSlots(source: pg.Client, name: string, subscription: string | undefined): Promise<void> {
  const copies = subscription === undefined ? null : `pg\\_${subscription}\\_sync\\_%`;
  const listed = async () => {
    const { rows } = await source.query<{ name: string; active: boolean }>(
      `select slot_name::text as name, active from pg_replication_slots
       where database = current_database() and (slot_name = $1 or slot_name like $2)`,
      [name, copies],
    );
    return rows;
  };
  await waitFor(
    "the source lets go of the replication slot",
    async () => !(await listed()).some(({ active }) => active),
  );
  for (const slot of await listed()) await source.query("select pg_drop_replication_slot($1)", [slot.name]);
}

async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + WORKERS_MS; !(await isSo()); await delay(POLL_MS * 5))
    if (performance.now() > deadline)
      throw unavailable(`After half a minute it is not so that ${what}: run the command again.`);
}
