import type { Fault } from "../../core/faults.ts";
import { findZone } from "../recurrence/zones.ts";

/** The faults of a location's members beyond their schema. Nothing about the value is taken for granted. */
export function checkLocationMembers(given: unknown, root: string): Fault[] {
  const { timezone } = (typeof given === "object" && given !== null ? given : {}) as { timezone?: unknown };
  if (typeof timezone !== "string" || findZone(timezone)) return [];
  return [{ location: `${root}.timezone`, code: "time_zone_unknown" }];
}
