import { MAX_SCHEDULE_DATES } from "../../src/core/limits.ts";
import { importRecords } from "../../src/data/bundle/import.ts";
import type { Database } from "../../src/db/database.ts";
import type { SchemaNode } from "../fuzz/schemas.ts";
import { settleCrowd } from "../support/crowd.ts";
import { newId } from "../support/ids.ts";
import { least } from "../support/least.ts";
import { writtenOut } from "../support/openapi-document.ts";
import { signInOwner } from "../support/staff.ts";
import { metric, ownPart, type Studio, type Target } from "../support/target.ts";
import { CROWDED, type CrowdedIds, type CrowdedSize, crowdedStudio } from "./crowded-studio.ts";
import { sheetRequests } from "./hunted-sheets.ts";
import { ORIGIN } from "./slow-transfers.ts";

/** How long the event loop was held, at most, as `ownPart` has it. */
export interface Measured {
  readonly holdMs: number;
  readonly tookMs: number;
}

/** What one request did to the event loop of the server. */
export interface Hold extends Measured {
  readonly operation: string;
  readonly input: string;
  readonly status: number;
  /** What was refused, to see that the request got as far as it was meant to. */
  readonly problem: string;
}

/** Work of one request beyond this would be noticed by everybody else. */
export const MOST_HOLD_MS = 50;

/** How long the work holds the loop by itself. */
export function leastHold<Hold extends Measured>(measure: () => Promise<Hold>): Promise<Hold> {
  return least(measure, { cost: ({ holdMs }) => holdMs, most: MOST_HOLD_MS });
}

export interface HuntedRequest {
  readonly operation: string;
  readonly input: string;
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: object | FormData;
}

/** Sends requests of one organization, one at a time. */
export class HoldMeter {
  readonly #target: Target;
  readonly #key: string;
  readonly #cookie: string;

  static async open(target: Target, db: Database, { organizationId, key }: Studio): Promise<HoldMeter> {
    return new HoldMeter(target, key, `rollbook=${await signInOwner(db, organizationId, target.keySecret)}`);
  }

  private constructor(target: Target, key: string, cookie: string) {
    this.#target = target;
    this.#key = key;
    this.#cookie = cookie;
  }

