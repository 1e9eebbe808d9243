import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { startApi, type TestOrganization } from "../support/api.ts";
import { addLocation, countClients } from "../support/records.ts";

/**
 * Any sequence of writes, against a model that is written from the published rules and shares nothing with the
 * server: after each the answers, and in the end every list, search, total and record, must be the model's.
 */

const api = await startApi();

interface ModelClient {
  id: string;
  name: string;
  phone: string | undefined;
  document: string | undefined;
  places: number[];
  status: "active" | "archived";
  updatedAt: string;
}

interface ClientDraft {
  readonly name: string;
  readonly phone: string | undefined;
  readonly document: string | undefined;
  readonly places: number[];
  readonly status: "active" | "archived" | undefined;
}

type Step =
  | { readonly do: "create"; readonly input: ClientDraft }
  | { readonly do: "replace"; readonly whom: number; readonly input: ClientDraft }
  | { readonly do: "archive"; readonly whom: number };

const NAMES = ["José Silva", "Josefa", "ANA_1", "Ana 100%", "Søren", "o'Neil", "Zé"];
const PHONES = ["+55 (11) 98765-4321", "98765", "11-1"];
const DOCUMENTS = ["ab-1", "AB-1", "Ab1", "x/9", "X/9", "98765"];
const QUERIES = [
  "jose",
  "SILVA josé",
  "a",
  "1",
  "100%",
  "_",
  "ab1",
  "ab-1",
  "9876-5",
  "(11",
  "o'",
  "zé s",
  "x9",
  "soren",
  "9",
];

const draft: fc.Arbitrary<ClientDraft> = fc.record({
  name: fc.constantFrom(...NAMES),
  phone: fc.option(fc.constantFrom(...PHONES), { nil: undefined }),
  document: fc.option(fc.constantFrom(...DOCUMENTS), { nil: undefined }),
  places: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
  status: fc.constantFrom(undefined, undefined, "active" as const, "archived" as const),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: draft.map((input): Step => ({ do: "create", input })) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(5), draft).map(([whom, input]): Step => ({ do: "replace", whom, input })),
  },
  { weight: 2, arbitrary: fc.nat(5).map((whom): Step => ({ do: "archive", whom })) },
);

test("any sequence of create, replace and archive leaves every read as a model of the rules has it", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
    const studio = await api.newOrganization();
    const places = await Promise.all([0, 1, 2].map(() => addLocation(api.db, studio.id)));
    places.sort();
    const clients: ModelClient[] = [];
    for (const next of steps) await take(studio, places, clients, next);
    await compare(studio, places, clients);
  });
  // Several at a time, as most of each is waiting.
  const runs = { numRuns: Number(process.env.WALKS ?? 15) };
  await Promise.all([1, 2, 3, 4].map(() => fc.assert(property, runs)));
});

async function take(
  studio: TestOrganization,
  places: readonly string[],
  clients: ModelClient[],
  next: Step,
): Promise<void> {
  const whom = next.do === "create" ? undefined : clients[next.whom];
  if (next.do !== "create" && !whom) return;
  if (next.do === "archive") {
    assert.equal((await studio.call("DELETE", `/v1/clients/${whom?.id}`)).status, 204);
    const { body } = await studio.get(`/v1/clients/${whom?.id}`);
    if (whom?.status === "active") assert.ok(body.updatedAt > whom.updatedAt);
    else assert.equal(body.updatedAt, whom?.updatedAt);
    Object.assign(whom as ModelClient, { status: "archived", updatedAt: body.updatedAt });
    return;
  }
  const { name, phone, document, status } = next.input;
  const body = {
    contactName: name,
    contactPhone: phone,
    ...(document !== undefined && { idDocument: { type: "other", value: document } }),
    locationIds: next.input.places.map((n) => places[n]),
    status,
  };
  const answer = await studio.call(whom ? "PUT" : "POST", `/v1/clients${whom ? `/${whom.id}` : ""}`, {
    body,
  });
  const holder = clients.find(
    (other) => other !== whom && document && other.document?.toLowerCase() === document.toLowerCase(),
  );
  if (holder) {
    assert.equal(answer.status, 409);
    assert.equal(answer.body.clientId, holder.id);
    assert.equal(answer.body.clientStatus, holder.status);
    return;
  }
  assert.equal(answer.status, whom ? 200 : 201, answer.text);
  const after = {
    name,
    phone,
    document,
    places: [...next.input.places].sort(),
    status: status ?? whom?.status ?? "active",
  };
  if (whom) {
    const { id: _, updatedAt, ...before } = whom;
    const changed = JSON.stringify(before) !== JSON.stringify({ ...before, ...after });
    assert.equal(answer.body.updatedAt > updatedAt, changed);
    Object.assign(whom, after, { updatedAt: answer.body.updatedAt });
  } else {
    clients.push({ id: answer.body.id, ...after, updatedAt: answer.body.updatedAt });
  }
}

