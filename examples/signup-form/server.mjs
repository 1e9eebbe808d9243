// A signup form in front of Rollbook: this process holds the API key, the browser never sees it. It needs
// nothing but Node: `ROLLBOOK_KEY=rbk_… node server.mjs`.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { FIELDS, formPage, messagePage, welcomePage } from "./page.mjs";

const api = (process.env.ROLLBOOK_URL || "http://127.0.0.1:8080").replace(/\/+$/, "");
const key = process.env.ROLLBOOK_KEY;
const host = process.env.HOST || "127.0.0.1";
const port = Number(process.env.PORT || 3000);

const BODY_LIMIT_BYTES = 16 * 1024;
const API_TIMEOUT_MS = 8_000;
/** How often, and how long in all, one signup waits for Rollbook to have time for it. */
const MAX_TRIES = 4;
const MAX_WAIT_MS = 12_000;
/** Name and locations change rarely; the key's rate is there for signups. */
const STUDIO_FRESH_MS = 60_000;

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

if (!/^rbk_\w{38}$/.test(key ?? "")) {
  process.stderr.write("Set ROLLBOOK_KEY to a key of your organization: rollbook key mint --org ID\n");
  process.exit(1);
}

const assets = new Map([
  ["/signup.css", { type: "text/css", body: await readFile(new URL("public/signup.css", import.meta.url)) }],
  [
    "/signup.js",
    { type: "text/javascript", body: await readFile(new URL("public/signup.js", import.meta.url)) },
  ],
]);

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    // Neither the visitor nor the log gets more than this: what was sent is personal data.
    process.stderr.write(`${request.method} failed: ${error instanceof Error ? error.message : "?"}\n`);
    if (response.headersSent) response.destroy();
    else sendPage(response, 500, messagePage(UNAVAILABLE));
  });
});
server.requestTimeout = 10_000;
server.listen(port, host, () => {
  const { port: chosen } = server.address();
  process.stdout.write(`Signup form at http://${host.includes(":") ? `[${host}]` : host}:${chosen}/\n`);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close());

async function answer(request, response) {
  const path = new URL(request.url, "http://form").pathname;
  const reads = request.method === "GET" || request.method === "HEAD";
  const asset = assets.get(path);
  if (asset && reads) {
    response.writeHead(200, {
      ...HEADERS,
      "content-type": `${asset.type}; charset=utf-8`,
      "cache-control": "public, max-age=300",
    });
    response.end(asset.body);
  } else if (path === "/welcome" && reads) {
    const studio = await readStudio();
    sendPage(response, 200, studio ? welcomePage(studio) : messagePage(UNAVAILABLE));
  } else if (path === "/" && reads) {
    const studio = await readStudio();
    if (studio) sendPage(response, 200, formPage(studio));
    else sendPage(response, 503, messagePage(UNAVAILABLE));
  } else if (path === "/" && request.method === "POST") {
    await signUp(request, response);
  } else {
    const isKnown = asset || path === "/" || path === "/welcome";
    if (isKnown) response.setHeader("allow", path === "/" ? "GET, HEAD, POST" : "GET, HEAD");
    sendPage(response, isKnown ? 405 : 404, messagePage({ title: "There is nothing here", text: "" }));
  }
}

const UNAVAILABLE = {
  title: "We cannot take signups right now",
  text: "Please try again in a few minutes, or talk to us at the front desk.",
};
const TOO_LONG = { title: "That was too much text", text: "Please go back and shorten it." };

/** What the visitor reads if the details are another client's. It does not say so: anyone may type a CPF. */
const CONFLICT =
  "We could not finish this online. Please talk to the front desk: if you have trained with us before, they will find you in a minute.";

async function signUp(request, response) {
  const type = request.headers["content-type"]?.split(";", 1)[0];
  if (type !== "application/x-www-form-urlencoded")
    return sendPage(response, 415, messagePage({ title: "This form cannot be sent that way", text: "" }));
  const text = await readBody(request);
  if (text === undefined) {
    response.setHeader("connection", "close");
    return sendPage(response, 413, messagePage(TOO_LONG));
  }
  const studio = await readStudio();
  if (!studio) return sendPage(response, 503, messagePage(UNAVAILABLE));

  const values = readForm(text);
  const { status, problem } = await callApi("POST", "/v1/clients", toClient(values, studio));
  if (status === 201) {
    // Seen after a redirect, so that loading the page again does not sign anyone up again.
    response.writeHead(303, { ...HEADERS, location: "/welcome", "cache-control": "no-store" }).end();
  } else if (status === 422) {
    sendPage(response, 422, formPage(studio, { values, ...toFaults(problem) }));
  } else if (status === 409) {
    sendPage(response, 409, formPage(studio, { values, notice: CONFLICT }));
  } else {
    sendPage(
      response,
      503,
      formPage(studio, { values, notice: `${UNAVAILABLE.title}. ${UNAVAILABLE.text}` }),
    );
  }
}

/** The body as text, or nothing if it is too long. */
async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readForm(text) {
  const form = new URLSearchParams(text);
  return Object.fromEntries(FIELDS.map(({ name }) => [name, form.get(name) ?? ""]));
}

/** The client to create. Empty boxes need no care: Rollbook takes an empty optional text as absent. */
function toClient(values, studio) {
  const { contactName, contactEmail, contactPhone, birthdate, notes } = values;
  // Spaces and odd punctuation go; what has no digit at all is sent as it is, and refused.
  const cpf = values.cpf.replace(/\D/g, "") || values.cpf.trim();
  const chosen = studio.locations.find(({ id }) => id === values.location);
  return {
    contactName,
    contactEmail,
    contactPhone,
    birthdate,
    ...(cpf !== "" && { idDocument: { type: "cpf", value: cpf } }),
    locationIds: chosen ? [chosen.id] : [],
    notes,
  };
}

/** Rollbook's faults by the field they belong to; those of no field are shown at the top. */
function toFaults(problem) {
  const faults = {};
  let notice;
  for (const { location, message } of problem?.errors ?? []) {
    const [member] = /^body\.\w+/.exec(location) ?? [];
    const field = FIELDS.find((candidate) => candidate.member === member);
    if (field) faults[field.name] ??= message;
    else notice = "Some of this could not be accepted. Please check it, or talk to us at the front desk.";
  }
  return { faults, notice };
}

let known;

/** The organization's name and its open locations; the last ones known while Rollbook is away. */
async function readStudio() {
  if (known && Date.now() - known.readAt < STUDIO_FRESH_MS) return known.studio;
  const [organization, locations] = await Promise.all([
    callApi("GET", "/v1/organization"),
    callApi("GET", "/v1/locations"),
  ]);
  if (organization.status === 200 && locations.status === 200) {
    const open = locations.body.data.filter(({ status }) => status === "active");
    known = { readAt: Date.now(), studio: { name: organization.body.name, locations: open } };
  }
  return known?.studio;
}

/**
 * One call of the API; when it is busy it is asked again after the time it names. A write has one key for all its tries,
 * so that it is carried out once, even if a try that failed was carried out after all.
 */
async function callApi(method, path, body) {
  const idempotencyKey = randomUUID();
  let waitedMs = 0;
  for (let tries = 1; ; tries++) {
    const response = await fetch(api + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json", "idempotency-key": idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(API_TIMEOUT_MS),
    }).catch(() => undefined);
    const { status = 503 } = response ?? {};
    // 429, 503, and 409 while another try is still being carried out.
    const waitMs = 1000 * Number(response?.headers.get("retry-after") ?? Number.NaN);
    if (tries < MAX_TRIES && waitedMs + waitMs <= MAX_WAIT_MS) {
      await response.body?.cancel();
      await delay(waitMs);
      waitedMs += waitMs;
      continue;
    }
    const answered = await response?.json().catch(() => undefined);
    if (status >= 400 && status !== 422 && status !== 409) {
      const requestId = response?.headers.get("x-request-id") ?? "none";
      process.stderr.write(`${method} ${path}: ${response ? status : "no answer"}, request ${requestId}\n`);
    }
    return status < 400 ? { status, body: answered } : { status, problem: answered };
  }
}

function sendPage(response, status, page) {
  response.writeHead(status, {
    ...HEADERS,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(page);
}
