import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";
import { countStored, findUploaded } from "../organizations/limit-queries.ts";
import { limitOf, type OrganizationLimits } from "../organizations/organization-limits.ts";
import { findOrganization } from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import { dateIn } from "../recurrence/zones.ts";
import type { OrganizationUse } from "./schema.ts";
import type { Uploader } from "./upload-quota.ts";

const requestsStatement = pooled(
  "count_requests_of_day",
  "select coalesce(sum(requests), 0)::bigint as today from key_usage where organization_id = $1 and day = $2",
);

/** Reads what an organization may do and has done, by its own day. */
export class UseReader {
  readonly #general: OrganizationLimits;

  /** `general`: of organizations that have no limits of their own. */
  constructor(general: OrganizationLimits) {
    this.#general = general;
  }

  async read(db: Database, { organizationId, timezone, clock }: Uploader): Promise<OrganizationUse> {
    const general = this.#general;
    const day = dateIn(timezone, clock.now());
    const [organization, [requests], records, uploaded] = await Promise.all([
      findOrganization(db, organizationId),
      db.query<{ today: number }>(requestsStatement, [organizationId, day]),
      countStored(db, organizationId),
      findUploaded(db, organizationId, day, general.uploadMegabytesPerDay),
    ]);
    if (!organization) throw unknownOrganization();
    const perMinute = limitOf(organization.requestsPerMinute, general.requestsPerMinute);
    const limit = limitOf(organization.maxRecords, general.maxRecords);
    const { bytes, megabytes } = uploaded;
    return {
      requests: { today: requests?.today ?? 0, ...(perMinute !== undefined && { perMinute }) },
      storage: { records, ...(limit !== undefined && { limit }) },
      uploads: { bytes, ...(megabytes > 0 && { megabytes }) },
    };
  }
}
