import type { Server } from "node:http";
import type { Socket } from "node:net";

/** How long a new connection may take to send its first request once the server stops. */
const FIRST_REQUEST_MS = 1_000;

/**
 * Closes the idle connections of a server that stops. Node's own way takes some for idle that are not: one just
 * opened, its first request on the way, and one whose last answer is handed over but not yet sent.
 */
export class Connections {
  readonly #open = new Map<Socket, { readonly openedAt: number; bytesRead: number }>();

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#open.set(socket, { openedAt: performance.now(), bytesRead: -1 });
      socket.once("close", () => this.#open.delete(socket));
    });
    // Node asks for it when the server is closed, and would cut those off.
    server.closeIdleConnections = () => this.closeIdle();
  }

  /** Closes those at which nothing has happened since this was last called. */
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
