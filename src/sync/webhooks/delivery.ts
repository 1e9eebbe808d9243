import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type CallRules, judgeAddresses, judgeUrl } from "../../core/network-addresses.ts";
import { resolveName } from "./resolve-name.ts";
import { type AttemptOutcome, readRetryAfter } from "./rules.ts";
import type { AttemptFailure } from "./values.ts";

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** So much of an answer is read and dropped: a receiver that sends more is cut off. */
const ANSWER_BYTES = 64 * 1_024;
const EXCERPT_BYTES = 512;

export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rules: CallRules;
  /** Ends it without an outcome. */
  readonly signal: AbortSignal;
  /** The time now, for a date of `Retry-After`. */
  readonly now: number;
}

/** Addresses that were judged: it is one of these that is connected to. */
interface JudgedAddresses {
  readonly addresses: readonly string[];
  readonly isPublic: boolean;
}

/**
 * Sends one request and says what came of it. The name is resolved here and the connection goes to an address that was
 * judged, so that a name which changes its answer between the two leads nowhere else. No redirect is followed, no proxy used.
 */
export async function deliver(delivery: Delivery): Promise<AttemptOutcome> {
  const begunAt = performance.now();
  const found = await sendJudged(delivery).catch((error: unknown) => {
    if (delivery.signal.aborted) throw error;
    return { failure: failureOf(error) };
  });
  return { ...found, milliseconds: Math.round(performance.now() - begunAt) };
}

/** Where a URL leads: public or opened addresses, or why it may not be called. */
export async function findReceiver(
  url: string,
  rules: CallRules,
): Promise<JudgedAddresses | "unresolved" | "refused"> {
  if (judgeUrl(url, rules) !== undefined) return "refused";
  const name = hostOf(url);
  const { nets, resolve = (asked) => resolveName(asked, { hasOwnNets: nets.length > 0 }) } = rules;
  const addresses = isIP(name) ? [name] : await resolve(name);
  if (addresses.length === 0) return "unresolved";
  const judged = judgeAddresses(addresses, nets);
  return judged === "refused" ? "refused" : { addresses, isPublic: judged === "public" };
}

type ReceivedAnswer = Omit<AttemptOutcome, "milliseconds">;

async function sendJudged(delivery: Delivery): Promise<ReceivedAnswer> {
  const { url, rules, signal } = delivery;
  const found = await findReceiver(url, rules);
  signal.throwIfAborted();
  if (found === "refused") return { failure: "blocked" };
  if (found === "unresolved") return { failure: "dns" };
  return post(delivery, found);
}

function post(
  { url, headers, body, signal, now }: Delivery,
  { addresses, isPublic }: JudgedAddresses,
): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const isSecure = new URL(url).protocol === "https:";
    const bytes = Buffer.from(body);
    const options = {
      method: "POST",
      headers: { ...headers, "content-length": bytes.length, connection: "close" },
      lookup: pinnedTo(addresses),
      // One of its own: no connection is used twice, and none goes through what the environment calls a proxy.
      agent: isSecure ? new SecureAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false }),
      // Of a name with addresses of both families, the one that can be reached from here.
      autoSelectFamily: true,
      signal,
    };
    const request = isSecure ? secureRequest(url, options) : plainRequest(url, options);
    const connecting = setTimeout(() => request.destroy(new TimedOut()), CONNECT_MS);
    const whole = setTimeout(() => request.destroy(new TimedOut()), TOTAL_MS);
    const connected = () => clearTimeout(connecting);
    request.once("socket", (socket) => socket.once(isSecure ? "secureConnect" : "connect", connected));
    request.once("close", () => {
      clearTimeout(connecting);
      clearTimeout(whole);
    });
    request.on("error", reject);
    request.once("response", (response) => {
      connected();
      readAnswer(request, response, { isPublic, now }).then(resolve, reject);
    });
    request.end(bytes);
  });
}

/** Reads so much of an answer as it may have. What it was is known by its head: how its body ends does not matter. */
function readAnswer(
  request: ClientRequest,
  response: IncomingMessage,
  { isPublic, now }: { readonly isPublic: boolean; readonly now: number },
): Promise<ReceivedAnswer> {
  return new Promise((resolve) => {
    const status = response.statusCode ?? 0;
    const pieces: Buffer[] = [];
    let size = 0;
    const end = () => {
      request.destroy();
      const isGood = status >= 200 && status < 300;
      const retryAfterSeconds = readRetryAfter(response.headers["retry-after"], now);
      // What an address inside the operator's network answers is nobody's to read from outside.
      const excerpt = isGood || !isPublic ? "" : excerptOf(Buffer.concat(pieces));
      resolve({
        status,
        ...(status >= 300 && status < 400 && { failure: "redirect" as const }),
        ...(excerpt !== "" && { excerpt }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      });
    };
    response.on("data", (piece: Buffer) => {
      if (size < EXCERPT_BYTES) pieces.push(piece.subarray(0, EXCERPT_BYTES - size));
      size += piece.length;
      if (size >= ANSWER_BYTES) end();
    });
    response.once("end", end);
    response.once("error", end);
    response.once("close", end);
  });
}

/** As text that PostgreSQL takes: without the character that is half cut off, and without NUL. */
function excerptOf(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.replaceAll("\0", "\ufffd");
}

/** Node asks it for the name's addresses: those that were judged, whatever the name leads to by now. */
function pinnedTo(judged: readonly string[]): LookupFunction {
  const addresses = judged.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, found) => {
    const [first = { address: "", family: 0 }] = addresses;
    if (options.all) found(null, addresses);
    else found(null, first.address, first.family);
  };
}

class TimedOut extends Error {}

function failureOf(error: unknown): AttemptFailure {
  if (error instanceof TimedOut) return "timeout";
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return "timeout";
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/.test(
    code,
  );
  return isTls ? "tls" : "refused";
}

/** The name of a URL, or its address without the brackets of IPv6. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}
