import type { ServerResponse } from "node:http";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptWeights } from "./accept.ts";
import { type BodyHeaders, type CachedBody, lengthOf } from "./cache.ts";
import type { RateState } from "./caller.ts";
import type { ProblemReply } from "./problem.ts";

/**
 * Sends answers and records each one once. Bodies that are already bytes are written straight to the connection,
 * with their headers as one list: for a small answer, collecting headers one by one costs more than all the rest.
 */
export class Sender {
  readonly #policy: string | undefined;
  readonly #isDraining: () => boolean;
  readonly #record: RecordResponse;
  readonly #onError: (request: FastifyRequest, error: unknown) => void;

  constructor(options: {
    /** What `RateLimit-Policy` says; absent when there is no limit. */
    readonly policy: string | undefined;
    readonly isDraining: () => boolean;
    /** Called for every answer: for metrics and logs. */
    readonly recordResponse: RecordResponse;
    /** Called with a failure that comes too late to be answered. */
    readonly onError: (request: FastifyRequest, error: unknown) => void;
  }) {
    this.#policy = options.policy;
    this.#isDraining = options.isDraining;
    this.#record = options.recordResponse;
    this.#onError = options.onError;
  }

  /** The answer of an operation as text; without any it is 204. */
  sendText(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    text: string | undefined,
    headers: BodyHeaders,
    location: string | undefined,
  ): void {
    const length = text === undefined ? undefined : Buffer.byteLength(text);
    if (text !== undefined && isCompressed(request, form, length)) {
      this.#sendCompressed(request, reply, form, Buffer.from(text), headers);
      return;
    }
    this.#writeHead(request, reply, form, headers, length, location);
    reply.raw.end(text);
    this.recordResponse(request, form.status, form.route);
  }

  /** The answer of an operation as cached bytes, or in pieces. */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    body: CachedBody | readonly Buffer[],
    headers: BodyHeaders,
  ): void {
    const length = Array.isArray(body) ? lengthOf(body) : body.length;
    if (isCompressed(request, form, length)) {
      this.#sendCompressed(request, reply, form, wholeOf(body), headers);
      return;
    }
    this.#writeHead(request, reply, form, headers, length);
    if (typeof body === "string") reply.raw.end(body, "latin1");
    else if (Buffer.isBuffer(body)) reply.raw.end(body);
    else {
      // Corked, the pieces leave together, and nothing is copied.
      reply.raw.cork();
      for (const piece of body) reply.raw.write(piece);
      reply.raw.uncork();
      reply.raw.end();
    }
    this.recordResponse(request, form.status, form.route);
  }

  /** On another thread: the event loop has others to answer meanwhile. */
  #sendCompressed(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    body: Buffer,
    { more = [], ...headers }: BodyHeaders,
  ): void {
    reply.hijack();
    gzip(body, { level: COMPRESSION_LEVEL }, (error, compressed) => {
      if (error) {
        reply.raw.destroy();
        this.#onError(request, error);
        return;
      }
      const encoded = { ...headers, more: [...more, "content-encoding", "gzip"] };
      this.#writeHead(request, reply, form, encoded, compressed.length);
      reply.raw.end(compressed);
      this.recordResponse(request, form.status, form.route);
    });
  }

  /** The caller has this answer already: nothing of it is sent but its tag. */
  sendNotModified(request: FastifyRequest, reply: FastifyReply, form: AnswerForm, etag: string): void {
    this.#writeHead(request, reply, { ...form, status: 304 }, { etag }, undefined);
    reply.raw.end();
    this.recordResponse(request, 304, form.route);
  }

  /**
   * A long answer goes out as it is made, and stops when the caller leaves. The next piece is asked for when the one
   * before has left, so that its memory can be written to again: a year's worth of new buffers would keep the garbage
   * collector, and so the event loop, busy.
   */
  async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    pieces: AsyncIterable<Buffer>,
    headers: BodyHeaders,
    limits?: StreamTimeLimits,
  ): Promise<void> {
    const { raw } = reply;
    raw.once("close", () => this.recordResponse(request, form.status, form.route));
    this.#writeHead(request, reply, form, headers, "chunked");
    const watch = limits && new CallerWatch(raw, limits);
    try {
      for await (const piece of pieces) {
        if (request.method === "HEAD" || !(await (watch ? watch.isWritten(piece) : isWritten(raw, piece))))
          break;
      }
      watch?.end();
      raw.end();
    } catch (error) {
      watch?.end();
      // Destroyed, because an answer that only ends early would look complete. Fastify does not see this error.
      raw.destroy();
      this.#onError(request, error);
    }
  }

  /** A failure, with the headers that were set on the reply before. */
  refuse(request: FastifyRequest, reply: FastifyReply, problem: ProblemReply): void {
    this.#setCommon(request, reply);
    // What the address varies by, if it has said so, goes on to count.
    const varies = reply.getHeader("vary");
    reply.code(problem.status).headers(problem.headers);
    if (varies !== undefined) reply.header("vary", `${varies}, ${problem.headers.vary}`);
    reply.send(Buffer.from(problem.body));
    this.recordResponse(request, problem.status);
  }

  /** Records an answer, unless it has been recorded already. */
  recordResponse(
    request: FastifyRequest,
    status: number,
    route = request.routeOptions.url ?? "unknown",
  ): void {
    if (request.isRecorded) return;
    request.isRecorded = true;
    this.#record(request, route, status, performance.now() - request.arrivedAt);
  }

  #writeHead(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    { etag, link, type = "application/json", more }: BodyHeaders,
    length: number | "chunked" | undefined,
    location?: string,
  ): void {
    const { status, vary, isReplay, deprecation } = form;
    const headers = this.#common(request);
    if (vary !== undefined) headers.push("cache-control", "private, no-cache", "vary", vary);
    else headers.push("cache-control", "no-store");
    if (isReplay) headers.push("idempotent-replayed", "true");
    if (deprecation !== undefined) headers.push("deprecation", deprecation);
    if (etag !== undefined) headers.push("etag", sentTag(request, form, etag));
    if (location !== undefined) {
      if (status === 201) headers.push("location", location);
      headers.push("content-location", location);
    }
    if (link !== undefined) headers.push("link", link);
    if (length !== undefined) headers.push("content-type", type);
    if (more !== undefined) headers.push(...more);
    if (typeof length === "number") headers.push("content-length", String(length));
    reply.hijack();
    reply.raw.writeHead(status, headers);
  }

  #common(request: FastifyRequest): string[] {
    const headers = ["x-request-id", request.id];
    if (this.#isDraining()) headers.push("connection", "close");
    if (this.#policy !== undefined && request.rate) {
      headers.push("ratelimit-policy", this.#policy, "ratelimit", rateText(request.rate));
      const { retryAfterSeconds } = request.rate;
      if (retryAfterSeconds !== undefined) headers.push("retry-after", String(retryAfterSeconds));
    }
    return headers;
  }

  #setCommon(request: FastifyRequest, reply: FastifyReply): void {
    const headers = this.#common(request);
    for (let i = 0; i < headers.length; i += 2) reply.header(headers[i] as string, headers[i + 1]);
  }
}

