import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { pooled, read } from "../../src/db/statements.ts";
import { rotateKey } from "../../src/domain/keys/operations.ts";
import { type Answer, startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation, countClients } from "../support/records.ts";
import { exchange, parseAnswers } from "../support/wire.ts";

/** Long enough for a machine that is busy: nothing here is to end because it waited. */
const PATIENT = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, queueTimeoutMs: 60_000 };
const api = await startApi({ database: PATIENT, keyPatienceMs: 60_000, isIsolated: true });
const other = await startApi({ beside: api, database: PATIENT, keyPatienceMs: 60_000 });
const hasty = await startApi({
  beside: api,
  database: { ...PATIENT, lockTimeoutMs: 100 },
  keyPatienceMs: 200,
});

const REPLAYED = "idempotent-replayed";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly through?: TestApi;
  readonly headers?: Readonly<Record<string, string>>;
}

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const send = (key: string | undefined, sent: Sent = {}) => {
    const { method = "POST", path = "/v1/clients", through = api, headers, ...content } = sent;
    return through.call(method, path, {
      ...(method !== "DELETE" && content.raw === undefined && { body: { contactName: "Ana" } }),
      ...content,
      headers: {
        authorization: `Bearer ${studio.key}`,
        ...(key !== undefined && { "idempotency-key": key }),
        ...headers,
      },
    });
  };
  const total = async () => (await studio.get("/v1/clients?limit=1")).body.total as number;
  return { ...studio, locationId, send, total };
}

/** The same answer, but for what belongs to each exchange. */
function assertReplay(answer: Answer, first: Answer): void {
  assert.equal(answer.headers.get(REPLAYED), "true", answer.text);
  assert.equal(answer.status, first.status);
  assert.equal(answer.text, first.text);
  for (const name of ["etag", "location", "content-location", "link", "content-type", "cache-control"])
    assert.equal(answer.headers.get(name), first.headers.get(name), name);
  assert.notEqual(answer.headers.get("x-request-id"), first.headers.get("x-request-id"));
  assert.ok(answer.headers.get("date"));
}

function assertFault(answer: Answer, code: "idempotency_key_invalid" | "idempotency_key_reused"): void {
  const messages = {
    idempotency_key_invalid:
      "must be 1 to 255 visible ASCII characters without quotes, backslashes and commas",
    idempotency_key_reused: "was used for another request",
  };
  assert.equal(answer.status, 422, answer.text);
  const [fault, ...others] = answer.body.errors;
  assert.deepEqual(
    [fault.location, fault.message, others],
    ["header.Idempotency-Key", messages[code], []],
    answer.text,
  );
}

/** Holds a key, as a node that is at work on it does, until the work is done; then commits or fails. */
async function whileClaimed(
  organizationId: string,
  key: string,
  work: () => Promise<void>,
  outcome: "commit" | "fail" = "fail",
): Promise<void> {
  const failure = new Error("the other node failed");
  const claim = pooled(
    "test_claim",
    `insert into idempotency_keys (organization_id, key, fingerprint, status, created_at)
     values ($1, $2, '\\x00', 204, to_timestamp($3))`,
  );
  await api.db
    .transaction(async (tx) => {
      await tx.query(claim, [organizationId, key, (await tx.now()) / 1000]);
      await work();
      if (outcome === "fail") throw failure;
    })
    .catch((error: unknown) => {
      if (error !== failure) throw error;
    });
}

const waitingStatement = read(
  "test_waiting_claims",
  `select count(*) as count from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
);

/** How many connections of the servers wait, in a statement that has this text. */
async function waiting(part: string): Promise<number> {
  const [row] = await api.db.query<{ count: number }>(waitingStatement, [`%${part}%`]);
  return row?.count ?? 0;
}

test("a create that is sent twice makes one client, and the second answer is the first one's, byte for byte", async () => {
  const studio = await newStudio();
  const first = await studio.send("a-1");
  assert.equal(first.status, 201);
  assert.equal(first.headers.get(REPLAYED), null);
  for (const through of [api, other, hasty]) assertReplay(await studio.send("a-1", { through }), first);
  assert.equal(await studio.total(), 1);
  assert.equal(first.headers.get("location"), `https://api.rollbook.test/v1/clients/${first.body.id}`);
});

test("of 50 creates with one key at once, over two nodes, one makes a client and all answer with it", async () => {
  const studio = await newStudio();
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => studio.send(`b-${round}`, { through: n % 2 ? api : other })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get(REPLAYED) === null).length, 1);
    assert.equal(await studio.total(), round + 1);
  }
});

