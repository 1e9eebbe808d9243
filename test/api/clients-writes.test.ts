import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientInserts } from "../../src/domain/clients/operations.ts";
import type { ClientContent } from "../../src/domain/clients/rules.ts";
import { type Answer, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addLocation, countClients } from "../support/records.ts";

const api = await startApi();

async function newStudio(locations = 1) {
  const studio = await api.newOrganization();
  const locationIds: string[] = [];
  for (let n = 0; n < locations; n++) locationIds.push(await addLocation(api.db, studio.id));
  const create = (body: object) => studio.call("POST", "/v1/clients", { body });
  const replace = (id: string, body: object) => studio.call("PUT", `/v1/clients/${id}`, { body });
  const archive = (id: string) => studio.call("DELETE", `/v1/clients/${id}`);
  const read = async (id: string) => (await studio.get(`/v1/clients/${id}`)).body;
  const total = async (query: string) => (await studio.get(`/v1/clients?limit=1&${query}`)).body.total;
  return { ...studio, locationIds, create, replace, archive, read, total };
}

/** Totals as answered, as counted row by row and as the counters have them must be one and the same. */
async function assertCounted(studio: Awaited<ReturnType<typeof newStudio>>): Promise<void> {
  const { active, archived, countedActive, countedArchived } = await countClients(api.db, studio.id);
  assert.deepEqual([countedActive, countedArchived], [active, archived]);
  assert.deepEqual(
    [await studio.total("status=active"), await studio.total("status=archived"), await studio.total("")],
    [active, archived, active + archived],
  );
}

const statuses = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status);

test("updatedAt moves when, and only when, something changed", async () => {
  const studio = await newStudio(3);
  const [a = "", b = "", c = ""] = studio.locationIds;
  const full = {
    contactName: "Ana",
    contactEmail: "ana@example.com",
    contactPhone: "+55 11",
    birthdate: "1990-01-01",
    address: {
      city: "São Paulo",
      country: "BR",
      line1: "Rua A",
      line2: "2",
      postalCode: "05435-000",
      state: "SP",
    },
    idDocument: { type: "cpf", value: "52998224725" },
    notes: "n",
    status: "active",
    locationIds: [a, b],
  };
  const { body: created } = await studio.create(full);
  let last = created;
  const put = async (body: object) => {
    const { body: next, status } = await studio.replace(created.id, body);
    assert.equal(status, 200);
    assert.equal(next.createdAt, created.createdAt);
    assert.deepEqual(await studio.read(created.id), next);
    const moved = next.updatedAt > last.updatedAt;
    if (!moved) assert.deepEqual(next, last);
    last = next;
    return moved;
  };
  const { status: _, ...withoutStatus } = full;
  const changesNothing: object[] = [
    full,
    withoutStatus,
    { ...full, locationIds: [b, a] },
    { ...full, locationIds: [b.toUpperCase(), a, b] },
    { ...full, contactName: " Ana ", contactEmail: " ana@example.com ", contactPhone: "+55 11 " },
    { ...full, idDocument: { type: "cpf", value: " 529.982.247-25" } },
    { ...full, status: "" },
    created,
  ];
  for (const body of changesNothing) assert.equal(await put(body), false, JSON.stringify(body));
  const changes: object[] = [
    { contactName: "Ana B" },
    { contactEmail: undefined },
    { contactPhone: "+55 12" },
    { birthdate: undefined },
    { notes: "n " },
    { status: "archived" },
    { idDocument: { type: "other", value: "52998224725" } },
    { idDocument: undefined },
    { locationIds: [a] },
    { locationIds: [b] },
    { locationIds: [a, b, c] },
    ...Object.keys(full.address).map((part) => ({ address: { ...full.address, [part]: "changed" } })),
    { address: { city: "São Paulo" } },
    { address: undefined },
  ];
  for (const change of changes) {
    await put(full);
    assert.equal(await put({ ...full, ...change }), true, JSON.stringify(change));
    assert.equal(await put({ ...full, ...change }), false, JSON.stringify(change));
  }
});

