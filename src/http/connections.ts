import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** How long a new connection may take to send its first request once the server stops. */
const FIRST_REQUEST_MS = 2_000;
/** How long no connection may come before none is thought to be waiting, and for how long that is hoped for. */
const QUIET_MS = 25;
const QUIET_TURNS = 3;
const SETTLE_MS = 1_000;

/** Time passes for a process that is not run, too: only in turns of its loop connections can be taken. */
export async function takeTurns(): Promise<void> {
  for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
}

/** Another process that takes the connections of several servers and hands them on. */
export interface Acceptor {
  /** Settles when it has handed on the connections that waited. */
  flushPending(): Promise<void>;
  /** Settles when all of the servers have stopped listening, this one the last or not. */
  closed(): Promise<void>;
}

/**
 * The connections of a server, ended when it stops without cutting off a request: the system resets those that
 * still wait to be taken when a server stops listening, and Node closes some as idle that are not.
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
   * Stops listening once nobody waits to be taken. Connections are taken one in each turn of the loop, and under
   * load who was answered is back at once; so new ones are not read until all that there are have been taken, and
   * nobody listens any more.
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
   * Closes those at which nothing has happened since this was last called. One just opened, its first request on
   * the way, is not idle, nor is one whose last answer is handed over but not yet sent.
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