test("of 50 replaces and archivings with one key each at once, over two nodes, one of each is carried out", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.send(undefined);
  const path = `/v1/clients/${client.id}`;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => {
      const through = n % 4 < 2 ? api : other;
      return n % 2
        ? studio.send("c-put", { method: "PUT", path, body: { contactName: "Bia" }, through })
        : studio.send("c-delete", { method: "DELETE", path, through });
    }),
  );
  const of = (status: number) => answers.filter((answer) => answer.status === status);
  assert.deepEqual([of(200).length, of(204).length], [25, 25], answers.map(({ text }) => text).join());
  for (const some of [of(200), of(204)]) {
    assert.equal(new Set(some.map(({ text }) => text)).size, 1);
    assert.equal(some.filter(({ headers }) => headers.get(REPLAYED) === null).length, 1);
  }
});

test("the same key with another request is refused, and nothing is done", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.send("d-1");
  const path = `/v1/clients/${client.id}`;
  const others: Sent[] = [
    { body: { contactName: "Bia" } },
    { body: { contactName: "Ana", notes: "n" } },
    { method: "PUT", path },
    { method: "DELETE", path },
    { body: { contactName: "Bia" }, through: other },
    // Invalid beside: that it is another request is said first.
    { body: { contactName: "" } },
  ];
  for (const sent of others) assertFault(await studio.send("d-1", sent), "idempotency_key_reused");
  assert.equal(await studio.total(), 1);
  assert.deepEqual((await studio.get(path)).body, client);
  assert.equal((await studio.send("d-2", { method: "PUT", path })).status, 200);
  assertFault(
    await studio.send("d-2", { method: "PUT", path, headers: { "if-match": "*" } }),
    "idempotency_key_reused",
  );
  assertFault(
    await studio.send("d-2", { method: "PUT", path: `/v1/clients/${newId()}` }),
    "idempotency_key_reused",
  );
});

test("of two different creates with one key at once one is carried out and the other refused", async () => {
  const studio = await newStudio();
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        studio.send(`e-${round}`, {
          through: n % 4 < 2 ? api : other,
          body: { contactName: n % 2 ? "Ana" : "Bia" },
        }),
      ),
    );
    const created = answers.filter(({ status }) => status === 201);
    assert.equal(created.length, 10, answers.map(({ status }) => status).join());
    assert.equal(new Set(created.map(({ text }) => text)).size, 1);
    for (const answer of answers) if (answer.status !== 201) assertFault(answer, "idempotency_key_reused");
    assert.equal(await studio.total(), round + 1);
  }
});

test("the order of members, white space and escapes do not make another request", async () => {
  const studio = await newStudio();
  const first = await studio.send("f-1", {
    raw: '{"contactName":"Ana","address":{"city":"A","state":"B"},"notes":"n"}',
  });
  assert.equal(first.status, 201);
  const again = '{ "notes": "\\u006e", "address": {"state":"B", "city":"A"},\n "contactName":"Ana" }';
  assertReplay(await studio.send("f-1", { raw: again }), first);
});

test("a failure is not stored: the key is free for the same request, and for another", async () => {
  const studio = await newStudio();
  const withCpf = (value: string) => ({ body: { contactName: "Ana", idDocument: { type: "cpf", value } } });
  const { body: holder } = await studio.send(undefined, withCpf("52998224725"));
  const refused = await studio.send("g-1", withCpf("52998224725"));
  assert.deepEqual([refused.status, refused.body.clientId], [409, holder.id]);
  assert.equal((await studio.send("g-1", withCpf("52998224724"))).status, 422);
  assert.equal((await studio.send("g-1", { method: "DELETE", path: `/v1/clients/${newId()}` })).status, 404);
  const created = await studio.send("g-1", withCpf("11144477735"));
  assert.equal(created.status, 201);
  assertReplay(await studio.send("g-1", withCpf("11144477735")), created);
});

test("a stored answer wins over what is wrong with the request by now", async () => {
  const studio = await newStudio();
  const sent = { body: { contactName: "Ana", idDocument: { type: "cpf", value: "52998224725" } } };
  const first = await studio.send("h-1", sent);
  assert.equal(first.status, 201);
  // The document is held, by the client that it made.
  assertReplay(await studio.send("h-1", sent), first);
  assertReplay(await studio.send("h-1", { ...sent, through: other }), first);
  // With a second location a client must say where it belongs.
  await addLocation(api.db, studio.id);
  assert.equal((await studio.send("h-2", sent)).status, 422);
  assertReplay(await studio.send("h-1", sent), first);
  assert.equal(await studio.total(), 1);
});

