import { connect } from "node:net";
import fc from "fast-check";

export interface BytesReport {
  readonly seed: number;
  readonly connections: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly findings: readonly string[];
}

/** Every status that this server knows; anything else on the wire is none of ours. */
const KNOWN = new Set([
  200, 201, 204, 304, 400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 501,
]);
const IN_FLIGHT = 32;
const AT_ONCE = 320;
/** A server that has said nothing for this long waits for more. */
const QUIET_MS = 100;

/** Writes bytes that are hardly HTTP to the server, each on a connection of its own, and reads what it makes of it. */
export async function fuzzBytes(
  url: string,
  key: string,
  options: {
    readonly seed: number;
    readonly connections: number;
    readonly progress?: (done: number) => void;
  },
): Promise<BytesReport> {
  const statuses = new Map<number, number>();
  const findings: string[] = [];
  const arbitrary = hostileBytes(key);
  let done = 0;
  while (done < options.connections && findings.length < 20) {
    const numRuns = Math.min(AT_ONCE, options.connections - done);
    const waiting = fc.sample(arbitrary, { seed: options.seed + done, numRuns }).values();
    const caller = async () => {
      for (const bytes of waiting) {
        const read = await converse(url, bytes);
        const seen = [...read.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
        for (const status of seen) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const wrong = seen.find((status) => !KNOWN.has(status));
        if (wrong === undefined && read !== "open") continue;
        findings.push(`${wrong ?? "left open"}: ${JSON.stringify(bytes.toString("latin1").slice(0, 600))}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
    done += numRuns;
    options.progress?.(done);
  }
  return { seed: options.seed, connections: done, statuses, findings };
}

/** What the server says to these bytes and nothing after them. */
function converse(url: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname });
    const pieces: Buffer[] = [];
    const deadline = setTimeout(() => {
      socket.destroy();
      resolve("open");
    }, 20_000);
    // Not at once: the server drops requests of a caller that has left.
    let leaving = setTimeout(() => socket.end(), QUIET_MS);
    socket.on("data", (piece) => {
      pieces.push(piece);
      clearTimeout(leaving);
      leaving = setTimeout(() => socket.end(), QUIET_MS);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(deadline);
      clearTimeout(leaving);
      resolve(Buffer.concat(pieces).toString("latin1"));
    });
    socket.write(bytes);
  });
}

function hostileBytes(key: string): fc.Arbitrary<Buffer> {
  const authorization = `Authorization: Bearer ${key}`;
  const requests = [
    `GET /v1/organization HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`,
    `GET /v1/clients?limit=1&query=a HTTP/1.1\r\nHost: a\r\n${authorization}\r\nAccept: */*\r\n\r\n`,
    `POST /v1/clients HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{"contactName":"A"}`,
    `POST /v1/clients HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"contactName":"A"}\r\n0\r\n\r\n`,
    "GET /livez HTTP/1.0\r\n\r\n",
    "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
  ].map((text) => Buffer.from(text, "latin1"));
  const pieces = [
    "\r",
    "\n",
    "\r\n",
    "\r\n\r\n",
    "\0",
    " ",
    "\t",
    ":",
    "\xff",
    "\x80",
    "%00",
    "Content-Length: 0\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Content-Length: -1\r\n",
    "Content-Length: 1, 2\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: identity\r\n",
    "Transfer-Encoding : chunked\r\n",
    "ffffffffffffffff\r\n",
    "0\r\n\r\n",
    "Host: b\r\n",
    "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n",
    "Expect: 100-continue\r\n",
    "HTTP/1.1",
    "HTTP/9.9",
    "GET ",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ].map((text) => Buffer.from(text, "latin1"));
  const change = fc.record({ place: fc.nat(), kind: fc.nat({ max: 3 }), piece: fc.constantFrom(...pieces) });
  const mutated = fc
    .tuple(fc.constantFrom(...requests), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([request, changes]) => changes.reduce(mutate, request));
  return fc.oneof(
    { weight: 8, arbitrary: mutated },
    { weight: 2, arbitrary: fc.tuple(mutated, mutated).map((both) => Buffer.concat(both)) },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    },
  );
}

function mutate(
  bytes: Buffer,
  { place, kind, piece }: { readonly place: number; readonly kind: number; readonly piece: Buffer },
): Buffer {
  const at = place % (bytes.length + 1);
  if (kind === 0) return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + piece.length)]);
  if (kind === 2) return Buffer.from(bytes.subarray(0, at));
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (place % 8));
  return copy;
}
