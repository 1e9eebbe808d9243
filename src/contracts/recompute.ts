import { isNewerTzdata } from "../calendar/refresh.ts";
import { tzdataVersion } from "../calendar/zones.ts";
import type { Database } from "../db/database.ts";
import { pooled, read } from "../db/statements.ts";
import { listOrganizations } from "../organizations/queries.ts";
import { lockToSettle } from "./course-queries.ts";
import { recomputePart, settleWithin } from "./settling.ts";

const findVersion = read(
  "find_contracts_tzdata_version",
  "select value from facts where name = 'tzdata of contracts'",
);

// One that is there stays if it is newer: another process may have computed by newer data meanwhile.
const storeVersion = pooled(
  "store_contracts_tzdata_version",
  `insert into facts (name, value) values ('tzdata of contracts', $1)
   on conflict (name) do update set value = greatest(facts.value, excluded.value)`,
);

/**
 * The days on which contracts change begin at instants that follow from the time-zone data. When a release with newer
 * data starts, they are computed again; and when a release starts for the first time that knows of them, for all
 * contracts that are there. Each part commits by itself, so that nobody waits long for an organization's row; a process
 * that is ended on the way leaves it to the next start.
 */
export async function recomputeContracts(db: Database, version = tzdataVersion()): Promise<void> {
  const [current] = await db.query<{ value: string }>(findVersion);
  if (!isNewerTzdata(version, current?.value)) return;
  for (const { id } of await listOrganizations(db)) {
    let after: string | undefined;
    do
      after = await db.transaction(async (tx) => {
        const organization = await lockToSettle(tx, id);
        if (!organization) return undefined;
        await settleWithin(tx, organization);
        return recomputePart(tx, organization, after);
      });
    while (after !== undefined);
  }
  await db.query(storeVersion, [version]);
}
