import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";
import { createDemo } from "../../src/data/demo/operations.ts";
import type { TestApi, TestOrganization } from "../support/api.ts";
import { addLocation } from "../support/records.ts";
import { type Mishap, roughProxy } from "../support/rough-proxy.ts";
import type { Driver, DriverAnswer } from "./driver-process.ts";

/** What a scenario has: a live server, and a client in some language. */
export interface Stage {
  readonly t: TestContext;
  readonly api: TestApi;
  readonly driver: Driver;
  /** Another process of the same client, which ends with the test. */
  readonly newDriver: () => Driver;
  readonly folder: string;
}

/** A promise of the client, in whatever language it is. */
export interface Scenario {
  readonly name: string;
  readonly promise: string;
  readonly run: (stage: Stage) => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: records are read as the JSON that they are
type Json = any;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "every_operation",
    promise: "every operation of the document is a method, and gives what the server answers",
    async run({ api, driver }) {
      const { key } = await createDemo(api.db, api.keySecret, "test");
      const client = { baseUrl: api.url, key: key.key };
      const get = async (path: string): Promise<Json> =>
        (await fetch(api.url + path, { headers: { authorization: `Bearer ${key.key}` } })).json();
      const window = { from: "2026-11-16T00:00:00-03:00", to: "2026-11-23T00:00:00-03:00" };
      const paths = (api.document as Json).paths as Record<string, Record<string, Json>>;
      const reads = Object.entries(paths).flatMap(([path, { get: read }]) =>
        read ? [{ path, name: read.operationId }] : [],
      );
      assert.ok(reads.length >= 13);
      for (const { path, name } of reads) {
        const options: object = path === "/v1/calendar" ? window : {};
        const list = path.replace("/{id}", "");
        const args = list === path ? [] : [(await get(list)).data[0].id];
        const answer = await driver.ask(client, "call", { name, args, options, tagged: true });
        const target = path.replace("{id}", args[0]);
        const search = new URLSearchParams(options as Record<string, string>);
        const read = (encoding: string) =>
          fetch(`${api.url}${target}?${search}`, {
            headers: { authorization: `Bearer ${key.key}`, "accept-encoding": encoding },
          });
        const [plain, compressed] = [await read("identity"), await read("gzip")];
        assert.deepEqual(answer.result?.result, await plain.json(), name);
        // Compressed, an answer has another tag; either holds.
        const tags = [plain, compressed].map(({ headers }) => headers.get("etag"));
        assert.ok(tags.includes(answer.result.etag ?? null), name);
        await compressed.text();
      }
      const { data: places } = await get("/v1/locations");
      const body = { contactName: "Ana", locationIds: [places[0].id], notes: "Mornings" };
      const made = done(await driver.ask(client, "call", { name: "createClient", args: [body] }));
      assert.deepEqual([made.contactName, made.notes], ["Ana", "Mornings"]);
      const replaced = done(
        await driver.ask(client, "call", {
          name: "replaceClient",
          args: [made.id, { ...body, contactName: "Bia" }],
        }),
      );
      assert.equal(replaced.contactName, "Bia");
      const patch = { notes: null, contactPhone: "1" };
      const patched = done(await driver.ask(client, "call", { name: "patchClient", args: [made.id, patch] }));
      assert.deepEqual([patched.contactName, patched.contactPhone, patched.notes], ["Bia", "1", undefined]);
      assert.equal(done(await driver.ask(client, "call", { name: "archiveClient", args: [made.id] })), null);
      assert.equal((await get(`/v1/clients/${made.id}`)).status, "archived");
    },
  },
  {
    name: "all_pages",
    promise: "a walk gives each of 1,000 clients once, under writes, and the pages of one list",
    async run({ api, driver }) {
      const { studio, client } = await newStudio(api);
      const ids = await Promise.all(Array.from({ length: 1000 }, () => addClient(studio)));
      const isOver = { value: false };
      const writing = (async () => {
        while (!isOver.value) await studio.call("DELETE", `/v1/clients/${await addClient(studio)}`);
      })();
      const walked = done(await driver.ask(client, "all", { name: "listClients" })) as { id: string }[];
      const small = done(
        await driver.ask(client, "all", { name: "listClients", options: { limit: 190, offset: 5 } }),
      );
      isOver.value = true;
      await writing;
      const seen = walked.map(({ id }) => id);
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(
        ids.filter((id) => !seen.includes(id)),
        [],
      );
      assert.ok(small.length >= 995);
      const whole = done(await driver.ask(client, "all", { name: "listLocations" }));
      assert.equal(whole.length, 1);
    },
  },
  {
    name: "misspelt_filter",
    promise: "a filter that there is not is refused, and not passed over",
    async run({ api, driver }) {
      const { client } = await newStudio(api);
      const { error } = await driver.ask(client, "call", {
        name: "listClients",
        options: { locationID: "x" },
      });
      // By the server, or as any function of the language refuses it.
      const refusal = error?.status === 422 ? error.errors?.[0]?.code : error?.kind;
      assert.ok(["unknown_parameter", "TypeError"].includes(refusal ?? ""), error?.text);
    },
  },
  {
    name: "honours_retry_after",
    promise: "429 twice: it waits as it is told, and succeeds",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const busy = { status: 429, headers: { "retry-after": "1" }, body: "{}" };
      const proxy = await roughProxy(t, api.url, (n) => (n < 2 ? busy : "none"));
      const answer = await driver.ask({ baseUrl: proxy.url, key: studio.key }, "call", {
        name: "getOrganization",
      });
      assert.equal(done(answer).id, studio.id);
      assert.equal(proxy.requests(), 3);
      assert.ok(answer.seconds >= 1.9, `it waited for ${answer.seconds} s`);
    },
  },
  {
    name: "retries_end",
    promise: "what passes is tried four times and within its time, any other failure once",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const passing: [Mishap, number, string][] = [
        ["busy", 503, "unexpected_answer"],
        ["lost", 0, "unreachable"],
        ["cut", 0, "unreachable"],
        [{ status: 408, body: "{}" }, 408, "unexpected_answer"],
        [
          { status: 409, headers: { "retry-after": "0" }, body: '{"code":"in_progress"}' },
          409,
          "in_progress",
        ],
        [{ status: 500, body: '{"code":"internal"}' }, 500, "internal"],
      ];
      for (const [mishap, status, code] of passing) {
        const { url, requests } = await roughProxy(t, api.url, () => mishap);
        const { error } = await driver.ask({ baseUrl: url, key: studio.key }, "call", {
          name: "getOrganization",
        });
        assert.deepEqual([error?.status, error?.code, requests()], [status, code, 4]);
      }
      for (const mishap of [400, 402, 403, 404, 405, 410, 412, 413, 415, 422, 428, 501, 302].map(
        (status) => ({ status }),
      )) {
        const { url, requests } = await roughProxy(t, api.url, () => mishap);
        const { error } = await driver.ask({ baseUrl: url, key: studio.key }, "call", {
          name: "getOrganization",
        });
        assert.deepEqual([error?.status, requests()], [mishap.status, 1]);
      }
      const late = await roughProxy(t, api.url, () => ({ status: 503, headers: { "retry-after": "3600" } }));
      const hurried = { baseUrl: late.url, key: studio.key };
      assert.equal((await driver.ask(hurried, "call", { name: "getOrganization" })).error?.status, 503);
      assert.equal(late.requests(), 1, "it does not wait for an hour");
      const twice = { ...hurried, tries: 2 };
      const dead = await roughProxy(t, api.url, () => "busy");
      await driver.ask({ ...twice, baseUrl: dead.url }, "call", { name: "getOrganization" });
      assert.equal(dead.requests(), 2);
    },
  },
  {
    name: "time_limits",
    promise:
      "a server that says nothing is given up, a caller may give up at any time, and a wait is given more time",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const silent = await roughProxy(t, api.url, () => "silent");
      const client = { baseUrl: silent.url, key: studio.key, timeoutSeconds: 0.2, tries: 2 };
      const { error } = await driver.ask(client, "call", { name: "getOrganization" });
      assert.deepEqual(
        [error?.kind, error?.status, error?.code, silent.requests()],
        ["UnreachableError", 0, "timeout", 2],
      );
      const patient = { baseUrl: silent.url, key: studio.key };
      const cancelled = await driver.ask(patient, "cancelled");
      assert.ok(cancelled.error && cancelled.seconds < 20, `it gave up after ${cancelled.seconds} s`);
      // Longer than one try may take without a wait.
      const waiting = { ...client, baseUrl: api.url };
      const options = { after: "now", wait: 1 };
      const { nextCursor } = done(
        await driver.ask(waiting, "call", { name: "listChanges", options: { after: "now" } }),
      );
      const answer = await driver.ask(waiting, "call", {
        name: "listChanges",
        options: { ...options, after: nextCursor },
      });
      assert.deepEqual(done(answer).data, []);
    },
  },
  {
    name: "create_once",
    promise: "an answer that is cut off or lost after the commit: one client",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      for (const mishap of ["lost", "cut"] as const) {
        const keys = new Set<unknown>();
        const proxy = await roughProxy(t, api.url, (n, { headers }) => {
          keys.add(headers["idempotency-key"]);
          return n < 2 ? mishap : "none";
        });
        const given = { name: "createClient", args: [{ contactName: `Ana ${mishap}` }] };
        const client = done(await driver.ask({ baseUrl: proxy.url, key: studio.key }, "call", given));
        const { body } = await studio.get(`/v1/clients?query=${mishap}`);
        assert.deepEqual([body.total, body.data[0].id, proxy.requests(), keys.size], [1, client.id, 3, 1]);
        const [key] = keys;
        assert.match(String(key), /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
      }
      const own = {
        name: "createClient",
        args: [{ contactName: "Own" }],
        options: { idempotencyKey: "own-1" },
      };
      const client = { baseUrl: api.url, key: studio.key };
      const [one, two] = [
        done(await driver.ask(client, "call", own)),
        done(await driver.ask(client, "call", own)),
      ];
      assert.equal(one.id, two.id);
    },
  },
  {
    name: "edit_under_contention",
    promise:
      "five editors at once, different fields, behind a proxy that weakens tags: all changes are present",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const { url } = await roughProxy(t, api.url, () => "none");
      const id = await addClient(studio);
      const changes = [
        { contactPhone: "11 98765-4321" },
        { contactEmail: "ana@example.com" },
        { notes: "Mornings" },
        { birthdate: "1990-04-23" },
        { address: { city: "São Paulo" } },
      ];
      done(await driver.ask({ baseUrl: url, key: studio.key }, "edit", { id, changes }));
      const { body } = await studio.get(`/v1/clients/${id}`);
      assert.deepEqual({ ...body, ...Object.assign({}, ...changes) }, body);
    },
  },
  {
    name: "conditions",
    promise: "a tag that no longer holds is an error of its own, and nothing is overwritten",
    async run({ api, driver }) {
      const { studio, client } = await newStudio(api);
      const id = await addClient(studio);
      const { result: read, etag } = done(
        await driver.ask(client, "call", { name: "getClient", args: [id], tagged: true }),
      );
      await studio.call("PATCH", `/v1/clients/${id}`, { body: { notes: "by another" } });
      const given = {
        name: "replaceClient",
        args: [id, { ...read, notes: "mine" }],
        options: { ifMatch: etag },
      };
      const { error } = await driver.ask(client, "call", given);
      assert.deepEqual(
        [error?.kind, error?.status, error?.code],
        ["PreconditionFailedError", 412, "precondition_failed"],
      );
      assert.equal((await studio.get(`/v1/clients/${id}`)).body.notes, "by another");
    },
  },
  {
    name: "memory",
    promise: "answers that are kept are asked for with their tag, and a changed one is read again",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const asked: unknown[] = [];
      const proxy = await roughProxy(t, api.url, (_, { headers }) => {
        asked.push(headers["if-none-match"] !== undefined);
        return "none";
      });
      const id = await addClient(studio);
      const client = { baseUrl: proxy.url, key: studio.key };
      const given = { name: "getClient", args: [id] };
      const [one, two] = done(await driver.ask({ ...client, memory: 10 }, "twice", given));
      assert.deepEqual(one, two);
      assert.equal(one.contactName, "Ana");
      done(await driver.ask(client, "twice", given));
      assert.deepEqual(asked, [false, true, false, false]);
    },
  },
  {
    name: "changes_resume",
    promise: "killed between entries, and begun again: nothing is skipped, and at most one page is repeated",
    async run({ api, driver, newDriver, folder }) {
      const { studio, client } = await newStudio(api);
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) ids.push(await addClient(studio));
      const file = `${folder}/cursor-${studio.id}`;
      const given = { file, options: { kinds: ["client"], limit: 5, include: "record", wait: 1 } };
      const seen: Json[] = [];
      for (let kill = 0; kill < 2; kill++) {
        const victim = newDriver();
        await new Promise<void>((reached, failed) => {
          let own = 0;
          victim
            // Within the second page of this process: it would have read the third before it is killed.
            .ask(client, "changes", { ...given, standStillAfter: 7 }, (change) => {
              seen.push(change);
              if (++own === 7) reached();
            })
            .then((answer) => failed(new Error(JSON.stringify(answer))), reached);
        });
        await victim.kill();
      }
      await addClient(studio).then((id) => ids.push(id));
      const last = ids.at(-1);
      const rest: Json[] = [];
      await new Promise<void>((reached, failed) => {
        driver
          .ask(client, "changes", given, (change) => {
            rest.push(change);
            if (change.id === last) reached();
          })
          .then((answer) => failed(new Error(JSON.stringify(answer))), failed);
      });
      const all = [...seen, ...rest];
      assert.deepEqual([...new Set(all.map(({ id }) => id))].sort(), ids.toSorted());
      assert.ok(all.every(({ id, record }) => record.id === id && record.contactName === "Ana"));
      const sequences = all.map(({ sequence }) => sequence as number);
      for (const [at, sequence] of sequences.entries())
        assert.ok(at === 0 || sequence > (sequences[at - 1] ?? 0) - 2 * 5, "a page is repeated at the most");
      assert.ok(sequences.length <= ids.length + 2 * 5);
      assert.match(await readFile(file, "utf8"), /^\S+\n$/);
    },
  },
  {
    name: "gone",
    promise:
      "a cursor of data that was replaced is an error of its own, or everything begins again after it was told",
    async run({ api, driver, folder }) {
      const [{ client, studio }, other] = [await newStudio(api), await newStudio(api)];
      const id = await addClient(studio);
      const file = `${folder}/gone-${studio.id}`;
      const { nextCursor } = (await other.studio.get("/v1/changes?after=now")).body;
      await writeFile(file, nextCursor);
      const given = { file, options: { kinds: ["client"] }, stopAfter: 1 };
      const { error } = await driver.ask(client, "changes", given);
      assert.deepEqual([error?.kind, error?.status, error?.code], ["GoneError", 410, "gone"]);
      const events: Json[] = [];
      const restarted = await driver.ask(client, "changes", { ...given, restart: true }, (event) =>
        events.push(event),
      );
      assert.equal(done(restarted), 1);
      assert.deepEqual([events[0], events[1]?.id], [{ restarted: true }, id]);
    },
  },
  {
    name: "download",
    promise: "a whole list as a file, with its tag and where the feed goes on; one that is cut off fails",
    async run({ t, api, driver }) {
      const { studio, client } = await newStudio(api);
      for (let n = 0; n < 30; n++) await addClient(studio, { notes: `"quoted"\nand on ${n} lines\n` });
      const whole = done(await driver.ask(client, "download", { list: "clients", form: "ndjson" }));
      assert.deepEqual([whole.totalCount, whole.text.trim().split("\n").length], [30, 30]);
      const { body } = await studio.get(`/v1/changes?after=${whole.changesCursor}`);
      assert.deepEqual(body.data, []);
      const again = { list: "clients", form: "ndjson", options: { ifNoneMatch: whole.etag } };
      assert.equal((await driver.ask(client, "download", again)).result, null);
      for (const csv of ["plain", "excel"]) {
        const given = { list: "clients", form: "csv", options: { status: "active", csv } };
        const file = done(await driver.ask(client, "download", given));
        assert.equal(file.totalCount, 30);
        assert.match(file.text, csv === "excel" ? /^\uFEFF?id;status/ : /^id,status/);
      }
      const cut = await roughProxy(t, api.url, () => "cut");
      for (const form of ["ndjson", "csv"]) {
        const { error } = await driver.ask({ ...client, baseUrl: cut.url }, "download", {
          list: "clients",
          form,
        });
        assert.deepEqual([error?.kind, error?.code], ["UnreachableError", "incomplete"]);
      }
      // It ends in order, and is not whole: a proxy that ran out of room.
      const short = { status: 200, headers: { "x-total-count": "2" }, body: '{"id":"1"}\n' };
      const polite = await roughProxy(t, api.url, () => short);
      const { error } = await driver.ask({ ...client, baseUrl: polite.url }, "download", {
        list: "plans",
        form: "ndjson",
      });
      assert.deepEqual([error?.code, error?.detail], ["incomplete", "The download has 1 of 2 records."]);
      const none = await driver.ask(client, "download", { list: "changes", form: "csv" });
      assert.match(none.error?.text ?? "", /no changes as csv/);
    },
  },
  {
    name: "errors",
    promise: "each failure is an error of its kind, with all that the server says",
    async run({ api, driver }) {
      const { studio, client } = await newStudio(api);
      const holder = await addClient(studio, { idDocument: { type: "cpf", value: "52998224725" } });
      const fail = async (name: string, args: unknown[], own: object = client) => {
        const { error, result } = await driver.ask(own, "call", { name, args });
        assert.ok(error, `${name} succeeded: ${JSON.stringify(result)}`);
        return error;
      };
      const missing = await fail("getClient", ["0181ab1c-5d20-7c33-9a4e-1f7b6c02d9e8"]);
      assert.deepEqual([missing.kind, missing.status, missing.code], ["NotFoundError", 404, "not_found"]);
      assert.match(missing.requestId ?? "", /^[\w-]{10,}$/);
      const taken = await fail("createClient", [
        { contactName: "B", idDocument: { type: "cpf", value: "52998224725" } },
      ]);
      assert.deepEqual([taken.kind, taken.code, taken.clientId], ["ConflictError", "conflict", holder]);
      const wrong = await fail("createClient", [
        { contactName: "", idDocument: { type: "cpf", value: "1" } },
      ]);
      assert.equal(wrong.kind, "InvalidError");
      assert.deepEqual(wrong.errors?.map(({ location, code }) => [location, code]).sort(), [
        ["body.contactName", "empty"],
        ["body.idDocument.value", "cpf_invalid"],
      ]);
      assert.match(wrong.text, /body\.idDocument\.value is not a valid CPF \(cpf_invalid\)/);
      const unknown = await fail("getOrganization", [], { ...client, key: `rbk_${"a".repeat(38)}` });
      assert.deepEqual([unknown.kind, unknown.status], ["UnauthorizedError", 401]);
      const portuguese = await fail("createClient", [{ contactName: "" }], {
        ...client,
        acceptLanguage: "pt-BR",
      });
      assert.match(portuguese.detail ?? "", /valor inválido/);
      // An id is a part of an address, and no address of its own.
      const { status } = await fail("getClient", ["../plans?limit=1"]);
      assert.equal(status, 422);
      assert.match((await fail("getClient", [""])).text, /not empty/);
    },
  },
  {
    name: "verify",
    promise: "messages that the reference library signs are taken, changed, stale and foreign ones are not",
    async run({ driver }) {
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
      const old = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
      const body = '{"type":"client.updated","timestamp":"2026-11-15T09:30:00.000Z","data":{"id":"é"}}';
      const now = new Date();
      const headersOf = (at: Date, signedWith: string, extra = "") => ({
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": `${extra}${new Webhook(signedWith).sign("msg_1", at, body)}`,
      });
      const verify = (secrets: unknown, headers: object, sent = body, more: object = {}) =>
        driver.ask({}, "verify", { secrets, headers, body: sent, ...more });
      assert.deepEqual(done(await verify(secret, headersOf(now, secret))), JSON.parse(body));
      const rotated = `v1,${Buffer.alloc(32).toString("base64")} v1a,x `;
      assert.deepEqual(done(await verify([old, secret], headersOf(now, secret, rotated))), JSON.parse(body));
      const upper = Object.fromEntries(
        Object.entries(headersOf(now, secret)).map(([name, value]) => [name.toUpperCase(), value]),
      );
      assert.deepEqual(done(await verify(secret, upper)), JSON.parse(body));
      const stale = new Date(now.getTime() - 3_600_000);
      const early = new Date(now.getTime() + 3_600_000);
      const refused: [string, DriverAnswer][] = [
        ["signature_mismatch", await verify(old, headersOf(now, secret))],
        ["signature_mismatch", await verify(secret, headersOf(now, secret), body.replace("é", "e"))],
        ["signature_mismatch", await verify(secret, { ...headersOf(now, secret), "webhook-id": "msg_2" })],
        [
          "signature_mismatch",
          await verify(secret, { ...headersOf(now, secret), "webhook-signature": "v1,é" }),
        ],
        ["timestamp_out_of_range", await verify(secret, headersOf(stale, secret))],
        ["timestamp_out_of_range", await verify(secret, headersOf(early, secret))],
        [
          "timestamp_out_of_range",
          await verify(secret, { ...headersOf(now, secret), "webhook-timestamp": "1e9" }),
        ],
        ["header_missing", await verify(secret, { "webhook-id": "msg_1" })],
      ];
      for (const [code, { error }] of refused)
        assert.deepEqual([error?.kind, error?.code], ["WebhookError", code]);
      const tolerant = await verify(secret, headersOf(stale, secret), body, { toleranceSeconds: 7200 });
      assert.deepEqual(done(tolerant), JSON.parse(body));
      assert.match((await verify("whsec_", headersOf(now, secret))).error?.text ?? "", /whsec_ and base64/);
    },
  },
  {
    name: "key_unseen",
    promise: "no error's text holds the key, and nothing that shows the client",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const { key } = studio;
      const echo = (status: number) =>
        roughProxy(t, api.url, (_, { headers }) => ({
          status,
          headers: { "x-request-id": String(headers.authorization).slice(7) },
          body: JSON.stringify({
            code: "internal",
            detail: `sent: ${headers.authorization}`,
            errors: [headers],
          }),
        }));
      const given = { name: "getOrganization" };
      const texts = [
        (await driver.ask({ baseUrl: (await echo(400)).url, key }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: (await echo(503)).url, key, tries: 1 }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: "http://127.0.0.1:1", key, tries: 1 }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: api.url, key: `${key}\n` }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: api.url, key: `${key}é` }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: "http://api.example.com", key }, "call", given)).error?.text,
        (await driver.ask({ baseUrl: `https://user:${key}@localhost`, key }, "call", given)).error?.text,
        ...done(await driver.ask({ baseUrl: api.url, key }, "texts")),
      ];
      for (const text of texts) assert.ok(text && !text.includes(key.slice(4, 30)), text);
    },
  },
  {
    name: "key_stays",
    promise: "a key goes to no other server: not by http, not after a redirect, and there is one to be given",
    async run({ t, api, driver }) {
      const { studio } = await newStudio(api);
      const seen: unknown[] = [];
      const elsewhere = await roughProxy(t, api.url, (_, { headers }) => {
        seen.push(headers.authorization);
        return "none";
      });
      const location = `${elsewhere.url}/v1/organization`;
      const moved = await roughProxy(t, api.url, () => ({ status: 307, headers: { location } }));
      const given = { name: "getOrganization" };
      const { error } = await driver.ask({ baseUrl: moved.url, key: studio.key }, "call", given);
      assert.deepEqual([error?.status, seen], [307, []]);
      const plain = await driver.ask({ baseUrl: "http://api.example.com", key: studio.key }, "call", given);
      assert.match(plain.error?.text ?? "", /must be https/);
      const allowed = { baseUrl: "http://rollbook.invalid", key: studio.key, allowHttp: true, tries: 1 };
      assert.equal((await driver.ask(allowed, "call", given)).error?.status, 0);
      assert.match((await driver.ask({ baseUrl: api.url }, "call", given)).error?.text ?? "", /ROLLBOOK_KEY/);
      assert.match((await driver.ask({ key: studio.key }, "call", given)).error?.text ?? "", /ROLLBOOK_URL/);
    },
  },
];

function done({ result, error }: DriverAnswer): Json {
  assert.equal(error, undefined, error?.text);
  return result;
}

async function newStudio(
  api: TestApi,
): Promise<{ studio: TestOrganization; client: { baseUrl: string; key: string } }> {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  return { studio, client: { baseUrl: api.url, key: studio.key } };
}

async function addClient(studio: TestOrganization, details: object = {}): Promise<string> {
  const { status, body, text } = await studio.call("POST", "/v1/clients", {
    body: { contactName: "Ana", ...details },
  });
  assert.equal(status, 201, text);
  return body.id;
}
