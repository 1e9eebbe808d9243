import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A small server that speaks the API from memory, right unless it is told to be wrong in one way. */

/** The ways in which it can be wrong, each with the checks that must say so. */
export const FLAWS = {
  "lists without a key": ["access.every-operation"],
  "takes any key": ["access.unknown-key"],
  "says which key is unknown": ["access.identical"],
  "no challenge": ["access.challenge"],
  "shows the key": ["access.key-unseen"],
  "hides its description": ["access.description-open"],
  "405 as 404": ["access.unknown-address"],
  "text instead of JSON": ["wire.json"],
  snake_case: ["wire.camel-case", "clients.list"],
  "no $schema": ["wire.schema-link"],
  "$schema comes last": ["wire.schema-link-form"],
  "null for absent": ["wire.absent"],
  "local instants": ["wire.instants"],
  "prices with decimals": ["wire.whole-numbers", "plans.list"],
  "failures in words": ["wire.problem"],
  "one fault at a time": ["wire.faults-located"],
  "repeats wrong values": ["wire.values-unsaid"],
  "no request id": ["wire.request-id"],
  "lets any website in": ["wire.no-cors"],
  "HEAD with 404": ["wire.head"],
  "rate without form": ["wire.rate"],
  "passes over unknown parameters": ["wire.parameters"],
  "no 304": ["wire.unmodified"],
  "zone as an offset": ["organization.record"],
  "locations paged": ["locations.list"],
  "hides closed locations": ["locations.list", "calendar.references"],
  "words of its own": ["values.words"],
  "random ids": ["values.ids"],
  "another record by its id": ["plans.one"],
  "200 for unknown ids": ["plans.unknown-id", "clients.unknown-id"],
  "total of the page": ["clients.paging"],
  "passes over offset": ["clients.paging"],
  "any limit": ["clients.page-bounds"],
  "oldest first": ["clients.newest-first"],
  "lists active clients alone": ["clients.status"],
  "search by case": ["clients.search", "plans.search"],
  "everywhere and somewhere": ["plans.all-locations"],
  "interval of one-time plans": ["plans.billing-interval"],
  "credits on access": ["plans.entitlements"],
  "passes over billingKind": ["plans.billing-kind"],
  "entitlements in lists": ["contracts.entitlements"],
  "contracts of others": ["contracts.of-client"],
  "contracts elsewhere": ["contracts.at-location"],
  "answered without an answer": ["contracts.terms"],
  "window open at its start": ["calendar.start-inclusive"],
  "window closed at its end": ["calendar.end-exclusive"],
  "offsets passed over": ["calendar.offsets"],
  "any length of window": ["calendar.window-length"],
  "window not needed": ["calendar.window-needed"],
  "windows backwards": ["calendar.window-faults"],
  "passes over locationId": ["calendar.filters"],
  "ends before it starts": ["calendar.ends-after-start"],
  "says who is booked": ["calendar.nobody-named"],
  "sessions in any order": ["calendar.order"],
  "locations in the list of clients": ["clients.locations-omitted"],
  "stored with punctuation": ["clients.documents", "create.cpf-digits"],
  "names are searched alone": ["clients.search-email", "clients.search-phone", "clients.search-document"],
  "accents matter": ["clients.search-accents"],
  "any word is enough": ["clients.search-terms"],
  "members of all locations": ["clients.of-location"],
  "200 for a create": ["create.stored"],
  "no Location": ["create.location-header"],
  "an e-mail is required": ["create.name-alone"],
  "stale lists": ["create.listed"],
  "takes any CPF": ["create.cpf-checked"],
  "documents without type": ["create.document-parts"],
  "documents held twice": ["create.document-held"],
  "holder untold": ["create.document-holder"],
  "archived documents are free": ["create.document-held"],
  "cases of documents": ["create.other-document"],
  "first location taken": ["create.locations"],
  "takes unknown members": ["create.strict"],
  "any e-mail": ["create.email"],
  "any birthdate": ["create.birthdate"],
  "does not trim": ["create.trimmed"],
  "takes text for JSON": ["create.body"],
  "creates twice": ["create.idempotency"],
  "replaces in part": ["replace.whole"],
  "updatedAt always moves": ["replace.read-back"],
  "replace revives": ["replace.status-kept"],
  "replace takes held documents": ["replace.rules"],
  deletes: ["archive.kept"],
  "archives with a body": ["archive.again"],
  "If-Match passed over": ["write.if-match"],
} as const;

