import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Webhook as Reference } from "standardwebhooks";
import { parseNetworks } from "../../src/core/network-addresses.ts";
import { WebhookSender } from "../../src/sync/webhooks/webhook-sender.ts";
import { startApi } from "../support/api.ts";
import { until } from "../support/poll.ts";
import { newStaff } from "../support/staff.ts";

const RULES = { nets: parseNetworks("127.0.0.0/8"), plainHttp: true };
let sender: WebhookSender | undefined;
// Before the server: what ends first is registered first.
after(() => sender?.stop());
const api = await startApi({ isIsolated: true, callRules: RULES });
sender = new WebhookSender({
  db: api.served,
  keySecret: api.keySecret,
  publicUrl: api.url,
  version: "0.0.0",
  rules: RULES,
  onError: (error) => assert.fail(String(error)),
});

/** From dist/test/examples/ the checkout is three levels up. */
const EXAMPLES = fileURLToPath(new URL("../../../examples/receiver/", import.meta.url));

interface ExampleProgram {
  readonly url: string;
  output(): string;
}

async function start(
  t: TestContext,
  command: readonly string[],
  environment: object,
): Promise<ExampleProgram> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", ...environment } as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const port = await until("the receiver listens", async () => /listening on (\d+)/.exec(output)?.[1]);
  return { url: `http://127.0.0.1:${port}/`, output: () => output };
}

/** Node 20 does not run TypeScript by itself. */
async function compiled(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-receiver-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const outfile = join(folder, "receiver.mjs");
  await build({ entryPoints: [join(EXAMPLES, "receiver.ts")], outfile, platform: "node", format: "esm" });
  await writeFile(join(folder, "package.json"), "{}");
  return outfile;
}

for (const language of ["TypeScript", "Python"] as const) {
  test(`the receiver in ${language} verifies, drops repeats and reads the feed after a backlog`, async (t) => {
    const studio = await api.newOrganization();
    const owner = await newStaff(api, studio.id);
    const place = await owner.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
    const locationIds = [place.body.result.id as string];
    const addClient = async () => {
      const { body } = await studio.call("POST", "/v1/clients", {
        body: { contactName: "Ana", locationIds },
      });
      return body.id as string;
    };
    // Its secret is known before its address is.
    const added = await owner.write("addWebhook", {
      url: "http://127.0.0.1:9999/",
      events: ["client.*"],
      flood: 3,
    });
    const { id: webhookId, secret } = added.body.result;
    await owner.write("disableWebhook", { webhookId });
    const command =
      language === "Python"
        ? ["python3", join(EXAMPLES, "receiver.py")]
        : [process.execPath, await compiled(t)];
    const environment = { WEBHOOK_SECRET: secret, ROLLBOOK_URL: api.url, ROLLBOOK_KEY: studio.key };
    const receiver = await start(t, command, environment);
    await owner.write("editWebhook", { webhookId, changes: { url: receiver.url } });
    await owner.write("enableWebhook", { webhookId });

    const told = () => [...receiver.output().matchAll(/"kind":"client","id":"([^"]+)","type":"created"/g)];
    const single = await addClient();
    await until("one event is applied", async () => told().length === 1);
    await until("it was answered", async () => {
      const { body } = await owner.read("webhooks");
      return body.data[0].eventsBehind === 0;
    });
    await owner.write("disableWebhook", { webhookId });
    const many = [await addClient(), await addClient(), await addClient(), await addClient()];
    await owner.write("enableWebhook", { webhookId });
    await until("the backlog is applied", async () => told().length >= 5);
    assert.deepEqual(
      told().map(([, id]) => id),
      [single, ...many],
    );

    const send = async (id: string, signedWith: string, timestamp = new Date()) => {
      const body = JSON.stringify({ type: "client.created", data: { kind: "client", id, type: "created" } });
      const signature = new Reference(signedWith).sign(`msg_${id}`, timestamp, body);
      const { status } = await fetch(receiver.url, {
        method: "POST",
        body,
        headers: {
          "webhook-id": `msg_${id}`,
          "webhook-timestamp": String(Math.floor(timestamp.getTime() / 1000)),
          "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} ${signature}`,
        },
      });
      return status;
    };
    assert.equal(await send("x1", secret), 204);
    assert.equal(await send("x1", secret), 204);
    await until("it is applied", async () => told().length >= 6);
    assert.equal(await send("x2", `whsec_${Buffer.alloc(32).toString("base64")}`), 401);
    assert.equal(await send("x3", secret, new Date(Date.now() - 3_600_000)), 401);
    assert.deepEqual(
      told()
        .slice(5)
        .map(([, id]) => id),
      ["x1"],
    );
  });
}
