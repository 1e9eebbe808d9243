import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { mintKey, revokeKey } from "../../src/domain/keys/operations.ts";
import { checkDigits } from "../../src/domain/keys/rules.ts";
import { LANGUAGE_TAGS } from "../../src/languages/dictionary.ts";
import { startApi } from "../support/api.ts";
import { listFailures, type Problem, type ProblemBody } from "../support/failures.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
const failures = await listFailures(api);

/** Asked at once in groups: one by one, a thousand requests take their time. */
async function askAll(headers: Readonly<Record<string, string>>): Promise<Map<string, Problem>> {
  const problems = new Map<string, Problem>();
  for (let start = 0; start < failures.length; start += 20) {
    const group = failures.slice(start, start + 20);
    const answers = await Promise.all(group.map((failure) => failure.ask(headers)));
    group.forEach(({ name }, index) => {
      problems.set(name, withoutId(answers[index] as Problem));
    });
  }
  return problems;
}

/** Each request has an id of its own. */
function withoutId(problem: Problem): Problem {
  const { requestId, ...body } = problem.body;
  return { ...problem, body, text: problem.text.replace(`,"requestId":"${requestId}"`, "") };
}

/** Without the header, and in each language. */
const [plain, ...spoken] = await Promise.all([
  askAll({}),
  ...LANGUAGE_TAGS.map(async (language) => ({
    language,
    problems: await askAll({ "accept-language": language }),
  })),
]);

const { id: studioId, call } = await api.newOrganization();
await addLocation(api.db, studioId);
const BAD_CPF = { contactName: "Ana", idDocument: { type: "cpf", value: "52998224726" } };
const inLanguage = (accept: string) =>
  call("POST", "/v1/clients", { body: BAD_CPF, headers: { "accept-language": accept } });

test("a caller who names no language reads the sentences that there were before there were languages", async () => {
  const recorded = JSON.parse(
    await readFile(new URL("../../../test/data/english-problems.json", import.meta.url), "utf8"),
  ) as Record<string, unknown[]>;
  assert.ok(Object.keys(recorded).length > 200);
  for (const [name, expected] of Object.entries(recorded)) {
    const problem = plain.get(name);
    assert.ok(problem, name);
    const { status, title, code, detail, errors = [] } = problem.body;
    const faults = errors.map(({ location, message }) => `${location} ${message}`);
    assert.deepEqual([status, title, code, detail, ...faults], expected, name);
    assert.equal(problem.headers["content-language"], "en", name);
  }
});

test("every failure of every operation is told in each language, and differs in its words alone", () => {
  for (const { language, problems } of spoken) {
    for (const { name, isAfterHeaders } of failures) {
      const [told, english] = [problems.get(name), plain.get(name)];
      assert.ok(told && english, name);
      const about = `${name} in ${language}`;
      assert.deepEqual(wordless(told.body), wordless(english.body), about);
      assert.deepEqual(Object.keys(told.body), Object.keys(english.body), about);
      assert.deepEqual(headersOf(told), headersOf(english), about);
      assert.match(told.headers.vary ?? "", /accept-language/i, about);
      // What fails before the headers are read cannot know the language.
      assert.equal(told.headers["content-language"], isAfterHeaders ? language : "en", about);
      if (language === "en" || !isAfterHeaders) assert.equal(told.text, english.text, about);
      else {
        assert.notEqual(told.body.title, english.body.title, about);
        assert.notEqual(told.body.detail, english.body.detail, about);
        told.body.errors?.forEach(({ message }, index) => {
          assert.notEqual(message, english.body.errors?.[index]?.message, about);
        });
      }
    }
  }
});

/** The codes that callers may rely on for requests to the API, each with the names of its parameters. `nearest` may be absent. */
const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
  required: [],
  unknown_member: ["nearest"],
  unknown_parameter: ["known", "nearest"],
  given_twice: [],
  wrong_type: ["type"],
  not_one_of: ["allowed"],
  encoding_invalid: [],
  characters_invalid: [],
  too_deep: ["max"],
  too_many_values: ["max"],
  empty: [],
  too_short: ["min"],
  too_long: ["max"],
  below_minimum: ["min"],
  above_maximum: ["max"],
  too_few: ["min"],
  too_many: ["max"],
  uuid_invalid: [],
  date_invalid: [],
  date_time_invalid: [],
  email_invalid: [],
  cursor_invalid: [],
  header_invalid: [],
  cpf_invalid: [],
  birthdate_out_of_range: ["min"],
  location_required: [],
  location_unknown: [],
  window_reversed: [],
  window_too_long: ["maxDays"],
  cursor_with_offset: [],
  not_with_download: [],
  idempotency_key_invalid: [],
  idempotency_key_reused: [],
};

interface ProblemSchema {
  readonly properties: {
    readonly errors: { items: { properties: { code: { anyOf: readonly [{ enum: readonly string[] }] } } } };
  };
}

