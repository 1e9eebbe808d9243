import { instantText } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { recordAudit } from "../../domain/audit/queries.ts";
import { type MintedKey, mintKey } from "../../domain/keys/operations.ts";
import { findOrganization, type OrganizationRecord } from "../../domain/organizations/queries.ts";
import { dateIn } from "../../domain/recurrence/zones.ts";
import { insertStaff, type StaffContent } from "../../domain/staff/queries.ts";
import { emailKey } from "../../domain/staff/rules.ts";
import { exampleStaff } from "../../domain/staff/schema.ts";
import { importRecords } from "../bundle/import.ts";
import { DEMO_TIMEZONE, demoStudioInTurns } from "./studio.ts";
import { demoTeam } from "./team.ts";

/** A demo organization with the only key to it. */
export interface Demo {
  readonly organization: OrganizationRecord;
  readonly key: MintedKey;
  /** Who may do everything, and has no password yet. */
  readonly owner: StaffContent;
  /** The day around which its calendar is full, and the instant of that day up to which things have happened. */
  readonly today: string;
  readonly now: number;
}

/** A new demo organization, beside whatever is there, and a key to it. */
export async function createDemo(db: Database, keySecret: string, actor: string): Promise<Demo> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const at = instantText(now);
    const today = dateIn(DEMO_TIMEZONE, now);
    // Only the organization's own id must be new: ids belong to their organization.
    const records = (await demoStudioInTurns({ today, now })).map((record) =>
      record.kind === "organization" ? { ...record, id: newId(now) } : record,
    );
    const { organizationId } = await importRecords(tx, records, { actor });
    const organization = await findOrganization(tx, organizationId);
    if (!organization) throw new Error("the organization that was just imported is gone");
    for (const colleague of demoTeam(records)) {
      const added = await insertStaff(
        tx,
        organizationId,
        idOfColleague(colleague, now),
        colleague,
        emailKey(colleague.email),
        at,
      );
      if (!added) throw new Error("two people of the demo have one e-mail address");
    }
    const [owner] = demoTeam(records);
    const key = await mintKey(tx, keySecret, actor, { organizationId, name: "demo" });
    await recordAudit(tx, actor, {
      action: "demo",
      organizationId,
      subject: organizationId,
      details: { records: records.length },
    });
    return { organization, key, owner, today, now };
  });
}

/** The colleague of the published examples has their id. */
function idOfColleague({ email }: StaffContent, now: number): string {
  return email === exampleStaff.email ? exampleStaff.id : newId(now);
}

/** Any number does, as long as every version of the program takes the same. */
const DEMO_LOCK = 7_265_120_412;

const lockStatement = pooled("lock_first_demo", "select pg_advisory_xact_lock($1)");
const anyStatement = pooled("any_organization", "select 1 as one from organizations limit 1");

/** The demo organization of a server that has none at all. Of processes that start at once, one creates it. */
export async function createFirstDemo(
  db: Database,
  keySecret: string,
  actor: string,
): Promise<Demo | undefined> {
  return db.transaction(async (tx) => {
    await tx.query(lockStatement, [DEMO_LOCK]);
    const isEmpty = (await tx.query(anyStatement)).length === 0;
    return isEmpty ? createDemo(tx, keySecret, actor) : undefined;
  });
}
