import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { registerDocsPage } from "../../src/api/docs-page.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../support/browser.ts";

describe("the reference page over HTTP", () => {
  test("the page holds no inline script and forbids every other host", async () => {
    const app = newServer();
    for (const url of ["/docs", "/docs/"]) {
      const page = await app.inject(url);
      assert.equal(page.statusCode, 200);
      assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
      assert.equal(page.headers["cache-control"], "public, max-age=300");
      assert.equal(page.headers["x-content-type-options"], "nosniff");
      assert.equal(page.headers["referrer-policy"], "no-referrer");
      assert.match(page.body, /<title>Rollbook API reference<\/title>/);
      assert.doesNotMatch(page.body, /<script(?![^>]* src="\/docs\/)|<style| style=| on\w+=|https?:/);

      const policy = policyOf(page.headers["content-security-policy"]);
      const nonce = / nonce="([^"]+)"/.exec(page.body)?.[1];
      assert.deepEqual(policy, {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": `'self' 'nonce-${nonce}'`,
        "style-src-attr": "'unsafe-inline'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
      });
    }
  });

  test("the page may be kept: it is the same for all, its policy belongs to it, and it is not sent again", async () => {
    const [first, second] = [await newServer().inject("/docs"), await newServer().inject("/docs/")];
    assert.equal(first.body, second.body);
    assert.equal(first.headers["content-security-policy"], second.headers["content-security-policy"]);
    const { etag } = first.headers;
    assert.match(String(etag), /^"[\w-]{22}"$/);
    const again = await newServer().inject({ url: "/docs", headers: { "if-none-match": String(etag) } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, "");
    assert.equal(again.headers.etag, etag);
    assert.notEqual((await newServer("Another").inject("/docs")).headers.etag, etag);
  });

  test("a title is text, never markup", async () => {
    const page = await newServer(`<b>"O'Neil" & Co</b>`).inject("/docs");
    assert.match(page.body, /<title>&#60;b&#62;&#34;O&#39;Neil&#34; &#38; Co&#60;\/b&#62; API reference</);
    assert.doesNotMatch(page.body, /<b>/);
  });

  test("every asset that the page names is served, typed, and kept for good under its exact version", async () => {
    const app = newServer();
    const types = {
      "scalar.js": "text/javascript; charset=utf-8",
      "start.js": "text/javascript; charset=utf-8",
      "docs.css": "text/css; charset=utf-8",
      "icon.svg": "image/svg+xml",
    };
    const { body } = await app.inject("/docs");
    for (const [name, type] of Object.entries(types)) {
      const url = new RegExp(`"(/docs/${name}\\?v=[\\w-]{16})"`).exec(body)?.[1];
      assert.ok(url, `the page names ${name}`);
      const asset = await app.inject(url);
      assert.equal(asset.statusCode, 200);
      assert.equal(asset.headers["content-type"], type);
      assert.equal(asset.headers["x-content-type-options"], "nosniff");
      assert.equal(asset.headers["referrer-policy"], "no-referrer");
      assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");

      for (const inexact of [`/docs/${name}`, `/docs/${name}?v=other`]) {
        assert.equal((await app.inject(inexact)).headers["cache-control"], "public, max-age=300");
      }
    }
  });

  test("an asset is sent compressed to whoever accepts gzip, whole to the others, and the same to both", async () => {
    const app = newServer();
    const whole = await app.inject("/docs/scalar.js");
    assert.equal(whole.headers["content-encoding"], undefined);
    assert.equal(whole.headers["content-length"], String(whole.rawPayload.length));
    assert.equal(whole.headers.vary, "accept-encoding");
    assert.match(whole.body.slice(0, 500), /@scalar\/api-reference/);

    for (const header of ["gzip", "gzip, deflate, br, zstd", "br, GZIP;q=0.1", "*"]) {
      const packed = await app.inject({ url: "/docs/scalar.js", headers: { "accept-encoding": header } });
      assert.equal(packed.headers["content-encoding"], "gzip", header);
      assert.ok(packed.rawPayload.length < 1_100_000, "the bundle travels in at most 1.1 MB");
      assert.ok(gunzipSync(packed.rawPayload).equals(whole.rawPayload));
    }
    for (const header of ["", "br", "identity", "gzip;q=0", "*;q=1, gzip;q=0.0"]) {
      const plain = await app.inject({ url: "/docs/start.js", headers: { "accept-encoding": header } });
      assert.equal(plain.headers["content-encoding"], undefined, header);
    }
  });

  test("an asset that the caller already holds is not sent again", async () => {
    const app = newServer();
    const { etag } = (await app.inject("/docs/docs.css")).headers;
    assert.ok(etag);
    const again = await app.inject({ url: "/docs/docs.css", headers: { "if-none-match": `"x", ${etag}` } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, "");
    // Compressed it is other bytes, and has another tag.
    const headers = { "accept-encoding": "gzip" };
    const packed = await app.inject({ url: "/docs/docs.css", headers });
    assert.notEqual(packed.headers.etag, etag);
    const known = { ...headers, "if-none-match": String(packed.headers.etag) };
    assert.equal((await app.inject({ url: "/docs/docs.css", headers: known })).statusCode, 304);
  });
});

describe("the reference page in a browser", () => {
  const executablePath = findChromium();
  let browser: Browser | undefined;
  let app: FastifyInstance;
  let origin: string;

  before(async () => {
    app = newServer();
    origin = await app.listen({ host: "127.0.0.1", port: 0 });
    if (executablePath) browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
  });
  after(async () => {
    await browser?.close();
    await app.close();
  });

  const readers: [string, BrowserContextOptions][] = [
    ["a wide screen", { viewport: { width: 1280, height: 900 } }],
    ["a phone in dark mode", { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true }],
  ];
  for (const [reader, settings] of readers) {
    test(`on ${reader} the document is rendered, with no call to another host and no breach of the policy`, async (t) => {
      if (!browser) return t.skip("no Chromium on this machine");
      const { page, faults } = await openDocs(browser, origin, settings);

      await page.getByRole("heading", { name: "List the clients of the organization" }).waitFor();
      assert.equal(await page.title(), "Rollbook API reference");
      assert.ok(await page.getByRole("banner").getByText("Rollbook").isVisible());
      assert.equal(await page.getByText("Powered by Scalar").filter({ visible: true }).count(), 0);
      assert.ok(await fitsItsWidth(page), "nothing is wider than the screen");
      await keepPicture(page, reader);

      await page.context().close();
      assert.deepEqual(faults, []);
    });
  }

  test("a request can be tried from the page, with the reader's key, and the key is not stored", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page, faults } = await openDocs(browser, origin, { viewport: { width: 1280, height: 900 } });

    await page.getByPlaceholder("Token").filter({ visible: true }).first().fill("rb_key_of_the_reader");
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.url().startsWith(`${origin}/v1/clients`));
    await page.getByRole("button", { name: /Send/ }).first().click();
    const sent = (await answered).request();
    assert.equal(sent.headers().authorization, "Bearer rb_key_of_the_reader");
    await page.getByText("200 OK").waitFor();
    await keepPicture(page, "a tried request");

    const { cookies, origins } = await page.context().storageState({ indexedDB: true });
    assert.doesNotMatch(JSON.stringify({ cookies, origins }), /rb_key_of_the_reader/);
    await page.context().close();
    assert.deepEqual(faults, []);
  });
});

