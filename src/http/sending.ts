import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type BodyHeaders, type CachedBody, lengthOf } from "./cache.ts";
import type { RateState } from "./caller.ts";
import {
  type ContentCoding,
  chooseEncoding,
  compress,
  compressAtOnce,
  PieceCompressor,
} from "./compression.ts";
import { encodedTag } from "./entity-tags.ts";
import type { ProblemReply } from "./problem.ts";
import type { Transfer } from "./transfer-limiter.ts";

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
    if (isAnswered(reply)) return;
    const length = text === undefined ? undefined : Buffer.byteLength(text);
    const encoding = length === undefined ? undefined : encodingFor(request, length);
    if (text !== undefined && encoding) {
      const body = compress(Buffer.from(text), encoding);
      this.#sendCompressed(request, reply, form, body, { headers, encoding, location });
      return;
    }
    this.#writeHead(request, reply, form, headers, length, undefined, location);
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
    kept?: KeptForms,
  ): void {
    if (isAnswered(reply)) return;
    const length = Array.isArray(body) ? lengthOf(body) : body.length;
    const encoding = encodingFor(request, length);
    if (encoding) {
      const known = kept?.compressed.get(encoding);
      const keep = (compressed: Buffer) => kept?.keep(encoding, compressed);
      const bytes = known ?? compress(wholeOf(body), encoding);
      this.#sendCompressed(request, reply, form, bytes, {
        headers,
        encoding,
        keep: known ? undefined : keep,
      });
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

  #sendCompressed(
    request: FastifyRequest,
    reply: FastifyReply,
    form: AnswerForm,
    body: Buffer | Promise<Buffer>,
    { headers, encoding, location, keep }: CompressedAnswer,
  ): void {
    const send = (compressed: Buffer) => {
      if (isAnswered(reply)) return;
      this.#writeHead(request, reply, form, headers, compressed.length, encoding, location);
      reply.raw.end(compressed);
      this.recordResponse(request, form.status, form.route);
      keep?.(compressed);
    };
    if (Buffer.isBuffer(body)) {
      send(body);
      return;
    }
    reply.hijack();
    body.then(send).catch((error: unknown) => {
      reset(reply.raw);
      this.#onError(request, error);
    });
  }

  /** The caller has this answer already: nothing of it is sent but its tag. */
  sendNotModified(request: FastifyRequest, reply: FastifyReply, form: AnswerForm, etag: string): void {
    if (isAnswered(reply)) return;
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
    watched?: WatchedTransfer,
  ): Promise<void> {
    if (isAnswered(reply)) return;
    const { raw } = reply;
    // How long it takes is up to the caller.
    request.isLong = true;
    raw.once("close", () => this.recordResponse(request, form.status, form.route));
    const encoding = encodingFor(request, Number.POSITIVE_INFINITY);
    this.#writeHead(request, reply, form, headers, "chunked", encoding);
    const watch = watched && new CallerWatch(raw, watched);
    const compressor = encoding && new PieceCompressor(encoding);
    const send = (piece: Buffer, sourceBytes: number) =>
      watch ? watch.isWritten(piece, sourceBytes) : isWritten(raw, piece);
    try {
      for await (const piece of request.method === "HEAD" ? [] : pieces) {
        const sent = compressor ? await compressor.compress(piece) : piece;
        if (!(await send(sent, piece.length))) break;
      }
      if (compressor && request.method !== "HEAD" && !raw.destroyed) await send(await compressor.end(), 0);
      watch?.end();
      raw.end();
    } catch (error) {
      watch?.end();
      // Fastify does not see this error.
      reset(raw);
      this.#onError(request, error);
    } finally {
      compressor?.close();
    }
  }

  /** A failure, with the headers that were set on the reply before. */
  refuse(request: FastifyRequest, reply: FastifyReply, problem: ProblemReply): void {
    if (isAnswered(reply)) return;
    this.#setCommon(request, reply);
    // What the address varies by, if it has said so, goes on to count.
    const varies = reply.getHeader("vary");
    reply.code(problem.status).headers(problem.headers);
    if (varies !== undefined) reply.header("vary", `${varies}, ${problem.headers.vary}`);
    const body = Buffer.from(problem.body);
    const encoding = encodingFor(request, body.length);
    if (encoding) {
      reply.header("content-encoding", encoding);
      reply.header("vary", `${reply.getHeader("vary")}, accept-encoding`);
    }
    // Short, as the faults of a problem are counted.
    reply.send(encoding ? compressAtOnce(body, encoding) : body);
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
    encoding?: ContentCoding,
    location?: string,
  ): void {
    const { status, vary, isKept, cacheControl, isReplay, deprecation } = form;
    const headers = this.#common(request);
    headers.push("x-content-type-options", "nosniff");
    headers.push("cache-control", cacheControl ?? (isKept ? "private, no-cache" : "no-store"));
    if (vary !== undefined) headers.push("vary", vary);
    else if (encoding !== undefined) headers.push("vary", "Accept-Encoding");
    if (isReplay) headers.push("idempotent-replayed", "true");
    if (deprecation !== undefined) headers.push("deprecation", deprecation);
    if (etag !== undefined) headers.push("etag", encoding ? encodedTag(etag, encoding) : etag);
    if (encoding !== undefined) headers.push("content-encoding", encoding);
    if (location !== undefined) {
      if (status === 201) headers.push("location", location);
      headers.push("content-location", location);
    }
    if (link !== undefined) headers.push("link", link);
    if (length !== undefined) headers.push("content-type", type);
    if (more !== undefined) headers.push(...more);
    if (form.headers !== undefined) headers.push(...form.headers);
    if (typeof length === "number") headers.push("content-length", String(length));
    reply.hijack();
    reply.raw.writeHead(status, headers);
  }

  #common(request: FastifyRequest): string[] {
    const headers = ["x-request-id", request.id];
    if (this.#isDraining()) headers.push("connection", "close");
    const policy = request.rate ? (policyText(request.rate) ?? this.#policy) : undefined;
    if (policy !== undefined && request.rate) {
      headers.push("ratelimit-policy", policy, "ratelimit", rateText(request.rate));
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

/** Whether it was refused meanwhile, because it took too long: what it comes to nobody hears any more. */
function isAnswered(reply: FastifyReply): boolean {
  return reply.raw.headersSent;
}

/** What all answers of one operation have in common. */
export interface AnswerForm {
  readonly status: number;
  /** The template of its address, for metrics. */
  readonly route: string;
  /** The request headers that it varies by, if nothing was written. */
  readonly vary: string | undefined;
  /** Whether the caller may keep the answer and ask whether it still holds. */
  readonly isKept: boolean;
  /** What `Cache-Control` says, if something of its own. */
  readonly cacheControl?: string;
  /** Further names and values of every answer, in turn. */
  readonly headers?: readonly string[];
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

/** A stream that holds what others need, so that its caller must keep up. */
export interface WatchedTransfer {
  readonly timeLimits: StreamTimeLimits;
  readonly transfer: Transfer;
}

/** Called when an answer has been sent. */
export type RecordResponse = (
  request: FastifyRequest,
  route: string,
  status: number,
  milliseconds: number,
) => void;

interface CompressedAnswer {
  readonly headers: BodyHeaders;
  readonly encoding: ContentCoding;
  readonly location?: string | undefined;
  /** Called with the body once it is sent. */
  readonly keep?: ((compressed: Buffer) => void) | undefined;
}

/** What a cached body was compressed to before, and where to keep what it is compressed to now. */
export interface KeptForms {
  readonly compressed: ReadonlyMap<ContentCoding, Buffer>;
  readonly keep: (encoding: ContentCoding, bytes: Buffer) => void;
}

function encodingFor({ headers }: FastifyRequest, bytes: number): ContentCoding | undefined {
  return chooseEncoding(headers["accept-encoding"] as string | undefined, bytes);
}

function wholeOf(body: CachedBody | readonly Buffer[]): Buffer {
  if (typeof body === "string") return Buffer.from(body, "latin1");
  return Buffer.isBuffer(body) ? body : Buffer.concat(body as readonly Buffer[]);
}

function policyText({ requestsPerMinute }: RateState): string | undefined {
  return requestsPerMinute === undefined ? undefined : `"organization";q=${requestsPerMinute};w=60`;
}

function rateText({ requestsPerMinute, remaining, resetSeconds }: RateState): string {
  const name = requestsPerMinute === undefined ? "default" : "organization";
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}

/**
 * Cuts the caller off at these limits instead of the connection's own, until `end` is called. The timeout of a socket would
 * not do: what it takes for progress after a long write is what the system's own buffers took, so that it waits twice.
 */
class CallerWatch {
  readonly #raw: ServerResponse;
  readonly #transfer: Transfer;
  readonly #usualMs: number;
  readonly #stall: NodeJS.Timeout;
  readonly #whole: NodeJS.Timeout;

  constructor(raw: ServerResponse, { timeLimits: { stall, whole }, transfer }: WatchedTransfer) {
    this.#raw = raw;
    this.#transfer = transfer;
    transfer.giveWay = () => reset(raw);
    this.#usualMs = raw.socket?.timeout ?? 0;
    raw.socket?.setTimeout(0);
    this.#whole = setTimeout(() => reset(raw), whole);
    this.#stall = setTimeout(() => {
      // A caller who waits for the next piece is not to blame.
      if (transfer.isAwaited) reset(raw);
    }, stall);
  }

  /**
   * Whether the piece has left for the caller. In parts, each of which shows that the caller is still taking. The pace is that
   * of the file, so `sourceBytes` are those before compression.
   */
  async isWritten(piece: Buffer, sourceBytes: number): Promise<boolean> {
    for (let from = 0; from < piece.length; from += WATCHED_BYTES) {
      const part = piece.subarray(from, from + WATCHED_BYTES);
      this.#transfer.waitForCaller();
      this.#stall.refresh();
      const isTaken = await isWritten(this.#raw, part);
      this.#transfer.advance((part.length / piece.length) * sourceBytes);
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

/**
 * Ends an answer that is not whole. By a reset: over HTTP/1.0 a connection that is merely closed is the end of a whole one.
 */
function reset({ socket }: ServerResponse): void {
  socket?.resetAndDestroy();
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
