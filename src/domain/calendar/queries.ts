import { MS_PER_DAY } from "../../core/dates.ts";
import { versionSum } from "../../db/data-version.ts";
import type { Database } from "../../db/database.ts";
import { pooled, read, replanned, type Statement } from "../../db/statements.ts";
import { timestampText } from "../../db/timestamps.ts";
import { WALL_SLACK_MS } from "../recurrence/zones.ts";
import {
  alikeColumns,
  alikeText,
  type CalendarWindow,
  type NumberedSessionRow,
  type ScheduleRow,
  type SessionFilter,
  type SessionKindRow,
  type SessionRow,
  type TakenSlotRow,
} from "./calendar-rows.ts";
import type { CalendarNames } from "./session-records.ts";

/** Schedules are of the catalog; the sessions of a calendar are of both. */
export interface CalendarVersions {
  readonly catalogVersion: number;
  readonly version: number;
}

const versionText = `
  select ${versionSum(["catalog"])} as "catalogVersion", ${versionSum(["catalog", "sessions"])} as version
  from organization_counters c where c.organization_id = $1`;
const NO_VERSIONS: CalendarVersions = { catalogVersion: Number.NaN, version: Number.NaN };

const sessionColumns = `
  s.id, (extract(epoch from s.start_at) * 1000)::bigint as "startMs",
  (extract(epoch from s.original_start) / 60)::bigint as "slotMinute"`;

const liesInWindow = "s.start_at >= $2 and s.start_at < $3";
const mayTakeSlot = "s.schedule_id is not null and s.original_start >= $4 and s.original_start < $5";

/** A long window may bring many rows: it must not hold up the short reads behind it. */
function byLength(name: string, text: string): (window: CalendarWindow) => Statement {
  const [short, long] = [read(name, text), pooled(name, text)];
  return ({ fromMs, toMs }) => (toMs - fromMs > LONG_MS ? long : short);
}
const LONG_MS = 32 * MS_PER_DAY;

const fewSessions = byLength(
  "read_sessions",
  `select v.*, r.* from (${versionText}) v left join (
     select ${sessionColumns}, ${alikeText} as alike from sessions s
     where s.organization_id = $1 and ((${liesInWindow}) or (${mayTakeSlot}))
     limit $6
   ) r on true`,
);

/**
 * The stored sessions that lie in the window or stand for a slot that may, in no order and up to a limit, together with
 * the versions in the same snapshot.
 */
export async function readFewSessions(
  db: Database,
  organizationId: string,
  window: CalendarWindow,
  limit: number,
): Promise<CalendarVersions & { sessions: SessionRow[] }> {
  // The versions stand in every row, and in one without a session if there is none.
  const rows = await db.query<SessionRow & CalendarVersions>(fewSessions(window), [
    ...windowValues(organizationId, window),
    limit,
  ]);
  const { catalogVersion, version } = rows[0] ?? NO_VERSIONS;
  return {
    catalogVersion,
    version,
    sessions: rows.filter(({ id }) => id !== undefined),
  };
}

const beginSnapshot = replanned("set transaction isolation level repeatable read, read only");
const findVersions = pooled("find_calendar_versions", versionText);

/** Lets all that a transaction reads from here on be of one snapshot, and gives the versions in it. */
export async function openSnapshot(tx: Database, organizationId: string): Promise<CalendarVersions> {
  const [, [found]] = await Promise.all([
    tx.query(beginSnapshot),
    tx.query<CalendarVersions>(findVersions, [organizationId]),
  ]);
  return found ?? NO_VERSIONS;
}

/** Of a row called `s`, by four parameters: those of `filterValues`. */
const passesFilter = (scheduleColumn: string, first: number) =>
  `($${first}::uuid is null or s.location_id = $${first})
   and ($${first + 1}::uuid is null or s.service_type_id = $${first + 1})
   and ($${first + 2}::uuid is null or s.${scheduleColumn} = $${first + 2})
   and ($${first + 3}::text is null or $${first + 3} = any (s.resource_ids))`;

function filterValues({ locationId, serviceTypeId, scheduleId, resourceId }: SessionFilter): unknown[] {
  return [locationId, serviceTypeId, scheduleId, resourceId].map((value) => value ?? null);
}

const isPicked = `${liesInWindow} and ${passesFilter("schedule_id", 4)}`;

/**
 * A number for all that a session shares with those of its kind. To write that out for each of many sessions took
 * PostgreSQL more than to find and sort them. Two kinds can have the same number: then another seed gives others.
 */
