import type { Schemas } from "../api/operations.ts";

export function hasSeat({ state }: Pick<Schemas["RosterBooking"], "state">): boolean {
  return state !== "cancelled" && state !== "late_cancelled";
}
