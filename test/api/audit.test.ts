import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { read } from "../../src/db/statements.ts";
import { storeRequest } from "../../src/domain/audit/request-queries.ts";
import type { AuditAction } from "../../src/domain/audit/values.ts";
import { type Answer, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { writtenOut } from "../support/openapi-document.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();

interface Entry {
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly subjectId?: string;
  readonly requestId?: string;
  readonly details: { readonly members?: readonly string[] };
  readonly undo?: { readonly operation: string; readonly input: object };
}

async function newStudio() {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const owner = await newStaff(api, studio.id);
  const trail = async (query = ""): Promise<Entry[]> =>
    (await owner.read(`audit?actor=key:${studio.keyId}&limit=200${query}`)).body.data;
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    studio.call(method, path, { headers, ...(body && { body }) });
  const newClient = async (body: object = { contactName: "Ana Prado" }) =>
    (await send("POST", "/v1/clients", body)).body;
  return { ...studio, owner, trail, send, newClient };
}

const SECRETS = {
  contactName: "Zenaide Quaresma",
  contactEmail: "zenaide@example.com",
  contactPhone: "+55 11 90765-4321",
  birthdate: "1984-02-29",
  idDocument: { type: "cpf", value: "529.982.247-25" },
  address: { line1: "Rua da Alfazema 908", city: "Olinda" },
  notes: "allergic to lavender",
};

describe("a write by an API key", () => {
  test("is in the trail with its key, its request id and the names of what changed, and never what they hold", async () => {
    const { id, keyId, trail, send } = await newStudio();
    const headers = (requestId: string) => ({ "x-request-id": requestId });
    const { body } = await send("POST", "/v1/clients", SECRETS, headers("signup-1"));
    const path = `/v1/clients/${body.id}`;
    const moved = { ...SECRETS, contactPhone: "+55 81 3000-0000", notes: undefined };
    await send("PUT", path, moved, headers("sync-2"));
    await send("PATCH", path, { address: { line2: "Apto 3" }, contactEmail: null }, headers("sync-3"));
    await send("DELETE", path, undefined, headers("sync-4"));
    const entries = (await trail()).map(({ id: _id, actor, requestId, action, subjectId, details }) => {
      assert.equal(actor, `key:${keyId}`);
      assert.equal(subjectId, body.id);
      return [requestId, action, [...(details.members ?? [])].sort()];
    });
    assert.deepEqual(entries.reverse(), [
      ["signup-1", "addClient", Object.keys(SECRETS).sort()],
      ["sync-2", "editClient", ["contactPhone", "notes"]],
      ["sync-3", "editClient", ["address", "contactEmail"]],
      ["sync-4", "archiveClient", ["status"]],
    ]);
    const rows = read(
      "test_trail_text",
      "select string_agg(a::text, ' ') as text from audit a where a.organization_id = $1",
    );
    const [row] = await api.db.query<{ text: string }>(rows, [id]);
    for (const secret of [
      "Zenaide",
      "zenaide@",
      "90765-4321",
      "907654321",
      "3000-0000",
      "8130000000",
      // As a whole: four digits may stand in an id.
      "1984-02-29",
      "52998224725",
      "Alfazema",
      "Apto",
      "lavender",
    ])
      assert.ok(!row?.text.includes(secret), secret);
  });

  test("is shown with the name of its key, also among the entries of its client", async () => {
    const { owner, call } = await newStudio();
    const minted = await owner.write("mintKey", { name: "Website" });
    const headers = { authorization: `Bearer ${minted.body.result.key}` };
    const { body } = await call("POST", "/v1/clients", { body: { contactName: "Ana Prado" }, headers });
    const { data, total } = (await owner.read(`audit?clientId=${body.id}`)).body;
    assert.equal(total, 1);
    assert.equal(data[0].actor, `key:${minted.body.result.id}`);
    assert.equal(data[0].actorName, "Website");
    assert.equal(data[0].clientName, "Ana Prado");
  });

  test("leaves no entry if it changes nothing, fails, or is answered from before", async () => {
    const { trail, send, newClient } = await newStudio();
    const held = await newClient({ contactName: "Ana", idDocument: SECRETS.idDocument });
    const client = await newClient();
    const path = `/v1/clients/${client.id}`;
    const key = { "idempotency-key": newId() };
    assert.equal((await send("POST", "/v1/clients", { contactName: "Bia" }, key)).status, 201);
    const known = (await trail()).length;
    assert.equal(known, 3);
    const silent: [Promise<Answer>, number][] = [
      [send("POST", "/v1/clients", { contactName: "Bia" }, key), 201],
      [send("PUT", path, { contactName: "Ana Prado" }), 200],
      [send("PATCH", path, { contactName: "Ana Prado" }), 200],
      [send("PUT", path, { contactName: "Eva" }, { "if-match": '"old"' }), 412],
      [send("PUT", path, { contactName: "" }), 422],
      [send("PUT", path, { contactName: "Eva", idDocument: SECRETS.idDocument }), 409],
      [send("POST", "/v1/clients", { contactName: "Eva", idDocument: SECRETS.idDocument }), 409],
      [send("DELETE", `/v1/clients/${newId()}`), 404],
    ];
    for (const [answer, status] of silent) assert.equal((await answer).status, status);
    assert.equal((await trail()).length, known);
    assert.equal((await send("DELETE", `/v1/clients/${held.id}`)).status, 204);
    assert.equal((await send("DELETE", `/v1/clients/${held.id}`)).status, 204);
    assert.equal((await trail()).length, known + 1, "an archived client is archived once");
  });

  test("has its entry too if it was stored with others in one statement, with and without a key of repetition", async () => {
    const { trail, send } = await newStudio();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        send(
          "POST",
          "/v1/clients",
          // Of two that have one document one is stored.
          { contactName: `Client ${n}`, ...(n < 2 && { idDocument: SECRETS.idDocument }) },
          { "x-request-id": `r-${n}`, ...(n % 3 === 0 && { "idempotency-key": newId() }) },
        ),
      ),
    );
    const made = answers.flatMap(({ status, body, headers }) =>
      status === 201 ? [`${headers.get("x-request-id")} ${body.id}`] : [],
    );
    assert.equal(made.length, 39);
    const entries = (await trail()).map(({ requestId, subjectId }) => `${requestId} ${subjectId}`);
    assert.deepEqual(entries.sort(), made.sort());
  });

  test("of the status alone is archiving or bringing back, and is undone by the staff", async () => {
    const { owner, trail, send, newClient, get } = await newStudio();
    const { id } = await newClient();
    await send("PATCH", `/v1/clients/${id}`, { status: "archived" });
    await send("PUT", `/v1/clients/${id}`, { contactName: "Ana Prado", status: "active" });
    await send("DELETE", `/v1/clients/${id}`);
    const [last, back, first] = await trail();
    assert.deepEqual(
      [first?.action, back?.action, last?.action],
      ["archiveClient", "restoreClient", "archiveClient"],
    );
    assert.deepEqual(last?.undo, { operation: "restoreClient", input: { clientId: id } });
    assert.equal((await owner.write("restoreClient", last?.undo?.input)).status, 200);
    assert.equal((await get(`/v1/clients/${id}`)).body.status, "active");
  });

  test("is forgotten by its request id when the person is erased", async () => {
    const { owner, trail, send } = await newStudio();
    const headers = { "x-request-id": "zenaide-quaresma" };
    const { body } = await send("POST", "/v1/clients", { contactName: "Zenaide Quaresma" }, headers);
    const exported = await owner.write("exportClient", { clientId: body.id });
    assert.equal(exported.body.result.auditEntries[0].requestId, "zenaide-quaresma");
    assert.equal((await owner.write("eraseClient", { clientId: body.id, basis: "asked" })).status, 200);
    const [entry] = await trail();
    assert.equal(entry?.action, "addClient");
    assert.equal(entry?.requestId, undefined);
  });
});

