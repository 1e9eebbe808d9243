import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import { pooled } from "../../src/db/statements.ts";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { type Answer, PUBLIC_URL, startApi, type TestOrganization } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { addContract, addLocation, addPlan, addServiceType } from "../support/records.ts";

const api = await startApi();

const LISTS = ["/v1/clients", "/v1/contracts", "/v1/plans", "/v1/service-types"];
const OFFSET = { "query.cursor": "cursor_with_offset cannot be combined with offset" };
const INVALID = { "query.cursor": "cursor_invalid is not a cursor of this list" };

interface Listed {
  readonly id: string;
}

function idsOf({ body }: Answer): string[] {
  return body.data.map(({ id }: Listed) => id);
}

function faultsOf({ status, body, text }: Answer): Record<string, string> {
  assert.equal(status, 422, text);
  return Object.fromEntries(
    body.errors.map(({ location, code, message }: Record<string, string>) => [
      location,
      `${code} ${message}`,
    ]),
  );
}

/** The address of the next page as `Link` has it, as a path. */
function nextLink({ headers }: Answer): string | undefined {
  const address = /<([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  if (address === undefined) return undefined;
  assert.ok(address.startsWith(`${PUBLIC_URL}/v1/`), address);
  return address.slice(PUBLIC_URL.length);
}

function withParameters(list: string, ...parameters: readonly string[]): string {
  const given = parameters.filter((parameter) => parameter !== "");
  return given.length > 0 ? `${list}?${given.join("&")}` : list;
}

/** Every page from the first one on, by cursor; `between` is called before each page but the first. */
async function walk(
  studio: TestOrganization,
  list: string,
  filter: string,
  limit: number,
  between: () => Promise<unknown> = async () => {},
): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let cursor = ""; ; ) {
    const page = await studio.get(withParameters(list, filter, `limit=${limit}`, cursor));
    assert.equal(page.status, 200, page.text);
    pages.push(page);
    if (page.body.nextCursor === undefined) return pages;
    cursor = `cursor=${page.body.nextCursor}`;
    await between();
  }
}

const insertMany = pooled(
  "test_insert_many_clients",
  `with made as (
     insert into clients (organization_id, id, status, contact_name, search, updated_at)
     select $1, id, case when n % 4 = 0 then 'archived' else 'active' end, 'Client ' || n, 'client ' || n,
       timestamptz '2026-03-01 12:00:00Z' + n * interval '1 minute'
     from unnest($2::uuid[]) with ordinality as made (id, n)
     returning id, status
   ), joined as (
     insert into client_locations (organization_id, client_id, location_id) select $1, id, $3 from made
   )
   update organization_counters set
     clients_active = clients_active + (select count(*) from made where status = 'active'),
     clients_archived = clients_archived + (select count(*) from made where status = 'archived'),
     clients_version = clients_version + 1
   where organization_id = $1 and slot = 4`,
);

async function addClients(db: Database, organizationId: string, locationId: string, count: number) {
  const ids = Array.from({ length: count }, () => newId());
  await db.query(insertMany, [organizationId, ids, locationId]);
  return ids;
}

/** A studio that has some records of every list, each with other values for the filters. */
async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  const otherLocationId = await addLocation(api.db, studio.id);
  const [clientId = ""] = await addClients(api.db, studio.id, locationId, 30);
  for (let n = 0; n < 23; n++) {
    const updatedAt = new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString();
    const status = n % 3 === 0 ? "archived" : "active";
    await addServiceType(api.db, studio.id, { name: n % 2 ? "Pilates" : "Yoga", status, updatedAt });
    await addPlan(api.db, studio.id, {
      name: n % 2 ? "Mensal" : "Avulso",
      status,
      billingKind: n % 2 ? "recurring" : "one_time",
      updatedAt,
    });
    await addContract(api.db, studio.id, {
      clientId,
      status: n % 3 === 0 ? "paused" : "active",
      updatedAt,
      ...(n % 2 ? {} : { locationIds: [n % 4 ? locationId : otherLocationId] }),
    });
  }
  return { ...studio, locationId, clientId };
}