export type Flaw = keyof typeof FLAWS;

export const KEY = "rbk_stand-in";
const DAY_MS = 86_400_000;

type Json = Record<string, unknown>;

interface Answer {
  readonly status: number;
  readonly body?: Json | string;
  readonly headers?: Record<string, string>;
}

interface Fault {
  readonly location: string;
  readonly message: string;
}

class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, more: Json = {}, headers: Record<string, string> = {}) {
    super(code);
    this.answer = { status, body: { title: code, status, code, detail: `${code}.`, ...more }, headers };
  }
}

/** Ids that rise with time. */
let lastId = 0;
function newId(): string {
  lastId++;
  const time = (0x019a00000000 + lastId).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${randomUUID().slice(-12)}`;
}

export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

export async function startStandIn(flaw?: Flaw): Promise<StandIn> {
  const studio = new Studio((name) => name === flaw);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { status, text, headers } = studio.answer(request, Buffer.concat(pieces).toString());
      response.writeHead(status, headers);
      response.end(request.method === "HEAD" ? undefined : text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Studio {
  readonly #is: (flaw: Flaw) => boolean;
  readonly #locations: Json[];
  readonly #plans: Json[];
  readonly #types: Json[];
  readonly #contracts: Json[];
  readonly #sessions: Json[];
  readonly #keyed = new Map<string, { readonly body: string; readonly answer: Answer }>();
  #clients: Json[];
  #clock = Date.parse("2026-05-01T00:00:00Z");

  constructor(is: (flaw: Flaw) => boolean) {
    this.#is = is;
    const at = { createdAt: this.#now(), updatedAt: this.#now() };
    const [centro, norte] = [newId(), newId()];
    const zone = "America/Sao_Paulo";
    this.#locations = [
      { id: centro, name: "Centro", status: "active", timezone: zone },
      { id: norte, name: "Norte", status: "closed", timezone: zone },
    ];
    this.#types = ["Pilates solo", "Yoga"].map((name) => ({
      id: newId(),
      name,
      holdsResource: false,
      status: "active",
      ...at,
    }));
    const sale = { currency: "BRL", isTrial: false };
    const access = { type: "access", maxVisitsPerPeriod: 2, period: "week" };
    const credits = { type: "credits", creditQuantity: 10 };
    this.#plans = [
      {
        id: newId(),
        name: "Mensal livre",
        status: "active",
        billingKind: "recurring",
        billingInterval: "month",
        priceCents: 26_000,
        ...sale,
        allLocations: true,
        locationIds: [],
        entitlements: [access],
        ...at,
      },
      {
        id: newId(),
        name: "Dez aulas",
        status: "archived",
        billingKind: "one_time",
        priceCents: 40_000,
        ...sale,
        allLocations: false,
        locationIds: [centro],
        entitlements: [credits],
        ...at,
      },
    ];
    const person = (contactName: string, more: Json = {}): Json => ({
      id: newId(),
      contactName,
      address: {},
      locationIds: [centro],
      status: "active",
      ...at,
      ...more,
    });
    this.#clients = [
      person("Ana Souza", { contactEmail: "ana@example.com", contactPhone: "+55 11 98765-4321" }),
      person("Bruno Conceição", { idDocument: { type: "cpf", value: "52998224725" } }),
      person("Carla Dias", {
        status: "archived",
        locationIds: [norte],
        birthdate: "1990-04-23",
        notes: "Mornings.",
      }),
    ];
    const [ana = {}, bruno = {}] = this.#clients;
    const [free = {}, ten = {}] = this.#plans;
    const sold = (client: Json, plan: Json, more: Json): Json => ({
      id: newId(),
      clientId: client.id,
      planId: plan.id,
      planName: plan.name,
      priceCents: plan.priceCents,
      billingKind: plan.billingKind,
      startDate: "2026-01-01",
      status: "active",
      accessBlocked: false,
      ...sale,
      ...at,
      ...more,
    });
    this.#contracts = [
      sold(ana, free, {
        allLocations: true,
        locationIds: [],
        termsResponse: "accepted",
        termsRespondedAt: this.#now(),
        entitlements: [{ id: newId(), ...access }],
      }),
      sold(bruno, ten, {
        allLocations: false,
        locationIds: [norte],
        status: "cancelled",
        cancelledAt: this.#now(),
        entitlements: [{ id: newId(), type: "credits", remainingCredits: 4 }],
      }),
    ];
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    this.#sessions = Array.from({ length: 40 }, (_, day) => {
      const start = today + (day - 20) * DAY_MS + 10 * 3_600_000;
      return {
        scheduleId: centro,
        serviceTypeId: this.#types[day % 2]?.id,
        locationId: day % 2 === 0 ? centro : norte,
        startAt: new Date(start).toISOString(),
        endAt: new Date(start + 3_000_000 * (this.#is("ends before it starts") ? -1 : 1)).toISOString(),
        capacity: 12,
        bookedCount: 3,
        status: "scheduled",
        ...(this.#is("says who is booked") && { clientIds: [ana.id] }),
      };
    });
  }

  answer(
    request: IncomingMessage,
    sent: string,
  ): { status: number; text: string; headers: Record<string, string> } {
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
    let { status, body, headers = {} } = this.#try(request, sent);
    const isProblem = status >= 400;
    let shown = body;
    if (typeof body === "object") {
      const link = { $schema: "http://stand-in.example/schemas/Body.json" };
      shown = this.#is("$schema comes last") ? { ...body, ...link } : { ...link, ...body };
      if (this.#is("no $schema") && !isProblem) shown = body;
      if (this.#is("shows the key") && isProblem)
        shown = { ...shown, authorization: request.headers.authorization };
    }
    let text = shown === undefined ? "" : typeof shown === "string" ? shown : JSON.stringify(shown);
    if (!isProblem) text = this.#distort(text);
    const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
    if (
      status === 200 &&
      request.method !== "PUT" &&
      !this.#is("no 304") &&
      request.headers["if-none-match"] === tag
    )
      return { status: 304, text: "", headers: { etag: tag } };
    if (isProblem && this.#is("failures in words")) text = "Something is wrong.";
    if (request.method === "HEAD" && this.#is("HEAD with 404")) status = 404;
    const type = isProblem ? "application/problem+json" : "application/json";
    headers = {
      ...headers,
      ...(text !== "" && {
        "content-type": this.#is("text instead of JSON") && !isProblem ? "text/plain" : type,
      }),
      ...(status === 200 && { etag: tag }),
      ...(!this.#is("no request id") && { "x-request-id": requestId }),
      ...(this.#is("lets any website in") && { "access-control-allow-origin": "*" }),
      ratelimit: this.#is("rate without form") ? "99" : '"default";r=99;t=1',
      "ratelimit-policy": '"default";q=600;w=60',
    };
    return { status, text, headers };
  }

  /** What is wrong with values, in every body. */
  #distort(text: string): string {
    if (this.#is("snake_case")) return text.replaceAll('"contactName"', '"contact_name"');
    if (this.#is("null for absent")) return text.replaceAll('"address":{}', '"address":{"line2":null}');
    if (this.#is("local instants")) return text.replace(/(\d{2}:\d{2}:\d{2})\.\d{3}Z/g, "$1+00:00");
    if (this.#is("prices with decimals")) return text.replace(/"priceCents":(\d+)/g, '"priceCents":$1.5');
    if (this.#is("words of its own")) return text.replaceAll('"scheduled"', '"planned"');
    if (this.#is("random ids")) return text.replace(/-7000-8000-/g, "-4000-8000-");
    return text;
  }

  #try(request: IncomingMessage, sent: string): Answer {
    try {
      const url = new URL(request.url ?? "/", "http://stand-in");
      return this.#route(request, url, sent);
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  #route({ method: given = "GET", headers }: IncomingMessage, url: URL, sent: string): Answer {
    const method = given === "HEAD" ? "GET" : given;
    const [, version, name = "", id] = url.pathname.split("/");
    if (url.pathname === "/openapi.json" && !this.#is("hides its description"))
      return { status: 200, body: DESCRIPTION };
    const methods = version === "v1" ? METHODS[id === undefined ? name : `${name}/{id}`] : undefined;
    if (!methods) throw new Refusal(404, "not_found");
    if (!methods.includes(method))
      throw this.#is("405 as 404")
        ? new Refusal(404, "not_found")
        : new Refusal(405, "method_not_allowed", {}, { allow: methods.join(", ") });
    this.#admit(headers.authorization, method, name);
    const query = this.#query(url, id === undefined ? name : "");
    if (id !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw this.#invalid([{ location: "path.id", message: "must be a UUID" }]);
    switch (name) {
      case "organization":
        return { status: 200, body: this.#organization() };
      case "locations":
        return { status: 200, body: this.#allLocations() };
      case "calendar":
        return { status: 200, body: this.#calendar(query) };
      case "clients":
        if (method !== "GET") return this.#write(method, id, headers, sent);
    }
    const all =
      {
        plans: this.#plans,
        "service-types": this.#types,
        contracts: this.#contracts,
        clients: this.#clients,
      }[name] ?? [];
    if (id === undefined) return { status: 200, body: this.#list(name, all, query) };
    let record = all.find((one) => one.id === id);
    if (this.#is("200 for unknown ids")) record ??= all[0];
    if (!record) throw new Refusal(404, "not_found");
    if (this.#is("another record by its id") && name === "plans") record = { ...record, name: "Another" };
    return { status: 200, body: record };
  }

  #admit(authorization: string | undefined, method: string, name: string): void {
    const key = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (key === KEY || (key !== undefined && this.#is("takes any key"))) return;
    if (this.#is("lists without a key") && method === "GET" && name === "plans") return;
    const detail =
      key !== undefined && this.#is("says which key is unknown")
        ? "This key is unknown."
        : "A key is needed.";
    const challenge: Record<string, string> = this.#is("no challenge")
      ? {}
      : { "www-authenticate": "Bearer" };
    throw new Refusal(401, "unauthorized", { detail }, challenge);
  }

  #query(url: URL, list: string): Record<string, string> {
    const known = PARAMETERS[list] ?? [];
    const faults: Fault[] = [];
    const query: Record<string, string> = {};
    const fault = (name: string, message: string) => faults.push({ location: `query.${name}`, message });
    for (const [name, value] of url.searchParams) {
      if (!known.includes(name)) {
        if (!this.#is("passes over unknown parameters")) fault(name, "is not known");
      } else if (name in query) fault(name, "is given twice");
      else query[name] = value;
    }
    const number = (name: string, min: number, max: number) => {
      const value = query[name];
      if (value === undefined || (this.#is("any limit") && /^\d+$/.test(value))) return;
      if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max)
        fault(name, `must be ${min} to ${max}`);
    };
    number("limit", 1, 200);
    number("offset", 0, Number.MAX_SAFE_INTEGER);
    const words: Readonly<Record<string, readonly string[]>> = {
      status: list === "contracts" ? ["active", "paused", "cancelled", "expired"] : ["active", "archived"],
      billingKind: ["recurring", "one_time"],
    };
    for (const [name, allowed] of Object.entries(words))
      if (query[name] !== undefined && !allowed.includes(query[name]))
        fault(name, this.#is("repeats wrong values") ? `${query[name]} is unknown` : "is unknown");
    for (const name of ["locationId", "clientId", "serviceTypeId"])
      if (query[name] !== undefined && !/^[0-9a-f-]{36}$/.test(query[name])) fault(name, "must be a UUID");
    if (faults.length > 0) throw this.#invalid(faults);
    return query;
  }

  #invalid(faults: readonly Fault[]): Refusal {
    const errors = this.#is("one fault at a time") ? faults.slice(0, 1) : faults;
    return new Refusal(422, "invalid", { errors });
  }

  #organization(): Json {
    const timezone = this.#is("zone as an offset") ? "-03:00" : "America/Sao_Paulo";
    return {
      id: ORGANIZATION,
      name: "Stand-in",
      timezone,
      currency: "BRL",
      plan: "Pro",
      joinedAt: "2024-11-15T12:00:00.000Z",
    };
  }

  #allLocations(): Json {
    const data = this.#is("hides closed locations")
      ? this.#locations.filter(({ status }) => status === "active")
      : this.#locations;
    return {
      data,
      total: this.#locations.length,
      ...(this.#is("locations paged") && { limit: 50, offset: 0 }),
    };
  }

  #list(name: string, all: readonly Json[], query: Record<string, string>): Json {
    const { limit = "50", offset: from = "0", query: search = "", ...filters } = query;
    const offset = this.#is("passes over offset") ? "0" : from;
    const found = all
      .filter((record) => this.#fits(name, record, filters) && this.#matches(name, record, search))
      .toReversed();
    if (this.#is("oldest first") && name === "clients") found.reverse();
    const page = found
      .slice(Number(offset), Number(offset) + Number(limit))
      .map((record) => this.#listed(name, record));
    const isStale = this.#is("stale lists") && name === "clients";
    const total = this.#is("total of the page") ? page.length : isStale ? 3 : found.length;
    return { data: page, limit: Number(limit), offset: Number(from), total };
  }

  #fits(
    name: string,
    record: Json,
    { status, billingKind, locationId, clientId }: Record<string, string>,
  ): boolean {
    const places = record.locationIds as readonly string[];
    const isPlaceKept =
      locationId === undefined ||
      this.#is(name === "clients" ? "members of all locations" : "contracts elsewhere") ||
      record.allLocations === true ||
      places?.includes(locationId);
    return (
      (status === undefined
        ? !(this.#is("lists active clients alone") && name === "clients" && record.status === "archived")
        : record.status === status) &&
      (billingKind === undefined ||
        this.#is("passes over billingKind") ||
        record.billingKind === billingKind) &&
      (clientId === undefined || this.#is("contracts of others") || record.clientId === clientId) &&
      isPlaceKept
    );
  }

  #matches(name: string, record: Json, search: string): boolean {
    const bare = (text: string) =>
      this.#is("accents matter") ? text : text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
    const fold = (text: string) => (this.#is("search by case") ? bare(text) : bare(text).toLowerCase());
    const { contactEmail = "", contactPhone = "", idDocument } = record;
    const { value = "" } = (idDocument ?? {}) as { value?: string };
    const codes = this.#is("names are searched alone") ? [] : [contactEmail, contactPhone, value].map(String);
    const texts = [String(name === "clients" ? record.contactName : record.name), ...codes];
    const all = fold(texts.join("\n"));
    const digits = codes
      .slice(1)
      .map((code) => code.replace(/\W/g, ""))
      .join("\n");
    const terms = search.split(/\s+/).filter((term) => term !== "");
    const isFound = (term: string) => {
      const stripped = term.replace(/\W/g, "");
      return all.includes(fold(term)) || (stripped !== "" && digits.includes(stripped.toLowerCase()));
    };
    return (
      terms.length === 0 || (this.#is("any word is enough") ? terms.some(isFound) : terms.every(isFound))
    );
  }

  #listed(name: string, record: Json): Json {
    if (name === "clients" && !this.#is("locations in the list of clients")) {
      const { locationIds: _, ...rest } = record;
      return this.#is("stored with punctuation") && rest.idDocument
        ? { ...rest, idDocument: { type: "cpf", value: "529.982.247-25" } }
        : rest;
    }
    if (name === "contracts") {
      const shown = this.#is("entitlements in lists") ? record : { ...record, entitlements: [] };
      return this.#is("answered without an answer") ? { ...shown, termsResponse: undefined } : shown;
    }
    if (name === "plans") {
      const grants = record.entitlements as Json[];
      return {
        ...record,
        ...(this.#is("everywhere and somewhere") && { locationIds: [newId()] }),
        ...(this.#is("interval of one-time plans") && { billingInterval: "month" }),
        ...(this.#is("credits on access") && {
          entitlements: grants.map((grant) => ({ ...grant, creditQuantity: 1 })),
        }),
      };
    }
    return record;
  }

  #calendar(query: Record<string, string>): Json {
    const faults: Fault[] = [];
    const read = (name: string): number => {
      const text = query[name] ?? (this.#is("window not needed") ? "2026-01-01T00:00:00Z" : "");
      const [, year, month, day, hour, minute, second] = INSTANT.exec(text) ?? [];
      const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
      const isReal = year !== undefined && !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
      if (isReal && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60)
        return Date.parse(this.#is("offsets passed over") ? text.replace(/[+-]\d\d:\d\d$/, "Z") : text);
      faults.push({ location: `query.${name}`, message: "must be a date-time with an offset" });
      return Number.NaN;
    };
    const [from, to] = [read("from"), read("to")];
    const isReversed = to <= from && !this.#is("windows backwards") && !this.#is("window not needed");
    const isLong = to - from > 366 * DAY_MS && !this.#is("any length of window");
    if (isReversed || isLong) faults.push({ location: "query.to", message: "is no end of a window" });
    if (faults.length > 0) throw this.#invalid(faults);
    const data = this.#sessions.filter(({ startAt, locationId, serviceTypeId }) => {
      const start = Date.parse(String(startAt));
      return (
        (this.#is("window open at its start") ? start > from : start >= from) &&
        (this.#is("window closed at its end") ? start <= to : start < to) &&
        (query.locationId === undefined ||
          this.#is("passes over locationId") ||
          locationId === query.locationId) &&
        (query.serviceTypeId === undefined || serviceTypeId === query.serviceTypeId)
      );
    });
    if (this.#is("sessions in any order")) data.reverse();
    return { data, total: data.length };
  }

  #write(method: string, id: string | undefined, headers: IncomingMessage["headers"], sent: string): Answer {
    if (method === "DELETE") return this.#archive(String(id));
    if (!/^application\/json/.test(headers["content-type"] ?? "") && !this.#is("takes text for JSON"))
      throw new Refusal(415, "unsupported_media_type");
    const key = String(headers["idempotency-key"] ?? "");
    const known = this.#is("creates twice") ? undefined : this.#keyed.get(key);
    if (known && key !== "") {
      if (known.body !== sent) throw new Refusal(422, "invalid", { errors: [] });
      return { ...known.answer, headers: { ...known.answer.headers, "idempotent-replayed": "true" } };
    }
    let body: unknown;
    try {
      body = JSON.parse(sent);
    } catch {
      throw new Refusal(400, "malformed");
    }
    const old = id === undefined ? undefined : this.#clients.find((client) => client.id === id);
    const input = this.#checked(body);
    if (id !== undefined && !old) throw new Refusal(404, "not_found");
    this.#refuseHeld(input, old);
    const client = this.#stored(input, old);
    const text = JSON.stringify({ $schema: "http://stand-in.example/schemas/Body.json", ...old });
    const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
    const match = headers["if-match"];
    if (old && match !== undefined && match !== tag && !this.#is("If-Match passed over"))
      throw new Refusal(412, "precondition_failed");
    this.#clients = old
      ? this.#clients.map((one) => (one === old ? client : one))
      : [...this.#clients, client];
    const answer: Answer = old
      ? { status: 200, body: client }
      : {
          status: this.#is("200 for a create") ? 200 : 201,
          body: client,
          headers: this.#is("no Location")
            ? {}
            : { location: `http://stand-in.example/v1/clients/${client.id}` },
        };
    if (key !== "") this.#keyed.set(key, { body: sent, answer });
    return answer;
  }

  #archive(id: string): Answer {
    const client = this.#clients.find((one) => one.id === id);
    if (!client) throw new Refusal(404, "not_found");
    if (this.#is("deletes")) this.#clients = this.#clients.filter((one) => one !== client);
    else client.status = "archived";
    return this.#is("archives with a body") ? { status: 200, body: client } : { status: 204 };
  }

  /** A body that obeys the rules, tidied. */
  #checked(body: unknown): Json {
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw this.#invalid([{ location: "body", message: "must be an object" }]);
    const faults: Fault[] = [];
    const fault = (name: string) => faults.push({ location: `body.${name}`, message: "is not right" });
    const input: Json = {};
    for (const [name, value] of Object.entries(body as Json)) {
      const isTrimmed = TRIMMED.includes(name) && typeof value === "string" && !this.#is("does not trim");
      const tidy = isTrimmed ? value.trim() : value;
      if (IGNORED.includes(name)) continue;
      if (!MEMBERS.includes(name)) {
        if (!this.#is("takes unknown members")) fault(name);
      } else if (tidy !== "" || name === "contactName") input[name] = tidy;
    }
    const { contactName, contactEmail, birthdate, notes, status, idDocument, locationIds } = input;
    if (typeof contactName !== "string" || contactName.trim() === "" || contactName.length > 200)
      fault("contactName");
    if (
      contactEmail === undefined
        ? this.#is("an e-mail is required")
        : !/^[^\s@]+@[^\s@]+\.\w+$/.test(String(contactEmail)) && !this.#is("any e-mail")
    )
      fault("contactEmail");
    if (notes !== undefined && typeof notes !== "string") fault("notes");
    if (status !== undefined && status !== "active" && status !== "archived") fault("status");
    if (birthdate !== undefined && !isDay(String(birthdate)) && !this.#is("any birthdate"))
      fault("birthdate");
    if (idDocument !== undefined) input.idDocument = this.#checkedDocument(idDocument as Json, fault);
    if (locationIds === undefined) {
      if (this.#is("first location taken")) input.locationIds = [this.#locations[0]?.id];
      else fault("locationIds");
    } else if ((locationIds as unknown[]).some((one) => !this.#locations.some(({ id }) => id === one)))
      fault("locationIds[0]");
    if (faults.length > 0) throw this.#invalid(faults);
    return input;
  }

  #checkedDocument({ type, value = "" }: Json, fault: (name: string) => void): Json {
    const text = String(value).trim();
    if (type !== "cpf" && type !== "other") {
      if (!this.#is("documents without type")) fault("idDocument.type");
    } else if (text === "") {
      if (!this.#is("documents without type")) fault("idDocument.value");
    } else if (type === "cpf" && !this.#is("takes any CPF")) {
      const digits = text.replace(/\D/g, "");
      if (!/^(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/.test(text) || !isValidCpf(digits))
        fault("idDocument.value");
    }
    const isKept = type !== "cpf" || this.#is("stored with punctuation");
    return { type, value: isKept ? text : text.replace(/\D/g, "") };
  }

  #refuseHeld({ idDocument }: Json, old: Json | undefined): void {
    if (!idDocument || (old && this.#is("replace takes held documents"))) return;
    if (this.#is("documents held twice")) return;
    const nameOf = (one: unknown) => {
      const { type, value } = one as Json;
      return `${type} ${this.#is("cases of documents") ? value : String(value).toLowerCase()}`;
    };
    const holder = this.#clients.find(
      (one) =>
        one !== old &&
        one.idDocument !== undefined &&
        nameOf(one.idDocument) === nameOf(idDocument) &&
        !(this.#is("archived documents are free") && one.status === "archived"),
    );
    if (holder)
      throw new Refusal(
        409,
        "conflict",
        this.#is("holder untold") ? {} : { clientId: holder.id, clientStatus: holder.status },
      );
  }

  #stored(input: Json, old: Json | undefined): Json {
    const isRevived = this.#is("replace revives");
    const status = input.status ?? (isRevived ? "active" : (old?.status ?? "active"));
    const now = this.#now();
    const base = old && this.#is("replaces in part") ? old : {};
    const client: Json = {
      id: old?.id ?? newId(),
      ...{ address: {}, ...base, ...input },
      status,
      createdAt: old?.createdAt ?? now,
      updatedAt: old?.updatedAt ?? now,
    };
    const isSame = old && MEMBERS.every((name) => JSON.stringify(client[name]) === JSON.stringify(old[name]));
    if (old && (!isSame || this.#is("updatedAt always moves"))) client.updatedAt = now;
    return client;
  }

  #now(): string {
    this.#clock += 1000;
    return new Date(this.#clock).toISOString();
  }
}

const ORGANIZATION = "01990000-0000-7000-8000-000000000001";
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const TRIMMED = ["contactName", "contactEmail", "contactPhone"];
const IGNORED = ["$schema", "id", "createdAt", "updatedAt"];
const MEMBERS = [
  ...["contactName", "contactEmail", "contactPhone", "birthdate", "address", "idDocument"],
  ...["locationIds", "notes", "status"],
];
const PAGE = ["limit", "offset"];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  locations: PAGE,
  plans: ["query", "status", "billingKind", ...PAGE],
  "service-types": ["query", "status", ...PAGE],
  contracts: ["clientId", "locationId", "status", ...PAGE],
  clients: ["query", "status", "locationId", ...PAGE],
  calendar: ["from", "to", "locationId", "serviceTypeId", ...PAGE],
};
const METHODS: Readonly<Record<string, readonly string[]>> = {
  organization: ["GET"],
  locations: ["GET"],
  calendar: ["GET"],
  plans: ["GET"],
  "plans/{id}": ["GET"],
  "service-types": ["GET"],
  "service-types/{id}": ["GET"],
  contracts: ["GET"],
  "contracts/{id}": ["GET"],
  clients: ["GET", "POST"],
  "clients/{id}": ["GET", "PUT", "DELETE"],
};
const DESCRIPTION = {
  openapi: "3.1.1",
  paths: Object.fromEntries(
    Object.entries(METHODS).map(([path, methods]) => [
      `/v1/${path}`,
      Object.fromEntries(methods.map((method) => [method.toLowerCase(), {}])),
    ]),
  ),
};

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().startsWith(text) &&
    text >= "1900-01-01" &&
    date.getTime() <= Date.now()
  );
}

/** By the sums of the weighted digits, as the register computes them: not by the way of the checks. */
function isValidCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || new Set(digits).size === 1) return false;
  const numbers = [...digits].map(Number);
  const rest = (length: number) => {
    const sum = numbers
      .slice(0, length)
      .reduce((total, digit, place) => total + digit * (length + 1 - place), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  return rest(9) === numbers[9] && rest(10) === numbers[10];
}
