import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const CSV = { accept: "text/csv" };
const NDJSON = { accept: "application/x-ndjson" };

async function newStudio() {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id, { name: "=Centro", address: 'Rua A, 1 "fundos"' });
  await addLocation(api.db, studio.id, { name: "Norte", status: "closed" });
  const get = (path: string, headers: Record<string, string> = {}) => studio.call("GET", path, { headers });
  return { ...studio, fetch: get };
}

test("who accepts anything, something else or nothing that is known gets JSON as before", async () => {
  const studio = await newStudio();
  const { text } = await studio.get("/v1/locations");
  for (const accept of [
    "text/html",
    "*/*",
    "text/*",
    "application/*",
    "a",
    ";q=",
    "text/csv;q=0",
    "text/csv;q=2",
  ]) {
    const answer = await studio.fetch("/v1/locations", { accept });
    assert.equal(answer.status, 200, accept);
    assert.equal(answer.headers.get("content-type"), "application/json");
    assert.equal(answer.text, text);
    assert.equal(answer.headers.get("vary"), "Authorization, Accept, Accept-Encoding");
  }
});

test("a list comes as CSV or NDJSON, with how many records it has and a name for the file", async () => {
  const studio = await newStudio();
  const { body } = await studio.get("/v1/locations");
  const [first, second] = body.data;
  const csv = await studio.fetch("/v1/locations", CSV);
  assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.equal(csv.headers.get("x-total-count"), "2");
  assert.match(
    csv.headers.get("content-disposition") ?? "",
    /^attachment; filename="locations-\d{4}-\d\d-\d\d\.csv"$/,
  );
  assert.equal(
    csv.text,
    [
      "id,name,address,status,timezone",
      `${first.id},'=Centro,"Rua A, 1 ""fundos""",active,America/Sao_Paulo`,
      `${second.id},Norte,,closed,America/Sao_Paulo`,
      "",
    ].join("\r\n"),
  );
  for (const accept of ["application/x-ndjson", "application/ndjson", "application/jsonl"]) {
    const ndjson = await studio.fetch("/v1/locations", { accept });
    assert.equal(ndjson.headers.get("content-type"), "application/x-ndjson");
    assert.equal(ndjson.headers.get("x-total-count"), "2");
    assert.match(ndjson.headers.get("content-disposition") ?? "", /-\d\d\.ndjson"$/);
    assert.equal(ndjson.text, `${JSON.stringify(first)}\n${JSON.stringify(second)}\n`);
  }
});

test("Excel's form has its mark and semicolons, and means nothing without CSV", async () => {
  const studio = await newStudio();
  const excel = await studio.fetch("/v1/locations?csv=excel", CSV);
  // The reader of a test drops the mark from its text, so the bytes are read.
  const response = await fetch(`${api.url}/v1/locations?csv=excel`, {
    headers: { ...CSV, authorization: `Bearer ${studio.key}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  assert.match(bytes.toString().slice(1), /^id;name;address;status;timezone\r\n/);
  assert.match(excel.text, /;'=Centro;"Rua A, 1 ""fundos""";active;/);
  const plain = await studio.fetch("/v1/locations?csv=plain", CSV);
  assert.equal(plain.text, (await studio.fetch("/v1/locations", CSV)).text);
  for (const headers of [CSV, NDJSON, {}]) {
    const wrong = await studio.fetch("/v1/locations?csv=latin1", headers);
    assert.deepEqual([wrong.status, wrong.body.errors[0].location], [422, "query.csv"]);
  }
  assert.equal((await studio.fetch("/v1/locations?csv=excel", NDJSON)).status, 200);
  assert.equal((await studio.fetch("/v1/locations?csv=excel")).status, 200);
});

test("one record is JSON alone: 406 for who accepts nothing else, JSON for who does", async () => {
  const studio = await newStudio();
  const { body: client } = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", locationIds: [(await studio.get("/v1/locations")).body.data[0].id] },
    // A write answers in JSON, whatever is accepted.
    headers: CSV,
  });
  const path = `/v1/clients/${client.id}`;
  for (const accept of [
    "text/csv",
    "application/jsonl",
    "text/csv, text/html",
    "text/csv, application/json;q=0",
  ]) {
    for (const address of [path, "/v1/organization"]) {
      const { status, body, headers } = await studio.fetch(address, { accept });
      assert.equal(status, 406, accept);
      assert.equal(headers.get("content-type"), "application/problem+json");
      assert.deepEqual(
        [body.code, body.detail],
        ["not_acceptable", "This address is only available as application/json."],
      );
    }
  }
  for (const accept of [
    "text/csv, application/json;q=0.1",
    "text/csv, */*",
    "text/csv, application/*;q=0.1",
  ]) {
    const answer = await studio.fetch(path, { accept });
    assert.equal(answer.status, 200, accept);
    assert.equal(answer.body.id, client.id);
  }
  // What is not there is not there in any form; who has no key is told nothing of forms.
  assert.equal((await studio.fetch("/v1/nothing", CSV)).status, 404);
  assert.equal((await api.call("GET", path, { headers: CSV })).status, 401);
});

test("a download has no pages: whatever would choose one is refused", async () => {
  const studio = await newStudio();
  for (const headers of [CSV, NDJSON]) {
    const { status, body } = await studio.fetch("/v1/locations?limit=5&offset=0&cursor=x&wait=1", headers);
    assert.equal(status, 422);
    assert.deepEqual(
      body.errors.map(
        ({ location, message }: { location: string; message: string }) => `${location} ${message}`,
      ),
      ["limit", "offset", "cursor", "wait"].map(
        (name) => `query.${name} cannot be combined with CSV or NDJSON`,
      ),
    );
  }
});

test("a file that has not changed is not sent again, in each form by itself, and HEAD tells the same", async () => {
  const studio = await newStudio();
  const csv = await studio.fetch("/v1/locations", CSV);
  const etag = csv.headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]{22}"$/);
  const head = await studio.call("HEAD", "/v1/locations", { headers: CSV });
  for (const name of ["etag", "content-type", "content-disposition", "x-total-count"])
    assert.equal(head.headers.get(name), csv.headers.get(name), name);
  assert.equal(head.text, "");
  for (const method of ["GET", "HEAD"]) {
    const again = await fetch(`${api.url}/v1/locations`, {
      method,
      headers: { ...CSV, "if-none-match": etag, authorization: `Bearer ${studio.key}` },
    });
    assert.deepEqual([again.status, await again.text(), again.headers.get("etag")], [304, "", etag]);
  }
  for (const other of [NDJSON, {}])
    assert.equal((await studio.fetch("/v1/locations", { ...other, "if-none-match": etag })).status, 200);
  await addLocation(api.db, studio.id, { name: "Sul" });
  const changed = await studio.fetch("/v1/locations", { ...CSV, "if-none-match": etag });
  assert.deepEqual([changed.status, changed.headers.get("x-total-count")], [200, "3"]);
});

test("a file bears the organization's own date", async () => {
  const names = await Promise.all(
    ["Pacific/Kiritimati", "Pacific/Pago_Pago"].map(async (timezone) => {
      const studio = await api.newOrganization({ timezone });
      const { headers } = await studio.call("GET", "/v1/locations", { headers: CSV });
      return headers.get("content-disposition");
    }),
  );
  // They are 25 hours apart, so never on the same date.
  assert.notEqual(names[0], names[1]);
});
