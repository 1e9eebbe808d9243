import type { ShortReads } from "./database.ts";
import { read, type ShortRead } from "./statements.ts";

interface PendingLookup<Item> {
  readonly organizationId: string;
  readonly id: string;
  readonly resolve: (item: Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finds single records by organization and id. Requests that were let in together ask together: one statement for
 * all of them, which costs PostgreSQL and the driver little more than one for a single record.
 */
export class Lookup<Row extends object, Item> {
  readonly #db: ShortReads;
  readonly #statement: ShortRead;
  readonly #toItem: (row: Row) => Item;
  #pending: PendingLookup<Item>[] = [];

  /** `columns` are those of a row called `r`. */
  constructor(
    db: ShortReads,
    text: { readonly name: string; readonly table: string; readonly columns: string },
    toItem: (row: Row) => Item,
  ) {
    this.#db = db;
    this.#toItem = toItem;
    this.#statement = read(
      text.name,
      `select w.place, ${text.columns}
       from unnest($1::uuid[], $2::uuid[]) with ordinality as w (organization_id, id, place)
       join ${text.table} r on r.organization_id = w.organization_id and r.id = w.id`,
    );
  }

  find(organizationId: string, id: string): Promise<Item | undefined> {
    return new Promise((resolve, reject) => {
      // Requests of one batch of the gate run in step, so when this one's turn comes all of them have asked.
      if (this.#pending.length === 0) queueMicrotask(() => this.#ask());
      this.#pending.push({ organizationId, id, resolve, reject });
    });
  }

  #ask(): void {
    const wanted = this.#pending;
    this.#pending = [];
    const organizationIds = wanted.map(({ organizationId }) => organizationId);
    const ids = wanted.map(({ id }) => id);
    this.#db
      .query<Row & { place: number }>(this.#statement, [organizationIds, ids])
      .then((rows) => {
        const found = new Map(rows.map((row) => [row.place, row]));
        wanted.forEach(({ resolve }, index) => {
          const row = found.get(index + 1);
          resolve(row && this.#toItem(row));
        });
      })
      .catch((error: unknown) => {
        for (const { reject } of wanted) reject(error);
      });
  }
}
