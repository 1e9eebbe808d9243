import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled } from "../../db/statements.ts";
import { compareClocks, findKnownClocks, storeKnownClocks } from "../calendar/known-clocks.ts";
import { type TzdataOptions, takeInTzdata } from "../calendar/tzdata-work.ts";
import { lockForWrite } from "../contract-status/queries.ts";
import { applyDueWithin, recomputePart } from "../due-changes/due-changes.ts";

const CLOCKS = "known clocks of contracts";
const START = "00000000-0000-0000-0000-000000000000";

/**
 * The days on which contracts change begin at instants that follow from the time-zone data. When it is newer they are
 * computed again in the organizations whose clocks are others by it; and when a release starts for the first time that
 * knows of them, for all contracts that are there.
 */
export function recomputeContracts(db: Database, options?: TzdataOptions): Promise<number> {
  // Compared once, and not for each organization.
  let passedOver: readonly string[] | undefined;
  const part = async (tx: Database, position?: string) => {
    if (passedOver === undefined || position === undefined) passedOver = await findSteadyZones(tx, position);
    return recomputeNext(tx, passedOver, position);
  };
  return takeInTzdata(db, { fact: "tzdata of contracts", part }, options);
}

/** The zones whose clocks are as they were when all contracts were computed last. */
async function findSteadyZones(tx: Database, position: string | undefined): Promise<string[]> {
  const known = await findKnownClocks(tx, CLOCKS);
  const clocks = known && position !== undefined ? known : await compareClocks(known);
  if (clocks !== known) await storeKnownClocks(tx, CLOCKS, clocks);
  const moved = new Set(clocks.moved);
  return Object.keys(clocks.digests).filter((zone) => !moved.has(zone));
}

// An organization that is done is followed by the next; of a large one the id of the contract stands behind its own. The
// zones as a subquery, which PostgreSQL hashes.
const nextStatement = pooled(
  "find_organization_to_recompute",
  `select id from organizations
   where case when $2::boolean then id >= $1 else id > $1 end and timezone not in (select unnest($3::text[])) and ${isHere("id")}
   order by id limit 1`,
);

async function recomputeNext(
  tx: Database,
  passedOver: readonly string[],
  position?: string,
): Promise<{ moved: number; next?: string | undefined }> {
  const [organizationId = START, afterContract] = position?.split(" ") ?? [];
  const [found] = await tx.query<{ id: string }>(nextStatement, [
    organizationId,
    afterContract !== undefined,
    passedOver,
  ]);
  if (!found) {
    const clocks = await findKnownClocks(tx, CLOCKS);
    if (clocks) await storeKnownClocks(tx, CLOCKS, { ...clocks, moved: [] });
    return { moved: 0 };
  }
  const begun = await lockForWrite(tx, found.id);
  // Deleted just now.
  if (!begun) return { moved: 0, next: found.id };
  await applyDueWithin(tx, begun);
  const { organization } = begun;
  const isSame = organization.id === organizationId;
  const after = await recomputePart(tx, organization, isSame ? afterContract : undefined);
  return { moved: 1, next: after === undefined ? organization.id : `${organization.id} ${after}` };
}
