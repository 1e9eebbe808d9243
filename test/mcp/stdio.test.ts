import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { startApi } from "../support/api.ts";
import { PROGRAM } from "../support/program.ts";
import { addLocation } from "../support/records.ts";
import { modern } from "./assistant.ts";

const api = await startApi();

/** `rollbook mcp`, spoken to line by line. */
function start(t: TestContext, key: string, url: string, ...flags: string[]) {
  const child = spawn(process.execPath, [PROGRAM, "mcp", "--url", url, ...flags], {
    env: { PATH: process.env.PATH ?? "", ROLLBOOK_KEY: key },
    stdio: ["pipe", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  return {
    child,
    ended,
    complaints: () => complaints,
    send: (message: unknown) =>
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
    next: async (): Promise<any> => JSON.parse(String((await lines.next()).value)),
    rest: async () => {
      const left: string[] = [];
      for (let line = await lines.next(); !line.done; line = await lines.next()) left.push(line.value);
      return left;
    },
  };
}

test("stdio_clean: every line on standard output is a message of the protocol, in either era, and the end of input ends it", async (t) => {
  const studio = await api.newOrganization({ name: "Estúdio Sol" });
  await addLocation(api.db, studio.id);
  const program = start(t, studio.key, api.url, "--write");
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "old", version: "1" },
  };
  program.send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const begun = await program.next();
  assert.equal(begun.result.protocolVersion, "2025-06-18");
  assert.match(begun.result.instructions, /Estúdio Sol/);
  program.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  program.send("this is no message");
  assert.equal((await program.next()).error.code, -32700);
  const client = { contactName: "José" };
  program.send({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "createClient", arguments: { client } },
  });
  assert.equal((await program.next()).result.structuredContent.client.contactName, "José");
  program.send(modern("tools/call", { name: "listClients", arguments: { query: "jose" } }).message);
  assert.equal((await program.next()).result.structuredContent.total, 1);
  program.send(modern("resources/read", { uri: "rollbook://docs/não" }).message);
  assert.ok((await program.next()).error);
  program.child.stdin.end();
  assert.deepEqual(await program.rest(), []);
  assert.deepEqual([(await program.ended)[0], program.complaints()], [0, ""]);
});

test("stdio: without --write nothing is written; what the gate refuses, and a server that is away, is answered", async (t) => {
  const studio = await api.newOrganization();
  const reading = start(t, studio.key, api.url);
  const args = { client: { contactName: "Ana" } };
  reading.send(modern("tools/call", { name: "createClient", arguments: args }).message);
  assert.equal((await reading.next()).error.code, -32602);
  assert.equal((await studio.get("/v1/clients")).body.total, 0);
  reading.child.kill("SIGTERM");
  await reading.ended;
  const stranger = start(t, "rbk_wrong", api.url);
  stranger.send(modern("tools/list").message);
  assert.match((await stranger.next()).error.message, /^401 unauthorized: /);
  const away = start(t, studio.key, "http://127.0.0.1:1");
  away.send({ jsonrpc: "2.0", id: "x", method: "tools/list" });
  const answer = await away.next();
  assert.equal(answer.id, "x");
  assert.match(answer.error.message, /127\.0\.0\.1:1.* did not answer/);
  assert.ok(!answer.error.message.includes(studio.key));
});

test("stdio: without a key it says so, and how", async (t) => {
  const program = start(t, "", api.url);
  const [code] = await program.ended;
  assert.equal(code, 2);
  assert.match(program.complaints(), /ROLLBOOK_KEY must have a key/);
});
