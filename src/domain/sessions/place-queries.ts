import type { Database } from "../../db/database.ts";
import { pooled } from "../../db/statements.ts";

/** What schedules and sessions refer to, as far as it decides whether they may. */
export interface Places {
  readonly locations: ReadonlyMap<string, { readonly timezone: string; readonly isOpen: boolean }>;
  readonly serviceTypes: ReadonlyMap<
    string,
    { readonly holdsResource: boolean; readonly isOffered: boolean }
  >;
  /** Whether each resource is active. */
  readonly resources: ReadonlyMap<string, boolean>;
}

export interface PlaceIds {
  readonly locationIds: readonly string[];
  readonly serviceTypeIds: readonly string[];
  readonly resourceIds: readonly string[];
}

const locationsStatement = pooled(
  "find_locations_of_sessions",
  `select id, timezone, status = 'active' as "isOpen" from locations
   where organization_id = $1 and id = any ($2::uuid[])`,
);

const serviceTypesStatement = pooled(
  "find_service_types_of_sessions",
  `select id, holds_resource as "holdsResource", status = 'active' as "isOffered" from service_types
   where organization_id = $1 and id = any ($2::uuid[])`,
);

const resourcesStatement = pooled(
  "find_resources_of_sessions",
  `select id, status = 'active' as "isActive" from resources
   where organization_id = $1 and id = any ($2::text[])`,
);

interface LocationRow {
  readonly id: string;
  readonly timezone: string;
  readonly isOpen: boolean;
}

interface ServiceTypeRow {
  readonly id: string;
  readonly holdsResource: boolean;
  readonly isOffered: boolean;
}

export async function findPlaces(tx: Database, organizationId: string, ids: PlaceIds): Promise<Places> {
  const [locations, serviceTypes, resources] = await Promise.all([
    tx.query<LocationRow>(locationsStatement, [organizationId, ids.locationIds]),
    tx.query<ServiceTypeRow>(serviceTypesStatement, [organizationId, ids.serviceTypeIds]),
    tx.query<{ id: string; isActive: boolean }>(resourcesStatement, [organizationId, ids.resourceIds]),
  ]);
  return {
    locations: new Map(locations.map((location) => [location.id, location])),
    serviceTypes: new Map(serviceTypes.map((type) => [type.id, type])),
    resources: new Map(resources.map(({ id, isActive }) => [id, isActive])),
  };
}
