import { type Check, demand, demandNone } from "./check.ts";
import type { Probe } from "./probe.ts";
import { isObject } from "./shapes.ts";

/** A uuid that no record has. */
export const NOBODY = "01890000-0000-7000-8000-000000000000";

/** Every operation of the specification, as a request that changes nothing. */
const OPERATIONS: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/v1/organization"],
  ["GET", "/v1/locations"],
  ["GET", "/v1/plans"],
  ["GET", `/v1/plans/${NOBODY}`],
  ["GET", "/v1/service-types"],
  ["GET", `/v1/service-types/${NOBODY}`],
  ["GET", "/v1/calendar?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z"],
  ["GET", "/v1/contracts"],
  ["GET", `/v1/contracts/${NOBODY}`],
  ["GET", "/v1/clients"],
  ["POST", "/v1/clients"],
  ["GET", `/v1/clients/${NOBODY}`],
  ["PUT", `/v1/clients/${NOBODY}`],
  ["DELETE", `/v1/clients/${NOBODY}`],
];

/** Credentials that open nothing. */
const WRONG: readonly (readonly [name: string, authorization: string | null])[] = [
  ["no Authorization", null],
  ["an unknown key", "Bearer no-such-key"],
  ["another scheme", "Basic bm8ta2V5Og=="],
  ["an empty key", "Bearer "],
];

export const accessChecks: readonly Check[] = [
  {
    id: "access.every-operation",
    title: "Every operation refuses a caller without a key",
    source: "section 5",
    says: "Every request carries the header Authorization: Bearer <API_KEY>. 401: no bearer token, or a token unknown, revoked or expired.",
    run: async (probe) => {
      const deviations: string[] = [];
      for (const [method, path] of OPERATIONS) {
        const { status } = await probe.send(method, path, {
          authorization: null,
          ...((method === "POST" || method === "PUT") && { body: { contactName: "Nobody" } }),
        });
        if (status !== 401) deviations.push(`${method} ${path} answered ${status} without a key, not 401`);
      }
      demandNone(deviations);
    },
  },
  {
    id: "access.unknown-key",
    title: "A key that is unknown or malformed is refused",
    source: "section 7",
    says: "401 Unauthorized: no bearer token, or a token unknown, revoked or expired.",
    run: async (probe) => {
      for (const [name, authorization] of WRONG) {
        const { status } = await probe.get("/v1/organization", { authorization });
        demand(status === 401, `with ${name} the answer is ${status}, not 401`);
      }
    },
  },
  {
    id: "access.identical",
    title: "All refusals of a credential are the same answer",
    source: "section 5",
    says: "Missing, unknown, revoked and expired tokens all produce an identical 401 response, so the cause cannot be told apart.",
    run: async (probe) => {
      const first = await probe.get("/v1/organization", { authorization: null });
      for (const [name, authorization] of WRONG.slice(1)) {
        const { text, headers } = await probe.get("/v1/organization", { authorization });
        demand(text === first.text, `with ${name} the body differs from the one without Authorization`);
        for (const header of ["content-type", "www-authenticate"])
          demand(
            headers.get(header) === first.headers.get(header),
            `with ${name} ${header} differs from the one without Authorization`,
          );
      }
    },
  },
  {
    id: "access.challenge",
    title: "A 401 says which kind of credential is wanted",
    source: "details",
    says: "401 has WWW-Authenticate: Bearer.",
    run: async (probe) => {
      const { headers } = await probe.get("/v1/organization", { authorization: null });
      const challenge = headers.get("www-authenticate") ?? "";
      demand(/^Bearer\b/i.test(challenge), `WWW-Authenticate is ${JSON.stringify(challenge)}`);
    },
  },
  {
    id: "access.scheme-case",
    title: "The scheme of the credential is read in any case",
    source: "details",
    says: "The name of an authentication scheme has no case (RFC 9110, 11.1).",
    run: async (probe) => {
      const { status } = await probe.get("/v1/organization", { authorization: probe.credential("bearer") });
      demand(status === 200, `with "bearer" in lower case the answer is ${status}, not 200`);
    },
  },
  {
    id: "access.key-unseen",
    title: "The key is in no answer",
    source: "section 5",
    says: "A key is shown once, when an owner mints it, and cannot be recovered afterwards.",
    run: async (probe) => {
      for (const path of ["/v1/organization", "/v1/clients?limit=0", `/v1/clients/${NOBODY}`]) {
        const { text, headers } = await probe.get(path);
        const all = text + [...headers].join("\n");
        demand(!all.includes(probe.credential("").trim()), `the answer to ${path} has the key in it`);
      }
    },
  },
  {
    id: "access.description-open",
    title: "The OpenAPI description can be fetched without a key, and has every operation",
    source: "section 5",
    says: "No authentication is needed to fetch the OpenAPI description (at /openapi.json).",
    run: async (probe) => {
      const { status, body } = await probe.get("/openapi.json", { authorization: null });
      demand(status === 200, `GET /openapi.json answered ${status} without a key, not 200`);
      demand(isObject(body) && typeof body.openapi === "string", "the body is not an OpenAPI document");
      const paths = isObject(body.paths) ? body.paths : {};
      const missing = OPERATIONS.filter(([method, path]) => {
        const template = path.replace(/\?.*$/, "").replace(NOBODY, "{id}");
        const found = Object.entries(paths).find(([name]) => name.replace(/\{\w+\}/, "{id}") === template);
        return !found || !isObject(found[1]) || !(method.toLowerCase() in found[1]);
      });
      demandNone(missing.map(([method, path]) => `it lacks ${method} ${path.replace(NOBODY, "{id}")}`));
    },
  },
  {
    id: "access.unknown-address",
    title: "An unknown path is 404, an unknown method 405 with Allow",
    source: "details",
    says: "Unknown path 404, wrong method 405 with Allow; before the key is looked at.",
    run: async (probe: Probe) => {
      const { status } = await probe.get("/v1/no-such-thing");
      demand(status === 404, `GET of an unknown path answered ${status}, not 404`);
      const wrong = await probe.send("PUT", "/v1/locations", { body: {} });
      demand(wrong.status === 405, `PUT /v1/locations answered ${wrong.status}, not 405`);
      demand(/\bGET\b/.test(wrong.headers.get("allow") ?? ""), "the 405 does not name GET in Allow");
    },
  },
];
