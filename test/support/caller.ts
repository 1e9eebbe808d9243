import { connect, type Socket } from "node:net";

/** What came back, and how long it took. */
export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly content: Buffer;
  readonly milliseconds: number;
}

/**
 * One kept-alive connection that asks one thing after the other. Much cheaper than a full HTTP caller, so that what
 * is measured is the server.
 */
export class Caller {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void; begun: number } | undefined;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (piece) => {
      this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
      this.#answer();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#isClosed = true;
      this.#waiting?.reject(new Error("the server closed the connection"));
      this.#waiting = undefined;
    });
  }

  static open(url: string): Promise<Caller> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Caller(socket));
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a whole request, as text or bytes, and reads its answer. */
  ask(request: string | Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error("the connection is closed"));
      this.#waiting = { resolve, reject, begun: performance.now() };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #answer(): void {
    const read = readAnswer(this.#received);
    if (!read || !this.#waiting) return;
    const { resolve, begun } = this.#waiting;
    this.#waiting = undefined;
    this.#received = this.#received.subarray(read.length);
    resolve({
      status: Number(read.head.slice(9, 12)),
      head: read.head,
      content: read.content,
      milliseconds: performance.now() - begun,
    });
  }
}

export interface Wanted {
  readonly method?: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
}

/** The text of a request, to be sent again and again. */
export function requestText({ method = "GET", path, key, body }: Wanted): string {
  const content = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "Host: a",
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(content)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${content}`;
}

function readAnswer(bytes: Buffer): { head: string; content: Buffer; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const start = end + 4;
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return readChunks(bytes, head, start);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < start + length) return undefined;
  return { head, content: bytes.subarray(start, start + length), length: start + length };
}

function readChunks(bytes: Buffer, head: string, start: number) {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
    if (bytes.length < line + 2 + size + 2) return undefined;
    if (size === 0) return { head, content: Buffer.concat(pieces), length: line + 4 };
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** The value below which this share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
