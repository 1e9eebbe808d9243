import { VERSION } from "./api-operations.ts";
import { errorOf, type Failure, RollbookError } from "./errors.ts";
import type { CallOptions } from "./results.ts";

export interface ClientOptions {
  /** Where the server is, such as `https://api.example.com`. `ROLLBOOK_URL` unless given. */
  readonly baseUrl?: string | undefined;
  /** The organization's key. `ROLLBOOK_KEY` unless given. */
  readonly key?: string | undefined;
  /** Used in the place of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** For one try, 30 unless given. */
  readonly timeoutSeconds?: number | undefined;
  /** How often a request is sent at the most, 4 unless given. */
  readonly tries?: number | undefined;
  /** For all tries and the waits between them, 60 unless given. */
  readonly totalSeconds?: number | undefined;
  readonly userAgent?: string | undefined;
  /** The language of what failures say. */
  readonly acceptLanguage?: string | undefined;
  /** How many answers are kept, to be shown again as long as the server says that they hold (304). 0 unless given. */
  readonly memory?: number | undefined;
  /** Whether a key may be sent over plain http to another machine. */
  readonly allowHttp?: boolean | undefined;
}

/** A request before it has headers of the client. */
export interface ApiRequest extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
}

/** What is done with a success. It ends the limit when it has all it wants. */
export type ReadAnswer<Result> = (response: Response, limit: TimeLimit) => Promise<Result>;

const PASSING = new Set([408, 429, 500, 502, 503, 504]);
const FIRST_PAUSE_SECONDS = 0.5;

/** Sends requests, each as often as it needs and may, and turns what fails into errors. */
export class Transport {
  readonly baseUrl: string;
  readonly #key: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const { ROLLBOOK_URL, ROLLBOOK_KEY } = environment();
    this.baseUrl = checkAddress(options.baseUrl || ROLLBOOK_URL || "", options.allowHttp ?? false);
    this.#key = checkKey(options.key || ROLLBOOK_KEY || "");
    this.#options = options;
  }

  /** What `read` makes of the answer. What the caller has cancelled is thrown as it is. */
  async send<Result>(request: ApiRequest, read: ReadAnswer<Result>): Promise<Result> {
    const { tries = 4, totalSeconds = 60 } = this.#options;
    const endsAt = performance.now() + 1000 * totalSeconds;
    for (let tried = 1; ; tried++) {
      request.signal?.throwIfAborted();
      try {
        return await this.#try(request, read);
      } catch (error) {
        if (!(error instanceof RollbookError && isPassing(error)) || tried >= tries) throw error;
        const seconds = error.retryAfterSeconds ?? FIRST_PAUSE_SECONDS * 2 ** (tried - 1) * Math.random();
        if (performance.now() + 1000 * seconds >= endsAt) throw error;
        await pause(seconds, request.signal);
      }
    }
  }

  async #try<Result>(request: ApiRequest, read: ReadAnswer<Result>): Promise<Result> {
    const { method, url, body = null, signal, timeoutSeconds = this.#options.timeoutSeconds ?? 30 } = request;
    const limit = new TimeLimit(timeoutSeconds, signal);
    try {
      const response = await (this.#options.fetch ?? fetch)(url, {
        method,
        headers: this.#headers(request),
        body,
        // A key is for the server that it was given for.
        redirect: "manual",
        signal: limit.signal,
      });
      if (response.ok || response.status === 304) return await read(response, limit);
      throw this.#errorOf(response, await response.text());
    } catch (cause) {
      limit.end();
      signal?.throwIfAborted();
      if (cause instanceof RollbookError) throw cause;
      const [code, within] = limit.isOver
        ? ["timeout", ` within ${timeoutSeconds} seconds`]
        : ["unreachable", ""];
      throw errorOf({ status: 0, code, detail: `There was no whole answer${within}.` }, { cause });
    }
  }

  #headers(request: ApiRequest): Headers {
    const headers = new Headers({
      "user-agent": this.#options.userAgent ?? `rollbook-client/${VERSION} typescript`,
    });
    const language = request.acceptLanguage ?? this.#options.acceptLanguage;
    if (language !== undefined) headers.set("accept-language", language);
    for (const [name, value] of Object.entries(request.headers))
      if (value !== undefined) headers.set(name, value);
    headers.set("authorization", `Bearer ${this.#key}`);
    return headers;
  }

  /** Whatever stands between us and the server may send back what it was sent: the key is taken out. */
  #errorOf({ status, headers }: Response, text: string): RollbookError {
    const retryAfterSeconds = readRetryAfter(headers.get("retry-after"));
    const problem = parseProblem(text.replaceAll(this.#key, "…"));
    const requestId = headers.get("x-request-id")?.replaceAll(this.#key, "…");
    return errorOf({
      ...(requestId && { requestId }),
      ...(problem ?? { code: "unexpected_answer", detail: "The answer is not one of the API." }),
      status,
      retryAfterSeconds,
    });
  }
}

/** Aborts when the caller does, or when nothing has come for some time. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #seconds: number;
  readonly #caller: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  constructor(seconds: number, caller: AbortSignal | undefined) {
    this.#seconds = seconds;
    this.#caller = caller;
    if (caller?.aborted) this.#follow();
    caller?.addEventListener("abort", this.#follow);
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, 1000 * this.#seconds);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#follow);
  }
}

/** Waits, unless the caller has enough of it. */
export async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const limit = new TimeLimit(seconds, signal);
  await new Promise((resolve) => limit.signal.addEventListener("abort", resolve, { once: true }));
  limit.end();
  signal?.throwIfAborted();
}

function isPassing({ status, code }: RollbookError): boolean {
  return status === 0 || PASSING.has(status) || (status === 409 && code === "in_progress");
}

/** Whole seconds, or a date. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}

function parseProblem(text: string): Failure | undefined {
  try {
    const found: unknown = JSON.parse(text);
    const isProblem =
      typeof found === "object" && found !== null && "code" in found && typeof found.code === "string";
    return isProblem ? (found as Failure) : undefined;
  } catch {
    return undefined;
  }
}

function environment(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}

function checkAddress(text: string, allowHttp: boolean): string {
  if (!URL.canParse(text))
    throw new TypeError("baseUrl, or ROLLBOOK_URL, must be the address of the server.");
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password || search || hash) throw new TypeError("baseUrl has no user, query or fragment.");
  const isLocal = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && (isLocal || allowHttp)))
    throw new TypeError("baseUrl must be https, or the key is seen on the way (allowHttp).");
  return text.replace(/\/+$/, "");
}

/** What cannot be a header would be named in the message of `fetch`. */
function checkKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TypeError("key, or ROLLBOOK_KEY, must be a key of the organization.");
  return key;
}