const kindNumber = (seed: string) =>
  `hash_record_extended(row(${alikeColumns}), ${seed}) & ${Number.MAX_SAFE_INTEGER} as kind`;

const kindPages = paged<SessionKindRow>(
  "session_kinds",
  40,
  // Materialized, because a cursor is planned for its first rows: these would be sorted, which takes four times as long.
  `with kinds as materialized (
     select ${kindNumber("$8")}, ${alikeText} as alike from sessions s
     where s.organization_id = $1 and ${isPicked}
     group by ${alikeColumns}
   )
   select kind, alike from kinds`,
);

/** The kinds of the window's stored sessions, each once. */
export function pageSessionKinds(
  tx: Database,
  organizationId: string,
  window: CalendarWindow,
  seed: number,
  turn: Turn,
): AsyncGenerator<SessionKindRow[]> {
  return kindPages(tx, turn, [...pickValues(organizationId, window), seed]);
}

const sessionPages = paged<NumberedSessionRow>(
  "sessions",
  80,
  `select ${sessionColumns}, ${kindNumber("$8")} from sessions s
   where s.organization_id = $1 and ${isPicked}
   order by s.start_at, s.location_id, s.service_type_id, s.schedule_id nulls first, s.id`,
);

/** The stored sessions of the window, in the order of the answer. */
export function pageSessions(
  tx: Database,
  organizationId: string,
  window: CalendarWindow,
  seed: number,
  turn: Turn,
): AsyncGenerator<NumberedSessionRow[]> {
  return sessionPages(tx, turn, [...pickValues(organizationId, window), seed]);
}

const movedSlotPages = paged<TakenSlotRow>(
  "moved_slots",
  500,
  `select s.schedule_id as "scheduleId", (extract(epoch from s.original_start) / 60)::bigint as "slotMinute"
   from sessions s
   where s.organization_id = $1 and s.schedule_id is not null
     and s.original_start >= $8 and s.original_start < $9
     and not (${isPicked})`,
);

/**
 * The slots that may lie in the window, of stored sessions that do not belong to it: they were moved, or are of another
 * place or type now.
 */
export function pageMovedSlots(
  tx: Database,
  organizationId: string,
  window: CalendarWindow,
  turn: Turn,
): AsyncGenerator<TakenSlotRow[]> {
  const { fromMs, toMs } = window;
  return movedSlotPages(tx, turn, [
    ...pickValues(organizationId, window),
    ...[timestampText(fromMs - WALL_SLACK_MS), timestampText(toMs + WALL_SLACK_MS)],
  ]);
}

const serviceTypePages = paged<{ readonly id: string; readonly name: string }>(
  "service_type_names",
  1_000,
  "select t.id, t.name from service_types t where t.organization_id = $1",
);
const locationPages = paged<{ readonly id: string; readonly name: string; readonly timezone: string }>(
  "location_names",
  1_000,
  "select l.id, l.name, l.timezone from locations l where l.organization_id = $1",
);

/** The names of everything that sessions may refer to. */
export async function readNames(tx: Database, organizationId: string, turn: Turn): Promise<CalendarNames> {
  const serviceTypes = new Map<string, string>();
  for await (const page of serviceTypePages(tx, turn, [organizationId]))
    for (const { id, name } of page) serviceTypes.set(id, name);
  const locations = new Map<string, { readonly name: string; readonly timezone: string }>();
  for await (const page of locationPages(tx, turn, [organizationId]))
    for (const { id, name, timezone } of page) locations.set(id, { name, timezone });
  return { serviceTypes, locations };
}

const schedulesText = `
  select s.id, s.service_type_id as "serviceTypeId", s.location_id as "locationId",
    nullif(s.resource_ids, '{}') as "resourceIds", s.duration_minutes as "durationMinutes", s.capacity, s.start, s.rrule,
    s.exdates, s.rdates, s.first_slot as "firstSlot", s.last_slot as "lastSlot", s.counted_slot as "countedSlot",
    l.timezone
  from schedules s
  join locations l on l.organization_id = $1 and l.id = s.location_id and l.status = 'active'
  join service_types t on t.organization_id = $1 and t.id = s.service_type_id and t.status = 'active'
  where s.organization_id = $1`;
const schedulesOrder = "order by s.location_id, s.service_type_id, s.id";
/** Each has to be compiled as well. */
const SCHEDULE_ROWS = 200;

