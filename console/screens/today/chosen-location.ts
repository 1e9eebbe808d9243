import { useEffect } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { route, setQuery } from "../../frame/router.ts";

/** Which location the day is of: the address says it, and it is remembered on this computer. */
export const EVERYWHERE = "all";
const REMEMBERED = "rollbook-today-location";

export interface ChosenLocation {
  /** Undefined for all of them. */
  readonly locationId: string | undefined;
  readonly locations: readonly { readonly id: string; readonly name: string }[];
  /** False until it is known which there are. */
  readonly isKnown: boolean;
}

export function useChosenLocation(): ChosenLocation {
  const { allLocations, locationIds } = useMe().staff;
  const { data } = useRead("/app/v1/locations");
  const named = route.value.query.get("location") ?? undefined;
  useEffect(() => {
    if (named !== undefined) remember(named);
  }, [named]);
  const active = (data?.data ?? []).filter(({ status }) => status === "active");
  const [only] =
    active.length === 1 ? active : allLocations ? [] : active.filter(({ id }) => locationIds.includes(id));
  const wanted = named ?? remembered();
  const isThere = wanted === EVERYWHERE || active.some(({ id }) => id === wanted);
  const chosen = isThere ? wanted : (only?.id ?? EVERYWHERE);
  return {
    locationId: chosen === EVERYWHERE ? undefined : chosen,
    locations: active,
    isKnown: data !== undefined,
  };
}

export function chooseLocation(locationId: string): void {
  setQuery({ location: locationId }, { replace: false });
}

function remembered(): string | undefined {
  try {
    return localStorage.getItem(REMEMBERED) ?? undefined;
  } catch {
    // A browser that keeps nothing.
    return undefined;
  }
}

function remember(locationId: string): void {
  try {
    localStorage.setItem(REMEMBERED, locationId);
  } catch {
    // A browser that keeps nothing.
  }
}
