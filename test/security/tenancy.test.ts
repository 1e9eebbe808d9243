import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { type Answer, startApi } from "../support/api.ts";
import { addSchedule, addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceGroup, addServiceType } from "../support/records.ts";

const api = await startApi();

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;
const document: Json = api.document;
const timezone = "America/Sao_Paulo";
const WINDOW = "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z";

/** An organization with a record of every kind that has an id. */
async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const client = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", idDocument: { type: "other", value: "P-1" } },
  });
  const clientId: string = client.body.id;
  const serviceTypeId = await addServiceType(api.db, studio.id);
  const planId = await addPlan(api.db, studio.id, { locationIds: [locationId] });
  const place = { serviceTypeId, locationId, timezone };
  const scheduleId = await addSchedule(api.db, studio.id, {
    ...place,
    start: "2026-01-05T09:00",
    rrule: "FREQ=WEEKLY",
  });
  await addContract(api.db, studio.id, { clientId, planId });
  await addServiceGroup(api.db, studio.id);
  await addSession(api.db, studio.id, {
    ...place,
    scheduleId,
    originalStart: "2026-01-12T09:00",
    start: "2026-01-12T10:00",
  });
  return { ...studio, locationId, clientId };
}

const ours = await newStudio();
const theirs = await newStudio();
/** Nothing is written to it. */
const other = await newStudio();

/** Every uuid that any table keeps for an organization. */
async function idsOf(organizationId: string): Promise<string[]> {
  const columns = await api.db.query<{ table: string; column: string }>(
    pooled(
      "test_uuid_columns",
      `select c.table_name as table, c.column_name as column
       from information_schema.columns c
       where c.table_schema = current_schema() and c.data_type = 'uuid' and exists (
         select from information_schema.columns o
         where o.table_schema = c.table_schema and o.table_name = c.table_name and o.column_name = 'organization_id'
       )`,
    ),
  );
  const ids = new Set([organizationId]);
  for (const { table, column } of columns) {
    const found = await api.db.query<{ id: string }>(
      pooled(
        `test_ids_${table}_${column}`,
        `select distinct ${column} as id from ${table} where organization_id = $1 and ${column} is not null`,
      ),
      [organizationId],
    );
    for (const { id } of found) ids.add(id);
  }
  return [...ids];
}

const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    parameters: (operation.parameters ?? []) as Json[],
    hasBody: operation.requestBody !== undefined,
  })),
);

interface Place {
  readonly name: string;
  readonly ask: (id: string) => Promise<Answer>;
}

/** Every place of the document where an id may stand, each with a way to ask with one there. */
const places: Place[] = operations.flatMap(({ path, method, parameters, hasBody }) => {
  const ids = parameters.filter(({ schema }) => schema.format === "uuid");
  const inPath = ids.filter((parameter) => parameter.in === "path");
  const inQuery = ids.filter((parameter) => parameter.in === "query");
  const base = path === "/v1/calendar" ? `${path}?${WINDOW}&` : `${path}?`;
  const body = { contactName: "Taken over", locationIds: [ours.locationId] };
  const methods = method === "GET" ? ["GET", "HEAD"] : [method];
  return methods.flatMap((asked) => [
    ...inPath.map(({ name }) => ({
      name: `${asked} ${path}`,
      ask: (id: string) => ours.call(asked, path.replace(`{${name}}`, id), hasBody ? { body } : {}),
    })),
    ...inQuery.map(({ name }) => ({
      name: `${asked} ${path}?${name}`,
      ask: (id: string) => ours.call(asked, `${base}${name}=${id}`),
    })),
    ...(hasBody
      ? [[(id: string) => [id]], [(id: string) => [ours.locationId, id]]].map(([make]) => ({
          name: `${asked} ${path} locationIds`,
          ask: (id: string) =>
            ours.call(asked, path.replace("{id}", ours.clientId), {
              body: { contactName: "Taken over", locationIds: make?.(id) },
            }),
        }))
      : []),
  ]);
});

/** All of an answer but what differs between any two. */
function essence(answer: Answer): object {
  // The tag of a list depends on its address, which names the id.
  const volatile = ["etag", "date", "x-request-id", "connection", "keep-alive"];
  const headers = [...answer.headers].filter(([name]) => !volatile.includes(name)).sort();
  return { status: answer.status, headers, text: answer.text.replace(/"requestId":"[^"]+"/, "") };
}

test("every id of one organization, in every place of the document where an id may stand, is as an unknown one to another", async (t) => {
  const foreign = await idsOf(theirs.id);
  assert.ok(foreign.length >= 10, `only ${foreign.length} ids`);
  for (const name of [
    "PUT /v1/clients/{id}",
    "GET /v1/calendar?locationId",
    "POST /v1/clients locationIds",
  ]) {
    assert.ok(
      places.some((place) => place.name === name),
      `${name} is not asked`,
    );
  }
  const before = await theirs.get("/v1/clients");
  for (const { name, ask } of places) {
    const unknown = essence(await ask(newId()));
    for (const id of foreign) assert.deepEqual(essence(await ask(id)), unknown, `${name} with ${id}`);
  }
  assert.equal((await theirs.get("/v1/clients")).text, before.text, "nothing of theirs has changed");
  t.diagnostic(`${foreign.length} ids in ${places.length} places`);
});

test("no answer to one organization has an id of another in it", async () => {
  const foreign = await idsOf(theirs.id);
  for (const { path, method } of operations.filter((one) => one.method === "GET")) {
    const address = path === "/v1/calendar" ? `${path}?${WINDOW}` : path;
    if (address.includes("{")) continue;
    const { status, text } = await ours.call(method, address);
    assert.equal(status, 200);
    for (const id of foreign) assert.ok(!text.includes(id), `${address} has ${id}`);
  }
});

test("an id in a body is ignored: it neither finds nor makes another organization's record", async () => {
  const { body } = await ours.call("POST", "/v1/clients", {
    body: { contactName: "New", id: theirs.clientId, locationIds: [ours.locationId] },
  });
  assert.notEqual(body.id, theirs.clientId);
  const replaced = await ours.call("PUT", `/v1/clients/${ours.clientId}`, {
    body: { contactName: "Changed", id: theirs.clientId, locationIds: [ours.locationId] },
  });
  assert.equal(replaced.body.id, ours.clientId);
  assert.equal((await theirs.get(`/v1/clients/${theirs.clientId}`)).body.contactName, "Ana");
});

test("lists, totals and searches have only the organization's own records", async () => {
  const foreign = await idsOf(theirs.id);
  const lists = ["clients", "clients?query=ana", "clients?query=an", "clients?query=P-1"];
  for (const list of [...lists, "plans", "service-types", "contracts", "locations"]) {
    const { body, text } = await other.get(`/v1/${list}`);
    assert.deepEqual([body.total, body.data.length], [1, 1], list);
    for (const id of foreign) assert.ok(!text.includes(id), list);
  }
});

test("a document held in one organization is free in another, and a conflict names the own holder alone", async () => {
  const body = { contactName: "B", idDocument: { type: "other", value: "P-1" } };
  const answer = await other.call("POST", "/v1/clients", { body });
  assert.deepEqual([answer.status, answer.body.clientId], [409, other.clientId]);
});

test("what one organization was answered is never answered to another at the same address", async () => {
  for (const path of ["/v1/organization", "/v1/locations", "/v1/clients", "/v1/plans", "/v1/contracts"]) {
    const first = await other.get(path);
    const second = await theirs.get(path);
    assert.equal((await other.get(path)).text, first.text);
    assert.notEqual(second.text, first.text);
  }
});
