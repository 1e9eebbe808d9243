import { Agent, type IncomingHttpHeaders, request } from "node:http";

/** What became of a request, as far as whoever sent it can know. */
export type Outcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
      readonly body: any;
    }
  /** There was no connection: nothing was sent. */
  | { readonly kind: "refused" }
  /** The connection broke before the whole answer was there: it may have been carried out or not. */
  | { readonly kind: "cut"; readonly why: string };

export const LONGEST_WAIT_MS = 20_000;

/** Someone who keeps connections alive and takes note of every answer, whole or not. */
export class Caller {
  readonly #agent: Agent;
  readonly #port: number;
  readonly #credentials: Readonly<Record<string, string>>;

  constructor(options: {
    port: number;
    key?: string;
    /** Instead of the key, for the staff application. */
    credentials?: Readonly<Record<string, string>>;
    connections: number;
    keepAlive?: boolean;
  }) {
    this.#agent = new Agent({ keepAlive: options.keepAlive ?? true, maxSockets: options.connections });
    this.#port = options.port;
    this.#credentials = options.credentials ?? { authorization: `Bearer ${options.key}` };
  }

  send(
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve) => {
      const sent = request({
        agent: this.#agent,
        host: "127.0.0.1",
        port: this.#port,
        method,
        path,
        timeout: LONGEST_WAIT_MS,
        headers: {
          ...this.#credentials,
          ...headers,
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          ...(content !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(content),
          }),
        },
      });
      const cut = (why: string) => resolve({ kind: "cut", why });
      sent.on("timeout", () => sent.destroy(new Error(`no answer in ${LONGEST_WAIT_MS} ms`)));
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") resolve({ kind: "refused" });
        else cut(`${error.code ?? error.message}${sent.reusedSocket ? "" : " on a new connection"}`);
      });
      sent.on("response", (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", (error) => cut(`in the middle of the answer: ${error.message}`));
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString();
          const isJson = /json/.test(response.headers["content-type"] ?? "") && text !== "";
          resolve({
            kind: "answered",
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(text) : undefined,
          });
        });
      });
      sent.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
