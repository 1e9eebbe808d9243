// Receives the webhooks of one organization: verifies each message, drops what it has seen, and reads the feed after a backlog.
// Needs Node 22.18 and nothing else. Start it with:
//
//     WEBHOOK_SECRET=whsec_… ROLLBOOK_URL=https://… ROLLBOOK_KEY=rbk_… node receiver.ts
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

const {
  WEBHOOK_SECRET = "",
  ROLLBOOK_URL = "http://localhost:8080",
  ROLLBOOK_KEY = "",
  PORT = "3000",
} = process.env;
const TOLERANCE_SECONDS = 300;
/** Messages that were taken. Keep it where your data is, written in the same transaction: then nothing is done twice. */
const seen = new Set<string>();

interface Change {
  readonly kind: string;
  readonly id: string;
  readonly type: string;
}

/** What changed. Do your work here; it may be called again for the same change if it throws. */
async function apply(change: Change): Promise<void> {
  console.log(JSON.stringify({ kind: change.kind, id: change.id, type: change.type }));
}

/** Whether a message is from who has the secret, is not old, and nobody has changed it: Standard Webhooks 1.0. */
function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return String(signatures)
    .split(" ")
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

/** Everything between two places of the feed, for a message that stands for many events. */
async function readFeed({ after, cursor }: { after: string; cursor: string }): Promise<void> {
  for (let from = after; from !== cursor; ) {
    const response = await fetch(`${ROLLBOOK_URL}/v1/changes?limit=1000&after=${from}`, {
      headers: { authorization: `Bearer ${ROLLBOOK_KEY}` },
    });
    if (!response.ok) throw new Error(`the feed answered ${response.status}`);
    const page = (await response.json()) as { data: Change[]; nextCursor: string; hasMore: boolean };
    for (const change of page.data) await apply(change);
    from = page.nextCursor;
    if (!page.hasMore) return;
  }
}

async function receive(headers: IncomingHttpHeaders, body: string): Promise<number> {
  if (!isGenuine(headers, body)) return 401;
  const id = String(headers["webhook-id"]);
  if (seen.has(id)) return 204;
  const { type, data } = JSON.parse(body);
  if (type === "feed.backlog") await readFeed(data);
  else if (type !== "webhook.test") await apply(data);
  seen.add(id);
  return 204;
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", async () => {
    // The very bytes that came: JSON that was read and written again has another signature.
    const body = Buffer.concat(pieces).toString("utf8");
    const status = await receive(request.headers, body).catch((error: unknown) => {
      console.error(error);
      return 500;
    });
    response.writeHead(status).end();
  });
});
server.listen(Number(PORT), () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
