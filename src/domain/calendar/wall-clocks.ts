import { parseWallClock } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { planSchedule, type ScheduleTexts } from "../recurrence/schedule.ts";
import { wallToInstant, type Zone, zoneOfLocation } from "../recurrence/zones.ts";

/**
 * A location has another timezone now. Its schedules and sessions keep their wall clocks, so the instants of its
 * stored sessions move, and with them the spans of schedules that end at an instant.
 */
export async function keepWallClocks(
  tx: Database,
  organizationId: string,
  location: { readonly id: string; readonly timezone: string },
): Promise<void> {
  const zone = zoneOfLocation(location.timezone);
  const place = [organizationId, location.id];
  for (let after: string | null = null; ; ) {
    const sessions: SessionStart[] = await tx.query<SessionStart>(sessionsStatement, [...place, after]);
    const last = sessions.at(-1);
    if (!last) break;
    after = last.id;
    await tx.query(moveSessionsStatement, [organizationId, ...instants(sessions, zone)]);
  }
  const schedules = await tx.query<StoredTexts>(schedulesStatement, place);
  const spans = schedules.flatMap((schedule) => {
    const { span } = planSchedule(schedule, zone);
    return span ? [{ id: schedule.id, ...span }] : [];
  });
  await tx.query(moveSchedulesStatement, [
    organizationId,
    spans.map(({ id }) => id),
    spans.map(({ firstSlot }) => firstSlot),
    spans.map(({ lastSlot }) => lastSlot ?? null),
    spans.map(({ countedSlot }) => countedSlot ?? null),
  ]);
}

interface SessionStart {
  readonly id: string;
  readonly start: string;
}

type StoredTexts = ScheduleTexts & { readonly id: string };

function instants(sessions: readonly SessionStart[], zone: Zone): [string[], string[]] {
  const ids: string[] = [];
  const starts: string[] = [];
  for (const { id, start } of sessions) {
    const wallMs = parseWallClock(start);
    if (wallMs === undefined) throw new Error("a stored session has a wall clock that cannot be read");
    ids.push(id);
    starts.push(new Date(wallToInstant(zone, wallMs)).toISOString());
  }
  return [ids, starts];
}

const sessionsStatement = pooled(
  "list_session_starts_at",
  `select id, start from sessions
   where organization_id = $1 and location_id = $2 and ($3::uuid is null or id > $3) order by id limit 5000`,
);

const moveSessionsStatement = pooled(
  "move_sessions",
  `update sessions s set start_at = m.start_at
   from unnest($2::uuid[], $3::timestamptz[]) as m (id, start_at)
   where s.organization_id = $1 and s.id = m.id and s.start_at <> m.start_at`,
);

const schedulesStatement = pooled(
  "list_schedule_texts_at",
  `select id, start, rrule, exdates, rdates from schedules
   where organization_id = $1 and location_id = $2 and rrule is not null order by id`,
);

const moveSchedulesStatement = pooled(
  "move_schedules",
  `update schedules s set first_slot = m.first_slot, last_slot = m.last_slot, counted_slot = m.counted_slot
   from unnest($2::uuid[], $3::timestamp[], $4::timestamp[], $5::timestamp[])
     as m (id, first_slot, last_slot, counted_slot)
   where s.organization_id = $1 and s.id = m.id
     and (s.first_slot, s.last_slot, s.counted_slot) is distinct from (m.first_slot, m.last_slot, m.counted_slot)`,
);
