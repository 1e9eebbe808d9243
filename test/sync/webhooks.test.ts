import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Webhook as Reference } from "standardwebhooks";
import { parseNetworks } from "../../src/core/network-addresses.ts";
import { pooled } from "../../src/db/statements.ts";
import { sweepAttempts } from "../../src/sync/webhooks/queries.ts";
import { readWebhookFigures } from "../../src/sync/webhooks/sender-queries.ts";
import { WebhookSender, type WebhookSenderOptions } from "../../src/sync/webhooks/webhook-sender.ts";
import { startApi, type TestOrganization } from "../support/api.ts";
import { until } from "../support/poll.ts";
import { type Receiver, type ReceiverAnswer, startReceiver } from "../support/receiver.ts";
import { newStaff, type TestStaff } from "../support/staff.ts";

/** What names lead to, asked each time. */
const names = new Map<string, () => readonly string[] | Promise<readonly string[]>>();
/** Receivers are on this machine, which the operator has opened. */
const RULES = {
  nets: parseNetworks("127.0.0.0/8"),
  plainHttp: true,
  resolve: async (name: string) => names.get(name)?.() ?? [],
};
const errors: unknown[] = [];
const started: WebhookSender[] = [];
// Before the server: what ends first is registered first.
after(async () => {
  await Promise.all(started.map((one) => one.stop()));
  assert.deepEqual(errors, []);
});
const api = await startApi({ isIsolated: true, callRules: RULES });

function startSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  return new WebhookSender({
    db: api.served,
    keySecret: api.keySecret,
    publicUrl: "https://api.rollbook.test",
    version: "1.2.3",
    rules: RULES,
    onError: (error) => errors.push(error),
    ...options,
  });
}

const sender = startSender();
started.push(sender);

interface Studio {
  readonly studio: TestOrganization;
  readonly owner: TestStaff;
  /** Makes a client, and gives its id. */
  addClient(name?: string): Promise<string>;
}

async function newStudio(options: { plan?: "Pro" | "Free" } = {}): Promise<Studio> {
  const studio = await api.newOrganization(options);
  const owner = await newStaff(api, studio.id);
  const { body } = await owner.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  const locationIds = [body.result.id as string];
  return {
    studio,
    owner,
    async addClient(name = "Ana Souza") {
      const { status, body: client } = await studio.call("POST", "/v1/clients", {
        body: { contactName: name, locationIds },
      });
      assert.equal(status, 201);
      return client.id as string;
    },
  };
}

interface AddedWebhook {
  readonly id: string;
  readonly secret: string;
}

async function addWebhook(
  { owner }: Studio,
  receiver: Pick<Receiver, "url">,
  input: object = {},
): Promise<AddedWebhook> {
  const { status, text, body } = await owner.write("addWebhook", { url: receiver.url, ...input });
  assert.equal(status, 200, text);
  return body.result;
}

async function webhookOf({ owner }: Studio, id: string) {
  const { body } = await owner.read("webhooks");
  return body.data.find((webhook: { id: string }) => webhook.id === id);
}

async function attemptsOf({ owner }: Studio, id: string) {
  const { status, body } = await owner.read(`webhooks/${id}/attempts`);
  assert.equal(status, 200);
  return body.data;
}

const hurryStatement = pooled(
  "test_hurry_webhooks",
  `update webhook_endpoints set next_attempt_at = to_timestamp(0)
   where organization_id = $1 and next_attempt_at > to_timestamp(0) and lease_token is null and failing_since is not null`,
);

/** Has what failed tried again at once, until something has happened. */
async function hurry<Result>(
  { studio }: Studio,
  what: string,
  ask: () => Promise<Result | false>,
): Promise<Result> {
  return until(what, async () => {
    await api.db.query(hurryStatement, [studio.id]);
    return ask();
  });
}

/** Waits until nothing is due at an endpoint. */
async function isDone(place: Studio, id: string): Promise<void> {
  await until("the webhook has everything", async () => {
    const { eventsBehind, pendingSequence } = await webhookOf(place, id);
    return eventsBehind === 0 && pendingSequence === undefined;
  });
}

