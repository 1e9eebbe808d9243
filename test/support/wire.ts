import { connect } from "node:net";

/** What came back over a bare socket, to the byte. */
export interface WireAnswer {
  readonly text: string;
  readonly elapsedMs: number;
}

export interface WireOptions {
  /** Sent after the first piece, as soon as the server has taken that. */
  readonly then?: string | Uint8Array;
  /** Sent when the server has answered something. */
  readonly afterAnswer?: string;
  readonly deadlineMs?: number;
}

/** Sends bytes as they are and reads until the server closes the connection. */
export function exchange(
  url: string,
  sent: string | Uint8Array,
  options: WireOptions = {},
): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  const begun = Date.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const pieces: Buffer[] = [];
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was left open; so far: ${Buffer.concat(pieces).toString("latin1")}`));
    }, options.deadlineMs ?? 60_000);
    socket.on("data", (piece) => pieces.push(piece));
    if (options.afterAnswer !== undefined) {
      const rest = bytesOf(options.afterAnswer);
      socket.once("data", () => socket.write(rest));
    }
    // A reset after the answer is the server's right; what matters is what was read before.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(deadline);
      resolve({ text: Buffer.concat(pieces).toString("latin1"), elapsedMs: Date.now() - begun });
    });
    socket.write(bytesOf(sent), () => {
      if (options.then !== undefined) socket.write(bytesOf(options.then));
    });
  });
}

export interface Parsed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly body: any;
}

/** The answers in what was read, one after the other. All must say how long they are. */
export function parseAnswers(text: string): Parsed[] {
  const answers: Parsed[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`not an answer: ${rest}`);
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers["content-length"] ?? 0);
    const content = rest.slice(end + 4, end + 4 + length);
    const isJson = /json/.test(headers["content-type"] ?? "") && content !== "";
    answers.push({
      status: Number(first.split(" ")[1]),
      headers,
      content,
      body: isJson ? JSON.parse(content) : undefined,
    });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** The only answer in what was read. */
export function parseAnswer({ text }: WireAnswer): Parsed {
  const [answer, ...more] = parseAnswers(text);
  if (!answer || more.length > 0) throw new Error(`not one answer: ${text}`);
  return answer;
}

function bytesOf(sent: string | Uint8Array): Uint8Array {
  return typeof sent === "string" ? Buffer.from(sent, "latin1") : sent;
}

/** Whether something listens on the port. */
export function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
