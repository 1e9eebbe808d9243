import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addContract, addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const studio = await api.newOrganization();
await addLocation(api.db, studio.id);
const desk = await newStaff(api, studio.id, { role: "front_desk" });
const NAMES = ["João Silva", "Maria José Lima", "Beatriz Jordão", "Ajo Kent", "Ana Souza", "Kent 美咲"];
for (const contactName of NAMES)
  await desk.write("addClient", { contactName, contactPhone: "+55 11 98765-4321" });

async function found(query: string, limit = 10): Promise<string[]> {
  const { status, body } = await desk.read(`people?${new URLSearchParams({ query, limit: String(limit) })}`);
  assert.equal(status, 200);
  assert.equal(body.total, body.data.length);
  return body.data.map(({ contactName }: { contactName: string }) => contactName);
}

test("one or two letters match where a word begins, in any case and with any accents; more match anywhere", async () => {
  const cases: Readonly<Record<string, string[]>> = {
    jo: ["João Silva", "Beatriz Jordão", "Maria José Lima"],
    JÔ: ["João Silva", "Beatriz Jordão", "Maria José Lima"],
    j: ["João Silva", "Beatriz Jordão", "Maria José Lima"],
    "jo si": ["João Silva"],
    "si jo": ["João Silva"],
    ajo: ["Ajo Kent"],
    ouz: ["Ana Souza"],
    美咲: ["Kent 美咲"],
    "美咲 ken": ["Kent 美咲"],
    ou: [],
    "11 98765": NAMES.toSorted(),
    "": [],
    "%": [],
    _: [],
  };
  for (const [query, names] of Object.entries(cases)) {
    const answer = await found(query);
    assert.deepEqual(query.startsWith("11") ? answer.sort() : answer, names, query);
  }
});

test("those in use come first, and no more than asked for", async () => {
  const [first = ""] = await found("jo", 1);
  assert.equal(first, "João Silva");
  const { body } = await desk.read("people?query=joao");
  await desk.write("archiveClient", { clientId: body.data[0].id });
  assert.deepEqual(await found("jo"), ["Beatriz Jordão", "Maria José Lima", "João Silva"]);
  assert.equal((await desk.read("people?query=a&limit=51")).status, 422);
  assert.equal((await desk.read("people")).status, 422);
  assert.equal((await desk.read(`people?query=${"a".repeat(201)}`)).status, 422);
});

test("each comes with the contracts that are not over, and by its status if one is asked for", async () => {
  const { body } = await desk.read("people?query=souza");
  const [ana] = body.data;
  assert.deepEqual(ana.contracts, []);
  const contractId = await addContract(api.db, studio.id, { clientId: ana.id, planName: "Mensal" });
  const running = { id: contractId, planName: "Mensal", status: "active", accessBlocked: false };
  assert.deepEqual((await desk.read("people?query=souza")).body.data, [{ ...ana, contracts: [running] }]);
  const names = async (status: string) =>
    (await desk.read(`people?query=jo&status=${status}`)).body.data.map(
      ({ contactName }: { contactName: string }) => contactName,
    );
  assert.deepEqual(await names("active"), ["Beatriz Jordão", "Maria José Lima"]);
  assert.deepEqual(await names("archived"), ["João Silva"]);
});

test("nobody of another organization is found", async () => {
  const other = await api.newOrganization();
  const stranger = await newStaff(api, other.id);
  assert.deepEqual((await stranger.read("people?query=jo")).body.data, []);
});

test("a letter after a first name begins the next word, and whoever is called so comes first", async () => {
  const other = await api.newOrganization();
  await addLocation(api.db, other.id);
  const own = await newStaff(api, other.id);
  const names = ["Ana Alves", "Ana Lima", "Ana Paula Souza", "Ana Souza", "Sara Ana"];
  for (const contactName of names) {
    const { status } = await own.write("addClient", {
      contactName,
      contactEmail: `ana.${contactName.length}@example.com`,
    });
    assert.equal(status, 200);
  }
  const namesFor = async (query: string) =>
    (await own.read(`people?query=${encodeURIComponent(query)}`)).body.data.map(
      ({ contactName }: { contactName: string }) => contactName,
    );
  assert.deepEqual(await namesFor("ana s"), ["Ana Souza", "Ana Paula Souza", "Sara Ana"]);
  assert.deepEqual(await namesFor("ana a"), ["Ana Alves", "Sara Ana"]);
  assert.deepEqual(await namesFor("ana an"), ["Sara Ana"]);
  assert.deepEqual(await namesFor("ana p"), ["Ana Paula Souza"]);
});