/** The page beside a small document and the one operation that the browser tries. */
function newServer(title = "Rollbook"): FastifyInstance {
  const app = Fastify();
  registerDocsPage(app, { title });
  app.get("/openapi.json", async () => SAMPLE_DOCUMENT);
  app.get("/v1/clients", async () => ({ items: [] }));
  return app;
}

/** Opens /docs and gathers whatever must not happen there, until the context is closed. */
async function openDocs(
  browser: Browser,
  origin: string,
  settings: BrowserContextOptions,
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const faults: string[] = [];
  context.on("request", (request) => {
    const { protocol } = new URL(request.url());
    const isLocal = request.url().startsWith(`${origin}/`) || protocol === "data:" || protocol === "blob:";
    if (!isLocal) faults.push(`request to ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} from ${response.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`uncaught ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  await page.exposeFunction("reportBreach", (breach: string) => faults.push(breach));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    reportBreach("policy: " + event.effectiveDirective + " " + event.blockedURI));`);
  await page.goto(`${origin}/docs`, { waitUntil: "networkidle" });
  return { page, faults };
}

async function fitsItsWidth(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.documentElement.scrollWidth <= window.innerWidth");
}

/** For the eye: set SCREENSHOTS to a folder to look at what was tested. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `docs, ${name}.png`) });
}

function policyOf(header: string | string[] | number | undefined): Record<string, string> {
  const directives = String(header).split("; ");
  return Object.fromEntries(directives.map((directive) => directive.split(/ (.*)/).slice(0, 2)));
}

const SAMPLE_DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Organization Data API",
    version: "1.0.0",
    description: "Clients of one organization.\n\n| Status | Code |\n|---|:---:|\n| 401 | `unauthorized` |",
  },
  // Another host on purpose: the page tries requests against its own origin whatever the document says.
  servers: [{ url: "https://api.example.com" }],
  tags: [{ name: "Clients", description: "The members of the organization." }],
  security: [{ apiKey: [] }],
  paths: {
    "/v1/clients": {
      get: {
        operationId: "listClients",
        tags: ["Clients"],
        summary: "List the clients of the organization",
        parameters: [{ name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 200 } }],
        responses: {
          200: {
            description: "A page of clients.",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: { items: { type: "array", items: { $ref: "#/components/schemas/Client" } } },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: "createClient",
        tags: ["Clients"],
        summary: "Create a client",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Client" } } } },
        responses: { 201: { description: "The client." } },
      },
    },
  },
  components: {
    securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    schemas: {
      Client: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, examples: ["Ana Souza"] },
          idDocument: {
            oneOf: [
              { title: "Cpf", type: "object", properties: { type: { type: "string", const: "cpf" } } },
              {
                title: "Passport",
                type: "object",
                properties: { type: { type: "string", const: "passport" } },
              },
            ],
          },
        },
      },
    },
  },
};
