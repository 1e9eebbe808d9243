import type { Kind } from "./schema.ts";

/** What an import did to the records of one kind. */
export interface KindSummary {
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
}

export interface ImportSummary {
  readonly organizationId: string;
  readonly dryRun: boolean;
  readonly records: number;
  /** The entry in the audit trail; a dry run has none. */
  readonly auditId?: string;
  /** Only the kinds that the file has. */
  readonly kinds: Partial<Record<Kind, KindSummary>>;
  /** Sessions to come that should hold a resource which another session has; absent if there is none. */
  readonly withoutResource?: readonly string[];
}
