import type { Fault } from "../../core/faults.ts";
import type { Places } from "./place-queries.ts";

/** What a schedule or a session is to refer to; members that are absent are not asked about. */
export interface NamedPlaces {
  readonly locationId?: string | undefined;
  readonly serviceTypeId?: string | undefined;
  readonly resourceIds?: readonly string[] | null | undefined;
}

/** Where it refers to nothing, or to what is closed or archived. A resource that it has already may be archived. */
export function checkPlaces(
  { locationId, serviceTypeId, resourceIds }: NamedPlaces,
  places: Places,
  had: readonly string[] = [],
): Fault[] {
  const faults: Fault[] = [];
  if (locationId !== undefined) {
    const location = places.locations.get(locationId);
    if (!location) faults.push({ location: "locationId", code: "location_unknown" });
    else if (!location.isOpen) faults.push({ location: "locationId", code: "location_closed" });
  }
  if (serviceTypeId !== undefined) {
    const type = places.serviceTypes.get(serviceTypeId);
    if (!type) faults.push({ location: "serviceTypeId", code: "service_type_unknown" });
    else if (!type.isOffered) faults.push({ location: "serviceTypeId", code: "service_type_archived" });
  }
  for (const [index, id] of (resourceIds ?? []).entries()) {
    const isActive = places.resources.get(id);
    const location = `resourceIds[${index}]`;
    if (isActive === undefined) faults.push({ location, code: "resource_unknown" });
    else if (!isActive && !had.includes(id)) faults.push({ location, code: "resource_archived" });
  }
  return faults;
}
