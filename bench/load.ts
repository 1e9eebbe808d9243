/**
 * The load generator, a process of its own: connections that stay open, each of which sends its next request
 * when the answer to the one before is complete. Requests are bytes before the clock starts, and of an answer
 * only the status and the length are looked at, so that this costs less than any server it measures.
 */
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Method and path of each request; used in order, and again from the first unless `once`. */
  readonly targets: readonly string[];
  /** Bodies of the requests, of the same length as `targets`. */
  readonly bodies?: readonly string[];
  /** Their Idempotency-Keys, likewise. */
  readonly idempotencyKeys?: readonly string[];
  /** Sent with every request. */
  readonly ifNoneMatch?: string;
  readonly key: string;
  readonly status: number;
  /** A body shorter than this is a failure. */
  readonly leastBytes: number;
  /** Ends when every target was asked for once, if the time is not up before. */
  readonly once?: boolean;
  /** Leaves this much time between an answer and the next request. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly bytes: number;
  /** CPU time of the generator itself: near the whole time it would be what is measured. */
  readonly cpuSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failure?: string;
}

export type LoadMessage = { readonly prepare: Job } | { readonly go: true };
export type LoadReply = { readonly ready: true } | LoadResult;

let prepared: { job: Job; requests: Buffer[] } | undefined;

process.on("message", (message: LoadMessage) => {
  if ("prepare" in message) {
    prepared = { job: message.prepare, requests: message.prepare.targets.map(requestBytes(message.prepare)) };
    send({ ready: true });
  } else if (prepared) {
    run(prepared.job, prepared.requests).then(send);
  }
});
process.on("disconnect", () => process.exit());

function send(reply: LoadReply): void {
  process.send?.(reply);
}

function requestBytes({
  port,
  key,
  bodies,
  idempotencyKeys,
  ifNoneMatch,
}: Job): (target: string, index: number) => Buffer {
  const condition = ifNoneMatch === undefined ? "" : `if-none-match: ${ifNoneMatch}\r\n`;
  const head = ` HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n${condition}`;
  return (target, index) => {
    const body = bodies?.[index];
    const idempotencyKey = idempotencyKeys?.[index];
    const keyed = idempotencyKey === undefined ? head : `${head}idempotency-key: ${idempotencyKey}\r\n`;
    if (body === undefined) return Buffer.from(`${target}${keyed}\r\n`);
    const length = Buffer.byteLength(body);
    return Buffer.from(
      `${target}${keyed}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
  };
}

const MAX_SAMPLES = 200_000;

async function run(job: Job, requests: readonly Buffer[]): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => open(job.port)));
  const samples = new Float64Array(MAX_SAMPLES);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const deadline = begun + job.seconds * 1000;
  let next = 0;
  let done = 0;
  let bytes = 0;
  let failure: string | undefined;

  const take = (): Buffer | undefined => {
    if (failure !== undefined || performance.now() >= deadline) return undefined;
    if (next >= requests.length && job.once) return undefined;
    return requests[next++ % requests.length];
  };
  await Promise.all(
    sockets.map(
      ({ socket, listen }) =>
        new Promise<void>((resolve) => {
          let sentAt = 0;
          const ask = () => {
            const request = take();
            if (request === undefined) return resolve();
            sentAt = performance.now();
            socket.write(request);
          };
          socket.once("close", () => resolve());
          socket.on("error", (error) => {
            failure ??= error.message;
          });
          const answers = new AnswerReader(job, (length, fault) => {
            samples[done++ % MAX_SAMPLES] = performance.now() - sentAt;
            bytes += length;
            failure ??= fault;
            if (job.pauseMs) setTimeout(ask, job.pauseMs);
            else ask();
          });
          listen((chunk) => answers.read(chunk));
          ask();
        }),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const used = process.cpuUsage(cpu);
  for (const { socket } of sockets) socket.destroy();
  const sorted = samples.subarray(0, Math.min(done, MAX_SAMPLES)).sort();
  const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    requests: done,
    seconds,
    bytes,
    cpuSeconds: (used.user + used.system) / 1e6,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    ...(failure !== undefined && { failure }),
    ...(failure === undefined && done === 0 && { failure: "no answer came" }),
  };
}

type Listen = (listener: (chunk: Buffer) => void) => void;

/** A connection that reads into one buffer again and again. */
function open(port: number): Promise<{ socket: Socket; listen: Listen }> {
  return new Promise((resolve, reject) => {
    let listener = (_chunk: Buffer) => {};
    const buffer = Buffer.allocUnsafe(1 << 16);
    const socket: Socket = connect({
      host: "127.0.0.1",
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          listener(buffer.subarray(0, length));
          return true;
        },
      },
    });
    socket.once("error", reject);
    socket.once("connect", () =>
      resolve({
        socket,
        listen: (wanted) => {
          listener = wanted;
        },
      }),
    );
  });
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Finds the ends of answers in what arrives on one connection. */
class AnswerReader {
  readonly #expected: Pick<Job, "status" | "leastBytes">;
  readonly #finish: (bytes: number, fault: string | undefined) => void;
  /** Bytes of the body yet to come; -1 while the head is awaited, -2 for a body in chunks. */
  #remaining = -1;
  #head = Buffer.alloc(0);
  #tail = "";
  #bytes = 0;
  #fault: string | undefined;

  constructor(
    expected: Pick<Job, "status" | "leastBytes">,
    finish: (bytes: number, fault: string | undefined) => void,
  ) {
    this.#expected = expected;
    this.#finish = finish;
  }

  read(chunk: Buffer): void {
    let body = chunk;
    if (this.#remaining === -1) {
      // Copied: the chunk's memory is read into again.
      const head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) {
        this.#head = Buffer.from(head);
        return;
      }
      this.#readHead(head, end);
      this.#head = Buffer.alloc(0);
      body = head.subarray(end + HEAD_END.length);
    }
    this.#bytes += body.length;
    if (this.#remaining === -2) {
      this.#tail = (this.#tail + body.toString("latin1", Math.max(0, body.length - 5))).slice(-5);
      if (this.#tail === "0\r\n\r\n") this.#end();
      return;
    }
    this.#remaining -= body.length;
    if (this.#remaining < 0) this.#fault ??= "an answer was longer than its content-length";
    if (this.#remaining <= 0) this.#end();
  }

  #readHead(head: Buffer, end: number): void {
    const text = head.toString("latin1", 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    if (length !== undefined) this.#remaining = Number(length);
    else if (/\r\ntransfer-encoding: chunked/i.test(text)) this.#remaining = -2;
    else this.#remaining = 0;
    const { status } = this.#expected;
    if (Number(text.slice(9, 12)) !== status) {
      this.#fault ??= `${status} expected: ${text} ${head.toString("utf8", end, end + 400)}`;
    }
  }

  #end(): void {
    if (this.#bytes < this.#expected.leastBytes) this.#fault ??= `an answer had ${this.#bytes} bytes only`;
    const [bytes, fault] = [this.#bytes, this.#fault];
    this.#remaining = -1;
    this.#tail = "";
    this.#bytes = 0;
    this.#fault = undefined;
    this.#finish(bytes, fault);
  }
}
