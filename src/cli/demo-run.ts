import { operator } from "../audit/queries.ts";
import { findZone, wallToInstant } from "../calendar/zones.ts";
import { MS_PER_DAY } from "../core/dates.ts";
import { createDemo, createFirstDemo, type Demo } from "../demo/operations.ts";
import { listLocationIds } from "../locations/queries.ts";
import type { Config } from "../process/config.ts";
import { publicUrl } from "../process/server-process.ts";
import type { Store } from "../process/store.ts";
import type { CommandCall, Output } from "./command.ts";

/** Makes a demo organization and shows its key. */
export async function demonstrate({ config, store, out }: CommandCall): Promise<void> {
  const opened = await store();
  const db = opened.open({ applicationName: "rollbook demo" });
  const demo = await createDemo(db, await opened.keySecret(), operator().name);
  const { organization, key } = demo;
  out.say(
    `Created the demo organization ${organization.name} (${organization.id}). Its key is shown once and ` +
      `cannot be recovered.\nTry it:  curl -H "Authorization: Bearer KEY" ${publicUrl(config)}/v1/organization`,
  );
  out.result(summary(demo), key.key);
}

/**
 * A new, empty built-in database gets a demo organization, so that the first request has something to find.
 * Called when the server listens: what is printed can be pasted at once.
 */
export async function offerDemo(config: Config, store: Store, out: Output): Promise<void> {
  if (!store.isEmbedded) return;
  const db = store.open({ applicationName: "rollbook demo", poolSize: 1 });
  try {
    const demo = await createFirstDemo(db, await store.keySecret(), operator().name);
    if (!demo) return;
    const [locationId = ""] = await listLocationIds(db, demo.organization.id);
    const url = localUrl(config);
    out.result({ ...summary(demo), url }, firstSteps(demo, url, locationId));
  } finally {
    await db.close();
  }
}

function summary({ organization, key }: Demo) {
  return { organizationId: organization.id, name: organization.name, keyId: key.id, key: key.key };
}

/** Double quotes throughout: they mean the same to every shell, that of Windows included. */
function firstSteps({ organization, key, today }: Demo, url: string, locationId: string): string {
  const curl = `curl -H "Authorization: Bearer ${key.key}"`;
  const from = midnight(today, organization.timezone);
  const [fromText, toText] = [from, from + 7 * MS_PER_DAY].map((ms) => new Date(ms).toISOString());
  const client = JSON.stringify({ contactName: "Ana Souza", locationIds: [locationId] });
  return `
This server was empty, so it has a demo organization now: ${organization.name}.
Its API key, shown this once:

  ${key.key}

Whose key it is, the sessions of the coming week, and a new client; paste any of them into another terminal:

${curl} "${url}/v1/organization"

${curl} "${url}/v1/calendar?from=${fromText}&to=${toText}"

${curl} -H "Content-Type: application/json" -d "${client.replaceAll('"', '\\"')}" "${url}/v1/clients"

All operations, to read and to try: ${url}/docs
`;
}

/** An address that works on this very machine, whatever the one that callers are meant to use. */
function localUrl({ host, port }: Config): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

function midnight(date: string, timezone: string): number {
  const zone = findZone(timezone);
  return zone ? wallToInstant(zone, Date.parse(date)) : Date.parse(date);
}