test("every fault has a published code, with the parameters of that code and no value of the caller's", () => {
  const seen = new Set<string>();
  const { Problem } = (api.document as { components: { schemas: Record<string, ProblemSchema> } }).components
    .schemas;
  const enumerated = Problem?.properties.errors.items.properties.code.anyOf[0].enum;
  for (const [name, { body }] of plain) {
    for (const { code, params = {}, message } of body.errors ?? []) {
      const names = PUBLISHED[code]?.filter((param) => param !== "nearest" || param in params);
      assert.deepEqual(Object.keys(params), names, `${name}: ${code}`);
      assert.ok(enumerated?.includes(code), code);
      const { known: _, ...shown } = params;
      for (const value of Object.values(shown).flat())
        if (code !== "wrong_type") assert.ok(message.includes(String(value)), `${name}: ${message}`);
      seen.add(code);
    }
  }
  for (const code of ["given_twice", "encoding_invalid", "too_deep", "too_many_values", "window_reversed"])
    assert.ok(seen.has(code), code);
});

test("a number below its bound is too small, not of the wrong type", async () => {
  for (const [query, params] of [
    ["limit=-1", { min: 1 }],
    ["limit=0", { min: 1 }],
    ["offset=-1", { min: 0 }],
  ] as const) {
    const [fault] = (await call("GET", `/v1/clients?${query}`)).body.errors;
    assert.deepEqual([fault.code, fault.params], ["below_minimum", params], query);
  }
});

test("a bad CPF is told in Portuguese to who prefers that", async () => {
  const answer = await inLanguage("pt-BR,pt;q=0.9");
  assert.equal(answer.headers.get("content-language"), "pt-BR");
  assert.deepEqual(answer.body.errors, [
    { location: "body.idDocument.value", code: "cpf_invalid", message: "não é um CPF válido" },
  ]);
  assert.deepEqual(
    [answer.body.title, answer.body.detail],
    ["Dados inválidos", "A requisição tem 1 valor inválido."],
  );
});

test("weights count: the most wanted language that there is", async () => {
  assert.equal((await inLanguage("en;q=0.1, es")).headers.get("content-language"), "es");
  assert.equal((await inLanguage("fr, en;q=0.4, es-MX;q=0.5")).headers.get("content-language"), "es");
});

test("a language that there is not, any, none or nonsense is answered in English, however long", async () => {
  const long = "xx-YY;q=0.123,".repeat(700);
  for (const accept of ["de", "*", "", ";;q=,=", "\u00ff\u00fe", ",".repeat(10_000), long]) {
    const answer = await inLanguage(accept);
    assert.equal(answer.status, 422, accept.slice(0, 20));
    assert.equal(answer.headers.get("content-language"), "en", accept.slice(0, 20));
  }
});

test("all causes of a 401 are answered with the same bytes, in each language", async () => {
  const revoked = await mintKey(api.db, api.keySecret, "test", { organizationId: studioId });
  await revokeKey(api.db, "test", revoked.id);
  const expired = await mintKey(api.db, api.keySecret, "test", {
    organizationId: studioId,
    lifetimeSeconds: 0,
  });
  const unknown = `rbk_${"a".repeat(32)}`;
  const credentials = [
    undefined,
    "Basic dXNlcjpwYXNz",
    "Bearer x",
    `Bearer ${unknown}${checkDigits(unknown)}`,
    `Bearer ${revoked.key}`,
    `Bearer ${expired.key}`,
  ];
  const answers = new Set<string>();
  for (const language of LANGUAGE_TAGS) {
    const texts = new Set<string>();
    for (const authorization of credentials) {
      const { status, text, headers } = await api.call("GET", "/v1/organization", {
        headers: { "accept-language": language, ...(authorization && { authorization }) },
      });
      assert.equal(status, 401);
      const constant = [...headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      texts.add(JSON.stringify(constant) + text);
    }
    assert.equal(texts.size, 1, language);
    for (const text of texts) answers.add(text);
  }
  assert.equal(answers.size, LANGUAGE_TAGS.length);
});

test("a success is the same in every language, and says nothing of languages", async () => {
  for (const path of ["/v1/organization", "/v1/clients", "/v1/locations"]) {
    const essence = new Set<string>();
    for (const language of ["de", ...LANGUAGE_TAGS]) {
      const answer = await call("GET", path, { headers: { "accept-language": language } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-language"), null);
      assert.doesNotMatch(answer.headers.get("vary") ?? "", /accept-language/i);
      essence.add(`${answer.headers.get("etag")} ${answer.text}`);
    }
    assert.equal(essence.size, 1, path);
  }
});

function wordless({ title, detail, errors, ...rest }: ProblemBody): object {
  return { ...rest, errors: errors?.map(({ message, ...fault }) => fault) };
}

/** Those that must not depend on the language. */
function headersOf({ headers }: Problem): Record<string, string> {
  const own =
    /^(date|x-request-id|content-language|content-length|ratelimit|retry-after|connection|keep-alive)/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.test(name)));
}
