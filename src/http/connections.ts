import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/**
 * Polls for idle connections (one each 50 ms) that a connection may stay without its first request once the server
 * stops. Polls are counted, not time: in a process that got no processor for two seconds the request may wait unread.
 */
const FIRST_REQUEST_POLLS = 40;
/** No connection for this long means that none is waiting in the system's queue. */
const QUIET_MS = 25;
const QUIET_TURNS = 3;
/** So often it is waited for quiet, about a second; then we stop anyway. */
const QUIET_TRIES = 40;

/** Connections are accepted only in turns of the event loop, so on a busy machine time alone proves nothing. */
export async function takeTurns(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
}

/** Another process that accepts the connections of several servers and passes them on. */
export interface Acceptor {
  /** Settles when it has passed on the connections that were waiting. */
  flushPending(): Promise<void>;
  /** Settles when all of the servers have stopped listening. */
  closed(): Promise<void>;
}

/**
 * The connections of a server, closed when it stops without cutting off a request. Node alone would lose some: the
 * system resets connections that are not yet accepted when the server stops listening, and Node takes some for idle
 * that are not.
 *
 * Example: SIGTERM comes while connection A has a request under way, B is idle, and C waits in the system's queue.
 * C is accepted but not read. No connection comes for 25 ms, so the server stops listening and now reads C. B has been
 * silent since the last poll and is closed. A and C are answered with `Connection: close`.
 */
export class Connections {
  readonly #server: Server & { pauseOnConnect?: boolean };
  readonly #open = new Map<Socket, { bytesRead: number; silentPolls: number }>();
  readonly #heldBack = new Set<Socket>();
  #lastOpenedAt = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#lastOpenedAt = performance.now();
      this.#open.set(socket, { bytesRead: -1, silentPolls: 0 });
      if (this.#server.pauseOnConnect) this.#heldBack.add(socket);
      socket.once("close", () => {
        this.#open.delete(socket);
        this.#heldBack.delete(socket);
      });
    });
    // Called when the server is closed, and again by Fastify in the same turn: no time in which to fall silent.
    server.closeIdleConnections = () => {};
  }

  /**
   * Stops listening once no connection waits to be accepted. One is accepted in each turn of the loop, and under load
   * a caller that was answered connects again at once; so new connections are not read until the server has stopped
   * listening.
   */
  async stopListening(acceptor?: Acceptor): Promise<void> {
    this.#server.pauseOnConnect = true;
    for (let tries = 0; tries < QUIET_TRIES && !(await this.#isQuiet(acceptor)); tries++);
    this.#server.close();
    await acceptor?.closed();
    for (const socket of this.#heldBack) socket.resume();
    this.#heldBack.clear();
  }

  async #isQuiet(acceptor: Acceptor | undefined): Promise<boolean> {
    const begun = performance.now();
    await delay(QUIET_MS);
    await acceptor?.flushPending();
    await takeTurns();
    return this.#lastOpenedAt < begun;
  }

  /**
   * Closes connections on which nothing has happened since the last call. One that is held back or whose first request
   * is on its way is not idle, nor is one whose last answer is not yet fully sent.
   */
  closeIdle(): void {
    for (const [socket, seen] of this.#open) {
      if (this.#heldBack.has(socket)) continue;
      const isSilent = socket.bytesRead === seen.bytesRead;
      seen.bytesRead = socket.bytesRead;
      seen.silentPolls = isSilent ? seen.silentPolls + 1 : 0;
      const isAwaited = socket.bytesWritten === 0 && seen.silentPolls < FIRST_REQUEST_POLLS;
      if (isSilent && !isAwaited && !isAnswering(socket)) socket.destroy();
    }
  }
}

/** Node keeps the answer that is under way at its connection, until all of it is sent. */
function isAnswering(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return socket.writableLength > 0 || Boolean(socket._httpMessage);
}
