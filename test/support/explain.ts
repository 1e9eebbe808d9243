import pg from "pg";
import type { Database } from "../../src/db/database.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import type { Statement } from "../../src/db/statements.ts";

/** What PostgreSQL does for one call, as the server would run it. */
export interface Explained {
  /** The plan as text, with its real row counts and times. */
  readonly plan: string;
  /** Whether the plan was made without looking at the values, once and for all. */
  readonly isGeneric: boolean;
}

export interface TimedExplained extends Explained {
  /** The best of the first five runs, which are planned for their values, and of those after. */
  readonly plannedMs: number;
  readonly settledMs: number;
}

export interface SentStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

export type DatabaseCall = (db: Database) => Promise<unknown>;

export interface Explainer {
  /** Plans the one statement of a call `times` times, prepared once, runs it the last time and explains that. */
  explain(call: DatabaseCall, times: number): Promise<Explained>;
  explainStatement(sent: SentStatement, times: number): Promise<Explained>;
  /** The same, run each time. */
  time(call: DatabaseCall, times: number): Promise<TimedExplained>;
  close(): Promise<void>;
}

export async function openExplainer(connection: ConnectionSettings): Promise<Explainer> {
  const client = new pg.Client(connection);
  await client.connect();
  const explain = async (
    { statement, values }: SentStatement,
    before: (execute: string) => Promise<unknown>,
  ): Promise<Explained> => {
    const name = client.escapeIdentifier(`${statement.name} explained`);
    await client.query(`set plan_cache_mode = ${planMode(statement)}`);
    await client.query(`prepare ${name} as ${statement.text}`);
    const given = values.map((value) => literal(client, value)).join(", ");
    const execute = `execute ${name} ${given && `(${given})`}`;
    await before(execute);
    const explained = await client.query<{ "QUERY PLAN": string }>(
      `explain (analyze, buffers, settings) ${execute}`,
    );
    const kind = await client.query<{ generic: boolean }>(
      "select generic_plans > 0 as generic from pg_prepared_statements where name = $1",
      [`${statement.name} explained`],
    );
    await client.query(`deallocate ${name}`);
    return {
      plan: explained.rows.map((row) => row["QUERY PLAN"]).join("\n"),
      isGeneric: kind.rows[0]?.generic ?? false,
    };
  };
  const explainer: Explainer = {
    explain: async (call, times) => explainer.explainStatement(await record(call), times),
    explainStatement: (sent, times) =>
      explain(sent, async (execute) => {
        // Whether a statement is planned once and for all is decided by how often it was planned, not by how often it ran.
        for (let run = 1; run < times; run++) await client.query(`explain ${execute}`);
      }),
    async time(call, times) {
      const elapsed: number[] = [];
      const explained = await explain(await record(call), async (execute) => {
        for (let run = 1; run < times; run++) {
          const start = performance.now();
          await client.query(execute);
          elapsed.push(performance.now() - start);
        }
      });
      return {
        ...explained,
        plannedMs: Math.min(...elapsed.slice(0, 5)),
        settledMs: Math.min(...elapsed.slice(5)),
      };
    },
    close: () => client.end(),
  };
  return explainer;
}

/** As the lane of the statement has it. */
function planMode({ name }: Statement): string {
  return name === "" ? "force_custom_plan" : "force_generic_plan";
}

/** The statement that a query function would send, and its values. */
async function record(call: DatabaseCall): Promise<SentStatement> {
  const sent: SentStatement[] = [];
  const recorder: Database = {
    async query(statement, values = []) {
      sent.push({ statement, values });
      return [];
    },
    transaction: (work) => work(recorder),
    snapshot: (work) => work(recorder),
    now: async () => 0,
    clockOffsetMs: 0,
  };
  // With no rows to read the function may well give up; what it asked is known by then.
  await call(recorder).catch(() => {});
  const [first] = sent;
  if (!first || sent.length > 1) throw new Error("the call did not send exactly one statement");
  return first;
}

function literal(client: pg.Client, value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return String(value);
  // As one text, so that it takes the type of its parameter, whichever that is.
  if (Array.isArray(value))
    return client.escapeLiteral(
      `{${value.map((item) => `"${textOf(item).replace(/["\\]/g, "\\$&")}"`).join(",")}}`,
    );
  return client.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : String(value);
}