test("a body that cannot be read is refused whatever is stored", async () => {
  const studio = await newStudio();
  await studio.send("i-1");
  assert.equal((await studio.send("i-1", { raw: "{" })).status, 400);
  assert.equal((await studio.send("i-1", { raw: "" })).status, 400);
  const text = { raw: "{}", headers: { "content-type": "text/plain" } };
  assert.equal((await studio.send("i-1", text)).status, 415);
  assert.equal((await studio.send("i-1", { raw: " ".repeat(1_048_577) })).status, 413);
  assert.equal((await studio.send("i-1", { raw: '{"contactName":"Ana","contactName":"Ana"}' })).status, 422);
});

test("a replace whose answer was lost is replayed although its If-Match no longer holds", async () => {
  const studio = await newStudio();
  const created = await studio.send(undefined);
  const put: Sent = {
    method: "PUT",
    path: `/v1/clients/${created.body.id}`,
    body: { contactName: "Bia" },
    headers: { "if-match": created.headers.get("etag") ?? "" },
  };
  const first = await studio.send("j-1", put);
  assert.equal(first.status, 200);
  assert.ok(first.headers.get("etag"));
  await studio.send(undefined, { ...put, body: { contactName: "Caio" }, headers: {} });
  assertReplay(await studio.send("j-1", put), first);
  assertReplay(await studio.send("j-1", { ...put, through: other }), first);
  // It shows the client as it was then.
  assert.equal((await studio.get(`/v1/clients/${created.body.id}`)).body.contactName, "Caio");
  assert.equal((await studio.send("j-2", put)).status, 412);
  assert.equal((await studio.send("j-2", { ...put, headers: {} })).status, 200);
});

test("a patch is carried out once, as JSON or as a merge patch, and its replay undoes nothing", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.send(undefined);
  const path = `/v1/clients/${client.id}`;
  const patch: Sent = { method: "PATCH", path, body: { notes: "first" } };
  const first = await studio.send("patch-1", patch);
  assert.deepEqual([first.status, first.body.notes], [200, "first"]);
  await studio.send("patch-2", { ...patch, body: { notes: null } });
  const asMergePatch = { "content-type": "application/merge-patch+json" };
  assertReplay(await studio.send("patch-1", { ...patch, headers: asMergePatch, through: other }), first);
  assertFault(await studio.send("patch-1", { ...patch, body: { notes: null } }), "idempotency_key_reused");
  assert.equal((await studio.get(path)).body.notes, undefined);
});

test("an archiving is replayed as 204, and does not archive a client again that was revived since", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.send(undefined);
  const archive: Sent = { method: "DELETE", path: `/v1/clients/${client.id}` };
  const first = await studio.send("k-1", archive);
  assert.deepEqual([first.status, first.headers.get(REPLAYED)], [204, null]);
  await studio.send(undefined, {
    method: "PUT",
    path: archive.path ?? "",
    body: { contactName: "Ana", status: "active" },
  });
  assertReplay(await studio.send("k-1", archive), first);
  assert.equal((await studio.get(archive.path ?? "")).body.status, "active");
});

test("a retry with the successor of an API key is a replay, and another organization's key is another key", async () => {
  const [studio, neighbour] = [await newStudio(), await newStudio()];
  const first = await studio.send("l-1");
  const { key } = await rotateKey(api.db, api.keySecret, "test", studio.keyId, 0);
  assertReplay(await studio.send("l-1", { headers: { authorization: `Bearer ${key}` } }), first);
  const theirs = await neighbour.send("l-1");
  assert.deepEqual([theirs.status, theirs.headers.get(REPLAYED)], [201, null]);
  assert.notEqual(theirs.body.id, first.body.id);
});

test("a key has one spelling bare and in quotes, and is told by its case", async () => {
  const studio = await newStudio();
  const first = await studio.send("8e03978e-40d5-43dd");
  assertReplay(await studio.send('"8e03978e-40d5-43dd"'), first);
  assert.equal((await studio.send("8E03978E-40D5-43DD")).headers.get(REPLAYED), null);
  const longest = await studio.send("k".repeat(255));
  assertReplay(await studio.send("k".repeat(255)), longest);
});

