import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** How long a new connection may take to send its first request once the server stops. */
const FIRST_REQUEST_MS = 2_000;
/** No connection for this long means that none is waiting in the system's queue; after SETTLE_MS we stop anyway. */
const QUIET_MS = 25;
const QUIET_TURNS = 3;
const SETTLE_MS = 1_000;

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
 * silent since the last look and is closed. A and C are answered with `Connection: close`.
 */
export class Connections {
  readonly #server: Server & { pauseOnConnect?: boolean };
  readonly #open = new Map<Socket, { readonly openedAt: number; bytesRead: number }>();
  readonly #heldBack = new Set<Socket>();
  #lastOpenedAt = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#lastOpenedAt = performance.now();
      this.#open.set(socket, { openedAt: this.#lastOpenedAt, bytesRead: -1 });
      if (this.#server.pauseOnConnect) this.#heldBack.add(socket);
      socket.once("close", () => {
        this.#open.delete(socket);
        this.#heldBack.delete(socket);
      });
    });
    // Node asks for it when the server is closed.
    server.closeIdleConnections = () => this.closeIdle();
  }

  /**
   * Stops listening once no connection waits to be accepted. One is accepted in each turn of the loop, and under load
   * a caller that was answered connects again at once; so new connections are not read until the server has stopped
   * listening.
   */
  async stopListening(acceptor?: Acceptor): Promise<void> {
    this.#server.pauseOnConnect = true;
    const deadline = performance.now() + SETTLE_MS;
    while (performance.now() < deadline && !(await this.#isQuiet(acceptor)));
    this.#server.close();
    await acceptor?.closed();
    for (const socket of this.#heldBack) socket.resume();
  }

  async #isQuiet(acceptor: Acceptor | undefined): Promise<boolean> {
    const begun = performance.now();
    await delay(QUIET_MS);
    await acceptor?.flushPending();
    await takeTurns();
    return this.#lastOpenedAt < begun;
  }

  /**
   * Closes connections on which nothing has happened since the last call. One that was just opened and whose first
   * request is on its way is not idle, nor is one whose last answer is not yet fully sent.
   */
  closeIdle(): void {
    const now = performance.now();
    for (const [socket, seen] of this.#open) {
      const isSilent = socket.bytesRead === seen.bytesRead;
      seen.bytesRead = socket.bytesRead;
      const isAwaited = socket.bytesWritten === 0 && now - seen.openedAt < FIRST_REQUEST_MS;
      if (isSilent && !isAwaited && !isAnswering(socket)) socket.destroy();
    }
  }
}

/** Node keeps the answer that is under way at its connection, until all of it is sent. */
function isAnswering(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return socket.writableLength > 0 || Boolean(socket._httpMessage);
}
