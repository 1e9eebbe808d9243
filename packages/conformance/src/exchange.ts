/** A request and what came back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The body that was sent, as JSON or as it was. */
  readonly sent: string | undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly body: unknown;
}

export interface Asked {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another credential than the key; null for none. */
  readonly authorization?: string | null;
}

/** Why no answer came. It ends the run: nothing can be said of a server that is not there. */
export class Unreachable extends Error {}

/** How long an answer may take. */
const ANSWER_MS = 30_000;
/** More is not read: the largest answers are calendars of a year. */
const MAX_BYTES = 256 * 1024 * 1024;
/** How often a request waits for the rate limit, and for how long at most. */
const TRIES = 20;
const MAX_WAIT_SECONDS = 120;

/** Sends requests one after the other, and waits where the rate limit asks for it. */
export class Connection {
  readonly #base: string;
  readonly #key: string;
  readonly #wait: (seconds: number) => Promise<void>;
  /** What was wrong with answers that asked to wait. */
  readonly rateFaults = new Set<string>();

  constructor(base: string, key: string, wait: (seconds: number) => Promise<void> = waitSeconds) {
    this.#base = base.replace(/\/+$/, "");
    this.#key = key;
    this.#wait = wait;
  }

  credential(scheme: string): string {
    return `${scheme} ${this.#key}`;
  }

  async send(method: string, path: string, asked: Asked = {}): Promise<Exchange> {
    for (let tried = 1; ; tried++) {
      const exchange = await this.#sendOnce(method, path, asked);
      if (exchange.status !== 429 || tried === TRIES) return exchange;
      const seconds = exchange.headers.get("retry-after") ?? "";
      if (!/^\d+$/.test(seconds)) this.rateFaults.add(`Retry-After of a 429 is ${JSON.stringify(seconds)}`);
      await this.#wait(Math.min(MAX_WAIT_SECONDS, Math.max(1, Number(seconds) || 1)));
    }
  }

  async #sendOnce(
    method: string,
    path: string,
    { body, raw, headers, authorization }: Asked,
  ): Promise<Exchange> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const credential = authorization === undefined ? `Bearer ${this.#key}` : authorization;
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          accept: "application/json",
          ...(credential !== null && { authorization: credential }),
          ...(sent !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(sent !== undefined && { body: new TextEncoder().encode(sent) }),
        // A key is sent nowhere but to the address that was given.
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await readText(response);
      return {
        method,
        path,
        sent,
        status: response.status,
        headers: response.headers,
        text,
        body: parse(text),
      };
    } catch (error) {
      const { cause, message } = error as Error;
      const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
      throw new Unreachable(`${method} ${path}: ${reason}`);
    }
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function waitSeconds(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
