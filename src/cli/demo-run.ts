import { MS_PER_DAY } from "../core/dates.ts";
import { createDemo, createFirstDemo, type Demo } from "../data/demo/operations.ts";
import type { Database } from "../db/database.ts";
import { operator } from "../domain/audit/queries.ts";
import { listLocationIds } from "../domain/locations/queries.ts";
import { findZone, wallToInstant } from "../domain/recurrence/zones.ts";
import { linkOwner } from "../domain/staff/operations.ts";
import type { LinkedStaff } from "../domain/staff/schema.ts";
import { type Config, publicUrl } from "../process/config.ts";
import type { Store } from "../process/store.ts";
import type { CommandCall, Output } from "./command.ts";
import { commitWhenShown } from "./shown-once.ts";

/** Makes a demo organization and shows its key. */
export async function demonstrate({ config, store, out }: CommandCall): Promise<void> {
  const opened = await store({ confirm: (found) => found.checkKeySecret() });
  const db = opened.open({ applicationName: "rollbook demo" });
  const keySecret = await opened.keySecret();
  const make = (tx: Database) => createDemo(tx, keySecret, operator().name);
  await commitWhenShown(db, out, make, (demo) => {
    const { organization, key } = demo;
    out.say(
      `Created the demo organization ${organization.name} (${organization.id}). Its key is shown once and ` +
        `cannot be recovered.\nTry it:  curl -H "Authorization: Bearer KEY" ${publicUrl(config)}/v1/organization`,
    );
    out.result(summary(demo), key.key);
  });
}

/**
 * A new, empty built-in database gets a demo organization, so that the first request has something to find.
 * Called when the server listens: what is printed can be pasted at once.
 */
export async function offerDemo(config: Config, store: Store, out: Output): Promise<void> {
  if (store.dataDir === undefined) return;
  const db = store.open({ applicationName: "rollbook demo", poolSize: 1 });
  try {
    const keySecret = await store.keySecret();
    const make = async (tx: Database) => {
      const demo = await createFirstDemo(tx, keySecret, operator().name);
      if (!demo) return undefined;
      const owner = config.console === "on" ? await linkDemoOwner(tx, demo, config, keySecret) : undefined;
      const [locationId = ""] = await listLocationIds(tx, demo.organization.id);
      return { demo, owner, locationId };
    };
    await commitWhenShown(db, out, make, (made) => {
      if (!made) return;
      const { demo, owner, locationId } = made;
      const url = localUrl(config);
      const { link: ownerLink } = owner ?? {};
      out.announce(
        { ...summary(demo), url, ...(ownerLink !== undefined && { ownerLink }) },
        firstSteps(demo, url, locationId, owner),
      );
    });
  } finally {
    await db.close();
  }
}

async function linkDemoOwner(
  db: Database,
  { organization }: Demo,
  config: Config,
  keySecret: string,
): Promise<LinkedStaff> {
  const maker = { keySecret, publicUrl: publicUrl(config) };
  const { result } = await linkOwner(
    { db, actor: operator(), organizationId: organization.id, ...maker },
    DEMO_OWNER,
  );
  return result;
}

/** Who owns the demo organization, if nobody does yet. */
const DEMO_OWNER = { email: "owner@example.com", name: "Owner" };

function summary({ organization, key }: Demo) {
  return { organizationId: organization.id, name: organization.name, keyId: key.id, key: key.key };
}

/** Double quotes throughout: they mean the same to every shell, that of Windows included. */
function firstSteps(
  { organization, key, today }: Demo,
  url: string,
  locationId: string,
  owner?: LinkedStaff,
): string {
  const curl = `curl -H "Authorization: Bearer ${key.key}"`;
  const from = midnight(today, organization.timezone);
  const [fromText, toText] = [from, from + 7 * MS_PER_DAY].map((ms) => new Date(ms).toISOString());
  const client = JSON.stringify({ contactName: "Ana Souza", locationIds: [locationId] });
  return `
This server was empty, so it has a demo organization now: ${organization.name}.
${owner ? ownerSteps(owner) : ""}
Its API key, shown this once:

  ${key.key}

Whose key it is, the sessions of the coming week, and a new client; paste any of them into another terminal:

${curl} "${url}/v1/organization"

${curl} "${url}/v1/calendar?from=${fromText}&to=${toText}"

${curl} -H "Content-Type: application/json" -d "${client.replaceAll('"', '\\"')}" "${url}/v1/clients"

All operations, to read and to try: ${url}/docs
`;
}

function ownerSteps({ staff, link }: LinkedStaff): string {
  return `
The owner comes into the application by this link, which can be used once within 24 hours. It sets the password of
${staff.email}:

  ${link}
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