test("what is no key is refused at its header, together with the faults of the body", async () => {
  const studio = await newStudio();
  for (const key of ["a b", '""', "k".repeat(256), "a,b", 'a"b', "a\\b", "é", '"a"b'])
    assertFault(await studio.send(key), "idempotency_key_invalid");
  const both = await studio.send("a b", { body: { contactName: "" } });
  assert.deepEqual(
    both.body.errors.map(({ location }: { location: string }) => location),
    ["header.Idempotency-Key", "body.contactName"],
  );
  const content = '{"contactName":"Ana"}';
  const twice = (first: string, second: string) =>
    [
      "POST /v1/clients HTTP/1.1",
      "Host: a",
      "Connection: close",
      `Authorization: Bearer ${studio.key}`,
      "Content-Type: application/json",
      `Content-Length: ${content.length}`,
      `Idempotency-Key:${first}`,
      ...(second === "" ? [] : [`Idempotency-Key:${second}`]),
      "",
      content,
    ].join("\r\n");
  for (const sent of [twice(" a", " b"), twice(" a", " a"), twice("", ""), twice(' "a"', ' "b"')]) {
    const [answer] = parseAnswers((await exchange(api.url, sent)).text);
    assert.equal(answer?.status, 422, answer?.content);
    assert.equal(answer?.body.errors[0].location, "header.Idempotency-Key");
  }
  assert.equal(await studio.total(), 0);
});

test("reads take no notice of the header, whatever it says", async () => {
  const studio = await newStudio();
  for (const key of ["m-1", "m-1", "a b"]) {
    for (const method of ["GET", "HEAD"]) {
      const answer = await api.call(method, "/v1/clients", {
        headers: { authorization: `Bearer ${studio.key}`, "idempotency-key": key },
      });
      assert.deepEqual([answer.status, answer.headers.get(REPLAYED)], [200, null]);
    }
  }
});

test("an answer is kept for 24 hours by the clock of the data, and the key is new after them", async () => {
  const at = (ms: number) => startApi({ beside: api, database: PATIENT, clockOffsetMs: ms });
  const [soon, late] = [await at(MS_PER_DAY - 60_000), await at(MS_PER_DAY + 60_000)];
  const studio = await newStudio();
  const { body: client } = await studio.send(undefined);
  const put: Sent = { method: "PUT", path: `/v1/clients/${client.id}`, body: { contactName: "Bia" } };
  const firsts = [await studio.send("n-post"), await studio.send("n-put", put)] as const;
  assertReplay(await studio.send("n-post", { through: soon }), firsts[0]);
  assertReplay(await studio.send("n-put", { ...put, through: soon }), firsts[1]);
  // Both ways to claim a key: in one statement with others, and in a transaction.
  for (const [key, sent] of [
    ["n-post", { body: { contactName: "Caio" } }],
    ["n-put", { ...put, body: { contactName: "Davi" } }],
  ] as const) {
    const again = await studio.send(key, { ...sent, through: late });
    assert.ok(again.status < 300, again.text);
    assert.equal(again.headers.get(REPLAYED), null);
    assertReplay(await studio.send(key, { ...sent, through: late }), again);
  }
});

test("each of many creates that come together has its own outcome, with a key or without", async () => {
  const studio = await newStudio();
  const document = (value: string) => ({ idDocument: { type: "other", value } });
  const { body: holder } = await studio.send("o-holder", { body: { contactName: "Ana", ...document("X") } });
  const used = await studio.send("o-used");
  const answers = await Promise.all([
    ...Array.from({ length: 30 }, (_, n) =>
      studio.send(n % 3 ? `o-${n}` : undefined, {
        body: { contactName: `Ana ${n}`, ...(n % 2 && document(`o-${n}`)) },
      }),
    ),
    studio.send("o-held", { body: { contactName: "Bia", ...document("x") } }),
    studio.send(undefined, { body: { contactName: "Bia", ...document("X") } }),
    studio.send("o-used", { body: { contactName: "Bia" } }),
    studio.send("o-used"),
    studio.send("o-one", { body: { contactName: "Caio", ...document("Y") } }),
    studio.send("o-two", { body: { contactName: "Caio", ...document("y") } }),
  ]);
  const rest = answers.slice(30) as [Answer, Answer, Answer, Answer, Answer, Answer];
  for (const { status } of answers.slice(0, 30)) assert.equal(status, 201);
  for (const { status, body } of rest.slice(0, 2))
    assert.deepEqual([status, body.clientId], [409, holder.id]);
  assertFault(rest[2], "idempotency_key_reused");
  assertReplay(rest[3], used);
  assert.deepEqual(
    rest
      .slice(4)
      .map(({ status }) => status)
      .sort(),
    [201, 409],
  );
  const { active, countedActive } = await countClients(api.db, studio.id);
  assert.deepEqual([active, countedActive, await studio.total()], [33, 33, 33]);
  for (let n = 0; n < 30; n++) {
    if (n % 3 === 0) continue;
    const body = { contactName: `Ana ${n}`, ...(n % 2 && document(`o-${n}`)) };
    assertReplay(await studio.send(`o-${n}`, { body, through: other }), answers[n] as Answer);
  }
});

