import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { createDemo } from "../../src/data/demo/operations.ts";
import { startApi } from "../support/api.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
type Json = any;
const run = promisify(execFile);
const api = await startApi();
const guide = await readFile(new URL("../../../docs/guides/downloads.md", import.meta.url), "utf8");
const { key: demoKey } = await createDemo(api.db, api.keySecret, "test");
const authorization = `Bearer ${demoKey.key}`;

const soffice = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "soffice"))
  .find((path) => existsSync(path));

async function download(path: string): Promise<Buffer> {
  const response = await fetch(api.url + path, { headers: { authorization, accept: "text/csv" } });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

function rowsOf(text: Buffer | string): string[][] {
  return parse(text, { bom: true, relax_column_count: true }) as string[][];
}

test("the guide names every list that is also a file, and no other", () => {
  const { paths } = api.document as { paths: Record<string, { get?: { responses: Record<string, Json> } }> };
  const lists = Object.entries(paths).flatMap(([path, { get }]) =>
    get?.responses["200"]?.content?.["text/csv"] ? [path] : [],
  );
  const [row = ""] = /^\| `\/v1\/clients`.*$/m.exec(guide) ?? [];
  assert.deepEqual(row.match(/\/v1\/[\w-]+/g)?.sort(), lists.filter((path) => !path.includes("{")).sort());
});

test("LibreOffice opens the demo's clients by the guide's command, and what it saves again is equal", {
  skip: soffice === undefined && "there is no LibreOffice here",
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-office-"));
  const office = (...args: string[]) =>
    run(soffice as string, [`-env:UserInstallation=file://${folder}/profile`, ...args], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
  try {
    const csv = await download("/v1/clients");
    await writeFile(join(folder, "clients.csv"), csv);
    const command = /^soffice (--headless .*) clients\.csv$/m.exec(guide)?.[1] ?? "";
    const args = command.split(" ").map((arg) => arg.replaceAll('"', ""));
    assert.match(command, /^--headless --infilter="CSV:[^"]+" --convert-to ods$/);
    await office(...args, "clients.csv");
    await rm(join(folder, "clients.csv"));
    await office("--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1", "clients.ods");
    const saved = await readFile(join(folder, "clients.csv"));
    assert.ok(rowsOf(csv).length > 100);
    assert.deepEqual(rowsOf(saved), rowsOf(csv));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** What a script asked for before it had an answer: Google's scripts do not wait, and `fetch` does. */
class Asked {
  readonly url: string;
  readonly headers: Record<string, string>;
  constructor(url: string, headers: Record<string, string>) {
    this.url = url;
    this.headers = headers;
  }
}

interface FetchedPage {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

test("the script for Google Sheets fills its sheet, and leaves it alone while nothing has changed", async () => {
  const code = /^```js\n(.*?)^```$/ms.exec(guide)?.[1] ?? "";
  const properties = new Map([["ROLLBOOK_KEY", demoKey.key]]);
  let writes = 0;
  let sheet: string[][] | undefined;
  let format = "";
  const runScript = (answer: FetchedPage | undefined) => {
    const services = {
      PropertiesService: {
        getScriptProperties: () => ({
          getProperty: (name: string) => properties.get(name) ?? null,
          setProperty: (name: string, value: string) => properties.set(name, value),
        }),
      },
      UrlFetchApp: {
        fetch: (url: string, { headers }: { headers: Record<string, string> }) => {
          if (!answer) throw new Asked(url, headers);
          return {
            getResponseCode: () => answer.status,
            getContentText: () => answer.text,
            getAllHeaders: () => answer.headers,
          };
        },
      },
      Utilities: { parseCsv: rowsOf },
      SpreadsheetApp: {
        getActiveSpreadsheet: () => ({
          getSheetByName: () => (sheet ? sheetOf() : null),
          insertSheet: () => sheetOf(),
        }),
      },
    };
    const sheetOf = () => ({
      clearContents: () => {
        sheet = [];
      },
      getRange: (_row: number, _column: number, rows: number, columns: number) => ({
        setNumberFormat(text: string) {
          format = text;
          return this;
        },
        setValues(values: string[][]) {
          assert.deepEqual([values.length, values[0]?.length], [rows, columns]);
          sheet = values;
          writes++;
        },
      }),
    });
    const names = Object.keys(services);
    new Function(...names, `"use strict";\n${code}\nrefreshClients();`)(...Object.values(services));
  };
  const refresh = async (change = (page: FetchedPage) => page): Promise<number> => {
    const asked = await Promise.resolve()
      .then(() => runScript(undefined))
      .then(
        () => assert.fail("the script asked for nothing"),
        (thrown: unknown) => thrown,
      );
    assert.ok(asked instanceof Asked, String(asked));
    const response = await fetch(asked.url.replace("https://api.example.com", api.url), {
      headers: asked.headers,
    });
    const text = await response.text();
    const page = { status: response.status, headers: Object.fromEntries(response.headers), text };
    runScript(change(page));
    return response.status;
  };

  assert.equal(await refresh(), 200);
  assert.equal(format, "@");
  assert.deepEqual(sheet, rowsOf(await download("/v1/clients?status=active")));
  assert.equal(await refresh(), 304);
  assert.equal(writes, 1);
  properties.delete("ROLLBOOK_ETAG");
  const half = (page: FetchedPage) => ({ ...page, text: page.text.slice(0, page.text.length / 2) });
  await assert.rejects(refresh(half), /incomplete/);
  properties.set("ROLLBOOK_KEY", "wrong");
  await assert.rejects(refresh(), /Unauthorized/);
  assert.equal(writes, 1);
});

test("curl saves a file under the name that the answer gives, and asks again only for what changed", {
  skip: !(process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "curl"))),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-curl-"));
  try {
    const [command = ""] = /^curl -fsS -OJ .*$/m.exec(guide) ?? [];
    const shell = (line: string) =>
      run("sh", ["-c", line.replaceAll("http://localhost:8080", api.url)], {
        cwd: folder,
        env: { ...process.env, KEY: demoKey.key },
      });
    await shell(command);
    const { stdout } = await shell("ls");
    assert.match(stdout, /^clients-\d{4}-\d\d-\d\d\.csv\n$/);
    const saved = await readFile(join(folder, stdout.trim()));
    assert.deepEqual(saved, await download("/v1/clients?status=active"));
    const etags = /`(--etag-save \S+ --etag-compare \S+)`/.exec(guide)?.[1] ?? "";
    const again = `curl -fsS -w '%{http_code}' -o clients.csv ${etags} -H "Authorization: Bearer $KEY" -H "Accept: text/csv" http://localhost:8080/v1/clients`;
    assert.equal((await shell(again)).stdout, "200");
    assert.equal((await shell(again)).stdout, "304");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