  /** A link to a calendar with the widest window there is, as the path of one of its two forms without the extension. */
  async mintLink(scope: object): Promise<string> {
    const response = await fetch(`${this.#target.url}/app/v1/mintCalendarLink`, {
      method: "POST",
      headers: {
        ...{ cookie: this.#cookie, origin: ORIGIN, "content-type": "application/json" },
        "idempotency-key": newId(),
      },
      body: JSON.stringify({ pastDays: 366, aheadDays: 366, showSeats: true, ...scope }),
    });
    const { result } = (await response.json()) as { result: { url: string } };
    return new URL(result.url).pathname.replace(/\.ics$/, "");
  }

  measure(request: HuntedRequest): Promise<Hold> {
    return leastHold(() => this.#measureOnce(request));
  }

  async #measureOnce(request: HuntedRequest): Promise<Hold> {
    await this.#target.metrics();
    const before = await this.#target.processorTime();
    const begun = performance.now();
    const answer = await this.#send(request);
    const tookMs = performance.now() - begun;
    const lateMs = metric(await this.#target.metrics(), LOOP_DELAY) * 1000;
    const holdMs = ownPart(lateMs, before, await this.#target.processorTime());
    return { operation: request.operation, input: request.input, ...answer, holdMs, tookMs };
  }

  async #send({ method, path, accept, body }: HuntedRequest): Promise<{ status: number; problem: string }> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.#target.url + path, {
      method,
      headers: {
        ...(path.startsWith("/app/")
          ? { cookie: this.#cookie, origin: ORIGIN }
          : { authorization: `Bearer ${this.#key}` }),
        ...(accept !== undefined && { accept }),
        ...(method !== "GET" && { "idempotency-key": newId() }),
        ...(body && !isForm && { "content-type": "application/json" }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (response.ok) await response.body?.pipeTo(new WritableStream());
    return { status: response.status, problem: response.ok ? "" : await response.text() };
  }
}

/**
 * Sends every operation of both documents the largest input that it takes, against an organization at the limits of what
 * can be stored, and tells how long each held the event loop of the server.
 */
export async function huntHolds(
  target: Target,
  db: Database,
  { size = CROWDED, onHold = () => {}, onCrowd = () => {} }: HuntOptions = {},
): Promise<Hold[]> {
  const studio = await target.newStudio();
  const today = new Date().toISOString().slice(0, 10);
  const ids = await importCrowd(db, studio.organizationId, size, today);
  onCrowd({ ids, organizationId: studio.organizationId });
  const meter = await HoldMeter.open(target, db, studio);
  const documents = await Promise.all(
    ["/openapi.json", "/app/openapi.json"].map(async (path) =>
      writtenOut((await (await fetch(target.url + path)).json()) as object),
    ),
  );
  const holds: Hold[] = [];
  for (const request of [
    ...documents.flatMap((document) => requestsTo(document as OpenDocument, ids, today)),
    ...hostileRequests(ids),
    ...(await linkRequests(meter, ids)),
    ...sheetRequests(Math.min(3 * size.clients, 20_000), ids.locationId),
  ]) {
    const hold = await meter.measure(request);
    holds.push(hold);
    onHold(hold);
  }
  return holds;
}

export interface HuntOptions {
  readonly size?: CrowdedSize;
  readonly onHold?: (hold: Hold) => void;
  /** Called with what was imported. */
  readonly onCrowd?: (crowd: { ids: CrowdedIds; organizationId: string }) => void;
}

const LOOP_DELAY = 'rollbook_event_loop_delay_seconds{quantile="1"}';

async function importCrowd(
  db: Database,
  organizationId: string,
  size: CrowdedSize,
  today: string,
): Promise<CrowdedIds> {
  const records = crowdedStudio(size, today);
  let ids: CrowdedIds | undefined;
  const lines = function* () {
    ids = yield* records;
  };
  await importRecords(db, lines(), { organizationId, actor: "test" });
  if (!ids) throw new Error("the crowd was not imported");
  await settleCrowd(db);
  return ids;
}

interface OpenOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: SchemaNode;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaNode }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface OpenDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> };
}

/** Ends what the hunt needs, waits on purpose, or takes a file: see `sheetRequests`. */
const LEFT_OUT = new Set([
  ...["signOut", "waitForVersions", "getVersions", "endSignIns", "endSignIn"],
  ...["readSheet", "importClients"],
]);

function requestsTo(document: OpenDocument, ids: CrowdedIds, today: string): HuntedRequest[] {
  const known: Readonly<Record<string, unknown>> = {
    ...ids,
    // Another one each time: one that is held is refused early.
    get idDocument() {
      return { type: "other", value: newId().padEnd(64, "x") };
    },
    currency: "BRL",
    exdates: hoursFrom(Date.UTC(2032, 0, 1)),
    rdates: hoursFrom(Date.UTC(2033, 0, 1, 0, 30)),
    expires: "90d",
    overlap: "24h",
    locationIds: [ids.locationId],
    serviceTypeIds: [ids.serviceTypeId],
    resourceIds: [ids.resourceId],
    invoiceIds: ids.invoiceIds,
    clientIds: [ids.clientId],
    bookingIds: Array.from({ length: 200 }, () => ids.bookingId),
    session: { sessionId: ids.sessionId },
    originalStart: `${today}T12:00`,
    query: Array.from({ length: 10 }, (_, index) => `maria silv example ${index}`.split(" ")[index % 3]).join(
      " ",
    ),
    start: `${dateIn(30)}T07:00`,
    rrule: "FREQ=DAILY;BYHOUR=7",
    durationMinutes: 60,
    firstDay: today,
    lastDay: today,
    fromDay: today,
    untilDay: today,
    timezone: "America/Sao_Paulo",
    dryRun: true,
  };
  const idOfPath: readonly (readonly [string, string])[] = [
    ["/clients/", ids.clientId],
    ["/contracts/", ids.contractId],
    ["/plans/", ids.planId],
    ["/service-types/", ids.serviceTypeId],
    ["/schedules/", ids.datedScheduleId],
  ];
  const largest = (schema: SchemaNode, name: string, depth = 0): unknown => {
    if (Object.hasOwn(known, name)) return known[name];
    if (name === "from" || name === "to") {
      const day = name === "from" ? "2026-01-01" : schema.format === "date" ? dateIn(0) : "2026-01-01";
      return schema.format === "date" ? day : `${day}T0${name === "from" ? 0 : 3}:00:00Z`;
    }
    const component = schema.$ref?.split("/").pop();
    const node = component === undefined ? schema : (document.components.schemas[component] ?? {});
    const variants =
      (node as { anyOf?: SchemaNode[]; oneOf?: SchemaNode[] }).anyOf ??
      (node as { oneOf?: SchemaNode[] }).oneOf;
    if (variants?.[0]) return largest(variants[0], name, depth);
    if (node.enum) return node.enum[0];
    const type = Array.isArray(node.type) ? node.type[0] : node.type;
    if (type === "object")
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).map(([member, value]) => [
          member,
          largest(value, member, depth + 1),
        ]),
      );
    if (type === "array") {
      const item = largest(node.items ?? {}, "", depth + 1);
      // The body as a whole has a limit of a mebibyte.
      const most = Math.floor(300_000 / Math.max(JSON.stringify(item ?? "").length, 1));
      return Array.from({ length: Math.min(node.maxItems ?? 10_000, most) }, () => item);
    }
    if (type === "integer" || type === "number") return node.maximum ?? 1;
    if (type === "boolean") return true;
    if (node.format === "date") return today;
    if (node.format === "date-time") return new Date().toISOString();
    if (node.format === "uuid") return newId();
    if (node.format === "email") return "someone@example.com";
    return "x".repeat(Math.min((node as { maxLength?: number }).maxLength ?? 1_000, 100_000));
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !LEFT_OUT.has(operationId))
      .flatMap(([method, operation]): HuntedRequest[] => {
        const { operationId, parameters = [], requestBody, responses } = operation;
        const id =
          method === "delete"
            ? ids.spareClientId
            : (idOfPath.find(([part]) => path.includes(part))?.[1] ?? ids.clientId);
        const query = new URLSearchParams();
        for (const { name, in: place, schema, required } of parameters) {
          if (place !== "query") continue;
          if (required || ["limit", "query", "locationId", "sessionId", "include"].includes(name))
            query.set(name, String(largest(schema, name)));
        }
        const url = `${path.replace(/\{\w+\}/, id)}?${query}`;
        const schema = requestBody?.content["application/json"]?.schema;
        const body = schema && withinRules(largest(schema, "") as Record<string, unknown>, operationId);
        const request = {
          operation: `${method.toUpperCase()} ${operationId}`,
          method: method.toUpperCase(),
          path: url,
        };
        if (method !== "get") return [{ ...request, input: "largest body", ...(body && { body }) }];
        const files = Object.keys(responses["200"]?.content ?? {}).filter((type) => /csv|ndjson/.test(type));
        const wide = new URLSearchParams(query);
        for (const name of ["locationId", "query"]) wide.delete(name);
        const open = `${path.replace(/\{\w+\}/, id)}?${wide}`;
        const pages = new URLSearchParams(wide);
        pages.delete("limit");
        return [
          { ...request, input: "largest page" },
          { ...request, input: "without filters", path: open },
          ...files.map((accept) => ({
            ...request,
            accept,
            input: accept,
            path: `${path.replace(/\{\w+\}/, id)}?${pages}`,
          })),
        ];
      }),
  );
}

