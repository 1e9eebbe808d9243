import type { Database, OpenDatabase, ProgramDatabase } from "../../src/db/database.ts";
import type { Statement } from "../../src/db/statements.ts";

/** Finds transactions that lock or write a record before the row of its organization: see `domain/writes/transactions.ts`. */
export class LockOrder {
  /** What was out of order. */
  readonly faults = new Set<string>();

  watch(db: OpenDatabase): ProgramDatabase {
    return {
      ...this.#watched(db),
      for: (organizationId, times) => this.#watched(db.for(organizationId, times)),
    };
  }

  #watched(db: Database): Database {
    return { ...db, transaction: (work) => db.transaction((tx) => work(this.#within(tx, []))) };
  }

  #within(tx: Database, sent: Statement[]): Database {
    return {
      ...tx,
      query: (statement, values) => {
        for (const fault of faultsOf(statement, sent)) this.faults.add(fault);
        sent.push(statement);
        return tx.query(statement, values);
      },
      transaction: (work) =>
        tx.transaction(async (inner) => {
          // What fails gives its locks back.
          const own = [...sent];
          const result = await work(this.#within(inner, own));
          sent.push(...own.slice(sent.length));
          return result;
        }),
    };
  }
}

const LOCKS_ORGANIZATION = /\bfrom organizations\b[^;]* for (?:share|no key update)/;
const LOCKS =
  /\b(?:insert into|delete from) |\bupdate \w+ (?:\w+ )?set\b|\bfor (?:no key update|update|share)\b/;
/**
 * What frees a key of its own request, which nobody else can have, and imports: they store what is new before they keep others
 * waiting.
 */
const EXCEPTED = /^(?:is_request_key_taken$|import_)/;

/** What a statement locks too late, behind those of its transaction that were sent before. */
export function faultsOf(statement: Statement, sent: readonly Statement[]): string[] {
  if (!LOCKS_ORGANIZATION.test(statement.text)) return [];
  return sent
    .filter(({ name, text }) => LOCKS.test(text) && !LOCKS_ORGANIZATION.test(text) && !EXCEPTED.test(name))
    .map(({ name }) => `${statement.name} after ${name}`);
}