/** What all answers of one operation have in common. */
export interface AnswerForm {
  readonly status: number;
  /** The template of its address, for metrics. */
  readonly route: string;
  /**
   * The request headers that it varies by, if nothing was written: the caller may then keep the answer and ask whether it
   * still holds.
   */
  readonly vary: string | undefined;
  /** Whether it is sent compressed where that is worth it. */
  readonly compresses: boolean;
  /** Whether it is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly isReplay?: boolean;
  /** What `Deprecation` says (RFC 9745), for an operation that another one does better. */
  readonly deprecation?: string;
}

/** How long a caller may take over an answer, in milliseconds. */
export interface StreamTimeLimits {
  /** Without taking anything of what is there for them. */
  readonly stall: number;
  readonly whole: number;
}

/** Called when an answer has been sent. */
export type RecordResponse = (
  request: FastifyRequest,
  route: string,
  status: number,
  milliseconds: number,
) => void;

/** Less fits into one packet anyway. */
const SMALLEST_COMPRESSED_BYTES = 1400;
/** Lists of records shrink to a quarter and less; higher levels take longer than what they save takes to send. */
const COMPRESSION_LEVEL = 4;

function isCompressed(
  { headers }: FastifyRequest,
  { compresses }: AnswerForm,
  length: number | undefined,
): boolean {
  return (
    compresses && length !== undefined && length >= SMALLEST_COMPRESSED_BYTES && readsCompressed(headers)
  );
}

function readsCompressed(headers: FastifyRequest["headers"]): boolean {
  return (acceptWeights(headers["accept-encoding"]).get("gzip") ?? 0) > 0;
}

/**
 * Compressed, an answer is other bytes of the same state, which a weak tag says. Whoever reads that is sent weak tags only,
 * also of what is too short to be worth it: a 304 has the tag that its 200 would have, and does not know how long that is.
 */
function sentTag({ headers }: FastifyRequest, { compresses }: AnswerForm, etag: string): string {
  return compresses && !etag.startsWith("W/") && readsCompressed(headers) ? `W/${etag}` : etag;
}

function wholeOf(body: CachedBody | readonly Buffer[]): Buffer {
  if (typeof body === "string") return Buffer.from(body, "latin1");
  return Buffer.isBuffer(body) ? body : Buffer.concat(body as readonly Buffer[]);
}

function rateText(rate: RateState): string {
  return `"default";r=${rate.remaining};t=${rate.resetSeconds}`;
}

/**
 * Cuts the caller off at these limits instead of the connection's own, until `end` is called. The timeout of a socket would
 * not do: what it takes for progress after a long write is what the system's own buffers took, so that it waits twice.
 */
class CallerWatch {
  readonly #raw: ServerResponse;
  readonly #usualMs: number;
  readonly #stall: NodeJS.Timeout;
  readonly #whole: NodeJS.Timeout;
  #isWaiting = false;

  constructor(raw: ServerResponse, { stall, whole }: StreamTimeLimits) {
    this.#raw = raw;
    this.#usualMs = raw.socket?.timeout ?? 0;
    raw.socket?.setTimeout(0);
    this.#whole = setTimeout(() => raw.destroy(), whole);
    this.#stall = setTimeout(() => {
      // A caller who waits for the next piece is not to blame.
      if (this.#isWaiting) raw.destroy();
    }, stall);
  }

  /** Whether the piece has left for the caller. In parts, each of which shows that the caller is still taking. */
  async isWritten(piece: Buffer): Promise<boolean> {
    for (let from = 0; from < piece.length; from += WATCHED_BYTES) {
      this.#isWaiting = true;
      this.#stall.refresh();
      const isTaken = await isWritten(this.#raw, piece.subarray(from, from + WATCHED_BYTES));
      this.#isWaiting = false;
      if (!isTaken) return false;
    }
    return true;
  }

  end(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#stall);
    this.#raw.socket?.setTimeout(this.#usualMs);
  }
}

/** Who takes less than this within the limit of a stall is cut off. */
const WATCHED_BYTES = 1 << 15;

/** Whether the piece has left for the caller, who may go away instead. */
function isWritten(raw: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => resolve(false);
    raw.once("close", leave);
    raw.write(piece, (error) => {
      raw.off("close", leave);
      resolve(!error);
    });
  });
}