test("changing the case of one's own document is a change and no conflict", async () => {
  const studio = await newStudio();
  const document = (value: string) => ({ contactName: "Ana", idDocument: { type: "other", value } });
  const { body } = await studio.create(document("ab-1"));
  const replaced = await studio.replace(body.id, document("AB-1"));
  assert.equal(replaced.status, 200);
  assert.equal(replaced.body.idDocument.value, "AB-1");
  assert.ok(replaced.body.updatedAt > body.updatedAt);
  const conflict = await studio.create(document("Ab-1"));
  assert.equal(conflict.status, 409);
  assert.equal(conflict.body.clientId, body.id);
});

test("a hundred replaces as fast as they go each move updatedAt on", async () => {
  const studio = await newStudio();
  const { body } = await studio.create({ contactName: "Ana" });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => studio.replace(body.id, { contactName: `Ana ${n}` })),
  );
  const times = answers.map((answer) => answer.body.updatedAt);
  assert.equal(new Set(times).size, 100);
  assert.equal((await studio.read(body.id)).updatedAt, times.sort().at(-1));
});

test("archiving moves updatedAt once, and a replace without status revives nobody", async () => {
  const studio = await newStudio();
  const { body } = await studio.create({ contactName: "Ana" });
  assert.equal((await studio.archive(body.id)).status, 204);
  const archived = await studio.read(body.id);
  assert.equal(archived.status, "archived");
  assert.ok(archived.updatedAt > body.updatedAt);
  assert.deepEqual({ ...archived, status: body.status, updatedAt: body.updatedAt }, body);
  const again = await studio.archive(body.id);
  assert.deepEqual([again.status, again.text], [204, ""]);
  assert.deepEqual(await studio.read(body.id), archived);
  assert.equal((await studio.replace(body.id, { contactName: "Bia" })).body.status, "archived");
  assert.equal(
    (await studio.replace(body.id, { contactName: "Bia", status: "active" })).body.status,
    "active",
  );
  await assertCounted(studio);
});

test("a client may be created archived", async () => {
  const studio = await newStudio();
  assert.equal((await studio.create({ contactName: "Ana", status: "archived" })).body.status, "archived");
  await assertCounted(studio);
});

test("a document is its type and value together", async () => {
  const studio = await newStudio();
  const value = "52998224725";
  assert.equal((await studio.create({ contactName: "A", idDocument: { type: "cpf", value } })).status, 201);
  assert.equal((await studio.create({ contactName: "B", idDocument: { type: "other", value } })).status, 201);
  assert.equal((await studio.create({ contactName: "C", idDocument: { type: "other", value } })).status, 409);
});

test("a document that was given up can be taken by another client", async () => {
  const studio = await newStudio();
  const idDocument = { type: "other", value: "X-1" };
  const first = await studio.create({ contactName: "A", idDocument });
  const second = await studio.create({ contactName: "B" });
  assert.equal((await studio.replace(second.body.id, { contactName: "B", idDocument })).status, 409);
  assert.deepEqual(await studio.read(second.body.id), second.body);
  await studio.replace(first.body.id, { contactName: "A" });
  assert.equal((await studio.replace(second.body.id, { contactName: "B", idDocument })).status, 200);
});

test("of 20 simultaneous creates with one CPF exactly one succeeds, 50 times over, and the rest name it", async () => {
  const studio = await newStudio();
  for (let round = 0; round < 50; round++) {
    const cpf = cpfOf(100_000_000 + round * 7919);
    const spellings = [cpf, cpf.replace(/(...)(...)(...)(..)/, "$1.$2.$3-$4"), ` ${cpf} `];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        studio.create({ contactName: `Ana ${n}`, idDocument: { type: "cpf", value: spellings[n % 3] } }),
      ),
    );
    const [created, ...others] = statuses(answers, 201);
    assert.ok(created && others.length === 0, `round ${round}: ${answers.map(({ status }) => status)}`);
    assert.equal(created.body.idDocument.value, cpf);
    const refused = statuses(answers, 409);
    assert.equal(refused.length, 19);
    for (const { body } of refused) {
      assert.equal(body.code, "conflict");
      assert.equal(body.clientId, created.body.id);
      assert.equal(body.clientStatus, "active");
    }
  }
  assert.equal(await studio.total(""), 50);
  await assertCounted(studio);
});