test("a change is sent as a thin event that the reference library verifies, and one changed byte is refused", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { secret } = await addWebhook(place, receiver, { events: ["client.*"], name: "Newsletter" });
  const clientId = await place.addClient("Bruno Lima");
  const [first] = await receiver.waitFor(1);
  assert.ok(first);
  const headers = Object.fromEntries(
    Object.entries(first.headers).map(([name, value]) => [name, String(value)]),
  );
  assert.match(headers["webhook-id"] ?? "", /^msg_[0-9A-Za-z]{10}_\d+$/);
  assert.equal(headers["user-agent"], "Rollbook/1.2.3");
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers.host, `127.0.0.1:${receiver.port}`);
  const reference = new Reference(secret);
  const event = reference.verify(first.text, headers) as typeof first.body;
  assert.throws(() =>
    reference.verify(first.text.replace("updated", "Updated").replace("created", "Created"), headers),
  );
  assert.throws(() => reference.verify(first.text, { ...headers, "webhook-id": "msg_other" }));
  assert.throws(() => new Reference("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(first.text, headers));
  const { cursor, sequence, changedAt, reason, ...data } = event.data;
  assert.deepEqual(data, {
    kind: "client",
    id: clientId,
    type: "created",
    url: `https://api.rollbook.test/v1/clients/${clientId}`,
  });
  assert.equal(event.type, "client.created");
  assert.equal(event.timestamp, changedAt);
  assert.equal(event.organizationId, place.studio.id);
  assert.equal(headers["webhook-id"]?.endsWith(`_${sequence}`), true);
  assert.doesNotMatch(first.text, /Bruno/);
});

test("events come in the order of the changes, each at least once, however often the receiver fails", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  // By a rule instead of chance: every third request, whichever it is.
  let requests = 0;
  receiver.respond(() => ({ status: ++requests % 3 === 0 ? 500 : 200 }));
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  const clients: string[] = [];
  for (let count = 0; count < 20; count++) clients.push(await place.addClient());
  const firsts = () => [...new Map(receiver.received.map(({ body }) => [body.data.sequence, body.data.id]))];
  await hurry(place, "each event came", async () => firsts().length >= 20);
  assert.deepEqual(
    firsts().map(([, clientId]) => clientId),
    clients,
  );
  const sequences = firsts().map(([sequence]) => sequence as number);
  assert.deepEqual(
    sequences,
    sequences.toSorted((one, other) => one - other),
  );
  assert.ok(receiver.received.length > 20);
  await hurry(place, "the last one was taken", async () => (await webhookOf(place, id)).eventsBehind === 0);
});

test("a repeated attempt and a replay carry the same webhook-id, whatever the endpoint", async (t) => {
  const place = await newStudio();
  const [one, other] = [await startReceiver(t), await startReceiver(t)];
  one.respond(() => ({ status: one.received.length === 1 ? 503 : 200 }));
  const { id } = await addWebhook(place, one, { events: ["client.created"] });
  await addWebhook(place, other, { events: ["client.created"] });
  await place.addClient();
  await hurry(place, "the attempt was repeated", async () => one.received.length >= 2);
  await isDone(place, id);
  const { status } = await place.owner.write("replayWebhook", { webhookId: id, from: "start" });
  assert.equal(status, 200);
  await one.waitFor(3);
  await other.waitFor(1);
  const ids = [...one.received, ...other.received].map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids).size, 1, ids.join());
  const attempts = await attemptsOf(place, id);
  assert.deepEqual(
    attempts.slice(-2).map((attempt: { try: number; status: number }) => [attempt.try, attempt.status]),
    [
      [2, 200],
      [1, 503],
    ],
  );
});

test("two senders send each event once while nothing fails", async (t) => {
  const second = startSender();
  t.after(() => second.stop());
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 5 }, () => place.addClient()));
    sender.wake();
    second.wake();
  }
  await receiver.waitFor(100);
  await isDone(place, id);
  const sequences = receiver.received.map(({ body }) => body.data.sequence as number);
  assert.equal(sequences.length, 100);
  assert.deepEqual(
    sequences,
    [...new Set(sequences)].sort((one, other) => one - other),
  );
});

