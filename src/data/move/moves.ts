import type pg from "pg";
import { instantText } from "../../core/clock.ts";
import { conflict } from "../../core/errors.ts";
import { ORGANIZATION_TABLES } from "../backup/organization-tables.ts";
import { databaseOf } from "../backup/snapshot.ts";

/** What both servers say of a move, and how its rows are removed again. */

/** One move of one organization. */
export interface Move {
  readonly id: string;
  readonly organizationId: string;
  /** The public address of the target. */
  readonly url: string;
  /** Which database that is, wherever it is reached; empty in what the target knows. */
  readonly target: string;
}

/** A move as one of its two servers knows it. */
export interface KnownMove extends Move {
  readonly side: "source" | "target";
  /** At the source: it has left. At the target: it has arrived. */
  readonly hasLeft: boolean;
}

/** Writes into the trail of a server that it has moved. */
export type RecordMove = (connection: pg.Client) => Promise<void>;

export async function findMove(
  connection: pg.Client,
  organizationId: string,
): Promise<KnownMove | undefined> {
  const { rows } = await connection.query<KnownMove>(
    `select m.id, m.organization_id as "organizationId", m.url, m.side, coalesce(m.target, '') as target, exists (
       select from organization_departures d where d.organization_id = m.organization_id and d.move_id = m.id
     ) as "hasLeft"
     from organization_moves m where m.organization_id = $1`,
    [organizationId],
  );
  return rows[0];
}

/** What tells a database from any other, wherever it is reached and whoever leads its cluster. */
export async function identifyDatabase(connection: pg.Client): Promise<string> {
  const { rows } = await connection.query<{ history: string }>(
    "select value as history from facts where name = 'history'",
  );
  return rows[0]?.history ?? "";
}

export async function hasOrganization(connection: pg.Client, organizationId: string): Promise<boolean> {
  const { rows } = await connection.query("select from organizations where id = $1", [organizationId]);
  return rows.length > 0;
}

/**
 * Begins a move at the source, where nothing changes by it. The cursors of the change feed are bound to the history of this
 * database from now on, wherever they are read.
 */
export async function beginAtSource(
  source: pg.Client,
  { id, organizationId, url, target }: Move,
): Promise<void> {
  await within(source, id, async () => {
    await source.query(
      "insert into organization_moves (organization_id, id, side, url, target) values ($1, $2, 'source', $3, $4)",
      [organizationId, id, url, target],
    );
    await source.query("update organizations set moving = $2 where id = $1", [organizationId, id]);
    await source.query(
      `update change_heads set past = coalesce(past, (select value from facts where name = 'history'))
       where organization_id = $1`,
      [organizationId],
    );
  });
}

/** Whatever a move has come to, callers can be led to another address of the same database. */
export async function leadTo(source: pg.Client, { id }: Move, url: string): Promise<void> {
  await source.query("update organization_moves set url = $2 where id = $1", [id, url]);
}

/** Before the first row arrives: what arrives is not served before all of it is there. */
export async function expectAtTarget(target: pg.Client, { id, organizationId, url }: Move): Promise<void> {
  await target.query(
    `insert into organization_moves (organization_id, id, side, url) values ($1, $2, 'target', $3)
     on conflict do nothing`,
    [organizationId, id, url],
  );
}

/** From now on no webhook is begun here; resolves to whether one may be under way still. */
export async function closeWebhooks(
  source: pg.Client,
  organizationId: string,
  now: number,
): Promise<boolean> {
  await source.query(
    "update organization_moves set is_closing = true where organization_id = $1 and not is_closing",
    [organizationId],
  );
  const { rows } = await source.query(
    `select from webhook_endpoints
     where organization_id = $1 and lease_token is not null and leased_until > $2::timestamptz`,
    [organizationId, instantText(now)],
  );
  return rows.length > 0;
}

export async function openWebhooks(source: pg.Client, organizationId: string): Promise<void> {
  await source.query("update organization_moves set is_closing = false where organization_id = $1", [
    organizationId,
  ]);
}

/** A transaction that writes to the organization for long, such as an import. */
export interface LongWrite {
  readonly pid: number;
  readonly application: string;
  readonly seconds: number;
}

