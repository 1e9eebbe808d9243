import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type AppError, refusal } from "../core/errors.ts";
import { chooseLanguage } from "../languages/accept-language.ts";
import type { Language } from "../languages/dictionary.ts";
import { HttpError } from "./http-error.ts";
import { describeKind, type ProblemAddresses, problemReply, toKnownError } from "./problem.ts";

/**
 * What can go wrong with HTTP itself, before any route is reached. Node answers some of it with a bare status
 * line; here every such answer becomes the same problem document as all others.
 */

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** A caller who does not close after a refusal is not waited for any longer than this. */
const LINGER_MS = 1000;

/** The caller's own id for the request if it is a plain one, else a new one. */
export function chooseRequestId(given: string | string[] | undefined): string {
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

/** `GET http://host/path` is a valid request line too; routes know only the path. */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** What is wrong with a request as HTTP that Node lets through. The connection must not be used again after it. */
export function findProtocolFault(request: IncomingMessage): AppError | HttpError | undefined {
  return faultOfHost(request) ?? faultOfTransferCoding(request);
}

/** HTTP/1.1 demands exactly one Host; two are joined by Node with a comma, which no host name has. */
function faultOfHost(request: IncomingMessage): AppError | undefined {
  const { host } = request.headers;
  if (host === undefined ? request.httpVersion !== "1.1" : !host.includes(",")) return undefined;
  return refusal("host_not_single");
}

/**
 * Node undoes `chunked` and hands on whatever else was applied to the body (`gzip, chunked`) as if it were plain. A coding
 * that is not understood gets 501 (RFC 9112, 6.1); HTTP/1.0 has none, and a body that has one may be framed falsely.
 */
function faultOfTransferCoding(request: IncomingMessage): AppError | HttpError | undefined {
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined) return undefined;
  if (request.httpVersion !== "1.1") return refusal("transfer_coding_too_new");
  if (coding.toLowerCase() === "chunked") return undefined;
  return new HttpError("transfer_coding_unknown");
}

/**
 * Requests that were answered before all of them had arrived: a 401 does not wait for the body. When the rest does not
 * come, or is malformed, there is nobody left to answer.
 */
export class EarlyAnswers {
  readonly #requests = new WeakMap<Duplex, IncomingMessage>();
  readonly #refusals = new WeakMap<Duplex, AppError | HttpError>();

  /** To be called for every request that is answered. */
  add(request: IncomingMessage): void {
    if (!request.complete) this.#requests.set(request.socket, request);
  }

  /** Whether the request that is arriving on this connection has been answered. */
  has(socket: Duplex): boolean {
    return this.#requests.get(socket)?.complete === false;
  }

  /** To be called when the connection itself is refused, perhaps in the middle of a body. */
  addRefusal(socket: Duplex, error: AppError | HttpError): void {
    this.#refusals.set(socket, error);
  }

  /** What the caller was told who did not send the request to its end, if anything. */
  refusalOf(request: IncomingMessage): AppError | HttpError | undefined {
    return this.#refusals.get(request.socket);
  }
}

/** Answers what never became a request: malformed HTTP, too large headers, a request that did not arrive. */
export function refuseConnection(
  error: Error,
  socket: Duplex,
  earlyAnswers: EarlyAnswers,
  addresses: ProblemAddresses,
): void {
  const code = "code" in error ? error.code : undefined;
  const isReset = code === "ECONNRESET";
  if (!socket.writable || isReset || earlyAnswers.has(socket) || isInAnswer(socket)) {
    socket.destroy();
    return;
  }
  // The end of what is sent, in the middle of a body.
  const isShort = code === "HPE_INVALID_EOF_STATE" && answerUnderWay(socket) !== undefined;
  const known = isShort ? refusal("caller_left") : toKnownError(error);
  const shown = known.kind === "internal" ? refusal("malformed_request") : known;
  earlyAnswers.addRefusal(socket, shown);
  const { headers = {} } = answerUnderWay(socket)?.req ?? {};
  answer(socket, shown, addresses, {
    isHead: isHead(error),
    requestId: chooseRequestId(headers["x-request-id"]),
    language: chooseLanguage(headers["accept-language"]),
  });
}

/** Whether an answer is half written: what is written now would be taken for a part of it. */
function isInAnswer(socket: Duplex): boolean {
  return answerUnderWay(socket)?.headersSent === true;
}

/** Node keeps the answer to a request whose headers have arrived at the connection. */
function answerUnderWay(
  socket: Duplex & { readonly _httpMessage?: ServerResponse | null },
): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** Whether the bytes that could not be read begin a HEAD request, whose answer has no body. */
function isHead(error: Error): boolean {
  const { rawPacket } = error as { rawPacket?: unknown };
  return (
    rawPacket instanceof Uint8Array && Buffer.from(rawPacket.subarray(0, 5)).toString("latin1") === "HEAD "
  );
}

/** Requests that Node keeps from the router: tunnels and expectations other than `100-continue`. */
export function answerRareRequests(server: Server, addresses: ProblemAddresses): void {
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    // Node no longer looks after this socket, and an error without a listener would end the process.
    socket.on("error", () => socket.destroy());
    answer(socket, new HttpError("no_tunnels"), addresses, { headers: { allow: "" } });
  });
  // An expectation that is not understood may be ignored (RFC 9110, 10.1.1), as intermediaries do.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

function answer(
  socket: Duplex,
  error: AppError | HttpError,
  addresses: ProblemAddresses,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly isHead?: boolean;
    readonly requestId?: string;
    readonly language?: Language;
  } = {},
): void {
  const { isHead = false, requestId = randomUUID(), language } = options;
  const { status, headers, body } = problemReply(error, addresses, { language, requestId });
  const title = describeKind(error.kind).title;
  const lines = Object.entries({
    "x-request-id": requestId,
    ...headers,
    ...options.headers,
    "content-length": String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join("\r\n")}\r\n\r\n${isHead ? "" : body}`);
  // Not at once: data of the caller that is still unread would turn the answer into a reset connection.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
