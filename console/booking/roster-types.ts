import type { Schemas } from "../api/operations.ts";
import type { Answer } from "../api/reads.ts";

export type Roster = Answer<"/app/v1/roster">;
export type RosterBooking = Schemas["RosterBooking"];