const allSchedulePages = paged<ScheduleRow>(
  "schedules",
  SCHEDULE_ROWS,
  `select * from (${schedulesText} limit $2) s order by s."locationId", s."serviceTypeId", s.id`,
);

// Bounded by what it may have to send: dates that are left out or added are as many as the staff likes.
const fewSchedules = read(
  "read_schedules",
  `with few as materialized (${schedulesText} limit $2 + 1)
   select v.*, few.* from (${versionText}) v
   left join few on (select count(*) <= $2 and sum(cardinality(exdates) + cardinality(rdates)) <= $3 from few)
   where few.id is not null or not exists (select from few)
   order by few."locationId", few."serviceTypeId", few.id`,
);
const MAX_FEW_SCHEDULES = 200;
const MAX_FEW_DATES = 1_000;

/** The schedules of an organization that has few, with the version of the catalog in the same snapshot; absent if it has many. */
export async function readFewSchedules(
  db: Database,
  organizationId: string,
): Promise<{ readonly catalogVersion: number; readonly schedules: ScheduleRow[] } | undefined> {
  const rows = await db.query<ScheduleRow & CalendarVersions>(fewSchedules, [
    organizationId,
    MAX_FEW_SCHEDULES,
    MAX_FEW_DATES,
  ]);
  const [first] = rows;
  return (
    first && { catalogVersion: first.catalogVersion, schedules: rows.filter(({ id }) => id !== undefined) }
  );
}

/** All of the organization's schedules, in order if they are not more than the limit. */
export function pageAllSchedules(
  tx: Database,
  organizationId: string,
  limit: number,
  turn: Turn,
): AsyncGenerator<ScheduleRow[]> {
  return allSchedulePages(tx, turn, [organizationId, limit]);
}

const windowSchedulePages = paged<ScheduleRow>(
  "schedules",
  SCHEDULE_ROWS,
  `${schedulesText} and s.first_slot < $3 and (s.last_slot is null or s.last_slot >= $2)
   and ${passesFilter("id", 4)}
   ${schedulesOrder}`,
);

/** The schedules that may have slots in the window, in order. */
export function pageWindowSchedules(
  tx: Database,
  organizationId: string,
  window: CalendarWindow,
  turn: Turn,
): AsyncGenerator<ScheduleRow[]> {
  const { fromMs, toMs } = window;
  const bounds = [timestampText(fromMs - WALL_SLACK_MS), timestampText(toMs + WALL_SLACK_MS)];
  return windowSchedulePages(tx, turn, [organizationId, ...bounds, ...filterValues(window)]);
}

/** Waits until a long answer may go on. */
export type Turn = () => Promise<void>;

/**
 * Reads rows page by page, by a cursor of the transaction: tens of thousands of rows that arrive together would be
 * taken apart by the driver in one turn of the event loop. For the same reason the next page is asked for in turn, when
 * the one before is handed over: pages that came as fast as PostgreSQL sends them would be taken apart out of turn.
 */
function paged<Row extends object>(cursor: string, rows: number, text: string) {
  const declare = replanned(`declare ${cursor} no scroll cursor for ${text}`);
  const fetch = replanned(`fetch ${rows} from ${cursor}`);
  const close = replanned(`close ${cursor}`);
  return async function* pages(tx: Database, turn: Turn, values: readonly unknown[]): AsyncGenerator<Row[]> {
    // Sent together, and each page while the one before is worked on: a round trip for each would add up.
    const ask = (): Promise<Row[]> => {
      const page = tx.query<Row>(fetch);
      page.catch(() => {});
      return page;
    };
    tx.query(declare, values).catch(() => {});
    for (let next = ask(); ; ) {
      const page = await next;
      await turn();
      const isLast = page.length < rows;
      if (!isLast) next = ask();
      if (page.length > 0) yield page;
      // As in a download: something of the query would hold its rows until the garbage collector makes a whole round.
      page.length = 0;
      if (isLast) break;
    }
    await tx.query(close);
  };
}

/** The values of `isPicked`. */
function pickValues(organizationId: string, window: CalendarWindow): unknown[] {
  const { fromMs, toMs } = window;
  return [organizationId, timestampText(fromMs), timestampText(toMs), ...filterValues(window)];
}

function windowValues(organizationId: string, { fromMs, toMs }: CalendarWindow): unknown[] {
  return [
    organizationId,
    timestampText(fromMs),
    timestampText(toMs),
    timestampText(fromMs - WALL_SLACK_MS),
    timestampText(toMs + WALL_SLACK_MS),
  ];
}
