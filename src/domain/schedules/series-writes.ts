import { isDeepStrictEqual } from "node:util";
import type { ChangeCounts } from "../../core/written.ts";
import { moveBookingsOf, promoteInto } from "../bookings/session-bookings.ts";
import { toLockedSession } from "../calendar/locked-session.ts";
import {
  type LockedSchedule,
  type LockedSessionRow,
  lockSessions,
  untieSessions,
  writeSessions,
} from "../calendar/session-queries.ts";
import { claimResources, dropClaims, refuseClaimedClass } from "../resources/claims.ts";
import { cancelSessions } from "../sessions/withdrawing.ts";
import type { OpenWrite } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import type { CarriedSession } from "./carried-sessions.ts";
import { insertSchedule, updateSchedule } from "./queries.ts";
import type { SeriesPlan } from "./series-edit.ts";

/** What an edit of a series plans, carried out: schedules and sessions are written, bookings and resources follow. */

interface Continuation {
  /** Of the schedule that the sessions belong to from now on. */
  readonly id: string;
  readonly stored: readonly LockedSessionRow[];
}

/** Writes what an edit plans, and counts what changed. */
export async function carryOutEdit(
  open: OpenWrite,
  schedule: LockedSchedule,
  plan: SeriesPlan,
  { id, stored }: Continuation,
): Promise<ChangeCounts> {
  const { tx, organizationId } = open;
  const { ended, edited, carried } = plan;
  if (ended) {
    await updateSchedule(tx, organizationId, { id: schedule.id, ...ended });
    await insertSchedule(tx, organizationId, { id, ...edited, continuesId: schedule.id });
  } else {
    await updateSchedule(tx, organizationId, { id, ...edited });
    // Names go round: each is free before another session gets it.
    await untieSessions(tx, organizationId, [...carried.map((session) => session.id), ...plan.detached]);
  }
  const cancelled = stored.filter((session) => plan.cancelled.includes(session.id));
  const counts = await cancelSessions(open, cancelled);
  await writeSessions(
    tx,
    organizationId,
    carried.map((session) => ({ ...session, scheduleId: id })),
  );
  const moved = await moveBookingsOf(
    open,
    carried.filter(({ isMoved }) => isMoved),
  );
  const followed = await followUp(open, carried, stored);
  const detached = plan.detached.filter((sessionId) => !carried.some((session) => session.id === sessionId));
  const sessions = counts.sessions + carried.length + detached.length;
  return {
    ...counts,
    // Those whose classes were cancelled got credits back, those from the lines drew some.
    contracts: counts.contracts + followed.contracts,
    sessions,
    bookings: counts.bookings + moved + followed.bookings,
    promoted: followed.promoted,
  };
}

/** Lets carried sessions take their resources again, and fills seats that were added from the lines. */
async function followUp(
  open: OpenOrganization,
  carried: readonly CarriedSession[],
  stored: readonly LockedSessionRow[],
): ReturnType<typeof promoteInto> {
  const { tx, organizationId } = open;
  const before = new Map(stored.map((session) => [session.id, session]));
  const scheduled = carried.filter(({ status }) => status === "scheduled");
  const needsOther = (session: CarriedSession) => {
    const was = before.get(session.id);
    return (
      session.isMoved ||
      was?.durationMinutes !== session.durationMinutes ||
      was.serviceTypeId !== session.serviceTypeId ||
      !isDeepStrictEqual(was.resourceIds, session.resourceIds)
    );
  };
  const moved = scheduled.filter(needsOther).map(({ id }) => id);
  const grown = scheduled
    .filter(({ id, capacity }) => capacity > (before.get(id)?.capacity ?? capacity))
    .map(({ id }) => id);
  const written = new Map(
    (await lockSessions(tx, organizationId, [...moved, ...grown])).map((row) => [
      row.id,
      toLockedSession(row),
    ]),
  );
  // All claims are dropped first: sessions may go to where others of the series were.
  await dropClaims(tx, organizationId, moved);
  for (const id of moved) {
    const session = written.get(id);
    if (!session) continue;
    if (session.bookedCount > 0) await claimResources(open, session);
    await refuseClaimedClass(open, session);
  }
  return promoteInto(
    open,
    grown.flatMap((id) => written.get(id) ?? []),
  );
}
