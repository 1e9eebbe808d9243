import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openPromise } from "yauzl";
import { startApi } from "../support/api.ts";

const api = await startApi();
const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../scripts/mcpb.mjs", import.meta.url));

/** Runs the program of an unpacked bundle as its manifest says. Answers what came of these messages. */
async function speak(folder: string, settings: Record<string, string>, messages: readonly object[]) {
  const { server } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  const { command, args, env } = server.mcp_config as { command: string; args: string[]; env: object };
  assert.equal(command, "node");
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    String(value).replace(/^\$\{user_config\.(\w+)\}$/, (_all, setting: string) => settings[setting] ?? ""),
  ]);
  const child = spawn(
    process.execPath,
    args.map((one) => one.replace(/^\$\{__dirname\}/, folder)),
    { env: Object.fromEntries(filled), stdio: ["pipe", "pipe", "pipe"] },
  );
  child.stdin.on("error", () => {
    // It has ended before it read anything.
  });
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const answers = said.split("\n").filter((line) => line !== "");
  return { answers: answers.map((line) => JSON.parse(line)), complaints };
}

test("the bundle for assistants is one archive whose program reads, and writes only if it is let", async () => {
  const studio = await api.newOrganization({ name: "Estúdio Sol" });
  const folder = await mkdtemp(join(tmpdir(), "mcpb-"));
  try {
    const path = join(folder, "rollbook.mcpb");
    await run(process.execPath, [SCRIPT, path]);
    const archive = await openPromise(path, { lazyEntries: true });
    for await (const entry of archive.eachEntry()) {
      const target = join(folder, entry.fileName);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, await text(await archive.openReadStreamPromise(entry)));
    }
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    assert.equal(manifest.user_config.key.sensitive, true);
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const messages = [
      { jsonrpc: "2.0", id: 0, method: "initialize", params },
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
    ];
    const settings = { url: `${api.url}/`, key: studio.key };
    for (const write of ["false", "true"]) {
      const { answers, complaints } = await speak(folder, { ...settings, write }, messages);
      assert.equal(complaints, "");
      assert.match(answers[0].result.instructions, /Estúdio Sol/);
      const names: string[] = answers[1].result.tools.map(({ name }: { name: string }) => name);
      assert.equal(names.includes("listClients"), true);
      assert.equal(names.includes("createClient"), write === "true");
    }
    const without = await speak(folder, { ...settings, url: "" }, messages);
    assert.deepEqual(without.answers, []);
    assert.match(without.complaints, /^rollbook: The address of the server /);
    const refused = await speak(folder, { ...settings, key: "rbk_none" }, messages);
    assert.match(refused.answers[0].error.message, /^401 unauthorized/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
