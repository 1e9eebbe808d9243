import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { whileWaiting } from "./waiting.ts";

async function serveOnce(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => void answer(request, response));
  server.timeout = 50;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await work(typeof address === "object" ? (address?.port ?? 0) : 0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

test("a caller who waits is not cut off for being silent, and is again afterwards", async () => {
  await serveOnce(
    async (_request, response) => {
      // Longer than the server lets a connection be silent.
      await whileWaiting(response, 1_000, () => new Promise((resolve) => setTimeout(resolve, 200)));
      response.end(String(response.socket?.timeout));
    },
    async (port) => {
      const answer = await fetch(`http://127.0.0.1:${port}`);
      assert.equal(await answer.text(), "50");
    },
  );
});

test("the work is told when the caller leaves", async () => {
  let told: (() => void) | undefined;
  const left = new Promise<void>((resolve) => {
    told = resolve;
  });
  let begun: (() => void) | undefined;
  const begins = new Promise<void>((resolve) => {
    begun = resolve;
  });
  await serveOnce(
    (_request, response) =>
      whileWaiting(response, 60_000, (signal) => {
        begun?.();
        signal.addEventListener("abort", () => told?.());
        return left;
      }),
    async (port) => {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await begins;
      socket.destroy();
      await left;
    },
  );
});
