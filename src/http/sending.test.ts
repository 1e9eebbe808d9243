import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Fastify from "fastify";
import { type AnswerForm, Sender, type StreamTimeLimits } from "./sending.ts";

const FORM: AnswerForm = { status: 200, route: "/", vary: undefined, compresses: false };

/** Streams these pieces to a caller, whose socket is returned before it has read anything. */
async function stream(
  pieces: (raw: ServerResponse) => AsyncIterable<Buffer>,
  limits: StreamTimeLimits,
): Promise<{ readonly socket: Socket; readonly done: Promise<void>; close(): Promise<void> }> {
  const app = Fastify();
  const sender = new Sender({
    policy: undefined,
    isDraining: () => false,
    recordResponse: () => {},
    onError: (_request, error) => {
      throw error;
    },
  });
  const done = new Promise<void>((resolve, reject) => {
    app.get("/", (request, reply) =>
      sender.stream(request, reply, FORM, pieces(reply.raw), {}, limits).then(resolve, reject),
    );
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  return { socket, done, close: () => app.close() };
}

test("who takes nothing is cut off when the limit has passed once, however much the system still holds for them", async () => {
  const stall = 400;
  let isCutInTime: boolean | undefined;
  const { socket, done, close } = await stream(
    async function* (raw) {
      // Timers of one process come in their order, however busy the machine is: the last one set is of the piece that stalls.
      let timer: NodeJS.Timeout | undefined;
      try {
        while (true) {
          clearTimeout(timer);
          timer = setTimeout(() => {
            isCutInTime = raw.destroyed;
          }, 1.5 * stall);
          yield Buffer.alloc(1 << 15);
        }
      } finally {
        if (isCutInTime === undefined) isCutInTime = raw.destroyed;
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
