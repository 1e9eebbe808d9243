import type { Schemas } from "../api/operations.ts";
import { type Answer, useRead, useWholeList } from "../api/reads.ts";
import { useMay, useMe } from "../frame/me.ts";
import { inOrderOf } from "../languages/order.ts";
import { language } from "../languages/words.ts";
import type { Choice } from "../parts/field.tsx";

/** What sessions are of, where and with whom: read whole, since every screen names it. */
export interface Catalog {
  readonly isLoaded: boolean;
  readonly locations: readonly Schemas["Location"][];
  readonly serviceTypes: readonly Schemas["ServiceType"][];
  readonly resources: readonly Schemas["Resource"][];
}

const NONE = { data: [] } as const;

export function useCatalog(): Catalog {
  const locations = useRead("/app/v1/locations").data;
  const serviceTypes = useWholeList("/app/v1/service-types").data;
  const resources = useRead("/app/v1/resources").data;
  return {
    isLoaded: locations !== undefined && serviceTypes !== undefined && resources !== undefined,
    locations: inOrder(locations ?? NONE),
    serviceTypes: inOrder(serviceTypes ?? NONE),
    resources: inOrder(resources ?? NONE),
  };
}

type Named =
  | Answer<"/app/v1/locations">
  | Answer<"/app/v1/service-types">
  | Answer<"/app/v1/resources">
  | typeof NONE;

function inOrder<List extends Named>(list: List): List["data"][number][] {
  return inOrderOf<List["data"][number]>(list.data, ({ name }) => name, language.value);
}

/** Where the person may write: everywhere, or at the locations where they work. Teachers write to no calendar. */
export function useOwnLocations(locations: Catalog["locations"]): Catalog["locations"] {
  const { staff } = useMe();
  const isDesk = useMay("front_desk");
  if (!isDesk) return [];
  return locations.filter(
    ({ id, status }) => status === "active" && (staff.allLocations || staff.locationIds.includes(id)),
  );
}

export function choicesOf(
  records: readonly { readonly id: string; readonly name: string }[],
): readonly Choice[] {
  return records.map(({ id, name }) => ({ value: id, label: name }));
}