function filtersOf(studio: { locationId: string; clientId: string }): Record<string, string[]> {
  const since = `updatedSince=${encodeURIComponent("2026-03-01T12:05:00.000Z")}`;
  const place = `locationId=${studio.locationId}`;
  const client = `clientId=${studio.clientId}`;
  return {
    "/v1/clients": [
      "",
      "status=active",
      place,
      `${place}&status=archived`,
      "query=client",
      "query=cl",
      `query=client+1&${place}&status=active`,
      since,
      `${since}&status=active`,
      `${since}&${place}`,
      `${since}&query=client&${place}&status=active`,
    ],
    "/v1/contracts": [
      "",
      "status=active",
      client,
      place,
      `${place}&status=active`,
      `${client}&${place}&status=active`,
      since,
      `${since}&status=paused`,
      `${since}&${client}&${place}&status=active`,
    ],
    "/v1/plans": [
      "",
      "status=active",
      "billingKind=recurring",
      "query=mensal",
      since,
      `${since}&query=mensal&billingKind=recurring&status=active`,
    ],
    "/v1/service-types": [
      "",
      "status=archived",
      "query=pilates",
      since,
      `${since}&query=pilates&status=active`,
    ],
  };
}

test("a walk by cursor through 1,000 clients shows each exactly once, with the true total on every page", async () => {
  const studio = await api.newOrganization();
  const ids = await addClients(api.db, studio.id, await addLocation(api.db, studio.id), 1_000);
  const pages = await walk(studio, "/v1/clients", "", 7);
  assert.equal(pages.length, Math.ceil(1_000 / 7));
  assert.deepEqual(pages.flatMap(idsOf), ids.sort().reverse());
  for (const { body } of pages) assert.deepEqual([body.total, body.limit, body.offset], [1_000, 7, 0]);
  const last = pages.at(-1);
  assert.ok(last && !("nextCursor" in last.body) && nextLink(last) === undefined);
});

test("a walk while records are created, replaced and archived shows every one that was there, exactly once", async () => {
  const studio = await newStudio();
  for (const [list, filter] of [
    ["/v1/clients", ""],
    ["/v1/clients", `locationId=${studio.locationId}`],
    ["/v1/clients", "query=client"],
  ] as const) {
    const before = idsOf(await studio.get(withParameters(list, filter, "limit=200")));
    let n = 0;
    const pages = await walk(studio, list, filter, 3, async () => {
      const contactName = `Client new ${n}`;
      const body = { contactName, locationIds: [studio.locationId] };
      const known = before[(n * 7) % before.length];
      const done = await Promise.all([
        studio.call("POST", "/v1/clients", { body }),
        studio.call("PUT", `/v1/clients/${known}`, { body }),
        studio.call("DELETE", `/v1/clients/${before[n % before.length]}`),
      ]);
      assert.deepEqual(
        done.map(({ status }) => status),
        [201, 200, 204],
      );
      n++;
    });
    const seen = pages.flatMap(idsOf);
    assert.equal(new Set(seen).size, seen.length, "none twice");
    assert.deepEqual(
      before.filter((id) => !seen.includes(id)),
      [],
      `none is missing of ${filter}`,
    );
  }
});

test("a page by cursor is the page by offset, record for record, whatever the filter", async () => {
  const studio = await newStudio();
  for (const [list, filters] of Object.entries(filtersOf(studio))) {
    for (const filter of filters) {
      const all = await studio.get(withParameters(list, filter, "limit=200"));
      assert.ok(all.body.total > 5, `${list} ${filter} finds too little to be paged`);
      let offset = 0;
      for (const page of await walk(studio, list, filter, 5)) {
        const same = await studio.get(withParameters(list, filter, "limit=5", `offset=${offset}`));
        assert.deepEqual(page.body.data, same.body.data, `${list} ${filter} ${offset}`);
        assert.equal(page.body.total, same.body.total);
        // So any walk can change over.
        assert.equal(page.body.nextCursor, same.body.nextCursor);
        offset += 5;
      }
      assert.equal(offset, 5 * Math.ceil(all.body.total / 5), `${list} ${filter}`);
    }
  }
});

