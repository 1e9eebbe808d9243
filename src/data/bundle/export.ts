import type { Database } from "../../db/database.ts";
import { Client } from "../../domain/clients/schema.ts";
import { isDue } from "../../domain/contract-status/queries.ts";
import { contractMembers } from "../../domain/contracts/schema.ts";
import { applyDueChanges } from "../../domain/due-changes/due-changes.ts";
import { Location } from "../../domain/locations/schema.ts";
import { findOrganization, findSettings } from "../../domain/organizations/queries.ts";
import { unknownOrganization } from "../../domain/organizations/rules.ts";
import { DEFAULT_SETTINGS, OrganizationSettings } from "../../domain/organizations/schema.ts";
import { Plan } from "../../domain/plans/schema.ts";
import { ServiceGroup } from "../../domain/service-groups/schema.ts";
import { ServiceType } from "../../domain/service-types/schema.ts";
import { readRecords } from "./export-queries.ts";
import { KINDS, type Kind } from "./schema.ts";

/**
 * Writes an organization's bundle, some lines at a time, waiting for each piece to be taken. All of it is of one
 * moment, however long it takes.
 */
export async function exportBundle(
  db: Database,
  organizationId: string,
  /** Takes some lines; `records` is how many there were, these included. */
  write: (lines: string, records: number) => Promise<void> | void,
): Promise<Record<Kind, number>> {
  for (;;) {
    await applyDueChanges(db, organizationId);
    const counts = await exportUpToDate(db, organizationId, write);
    if (counts) return counts;
  }
}

/** Undefined if a day has begun since the contracts were brought up to date: then some have a status that is not theirs any more. */
async function exportUpToDate(
  db: Database,
  organizationId: string,
  write: (lines: string, records: number) => Promise<void> | void,
): Promise<Record<Kind, number> | undefined> {
  return db.snapshot(async (tx) => {
    const organization = await findOrganization(tx, organizationId);
    if (!organization) throw unknownOrganization();
    if (await isDue(tx, organizationId, await tx.now())) return undefined;
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    const settings = await findSettings(tx, organizationId);
    await write(lineOf("organization", { ...organization, ...unlike(settings, DEFAULT_SETTINGS) }), 1);
    counts.organization = 1;
    let records = 1;
    for (const kind of KINDS) {
      if (kind === "organization") continue;
      for await (const rows of readRecords(tx, kind, organizationId)) {
        counts[kind] += rows.length;
        records += rows.length;
        await write(rows.map((row) => lineOf(kind, row)).join(""), records);
      }
    }
    return counts;
  });
}

/** The members of each kind in the order in which they are written: the API's, and what the bundle adds. */
const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  organization: [
    ...["id", "name", "timezone", "currency", "plan", "status", "joinedAt"],
    ...Object.keys(OrganizationSettings.properties),
  ],
  location: [...Object.keys(Location.properties), "createdAt"],
  resource: ["id", "name", "type", "status"],
  serviceGroup: Object.keys(ServiceGroup.properties),
  serviceType: apiMembers(ServiceType),
  plan: apiMembers(Plan),
  client: apiMembers(Client),
  contract: [...Object.keys(contractMembers), "terms", "pauses"],
  schedule: [
    "id",
    "serviceTypeId",
    "locationId",
    "resourceIds",
    "start",
    "durationMinutes",
    "rrule",
    "exdates",
    "rdates",
    "capacity",
    "continuesId",
  ],
  session: [
    "id",
    "scheduleId",
    "originalStart",
    "serviceTypeId",
    "locationId",
    "resourceIds",
    "start",
    "durationMinutes",
    "capacity",
    "bookedCount",
    "status",
  ],
  booking: [
    "id",
    "sessionId",
    "clientId",
    "state",
    "contractId",
    "entitlementId",
    "uncoveredReason",
    "moved",
    "toTell",
    "bookedAt",
    "checkedInAt",
    "endedAt",
  ],
  waiting: ["id", "sessionId", "clientId", "joinedAt", "leftAt", "bookingId"],
  invoice: [
    "id",
    "number",
    "clientId",
    "contractId",
    "period",
    "description",
    "periodFirst",
    "periodLast",
    "issuedOn",
    "dueOn",
    "amountCents",
    "paidCents",
    "status",
  ],
  payment: [
    "id",
    "number",
    "clientId",
    "type",
    "method",
    "amountCents",
    "restCents",
    "paidOn",
    "note",
    "status",
    "allocations",
    "refunds",
    "createdAt",
  ],
};

function apiMembers(schema: { properties: object }): string[] {
  return Object.keys(schema.properties).filter((name) => name !== "$schema");
}

/** Those members that are not as an organization begins with them. */
function unlike(settings: OrganizationSettings | undefined, defaults: OrganizationSettings): object {
  const usual = new Map<string, unknown>(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(settings ?? {}).filter(([name, value]) => value !== usual.get(name)),
  );
}

/** Lists that are left out when they are empty, as the bundle leaves them out. */
const LEFT_OUT_EMPTY = new Set(["resourceIds", "exdates", "rdates", "pauses", "allocations", "refunds"]);

function lineOf(kind: Kind, row: Readonly<Record<string, unknown>>): string {
  const line: Record<string, unknown> = { kind };
  for (const name of MEMBERS[kind]) {
    const value = row[name];
    if (LEFT_OUT_EMPTY.has(name) && Array.isArray(value) && value.length === 0) continue;
    line[name] = value;
  }
  return `${JSON.stringify(line)}\n`;
}
