import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Fastify from "fastify";
import { type AnswerForm, Sender, type StreamTimeLimits } from "./sending.ts";
import { Transfer } from "./transfer-limiter.ts";

const FORM: AnswerForm = { status: 200, route: "/", vary: undefined, isKept: false };

/** Streams these pieces to whoever asks first. */
async function serveStream(
  pieces: (raw: ServerResponse) => AsyncIterable<Buffer>,
  timeLimits: StreamTimeLimits,
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<{ readonly port: number; readonly done: Promise<void>; close(): Promise<void> }> {
  const app = Fastify();
  const sender = new Sender({
    policy: undefined,
    isDraining: () => false,
    recordResponse: () => {},
    onError: (_request, error) => onError(error),
  });
  const done = new Promise<void>((resolve, reject) => {
    app.get("/", (request, reply) =>
      sender
        .stream(request, reply, FORM, pieces(reply.raw), {}, { timeLimits, transfer: new Transfer(["", ""]) })
        .then(resolve, reject),
    );
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  return { port, done, close: () => app.close() };
}

/** The same to a caller whose socket is returned before it has read anything. */
async function stream(...order: Parameters<typeof serveStream>) {
  const { port, done, close } = await serveStream(...order);
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  return { socket, done, close };
}

test("who takes nothing is cut off when the limit has passed once, however much the system still holds for them", async () => {
  const stall = 400;
  let isCutInTime: boolean | undefined;
  const { socket, done, close } = await stream(
    async function* (raw) {
      // The answer itself counts as destroyed a moment later, in some releases of Node after its writes have failed.
      const isCut = () => raw.destroyed || raw.socket?.destroyed === true;
      // Timers of one process come in their order, however busy the machine is: the last one set is of the piece that stalls.
      let timer: NodeJS.Timeout | undefined;
      try {
        while (true) {
          clearTimeout(timer);
          timer = setTimeout(() => {
            isCutInTime = isCut();
          }, 1.5 * stall);
          yield Buffer.alloc(1 << 15);
        }
      } finally {
        if (isCutInTime === undefined) isCutInTime = isCut();
        clearTimeout(timer);
      }
    },
    { stall, whole: 60_000 },
  );
  await done;
  assert.equal(isCutInTime, true);
  socket.destroy();
  await close();
});

test("who waits for the next piece is not cut off, however long that takes", async () => {
  const pieces = 3;
  const { socket, done, close } = await stream(
    async function* () {
      for (let n = 0; n < pieces; n++) {
        await delay(120);
        yield Buffer.alloc(1024, "x");
      }
    },
    { stall: 60, whole: 60_000 },
  );
  let text = "";
  for await (const piece of socket) text += String(piece);
  await done;
  assert.ok(text.endsWith("\r\n0\r\n\r\n"), "it is whole");
  assert.equal(text.split("x".repeat(1024)).length - 1, pieces);
  await close();
});

test("a stream that fails ends with a reset, also over HTTP/1.0, where a mere end would look whole", async () => {
  for (const version of ["1.0", "1.1"]) {
    const errors: unknown[] = [];
    const { port, done, close } = await serveStream(
      async function* () {
        yield Buffer.alloc(1024, "x");
        throw new Error("the data is gone");
      },
      { stall: 60_000, whole: 60_000 },
      (error) => errors.push(error),
    );
    // Byte by byte: of a longer read that is not full, libuv makes an end whatever follows.
    const onread = { buffer: Buffer.alloc(1), callback: () => true };
    const socket = connect({ port, host: "127.0.0.1", onread });
    const error = new Promise((resolve) => {
      socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
      socket.on("end", () => resolve("end"));
    });
    socket.write(`GET / HTTP/${version}\r\nhost: localhost\r\n\r\n`);
    await done;
    assert.equal(await error, "ECONNRESET", version);
    assert.equal(errors.length, 1);
    await close();
  }
});