test("the next link has nextCursor and the caller's own parameters without offset, for cached bodies too", async () => {
  const studio = await newStudio();
  for (const [list, filters] of Object.entries(filtersOf(studio))) {
    for (const filter of filters) {
      const address = withParameters(list, filter, "offset=1", "limit=001", "csv=excel");
      // The second answer is stored, the third comes from the cache.
      for (let round = 0; round < 3; round++) {
        const page = await studio.get(address);
        const link = nextLink(page) ?? "";
        const expected = new URLSearchParams(withParameters("", filter, "limit=1").slice(1));
        expected.set("cursor", page.body.nextCursor);
        assert.deepEqual(
          Object.fromEntries(new URL(link, PUBLIC_URL).searchParams),
          Object.fromEntries(expected),
        );
        assert.match(page.headers.get("link") ?? "", /^<[^>]*>; rel="describedBy", </);
        assert.match(page.body.nextCursor, /^[A-Za-z0-9_-]{1,200}$/);
        assert.ok(page.text.endsWith(`"total":${page.body.total},"nextCursor":"${page.body.nextCursor}"}`));
        const head = await studio.call("HEAD", address);
        assert.equal(head.headers.get("link"), page.headers.get("link"));
        const next = await studio.get(link);
        assert.deepEqual([next.status, next.body.offset], [200, 0]);
      }
    }
  }
  const alone = await studio.get("/v1/clients?limit=200");
  assert.ok(!("nextCursor" in alone.body) && nextLink(alone) === undefined);
  const past = await studio.get("/v1/clients?offset=1000");
  assert.ok(!("nextCursor" in past.body) && nextLink(past) === undefined);
});

test("what a caller sends cannot break out of the next link", async () => {
  const studio = await newStudio();
  const hostile = `query=${encodeURIComponent('client >;"\\, <x>')}`;
  // The words are searched for, so nothing is found that has them: only those that a client has come back.
  assert.equal((await studio.get(withParameters("/v1/clients", hostile))).body.total, 0);
  const page = await studio.get(
    withParameters("/v1/clients", "query=client%20%20%09%E3%80%80client", "limit=1"),
  );
  const link = nextLink(page) ?? "";
  assert.match(link, /^[\x21-\x7e]+$/);
  assert.equal((await studio.get(link)).status, 200);
  const raw = await studio.get("/v1/clients?limit=1&csv=excel");
  assert.match(raw.headers.get("link") ?? "", /^<[^<>"]*>; rel="describedBy", <[^<>"]*>; rel="next"$/);
});

test("a cursor of another list or of other filters is refused; limit may change and every key may use it", async () => {
  const studio = await newStudio();
  for (const [list, filters] of Object.entries(filtersOf(studio))) {
    for (const filter of filters) {
      const { body } = await studio.get(withParameters(list, filter, "limit=1"));
      const cursor = `cursor=${body.nextCursor}`;
      assert.equal((await studio.get(withParameters(list, filter, "limit=200", cursor))).status, 200);
      for (const other of filters.filter((one) => one !== filter)) {
        assert.deepEqual(faultsOf(await studio.get(withParameters(list, other, cursor))), INVALID, other);
      }
      for (const other of LISTS.filter((one) => one !== list)) {
        assert.deepEqual(faultsOf(await studio.get(withParameters(other, cursor))), INVALID, other);
      }
    }
  }
  const { body } = await studio.get("/v1/clients?status=active&limit=5");
  const ofActive = `cursor=${body.nextCursor}`;
  assert.deepEqual(faultsOf(await studio.get(`/v1/clients?status=archived&${ofActive}`)), INVALID);
  const second = await mintKey(api.db, api.keySecret, "test", { organizationId: studio.id });
  const headers = { authorization: `Bearer ${second.key}` };
  const address = `/v1/clients?status=active&limit=5&${ofActive}`;
  assert.deepEqual(idsOf(await api.call("GET", address, { headers })), idsOf(await studio.get(address)));
});