describe("the trail", () => {
  test("is narrowed by actor, action and time, with exact totals", async () => {
    const { owner, keyId, send, newClient } = await newStudio();
    const { id } = await newClient();
    await owner.write("editClient", { clientId: id, changes: { notes: "n" } });
    await send("PATCH", `/v1/clients/${id}`, { notes: "m" });
    const found = async (query: string) => {
      const { status, body } = await owner.read(`audit?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.total, body.data.length);
      return body.data as (Entry & { readonly at: string })[];
    };
    const of = (entries: readonly Entry[]) =>
      entries.map(({ action, actor }) => `${action} ${actor.split(":")[0]}`);
    assert.deepEqual(of(await found(`actor=key:${keyId}`)), ["editClient key", "addClient key"]);
    assert.deepEqual(of(await found("action=editClient")), ["editClient key", "editClient staff"]);
    assert.deepEqual(of(await found(`action=editClient&actor=staff:${owner.id}`)), ["editClient staff"]);
    const [last] = await found("action=editClient");
    const at = last?.at ?? "";
    assert.deepEqual(of(await found(`action=editClient&from=${at}`)), ["editClient key"]);
    assert.ok((await found(`to=${at}`)).every((entry) => entry.at < at));
    assert.deepEqual(await found("from=2999-01-01T00:00:00Z"), []);
    assert.deepEqual(await found("to=0001-01-01T00:00:00Z"), []);
    assert.deepEqual(await found("action=editEverything"), []);
    assert.equal((await owner.read("audit?from=yesterday")).status, 422);
  });

  test("shows the front desk what concerns clients, contracts, calendar and catalog, and nothing of staff and keys", async () => {
    const { id, owner, newClient } = await newStudio();
    const { id: clientId } = await newClient();
    const person = { name: "Bia", email: "bia@example.com", role: "manager", allLocations: true };
    await owner.write("addStaff", person);
    await owner.write("mintKey", { name: "Website" });
    await owner.write("editSettings", { cancelWindowMinutes: 60 });
    await owner.write("addServiceType", { name: "Yoga", holdsResource: false });
    const actionsFor = async (role: "front_desk" | "manager", query = "") => {
      const { body } = await (await newStaff(api, id, { role })).read(`audit?limit=200${query}`);
      assert.equal(body.total, body.data.length);
      return new Set(body.data.map(({ action }: Entry) => action));
    };
    assert.deepEqual(await actionsFor("front_desk"), new Set(["addClient", "addServiceType"]));
    assert.deepEqual(await actionsFor("front_desk", `&clientId=${clientId}`), new Set(["addClient"]));
    for (const action of ["mintKey", "addStaff"]) {
      assert.ok((await actionsFor("manager")).has(action));
      assert.equal((await actionsFor("front_desk", `&action=${action}`)).size, 0);
    }
    assert.equal((await actionsFor("front_desk", `&staffId=${owner.id}`)).has("addStaff"), false);
  });
});

describe("every operation that writes", () => {
  interface Described {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
  }
  const writesOf = async (address: string) => {
    const { paths } = writtenOut((await (await fetch(`${api.url}${address}`)).json()) as object) as {
      paths: Record<string, Record<string, Described>>;
    };
    return Object.values(paths).flatMap((path) =>
      Object.entries(path).flatMap(([method, described]) =>
        ["post", "put", "patch", "delete"].includes(method) ? [described] : [],
      ),
    );
  };

  test("of the public API leaves one entry", async () => {
    const { trail, send, newClient } = await newStudio();
    const name = { contactName: "Bia" };
    const path = async () => `/v1/clients/${(await newClient()).id}`;
    const done: Record<string, () => Promise<[count: number, Answer]>> = {
      createClient: async () => [1, await send("POST", "/v1/clients", name)],
      replaceClient: async () => [2, await send("PUT", await path(), name)],
      patchClient: async () => [2, await send("PATCH", await path(), name)],
      archiveClient: async () => [2, await send("DELETE", await path())],
    };
    const described = (await writesOf("/openapi.json")).map(({ operationId }) => operationId);
    assert.deepEqual(described.sort(), Object.keys(done).sort(), "a new one needs its line here");
    for (const [operationId, work] of Object.entries(done)) {
      const before = (await trail()).length;
      const [count, { status, text }] = await work();
      assert.ok(status < 300, text);
      assert.equal((await trail()).length - before, count, operationId);
    }
  });

  test("of the application leaves one, or its request is not stored and it fails", async () => {
    /** Those that take no Idempotency-Key, with the action of their own entry. */
    const UNKEYED: Readonly<Record<string, AuditAction | "writes nothing of the organization">> = {
      signIn: "signIn",
      signInByPasskey: "signIn",
      acceptLink: "acceptLink",
      changePassword: "changePassword",
      confirmPassword: "writes nothing of the organization",
      signOut: "writes nothing of the organization",
      beginPasskey: "writes nothing of the organization",
      beginPasskeySignIn: "writes nothing of the organization",
      readLink: "writes nothing of the organization",
      readSheet: "writes nothing of the organization",
    };
    const unkeyed = (await writesOf("/app/openapi.json")).filter(
      ({ parameters = [] }) => !parameters.some(({ name }) => name === "Idempotency-Key"),
    );
    assert.deepEqual(
      unkeyed.map(({ operationId }) => operationId).sort(),
      Object.keys(UNKEYED).sort(),
      "one that takes no key must say how it is recorded",
    );
    const { id, owner } = await newStudio();
    const claim = {
      organizationId: id,
      owner: `staff:${owner.id}`,
      key: newId(),
      fingerprint: "00",
      now: Date.now(),
    };
    const [entry] = (await owner.read("audit")).body.data;
    // Of none, and of one that somebody else left.
    for (const auditId of [newId(), entry?.id ?? newId()]) {
      const source = { auditId, result: null };
      const stored = storeRequest(api.db, { claim, source, status: 200, recordId: undefined });
      await assert.rejects(stored, /left no audit entry/);
    }
  });
});

describe("a list that is taken as a file", () => {
  test("is in the trail, at either door: who took which list, how many rows, and by which filters, not for what", async () => {
    const { owner, keyId, call, newClient } = await newStudio();
    await newClient();
    await newClient({ contactName: "Zenaide Quaresma" });
    const csv = { accept: "text/csv" };
    const asked = { "x-request-id": "nightly-1", accept: "application/x-ndjson" };
    assert.equal((await call("GET", "/v1/clients?query=zenaide", { headers: asked })).status, 200);
    const taken = await owner.read("clients?csv=excel", { headers: csv });
    assert.equal(taken.status, 200);
    // Neither what is known already, nor what has no rows, is taken.
    const known = { ...csv, "if-none-match": taken.headers.get("etag") ?? "" };
    assert.equal((await owner.read("clients?csv=excel", { headers: known })).status, 304);
    assert.equal((await call("HEAD", "/v1/clients", { headers: csv })).status, 200);
    assert.equal((await call("GET", "/v1/clients")).status, 200);
    assert.equal((await call("GET", "/v1/clients?limit=1", { headers: csv })).status, 422);
    const { data } = (await owner.read("audit?action=list.download")).body;
    assert.deepEqual(
      data.map(({ actor, subjectId, details }: Entry) => ({ actor, subjectId, ...details })),
      [
        { actor: `staff:${owner.id}`, subjectId: "clients", type: "text/csv", rows: 2, filters: [] },
        {
          actor: `key:${keyId}`,
          subjectId: "clients",
          type: "application/x-ndjson",
          rows: 1,
          filters: ["query"],
        },
      ],
    );
    assert.equal(data[1].requestId, "nightly-1");
  });
});
