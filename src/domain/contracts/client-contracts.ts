import type { Actor } from "../../core/actor.ts";
import { refusal } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { periodAround } from "../bookings/coverage.ts";
import { dateIn } from "../recurrence/zones.ts";
import { listClientContracts } from "./client-contract-queries.ts";
import type { ClientContracts } from "./schema.ts";

/** What decides which visits are of the day, the week and the month. */
export interface Moment {
  readonly now: number;
  readonly timezone: string;
  readonly weekStart: "monday" | "sunday";
  /** Who asks: what they may undo is said. */
  readonly actor: Actor;
}

/** The contracts of a client, with what is used of each grant in the period of today. */
export async function readClientContracts(
  db: Database,
  organizationId: string,
  clientId: string,
  { now, timezone, weekStart, actor }: Moment,
): Promise<ClientContracts> {
  const today = dateIn(timezone, now);
  const first = weekStart === "monday" ? 1 : 7;
  const periods = {
    day: periodAround(today, "day", first),
    week: periodAround(today, "week", first),
    month: periodAround(today, "month", first),
  };
  const contracts = await listClientContracts(db, organizationId, clientId, periods, { now, actor });
  if (!contracts) throw refusal("no_client");
  return { today, ...contracts };
}
