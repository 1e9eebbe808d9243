import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import type { StagedRow } from "./record-tables.ts";

/** Instants and spans that follow from a location's zone. */

const unplacedSchedulesStatement = pooled(
  "import_unplaced_schedules",
  `select line, location_id as "locationId", start, rrule, exdates, rdates
   from import_schedules where first_slot is null and line > $1 order by line limit $2`,
);

export interface UnplacedSchedule {
  readonly line: number;
  readonly locationId: string;
  readonly start: string;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
}

/** Schedules whose location's zone was not known when they were read. */
export function listUnplacedSchedules(
  tx: Database,
  afterLine: number,
  limit: number,
): Promise<UnplacedSchedule[]> {
  return tx.query(unplacedSchedulesStatement, [afterLine, limit]);
}

const placeSchedulesStatement = pooled(
  "import_place_schedules",
  `update import_schedules s
   set first_slot = r.first_slot, last_slot = r.last_slot, counted_slot = r.counted_slot
   from json_to_recordset($1) as r(line integer, first_slot timestamp, last_slot timestamp, counted_slot timestamp)
   where r.line = s.line`,
);

export async function storeScheduleSpans(tx: Database, rows: readonly StagedRow[]): Promise<void> {
  await tx.query(placeSchedulesStatement, [JSON.stringify(rows)]);
}

const openUnplacedSessionsStatement = pooled(
  "import_open_unplaced_sessions",
  `declare import_unplaced no scroll cursor for
   select line, location_id as "locationId", start from import_sessions where start_at is null order by line`,
);
const fetchUnplacedSessionsStatement = pooled(
  "import_fetch_unplaced_sessions",
  "fetch 5000 from import_unplaced",
);
const closeUnplacedSessionsStatement = pooled("import_close_unplaced_sessions", "close import_unplaced");

export interface UnplacedSession {
  readonly line: number;
  readonly locationId: string;
  readonly start: string;
}

/** Sessions whose location's zone was not known when they were read, some at a time. */
export async function* readUnplacedSessions(tx: Database): AsyncGenerator<UnplacedSession[]> {
  await tx.query(openUnplacedSessionsStatement);
  for (;;) {
    const rows = await tx.query<UnplacedSession>(fetchUnplacedSessionsStatement);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query(closeUnplacedSessionsStatement);
}

const stageInstantsStatement = pooled(
  "import_stage_instants",
  "insert into import_instants select * from json_to_recordset($1) as r(line integer, start_at timestamptz)",
);

export async function stageInstants(tx: Database, rows: readonly StagedRow[]): Promise<void> {
  await tx.query(stageInstantsStatement, [JSON.stringify(rows)]);
}

const placeSessionsStatement = pooled(
  "import_place_sessions",
  "update import_sessions s set start_at = i.start_at from import_instants i where i.line = s.line",
);

export async function storeSessionInstants(tx: Database): Promise<void> {
  await tx.query(placeSessionsStatement);
}

const movedLocationsStatement = pooled(
  "import_moved_locations",
  `select s.id, s.timezone from import_locations s
   join locations c on c.organization_id = $1 and c.id = s.id and c.timezone <> s.timezone`,
);

/** Locations that are stored with another time zone than the file gives them. */
export function listMovedLocations(
  tx: Database,
  organizationId: string,
): Promise<{ id: string; timezone: string }[]> {
  return tx.query(movedLocationsStatement, [organizationId]);
}

// The last date that can be written has no day after it.
const daysAfterTermsStatement = pooled(
  "import_days_after_terms",
  `select distinct end_date + 1 as day from import_contracts
   where status in ('active', 'paused') and end_date > ($1::timestamptz)::date - 3 and end_date < '9999-12-31'`,
);

/** The days after the terms of staged contracts that have not ended days ago. */
export async function listDaysAfterTerms(tx: Database): Promise<string[]> {
  const rows = await tx.query<{ day: string }>(daysAfterTermsStatement, [instantText(await tx.now())]);
  return rows.map(({ day }) => day);
}

const stageDaysStatement = pooled(
  "import_stage_days",
  `insert into import_days select * from json_to_recordset($1) as r(day date, begins_at timestamptz)
   on conflict do nothing`,
);

export async function stageDays(tx: Database, rows: readonly StagedRow[]): Promise<void> {
  await tx.query(stageDaysStatement, [JSON.stringify(rows)]);
}
