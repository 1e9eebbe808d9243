import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import { programVersion, publicUrl, withoutSlashes } from "../process/config.ts";
import { messageId } from "../sync/webhooks/rules.ts";
import { composeSecret, SECRET_BYTES, signatureHeader } from "../sync/webhooks/signatures.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";

const WAIT_SECONDS = 30;
const PAUSE_MS = 2_000;
const RECEIVER_MS = 15_000;

/** A change as the feed tells it. */
interface ToldChange {
  readonly sequence: number;
  readonly kind: string;
  readonly type: string;
  readonly changedAt: string;
}

interface ToldChanges {
  readonly data: readonly ToldChange[];
  readonly nextCursor: string;
}

/** What messages are made with. */
interface Listening {
  readonly call: CommandCall;
  readonly api: string;
  readonly key: string;
  readonly receiver: string;
  readonly secret: string;
  readonly organizationId: string;
}

/**
 * Reads the feed of the API from now on, as any caller may, and posts each change to a receiver as a webhook would be. It is
 * for whoever builds one: the server knows nothing of it.
 */
export async function listen(call: CommandCall): Promise<void> {
  const { config, out, signal } = call;
  const key = config.apiKey;
  if (key === undefined) throw new UsageError("ROLLBOOK_KEY must have a key of the organization.");
  const receiver = textFlag(call, "forward-to") ?? "";
  const api = withoutSlashes(textFlag(call, "url") ?? publicUrl(config));
  for (const [flag, url] of [
    ["url", api],
    ["forward-to", receiver],
  ] as const)
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw new UsageError(`--${flag} must be an http or https address.`);
  const secret = composeSecret(randomBytes(SECRET_BYTES));
  const { id: organizationId } = (await ask(api, "/v1/organization", key, signal)) as { id: string };
  const listening = { call, api, key, receiver, secret, organizationId };
  out.result({ secret }, secret);
  out.say(
    `Messages are signed with the secret above. Listening to ${api}; posting to ${receiver}. Ctrl-C ends it.`,
  );
  let cursor = "now";
  while (!signal.aborted) cursor = await forwardNext(listening, cursor);
}

/** Forwards what came after a place of the feed, and gives the next place. */
async function forwardNext(listening: Listening, cursor: string): Promise<string> {
  const { call, api, key } = listening;
  const { signal, out } = call;
  try {
    const path = `/v1/changes?after=${cursor}&wait=${cursor === "now" ? 0 : WAIT_SECONDS}`;
    const { data, nextCursor } = (await ask(api, path, key, signal)) as ToldChanges;
    for (const change of data) {
      if (signal.aborted) break;
      await forward(listening, change);
    }
    return nextCursor;
  } catch (error) {
    if (signal.aborted) return cursor;
    if (error instanceof Refused && error.status === 410) {
      out.say("The data was replaced by other data: listening goes on from now.");
      return "now";
    }
    if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error;
    out.say(`${error instanceof Error ? error.message : String(error)} Trying again.`);
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
    return cursor;
  }
}

async function forward(
  { call, receiver, secret, organizationId }: Listening,
  change: ToldChange,
): Promise<void> {
  const event = `${change.kind}.${change.type}`;
  const body = JSON.stringify({ type: event, timestamp: change.changedAt, organizationId, data: change });
  const id = messageId("listen", organizationId, `${change.sequence}`);
  const timestamp = Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000);
  const begunAt = performance.now();
  let result: string;
  try {
    const response = await fetch(receiver, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "user-agent": `Rollbook/${programVersion()}`,
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signatureHeader([secret], { id, timestamp, body }),
      },
      body,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(RECEIVER_MS)]),
    });
    await response.body?.cancel();
    result = String(response.status);
  } catch (error) {
    result = error instanceof Error && error.name === "TimeoutError" ? "timeout" : "refused";
  }
  const milliseconds = Math.round(performance.now() - begunAt);
  const { sequence } = change;
  call.out.result(
    { event, sequence, result, milliseconds },
    `${String(sequence).padStart(8)}  ${event.padEnd(22)}  ${result}  ${milliseconds} ms`,
  );
}

/** The API answered that it will not. */
class Refused extends AppError {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super("unavailable", sentence);
    this.status = status;
  }
}

async function ask(api: string, path: string, key: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(`${api}${path}`, {
    headers: { authorization: `Bearer ${key}` },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout((WAIT_SECONDS + 10) * 1_000)]),
  }).catch((cause: unknown) => {
    throw new AppError("unavailable", `${api} cannot be reached.`, { cause });
  });
  if (response.ok) return response.json();
  const problem = (await response.json().catch(() => ({}))) as { detail?: string };
  throw new Refused(response.status, problem.detail ?? `${api} answered ${response.status}.`);
}
