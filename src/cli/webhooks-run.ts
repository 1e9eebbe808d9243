import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { findAttempt, listAttempts } from "../sync/webhooks/queries.ts";
import type { WebhookAttempt } from "../sync/webhooks/schema.ts";
import { listWebhooks } from "../sync/webhooks/webhook-reads.ts";
import { type CommandCall, showRecord, showRecords } from "./command.ts";
import { carryOutNamed } from "./do-run.ts";
import { readId, readOrganization } from "./flag-values.ts";

/** How long a test is waited for: longer than an attempt can take. */
const TEST_MS = 25_000;
const LOOK_MS = 250;

/** Carries out a write that makes a secret. It alone is on standard output. */
export async function showNewSecret(call: CommandCall, operation: string, input: object): Promise<void> {
  await carryOutNamed(call, operation, readOrganization(call), input, (done) => {
    const { result } = done as { result?: { id: string; url: string; secret?: string } };
    if (result?.secret === undefined) return call.out.result(done, JSON.stringify(done, null, 2));
    const { id, url, secret } = result;
    call.out.say(`Webhook ${id} to ${url}. Its secret is shown once and cannot be recovered.`);
    call.out.result({ id, url, secret }, secret);
  });
}

export async function showWebhooks(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const db = await openKnown(call, organizationId);
  const data = await listWebhooks(db, organizationId);
  showRecords(call, data, {
    header: ["ID", "NAME", "URL", "STATE", "BEHIND", "LAST ATTEMPT"],
    row: ({ id, name = "", url, state, reason, isHeld, failingSince, eventsBehind, lastAttempt }) => [
      id,
      name,
      url,
      reason ? `${state} (${reason})` : isHeld ? "held" : failingSince ? "failing" : state,
      String(eventsBehind),
      lastAttempt ? `${lastAttempt.at} ${outcomeOf(lastAttempt)}` : "never",
    ],
    none: "No webhooks yet.",
  });
}

export async function showAttempts(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const webhookId = readId(call.arguments[0] ?? "", "ID");
  const db = await openKnown(call, organizationId);
  const data = await listAttempts(db, organizationId, webhookId, 50);
  showRecords(call, data, {
    header: ["AT", "EVENT", "NUMBER", "TRY", "RESULT", "MS"],
    row: (attempt) => [
      attempt.at,
      attempt.event,
      attempt.sequence === undefined ? "" : String(attempt.sequence),
      String(attempt.try),
      outcomeOf(attempt),
      String(attempt.milliseconds),
    ],
    none: "Nothing was sent in the last 30 days.",
  });
}

/** The server sends it, from where it sends everything: what this machine can reach proves nothing. */
export async function sendTest(call: CommandCall): Promise<void> {
  const organizationId = readOrganization(call);
  const webhookId = readId(call.arguments[0] ?? "", "ID");
  let testId = "";
  await carryOutNamed(call, "testWebhook", organizationId, { webhookId }, (done) => {
    ({ testId } = (done as { result: { testId: string } }).result);
  });
  const db = (await call.store()).open({ applicationName: "rollbook webhook" });
  for (const end = performance.now() + TEST_MS; performance.now() < end; ) {
    const attempt = await findAttempt(db, organizationId, webhookId, testId);
    if (attempt) return showRecord(call, attempt);
    await delay(LOOK_MS, undefined, { signal: call.signal });
  }
  throw unavailable("Nobody has sent the test yet. Is a server running?");
}

async function openKnown(call: CommandCall, organizationId: string): Promise<Database> {
  const db = (await call.store()).open({ applicationName: "rollbook webhook" });
  if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
  return db;
}

function outcomeOf({ status, failure }: WebhookAttempt): string {
  return [status, failure].filter((part) => part !== undefined).join(" ");
}
