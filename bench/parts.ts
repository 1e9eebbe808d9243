/** Parts of ours where a library or the language has one: what each costs against that one, in this process. */
import prometheus from "prom-client";
import type { TObject, TSchema } from "typebox";
import { compileBody } from "../src/core/render.ts";
import { Client, ClientPage, exampleClient } from "../src/domain/clients/schema.ts";
import { DURATION_BOUNDS, Durations } from "../src/process/durations.ts";
import { median } from "./measure.ts";
import type { Figure, Row } from "./row.ts";

/** One side does the work `times` over. */
type Work = (times: number) => void;

interface Part {
  readonly name: string;
  readonly title: string;
  readonly target: number;
  /** How often it is done in one turn of a side. */
  readonly times: number;
  readonly ours: Work;
  readonly plain: Work;
}

const ROUTES = ["/v1/organization", "/v1/clients", "/v1/clients/:id", "/v1/plans", "/v1/calendar"];
const SCHEMA_URL = "http://localhost:8080/schemas/ClientPage.json";
const ROUNDS = 15;

const PARTS: readonly Part[] = [
  recordingDurations(),
  rendering("part-client", "the text of one client, against JSON.stringify", 20_000, Client, exampleClient),
  rendering("part-page", "the text of 50 clients, against JSON.stringify", 500, ClientPage, examplePage()),
];

export const partRows: readonly Row[] = PARTS.map((part) => ({
  name: part.name,
  title: part.title,
  target: `CPU ≤ ${part.target} ×`,
  // Of the parts alone no profile is taken, but of a request that needs them.
  workload: async ({ studio }) => ({ key: studio.key, targets: ["GET /v1/clients?limit=50"] }),
  measure: async () => [compare(part)],
}));

/** The histogram of request durations, filled once a request, against prom-client's. */
function recordingDurations(): Part {
  const own = new Durations("ours", "ours", () => "none");
  const general = new prometheus.Histogram({
    name: "plain",
    help: "plain",
    labelNames: ["method", "route", "status"],
    buckets: [...DURATION_BOUNDS],
    registers: [],
  });
  return {
    name: "part-durations",
    title: "noting how long a request took, against prom-client's histogram",
    target: 0.5,
    times: 100_000,
    ours: (times) => {
      for (let n = 0; n < times; n++) own.observe("GET", ROUTES[n % 5] as string, 200, (n % 16) / 1000);
    },
    plain: (times) => {
      for (let n = 0; n < times; n++) {
        const labels = { method: "GET", route: ROUTES[n % 5] as string, status: 200 };
        general.observe(labels, (n % 16) / 1000);
      }
    },
  };
}

/** The text of a body by its schema, against JSON.stringify of the members that the schema names. */
function rendering(name: string, title: string, times: number, schema: TObject, value: object): Part {
  const render = compileBody(schema, SCHEMA_URL);
  const pick = compilePick(schema);
  return {
    name,
    title,
    target: 1,
    times,
    ours: (count) => {
      for (let n = 0; n < count; n++) Buffer.byteLength(render(value));
    },
    plain: (count) => {
      for (let n = 0; n < count; n++) {
        Buffer.byteLength(JSON.stringify({ $schema: SCHEMA_URL, ...(pick?.(value) as object) }));
      }
    },
  };
}

/** Copies what the schema names: a query may bring more than callers are meant to see. */
function compilePick(schema: TSchema): ((value: unknown) => unknown) | undefined {
  const { type, properties, items } = schema as {
    type?: string;
    properties?: Record<string, TSchema>;
    items?: TSchema;
  };
  if (type === "array" && items) {
    const pick = compilePick(items);
    return pick && ((value) => (value as unknown[]).map(pick));
  }
  if (type !== "object" || !properties) return undefined;
  const members = Object.entries(properties).map(([name, member]) => ({ name, pick: compilePick(member) }));
  return (value) => {
    const record = value as Record<string, unknown>;
    const picked: Record<string, unknown> = {};
    for (const { name, pick } of members) {
      const content = record[name];
      if (content !== undefined) picked[name] = pick ? pick(content) : content;
    }
    return picked;
  };
}

function examplePage(): object {
  const { locationIds, ...listed } = exampleClient;
  return { data: Array.from({ length: 50 }, () => ({ ...listed })), limit: 50, offset: 0, total: 200_000 };
}

function compare({ title, target, times, ours, plain }: Part): Figure {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: cpuUs(ours, times),
    plain: cpuUs(plain, times),
  }));
  // In the first ones the compiler is still at work.
  const measured = rounds.slice(5);
  const values = measured.map((round) => round.ours / round.plain);
  const each = (side: "ours" | "plain") => median(measured.map((round) => round[side])).toFixed(2);
  return {
    title,
    values,
    unit: "×",
    target: `CPU ≤ ${target} ×`,
    reached: median(values) <= target,
    note: `${each("ours")} against ${each("plain")} µs each`,
  };
}

/** CPU time of one of them. */
export function cpuUs(work: Work, times: number): number {
  const before = process.cpuUsage();
  work(times);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
