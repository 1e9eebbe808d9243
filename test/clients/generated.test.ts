import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

interface Generator {
  clientSources(document: object): Record<string, string>;
}

test("types_current: what the client libraries have of openapi.json is what it says (else: npm run clients)", async () => {
  const { clientSources } = (await import(new URL("scripts/clients.mjs", ROOT).href)) as Generator;
  const sources = Object.entries(clientSources(JSON.parse(await read("openapi.json"))));
  assert.equal(sources.length, 3);
  for (const [path, text] of sources) assert.equal(await read(path), text, path);
});

test("by hand, the clients name no operation but those that editing and the feed need", async () => {
  const { paths } = JSON.parse(await read("openapi.json")) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const names = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const allowed = ["getClient", "replaceClient", "listChanges"];
  const sources = [
    ...["changes", "client", "download", "errors", "results", "transport", "webhook"].map(
      (name) => `packages/client/src/${name}.ts`,
    ),
    ...["client", "errors", "transport", "webhook"].map(
      (name) => `packages/python/src/rollbook_client/_${name}.py`,
    ),
  ];
  for (const path of sources) {
    const code = (await read(path)).replace(/\/\*\*[\s\S]*?\*\/|"""[\s\S]*?"""/g, "");
    const named = names.filter((name) => new RegExp(`\\b(${name}|${snake(name)})\\b`).test(code));
    assert.deepEqual(
      named.filter((name) => !allowed.includes(name)),
      [],
      path,
    );
  }
});

test("the client is less than 12 kB, minified, and needs nothing but what every runtime has", async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: 'export * from "./packages/client/src/index.ts";',
      resolveDir: new URL(".", ROOT).pathname,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
  });
  const { text = "", contents = new Uint8Array() } = outputFiles[0] ?? {};
  assert.ok(contents.length < 12_000, `${contents.length} bytes, ${gzipSync(contents).length} compressed`);
  assert.deepEqual(
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
    [],
  );
  assert.doesNotMatch(text, /\b(Buffer|require|__dirname|setImmediate)\b/);
});

test("a client refuses to be made where there is a document", async () => {
  const { RollbookClient } = await import("../../packages/client/src/index.ts");
  const place = globalThis as { document?: object };
  place.document = {};
  try {
    assert.throws(
      () => new RollbookClient({ baseUrl: "https://api.example.com", key: "rbk_x" }),
      /browser is everybody's/,
    );
  } finally {
    delete place.document;
  }
});

test("the libraries have the version of the program", async () => {
  const { version } = JSON.parse(await read("package.json"));
  assert.equal(JSON.parse(await read("packages/client/package.json")).version, version);
  assert.equal(/^version = "([^"]+)"$/m.exec(await read("packages/python/pyproject.toml"))?.[1], version);
});