/** One that is likely to go on for longer than others may be kept waiting: nobody is made to wait for it. */
export async function findLongWrite(source: pg.Client, { id }: Move): Promise<LongWrite | undefined> {
  // PostgreSQL's own, by which transactions begin.
  const now = await databaseOf(source, {}).now();
  const { rows } = await source.query<LongWrite>(
    `select a.pid, a.application_name as application, extract(epoch from $2::timestamptz - a.xact_start)::int as seconds
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.objsubid = 1 and l.mode = 'ShareLock' and l.granted
       and l.database = (select oid from pg_database where datname = current_database())
       and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended($1, 0)
       and a.xact_start < $2::timestamptz - interval '500 ms'
     order by a.xact_start limit 1`,
    [id, instantText(now)],
  );
  return rows[0];
}

/**
 * The organization leaves the source. Whoever is writing to it is waited for, and whoever comes meanwhile waits behind: for a
 * moment, after which they go on and this fails. `record` is called once in a move, in the transaction in which it leaves.
 */
export async function leave(
  source: pg.Client,
  { id, organizationId }: Move,
  record: RecordMove,
): Promise<void> {
  await within(source, id, async () => {
    await source.query("set local lock_timeout = '500ms'");
    await source.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [id]);
    const { rowCount } = await source.query(
      "insert into organization_departures (organization_id, move_id) values ($1, $2) on conflict do nothing",
      [organizationId, id],
    );
    if (rowCount) await record(source);
  });
}

/**
 * The target has it like any other organization; nothing there says any more that it has come. `record` is called once in a
 * move, in the transaction.
 */
export async function settleAtTarget(
  target: pg.Client,
  { id, organizationId }: Move,
  record: RecordMove,
): Promise<void> {
  await within(target, id, async () => {
    // Its life here was that of the move from the beginning.
    await target.query("update organizations set moving = null, life = $2 where id = $1 and moving = $2", [
      organizationId,
      id,
    ]);
    if (await forgetMove(target, organizationId)) await record(target);
  });
}

/** The source keeps it. */
export async function stayAtSource(source: pg.Client, { id, organizationId }: Move): Promise<void> {
  await within(source, id, async () => {
    await source.query("update organizations set moving = null where id = $1 and moving = $2", [
      organizationId,
      id,
    ]);
    await forgetMove(source, organizationId);
  });
}

/** Whether there was one. */
async function forgetMove(connection: pg.Client, organizationId: string): Promise<boolean> {
  await connection.query("delete from organization_departures where organization_id = $1", [organizationId]);
  const { rowCount } = await connection.query("delete from organization_moves where organization_id = $1", [
    organizationId,
  ]);
  return rowCount === 1;
}

/** Removes every row of the organization from a server that does not have it. */
export async function removeRows(connection: pg.Client, { id, organizationId }: Move): Promise<void> {
  await within(connection, id, async () => {
    for (const { name, column } of ORGANIZATION_TABLES.toReversed())
      await connection.query(`delete from ${name} where ${column} = $1`, [organizationId]);
    // What triggers have noted of that.
    for (const name of ["change_log", "change_heads", "staff_versions", "organization_uploads"])
      await connection.query(`delete from ${name} where organization_id = $1`, [organizationId]);
    await forgetMove(connection, organizationId);
  });
}

/** The first table with a row of the organization. */
export async function findRows(connection: pg.Client, organizationId: string): Promise<string | undefined> {
  for (const { name, column } of ORGANIZATION_TABLES) {
    const { rows } = await connection.query(`select from ${name} where ${column} = $1 limit 1`, [
      organizationId,
    ]);
    if (rows.length > 0) return name;
  }
  return undefined;
}

/** A transaction that the guards let through. */
async function within(connection: pg.Client, moveId: string, work: () => Promise<void>): Promise<void> {
  await connection.query("begin");
  try {
    await connection.query("select set_config('rollbook.removes', $1, true)", [moveId]);
    await work();
    await connection.query("commit");
  } catch (error) {
    await connection.query("rollback").catch(() => {});
    throw error;
  }
}

/** So that nobody else moves the organization at the same time; it is given back with the connection. */
export async function holdMove(source: pg.Client, organizationId: string): Promise<void> {
  const { rows } = await source.query<{ isHeld: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('move ' || $1, 0)) as "isHeld"`,
    [organizationId],
  );
  if (!rows[0]?.isHeld) throw conflict("Another command is moving this organization.");
}