test("during a rotation both secrets verify, the newer first; after it only the new one", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id, secret: old } = await addWebhook(place, receiver, { events: ["client.created"] });
  const rotated = await place.owner.write("rotateWebhook", { webhookId: id, overlap: "1h" });
  const next = rotated.body.result.secret as string;
  assert.notEqual(next, old);
  assert.ok(rotated.body.result.oldSecretEndsAt);
  const headersOf = async (count: number) => {
    const received = (await receiver.waitFor(count))[count - 1];
    assert.ok(received);
    const headers = Object.entries(received.headers).map(([name, value]) => [name, String(value)]);
    return { text: received.text, headers: Object.fromEntries(headers) as Record<string, string> };
  };
  await place.addClient();
  const during = await headersOf(1);
  const [first, second] = (during.headers["webhook-signature"] ?? "").split(" ");
  new Reference(next).verify(during.text, { ...during.headers, "webhook-signature": first ?? "" });
  new Reference(old).verify(during.text, { ...during.headers, "webhook-signature": second ?? "" });
  // Without an overlap the ones before end at once.
  const again = await place.owner.write("rotateWebhook", { webhookId: id, overlap: "0s" });
  await place.addClient();
  const after = await headersOf(2);
  new Reference(again.body.result.secret).verify(after.text, after.headers);
  for (const ended of [old, next])
    assert.throws(() => new Reference(ended).verify(after.text, after.headers));
});

test("410 ends it; enabled again, it goes on with what it missed, in order", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  receiver.respond(() => ({ status: 410 }));
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  const clients = [await place.addClient()];
  await until("it is disabled", async () => (await webhookOf(place, id)).state === "disabled");
  assert.equal((await webhookOf(place, id)).reason, "gone");
  clients.push(await place.addClient(), await place.addClient());
  const figures = await readWebhookFigures(api.db);
  assert.ok(figures.find(({ state }) => state === "disabled"));
  assert.equal(receiver.received.length, 1);
  receiver.respond(() => ({ status: 200 }));
  const { body } = await place.owner.write("enableWebhook", { webhookId: id });
  assert.equal(body.result.state, "active");
  const received = await receiver.waitFor(4);
  assert.deepEqual(
    received.slice(1).map((one) => one.body.data.id),
    clients,
  );
});

test("a redirect is a failure, and where it leads is not visited", async (t) => {
  const place = await newStudio();
  const [receiver, elsewhere] = [await startReceiver(t), await startReceiver(t)];
  receiver.respond(() => ({ status: 302, headers: { location: elsewhere.url } }));
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  await place.addClient();
  const [attempt] = await until("an attempt is in the log", async () => {
    const attempts = await attemptsOf(place, id);
    return attempts.length > 0 && attempts;
  });
  assert.deepEqual([attempt.status, attempt.failure, attempt.try], [302, "redirect", 1]);
  assert.equal(elsewhere.connections(), 0);
  const { failingSince, tries, nextAttemptAt, pendingSequence } = await webhookOf(place, id);
  assert.ok(failingSince && nextAttemptAt && nextAttemptAt > failingSince);
  assert.deepEqual([tries, pendingSequence], [1, attempt.sequence]);
});

test("one message that is refused can be passed over: the next arrives, and the trail says by whom", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  const none = await place.owner.write("skipWebhook", { webhookId: id });
  assert.equal(none.body.reason, "nothing_to_skip");
  const refused = new Set<string>();
  receiver.respond(({ body }) => ({ status: refused.has(body.data.id) ? 422 : 200 }));
  const clients = [await place.addClient()];
  await receiver.waitFor(1);
  await isDone(place, id);
  receiver.respond(({ body }) => ({ status: clients.includes(body.data.id) ? 200 : 422 }));
  await place.addClient();
  await until("it fails", async () => (await webhookOf(place, id)).tries >= 1);
  const last = await place.addClient();
  clients.push(last);
  const { status, body } = await place.owner.write("skipWebhook", { webhookId: id });
  assert.equal(status, 200);
  await until("the next arrives", async () => receiver.received.some((one) => one.body.data.id === last));
  const { body: audit } = await place.owner.read("audit?action=skipWebhook");
  assert.equal(audit.data[0].id, body.auditId);
  assert.equal(audit.data[0].details.count, 1);
  assert.ok(audit.data[0].actor.startsWith("staff:"));
});

