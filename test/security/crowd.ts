import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** In a thread of its own: connections that are silent after one request, and connections that hardly send at all. */
export interface CrowdOrder {
  readonly url: string;
  readonly idle: number;
  readonly slow: number;
}

/** What the crowd reports: that all are connected, and in the end how long the slow ones stayed open. */
export type CrowdNews =
  | { readonly kind: "standing"; readonly idle: number; readonly slow: number }
  | { readonly kind: "closed"; readonly longestMs: number; readonly stillOpen: number };

const DRIP_MS = 500;
const PATIENCE_MS = 15_000;
const OPENING_AT_ONCE = 100;

if (parentPort) await stand(workerData as CrowdOrder, (news) => parentPort?.postMessage(news));

async function stand({ url, idle, slow }: CrowdOrder, report: (news: CrowdNews) => void): Promise<void> {
  const { hostname, port } = new URL(url);
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  const idlers: Socket[] = [];
  for (let made = 0; made < idle; made += OPENING_AT_ONCE) {
    const count = Math.min(OPENING_AT_ONCE, idle - made);
    const sockets = await Promise.all(Array.from({ length: count }, open));
    await Promise.all(sockets.map((socket) => askOnce(socket)));
    idlers.push(...sockets);
  }
  const openSince = new Map<Socket, number>();
  let longestMs = 0;
  for (let made = 0; made < slow; made += OPENING_AT_ONCE) {
    const count = Math.min(OPENING_AT_ONCE, slow - made);
    for (const socket of await Promise.all(Array.from({ length: count }, open))) {
      openSince.set(socket, performance.now());
      socket.on("error", () => {});
      socket.on("data", () => {});
      socket.on("close", () => {
        longestMs = Math.max(longestMs, performance.now() - (openSince.get(socket) ?? 0));
        openSince.delete(socket);
      });
      socket.write("POST /v1/clients HTTP/1.1\r\nHost: a\r\nX: ");
    }
  }
  report({ kind: "standing", idle: idlers.length, slow: openSince.size });
  const begun = performance.now();
  const drip = setInterval(() => {
    for (const socket of openSince.keys()) if (socket.writable) socket.write("a");
    if (openSince.size > 0 && performance.now() - begun < PATIENCE_MS) return;
    clearInterval(drip);
    report({ kind: "closed", longestMs, stillOpen: openSince.size });
    for (const socket of [...idlers, ...openSince.keys()]) socket.destroy();
  }, DRIP_MS);
}

function askOnce(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("data", () => resolve());
    socket.on("error", reject);
    socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  });
}
