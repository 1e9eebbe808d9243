import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { startApi, type TestOrganization } from "../support/api.ts";
import { CHROMIUM_ARGUMENTS, findChromium } from "../support/browser.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";

const api = await startApi();
/** From dist/test/examples/ the checkout is three levels up. */
const SERVER = fileURLToPath(new URL("../../../examples/signup-form/server.mjs", import.meta.url));
const CPF = "52998224725";

const forms: Form[] = [];
after(async () => {
  await Promise.all(forms.map((form) => form.stop()));
});

describe("the signup form over HTTP", () => {
  let studio: TestOrganization;
  let location: string;
  let form: Form;

  before(async () => {
    studio = await newStudio();
    [location = ""] = await locationIds(studio);
    form = await startForm({ ROLLBOOK_URL: api.url, ROLLBOOK_KEY: studio.key });
  });

  test("works as a plain form post, and a reload after it signs nobody up", async () => {
    const page = await form.get("/");
    assert.equal(page.status, 200);
    for (const text of ["Join Studio &#60;Aurora&#62;", "Centro", "Moema"])
      assert.ok(page.body.includes(text));
    assert.ok(!page.body.includes("Fechada"), "a closed location is not offered");

    const answer = await form.post({
      contactName: " Ana Souza ",
      location,
      cpf: "390.533.447-05",
      notes: "",
    });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/welcome"]);
    assert.match((await form.get("/welcome")).body, /Welcome to Studio/);

    const { body } = await studio.get("/v1/clients?query=39053344705");
    assert.equal(body.total, 1);
    const { body: client } = await studio.get(`/v1/clients/${body.data[0].id}`);
    assert.equal(client.contactName, "Ana Souza");
    assert.deepEqual(client.locationIds, [location]);
    assert.deepEqual(client.idDocument, { type: "cpf", value: "39053344705" });
    assert.equal(client.notes, undefined);
  });

  test("every fault stands beside its field, with what was typed still there", async () => {
    const answer = await form.post({
      contactName: " ",
      contactEmail: `"><script>alert(1)</script>`,
      cpf: "111.111.111-11",
      birthdate: "1899-12-31",
      location: "elsewhere",
    });
    assert.equal(answer.status, 422);
    const faults = [...answer.body.matchAll(/<p class="fault" id="(\w+)-fault">(.*?)<\/p>/g)];
    assert.deepEqual(
      faults.map(([, field, text]) => [field, text]),
      [
        ["contactName", "Full name must not be empty."],
        ["contactEmail", "E-mail must be an e-mail address."],
        ["cpf", "CPF is not a valid CPF."],
        ["birthdate", "Date of birth must be from 1900-01-01 to today."],
        ["location", "Choose one of our locations."],
      ],
    );
    assert.match(answer.body, /value="111\.111\.111-11"[^>]* aria-invalid="true"/);
    assert.ok(answer.body.includes("&#60;script&#62;"));
    assert.doesNotMatch(answer.body, /<script>alert/);
  });

  test("a document of another client is refused without a word about that client", async () => {
    const { body: holder } = await studio.call("POST", "/v1/clients", {
      body: {
        contactName: "Bia Rocha",
        idDocument: { type: "cpf", value: "11144477735" },
        locationIds: [location],
      },
    });
    const answer = await form.post({ contactName: "Caio Lima", cpf: "11144477735", location });
    assert.equal(answer.status, 409);
    assert.match(answer.body, /talk to the front desk/);
    for (const secret of [holder.id, "Bia", "Rocha", "conflict", "already", "active"])
      assert.ok(!answer.body.includes(secret), secret);
  });

  test("the key is in no answer and in no line that the server writes, whatever goes wrong", async () => {
    const answers = await Promise.all([
      ...["/", "/welcome", "/signup.js", "/signup.css", "/nothing", "/.env", "/../server.mjs"].map(form.get),
      form.post({ contactName: "" }),
      form.post({ contactName: "Davi Melo", location }),
      form.send({ method: "PUT" }),
      form.send({ method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
      form.send({ method: "POST", body: "%zz=%", headers: FORM_TYPE }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 404, 404, 404, 422, 303, 405, 415, 422],
    );
    const refused = await startForm({ ROLLBOOK_URL: api.url, ROLLBOOK_KEY: `rbk_${"0".repeat(38)}` });
    answers.push(await refused.get("/"), await refused.post({ contactName: "Eva Dias" }));
    assert.deepEqual(
      answers.slice(-2).map(({ status }) => status),
      [503, 503],
    );
    for (const { body, headers } of answers) {
      assert.doesNotMatch(body + JSON.stringify([...headers]), /rbk_|[Bb]earer/);
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self';/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
    assert.match(refused.output(), /GET \/v1\/organization: 401, request [\w-]+/);
    assert.doesNotMatch(form.output() + refused.output(), /rbk_|Davi|Eva/);
  });

  test("a body over the limit is cut off", async () => {
    const answer = await form.send({
      method: "POST",
      body: `notes=${"x".repeat(17_000)}`,
      headers: FORM_TYPE,
    });
    assert.equal(answer.status, 413);
  });

  test("without a key it does not start, and says why", async () => {
    const child = spawn(process.execPath, [SERVER], { env: { ...process.env, ROLLBOOK_KEY: "" } });
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    const [code] = await once(child, "close");
    assert.equal(code, 1);
    assert.match(said, /^Set ROLLBOOK_KEY/);
  });
});

describe("the signup form in front of a busy server", () => {
  test("429 and 503 are asked again after the time they name, with the signup's own key, and then it is done", async () => {
    const waits = [429, 503];
    const times: number[] = [];
    const keys: unknown[] = [];
    const busy = await startFake((request, response) => {
      if (request.method === "GET") return fakeStudio(request, response);
      times.push(Date.now());
      keys.push(request.headers["idempotency-key"]);
      const status = waits.shift();
      if (status === undefined) response.writeHead(201).end("{}");
      else response.writeHead(status, { "retry-after": "1" }).end("{}");
    });
    const form = await startForm({ ROLLBOOK_URL: busy, ROLLBOOK_KEY: FAKE_KEY });
    assert.equal((await form.post({ contactName: "Ana Souza" })).status, 303);
    assert.equal(times.length, 3);
    assert.ok(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) >= 950));
    assert.equal((await form.post({ contactName: "Bia Lima" })).status, 303);
    assert.equal(new Set(keys.slice(0, 3)).size, 1);
    assert.notEqual(keys[3], keys[0]);
    assert.match(String(keys[3]), /^[0-9a-f-]{36}$/);
  });

  test("a wait that is too long is not waited for: the visitor reads so, and keeps what was typed", async () => {
    let tries = 0;
    const busy = await startFake((request, response) => {
      if (request.method === "GET") return fakeStudio(request, response);
      tries++;
      response.writeHead(429, { "retry-after": "3600" }).end("{}");
    });
    const form = await startForm({ ROLLBOOK_URL: busy, ROLLBOOK_KEY: FAKE_KEY });
    const answer = await form.post({ contactName: "Ana Souza" });
    assert.deepEqual([answer.status, tries], [503, 1]);
    assert.match(answer.body, /cannot take signups right now/);
    assert.match(answer.body, /value="Ana Souza"/);
  });
});

describe("the signup form in a browser", () => {
  const executablePath = findChromium();
  let browser: Browser | undefined;
  let studio: TestOrganization;
  let form: Form;

  before(async () => {
    if (!executablePath) return;
    browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
    studio = await newStudio();
    form = await startForm({ ROLLBOOK_URL: api.url, ROLLBOOK_KEY: studio.key });
  });
  after(async () => {
    await browser?.close();
  });

  const readers: [string, BrowserContextOptions][] = [
    ["desktop", { viewport: { width: 1280, height: 860 } }],
    ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" }],
  ];
  for (const [reader, settings] of readers) {
    test(`on a ${reader}: faults beside the fields, the mask, success, and the same document once more`, async (t) => {
      if (!browser) return t.skip("no Chromium on this machine");
      const { page, faults } = await openForm(browser, form.url, settings);
      await keepPicture(page, `${reader}, empty`);

      await page.getByLabel("CPF").pressSequentially("1111111111199");
      assert.equal(await page.getByLabel("CPF").inputValue(), "111.111.111-11");
      await page.getByLabel("E-mail").fill("ana@");
      await page.getByRole("button", { name: "Sign up" }).click();
      const cpf = page.getByLabel("CPF");
      await page.getByRole("alert").waitFor();
      assert.equal(await cpf.getAttribute("aria-invalid"), "true");
      assert.equal(
        await descriptionOf(page, "cpf"),
        "Eleven digits. Leave it empty if you have none. CPF is not a valid CPF.",
      );
      assert.equal(await descriptionOf(page, "contactEmail"), "E-mail must be an e-mail address.");
      assert.equal(await descriptionOf(page, "contactName"), "Full name must not be empty.");
      assert.ok(await page.getByText("Choose one of our locations.").last().isVisible());
      assert.equal(await focused(page), "summary", "the news has the focus");
      assert.equal(new URL(page.url()).pathname, "/");
      await keepPicture(page, `${reader}, faults`);

      await page.getByRole("link", { name: "Full name must not be empty." }).click();
      assert.equal(await focused(page), "contactName", "a link leads to its field");

      const [digits, masked] =
        reader === "phone" ? ["39053344705", "390.533.447-05"] : [CPF, "529.982.247-25"];
      await page.getByLabel("Full name").fill("José d'Ávila");
      await page.getByLabel("E-mail").fill("jose@example.com");
      await cpf.fill("");
      await cpf.pressSequentially(digits);
      assert.equal(await cpf.inputValue(), masked);
      // In the middle: the cursor stays where it was, and does not jump to the end.
      await page.evaluate("document.getElementById('cpf').setSelectionRange(5, 5)");
      await page.keyboard.press("Backspace");
      await page.keyboard.type(digits.slice(3, 4));
      assert.equal(await cpf.inputValue(), masked);
      await page.getByLabel("Moema").check();
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { name: "Welcome to Studio <Aurora>!" }).waitFor();
      assert.equal(await page.title(), "Welcome · Studio <Aurora>");
      assert.equal(await focused(page), "success");
      await keepPicture(page, `${reader}, success`);
      const { body } = await studio.get(`/v1/clients?query=${digits}`);
      assert.deepEqual([body.total, body.data[0].contactName], [1, "José d'Ávila"]);

      await page.goto(form.url);
      await page.getByLabel("Full name").fill("Rui Faria");
      await page.getByLabel("CPF").fill(digits);
      await page.getByLabel("Centro").check();
      await page.keyboard.press("Enter");
      await page.getByText("talk to the front desk").waitFor();
      assert.equal(await page.getByLabel("Full name").inputValue(), "Rui Faria");
      assert.equal(await page.getByLabel("CPF").inputValue(), masked);
      assert.ok(await page.getByLabel("Centro").isChecked());
      await keepPicture(page, `${reader}, conflict`);
      assert.ok(await page.evaluate<boolean>("document.documentElement.scrollWidth <= window.innerWidth"));

      await page.context().close();
      assert.deepEqual(faults, []);
    });
  }

  test("without scripts the same form does the same", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page, faults } = await openForm(browser, form.url, { javaScriptEnabled: false });
    await page.getByLabel("Full name").fill("Lia Prado");
    await page.getByLabel("CPF").fill("123");
    await page.getByLabel("Centro").check();
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText("CPF is not a valid CPF.").last().waitFor();
    await page.getByLabel("CPF").fill("111.444.777-35");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.waitForURL("**/welcome");
    await page.context().close();
    assert.deepEqual(faults, []);
  });

  test("when the connection breaks, what was typed stays and the form can be sent again", async (t) => {
    if (!browser) return t.skip("no Chromium on this machine");
    const { page } = await openForm(browser, form.url, {});
    await page.getByLabel("Full name").fill("Noé Sales");
    await page.getByLabel("Centro").check();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText("No connection.").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.context().close();
  });
});

