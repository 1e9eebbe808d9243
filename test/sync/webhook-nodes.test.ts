import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";
import { later, type RunningServer, rollbook, serve, startProgram } from "../support/processes.ts";
import { startReceiver } from "../support/receiver.ts";

/** Two real servers on one database, a receiver on this machine, and the command line. */
describe("webhooks of real servers", () => {
  let postgres: OperatorsPostgres;
  let environment: Record<string, string>;

  before(async () => {
    postgres = await startPostgres();
    environment = {
      DATABASE_URL: postgres.url,
      KEY_SECRET: "a secret of the servers",
      WEBHOOK_NETS: "127.0.0.0/8",
      WEBHOOK_HTTP: "1",
    };
  });
  after(() => postgres.remove());

  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await rollbook([...args, "--json"], environment);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  test("a sender that is killed while the receiver holds its request is replaced, and nothing is missing; listen forwards what comes", async (t) => {
    const start = (): Promise<RunningServer> => serve(t, environment);
    const first = await start();
    const { id: org } = await json(
      "org",
      "create",
      "--name",
      "Studio",
      "--timezone",
      "America/Sao_Paulo",
      "--currency",
      "BRL",
      "--plan",
      "Pro",
    );
    const { key } = await json("key", "mint", "--org", org);
    await json(
      "do",
      "addLocation",
      "--org",
      org,
      "--data",
      '{"name":"Centro","timezone":"America/Sao_Paulo"}',
    );
    const receiver = await startReceiver(t);
    let isHolding = true;
    receiver.respond(() => (isHolding ? undefined : { status: 204 }));
    const { id: webhookId } = await json(
      "webhook",
      "add",
      "--org",
      org,
      "--url",
      receiver.url,
      "--events",
      "client.created",
    );
    const addClient = async ({ url }: RunningServer, name: string) => {
      const response = await fetch(`${url}/v1/clients`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ contactName: name }),
      });
      assert.equal(response.status, 201, await response.clone().text());
      return ((await response.json()) as { id: string }).id;
    };
    const clients = [await addClient(first, "Ana")];
    await receiver.waitFor(1);
    first.child.kill("SIGKILL");
    await first.ended;
    isHolding = false;
    const second = await start();
    clients.push(await addClient(second, "Bia"));
    // Again once the lease of the killed one is over.
    const received = await receiver.waitFor(3);
    assert.deepEqual(
      received.map(({ body }) => body.data.id),
      [clients[0], ...clients],
    );
    assert.equal(received[0]?.headers["webhook-id"], received[1]?.headers["webhook-id"]);

    const tested = await json("webhook", "test", webhookId, "--org", org);
    assert.deepEqual([tested.event, tested.status], ["webhook.test", 204]);
    const list = await json("webhook", "list", "--org", org);
    assert.deepEqual([list.data[0].state, list.data[0].eventsBehind], ["active", 0]);
    const attempts = await json("webhook", "attempts", webhookId, "--org", org);
    assert.equal(attempts.data[0].event, "webhook.test");

    const local = await startReceiver(t);
    const listening = startProgram(["listen", "--url", second.url, "--forward-to", local.url], {
      ...environment,
      ROLLBOOK_KEY: key,
    });
    later(t, async () => {
      listening.child.kill("SIGINT");
      await listening.ended;
    });
    await until("it listens", async () => /Listening to/.test(listening.output()));
    // It listens from the moment on at which it first asked.
    const heard = await until("a change is forwarded", async () => {
      if (local.received.length === 0) await addClient(second, "Caio");
      return local.received[0];
    });
    assert.equal(heard.body.type, "client.created");
    assert.match(listening.output(), /^whsec_/m);
    await until("the answer is shown", async () => /client\.created +204 +\d+ ms/.test(listening.output()));
  });
});