test("more events than it wants are one message, from which the feed is read on", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  receiver.respond(() => ({ status: receiver.received.length === 1 ? 500 : 200 }));
  const { id } = await addWebhook(place, receiver, { events: ["client.created"], flood: 10 });
  await place.owner.write("disableWebhook", { webhookId: id });
  for (let count = 0; count < 11; count++) await place.addClient();
  await place.owner.write("enableWebhook", { webhookId: id });
  await hurry(place, "the attempt was repeated", async () => receiver.received.length >= 2);
  await isDone(place, id);
  const [failed, backlog] = receiver.received;
  assert.deepEqual(failed?.body.data, backlog?.body.data);
  assert.equal(failed?.headers["webhook-id"], backlog?.headers["webhook-id"]);
  assert.match(String(backlog?.headers["webhook-id"]), /_backlog$/);
  assert.equal(backlog?.body.type, "feed.backlog");
  assert.equal(backlog?.body.data.count, 11);
  assert.deepEqual(Object.keys(backlog?.body.data), ["after", "cursor", "count"]);
  const { after: from, cursor } = backlog?.body.data ?? {};
  const missed = await place.studio.get(`/v1/changes?after=${from}&kinds=client&limit=1000`);
  assert.equal(missed.body.data.length, 11);
  assert.deepEqual((await place.studio.get(`/v1/changes?after=${cursor}&kinds=client`)).body.data, []);
  await place.addClient();
  const [, , next] = await receiver.waitFor(3);
  assert.equal(next?.body.type, "client.created");
});

test("a test is sent past everything that is due, once, and its answer is in the log", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  receiver.respond(() => ({ status: 500, body: `no: ${"x".repeat(2_000)}` }));
  const { id, secret } = await addWebhook(place, receiver, { events: ["client.created"] });
  await place.owner.write("disableWebhook", { webhookId: id });
  const { body } = await place.owner.write("testWebhook", { webhookId: id });
  const { testId } = body.result;
  const attempt = await until("the test is in the log", async () =>
    (await attemptsOf(place, id)).find((one: { id: string }) => one.id === testId),
  );
  assert.deepEqual(
    [attempt.event, attempt.status, attempt.try, attempt.sequence],
    ["webhook.test", 500, 1, undefined],
  );
  // Not of an address that only the operator's setting opened.
  assert.equal(attempt.excerpt, undefined);
  const [test_] = receiver.received;
  assert.deepEqual(test_?.body.data, { webhookId: id });
  const headers = Object.entries(test_?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  new Reference(secret).verify(test_?.text ?? "", Object.fromEntries(headers));
  assert.equal((await webhookOf(place, id)).state, "disabled");
  assert.equal(receiver.received.length, 1);
});

test("tests of one organization are sent one at a time, however many are asked for, and keep nobody else waiting", async (t) => {
  const [place, neighbour] = [await newStudio(), await newStudio()];
  const receiver = await startReceiver(t);
  const held: ((answer: ReceiverAnswer) => void)[] = [];
  receiver.respond(() => new Promise((resolve) => held.push(resolve)));
  const ids: string[] = [];
  for (let count = 0; count < 10; count++)
    ids.push((await addWebhook(place, receiver, { events: ["plan.deleted"] })).id);
  for (const webhookId of ids) await place.owner.write("testWebhook", { webhookId });
  await receiver.waitFor(1);
  const quick = await startReceiver(t);
  const { id } = await addWebhook(neighbour, quick, { events: ["plan.deleted"] });
  await neighbour.owner.write("testWebhook", { webhookId: id });
  // When that of the neighbour has come, the sender has looked for tests again.
  await quick.waitFor(1);
  assert.equal(receiver.received.length, 1);
  receiver.respond(() => ({ status: 204 }));
  held[0]?.({ status: 204 });
  await receiver.waitFor(10);
  const tested = receiver.received.map(({ body }) => body.data.webhookId);
  assert.deepEqual(tested, ids);
});

