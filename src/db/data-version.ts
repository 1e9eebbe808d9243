import type { DataClass } from "../core/data-snapshot.ts";

/**
 * How the versions are stored, in `organization_counters`. The releases before knew two: `clients_version`, and
 * `catalog_version` for all else. So `catalog_version` still counts every write but those to clients, and the others
 * count which of these were to contracts or stored sessions alone; the catalog's own version is the difference. Thus a
 * write by a node of the release before, which moves `catalog_version` only, counts for every class, and a write of ours
 * is seen by it. The database moves them: whatever the change feed notes moves the version of its class at the commit
 * (migration 0021). See docs/decisions/versions.md.
 */
const COLUMNS: Readonly<Record<DataClass, string>> = {
  catalog: "catalog_version",
  clients: "clients_version",
  contracts: "contracts_version",
  sessions: "sessions_version",
};

/** The classes whose writes `catalog_version` counts as well. */
const COUNTED_WITH_CATALOG: readonly DataClass[] = ["contracts", "sessions"];

/**
 * The version of these classes of data, as an aggregate over an organization's counters. Each only grows, so the sum
 * stays only if all of them do.
 */
export function versionSum(classes: readonly DataClass[]): string {
  const hasCatalog = classes.includes("catalog");
  const isCounted = (name: DataClass) => hasCatalog && COUNTED_WITH_CATALOG.includes(name);
  const added = classes.filter((name) => !isCounted(name)).map((name) => COLUMNS[name]);
  const taken = COUNTED_WITH_CATALOG.filter((name) => isCounted(name) && !classes.includes(name));
  return `sum(${[added.join(" + "), ...taken.map((name) => COLUMNS[name])].join(" - ")})::bigint`;
}

/** With how many records the organization stores, which whoever numbers its changes counts there (migration 0032). */
const STORED = [COLUMNS.catalog, COLUMNS.clients, COLUMNS.contracts, COLUMNS.sessions, "records"];

/**
 * What is stored of all versions of an organization, which the gate asks for on every request: the rows of its counters
 * as they are. To prepare four sums costs PostgreSQL as much as the rest of the gate's statement, and costs it again on
 * each run (docs/decisions/hot-path.md). `organizationId` is a column or a parameter.
 */
export function storedVersions(organizationId: string): string {
  return `array(
    select array[${STORED.join(", ")}] from organization_counters c where c.organization_id = ${organizationId}
  ) as versions`;
}

export interface StoredVersions {
  /** Row by row. */
  readonly versions: readonly number[];
}

export function versionsOf({ versions }: StoredVersions): Record<DataClass, number> {
  let [counted, clients, contracts, sessions] = [0, 0, 0, 0];
  for (let row = 0; row < versions.length; row += STORED.length) {
    counted += versions[row] as number;
    clients += versions[row + 1] as number;
    contracts += versions[row + 2] as number;
    sessions += versions[row + 3] as number;
  }
  return { catalog: counted - contracts - sessions, clients, contracts, sessions };
}

/** How many records the organization stores, up to the last changes that were numbered. */
export function recordsOf({ versions }: StoredVersions): number {
  let records = 0;
  for (let row = 0; row < versions.length; row += STORED.length)
    records += versions[row + STORED.length - 1] as number;
  return records;
}

/** Selects that version; `$1` is the organization. */
export function selectVersion(classes: readonly DataClass[]): string {
  return `select ${versionSum(classes)} as version from organization_counters where organization_id = $1`;
}