/** Members that exclude each other, and lists that a rule beyond the schema bounds. */
const LEFT_OUT_OF: Readonly<Record<string, readonly string[]>> = {
  book: ["entitlementId", "takeUnnamed"],
  checkIn: ["entitlementId", "takeUnnamed"],
  promoteWaiting: ["entitlementId"],
  cancelContract: ["lastDay"],
  adjustCredits: ["undoes"],
  addStaff: ["locationIds"],
  editSession: ["start"],
};

function withinRules(body: Record<string, unknown>, operationId: string): object {
  const leftOut = LEFT_OUT_OF[operationId] ?? [];
  return Object.fromEntries(Object.entries(body).filter(([name]) => !leftOut.includes(name)));
}

/** What calendar programs and websites fetch. */
async function linkRequests(
  meter: HoldMeter,
  { clientId, quietLocationId }: CrowdedIds,
): Promise<HuntedRequest[]> {
  const requests: HuntedRequest[] = [];
  for (const scope of [{}, { clientId }, { locationId: quietLocationId }]) {
    const path = await meter.mintLink(scope);
    for (const extension of ["ics", "json"])
      requests.push({
        operation: `GET calendar.${extension}`,
        input: `two years of ${Object.keys(scope)[0] ?? "everything"}`,
        method: "GET",
        path: `${path}.${extension}`,
      });
  }
  return requests;
}

