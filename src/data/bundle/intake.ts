import type { OrganizationRecord } from "../../domain/organizations/queries.ts";
import type { OrganizationSettings } from "../../domain/organizations/schema.ts";
import type { Zone } from "../../domain/recurrence/zones.ts";
import type { Faults } from "./line-faults.ts";
import type { Entry } from "./lines.ts";
import type { StagedKind, StagedRow } from "./record-tables.ts";
import { readRecord } from "./records.ts";
import { KINDS, type Kind } from "./schema.ts";

/** A record without a fault of its own. */
export interface CheckedRecord {
  readonly kind: StagedKind;
  readonly row: StagedRow;
}

export type DescribedOrganization = OrganizationRecord & { readonly settings: Partial<OrganizationSettings> };

/** The second step of an import: checks records one by one, as far as that needs nothing but the lines so far. */
export class Intake {
  readonly #faults: Faults;
  readonly #ignoresOrganization: boolean;
  readonly #now: number;
  readonly #seen = { zones: new Map<string, Zone>() };
  readonly #faultyIds = new Map<StagedKind, string[]>();
  #organization: { readonly line: number; readonly row: StagedRow } | undefined;
  #faultyLocations = 0;

  constructor(faults: Faults, options: { readonly ignoresOrganization: boolean; readonly now: number }) {
    this.#faults = faults;
    this.#ignoresOrganization = options.ignoresOrganization;
    this.#now = options.now;
  }

  /** The organization that the file describes, with the settings that it gives. */
  get organization(): DescribedOrganization | undefined {
    return this.#organization?.row as DescribedOrganization | undefined;
  }

  /** How many locations of the file have faults: they count when a client is to join the only one. */
  get faultyLocations(): number {
    return this.#faultyLocations;
  }

  /** Ids of records with faults: others may refer to them without a fault of their own. */
  faultyIds(kind: StagedKind): readonly string[] {
    return this.#faultyIds.get(kind) ?? [];
  }

  /** The record of an entry, unless it has a fault or is the organization's own. */
  take(entry: Entry): CheckedRecord | undefined {
    const { line } = entry;
    if ("unreadable" in entry) {
      this.#faults.add({ line, ...entry.unreadable });
      return undefined;
    }
    const { value } = entry;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#faults.add({ line, code: "line_not_object" });
      return undefined;
    }
    const kind = KINDS.find((name) => name === (value as { kind?: unknown }).kind);
    if (!kind) {
      this.#faults.add({ line, place: "kind", code: "not_one_of", params: { allowed: KINDS } });
      return undefined;
    }
    if (kind === "organization" && this.#ignoresOrganization) return undefined;
    const { faults, id, row } = readRecord(kind, value, this.#seen, this.#now);
    this.#faults.addAll(line, kind, [...(entry.faults ?? []), ...faults]);
    const good = entry.faults ? undefined : row;
    if (kind === "organization") this.#takeOrganization(line, good);
    else if (good) {
      const { at: merged_at, patch } = entry.merged ?? {};
      return { kind, row: { line, ...good, ...(merged_at !== undefined && { merged_at, patch }) } };
    } else this.#rememberFaulty(kind, id);
    return undefined;
  }

  #takeOrganization(line: number, row: StagedRow | undefined): void {
    const first = this.#organization;
    if (first) {
      this.#faults.add({
        line,
        kind: "organization",
        code: "organization_repeated",
        params: { line: first.line },
      });
    } else if (row) this.#organization = { line, row };
  }

  #rememberFaulty(kind: Exclude<Kind, "organization">, id: string | undefined): void {
    if (kind === "location") this.#faultyLocations++;
    if (id === undefined) return;
    const ids = this.#faultyIds.get(kind) ?? [];
    ids.push(id);
    this.#faultyIds.set(kind, ids);
  }
}
