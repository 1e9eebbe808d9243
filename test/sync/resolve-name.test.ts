import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { test } from "node:test";
import { resolveName } from "../../src/sync/webhooks/resolve-name.ts";
import { until } from "../support/poll.ts";
import { later, type Scope } from "../support/processes.ts";

/** A server of names that knows one of both families, says that it knows no other, and is silent about `silent.example`. */
async function startNameServer(scope: Scope): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    asked.push(name);
    if (name === "silent.example") return;
    const isKnown = name === "both.example";
    const data = Buffer.from(type === 1 ? [192, 0, 32, 10] : [0x26, 6, 0x28, 0, ...Array(11).fill(0), 1]);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(isKnown ? 1 : 0, 6);
    header.fill(0, 8, 12);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    const parts = [header, query.subarray(12, end + 4), ...(isKnown ? [record, data] : [])];
    server.send(Buffer.concat(parts), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  later(scope, () => new Promise<void>((resolve) => server.close(() => resolve())));
  return { address: `127.0.0.1:${server.address().port}`, asked };
}

function readName(packet: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}

test("a name has the addresses of both families; one that nobody knows has none", async (t) => {
  const { address, asked } = await startNameServer(t);
  const settings = { hasOwnNets: false, servers: [address] };
  assert.deepEqual(await resolveName("both.example", settings), ["192.0.32.10", "2606:2800::1"]);
  assert.deepEqual(await resolveName("nobody.example", settings), []);
  assert.deepEqual(new Set(asked), new Set(["both.example", "nobody.example"]));
  // Only where the operator has opened networks does the system's own file count.
  assert.deepEqual(await resolveName("localhost", settings), []);
  assert.ok((await resolveName("localhost", { ...settings, hasOwnNets: true })).length > 0);
});

test("names whose servers are silent keep no thread, so that others are looked up meanwhile", async (t) => {
  const { address, asked } = await startNameServer(t);
  const settings = { hasOwnNets: false, servers: [address] };
  let isOver = false;
  const silent = Promise.all(Array.from({ length: 50 }, () => resolveName("silent.example", settings)));
  void silent.then(() => {
    isOver = true;
  });
  await until("all of them wait", async () => asked.length >= 100);
  await lookup("localhost");
  assert.equal(isOver, false);
});
