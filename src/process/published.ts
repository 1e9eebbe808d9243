import { pino } from "pino";
import { buildServer, type RequestMetrics } from "../api/server.ts";
import type { ProgramDatabase } from "../db/database.ts";
import type { Language } from "../languages/dictionary.ts";
import { programVersion } from "./config.ts";
import { createMetrics } from "./metrics.ts";

/** The text of the committed `openapi.json`: what a server on its default address publishes, by lines. */
export function publishedDocument(language: Language = "en"): Promise<string> {
  return readPublished(language === "en" ? "/openapi.json" : `/openapi.${language}.json`);
}

/** The same of the staff application, from which the types of the console are made. */
export function publishedStaffDocument(): Promise<string> {
  return readPublished("/app/openapi.json");
}

/** The examples of files that the public document names, by the last part of their address. */
export async function publishedExamples(): Promise<ReadonlyMap<string, string>> {
  const app = buildUnserved(createMetrics({}));
  try {
    const { body } = await app.inject("/openapi.json");
    const names = [...body.matchAll(/"examples\/([\w.]+)"/g)].map(([, name = ""]) => name);
    const read = async (name: string) => [name, (await app.inject(`/examples/${name}`)).body] as const;
    return new Map(await Promise.all(names.map(read)));
  } finally {
    await app.close();
  }
}

async function readPublished(address: string): Promise<string> {
  const app = buildUnserved(createMetrics({}));
  try {
    const { body } = await app.inject(address);
    return `${byParts(JSON.parse(body), 3)}\n`;
  } finally {
    await app.close();
  }
}

/** A server on its default address that has no database: it knows what it can be asked, and answers nothing of it. */
export function buildUnserved(metrics: RequestMetrics): ReturnType<typeof buildServer> {
  const unasked = () => Promise.reject(new Error("the document does not come from the database"));
  const own = { query: unasked, transaction: unasked, snapshot: unasked, now: unasked, clockOffsetMs: 0 };
  const db: ProgramDatabase = { ...own, for: () => own };
  return buildServer({
    db,
    keySecret: "",
    rate: undefined,
    publicUrl: "http://localhost:8080",
    version: programVersion(),
    cacheBytes: 0,
    downloads: { atOnce: 0 },
    logger: pino({ level: "silent" }),
    metrics,
    isReady: async () => true,
    isDraining: () => false,
  });
}

/** A line for each operation, event and component: spaces would be a third of the file. */
function byParts(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${byParts(member, depth - 1)}`,
  );
  return `{\n${members.join(",\n")}\n}`;
}