/** What no schema says: rules, windows and files that make work. */
function hostileRequests(ids: CrowdedIds): HuntedRequest[] {
  const positions = Array.from({ length: 230 }, (_, place) => `${place + 1},-${place + 1}`).join();
  const rules = [
    `FREQ=DAILY;COUNT=999999999;BYHOUR=7;BYSETPOS=${positions}`,
    "FREQ=DAILY;COUNT=999999999;BYDAY=MO",
    `FREQ=DAILY;BYHOUR=${range(24)};BYMINUTE=${range(60)}`,
    `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=${positions}`,
    "FREQ=DAILY;INTERVAL=2;BYMONTHDAY=29;BYMONTH=2;BYDAY=SA",
  ];
  const start = "2025-12-29T07:00";
  const later = "2031-12-29T07:00";
  const slots = rules.map((rrule) => ({
    operation: "GET listSlots",
    input: rrule.slice(0, 50),
    method: "GET",
    path: `/app/v1/slots?${new URLSearchParams({ start, rrule, locationId: ids.quietLocationId, limit: "50" })}`,
  }));
  const series = {
    serviceTypeId: ids.serviceTypeId,
    locationId: ids.quietLocationId,
    durationMinutes: 527_040,
    capacity: 9,
  };
  const adding = rules.map((rrule) => ({
    operation: "POST addSchedule",
    input: rrule.slice(0, 50),
    method: "POST",
    path: "/app/v1/addSchedule",
    body: { ...series, start: later, rrule, resourceIds: [ids.resourceId], dryRun: true },
  }));
  const windows = (["/v1/calendar", "/app/v1/calendar"] as const).flatMap((path) =>
    [ids.quietLocationId, undefined].map((locationId) => ({
      operation: `GET ${path}`,
      input: locationId === undefined ? "half a day of everything" : "a year of one location",
      method: "GET",
      path: `${path}?from=2026-02-01T00:00:00Z&to=${locationId === undefined ? "2026-02-01T12:00:00Z" : "2027-02-01T00:00:00Z"}${locationId === undefined ? "" : `&locationId=${locationId}`}`,
    })),
  );
  const files = [CSV, NDJSON].map((accept) => ({
    operation: "GET /v1/calendar",
    input: `half a day of everything as ${accept}`,
    accept,
    method: "GET",
    path: "/v1/calendar?from=2026-02-01T00:00:00Z&to=2026-02-01T12:00:00Z",
  }));
  const edits = [
    { scheduleId: ids.datedScheduleId, changes: { start: later } },
    { scheduleId: ids.scheduleId, changes: { capacity: 3 } },
    { scheduleId: ids.scheduleId, changes: { rrule: rules[1] } },
  ].map((body) => ({
    operation: "POST editSchedule",
    input: JSON.stringify(body.changes).slice(0, 50),
    method: "POST",
    path: "/app/v1/editSchedule",
    body: { ...body, keepBooked: true, dryRun: true },
  }));
  const closing = [7, 30].map((days) => ({
    operation: "POST closeDays",
    input: `${days} days of a schedule each minute`,
    method: "POST",
    path: "/app/v1/closeDays",
    body: {
      locationId: ids.locationId,
      firstDay: dateIn(1),
      lastDay: dateIn(days),
      reason: "r",
      cancelBooked: true,
      dryRun: true,
    },
  }));
  return [...slots, ...adding, ...windows, ...files, ...edits, ...closing];
}

const CSV = "text/csv";
const NDJSON = "application/x-ndjson";

/** As many dates as a schedule may have. */
function hoursFrom(startMs: number): string[] {
  return Array.from({ length: MAX_SCHEDULE_DATES }, (_, hour) =>
    new Date(startMs + hour * 3_600_000).toISOString().slice(0, 16),
  );
}

function dateIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

function range(end: number): string {
  return Array.from({ length: end }, (_, value) => value).join();
}
