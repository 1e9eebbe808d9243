import { createServer, type IncomingHttpHeaders } from "node:http";
import { until } from "./poll.ts";
import { later, type Scope } from "./processes.ts";

/** A request as a receiver of webhooks got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly body: any;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Answers a request, at once or later; nothing: the request is held until the receiver closes. */
export type Respond = (received: Received) => ReceiverAnswer | Promise<ReceiverAnswer> | undefined;

export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** All that came, in order. */
  readonly received: readonly Received[];
  /** Connections that were made, requests or not. */
  connections(): number;
  respond(respond: Respond): void;
  /** Waits until so many requests came. */
  waitFor(count: number): Promise<readonly Received[]>;
}

/** A receiver on this machine, which answers 204 unless it is told otherwise. */
export async function startReceiver(scope: Scope): Promise<Receiver> {
  const received: Received[] = [];
  let respond: Respond = () => ({ status: 204 });
  let connections = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString();
      const one = { headers: request.headers, path: request.url ?? "", text, body: JSON.parse(text) };
      received.push(one);
      const send = ({ status, headers, body }: ReceiverAnswer) =>
        response.writeHead(status, headers).end(body);
      const answer = respond(one);
      if (answer) void Promise.resolve(answer).then(send);
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  later(scope, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    connections: () => connections,
    respond(other) {
      respond = other;
    },
    waitFor: (count) =>
      until(`${count} requests reach the receiver`, async () => received.length >= count && [...received]),
  };
}
