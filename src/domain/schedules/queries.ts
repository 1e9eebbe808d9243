import type { Snapshot } from "../../core/data-snapshot.ts";
import type { Database } from "../../db/database.ts";
import {
  byShape,
  type Page,
  type PageReach,
  type PageRow,
  pageStatement,
  pageValues,
  reachOf,
  toPage,
} from "../../db/pages.ts";
import { pooled } from "../../db/statements.ts";
import type { ScheduleSpan } from "../recurrence/schedule.ts";
import type { SessionSeries } from "../recurrence/series.ts";
import type { Schedule, ScheduleQuery } from "./schema.ts";

export const scheduleColumns = `
  r.id, r.service_type_id as "serviceTypeId", r.location_id as "locationId", nullif(r.resource_ids, '{}') as "resourceIds",
  r.start, r.duration_minutes as "durationMinutes", r.capacity, r.rrule, nullif(r.exdates, '{}') as exdates,
  nullif(r.rdates, '{}') as rdates, r.continues_id as "continuesId", r.last_slot as "lastSlot"`;

const findStatement = pooled(
  "find_schedule",
  `select ${scheduleColumns} from schedules r where r.organization_id = $1 and r.id = $2`,
);

export async function findSchedule(
  db: Database,
  organizationId: string,
  id: string,
): Promise<Schedule | undefined> {
  const [schedule] = await db.query<Schedule>(findStatement, [organizationId, id]);
  return schedule;
}

/** A schedule as it is stored: what it says, and its span. */
export interface ScheduleWrite {
  readonly id: string;
  readonly series: SessionSeries;
  readonly span: ScheduleSpan;
  readonly continuesId?: string | undefined;
}

const insertStatement = pooled(
  "insert_schedule",
  `insert into schedules (organization_id, id, service_type_id, location_id, resource_ids, start, duration_minutes, rrule,
     exdates, rdates, capacity, first_slot, last_slot, counted_slot, continues_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
);

export async function insertSchedule(
  tx: Database,
  organizationId: string,
  schedule: ScheduleWrite,
): Promise<void> {
  await tx.query(insertStatement, [...valuesOf(organizationId, schedule), schedule.continuesId ?? null]);
}

const updateStatement = pooled(
  "update_schedule",
  `update schedules set service_type_id = $3, location_id = $4, resource_ids = $5, start = $6, duration_minutes = $7,
     rrule = $8, exdates = $9, rdates = $10, capacity = $11, first_slot = $12, last_slot = $13, counted_slot = $14
   where organization_id = $1 and id = $2`,
);

export async function updateSchedule(
  tx: Database,
  organizationId: string,
  schedule: ScheduleWrite,
): Promise<void> {
  await tx.query(updateStatement, valuesOf(organizationId, schedule));
}

function valuesOf(organizationId: string, { id, series, span }: ScheduleWrite): unknown[] {
  return [
    organizationId,
    id,
    series.serviceTypeId,
    series.locationId,
    series.resourceIds,
    series.start,
    series.durationMinutes,
    series.rrule ?? null,
    series.exdates,
    series.rdates,
    series.capacity,
    span.firstSlot,
    span.lastSlot ?? null,
    span.countedSlot ?? null,
  ];
}

const deleteStatement = pooled(
  "delete_schedule",
  "delete from schedules where organization_id = $1 and id = $2",
);

const forgetStatement = pooled(
  "forget_continued_schedule",
  "update schedules set continues_id = null where organization_id = $1 and continues_id = $2",
);

/** Deletes a schedule that has no stored session. One that took over from it stands for itself then. */
export async function removeSchedule(tx: Database, organizationId: string, id: string): Promise<void> {
  await tx.query(forgetStatement, [organizationId, id]);
  await tx.query(deleteStatement, [organizationId, id]);
}

const countSessionsStatement = pooled(
  "count_sessions_of_schedule",
  "select count(*) as count from sessions where organization_id = $1 and schedule_id = $2",
);

export async function countSessionsOf(tx: Database, organizationId: string, id: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(countSessionsStatement, [organizationId, id]);
  return row?.count ?? 0;
}

const listStatement = byShape((reach: PageReach) =>
  pageStatement({
    name: "list_schedules",
    reads: ["catalog"],
    table: "schedules",
    columns: scheduleColumns,
    source: ({ holds }) => `
      select id from schedules
      where organization_id = $1 and ($4::uuid is null or location_id = $4)
        and ($5::uuid is null or service_type_id = $5)
        and ($6::date is null or last_slot is null or last_slot >= $6)
        and ($7::date is null or last_slot < $7)${holds("id")}`,
    reach,
  }),
);

/** A page of schedules, newest first. */
export async function listSchedules(
  db: Database,
  organizationId: string,
  query: ScheduleQuery,
): Promise<Snapshot<Page<Schedule>>> {
  const filters = [
    query.locationId ?? null,
    query.serviceTypeId ?? null,
    query.endsFrom ?? null,
    query.endsBefore ?? null,
  ];
  const rows = await db.query<Schedule & PageRow>(listStatement(reachOf(query)), [
    ...pageValues(organizationId, query),
    ...filters,
  ]);
  return toPage(rows, query, (row) => row);
}