test("nobody holds a connection to the database while a name is resolved", async () => {
  const place = await newStudio();
  let asked = 0;
  let answer = (_addresses: readonly string[]) => {};
  const answered = new Promise<readonly string[]>((resolve) => {
    answer = resolve;
  });
  names.set("slow.example", () => {
    asked++;
    return answered;
  });
  const { id } = await addWebhook(place, { url: "http://127.0.0.1:2000/" });
  const url = "http://slow.example:2000/";
  const requests = [
    ...Array.from({ length: 10 }, () => place.owner.write("addWebhook", { url, dryRun: true })),
    ...Array.from({ length: 10 }, () => place.owner.write("addWebhook", { url })),
    ...Array.from({ length: 10 }, () =>
      place.owner.write("editWebhook", { webhookId: id, changes: { url }, dryRun: true }),
    ),
  ];
  await until("all of them ask for the name", async () => asked === requests.length);
  await until("no connection is in use", async () => {
    const { total, idle } = api.served.poolState();
    return total === idle;
  });
  answer(["10.0.0.1"]);
  for (const { status, body } of await Promise.all(requests))
    assert.equal(`${status} ${body.reason} ${body.why}`, "409 address_refused not_public");
});

test("to a suspended organization's endpoints nothing is sent, and the time for which they are tried stands still", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  receiver.respond(() => ({ status: 500 }));
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  await place.addClient();
  const before = await until("it fails", async () => {
    const webhook = await webhookOf(place, id);
    return webhook.failingSince !== undefined && webhook;
  });
  const set = pooled("test_set_tier", "update organizations set tier = $2 where id = $1");
  const guarded = (tier: string) =>
    api.db.transaction(async (tx) => {
      await tx.query(set, [place.studio.id, tier]);
    });
  await guarded("Free");
  assert.equal((await webhookOf(place, id)).isHeld, true);
  assert.equal((await place.owner.write("testWebhook", { webhookId: id })).body.reason, "webhook_held");
  const sent = receiver.received.length;
  // Three days, as the rows tell it.
  const age = pooled(
    "test_age_held_webhook",
    `update webhook_endpoints set held_since = held_since - interval '80 hours',
       failing_since = failing_since - interval '80 hours', next_attempt_at = to_timestamp(0) where organization_id = $1`,
  );
  await api.db.query(age, [place.studio.id]);
  const [other] = [await newStudio()];
  const witness = await startReceiver(t);
  await addWebhook(other, witness, { events: ["client.created"] });
  await other.addClient();
  // The sender has looked since, and sent elsewhere.
  await witness.waitFor(1);
  assert.equal(receiver.received.length, sent);
  receiver.respond(() => ({ status: 200 }));
  await guarded("Pro");
  await isDone(place, id);
  const resumed = await webhookOf(place, id);
  assert.equal(resumed.state, "active");
  assert.equal(resumed.isHeld, false);
  assert.ok(before.failingSince);
});

test("an endpoint whose secret cannot be read is disabled until it is rotated, and then goes on", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  const spoil = pooled(
    "test_spoil_webhook_secret",
    `update webhook_endpoints set secrets = '[{"sealed":"AAAA"}]' where organization_id = $1`,
  );
  await api.db.query(spoil, [place.studio.id]);
  const clientId = await place.addClient();
  await until("it is disabled", async () => (await webhookOf(place, id)).reason === "secret_lost");
  assert.equal(receiver.received.length, 0);
  const { body } = await place.owner.write("rotateWebhook", { webhookId: id });
  assert.equal(body.result.state, "active");
  const [first] = await receiver.waitFor(1);
  assert.equal(first?.body.data.id, clientId);
  const headers = Object.entries(first?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  new Reference(body.result.secret).verify(first?.text ?? "", Object.fromEntries(headers));
});

