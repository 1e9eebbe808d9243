import type { Database } from "../../db/database.ts";
import { isHere } from "../../db/elsewhere.ts";
import { pooled } from "../../db/statements.ts";
import { type TzdataOptions, takeInTzdata } from "../calendar/tzdata-work.ts";
import { lockForWrite } from "../contract-status/queries.ts";
import { applyDueWithin, recomputePart } from "../due-changes/due-changes.ts";

/**
 * The days on which contracts change begin at instants that follow from the time-zone data. When it is newer they are
 * computed again; and when a release starts for the first time that knows of them, for all contracts that are there.
 */
export function recomputeContracts(db: Database, options?: TzdataOptions): Promise<number> {
  return takeInTzdata(db, { fact: "tzdata of contracts", part: recomputeNext }, options);
}

// An organization that is done is followed by the next; of a large one the id of the contract stands behind its own.
const nextStatement = pooled(
  "find_organization_to_recompute",
  `select id from organizations
   where case when $2::boolean then id >= $1 else id > $1 end and ${isHere("id")} order by id limit 1`,
);

async function recomputeNext(
  tx: Database,
  position = "00000000-0000-0000-0000-000000000000",
): Promise<{ moved: number; next?: string | undefined }> {
  const [organizationId, afterContract] = position.split(" ");
  const [found] = await tx.query<{ id: string }>(nextStatement, [
    organizationId,
    afterContract !== undefined,
  ]);
  const begun = found && (await lockForWrite(tx, found.id));
  if (!begun) return { moved: 0 };
  await applyDueWithin(tx, begun);
  const { organization } = begun;
  const isSame = organization.id === organizationId;
  const after = await recomputePart(tx, organization, isSame ? afterContract : undefined);
  return { moved: 1, next: after === undefined ? organization.id : `${organization.id} ${after}` };
}
