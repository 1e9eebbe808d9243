import { type CompiledSchedule, listSlots, type Slot } from "../calendar/expand.ts";
import { compileTexts } from "../calendar/schedule.ts";
import { instantToWall, type Zone } from "../calendar/zones.ts";
import type { OpenOrganization } from "../contracts/open-organization.ts";
import { formatWallClock, MS_PER_DAY, MS_PER_MINUTE } from "../core/dates.ts";
import { type AppError, type RefusalFacts, refusal } from "../core/errors.ts";
import { MAX_WINDOW_DAYS } from "../core/limits.ts";
import { violatedConstraint } from "../db/statement-errors.ts";
import {
  type Claim,
  findMeetingClaim,
  insertClaims,
  listClaims,
  listClassSchedules,
  listStoredClasses,
  listTakenOf,
  lockResources,
  putClaims,
  takeClaimsOf,
} from "./claim-queries.ts";

export { dropClaims, dropClaimsOfType } from "./claim-queries.ts";

/**
 * Who has a resource when. A session of a type that holds its resources claims each of them from its start to its end,
 * while it takes place and has a seat taken. Claims exclude each other, which a constraint decides, and they exclude
 * classes: sessions of a type that does not hold, stored or still to be computed. Both sides lock the rows of the
 * resources first, so that neither misses what the other is about to commit. Classes may share a resource.
 */

/** A session as far as it takes resources. */
export interface ResourceUse {
  readonly id: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly resourceIds: readonly string[];
  /** On whose clock a refusal tells the time. */
  readonly zone: Zone;
  readonly holdsResource: boolean;
}

/** Claims the resources of a session that has a seat taken now, if its type holds them. Refused with `resource_busy`. */
export async function claimResources(open: OpenOrganization, session: ResourceUse): Promise<void> {
  const { tx, organizationId } = open;
  const { id, resourceIds, holdsResource } = session;
  if (!holdsResource || resourceIds.length === 0) return;
  const names = await lockNames(open, resourceIds);
  try {
    // In a savepoint, so that the transaction can say by whom the resource is taken.
    await tx.transaction((inner) =>
      insertClaims(inner, organizationId, id, [...new Set(resourceIds)], session),
    );
  } catch (error) {
    if (violatedConstraint(error) !== "resource_claims_overlap") throw error;
    const during = { fromMs: session.startAt, toMs: session.endAt };
    const [claim] = await listClaims(tx, organizationId, resourceIds, during, [id]);
    throw claim ? busyWith(claim, names, session.zone) : error;
  }
  const busy = await findClass(open, session);
  if (busy) throw busyError(busy, names, session.zone);
}

/** Refuses a class that would take place while one of its resources is claimed. */
export async function refuseClaimedClass(open: OpenOrganization, session: ResourceUse): Promise<void> {
  const { tx, organizationId } = open;
  const { id, resourceIds, startAt, endAt, zone } = session;
  if (session.holdsResource || resourceIds.length === 0) return;
  const names = await lockNames(open, resourceIds);
  const during = { fromMs: startAt, toMs: endAt };
  const [claim] = await listClaims(tx, organizationId, resourceIds, during, [id]);
  if (claim) throw busyWith(claim, names, zone);
}

/**
 * Lets the claims of a location's sessions follow them to other instants: the location has another timezone now, and its
 * sessions have moved. All are taken away first, because two may meet only for as long as one of them has not moved.
 */
export async function moveClaims(open: OpenOrganization, locationId: string, zone: Zone): Promise<void> {
  const { tx, organizationId } = open;
  const claims = await takeClaimsOf(tx, organizationId, locationId);
  if (claims.length === 0) return;
  const names = await lockNames(open, [...new Set(claims.map(({ resourceId }) => resourceId))]);
  try {
    await tx.transaction((inner) => putClaims(inner, organizationId, claims));
  } catch (error) {
    if (violatedConstraint(error) !== "resource_claims_overlap") throw error;
    const met = await findMeetingClaim(tx, organizationId, claims);
    throw met ? busyWith(met, names, zone) : error;
  }
}

/** How far ahead the slots of a schedule are compared with what is claimed. */
const LOOK_AHEAD_MS = MAX_WINDOW_DAYS * MS_PER_DAY;

