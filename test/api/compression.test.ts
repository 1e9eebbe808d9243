import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startApi } from "../support/api.ts";
import { addSchedule } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { addLocation, addServiceType } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const studio = await api.newOrganization();
const locationId = await addLocation(api.db, studio.id);
const staff = await newStaff(api, studio.id);
for (let n = 0; n < 30; n++) await staff.write("addClient", { contactName: `Ana ${n}` });

const serviceTypeId = await addServiceType(api.db, studio.id);
const place = { serviceTypeId, locationId, timezone: "America/Sao_Paulo" };
for (const hour of ["07", "09", "18"])
  await addSchedule(api.db, studio.id, { ...place, start: `2026-01-01T${hour}:00`, rrule: "FREQ=DAILY" });

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const AUTHORIZATION = { authorization: `Bearer ${studio.key}` };
const COOKIE = { cookie: staff.cookie };

/** As it comes over the wire. */
function read(path: string, headers: Record<string, string>, method = "GET", body = ""): Promise<Raw> {
  return new Promise((resolve, reject) => {
    request(api.url + path, { method, headers: { connection: "close", ...headers } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on("error", reject)
      .end(body);
  });
}

function decoded({ headers, body }: Raw): Buffer {
  if (headers["content-encoding"] === "br") return brotliDecompressSync(body);
  return headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}

const YEAR = "/v1/calendar?from=2026-01-01T00:00:00Z&to=2026-12-31T00:00:00Z";
/** Answers of every make: cached ones, files, streams, documents, pages. */
const DOORS: readonly (readonly [path: string, headers: Record<string, string>])[] = [
  ["/v1/clients", AUTHORIZATION],
  ["/v1/clients", { ...AUTHORIZATION, accept: "text/csv" }],
  ["/v1/clients", { ...AUTHORIZATION, accept: "application/x-ndjson" }],
  [YEAR, AUTHORIZATION],
  ["/app/v1/clients", COOKIE],
  ["/openapi.json", {}],
  ["/openapi.yaml", {}],
  ["/app/openapi.json", {}],
  ["/schemas/ClientInput.json", {}],
  ["/docs", {}],
  ["/console/", {}],
  ["/", { accept: "text/html" }],
];

for (const [path, headers] of DOORS) {
  test(`${path} as ${headers.accept ?? "it is"} is compressed for those who read that, and says the same`, async () => {
    const plain = await read(path, headers);
    assert.equal(plain.status, 200);
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.match(String(plain.headers.vary), /accept-encoding/i);
    const tags = new Set([plain.headers.etag]);
    // Cached at the second request, and found at the third.
    for (const encoding of ["br", "gzip"])
      for (let turn = 0; turn < 3; turn++) {
        const packed = await read(path, { ...headers, "accept-encoding": encoding });
        assert.equal(packed.headers["content-encoding"], encoding);
        assert.deepEqual(decoded(packed), plain.body);
        assert.ok(packed.body.length < 0.7 * plain.body.length, `${packed.body.length}`);
        assert.equal(packed.headers.vary, plain.headers.vary);
        const head = await read(path, { ...headers, "accept-encoding": encoding }, "HEAD");
        assert.deepEqual(
          [head.body.length, head.headers.etag, head.headers["content-encoding"]],
          [0, packed.headers.etag, encoding],
        );
        tags.add(packed.headers.etag);
      }
    assert.equal(tags.size, 3, "other bytes have another tag");
    for (const tag of tags) {
      assert.match(String(tag), /^"[\w-]{22}"$/);
      for (const accepted of ["identity", "br", "gzip"])
        for (const known of [String(tag), `W/${tag}`]) {
          const again = await read(path, { ...headers, "accept-encoding": accepted, "if-none-match": known });
          assert.deepEqual([again.status, again.headers.etag, again.body.length], [304, tag, 0]);
          assert.equal(again.headers["content-encoding"], undefined);
        }
    }
  });
}

test("a year of the calendar is streamed, and whole when it is compressed", async () => {
  const { headers, body } = await read(YEAR, { ...AUTHORIZATION, "accept-encoding": "br" });
  assert.equal(headers["transfer-encoding"], "chunked");
  assert.equal(headers["content-length"], undefined);
  assert.equal(JSON.parse(String(brotliDecompressSync(body))).total, 3 * 364);
});

test("the tag of a compressed record holds in If-Match, and of a weak one it is told what happened", async () => {
  const notes = "n".repeat(2_000);
  const made = await read(
    "/v1/clients",
    { ...AUTHORIZATION, "content-type": "application/json", "accept-encoding": "gzip" },
    "POST",
    JSON.stringify({ contactName: "Bia", notes, locationIds: [locationId] }),
  );
  assert.deepEqual([made.status, made.headers["content-encoding"]], [201, "gzip"]);
  const path = `/v1/clients/${JSON.parse(String(decoded(made))).id}`;
  const patch = (tag: string, encoding: string, name: string) =>
    read(
      path,
      {
        ...AUTHORIZATION,
        "content-type": "application/merge-patch+json",
        "accept-encoding": encoding,
        "if-match": tag,
      },
      "PATCH",
      JSON.stringify({ contactName: name }),
    );
  let tag = String(made.headers.etag);
  for (const encoding of ["br", "identity", "gzip"]) {
    const changed = await patch(tag, encoding, `Bia ${encoding}`);
    assert.equal(changed.status, 200, encoding);
    assert.equal((await patch(tag, encoding, "Bia again")).status, 412, "it has changed since");
    tag = String((await read(path, { ...AUTHORIZATION, "accept-encoding": encoding })).headers.etag);
    assert.equal(tag, changed.headers.etag);
  }
  const problem = async (sent: string) => JSON.parse(String(decoded(await patch(sent, "gzip", "Caio"))));
  assert.deepEqual(
    [(await problem(`W/${tag}`)).detail, (await problem('W/"another"')).detail],
    [
      "If-Match never matches a weak tag (W/…). A proxy that compresses may have weakened yours: send it without W/.",
      "The record is not as you read it. Read it again and repeat your change.",
    ],
  );
});

test("short answers are sent as they are, unless the caller refuses that; problems are compressed too", async () => {
  const encodingOf = async (path: string, headers: Record<string, string>) => {
    const answer = await read(path, { ...AUTHORIZATION, ...headers });
    decoded(answer);
    return [answer.status, answer.headers["content-encoding"]];
  };
  assert.deepEqual(await encodingOf("/v1/organization", { "accept-encoding": "br" }), [200, undefined]);
  assert.deepEqual(await encodingOf("/v1/organization", { "accept-encoding": "br, identity;q=0" }), [
    200,
    "br",
  ]);
  assert.deepEqual(await encodingOf("/v1/clients", { "accept-encoding": "br;q=0, gzip;q=0" }), [
    200,
    undefined,
  ]);
  const wrong = `/v1/clients?${Array.from({ length: 40 }, (_, n) => `wrong${n}=1`).join("&")}`;
  assert.deepEqual(await encodingOf(`${wrong}&limit=x&offset=x&status=x`, { "accept-encoding": "br" }), [
    422,
    "br",
  ]);
  const gone = await read(`/v1/clients/${newId()}`, { ...AUTHORIZATION, "accept-encoding": "br" }, "DELETE");
  assert.deepEqual([gone.status, gone.headers["content-encoding"]], [404, undefined]);
});
