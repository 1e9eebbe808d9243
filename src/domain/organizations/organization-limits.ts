import { type AppError, refusal } from "../../core/errors.ts";
import { recordsOf, type StoredVersions } from "../../db/data-version.ts";

/** What an organization may do that has no limit of its own. 0 is no limit. */
export interface OrganizationLimits {
  /** How many requests all of its keys may make together. */
  readonly requestsPerMinute: number;
  /** How many records it may store, of those that the change feed tells of. */
  readonly maxRecords: number;
  readonly uploadMegabytesPerDay: number;
}

export const NO_LIMITS: OrganizationLimits = {
  requestsPerMinute: 0,
  maxRecords: 0,
  uploadMegabytesPerDay: 0,
};

/** The limit that holds, if there is one: that of the organization before that of the server. */
export function limitOf(own: number | undefined, general: number): number | undefined {
  const limit = own ?? general;
  return limit === 0 ? undefined : limit;
}

/** How much an organization that has a limit stores of what it may. */
export interface StorageUse {
  /** Up to the last changes that were numbered: some seconds ago. */
  readonly records: number;
  readonly limit: number;
}

/** Of what a gate was told; undefined if there is no limit. */
export function storageUse(
  admission: StoredVersions & { readonly maxRecords?: number },
  general: number,
): StorageUse | undefined {
  const limit = limitOf(admission.maxRecords, general);
  return limit === undefined ? undefined : { records: recordsOf(admission), limit };
}

/** More than one write stores, and than a key usually does until changes are numbered. */
const RESERVE = 1_000;

/** Whether a single write may be over the limit, so that it has to be counted exactly. */
export function nearsLimit({ records, limit }: StorageUse): boolean {
  return records >= limit - Math.max(RESERVE, limit / 10);
}

/** Of a file that is imported whole or not at all. */
export function importTooLarge(added: number, records: number, limit: number): AppError {
  return refusal("import_too_large", { params: { added, records, limit } });
}

export function storageFull(records: number, limit: number): AppError {
  return refusal("storage_full", { params: { records, limit } });
}
