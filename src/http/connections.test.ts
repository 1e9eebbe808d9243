import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../test/support/poll.ts";
import { type Acceptor, Connections } from "./connections.ts";

const LARGE = Buffer.alloc(32 * 1024 * 1024, "x");
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

test("a long answer that is read slowly arrives whole after the stop", async (t) => {
  const { stop, open, lookForIdle } = await start(t, (_request, response) => response.end(LARGE));
  const caller = await open();
  caller.write(REQUEST);
  // Some of it is on its way, the rest waits in the server.
  await once(caller, "readable");
  const stopped = stop();
  await lookForIdle(5);
  assert.equal(bodyLength(await readAll(caller)), LARGE.length);
  await stopped;
});

test("a connection that is open when the server stops may still send its first request", async (t) => {
  const { stop, open, lookForIdle } = await start(t, (_request, response) => response.end("ok"));
  const caller = await open();
  const stopped = stop();
  await lookForIdle(5);
  caller.write(REQUEST);
  assert.equal(bodyLength(await readAll(caller)), 2);
  await stopped;
});

test("connections that were made but not taken yet are answered, then others are refused", async (t) => {
  const { stop, open } = await start(t, (_request, response) => response.end("ok"));
  const callers = await Promise.all(Array.from({ length: 40 }, open));
  const late = Array.from({ length: 40 }, open);
  for (const caller of callers) caller.write(REQUEST);
  const stopped = stop();
  for (const caller of await Promise.all(late)) {
    caller.write(REQUEST);
    callers.push(caller);
  }
  for (const caller of callers) assert.equal(bodyLength(await readAll(caller)), 2);
  await stopped;
  await assert.rejects(open(), { code: "ECONNREFUSED" });
});

test("a connection that is held back while other servers close, and the process stalls, is answered", async (t) => {
  const { stop, open, connections } = await start(t, (_request, response) => response.end("ok"));
  const others = { beginsToWait: () => {}, haveClosed: () => {} };
  const waiting = new Promise<void>((resolve) => {
    others.beginsToWait = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    others.haveClosed = resolve;
  });
  const stopped = stop({
    flushPending: async () => {},
    closed() {
      others.beginsToWait();
      return closed;
    },
  });
  const caller = await open();
  caller.write(REQUEST);
  await waiting;
  // Longer than a first request may take.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  for (let look = 0; look < 100; look++) connections.closeIdle();
  others.haveClosed();
  assert.equal(bodyLength(await readAll(caller)), 2);
  await stopped;
});

test("an idle connection does not keep the server from stopping", async (t) => {
  const { stop, open, polls } = await start(t, (_request, response) => response.end("ok"));
  const caller = await open();
  caller.write(REQUEST);
  await once(caller, "data");
  await stop();
  assert.ok(polls() <= 5, `it polled for idle connections ${polls()} times`);
  await once(caller.resume(), "close");
});

async function start(t: TestContext, answer: RequestListener) {
  const server = createServer(answer);
  const connections = new Connections(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  let polls = 0;
  return {
    connections,
    polls: () => polls,
    /** Settles when the stopping server has looked for idle connections so many times. */
    lookForIdle: (times: number) => until("idle connections are looked for", async () => polls >= times),
    async open(): Promise<Socket> {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    },
    async stop(acceptor?: Acceptor): Promise<void> {
      const closed = once(server, "close");
      await connections.stopListening(acceptor);
      const idle = setInterval(() => {
        connections.closeIdle();
        polls++;
      }, 20);
      await closed;
      clearInterval(idle);
    },
  };
}

/** All that comes until the server closes the connection. */
async function readAll(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function bodyLength(answer: Buffer): number {
  return answer.length - (answer.indexOf("\r\n\r\n") + 4);
}
