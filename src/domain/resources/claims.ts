import { formatWallClock, MS_PER_DAY, MS_PER_MINUTE } from "../../core/dates.ts";
import { type AppError, type RefusalFacts, refusal } from "../../core/errors.ts";
import { MAX_WINDOW_DAYS } from "../../core/limits.ts";
import { violatedConstraint } from "../../db/statement-errors.ts";
import type { CompiledSchedule, Slot } from "../recurrence/expand.ts";
import { compileTexts } from "../recurrence/schedule.ts";
import { instantToWall, type Zone, zoneOfLocation } from "../recurrence/zones.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import {
  type Claim,
  type ClassSelection,
  findClaimOnClass,
  findMeetingClaim,
  insertClaims,
  listClaims,
  listClassResources,
  listClassSchedules,
  listStoredClasses,
  lockResources,
  putClaims,
  takeClaimsOf,
} from "./claim-queries.ts";
import { findFreeSlot } from "./free-slots.ts";

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
 * Returns the resources that they are on.
 */
export async function moveClaims(
  open: OpenOrganization,
  locationId: string,
  zone: Zone,
): Promise<readonly string[]> {
  const { tx, organizationId } = open;
  const claims = await takeClaimsOf(tx, organizationId, locationId);
  const resourceIds = [...new Set(claims.map(({ resourceId }) => resourceId))];
  if (claims.length === 0) return resourceIds;
  const names = await lockNames(open, resourceIds);
  try {
    await tx.transaction((inner) => putClaims(inner, organizationId, claims));
  } catch (error) {
    if (violatedConstraint(error) !== "resource_claims_overlap") throw error;
    const met = await findMeetingClaim(tx, organizationId, claims);
    throw met ? busyWith(met, names, zone) : error;
  }
  return resourceIds;
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
  const { resourceIds, compiled } = series;
  if (series.holdsResource || resourceIds.length === 0) return;
  const names = await lockNames(open, resourceIds);
  const claim = await findClaimOnSeries(open, series, await listClaimsAhead(open, resourceIds));
  if (claim) throw busyWith(claim, names, compiled.zone);
}

/**
 * Refuses classes that a write brings while one of their resources is claimed: stored ones that have not begun, and the
 * slots of schedules in their next 366 days. The write itself is done: places, types and instants are as they are to be.
 */
export async function refuseClaimedClasses(open: OpenOrganization, which: ClassSelection): Promise<void> {
  const { tx, organizationId, now } = open;
  const ahead = { startAt: now, endAt: now + LOOK_AHEAD_MS };
  const schedules = await listClassSchedules(tx, organizationId, which, ahead);
  const stored = await listClassResources(tx, organizationId, which, now);
  const resourceIds = [...new Set([...stored, ...schedules.flatMap((schedule) => schedule.resourceIds)])];
  if (resourceIds.length === 0) return;
  const names = await lockNames(open, resourceIds);
  const met = await findClaimOnClass(tx, organizationId, which, now);
  if (met) throw busyWith(met, names, zoneOfLocation(met.timezone));
  const claims = await listClaimsAhead(open, resourceIds);
  for (const schedule of schedules) {
    const compiled = compileTexts(schedule, schedule.timezone);
    const claim = await findClaimOnSeries(open, { ...schedule, compiled }, claims);
    if (claim) throw busyWith(claim, names, compiled.zone);
  }
}

/** The claims of the next 366 days on each resource, in the order of time: they never overlap. */
type ClaimsAhead = ReadonlyMap<string, readonly Claim[]>;

async function listClaimsAhead(
  { tx, organizationId, now }: OpenOrganization,
  resourceIds: readonly string[],
): Promise<ClaimsAhead> {
  const ahead = { fromMs: now, toMs: now + LOOK_AHEAD_MS };
  const byResource = new Map<string, Claim[]>(resourceIds.map((id) => [id, []]));
  for (const claim of await listClaims(tx, organizationId, resourceIds, ahead))
    byResource.get(claim.resourceId)?.push(claim);
  return byResource;
}

/** A claim that meets a slot that no stored session stands for. Slots and claims are gone through side by side, once. */
async function findClaimOnSeries(
  { tx, organizationId, now }: OpenOrganization,
  series: Omit<SeriesUse, "holdsResource">,
  claims: ClaimsAhead,
): Promise<Claim | undefined> {
  const durationMs = series.durationMinutes * MS_PER_MINUTE;
  const own = series.resourceIds.map((id) => claims.get(id) ?? []).filter((some) => some.length > 0);
  if (own.length === 0) return undefined;
  const endMs = Math.max(...own.map((some) => some.at(-1)?.endMs ?? now));
  const meets = (claim: Claim | undefined, slot: Slot) =>
    claim !== undefined && claim.startMs < slot.instantMs + durationMs && claim.endMs > slot.instantMs;
  const queues = own.map((some) => ({ some, next: 0 }));
  const isClaimed = (slot: Slot) =>
    queues.some((queue) => {
      // What ends before this slot begins meets no later one either.
      while ((queue.some[queue.next]?.endMs ?? Number.POSITIVE_INFINITY) <= slot.instantMs) queue.next++;
      return meets(queue.some[queue.next], slot);
    });
  const during = { fromMs: now, toMs: Math.min(endMs, now + LOOK_AHEAD_MS) };
  const slot = await findFreeSlot(tx, organizationId, series, during, isClaimed);
  return slot && own.flat().find((claim) => meets(claim, slot));
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
  for (const schedule of await listClassSchedules(tx, organizationId, { resourceIds }, session)) {
    const durationMs = schedule.durationMinutes * MS_PER_MINUTE;
    const compiled = compileTexts(schedule, schedule.timezone);
    const during = { fromMs: startAt - durationMs + 1, toMs: endAt };
    const slot = await findFreeSlot(tx, organizationId, { id: schedule.id, compiled }, during);
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
