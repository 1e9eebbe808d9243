import { NOBODY } from "./access-checks.ts";
import { type Check, demand, demandNone } from "./check.ts";
import type { Exchange } from "./exchange.ts";
import { calendarPath, type Probe } from "./probe.ts";
import { isObject, valuesIn } from "./shapes.ts";

/** Every kind of body there is to look at. */
async function samplesOf(probe: Probe): Promise<Exchange[]> {
  await Promise.all([probe.organization(), probe.locations(), probe.plans(), probe.serviceTypes()]);
  const lists = [await probe.contracts(), await probe.clients()];
  await probe.sessions();
  for (const [place, path] of ["/v1/contracts", "/v1/clients"].entries()) {
    const id = lists[place]?.data[0]?.id;
    if (id !== undefined) await probe.sampleOf(`${path}/${id}`);
  }
  return probe.exchanges;
}

/** Requests that are refused, each for another cause. */
async function refusalsOf(probe: Probe): Promise<Exchange[]> {
  await probe.get("/v1/organization", { authorization: null });
  await probe.get("/v1/no-such-thing");
  await probe.get(`/v1/clients/${NOBODY}`);
  await probe.get("/v1/clients?limit=0");
  await probe.send("PUT", "/v1/locations", { body: {} });
  return probe.exchanges;
}