test("of 20 clients that are given one document at once exactly one gets it, and the others stay as they were", async () => {
  const studio = await newStudio();
  const clients = await Promise.all(
    Array.from({ length: 20 }, (_, n) => studio.create({ contactName: `Ana ${n}` })),
  );
  for (let round = 0; round < 5; round++) {
    const idDocument = { type: "other", value: `R-${round}` };
    const before = await Promise.all(clients.map(({ body }) => studio.read(body.id)));
    const answers = await Promise.all(
      clients.map(({ body }) => studio.replace(body.id, { contactName: body.contactName, idDocument })),
    );
    const [winner, ...others] = statuses(answers, 200);
    assert.ok(winner && others.length === 0, `${answers.map(({ status }) => status)}`);
    const refused = statuses(answers, 409);
    assert.equal(refused.length, 19);
    for (const { body } of refused) assert.equal(body.clientId, winner.body.id);
    assert.deepEqual(
      await Promise.all(clients.map(({ body }) => studio.read(body.id))),
      before.map((client) => (client.id === winner.body.id ? winner.body : client)),
    );
  }
  await assertCounted(studio);
});

test("clients that exchange their documents at the same time are all refused, and no document is lost", async () => {
  const studio = await newStudio();
  for (let round = 0; round < 20; round++) {
    const document = (n: number) => ({ type: "other", value: `S-${round}-${n % 3}` });
    const ring = await Promise.all(
      [0, 1, 2].map((n) => studio.create({ contactName: `Ana ${n}`, idDocument: document(n) })),
    );
    const answers = await Promise.all(
      ring.map(({ body }, n) => studio.replace(body.id, { contactName: "Bia", idDocument: document(n + 1) })),
    );
    // A deadlock would be broken by PostgreSQL, and answered 503.
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([409]));
    const held = await Promise.all(
      ring.map(async ({ body }) => (await studio.read(body.id)).idDocument.value),
    );
    assert.deepEqual(
      held,
      [0, 1, 2].map((n) => document(n).value),
    );
  }
});

test("a document that moves about among creates and replaces is held by one client at most, at every moment", async () => {
  const studio = await newStudio();
  const idDocument = { type: "other", value: "M-1" };
  const clients = await Promise.all(Array.from({ length: 4 }, () => studio.create({ contactName: "Ana" })));
  const give = clients.flatMap(({ body }) => [
    () => studio.replace(body.id, { contactName: "Ana", idDocument }),
    () => studio.replace(body.id, { contactName: "Ana" }),
  ]);
  let isOver = false;
  const seen: number[] = [];
  const watch = async () => {
    while (!isOver) seen.push(await studio.total("query=M-1"));
  };
  const watching = [watch(), watch()];
  // Ten at a time, so that the watchers see many states between the first and the last.
  const answers: Answer[] = [];
  for (let n = 0; n < 80; n += 10) {
    const few = Array.from({ length: 10 }, (_, i) =>
      i === 9
        ? studio.create({ contactName: "Bia", idDocument })
        : (give[(n + i) % give.length] as () => Promise<Answer>)(),
    );
    answers.push(...(await Promise.all(few)));
  }
  isOver = true;
  await Promise.all(watching);
  assert.ok(seen.length >= 8 && seen.includes(1), `looked ${seen.length} times`);
  assert.deepEqual(
    seen.filter((holders) => holders > 1),
    [],
  );
  for (const answer of answers) {
    assert.ok([200, 201, 409].includes(answer.status), answer.text);
    if (answer.status === 409) assert.match(answer.body.clientId, /^[0-9a-f-]{36}$/);
  }
  const { body } = await studio.get("/v1/clients?query=M-1");
  assert.ok(body.total <= 1);
  await assertCounted(studio);
});

test("replaces and archivings of one client at once leave it whole and counted once", async () => {
  const studio = await newStudio(4);
  const { body } = await studio.create({ contactName: "Ana", locationIds: studio.locationIds });
  for (let round = 0; round < 15; round++) {
    const expected = studio.locationIds.map((_, n) => studio.locationIds.slice(0, n + 1));
    const answers = await Promise.all([
      ...expected.map((locationIds, n) =>
        studio.replace(body.id, { contactName: `Ana ${n}`, locationIds, ...(n % 2 && { status: "active" }) }),
      ),
      studio.archive(body.id),
      studio.archive(body.id),
    ]);
    for (const { status, text } of answers) assert.ok(status === 200 || status === 204, text);
    // What is stored is what one of the replaces wrote, all of it.
    const { contactName, locationIds } = await studio.read(body.id);
    assert.deepEqual(locationIds, expected[Number(contactName.slice(4))] ?? []);
    for (const locationId of studio.locationIds) {
      const { body: list } = await studio.get(`/v1/clients?locationId=${locationId}`);
      assert.equal(list.total, locationIds.includes(locationId) ? 1 : 0);
    }
    await assertCounted(studio);
  }
});

