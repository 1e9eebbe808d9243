import { useEffect } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { keepCookie, readCookie } from "../../frame/cookies.ts";
import { useMe } from "../../frame/me.ts";
import { route, setQuery } from "../../routing/router.ts";

/** Which location the day is of: the address says it, and it is remembered on this computer. */
export const EVERYWHERE = "all";
const REMEMBERED = "rollbook-location";

export interface ChosenLocation {
  /** Undefined for all of them. */
  readonly locationId: string | undefined;
  readonly locations: readonly { readonly id: string; readonly name: string }[];
}

export function useChosenLocation(): ChosenLocation {
  const { allLocations, locationIds } = useMe().staff;
  const { data } = useRead("/app/v1/locations");
  const named = route.value.query.get("location") ?? undefined;
  useEffect(() => {
    if (named !== undefined && /^[\w-]+$/.test(named)) keepCookie(REMEMBERED, named);
  }, [named]);
  const active = (data?.data ?? []).filter(({ status }) => status === "active");
  const wanted = named ?? readCookie(REMEMBERED);
  // Until the list is there it is taken as it is: the day need not wait for it.
  const isThere = wanted === EVERYWHERE || data === undefined || active.some(({ id }) => id === wanted);
  const own = allLocations ? EVERYWHERE : (locationIds[0] ?? EVERYWHERE);
  const chosen = wanted !== undefined && isThere ? wanted : own;
  return { locationId: chosen === EVERYWHERE ? undefined : chosen, locations: active };
}

/** The same before it is known who is signed in; wrong for somebody of one location alone who has not chosen yet. */
export function likelyLocation(): string | undefined {
  const wanted = route.value.query.get("location") ?? readCookie(REMEMBERED);
  return wanted === EVERYWHERE ? undefined : wanted;
}

export function chooseLocation(locationId: string): void {
  setQuery({ location: locationId }, { replace: false });
}
