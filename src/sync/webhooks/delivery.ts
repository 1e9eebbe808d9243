import { lookup as resolveName } from "node:dns/promises";
import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type CallRules, judgeAddresses, judgeUrl } from "../../core/network-addresses.ts";
import { type AttemptOutcome, readRetryAfter } from "./rules.ts";
import type { AttemptFailure } from "./values.ts";

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** So much of an answer is read and dropped: a receiver that sends more is cut off. */
const ANSWER_BYTES = 64 * 1_024;
const EXCERPT_BYTES = 512;

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rules: CallRules;
  /** The system's own, unless given. */
  readonly resolve?: ResolveName | undefined;
  /** Ends it without an outcome. */
  readonly signal: AbortSignal;
  /** The time now, for a date of `Retry-After`. */
  readonly now: number;
}

/** An address that was judged: the one that is connected to. */
interface JudgedAddress {
  readonly address: string;
  readonly isPublic: boolean;
}

/**
 * Sends one request and says what came of it. The name is resolved here and the connection goes to the very address that was
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
  resolve: ResolveName = resolveAll,
): Promise<JudgedAddress | "unresolved" | "refused"> {
  if (judgeUrl(url, rules) !== undefined) return "refused";
  const name = hostOf(url);
  const addresses = isIP(name) ? [name] : await withinTime(resolve(name), CONNECT_MS).catch(nothingIfUnknown);
  const [address] = addresses;
  if (address === undefined) return "unresolved";
  const judged = judgeAddresses(addresses, rules.nets);
  return judged === "refused" ? "refused" : { address, isPublic: judged === "public" };
}

type ReceivedAnswer = Omit<AttemptOutcome, "milliseconds">;

async function sendJudged(delivery: Delivery): Promise<ReceivedAnswer> {
  const { url, rules, resolve, signal } = delivery;
  const found = await findReceiver(url, rules, resolve);
  signal.throwIfAborted();
  if (found === "refused") return { failure: "blocked" };
  if (found === "unresolved") return { failure: "dns" };
  return post(delivery, found);
}

function post(
  { url, headers, body, signal, now }: Delivery,
  { address, isPublic }: JudgedAddress,
): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const isSecure = new URL(url).protocol === "https:";
    const bytes = Buffer.from(body);
    const options = {
      method: "POST",
      headers: { ...headers, "content-length": bytes.length, connection: "close" },
      lookup: pinnedTo(address),
      // One of its own: no connection is used twice, and none goes through what the environment calls a proxy.
      agent: isSecure ? new SecureAgent({ keepAlive: false }) : new PlainAgent({ keepAlive: false }),
      autoSelectFamily: false,
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

/** Node asks it for the name's address: what was judged, whatever the name leads to by now. */
function pinnedTo(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, options, found) => {
    if (options.all) found(null, [{ address, family }]);
    else found(null, address, family);
  };
}

class TimedOut extends Error {}

function failureOf(error: unknown): AttemptFailure {
  if (error instanceof TimedOut) return "timeout";
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return "timeout";
  if (syscall === "getaddrinfo") return "dns";
  const isTls = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/.test(
    code,
  );
  return isTls ? "tls" : "refused";
}

async function resolveAll(name: string): Promise<readonly string[]> {
  return (await resolveName(name, { all: true, verbatim: true })).map(({ address }) => address);
}

function nothingIfUnknown(error: unknown): readonly string[] {
  if (error instanceof TimedOut || (error as NodeJS.ErrnoException).syscall === "getaddrinfo") return [];
  throw error;
}

function withinTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut()), ms);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** The name of a URL, or its address without the brackets of IPv6. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}