test("a name is resolved before each attempt, and the connection goes to the very address that was judged", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  // Outside of this file nobody knows the name: who resolved it again on the way would get nowhere.
  const answers = [["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "::ffff:10.0.0.1"], ["127.0.0.1"]];
  let asked = 0;
  names.set("changing.example", () => answers[asked++] ?? ["127.0.0.1"]);
  receiver.respond(() => ({ status: receiver.received.length === 1 ? 500 : 200 }));
  const nameUrl = pooled(
    "test_name_webhook",
    "update webhook_endpoints set url = $2 where organization_id = $1",
  );
  await api.db.query(nameUrl, [place.studio.id, `http://changing.example:${receiver.port}/hooks`]);
  await place.addClient();
  await hurry(place, "it was taken", async () => receiver.received.length >= 2);
  await isDone(place, id);
  assert.equal(asked, 4);
  assert.equal(receiver.connections(), 2);
  assert.equal(receiver.received[0]?.headers.host, `changing.example:${receiver.port}`);
  assert.deepEqual(
    (await attemptsOf(place, id)).map(
      ({ status, failure }: { status?: number; failure?: string }) => status ?? failure,
    ),
    [200, "blocked", "blocked", 500],
  );
});

test("an address that may not be called is refused when it is given, without a connection", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver);
  for (const [url, why] of [
    [`http://10.0.0.1:${receiver.port}/`, "not_public"],
    ["https://[::ffff:10.0.0.1]/", "not_public"],
    ["https://0x0a.1/", "not_public"],
    ["https://169.254.169.254/latest/meta-data", "not_public"],
    ["https://user:password@example.com/", "user"],
    ["https://example.com/#x", "fragment"],
    ["https://example.com:22/", "port"],
    ["ftp://example.com/", "scheme"],
    ["example.com/hooks", "not_a_url"],
    ["https://nowhere.invalid/", "unresolved"],
  ] as const) {
    for (const { status, body } of [
      await place.owner.write("addWebhook", { url }),
      await place.owner.write("editWebhook", { webhookId: id, changes: { url } }),
    ])
      assert.equal(`${url} ${status} ${body.reason} ${body.why}`, `${url} 409 address_refused ${why}`);
  }
  assert.equal(receiver.connections(), 0);
});

test("the secret is shown once: not to a repeated request, not in a dry run, not in a list, not in the trail", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const headers = { "idempotency-key": "once" };
  const url = `${receiver.url}?token=hidden`;
  const first = await place.owner.write("addWebhook", { url }, { headers });
  assert.match(first.body.result.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const again = await place.owner.write("addWebhook", { url }, { headers });
  assert.equal(again.body.result.id, first.body.result.id);
  assert.equal(again.body.result.secret, undefined);
  const dry = await place.owner.write("addWebhook", { url, dryRun: true });
  assert.equal(dry.status, 200);
  assert.equal(dry.body.result.secret, undefined);
  const { text, body } = await place.owner.read("webhooks");
  assert.equal(body.total, 1);
  const trail = await place.owner.read("audit");
  assert.doesNotMatch(text + trail.text, /whsec_/);
  assert.doesNotMatch(trail.text, /hidden/);
  const stored = await api.db.query(
    pooled(
      "test_find_webhook_secrets",
      "select secrets::text from webhook_endpoints where organization_id = $1",
    ),
    [place.studio.id],
  );
  assert.doesNotMatch(
    JSON.stringify(stored),
    new RegExp(first.body.result.secret.slice(6, 20).replace(/[+/]/g, ".")),
  );
});

