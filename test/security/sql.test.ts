import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Database } from "../../src/db/database.ts";
import { listClients } from "../../src/domain/clients/list-queries.ts";
import { CLIENT_STATUSES } from "../../src/domain/clients/schema.ts";
import { CONTRACT_STATUSES } from "../../src/domain/contract-status/values.ts";
import { listContracts } from "../../src/domain/contracts/queries.ts";
import { listPlans } from "../../src/domain/plans/queries.ts";
import { listServiceTypes } from "../../src/domain/service-types/queries.ts";
import { templateLiterals } from "./sql-templates.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));

/** Expressions where a value could stand, in files that write SQL, with why each is none or cannot be a parameter. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "data/bundle/export-queries.ts": { BATCH_RECORDS: "FETCH takes no parameter" },
  "domain/calendar/queries.ts": { rows: "FETCH takes no parameter" },
  "db/record-batches.ts": { rows: "FETCH takes no parameter" },
  "domain/audit/list-audit-queries.ts": {
    id: "text of a column",
    subjectUuid: "text of an expression",
    placeIds: "text of an expression",
    entry: "alias of a table",
  },
  "domain/overview/report-queries.ts": { id: "text of a column" },
  "domain/money/queries.ts": { today: "text of a parameter", clientId: "text of a column or a parameter" },
  "db/history.ts": { TIMELINE: "text of an expression" },
  "sync/calendar-links/queries.ts": { now: "text of a parameter" },
  "sync/changes/numbering.ts": { TIMELINE: "text of an expression", RANDOM_MARK: "text of an expression" },
  "db/data-version.ts": { organizationId: "text of a column or a parameter" },
  "db/elsewhere.ts": { organizationColumn: "text of a column" },
  "data/move/replication.ts": { organization: "a row filter takes no parameter: escaped" },
  "db/statements.ts": { id: "text of a column" },
  "domain/plans/entitlements.ts": { record: "alias of a table" },
  "domain/contract-status/pauses.ts": { contract: "alias of a table" },
  "data/bundle/record-tables.ts": { NOW: "text of a parameter", nextChange: "text of an expression" },
  "domain/keys/admission.ts": {
    now: "text of a parameter or column",
    granted: "text of an expression",
    tat: "text of an expression",
    whole: "text of an expression",
  },
};

const SQL =
  /\b(?:select|insert into|update \w+ |delete from|where|and \w+\.|fetch|set \w+ =|set local|case when|end)\b|\b(?:least|greatest|coalesce)\(/;
/** By its name the text of a parameter: `$4`. */
const PARAMETER = /^\w+Parameter$/;
/** What stands before a value. */
const VALUE_FOLLOWS =
  /(?:=|<>|<|>|\|\||\b(?:like|limit|offset|fetch|interval|then|else|between)|\b(?:in|values|any|all|generate_series|pg_\w+) ?\()\s*$/;

test("no value is put into the text of a statement: none in quotes, none where a parameter can stand", async () => {
  const found: string[] = [];
  const used = new Set<string>();
  let statements = 0;
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts") || /^(?:api|cli|http)\//.test(file)) continue;
    for (const { texts, expressions } of templateLiterals(await readFile(`${SOURCES}/${file}`, "utf8"))) {
      // Sentences for people begin with a capital letter; SQL is written in lower case.
      if (!SQL.test(texts.join(" ")) || /^[A-Z]/.test(texts[0] ?? "")) continue;
      statements++;
      let before = "";
      for (const [index, expression] of expressions.entries()) {
        before += texts[index];
        const isQuoted = before.split("'").length % 2 === 0;
        if (isQuoted || (VALUE_FOLLOWS.test(before) && !PARAMETER.test(expression))) {
          const reason = isQuoted ? undefined : ALLOWED[file]?.[expression];
          if (reason === undefined) found.push(`${file}: …${before.slice(-40)}\${${expression}}`);
          else used.add(`${file} ${expression}`);
        }
        before += "?";
      }
    }
  }
  assert.deepEqual(found, []);
  assert.ok(statements > 100, `only ${statements} texts of SQL were found`);
  const listed = Object.entries(ALLOWED).flatMap(([file, names]) =>
    Object.keys(names).map((name) => `${file} ${name}`),
  );
  assert.deepEqual(
    [...used].sort(),
    listed.sort(),
    "what is allowed and not there any more is taken off the list",
  );
});