test("totals stay exact while many create, replace and archive at the same time", async () => {
  const studio = await newStudio();
  const seen: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const { body } = await studio.create({
        contactName: `Ana ${n}`,
        status: n % 3 ? "active" : "archived",
      });
      // A reader in the middle of it: the parts always add up to the whole that was seen with them.
      seen.push(
        studio.get("/v1/clients?limit=200").then(({ body: list }) => {
          assert.equal(list.data.length, list.total);
        }),
      );
      if (n % 2) await studio.archive(body.id);
      if (n % 5 === 0) await studio.replace(body.id, { contactName: `Bia ${n}`, status: "active" });
    }),
  );
  await Promise.all(seen);
  assert.equal(await studio.total(""), 60);
  await assertCounted(studio);
});

test("clients that are created together share a statement, and each has its own outcome", async () => {
  const studio = await newStudio();
  let statements = 0;
  const db = api.db.for(studio.id);
  const inserts = new ClientInserts({
    query: () => Promise.reject(new Error("inserts need no short reads")),
    clockOffsetMs: 0,
    for: () => ({
      ...db,
      query: (statement, values) => {
        statements++;
        return db.query(statement, values);
      },
    }),
  });
  const insert = (name: string, change: Partial<ClientContent> = {}) =>
    inserts.insert(studio.id, {
      id: newId(),
      status: "active",
      createdAt: "2026-11-15T09:30:00.000Z",
      content: { ...plainContent, contactName: name, locationIds: studio.locationIds, ...change },
    });
  const idDocument = { type: "other", value: "AB 123" } as const;
  const good = await Promise.all(Array.from({ length: 20 }, (_, n) => insert(`Ana ${n}`)));
  assert.equal(statements, 1);
  assert.equal(new Set(good.map((client) => client?.id)).size, 20);

  const sameDocument = await Promise.all([
    insert("Bia", { idDocument }),
    insert("Caio", { idDocument: { type: "other", value: "ab 123" } }),
    insert("Davi"),
  ]);
  assert.equal(statements, 2);
  assert.deepEqual(sameDocument.map((client) => client !== undefined).sort(), [false, true, true]);
  assert.ok(sameDocument[2]);

  const [bad, ...others] = await Promise.allSettled([
    insert("Elis", { locationIds: [newId()] }),
    insert("Gal"),
    insert("Hugo"),
  ]);
  assert.equal(bad.status, "rejected");
  assert.deepEqual(
    others.map(({ status }) => status),
    ["fulfilled", "fulfilled"],
  );
  assert.equal(await studio.total(""), 24);
  await assertCounted(studio);
});

test("a client reads back as it was answered when it was created", async () => {
  const studio = await newStudio();
  const whole = {
    contactName: 'João "Jota" d\'Ávila \\ {a,b}',
    contactEmail: "joao@example.com",
    contactPhone: "+55 11 98765-4321",
    birthdate: "1988-02-29",
    address: { line1: "Rua A, 1", city: "São Paulo", postalCode: "01000-000" },
    idDocument: { type: "other", value: "null" },
    notes: "first\n\tsecond 😀",
    status: "archived",
  };
  for (const body of [whole, { contactName: "null" }]) {
    const { body: created } = await studio.create(body);
    const { body: read } = await studio.get(`/v1/clients/${created.id}`);
    assert.deepEqual(read, created);
    assert.equal(created.contactName, body.contactName);
  }
});

const plainContent: ClientContent = {
  contactName: "Ana",
  contactEmail: undefined,
  contactPhone: undefined,
  birthdate: undefined,
  address: {},
  idDocument: undefined,
  notes: undefined,
  locationIds: [],
};

/** The CPF that begins with these nine digits. */
function cpfOf(number: number): string {
  const digits = [...String(number)].map(Number);
  for (const weight of [10, 11]) {
    const sum = digits.reduce((total, digit, n) => total + digit * (weight - n), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  return digits.join("");
}
