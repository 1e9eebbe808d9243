import { parseWallClock } from "../../src/core/dates.ts";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { planSchedule } from "../../src/domain/recurrence/schedule.ts";
import { findZone, wallToInstant } from "../../src/domain/recurrence/zones.ts";
import { newId } from "./ids.ts";

/** Calendar records, written straight into the tables: the API only reads them. */

const insertType = pooled(
  "test_insert_service_type",
  `insert into service_types (organization_id, id, name, holds_resource, status, search)
   values ($1, $2, 'Class', false, $3, 'class')`,
);

export async function addServiceType(
  db: Database,
  organizationId: string,
  status: "active" | "archived" = "active",
): Promise<string> {
  const id = newId();
  await db.query(insertType, [organizationId, id, status]);
  return id;
}

export interface TestSchedule {
  readonly id?: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly timezone: string;
  readonly start: string;
  readonly durationMinutes?: number;
  readonly rrule?: string;
  readonly exdates?: string[];
  readonly rdates?: string[];
  readonly resourceIds?: string[];
  readonly capacity?: number;
}

const insertSchedule = pooled(
  "test_insert_schedule",
  `with made as (
     insert into schedules (organization_id, id, service_type_id, location_id, resource_ids, start, duration_minutes,
       rrule, exdates, rdates, capacity, first_slot, last_slot, counted_slot)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   )
   update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 0`,
);

export async function addSchedule(
  db: Database,
  organizationId: string,
  schedule: TestSchedule,
): Promise<string> {
  const id = schedule.id ?? newId();
  const zone = findZone(schedule.timezone);
  if (!zone) throw new Error("no such zone");
  const { span, faults } = planSchedule(schedule, zone);
  if (!span) throw new Error(JSON.stringify(faults));
  await db.query(insertSchedule, [
    organizationId,
    id,
    schedule.serviceTypeId,
    schedule.locationId,
    schedule.resourceIds ?? [],
    schedule.start,
    schedule.durationMinutes ?? 60,
    schedule.rrule ?? null,
    schedule.exdates ?? [],
    schedule.rdates ?? [],
    schedule.capacity ?? 10,
    span.firstSlot,
    span.lastSlot ?? null,
    span.countedSlot ?? null,
  ]);
  return id;
}

export interface TestSession {
  readonly id?: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
  readonly timezone: string;
  readonly start: string;
  readonly status?: "scheduled" | "cancelled";
  readonly bookedCount?: number;
  readonly resourceIds?: string[];
}

const insertSession = pooled(
  "test_insert_session",
  `with made as (
     insert into sessions (organization_id, id, schedule_id, original_start, service_type_id, location_id,
       resource_ids, start, start_at, duration_minutes, capacity, booked_count, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 60, 10, $10, $11)
   )
   update organization_counters set catalog_version = catalog_version + 1 where organization_id = $1 and slot = 0`,
);

export async function addSession(
  db: Database,
  organizationId: string,
  session: TestSession,
): Promise<string> {
  const id = session.id ?? newId();
  const zone = findZone(session.timezone);
  const wallMs = parseWallClock(session.start);
  if (!zone || wallMs === undefined) throw new Error("no such zone or wall clock");
  await db.query(insertSession, [
    organizationId,
    id,
    session.scheduleId ?? null,
    session.originalStart ?? null,
    session.serviceTypeId,
    session.locationId,
    session.resourceIds ?? [],
    session.start,
    new Date(wallToInstant(zone, wallMs)).toISOString(),
    session.bookedCount ?? 1,
    session.status ?? "scheduled",
  ]);
  return id;
}
