import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { type Answer, startApi } from "../support/api.ts";
import { addLocation, addPlan, addServiceType, countClients } from "../support/records.ts";

const api = await startApi();
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;
const document: Json = api.document;

const QUOTES = [
  "'",
  "''",
  '"',
  "`",
  "\\'",
  "%27",
  "’",
  "ʼ",
  "\u02bc",
  "$$",
  "$q$",
  "/*",
  "*/",
  "--",
  "#",
  ";",
];
/** Whoever gets PostgreSQL to call this leaves a lock that its connection keeps. */
const LOCK = 4_711_001;
const TRACE = `pg_advisory_lock_shared(${LOCK})`;
const EXPRESSIONS = [
  "or 1=1",
  "or '1'='1",
  "and 1=0",
  "union select null",
  "union all select version(), current_user",
  `; select ${TRACE}`,
  `|| ${TRACE} ||`,
  `and (select ${TRACE}) is null`,
  "; drop table clients",
  "; update clients set status = 'archived'",
  "and 1 = cast((select version()) as int)",
  "and extractvalue(1, version())",
  "order by 99",
  "limit 0 offset 0",
  "returning *",
  "::int",
  "= any(array[1])",
  "similar to '%'",
  "~ '.*'",
  "e'\\x27'",
  "u&'\\0027'",
  "chr(39)",
];

/** Each way out of a text, with each thing that may be tried once outside, and an end for the rest of the statement. */
const PAYLOADS = [
  ...QUOTES,
  ...EXPRESSIONS.flatMap((expression) =>
    ["'", '"', "')", "'))", "\\'", "$$", "%' ", "1 ", "\u02bc"].map((way) => `${way} ${expression} --`),
  ),
  "{$gt: ''}",
  "$1",
  ":1",
  "@@version",
  "%s%n",
  "%",
  "%%",
  "_",
  "___",
  "\\",
  "\\%",
  "[a-z]%",
  "*",
  "?",
  ".*",
  "a%",
  "%a",
  "^a",
];

/** What only PostgreSQL, or a program that failed, would say. */
const LEAKS =
  /syntax error|PostgreSQL \d|pg_|SQLSTATE|relation "|column "|unterminated|at character|stack|node_modules|\.js:\d/i;

test(`no text in any parameter or member reaches the database as a command or as a wildcard`, async (t) => {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id);
  await addPlan(api.db, studio.id, { name: "Monthly" });
  await addServiceType(api.db, studio.id, { name: "Pilates" });
  const made = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana Souza" } });
  const clientId: string = made.body.id;
  const before = await countClients(api.db, studio.id);

  const asked: [string, () => Promise<Answer>][] = [];
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      for (const parameter of operation.parameters ?? []) {
        if (method !== "get" && parameter.in === "path") continue;
        const isSearched = parameter.name === "query";
        for (const payload of isSearched ? PAYLOADS : PAYLOADS.filter((_, i) => i % 7 === 0)) {
          const value = encodeURIComponent(payload);
          const address =
            parameter.in === "path"
              ? path.replace(`{${parameter.name}}`, value)
              : `${path.replace("{id}", clientId)}?${parameter.name}=${value}`;
          asked.push([`${parameter.name} ${payload}`, () => studio.get(address)]);
        }
      }
    }
  }
  let findings = 0;
  for (const batch of chunks(asked, 16)) {
    await Promise.all(
      batch.map(async ([name, ask]) => {
        const { status, text, body } = await ask();
        const isSearch = name.startsWith("query ");
        const expected = isSearch ? [200] : [200, 422, 404];
        const isWrong =
          !expected.includes(status) ||
          LEAKS.test(text) ||
          // Nothing of ours has any of these texts in it, so a search that finds something took it for more.
          (isSearch && body.total !== 0);
        if (isWrong) findings++;
        assert.ok(!isWrong, `${name}: ${status} ${text.slice(0, 300)}`);
      }),
    );
  }
  assert.deepEqual(await countClients(api.db, studio.id), before);
  t.diagnostic(`${asked.length} requests with ${PAYLOADS.length} payloads, ${findings} findings`);

  // In a body every payload is a text like any other: stored, returned and found as it is.
  for (const payload of PAYLOADS) {
    const sent = {
      contactName: payload,
      contactPhone: payload.slice(0, 40),
      notes: payload,
      idDocument: { type: "other", value: `${payload.slice(0, 40)} ${asked.length}` },
      address: { city: payload, line1: payload },
      locationIds: [locationId],
    };
    const { status, body } = await studio.call("PUT", `/v1/clients/${clientId}`, { body: sent });
    assert.equal(status, 200, payload);
    const { contactName, contactPhone, notes, idDocument, address, locationIds } = body;
    assert.deepEqual(
      { contactName, contactPhone, notes, idDocument, address, locationIds },
      { ...sent, contactName: payload.trim(), contactPhone: sent.contactPhone.trim() },
    );
    const found = await studio.get(`/v1/clients?query=${encodeURIComponent(payload)}`);
    assert.equal(found.body.total, 1, `${payload} is not found`);
  }
  assert.deepEqual(await countClients(api.db, studio.id), before);
  const locks = pooled("test_trace", "select 1 from pg_locks where locktype = 'advisory' and objid = $1");
  assert.equal((await api.db.query(locks, [LOCK])).length, 0, "a text was carried out as a command");
});

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