interface Form {
  readonly url: string;
  output(): string;
  get(path: string): Promise<FormAnswer>;
  post(fields: Record<string, string>): Promise<FormAnswer>;
  send(options: RequestInit): Promise<FormAnswer>;
  stop(): Promise<void>;
}

interface FormAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
const FAKE_KEY = `rbk_${"a".repeat(38)}`;

/** The example as its reader starts it, on a port of its own. */
async function startForm(settings: { ROLLBOOK_URL: string; ROLLBOOK_KEY: string }): Promise<Form> {
  const child = spawn(process.execPath, [SERVER], {
    env: { ...process.env, ...settings, PORT: "0", HOST: "" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const url = await until("the form listens", async () => /http:\S+(?=\/\n)/.exec(output)?.[0]);
  const call = async (path: string, options: RequestInit): Promise<FormAnswer> => {
    const response = await fetch(url + path, { redirect: "manual", ...options });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const form: Form = {
    url,
    output: () => output,
    get: (path) => call(path, {}),
    post: (fields) => call("/", { method: "POST", body: new URLSearchParams(fields) }),
    send: (options) => call("/", options),
    stop: () => endOf(child),
  };
  forms.push(form);
  return form;
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGKILL");
  await ended;
}

async function newStudio(): Promise<TestOrganization> {
  const studio = await api.newOrganization({ name: "Studio <Aurora>" });
  await addLocation(api.db, studio.id, { name: "Centro" });
  await addLocation(api.db, studio.id, { name: "Moema" });
  await addLocation(api.db, studio.id, { name: "Fechada", status: "closed" });
  return studio;
}

async function locationIds(studio: TestOrganization): Promise<string[]> {
  const { body } = await studio.get("/v1/locations");
  return (body.data as { id: string }[]).map(({ id }) => id);
}

/** A server that answers like Rollbook, but with what a healthy one seldom says. */
async function startFake(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fakeStudio(request: IncomingMessage, response: ServerResponse): void {
  const location = { id: "018bc07b-1e9c-7ed4-bda5-cddf9d6c5ab4", name: "Centro", status: "active" };
  const body = request.url === "/v1/organization" ? { name: "Aurora" } : { data: [location], total: 1 };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Opens the form and gathers whatever must not happen there, until the context is closed. */
async function openForm(
  browser: Browser,
  url: string,
  settings: BrowserContextOptions,
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  page.setDefaultTimeout(8_000);
  const faults: string[] = [];
  context.on("request", (request) => {
    if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(`${url}/`))
      faults.push(`request to ${request.url()}`);
    if (/rbk_/.test(JSON.stringify(request.headers()))) faults.push("the key in the browser");
  });
  page.on("pageerror", (error) => faults.push(`uncaught ${error.message}`));
  page.on("console", (message) => {
    // Chromium notes every answer from 400 on as an error; here they are part of the form.
    if (message.type() === "error" && !/status of (409|422)/.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

/** What a screen reader adds to the name of the field. */
function descriptionOf(page: Page, id: string): Promise<string> {
  return page.evaluate<string>(
    `document.getElementById("${id}").getAttribute("aria-describedby").split(" ")
       .map((part) => document.getElementById(part).textContent).join(" ")`,
  );
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.id || document.activeElement.className");
}

/** For the eye: set SCREENSHOTS to a folder to look at what was tested. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `signup, ${name}.png`), fullPage: true });
}