async function compare(
  studio: TestOrganization,
  places: readonly string[],
  clients: readonly ModelClient[],
): Promise<void> {
  const newestFirst = [...clients].reverse();
  const inLists = (client: ModelClient) => ({
    id: client.id,
    contactName: client.name,
    ...(client.phone !== undefined && { contactPhone: client.phone }),
    address: {},
    ...(client.document !== undefined && { idDocument: { type: "other", value: client.document } }),
    status: client.status,
    updatedAt: client.updatedAt,
  });
  const read = (client: { createdAt: string; $schema?: string }) => {
    const { createdAt, $schema, ...rest } = client;
    return rest;
  };
  await Promise.all(
    clients.map(async (client) => {
      const { body } = await studio.get(`/v1/clients/${client.id}`);
      assert.deepEqual(read(body), { ...inLists(client), locationIds: client.places.map((n) => places[n]) });
    }),
  );
  const check = async (query: string, matches: (client: ModelClient) => boolean) => {
    const expected = newestFirst.filter(matches);
    const { body } = await studio.get(`/v1/clients?limit=3&${query}`);
    assert.equal(body.total, expected.length, query);
    assert.deepEqual(body.data.map(read), expected.slice(0, 3).map(inLists), query);
    const rest = await studio.get(`/v1/clients?limit=200&offset=3&${query}`);
    assert.equal(rest.body.total, expected.length, query);
    assert.deepEqual(rest.body.data.map(read), expected.slice(3).map(inLists), query);
  };
  // One query a run, drawn by what the sequence left: over the runs all of them are asked many times.
  const drawn = clients.reduce(
    (sum, client) => sum + client.name.length + client.places.length,
    clients.length,
  );
  const query = QUERIES[drawn % QUERIES.length] as string;
  const place = drawn % 3;
  const search = `query=${encodeURIComponent(query)}`;
  const at = `locationId=${places[place]}`;
  await Promise.all([
    check("", () => true),
    check("status=archived", ({ status }) => status === "archived"),
    check(at, (client) => client.places.includes(place)),
    check(search, (client) => finds(client, query)),
    check(
      `${search}&${at}&status=active`,
      (client) => client.status === "active" && client.places.includes(place) && finds(client, query),
    ),
  ]);
  const { active, archived, countedActive, countedArchived } = await countClients(api.db, studio.id);
  const archivedClients = clients.filter(({ status }) => status === "archived").length;
  assert.deepEqual([archived, active], [archivedClients, clients.length - archivedClients]);
  assert.deepEqual([countedArchived, countedActive], [archived, active]);
}

function finds(client: ModelClient, query: string): boolean {
  const plain = (text: string) =>
    text
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "")
      .toLowerCase()
      .replaceAll("ø", "o");
  const bare = (text: string) => plain(text).replace(/[^a-z0-9]/g, "");
  const codes = [client.phone, client.document].filter((code) => code !== undefined);
  return query
    .split(" ")
    .every(
      (term) =>
        [client.name, ...codes].some((text) => plain(text).includes(plain(term))) ||
        (bare(term) !== "" && codes.some((code) => bare(code).includes(bare(term)))),
    );
}
