import { MS_PER_MINUTE } from "../../core/dates.ts";
import type { Database } from "../../db/database.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import {
  claimFree,
  dropOutdatedClaims,
  listClassSchedules,
  listStoredClasses,
  listUnclaimed,
  lockResources,
  type UnclaimedSession,
} from "./claim-queries.ts";
import { findFreeSlot } from "./free-slots.ts";

/**
 * An import states facts, so that nothing it brings is refused for the sake of a resource. Claims that do not belong to
 * their sessions any more are dropped, and those that are missing are made where they fit. Returns the sessions to come
 * that stand without, because another session has the resource.
 */
export async function claimImported(tx: Database, organizationId: string, now: number): Promise<string[]> {
  await dropOutdatedClaims(tx, organizationId);
  const wanted = await listUnclaimed(tx, organizationId, now);
  if (wanted.length === 0) return [];
  const resourceIds = [...new Set(wanted.flatMap((session) => session.resourceIds))];
  await lockResources(tx, organizationId, resourceIds);
  const meetsClass = await classesBeside(tx, organizationId, wanted, resourceIds);
  const free: string[] = [];
  for (const session of wanted) if (!(await meetsClass(session))) free.push(session.id);
  await claimFree(tx, organizationId, free);
  return (await listUnclaimed(tx, organizationId, now)).map(({ id }) => id);
}

/** Says of a session whether a class has one of its resources at its time. The schedules are read and compiled once. */
async function classesBeside(
  tx: Database,
  organizationId: string,
  wanted: readonly UnclaimedSession[],
  resourceIds: readonly string[],
): Promise<(session: UnclaimedSession) => Promise<boolean>> {
  const startAt = wanted.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY);
  const endAt = wanted.reduce((most, { endMs }) => Math.max(most, endMs), 0);
  const schedules = await listClassSchedules(tx, organizationId, { resourceIds }, { startAt, endAt });
  const compiled = schedules.map((schedule) => ({
    ...schedule,
    compiled: compileTexts(schedule, schedule.timezone),
  }));
  return async ({ id, resourceIds: own, startMs, endMs }) => {
    const during = { id, startAt: startMs, endAt: endMs };
    if ((await listStoredClasses(tx, organizationId, own, during)).length > 0) return true;
    for (const schedule of compiled) {
      if (!schedule.resourceIds.some((resource) => own.includes(resource))) continue;
      const fromMs = startMs - schedule.durationMinutes * MS_PER_MINUTE + 1;
      if (await findFreeSlot(tx, organizationId, schedule, { fromMs, toMs: endMs })) return true;
    }
    return false;
  };
}