test("an organization has ten endpoints at the most, however many are added at once", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const answers = await Promise.all(
    Array.from({ length: 13 }, () => place.owner.write("addWebhook", { url: receiver.url })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  for (const { status, body } of answers.filter((one) => one.status !== 200))
    assert.equal(`${status} ${body.reason}`, "409 too_many_webhooks");
  const [{ body }] = answers.filter(({ status }) => status === 200) as [(typeof answers)[0]];
  const removed = await place.owner.write("removeWebhook", { webhookId: body.result.id });
  assert.equal(removed.status, 200);
  assert.equal((await place.owner.write("addWebhook", { url: receiver.url })).status, 200);
});

test("an endpoint is its organization's: others neither see nor change it", async (t) => {
  const [place, other] = [await newStudio(), await newStudio()];
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver);
  for (const [operation, input] of [
    ["editWebhook", { changes: { name: "x" } }],
    ["rotateWebhook", {}],
    ["enableWebhook", {}],
    ["disableWebhook", {}],
    ["replayWebhook", { from: "start" }],
    ["skipWebhook", {}],
    ["testWebhook", {}],
    ["removeWebhook", {}],
  ] as const) {
    const { status, body } = await other.owner.write(operation, { webhookId: id, ...input });
    assert.equal(`${operation} ${status} ${body.reason}`, `${operation} 404 no_webhook`);
  }
  assert.equal((await other.owner.read(`webhooks/${id}/attempts`)).status, 404);
  assert.equal((await other.owner.read("webhooks")).body.total, 0);
  assert.equal((await place.owner.read("webhooks")).body.total, 1);
});

test("an endpoint gets the records too if it asks for them, and events again from a cursor on", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.*"], include: "record" });
  const clientId = await place.addClient("Bruno Lima");
  const [first] = await receiver.waitFor(1);
  const { $schema: _, ...client } = (await place.studio.get(`/v1/clients/${clientId}`)).body;
  assert.deepEqual(first?.body.data.record, client);
  await place.addClient("Carla Prado");
  await receiver.waitFor(2);
  await isDone(place, id);
  const from = first?.body.data.cursor;
  assert.equal((await place.owner.write("replayWebhook", { webhookId: id, from })).status, 200);
  const [, second, again] = await receiver.waitFor(3);
  assert.deepEqual(again?.body, second?.body);
  const foreign = await newStudio();
  const other = await addWebhook(foreign, receiver);
  const stranger = await foreign.owner.write("replayWebhook", { webhookId: other.id, from });
  assert.equal(stranger.status, 410);
  const broken = await foreign.owner.write("replayWebhook", { webhookId: other.id, from: "x".repeat(40) });
  assert.equal(broken.status, 422);
  assert.equal(broken.body.errors[0].location, "body.from");
});

test("an edit holds from the message under way on, and what is not sent stays", async (t) => {
  const place = await newStudio();
  const [wrong, right] = [await startReceiver(t), await startReceiver(t)];
  wrong.respond(() => ({ status: 500 }));
  const { id } = await addWebhook(place, wrong, { events: ["client.*"], name: "Old", include: "record" });
  await place.addClient();
  await until("it fails", async () => (await webhookOf(place, id)).tries >= 1);
  const changes = { url: right.url, name: null, include: null };
  const { body } = await place.owner.write("editWebhook", { webhookId: id, changes });
  assert.equal(body.result.name, undefined);
  assert.equal(body.result.include, undefined);
  assert.deepEqual(body.result.events, ["client.*"]);
  await right.waitFor(1);
  await isDone(place, id);
  const { failingSince, tries } = await webhookOf(place, id);
  assert.deepEqual([failingSince, tries], [undefined, 0]);
});

test("attempts are removed after their time, and those of a removed endpoint with it", async (t) => {
  const place = await newStudio();
  const receiver = await startReceiver(t);
  const { id } = await addWebhook(place, receiver, { events: ["client.created"] });
  await place.addClient();
  await until("an attempt is in the log", async () => (await attemptsOf(place, id)).length === 1);
  assert.equal((await webhookOf(place, id)).lastAttempt.status, 204);
  const [attempt] = await attemptsOf(place, id);
  await sweepAttempts(api.db, attempt.at, 100);
  assert.equal((await attemptsOf(place, id)).length, 1);
  await sweepAttempts(api.db, new Date(Date.parse(attempt.at) + 1).toISOString(), 100_000);
  assert.equal((await attemptsOf(place, id)).length, 0);
});
