import { refusal } from "./errors.ts";

/** The roles of staff, each with all that the ones before it may do; a teacher acts on sessions of their own alone. */
export const ROLES = ["teacher", "front_desk", "manager", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** Who carries out an operation of the application: somebody on the staff, or the operator at the command line. */
export interface Actor {
  /** As the audit trail names them: `staff:ID` or `operator:NAME`. */
  readonly name: string;
  /** The operator has no role: nothing is refused for the lack of one. */
  readonly role: Role | undefined;
  /** The locations they work at; undefined: all of them. */
  readonly locationIds: readonly string[] | undefined;
  /** Of a teacher: the resource that they are. */
  readonly resourceId?: string | undefined;
}

export function hasRole({ role }: Actor, needed: Role): boolean {
  return role === undefined || ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Where a record belongs: a plan or a contract that can be used at some locations, or at all. */
export interface Placed {
  readonly allLocations: boolean;
  readonly locationIds: readonly string[];
}

/** Refuses an actor who works at none of the locations of a record. */
export function requirePlace(actor: Actor, { allLocations, locationIds }: Placed): void {
  // Who works everywhere has also what is usable nowhere.
  if (actor.locationIds === undefined || allLocations) return;
  if (!locationIds.some((id) => worksAt(actor, id))) throw refusal("wrong_location");
}

/** Where a plan is sold that is not there yet, or not on sale. */
export const NOWHERE: Placed = { allLocations: false, locationIds: [] };

/** Refuses an actor who would give a record to a location, or take it from one, at which they do not work. */
export function requireOwnPlaces(actor: Actor, before: Placed, after: Placed): void {
  if (actor.locationIds === undefined) return;
  // All of them are also those at which others work.
  if (before.allLocations !== after.allLocations) throw refusal("wrong_location");
  const [was, is] = [new Set(before.locationIds), new Set(after.locationIds)];
  for (const id of new Set([...was, ...is])) if (was.has(id) !== is.has(id)) requireLocation(actor, id);
}

/** Refuses an actor who does not work at this location. */
export function requireLocation(actor: Actor, locationId: string): void {
  if (!worksAt(actor, locationId)) throw refusal("wrong_location");
}

/** Refuses an actor who does not work where a session is, and a teacher who does not run it. */
export function requireSession(
  actor: Actor,
  { locationId, resourceIds }: { readonly locationId: string; readonly resourceIds?: readonly string[] },
): void {
  if (!runs(actor, resourceIds)) throw refusal("not_allowed");
  requireLocation(actor, locationId);
}

/** Whether sessions with these resources concern somebody: of a teacher, their own. */
export function runs({ role, resourceId }: Actor, resourceIds: readonly string[] = []): boolean {
  return role !== "teacher" || (resourceId !== undefined && resourceIds.includes(resourceId));
}

/** Whose sessions somebody reads who asks for those of a resource, or for all: a teacher's are their own. */
export function readableResource({ role, resourceId }: Actor, asked: string | undefined): string | undefined {
  if (role !== "teacher") return asked;
  if (resourceId === undefined || (asked ?? resourceId) !== resourceId) throw refusal("not_allowed");
  return resourceId;
}

/** Refuses an actor who works at some locations only: what is written concerns all of them. */
export function requireEverywhere(actor: Actor): void {
  if (actor.locationIds !== undefined) throw refusal("wrong_location");
}

export function worksAt({ locationIds }: Actor, locationId: string): boolean {
  return locationIds === undefined || locationIds.includes(locationId);
}
