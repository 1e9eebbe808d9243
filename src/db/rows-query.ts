import pg from "./driver.ts";
import type { AnswerSize } from "./pipeline-shares.ts";
import { keepsSession } from "./server-connection.ts";
import { isPreparationLost } from "./statement-errors.ts";
import type { Statement } from "./statements.ts";
import { type Parse, parserOf } from "./types.ts";

/**
 * Runs a statement by itself. What was to be prepared may be missing: others were sent behind a statement whose
 * preparation then timed out, or something between forgot it. None of those has run, so each runs once more, unprepared.
 */
export async function runAlone<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  size?: AnswerSize,
): Promise<Row[]> {
  try {
    return await run<Row>(connection, statement, values, size);
  } catch (error) {
    if (!isPreparationLost(error)) throw error;
    return submit<Row>(connection, statement, values, { isPrepared: false, size });
  }
}

export async function run<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  size?: AnswerSize,
): Promise<Row[]> {
  try {
    return await submit<Row>(connection, statement, values, { isPrepared: keepsSession(connection), size });
  } catch (error) {
    // The stack of the caller helps in a log; that of the socket, where the answer was read, does not.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

function submit<Row extends object>(
  connection: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  options: RowsOptions,
): Promise<Row[]> {
  return new Promise<Row[]>((resolve, reject) => {
    connection.query(
      new RowsQuery<Row>(statement, values, options, (error, rows = []) =>
        error ? reject(error) : resolve(rows),
      ),
    );
  });
}

interface RowsOptions {
  readonly isPrepared: boolean;
  /** Where the characters of the answer are counted. */
  readonly size?: AnswerSize | undefined;
}

type Done<Row> = (error: Error | null | undefined, rows?: Row[]) => void;

/** As the driver hands them on. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}
interface DriverConnection {
  readonly parsedStatements: Record<string, string>;
}
interface DataRow {
  readonly fields: readonly (string | null)[];
}

/**
 * One run of a statement. The driver's own query works out the columns again on every run and builds rows that would
 * only be taken apart again: for a statement that answers a row or two, that was most of what the driver cost.
 */
export class RowsQuery<Row extends object> extends pg.Query {
  readonly name: string;
  /** The driver puts its own around it, which also ends the wait for an answer. */
  callback: Done<Row>;
  readonly #statement: Statement;
  readonly #size: AnswerSize | undefined;
  readonly #rows: Row[] = [];
  #columns: readonly ResultColumn[] = [];
  #fault: Error | undefined;

  constructor(
    statement: Statement,
    values: readonly unknown[],
    { isPrepared, size }: RowsOptions,
    done: Done<Row>,
  ) {
    super(sentText(statement), values as unknown[]);
    this.name = isPrepared ? statement.name : "";
    this.callback = done;
    this.#statement = statement;
    this.#size = size;
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = columnsOf(this.#statement, fields);
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#fault) return;
    const row: Record<string, unknown> = {};
    try {
      for (let i = 0; i < fields.length; i++) {
        const text = fields[i];
        const column = this.#columns[i];
        // Absent means absent: a null column does not become a member of the record.
        if (column !== undefined && text !== null && text !== undefined) {
          if (this.#size) this.#size.characters += text.length;
          row[column.name] = column.parse(text);
        }
      }
      this.#rows.push(row as Row);
    } catch (error) {
      // Reported when the answer is complete: until then the connection is not free.
      this.#fault = error as Error;
    }
  }

  handleCommandComplete(): void {}

  handleError(error: Error, connection: DriverConnection): void {
    // PostgreSQL does not have it: the next one prepares it again.
    if ("code" in error && error.code === "26000") delete connection.parsedStatements[this.name];
    this.callback(this.#fault ?? error);
  }

  handleReadyForQuery(): void {
    if (this.#fault) this.callback(this.#fault);
    else this.callback(null, this.#rows);
  }
}

const sent = new WeakMap<Statement, string>();

/**
 * The text as it is sent: with its name behind the first word, by which an operator knows it in `pg_stat_activity` and
 * `pg_stat_statements` (the latter may leave out what stands ahead). The name is fixed, so what is prepared stays shared.
 */
function sentText(statement: Statement): string {
  if (statement.name === "") return statement.text;
  let text = sent.get(statement);
  if (text === undefined) {
    text = statement.text.replace(/\w+/, (word) => `${word} /* rollbook:${statement.name} */`);
    sent.set(statement, text);
  }
  return text;
}

interface ResultColumn {
  readonly name: string;
  readonly type: number;
  readonly parse: Parse;
}

const known = new WeakMap<Statement, readonly ResultColumn[]>();

/** The columns as described; those of the last run, if they are still the same. */
function columnsOf(statement: Statement, fields: RowDescription["fields"]): readonly ResultColumn[] {
  const before = known.get(statement);
  if (before && isSame(before, fields)) return before;
  const columns = fields.map(({ name, dataTypeID }) => ({
    name,
    type: dataTypeID,
    parse: parserOf(dataTypeID),
  }));
  known.set(statement, columns);
  return columns;
}

function isSame(columns: readonly ResultColumn[], fields: RowDescription["fields"]): boolean {
  if (columns.length !== fields.length) return false;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i];
    const column = columns[i];
    if (column?.type !== field?.dataTypeID || column?.name !== field?.name) return false;
  }
  return true;
}
