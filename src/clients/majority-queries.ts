import type { ShortReads } from "../db/database.ts";
import { read } from "../db/statements.ts";

const REFRESH_MS = 60_000;

const majorityStatement = read(
  "find_client_majority",
  `select (most_common_vals::text::uuid[])[1] as "organizationId" from pg_stats
   where schemaname = current_schema() and tablename = 'clients' and attname = 'organization_id'
     and most_common_freqs[1] > 0.5`,
);

/**
 * Which organization has more than half of all clients, if one has, by PostgreSQL's own statistics: on most servers
 * it is the only one. Its searches are faster if the index is not asked for the organization as well. What is found
 * does not depend on it, so the answer may be a minute old, and is not waited for.
 */
export class ClientMajority {
  readonly #db: ShortReads;
  #organizationId: string | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: ShortReads) {
    this.#db = db;
  }

  has(organizationId: string): boolean {
    if (performance.now() - this.#askedAt > REFRESH_MS) {
      this.#askedAt = performance.now();
      this.refresh().catch(() => {
        // It is asked again in a minute; until then searches are as fast as those of any other organization.
      });
    }
    return organizationId === this.#organizationId;
  }

  async refresh(): Promise<void> {
    const [majority] = await this.#db.query<{ organizationId?: string }>(majorityStatement);
    this.#organizationId = majority?.organizationId;
  }
}