/** Sums of money that are not cut at what a number tells exactly, with why they need not be. */
const BOUNDED_SUMS: Readonly<Record<string, string>> = {
  "domain/invoicing/queries.ts sum(amount_cents)": "of one invoice or payment: at most its amount",
  "domain/money/write-queries.ts sum(amount_cents)": "refunded of one payment: at most its amount",
  "data/bundle/money-check-queries.ts sum((p.part->>'amountCents')::bigint)": "compared, not answered",
  "data/bundle/money-check-queries.ts sum(a.amount_cents)": "compared, not answered",
};

/** A sum, with one level of brackets in it. */
const SUM = /(\bleast\(coalesce\()?\bsum\((?:[^()]|\([^()]*\))*\)/g;

test("sums of money are cut at what a number tells exactly, so that none breaks an answer", async () => {
  const found = new Set<string>();
  for (const file of await readdir(SOURCES, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    for (const { texts, expressions } of templateLiterals(await readFile(`${SOURCES}/${file}`, "utf8"))) {
      const text = texts
        .map((part, place) => part + (place < expressions.length ? `\${${expressions[place]}}` : ""))
        .join("");
      if (!SQL.test(text)) continue;
      for (const [sum, isCut] of text.matchAll(SUM))
        if (!isCut && /cents/i.test(sum)) found.add(`${file} ${sum}`);
    }
  }
  assert.deepEqual(
    [...found].sort(),
    Object.keys(BOUNDED_SUMS).sort(),
    "use sumOfCents of domain/money/queries.ts",
  );
});

test("a value in the text of a statement is found, in quotes and after a comparison", () => {
  const source = `
    const a = \`select id from t where status = '\${status}'\`;
    const b = \`select id from t where n = \${count} limit \${limit}\`;
    const c = pooled("x", \`select \${columns} from t \${cond ? \`where a like \${text}\` : ""}\`);`;
  const expressions = templateLiterals(source).flatMap((template) => template.expressions);
  for (const expression of ["status", "count", "limit", "columns", "text"])
    assert.ok(expressions.includes(expression), expression);
  assert.match("select id from t where n = ", VALUE_FOLLOWS);
  assert.match("select id from t limit ", VALUE_FOLLOWS);
  assert.match("select id from generate_series(", VALUE_FOLLOWS);
  assert.doesNotMatch("select ", VALUE_FOLLOWS);
});

/** The text of the only statement that a call sends. */
async function textOf(call: (db: Database) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const recorder: Database = {
    async query(statement) {
      texts.push(statement.text);
      return [];
    },
    transaction: (work) => work(recorder),
    snapshot: (work) => work(recorder),
    now: async () => 0,
    clockOffsetMs: 0,
  };
  // With no rows to read the function gives up; what it asked is known by then.
  await call(recorder).catch(() => {});
  assert.equal(texts.length, 1);
  return texts[0] ?? "";
}

test("the text of a list's statement depends on which filters are given, and not on what they are", async () => {
  const ids = ["019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31", "'; drop table clients; --"];
  const page = { limit: 50, offset: 0 };
  const queries = ["silva", "souza", "lima's", "'); --"];
  type List = (db: Database, organizationId: string, filter: never) => Promise<unknown>;
  const lists: [List, Record<string, readonly string[]>][] = [
    [listClients, { status: CLIENT_STATUSES, locationId: ids, query: ["silva", "souza"] }],
    [listContracts, { status: CONTRACT_STATUSES, clientId: ids, locationId: ids }],
    [listPlans, { status: ["active", "archived"], billingKind: ["recurring", "one_time"], query: queries }],
    [listServiceTypes, { status: ["active", "archived"], query: queries }],
  ];
  for (const [list, filters] of lists) {
    const names = Object.keys(filters);
    for (let given = 0; given < 2 ** names.length; given++) {
      const texts = new Set<string>();
      for (let turn = 0; turn < 4; turn++) {
        const chosen = names
          .filter((_, bit) => given & (1 << bit))
          .map((name) => [name, filters[name]?.[turn % (filters[name]?.length ?? 1)]]);
        const filter = { ...page, ...Object.fromEntries(chosen) } as never;
        texts.add(await textOf((db) => list(db, ids[turn % 2] ?? "", filter)));
      }
      assert.equal(texts.size, 1, `${list.name} with ${given} of ${names}`);
      for (const text of texts)
        for (const value of Object.values(filters).flat())
          assert.ok(!text.includes(`= '${value}'`), `${list.name} has ${value} in its text`);
    }
  }
});
