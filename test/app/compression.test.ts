import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const studio = await api.newOrganization();
await addLocation(api.db, studio.id);
const staff = await newStaff(api, studio.id);
for (let n = 0; n < 30; n++) await staff.write("addClient", { contactName: `Ana ${n}` });

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it comes over the wire. */
function read(path: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    request(api.url + path, { headers: { connection: "close", ...headers } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

test("large answers to the staff are compressed for those who read that, also from the cache, and say the same", async () => {
  const { cookie } = staff;
  const plain = await read("/app/v1/clients", { cookie });
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.headers.vary, "Cookie, Accept, Accept-Encoding");
  assert.match(String(plain.headers.etag), /^"/);
  for (let turn = 0; turn < 3; turn++) {
    const packed = await read("/app/v1/clients", { cookie, "accept-encoding": "br, gzip" });
    assert.equal(packed.status, 200);
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(packed.headers["content-length"], String(packed.body.length));
    assert.ok(packed.body.length * 4 < plain.body.length, `${packed.body.length} of ${plain.body.length}`);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    // Other bytes of the same state.
    assert.equal(packed.headers.etag, `W/${plain.headers.etag}`);
    const again = await read("/app/v1/clients", {
      cookie,
      "accept-encoding": "gzip",
      "if-none-match": String(packed.headers.etag),
    });
    assert.equal(again.status, 304);
  }
});

test("a 304 has the tag that its 200 would have, compressed or not, whichever of the two the caller knows", async () => {
  const paths = ["/app/v1/clients", "/app/v1/clients?limit=1", "/app/v1/clients?query=nobody"];
  for (const path of paths)
    for (const form of [
      {},
      { "accept-encoding": "gzip" },
      { accept: "text/csv", "accept-encoding": "gzip" },
    ]) {
      const headers = { cookie: staff.cookie, ...form };
      if ("accept" in form && path.includes("limit")) continue;
      const tag = String((await read(path, headers)).headers.etag);
      const opaque = tag.replace("W/", "");
      for (const known of [tag, opaque, `W/${opaque}`]) {
        const again = await read(path, { ...headers, "if-none-match": known });
        assert.deepEqual([again.status, again.headers.etag], [304, tag], `${path} ${JSON.stringify(form)}`);
      }
    }
});

test("small answers, refusals and the public API are sent as they are", async () => {
  const encoded = { "accept-encoding": "gzip" };
  const answers = [
    await read("/app/v1/me", { cookie: staff.cookie, ...encoded }),
    await read("/app/v1/clients?limit=0", { cookie: staff.cookie, ...encoded }),
    await read("/app/v1/clients", { cookie: staff.cookie, "accept-encoding": "gzip;q=0, br" }),
    await read("/v1/clients", { authorization: `Bearer ${studio.key}`, ...encoded }),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers["content-encoding"]]),
    [
      [200, undefined],
      [422, undefined],
      [200, undefined],
      [200, undefined],
    ],
  );
});
