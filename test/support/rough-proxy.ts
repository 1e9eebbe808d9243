import { request as ask, createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/**
 * What a proxy does to a request: passes it on, answers 503 itself, loses the answer, cuts it off half-way, says nothing, or
 * answers what it is told.
 */
export type Mishap = "none" | "busy" | "lost" | "cut" | "silent" | RoughAnswer;

export interface RoughAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A proxy as there are some on the way to a server: it marks all tags as weak, and the mishaps come as they are told. */
export async function roughProxy(
  t: Pick<TestContext, "after">,
  target: string,
  mishapOf: (request: number, incoming: IncomingMessage) => Mishap,
): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    const mishap = mishapOf(requests++, request);
    if (mishap === "silent") {
      request.resume();
      return;
    }
    if (typeof mishap === "object") {
      request.resume();
      response.writeHead(mishap.status, mishap.headers).end(mishap.body);
      return;
    }
    // As proxies answer for a server that they cannot reach: HTML, and no Retry-After.
    if (mishap === "busy") {
      request.resume();
      response.writeHead(503, { "content-type": "text/html" }).end("<h1>503</h1>");
      return;
    }
    const { hostname, port } = new URL(target);
    const passed = ask(
      {
        hostname,
        port,
        path: request.url,
        method: request.method,
        headers: { ...request.headers, connection: "close" },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => {
          if (mishap === "lost") {
            response.destroy();
            return;
          }
          const { etag, ...headers } = answer.headers;
          const body = Buffer.concat(pieces);
          response.writeHead(answer.statusCode ?? 502, {
            ...headers,
            ...(etag !== undefined && { etag: etag.replace(/^(?:W\/)?/, "W/") }),
          });
          if (mishap === "cut") response.write(body.subarray(0, body.length / 2), () => response.destroy());
          else response.end(body);
        });
      },
    );
    request.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}
