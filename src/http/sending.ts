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
    { etag, more = [], ...headers }: BodyHeaders,
  ): void {
    reply.hijack();
    gzip(body, { level: COMPRESSION_LEVEL }, (error, compressed) => {
      if (error) {
        reply.raw.destroy();
        this.#onError(request, error);
        return;
      }
      const weakTag = etag === undefined || etag.startsWith("W/") ? etag : `W/${etag}`;
      const encoded = { ...headers, etag: weakTag, more: [...more, "content-encoding", "gzip"] };
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
    const restoreLimits = limits && limitTime(raw, limits);
    try {
      for await (const piece of pieces) {
        if (request.method === "HEAD" || !(await isWritten(raw, piece))) break;
      }
      restoreLimits?.();
      raw.end();
    } catch (error) {
      restoreLimits?.();
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
    { status, vary, isReplay, deprecation }: AnswerForm,
    { etag, link, type = "application/json", more }: BodyHeaders,
    length: number | "chunked" | undefined,
    location?: string,
  ): void {
    const headers = this.#common(request);
    if (vary !== undefined) headers.push("cache-control", "private, no-cache", "vary", vary);
    else headers.push("cache-control", "no-store");
    if (isReplay) headers.push("idempotent-replayed", "true");
    if (deprecation !== undefined) headers.push("deprecation", deprecation);
    if (etag !== undefined) headers.push("etag", etag);
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
  /** Without taking anything. */
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
    compresses &&
    length !== undefined &&
    length >= SMALLEST_COMPRESSED_BYTES &&
    (acceptWeights(headers["accept-encoding"]).get("gzip") ?? 0) > 0
  );
}

function wholeOf(body: CachedBody | readonly Buffer[]): Buffer {
  if (typeof body === "string") return Buffer.from(body, "latin1");
  return Buffer.isBuffer(body) ? body : Buffer.concat(body as readonly Buffer[]);
}

function rateText(rate: RateState): string {
  return `"default";r=${rate.remaining};t=${rate.resetSeconds}`;
}

/** Cuts the caller off at these limits instead of the connection's own, until what is returned is called. */
function limitTime(raw: ServerResponse, { stall, whole }: StreamTimeLimits): () => void {
  const { socket } = raw;
  const before = socket?.timeout ?? 0;
  socket?.setTimeout(stall);
  const timer = setTimeout(() => raw.destroy(), whole);
  return () => {
    clearTimeout(timer);
    socket?.setTimeout(before);
  };
}

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
