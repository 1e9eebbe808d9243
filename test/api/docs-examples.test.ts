import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { RollbookClient } from "../../packages/client/src/index.ts";
import { createDemo } from "../../src/data/demo/operations.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";

// What the documentation shows can be copied and works as it stands with a demo studio.
const api = await startApi();
const run = promisify(execFile);
let key: string;

before(async () => {
  key = (await createDemo(api.db, api.keySecret, "test")).key.key;
});

interface Shown {
  readonly operation: string;
  readonly code: string;
}

/** The examples of all operations in one language, for this server. */
async function examplesIn(language: string): Promise<Shown[]> {
  const { paths } = api.document as {
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: [string] }>>;
  };
  const shown: Shown[] = [];
  for (const methods of Object.values(paths))
    for (const { operationId, summary, tags } of Object.values(methods)) {
      const page = (await api.call("GET", `/docs/reference/${tags[0].toLowerCase().replaceAll(" ", "-")}.md`))
        .text;
      const section = page.split(`\n## ${summary}\n`)[1] ?? "";
      const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(section)?.[1];
      assert.ok(code, `${operationId} in ${language}`);
      shown.push({ operation: operationId, code: code.replaceAll(PUBLIC_URL, api.url) });
    }
  return shown;
}

const isThere = async (program: string): Promise<boolean> =>
  run(program, ["--version"]).then(
    () => true,
    () => false,
  );

test("every example for a shell is answered", async (t) => {
  if (!(await isThere("curl"))) return t.skip("no curl on this machine");
  for (const { operation, code } of await examplesIn("sh")) {
    // Not every machine has uuidgen.
    const script = `uuidgen() { echo "$NAME-1"; }\n${code} \\\n  -sS -o /dev/null -w '%{http_code}'`;
    const { stdout } = await run("sh", ["-c", script], {
      env: { ...process.env, KEY: key, NAME: operation },
    });
    assert.match(stdout, /^20[0-4]$/, `${operation}: ${code}`);
  }
});

test("every example in TypeScript runs with the client library", async () => {
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  for (const { operation, code } of await examplesIn("ts")) {
    const logged: unknown[] = [];
    const [first = "", ...rest] = code.split("\n");
    assert.equal(first, 'import { RollbookClient } from "@rollbook/client";');
    const example = new AsyncFunction("RollbookClient", "process", "console", rest.join("\n"));
    await example(RollbookClient, { env: { KEY: key } }, { log: (value: unknown) => logged.push(value) });
    assert.equal(logged.length, operation === "archiveClient" ? 0 : 1, operation);
  }
});

test("every example in Python runs with the client library", async (t) => {
  if (!(await isThere("python3"))) return t.skip("no Python on this machine");
  const source = fileURLToPath(new URL("../../../packages/python/src", import.meta.url));
  const examples = await examplesIn("python");
  const script = examples.map(({ operation, code }) => `# ${operation}\n${code}`).join("\n\n");
  const { stdout } = await run("python3", ["-c", script], {
    env: { ...process.env, KEY: key, PYTHONPATH: source },
  });
  assert.equal(stdout.trim().split("\n").length, examples.length - 1);
});

test("the messages that an assistant's guide sends by hand are answered with the tools and with clients", async (t) => {
  if (!(await isThere("curl"))) return t.skip("no curl on this machine");
  const page = (await api.call("GET", "/docs/connect-an-assistant.md")).text;
  const code = page
    .split("\n## By hand")[1]
    ?.match(/```sh\n([\s\S]*?)\n```/)?.[1]
    ?.replaceAll(PUBLIC_URL, api.url);
  assert.ok(code);
  const { stdout } = await run("sh", ["-c", code.replaceAll("\ncurl", "\necho\ncurl")], {
    env: { ...process.env, KEY: key },
  });
  const [listed, called] = stdout.split("\n").map((line) => JSON.parse(line).result);
  assert.ok(listed.tools.length > 10);
  assert.ok(called.structuredContent.data.length > 0);
});

test("the code of staying in step from a download runs, in TypeScript and in Python", async (t) => {
  const page = (await api.call("GET", "/docs/stay-in-step.md")).text.split("\n## From a download")[1] ?? "";
  const codeIn = (language: string) => {
    const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
    assert.ok(code, language);
    return code;
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<[Map<string, unknown>, { data: unknown[]; hasMore: boolean }]>;
  const client = new RollbookClient({ baseUrl: api.url, key });
  const [clients, { data }] = await new AsyncFunction("api", `${codeIn("ts")}\nreturn [clients, page];`)(
    client,
  );
  const { total } = await client.listClients({ limit: 1 });
  assert.equal(clients.size, total);
  assert.deepEqual(data, []);
  if (!(await isThere("python3"))) return t.skip("no Python on this machine");
  const source = fileURLToPath(new URL("../../../packages/python/src", import.meta.url));
  const script = `from rollbook_client import Client\napi = Client()\n${codeIn("python")}\nprint(len(clients), page["data"])`;
  const { stdout } = await run("python3", ["-c", script], {
    env: { ...process.env, ROLLBOOK_URL: api.url, ROLLBOOK_KEY: key, PYTHONPATH: source },
  });
  assert.equal(stdout, `${total} []\n`);
});

interface CollectionRequest {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: boolean }[];
    readonly url: {
      readonly raw: string;
      readonly query?: readonly {
        readonly key: string;
        readonly value: string;
        readonly disabled?: boolean;
      }[];
      readonly variable?: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}

test("every request of the collection is answered as it stands, and there is one for each operation", async () => {
  const collection = (await api.call("GET", "/docs/rollbook.postman_collection.json")).body as {
    info: { schema: string };
    variable: { key: string; value: string }[];
    item: { item: CollectionRequest[] }[];
  };
  assert.equal(
    collection.info.schema,
    "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
  );
  assert.equal(collection.variable.find((variable) => variable.key === "baseUrl")?.value, PUBLIC_URL);
  const requests = collection.item.flatMap(({ item }) => item);
  const { paths } = api.document as { paths: Record<string, object> };
  assert.equal(requests.length, Object.values(paths).flatMap((methods) => Object.keys(methods)).length);
  for (const [at, { name, request }] of requests.entries()) {
    const { url } = request;
    let address = url.raw.replace("{{baseUrl}}", "");
    for (const { key: variable, value } of url.variable ?? [])
      address = address.replace(`:${variable}`, value);
    for (const { key: parameter, disabled } of url.query ?? [])
      assert.equal(address.includes(`${parameter}=`), !disabled, `${name}: ${parameter}`);
    const headers = request.header
      .filter(({ disabled }) => !disabled)
      .map((header): [string, string] => [header.key, header.value.replace("{{$guid}}", `collection-${at}`)]);
    const answer = await fetch(`${api.url}${address}`, {
      method: request.method,
      headers: { ...Object.fromEntries(headers), authorization: `Bearer ${key}` },
      ...(request.body && { body: request.body.raw }),
    });
    await answer.arrayBuffer();
    assert.ok(answer.ok, `${name}: ${answer.status}`);
  }
});