test("a cursor holds for the same filters however they are written", async () => {
  const studio = await newStudio();
  for (const [list, spellings] of [
    ["/v1/clients", ["", "query=", "&query=&csv=plain"]],
    [
      "/v1/clients",
      [
        "updatedSince=2020-01-01T00:00:00Z",
        "updatedSince=2020-01-01t00:00:00.000z",
        "updatedSince=2019-12-31T21:00:00-03:00",
        "updatedSince=2020-01-01T03:00:00%2B03:00&query=",
      ],
    ],
  ] as const) {
    for (const spelling of spellings) {
      const { body } = await studio.get(withParameters(list, spelling, "limit=1"));
      for (const other of spellings) {
        const next = await studio.get(withParameters(list, other, "limit=1", `cursor=${body.nextCursor}`));
        assert.equal(next.status, 200, `${spelling} ${other}`);
      }
    }
  }
  const { body } = await studio.get("/v1/clients?updatedSince=2020-01-01T00:00:00Z&limit=1");
  const later = `/v1/clients?updatedSince=2020-01-01T00:00:00.001Z&cursor=${body.nextCursor}`;
  assert.deepEqual(faultsOf(await studio.get(later)), INVALID);
});

test("a cursor of one organization shows another only its own records", async () => {
  const [studio, other] = [await newStudio(), await newStudio()];
  for (const list of LISTS) {
    const { body } = await studio.get(`${list}?limit=1`);
    const page = await other.get(`${list}?limit=200&cursor=${body.nextCursor}`);
    assert.equal(page.status, 200);
    const own = idsOf(await other.get(`${list}?limit=200`));
    assert.deepEqual(
      idsOf(page).filter((id) => !own.includes(id)),
      [],
    );
  }
});

test("cursor and offset together are refused, even offset 0, and what is no cursor at all", async () => {
  const studio = await newStudio();
  for (const list of LISTS) {
    const { nextCursor } = (await studio.get(`${list}?limit=1`)).body;
    for (const offset of ["0", "000", "5", "%30"])
      assert.deepEqual(
        faultsOf(await studio.get(`${list}?cursor=${nextCursor}&offset=${offset}`)),
        OFFSET,
        offset,
      );
    assert.deepEqual(faultsOf(await studio.get(`${list}?offset=0&cursor=x`)), OFFSET);
    const changed = `${nextCursor.slice(0, -1)}${nextCursor.endsWith("A") ? "B" : "A"}`;
    for (const text of [
      "",
      "x",
      "%00",
      "a b",
      studio.id,
      changed,
      `${nextCursor}=`,
      `${nextCursor}A`,
      nextCursor.slice(1),
      nextCursor.slice(0, -4),
      nextCursor.replace(/^./, "B"),
      "A".repeat(28),
      "A".repeat(200),
      "A".repeat(5_000),
      "é",
      "null",
    ]) {
      assert.deepEqual(faultsOf(await studio.get(`${list}?cursor=${text}`)), INVALID, text.slice(0, 40));
    }
    assert.deepEqual(faultsOf(await studio.get(`${list}?cursor=%zz`)), {
      "query.cursor": "encoding_invalid is not valid percent-encoded UTF-8",
    });
    assert.deepEqual(faultsOf(await studio.get(`${list}?cursor=${nextCursor}&cursor=${nextCursor}`)), {
      "query.cursor": "given_twice is given twice",
    });
    // A filter that is wrong is told as such, and not that the cursor is of another one.
    assert.deepEqual(Object.keys(faultsOf(await studio.get(`${list}?cursor=${nextCursor}&status=x`))), [
      "query.status",
    ]);
  }
});