/** The slots of classes, as far as they take resources. */
export interface SeriesUse {
  readonly id: string;
  readonly compiled: CompiledSchedule;
  readonly durationMinutes: number;
  readonly resourceIds: readonly string[];
  readonly holdsResource: boolean;
}

/** Refuses a schedule of classes with a slot in its next 366 days while one of its resources is claimed. */
export async function refuseClaimedSeries(open: OpenOrganization, series: SeriesUse): Promise<void> {
  const { tx, organizationId, now } = open;
  const { id, compiled, resourceIds } = series;
  if (series.holdsResource || resourceIds.length === 0) return;
  const names = await lockNames(open, resourceIds);
  const durationMs = series.durationMinutes * MS_PER_MINUTE;
  const ahead = { fromMs: now, toMs: now + LOOK_AHEAD_MS };
  for (const claim of await listClaims(tx, organizationId, resourceIds, ahead)) {
    const slots = listSlots(compiled, Math.max(claim.startMs - durationMs + 1, now), claim.endMs);
    if (slots.length === 0) continue;
    const taken = await listTakenOf(tx, organizationId, id, slots.flatMap(namesOf));
    if (slots.some((slot) => !namesOf(slot).some((name) => taken.has(name))))
      throw busyWith(claim, names, compiled.zone);
  }
}

/** The wall clocks that name a slot. */
function namesOf({ wallMs, twinWallMs }: Slot): string[] {
  return [wallMs, twinWallMs].filter((wall) => wall !== undefined).map(formatWallClock);
}

/** What keeps a resource busy. */
interface Busy {
  readonly resourceId: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Of the session, or of the slot if it is not stored. */
  readonly facts: RefusalFacts;
}

/** The first class that has one of the resources while the session takes place. */
async function findClass(open: OpenOrganization, session: ResourceUse): Promise<Busy | undefined> {
  const { tx, organizationId } = open;
  const { startAt, endAt, resourceIds } = session;
  const shared = (others: readonly string[]) => others.find((id) => resourceIds.includes(id)) ?? "";
  const [stored] = await listStoredClasses(tx, organizationId, resourceIds, session);
  if (stored) {
    const { id: sessionId, startMs, durationMinutes } = stored;
    const endMs = startMs + durationMinutes * MS_PER_MINUTE;
    return { resourceId: shared(stored.resourceIds), startMs, endMs, facts: { sessionId } };
  }
  for (const schedule of await listClassSchedules(tx, organizationId, resourceIds, session)) {
    const durationMs = schedule.durationMinutes * MS_PER_MINUTE;
    const compiled = compileTexts(schedule, schedule.timezone);
    const slots = listSlots(compiled, startAt - durationMs + 1, endAt);
    if (slots.length === 0) continue;
    const taken = await listTakenOf(tx, organizationId, schedule.id, slots.flatMap(namesOf));
    const slot = slots.find((each) => !namesOf(each).some((name) => taken.has(name)));
    if (!slot) continue;
    const { instantMs: startMs, wallMs } = slot;
    const facts = { scheduleId: schedule.id, originalStart: formatWallClock(wallMs) };
    return { resourceId: shared(schedule.resourceIds), startMs, endMs: startMs + durationMs, facts };
  }
  return undefined;
}

/** The names of resources, whose rows are locked. */
async function lockNames(
  { tx, organizationId }: OpenOrganization,
  resourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const resources = await lockResources(tx, organizationId, resourceIds);
  return new Map(resources.map(({ id, name }) => [id, name]));
}

function busyWith(claim: Claim, names: ReadonlyMap<string, string>, zone: Zone): AppError {
  return busyError({ ...claim, facts: { sessionId: claim.sessionId } }, names, zone);
}

function busyError(
  { resourceId, startMs, endMs, facts }: Busy,
  names: ReadonlyMap<string, string>,
  zone: Zone,
): AppError {
  const onClock = (ms: number) => formatWallClock(instantToWall(zone, ms)).slice("2026-11-16T".length);
  const name = names.get(resourceId) ?? resourceId;
  return refusal("resource_busy", {
    params: { name, from: onClock(startMs), to: onClock(endMs) },
    facts: { resourceId, ...facts },
  });
}