const MEMBER_NAME = /^[a-z][a-zA-Z0-9]*$/;
const INSTANT_NAME = /^(?:\w+At)$/;
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const wireChecks: readonly Check[] = [
  {
    id: "wire.json",
    title: "Answers are JSON and say so",
    source: "section 1",
    says: "Requests and responses are JSON.",
    run: async (probe) => {
      const deviations = (await samplesOf(probe)).flatMap(({ path, headers }) => {
        const type = headers.get("content-type") ?? "";
        return /^application\/json\s*(;|$)/i.test(type) ? [] : [`${path} is sent as ${JSON.stringify(type)}`];
      });
      demandNone(deviations);
    },
  },
  {
    id: "wire.camel-case",
    title: "Field names are camelCase",
    source: "section 1",
    says: "Field names are camelCase.",
    run: async (probe) => {
      const names = new Set<string>();
      for (const { body } of await samplesOf(probe))
        for (const { name } of valuesIn(body))
          if (name !== "" && name !== "$schema" && !MEMBER_NAME.test(name)) names.add(name);
      demandNone([...names].map((name) => `${JSON.stringify(name)} is not camelCase`));
    },
  },
  {
    id: "wire.schema-link",
    title: "Every response carries $schema",
    source: "section 1",
    says: "Every response carries a $schema link field.",
    run: async (probe) => {
      demandNone(
        (await samplesOf(probe)).flatMap(({ path, body }) =>
          isObject(body) && typeof body.$schema === "string" ? [] : [`${path} has no $schema`],
        ),
      );
    },
  },
  {
    id: "wire.schema-link-form",
    title: "$schema is an absolute URL, comes first, and is there in failures too",
    source: "details",
    says: "$schema is the first member of the top-level object of every JSON body, errors included, and an absolute URL.",
    run: async (probe) => {
      await samplesOf(probe);
      demandNone(
        (await refusalsOf(probe)).flatMap(({ method, path, body }) => {
          const [first] = isObject(body) ? Object.keys(body) : [];
          const link = isObject(body) ? String(body.$schema) : "";
          if (first !== "$schema") return [`${method} ${path} begins with ${first ?? "nothing"}`];
          return URL.canParse(link) ? [] : [`$schema of ${method} ${path} is no absolute URL`];
        }),
      );
    },
  },
  {
    id: "wire.absent",
    title: "A member without a value is absent",
    source: "details",
    says: "Members that are optional and have no value are absent, never null and never the empty string.",
    run: async (probe) => {
      demandNone(
        (await samplesOf(probe)).flatMap(({ path, body }) =>
          [...valuesIn(body)]
            .filter(({ value }) => value === null || value === "")
            .map(({ at, value }) => `${at} of ${path} is ${JSON.stringify(value)}`),
        ),
      );
    },
  },
  {
    id: "wire.instants",
    title: "Instants are UTC with milliseconds",
    source: "details",
    says: "Instants are UTC with milliseconds: 2026-11-15T09:30:00.000Z.",
    run: async (probe) => {
      demandNone(
        (await samplesOf(probe)).flatMap(({ path, body }) =>
          [...valuesIn(body)]
            .filter(
              ({ name, value }) => INSTANT_NAME.test(name) && typeof value === "string" && !UTC.test(value),
            )
            .map(({ at }) => `${at} of ${path} is not written so`),
        ),
      );
    },
  },
  {
    id: "wire.whole-numbers",
    title: "Numbers are integers",
    source: "section 1",
    says: "Money: integer minor units of the currency's smallest unit; no decimals anywhere.",
    run: async (probe) => {
      demandNone(
        (await samplesOf(probe)).flatMap(({ path, body }) =>
          [...valuesIn(body)]
            .filter(({ value }) => typeof value === "number" && !Number.isSafeInteger(value))
            .map(({ at }) => `${at} of ${path} is not an integer`),
        ),
      );
    },
  },
  {
    id: "wire.problem",
    title: "Failures are problem documents",
    source: "details",
    says: "application/problem+json (RFC 9457), one shape for every failure: title, status, code, detail.",
    run: async (probe) => {
      demandNone(
        (await refusalsOf(probe)).flatMap(({ method, path, status, headers, body }) => {
          const type = headers.get("content-type") ?? "";
          const what = `${status} of ${method} ${path}`;
          if (!type.startsWith("application/problem+json"))
            return [`${what} is sent as ${JSON.stringify(type)}`];
          if (!isObject(body)) return [`${what} has no object`];
          const missing = ["title", "code", "detail"].filter((name) => typeof body[name] !== "string");
          if (body.status !== status) missing.push("status");
          return missing.map((name) => `${what} has no right ${name}`);
        }),
      );
    },
  },
  {
    id: "wire.faults-located",
    title: "All faults of a request are told at once, each with its place",
    source: "details",
    says: "422 lists all faults at once, each with its location (path.id, query.to, body.locationIds[1]).",
    run: async (probe) => {
      const { status, body } = await probe.get("/v1/clients?limit=0&offset=-1&status=nonsense");
      demand(status === 422, `three wrong parameters answered ${status}, not 422`);
      const errors = isObject(body) && Array.isArray(body.errors) ? body.errors.filter(isObject) : [];
      const places = errors.map(({ location }) => location);
      for (const place of ["query.limit", "query.offset", "query.status"])
        demand(places.includes(place), `${place} is not among the faults: ${places.join(", ") || "none"}`);
      demand(
        errors.every(({ message }) => typeof message === "string"),
        "a fault has no message",
      );
    },
  },
  {
    id: "wire.values-unsaid",
    title: "Refused values are not repeated",
    source: "details",
    says: "Rejected values are never echoed (they are personal data).",
    run: async (probe) => {
      const { text } = await probe.get("/v1/clients?status=zq8-marker&locationId=zq9-marker");
      demand(!/zq[89]-marker/.test(text), "the answer repeats what was sent");
    },
  },
  {
    id: "wire.request-id",
    title: "Every response has X-Request-Id, the caller's own if it is a plain one",
    source: "details",
    says: "Every response has X-Request-Id (the caller's own, if it matches [A-Za-z0-9._-]{1,128}, else a new one).",
    run: async (probe) => {
      const own = await probe.get("/v1/organization", { headers: { "x-request-id": "conformance-1" } });
      demand(own.headers.get("x-request-id") === "conformance-1", "the caller's own id does not come back");
      const bad = await probe.get("/v1/organization", { headers: { "x-request-id": "not plain!" } });
      const made = bad.headers.get("x-request-id") ?? "";
      demand(
        made !== "" && made !== "not plain!",
        `instead of an id that is not plain comes ${JSON.stringify(made)}`,
      );
      const refused = await probe.get("/v1/no-such-thing");
      demand(refused.headers.has("x-request-id"), "a 404 has none");
    },
  },
  {
    id: "wire.no-cors",
    title: "Pages of other websites are not let in",
    source: "details",
    says: "No CORS headers: keys never belong in a browser.",
    run: async (probe) => {
      const { headers } = await probe.get("/v1/organization", {
        headers: { origin: "https://shop.example" },
      });
      demand(!headers.has("access-control-allow-origin"), "the answer has Access-Control-Allow-Origin");
    },
  },
  {
    id: "wire.head",
    title: "HEAD answers as GET without the body",
    source: "details",
    says: "HEAD answers as GET without the body.",
    run: async (probe) => {
      for (const path of ["/v1/organization", "/v1/clients?limit=0"]) {
        const got = await probe.get(path);
        const head = await probe.send("HEAD", path);
        demand(head.status === got.status, `HEAD ${path} answered ${head.status}, GET ${got.status}`);
        demand(head.text === "", `HEAD ${path} has a body`);
      }
    },
  },
  {
    id: "wire.rate",
    title: "Where there is a rate limit, its headers can be read",
    source: "details",
    says: 'RateLimit: "default";r=…;t=… and RateLimit-Policy: "default";q=…;w=60; on 429 also Retry-After in whole seconds.',
    run: async (probe) => {
      const { headers } = await probe.get("/v1/organization");
      const [limit, policy] = [headers.get("ratelimit"), headers.get("ratelimit-policy")];
      demandNone(probe.rateFaults());
      if (limit === null && policy === null) return;
      demand(/^"\w+";r=\d+;t=\d+$/.test(limit ?? ""), `RateLimit is ${JSON.stringify(limit)}`);
      demand(/^"\w+";q=\d+;w=\d+$/.test(policy ?? ""), `RateLimit-Policy is ${JSON.stringify(policy)}`);
    },
  },
  {
    id: "wire.parameters",
    title: "Parameters that an operation does not have, or that come twice, are refused",
    source: "details",
    says: "An unknown parameter is 422: a misspelt filter would return everything. So is one that is given twice.",
    run: async (probe) => {
      const cases = ["/v1/clients?statsu=archived", "/v1/clients?limit=5&limit=6", "/v1/clients?limit=5.0"];
      for (const path of cases) {
        const { status } = await probe.get(path);
        demand(status === 422, `GET ${path} answered ${status}, not 422`);
      }
    },
  },
  {
    id: "wire.unmodified",
    title: "What has not changed is not sent again",
    source: "details",
    says: "Every 200 of GET carries a strong ETag; If-None-Match with it is 304 without a body.",
    run: async (probe) => {
      for (const path of ["/v1/organization", "/v1/locations", calendarPath(probe.window())]) {
        const tag = (await probe.get(path)).headers.get("etag") ?? "";
        demand(/^"[^"]+"$/.test(tag), `ETag of ${path} is ${JSON.stringify(tag)}`);
        const again = await probe.get(path, { headers: { "if-none-match": tag } });
        demand(
          again.status === 304 && again.text === "",
          `with its tag ${path} answered ${again.status}, not 304`,
        );
      }
    },
  },
];
