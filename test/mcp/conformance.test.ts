import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startApi } from "../support/api.ts";

const SUITE = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/**
 * What the suite asks of every server. Its other scenarios call tools, prompts and resources of a server that is made for the
 * suite (`test_simple_text`, `test://static-text`, …), or things that a server may have and this one has not.
 */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];

test("conformance: the official suite finds no failure among what a server must do", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-conformance-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const proxy = await openProxy(t);
  const api = await startApi({ mcpOrigins: [proxy.origin] });
  proxy.forwardTo(api.url, (await api.newOrganization()).key);
  const address = `${proxy.origin}/mcp`;
  const loader = await olderNodeLoader(folder);
  for (const scenario of SCENARIOS) {
    const args = [...loader, SUITE, "server", "--url", address, "--scenario", scenario];
    const { output, code } = await run([...args, "--output-dir", folder], folder);
    assert.equal(code, 0, `${scenario}: ${output}`);
  }
  const results = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith("checks.json"));
  assert.equal(results.length, SCENARIOS.length);
  let succeeded = 0;
  for (const file of results) {
    const checks = JSON.parse(await readFile(join(folder, file), "utf8")) as { status: string; id: string }[];
    assert.deepEqual(
      checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id),
      [],
      file,
    );
    succeeded += checks.filter(({ status }) => status === "SUCCESS").length;
  }
  assert.ok(succeeded >= SCENARIOS.length, `${succeeded} checks`);
  t.diagnostic(`${succeeded} checks of ${SCENARIOS.length} scenarios`);
});

/** The suite has no way to send a key: an address that adds it. */
async function openProxy(t: TestContext) {
  let target = { port: "", key: "" };
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${target.key}` };
    const { url: path, method } = asked;
    const sent = request({ host: "127.0.0.1", port: target.port, path, method, headers });
    sent.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return {
    origin: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    forwardTo: (url: string, key: string) => {
      target = { port: new URL(url).port, key };
    },
  };
}

/** For another command the suite takes a function of `node:fs` that Node 20 lacks, so that it would not load there. */
async function olderNodeLoader(folder: string): Promise<string[]> {
  if (Number(process.versions.node.split(".")[0]) >= 22) return [];
  const hooks = join(folder, "hooks.mjs");
  const register = join(folder, "register.mjs");
  await writeFile(
    hooks,
    `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith("/conformance/dist/index.js")) return loaded;
  return { ...loaded, source: String(loaded.source).replace(/globSync as (\\w+),/, "") };
}\n`,
  );
  await writeFile(
    register,
    `import { register } from "node:module";\nregister(${JSON.stringify(pathToFileURL(hooks).href)});\n`,
  );
  return ["--import", pathToFileURL(register).href];
}

function run(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