describe("while another node is at work on a key", () => {
  test("requests with it wait, those of one process on one connection, and carry it out if that node fails", async () => {
    const studio = await newStudio();
    const { body: client } = await studio.send(undefined);
    const path = `/v1/clients/${client.id}`;
    for (const sent of [{}, { method: "PUT", path, body: { contactName: "Bia" } }] as Sent[]) {
      const key = `p-${sent.method}`;
      const answers: Promise<Answer>[] = [];
      await whileClaimed(studio.id, key, async () => {
        for (let n = 0; n < 20; n++) answers.push(studio.send(key, sent));
        await until("a request waits", async () => (await waiting("idempotency_keys")) > 0);
        // Another one, without a key, is not held up; by then all twenty have arrived.
        assert.equal((await studio.send(undefined)).status, 201);
        assert.equal(await waiting("idempotency_keys"), 1);
      });
      const all = await Promise.all(answers);
      assert.deepEqual([...new Set(all.map(({ status }) => status))], [sent.method ? 200 : 201]);
      assert.equal(all.filter(({ headers }) => headers.get(REPLAYED) === null).length, 1);
      assert.equal(new Set(all.map(({ text }) => text)).size, 1);
    }
  });

  test("a request with it gets that node's answer when it is there", async () => {
    const studio = await newStudio();
    let answer: Promise<Answer> | undefined;
    await whileClaimed(
      studio.id,
      "q-1",
      async () => {
        answer = studio.send("q-1");
        await until("the request waits", async () => (await waiting("idempotency_keys")) > 0);
      },
      "commit",
    );
    // That node had another request.
    assertFault(await (answer as Promise<Answer>), "idempotency_key_reused");
    assert.equal(await studio.total(), 0);
  });

  test("a request that has waited too long for it is told to come again, and can then", async () => {
    const studio = await newStudio();
    const { body: client } = await studio.send(undefined);
    const path = `/v1/clients/${client.id}`;
    for (const sent of [{}, { method: "DELETE", path }] as Sent[]) {
      const key = `r-${sent.method}`;
      await whileClaimed(studio.id, key, async () => {
        const answers = await Promise.all([
          studio.send(key, { ...sent, through: hasty }),
          studio.send(key, { ...sent, through: hasty }),
        ]);
        for (const { status, headers, body } of answers) {
          assert.deepEqual([status, body.code, headers.get("retry-after")], [409, "in_progress", "1"]);
          assert.equal(body.detail, "A request with this Idempotency-Key is still being carried out.");
        }
      });
      const after = await studio.send(key, { ...sent, through: hasty });
      assert.deepEqual([after.status < 300, after.headers.get(REPLAYED)], [true, null]);
    }
  });
});

test("creates that come together with one whose document another transaction is storing do not fail", async () => {
  // Longer than the others, who count themselves one after the other, wait for each other on a busy machine.
  const impatient = await startApi({ beside: api, database: { lockTimeoutMs: 1_000 } });
  const studio = await newStudio();
  const insert = pooled(
    "test_insert_document",
    `insert into clients (organization_id, id, status, contact_name, id_document_type, id_document_value,
       id_document_key, search)
     values ($1, $2, 'active', 'Bia', 'other', 'z', 'z', '')`,
  );
  for (const key of [undefined, "s"]) {
    const rollback = new Error("given up");
    let answers: Answer[] = [];
    await api.db
      .transaction(async (tx) => {
        await tx.query(insert, [studio.id, newId()]);
        answers = await Promise.all(
          Array.from({ length: 12 }, (_, n) =>
            studio.send(key && `${key}-${n}`, {
              through: impatient,
              body: {
                contactName: `Ana ${n}`,
                ...(n === 5 && { idDocument: { type: "other", value: "Z" } }),
              },
            }),
          ),
        );
        throw rollback;
      })
      .catch((error: unknown) => assert.equal(error, rollback));
    const held = answers.splice(5, 1)[0];
    assert.deepEqual([held?.status, held?.headers.get("retry-after")], [503, "1"]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  }
  const created = await studio.send("s-5", {
    body: { contactName: "Ana", idDocument: { type: "other", value: "z" } },
  });
  assert.equal(created.status, 201, created.text);
  const { active, countedActive } = await countClients(api.db, studio.id);
  assert.deepEqual([active, countedActive], [23, 23]);
});
