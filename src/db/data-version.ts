import type { DataClass } from "../core/data-snapshot.ts";

const COLUMNS: Readonly<Record<DataClass, string>> = {
  catalog: "catalog_version",
  clients: "clients_version",
};

/**
 * The version of these classes of data, as an aggregate over an organization's counters. Each only grows, so the sum
 * stays only if all of them do.
 */
export function versionSum(classes: readonly DataClass[]): string {
  return `sum(${classes.map((name) => COLUMNS[name]).join(" + ")})::bigint`;
}

/** Selects that version; `$1` is the organization. */
export function selectVersion(classes: readonly DataClass[]): string {
  return `select ${versionSum(classes)} as version from organization_counters where organization_id = $1`;
}
