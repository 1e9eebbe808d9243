import pg from "pg";
import type { Database } from "../../src/db/database.ts";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import type { Statement } from "../../src/db/statements.ts";

/** What PostgreSQL does for one call, as the server would run it. */
export interface Explained {
  /** The plan as text, with its real row counts and times. */
  readonly plan: string;
  /** The best of the first five runs, which are planned for their values, and of those after. */
  readonly plannedMs: number;
  readonly settledMs: number;
  /** Whether the plan was made without looking at the values, once and for all. */
  readonly isGeneric: boolean;
}

export interface Explainer {
  /** Runs the call `times` times as one prepared statement and explains the last. */
  explain(call: (db: Database) => Promise<unknown>, times: number): Promise<Explained>;
  close(): Promise<void>;
}

export async function openExplainer(connection: ConnectionSettings): Promise<Explainer> {
  const client = new pg.Client(connection);
  await client.connect();
  return {
    async explain(call, times) {
      const { statement, values } = await record(call);
      const name = client.escapeIdentifier(`${statement.name} explained`);
      const isReplanned = statement.name === "";
      await client.query(`set plan_cache_mode = ${isReplanned ? "force_custom_plan" : "auto"}`);
      await client.query(`prepare ${name} as ${statement.text}`);
      const list = values.map((value) => literal(client, value)).join(", ");
      const elapsed: number[] = [];
      for (let run = 1; run < times; run++) {
        const start = performance.now();
        await client.query(`execute ${name} (${list})`);
        elapsed.push(performance.now() - start);
      }
      const explained = await client.query<{ "QUERY PLAN": string }>(
        `explain (analyze, buffers, settings) execute ${name} (${list})`,
      );
      const kind = await client.query<{ generic: boolean }>(
        "select generic_plans > 0 as generic from pg_prepared_statements where name = $1",
        [`${statement.name} explained`],
      );
      await client.query(`deallocate ${name}`);
      return {
        plan: explained.rows.map((row) => row["QUERY PLAN"]).join("\n"),
        plannedMs: Math.min(...elapsed.slice(0, 5)),
        settledMs: Math.min(...elapsed.slice(5)),
        isGeneric: kind.rows[0]?.generic ?? false,
      };
    },
    close: () => client.end(),
  };
}

/** The statement that a query function would send, and its values. */
async function record(
  call: (db: Database) => Promise<unknown>,
): Promise<{ statement: Statement; values: readonly unknown[] }> {
  const sent: { statement: Statement; values: readonly unknown[] }[] = [];
  const recorder: Database = {
    async query(statement, values = []) {
      sent.push({ statement, values });
      return [];
    },
    transaction: (work) => work(recorder),
    snapshot: (work) => work(recorder),
    now: async () => 0,
  };
  // With no rows to read the function may well give up; what it asked is known by then.
  await call(recorder).catch(() => {});
  const [first] = sent;
  if (!first || sent.length > 1) throw new Error("the call did not send exactly one statement");
  return first;
}

function literal(client: pg.Client, value: unknown): string {
  // As one text, so that it takes the type of its parameter, whichever that is.
  if (Array.isArray(value))
    return client.escapeLiteral(
      `{${value.map((item) => `"${String(item).replace(/["\\]/g, "\\$&")}"`).join(",")}}`,
    );
  return typeof value === "number" ? String(value) : client.escapeLiteral(String(value));
}
