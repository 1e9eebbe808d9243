import { go, route } from "../../routing/router.ts";

/** The parts of the catalog, by the word that stands in their address. */
export type CatalogPart = "plans" | "services" | "groups" | "locations" | "resources";

export function addressOfPart(part: CatalogPart, opened?: string): string {
  return `/console/catalog/${part}${opened === undefined ? "" : `/${opened}`}`;
}

/** Opens a record over the list that it is in. */
export function openRecord(part: CatalogPart, opened: string): void {
  void go(addressOfPart(part, opened) + location.search, { keepsPlace: true });
}

/** Closes it again; what was saved is not asked about. */
export function closeRecord(part: CatalogPart, isSaved = false): void {
  void go(addressOfPart(part) + location.search, { keepsPlace: true, isSaved });
}

/** What is open over a list: the id of a record, or `new`. */
export function openedRecord(): string | undefined {
  return route.value.rest[1];
}

/** Whether the list shows what is out of use. */
export function showsArchived(): boolean {
  return route.value.query.get("show") === "archived";
}