test("a cursor in which a single character was changed, anywhere, is none", async () => {
  const studio = await newStudio();
  const { nextCursor } = (await studio.get("/v1/plans?limit=1")).body;
  for (let place = 0; place < nextCursor.length; place++) {
    const other = nextCursor[place] === "A" ? "B" : "A";
    const altered = nextCursor.slice(0, place) + other + nextCursor.slice(place + 1);
    assert.deepEqual(faultsOf(await studio.get(`/v1/plans?cursor=${altered}`)), INVALID, `at ${place}`);
  }
});

test("a cursor of the first form, whose check is without the record, goes on working", async () => {
  const studio = await newStudio();
  const { nextCursor, data } = (await studio.get("/v1/plans?limit=1")).body;
  const filters = ["query", "status", "billingKind", "updatedSince"];
  const list = hash("sha256", JSON.stringify(["/v1/plans", ...filters.map(() => null)]), "buffer");
  const id = Buffer.from(data[0].id.replaceAll("-", ""), "hex");
  const old = Buffer.concat([Buffer.of(1), id, list.subarray(0, 4)]).toString("base64url");
  assert.notEqual(old, nextCursor);
  assert.deepEqual(
    idsOf(await studio.get(`/v1/plans?limit=1&cursor=${old}`)),
    idsOf(await studio.get(`/v1/plans?limit=1&cursor=${nextCursor}`)),
  );
});

test("the record that a cursor names need not be there any more", async () => {
  const studio = await newStudio();
  const { data, nextCursor } = (await studio.get("/v1/plans?limit=3")).body;
  const rest = idsOf(await studio.get(`/v1/plans?limit=200&cursor=${nextCursor}`));
  await api.db.query(pooled("test_remove_plan", "delete from plans where organization_id = $1 and id = $2"), [
    studio.id,
    data[2].id,
  ]);
  assert.deepEqual(idsOf(await studio.get(`/v1/plans?limit=199&cursor=${nextCursor}`)), rest);
});

test("updatedSince finds the record whose stamp it is, and none whose stamp is a millisecond before", async () => {
  const studio = await newStudio();
  for (const list of LISTS) {
    const { data } = (await studio.get(`${list}?limit=200`)).body as {
      data: (Listed & { updatedAt: string })[];
    };
    for (const { id, updatedAt } of data.slice(3, 6)) {
      const since = async (text: string) =>
        idsOf(await studio.get(`${list}?limit=200&updatedSince=${encodeURIComponent(text)}`));
      const expected = data.filter((other) => other.updatedAt >= updatedAt).map((other) => other.id);
      const found = await since(updatedAt);
      assert.deepEqual(found, expected);
      assert.ok(found.includes(id));
      const later = new Date(Date.parse(updatedAt) + 1).toISOString();
      assert.ok(!(await since(later)).includes(id));
      // Finer than a millisecond, and in another offset: still exact.
      assert.ok(!(await since(updatedAt.replace("Z", "0001Z"))).includes(id));
      const local = new Date(Date.parse(updatedAt) - 3 * 3_600_000).toISOString().replace("Z", "-03:00");
      assert.deepEqual(await since(local), expected);
    }
    const { body } = await studio.get(`${list}?updatedSince=9999-12-31T23:59:59-23:59`);
    assert.deepEqual([body.data, body.total], [[], 0]);
    assert.equal(
      (await studio.get(`${list}?updatedSince=0001-01-01T00:00:00%2B23:59`)).body.total,
      data.length,
    );
    assert.deepEqual(Object.keys(faultsOf(await studio.get(`${list}?updatedSince=yesterday`))), [
      "query.updatedSince",
    ]);
  }
});

test("a change moves a client into what was updated since, and total counts it", async () => {
  const studio = await newStudio();
  const since = `/v1/clients?updatedSince=2026-10-01T00:00:00Z`;
  assert.equal((await studio.get(since)).body.total, 0);
  const body = { contactName: "Other name", locationIds: [studio.locationId] };
  await studio.call("PUT", `/v1/clients/${studio.clientId}`, { body });
  const { data, total } = (await studio.get(since)).body;
  assert.deepEqual([total, data[0].id], [1, studio.clientId]);
  assert.equal((await studio.get(`${since}&status=active`)).body.total, 1);
});
