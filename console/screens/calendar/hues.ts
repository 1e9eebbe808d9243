import type { Schemas } from "../../api/operations.ts";
import type { CalendarSession } from "./placement.ts";

export type ColorBy = Schemas["CalendarColors"]["by"];
type Chosen = Schemas["CalendarColors"]["colors"];
export type Hue = Chosen[number]["color"];

/** In the order in which what nobody has given a colour gets one. */
export const HUES: readonly Hue[] = ["teal", "violet", "orange", "blue", "pink", "green", "amber", "red"];

export interface Colored {
  readonly id: string;
  readonly name: string;
  readonly hue: Hue;
  readonly isChosen: boolean;
  readonly isActive: boolean;
}

/** Of the catalog. */
interface Catalogued {
  readonly serviceTypes: readonly Schemas["ServiceType"][];
  readonly resources: readonly Schemas["Resource"][];
}

/**
 * The services or teachers with their colours, in the order of the catalog. Who has none of their own gets one of the eight by
 * the order in which they were made, so that a new one leaves the others as they are.
 */
export function coloredThings(by: ColorBy, colors: Chosen, catalog: Catalogued): readonly Colored[] {
  const chosen = new Map(colors.map(({ id, color }) => [id, color]));
  const things = thingsOf(by, catalog);
  const byAge = new Map([...things.map(({ id }) => id)].sort().map((id, place) => [id, place]));
  return things.map(({ id, name, status }) => ({
    id,
    name,
    hue: chosen.get(id) ?? HUES[(byAge.get(id) ?? 0) % HUES.length] ?? "teal",
    isChosen: chosen.has(id),
    isActive: status === "active",
  }));
}

function thingsOf(by: ColorBy, { serviceTypes, resources }: Catalogued) {
  if (by === "service") return serviceTypes;
  return by === "teacher" ? resources.filter(({ kind }) => kind === "person") : [];
}

/** What a session is coloured by: its service, or the first of the people who run it. */
export function coloredIdOf(
  by: ColorBy,
  { serviceTypeId, resourceIds = [] }: Pick<CalendarSession, "serviceTypeId" | "resourceIds">,
  hues: ReadonlyMap<string, Hue>,
): string | undefined {
  if (by === "service") return serviceTypeId;
  return by === "teacher" ? resourceIds.find((id) => hues.has(id)) : undefined;
}
