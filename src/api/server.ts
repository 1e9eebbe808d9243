import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { applicationDocument, type SharedParts, serveApplication } from "../app/application.ts";
import { asksForConsole, registerConsole } from "../app/console-files.ts";
import { type AppError, invalid, refusal } from "../core/errors.ts";
import { BODY_LIMIT, HEAD_LIMIT } from "../core/limits.ts";
import { type CallRules, ONLY_PUBLIC } from "../core/network-addresses.ts";
import type { DatabaseTimes, ProgramDatabase } from "../db/database.ts";
import { keepingNothing } from "../db/dry-run.ts";
import { DATABASE_HEADER } from "../db/history.ts";
import { claimKey, findAnswer, storeAnswer } from "../db/stored-answers.ts";
import { recordAudit } from "../domain/audit/queries.ts";
import { CalendarReader } from "../domain/calendar/operations.ts";
import { calendarRoutes } from "../domain/calendar/routes.ts";
import { clientRoutes } from "../domain/clients/routes.ts";
import { contractRoutes } from "../domain/contracts/routes.ts";
import { DueChanges } from "../domain/due-changes/due-changes.ts";
import type { RateLimit } from "../domain/keys/admission.ts";
import { KeyUsage } from "../domain/keys/key-usage.ts";
import { RequestRecorder } from "../domain/keys/request-recorder.ts";
import { locationRoutes } from "../domain/locations/routes.ts";
import { NO_LIMITS, type OrganizationLimits } from "../domain/organizations/organization-limits.ts";
import { organizationRoutes } from "../domain/organizations/routes.ts";
import { includesApi } from "../domain/organizations/rules.ts";
import { planRoutes } from "../domain/plans/routes.ts";
import { dateIn, tzdataVersion } from "../domain/recurrence/zones.ts";
import { resourceRoutes } from "../domain/resources/routes.ts";
import { serviceGroupRoutes } from "../domain/service-groups/routes.ts";
import { serviceTypeRoutes } from "../domain/service-types/routes.ts";
import { UploadQuota } from "../domain/settings/upload-quota.ts";
import type { Passwords } from "../domain/staff/passwords.ts";
import { Addresses } from "../http/addresses.ts";
import { type CacheState, ResponseCache } from "../http/cache.ts";
import type { Caller } from "../http/caller.ts";
import type { ApiDocument, Operation, OperationScope } from "../http/declaration.ts";
import { DownloadLimiter, type DownloadLimits } from "../http/downloads.ts";
import { methodMissing } from "../http/http-error.ts";
import { Idempotency, type KeyOutcome } from "../http/idempotency.ts";
import { KEY_REUSED } from "../http/idempotency-key.ts";
import { LongAnswers } from "../http/long-answers.ts";
import { newDocument } from "../http/openapi.ts";
import { nothingHere } from "../http/operation.ts";
import { problemReply, toKnownError } from "../http/problem.ts";
import {
  answerRareRequests,
  chooseRequestId,
  EarlyAnswers,
  findProtocolFault,
  originForm,
  refuseConnection,
} from "../http/protocol.ts";
import { registerDocument } from "../http/publishing.ts";
import { Sender } from "../http/sending.ts";
import { StallGuard } from "../http/stalls.ts";
import { UploadLimiter, type UploadLimits } from "../http/uploads.ts";
import { chooseLanguage } from "../languages/accept-language.ts";
import { ChangeWatch } from "../sync/changes/change-watch.ts";
import { cursorKey } from "../sync/changes/cursors.ts";
import { FeedReader } from "../sync/changes/operations.ts";
import { changeRoutes } from "../sync/changes/routes.ts";
import { LINK_TOKENS, registerCalendars } from "./calendar-door.ts";
import { registerDocsPage } from "./docs-page.ts";
import { API_KEYS, type ApiCaller, Gate, readToken } from "./gate.ts";
import { registerHomePage } from "./home-page.ts";
import { MCP_READ, registerMcp } from "./mcp-door.ts";
import { aboutPublicApi } from "./public-document.ts";
import { RequestLog, recordInnerCall, recordKeyRequest } from "./request-log.ts";

/** How long a caller may take, in milliseconds. */
export interface CallerTimeLimits {
  readonly headers: number;
  /** Headers and body together. */
  readonly request: number;
  /** A connection on which nothing is sent or read. */
  readonly silence: number;
  /** How often the first two are looked at: by so much a caller may exceed them. */
  readonly checkEvery: number;
}

export const CALLER_TIME_LIMITS: CallerTimeLimits = {
  headers: 5_000,
  request: 8_000,
  silence: 15_000,
  checkEvery: 1_000,
};

/** How long a request waits for one with the same Idempotency-Key. */
const KEY_PATIENCE_MS = 5_000;

export interface ObservedRequest {
  readonly method: string;
  /** The template of its address. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  /** It lasted as long as its caller wanted. */
  readonly isLong: boolean;
}

export type NamedOperation = Pick<Operation, "method" | "path" | "operationId">;

/** Where requests and batches are counted. */
export interface RequestMetrics {
  observeRequest(request: ObservedRequest): void;
  /** Takes what operations there are, to name requests by them when the metrics are read. */
  watchOperations(list: () => readonly NamedOperation[]): void;
  watchCache(state: () => CacheState): void;
  observeGateBatch(requests: number): void;
  observeKeyedWrite(outcome: KeyOutcome): void;
  /** Called with each request that was refused because its organization may store no more. */
  observeStorageFull(): void;
}

/** A request that has been answered, as far as a trace tells of it. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** By `performance.now()`. */
  readonly begunAt: number;
  readonly requestId: string;
  readonly operationId: string | undefined;
  readonly organizationId: string | undefined;
}

/** Where requests are traced. */
export interface RequestTracing {
  /** What the steps of a request are noted in, if it is to be traced. */
  begin(traceparent: unknown): DatabaseTimes | undefined;
  end(times: DatabaseTimes, request: AnsweredRequest): void;
}

export interface ServerDeps {
  /** What is done for all organizations at once is the program's own work; routes are handed a `SharedDatabase`. */
  readonly db: ProgramDatabase;
  readonly keySecret: string;
  readonly rate: RateLimit | undefined;
  /** Of organizations that have none of their own; none unless given. */
  readonly limits?: OrganizationLimits | undefined;
  readonly publicUrl: string;
  readonly version: string;
  /** Whether the staff application is there; it is unless this is false. */
  readonly hasApplication?: boolean;
  /** The process's own unless given. */
  readonly passwords?: Passwords | undefined;
  /** Whom webhooks may call; public addresses alone unless given. */
  readonly callRules?: CallRules;
  /** Websites whose pages may speak the Model Context Protocol with this server; false if it is turned off. None unless given. */
  readonly mcpOrigins?: readonly string[] | false;
  /** Whether changes must come with `If-Match`. */
  readonly requireIfMatch?: boolean;
  readonly cacheBytes: number;
  /** `CALLER_TIME_LIMITS` unless given. */
  readonly timeLimits?: CallerTimeLimits | undefined;
  /** In milliseconds, `KEY_PATIENCE_MS` unless given. */
  readonly keyPatienceMs?: number | undefined;
  /** `DOWNLOAD_LIMITS` unless given. */
  readonly downloads?: Partial<DownloadLimits> | undefined;
  /** `UPLOAD_LIMITS` unless given. */
  readonly uploads?: Partial<UploadLimits> | undefined;
  readonly logger: Logger;
  /** Whether answered requests are logged as refused ones are. */
  readonly logsSuccesses?: boolean;
  /** Requests that take longer are logged with where their time went; 0 for none. */
  readonly slowMs?: number;
  readonly metrics: RequestMetrics;
  /** Requests are not traced unless given. */
  readonly tracing?: RequestTracing | undefined;
  /** Nobody looks at it unless given. */
  readonly stalls?: StallGuard;
  /** Called after every answer to a write that was carried out. */
  readonly onWritten?: () => void;
  /** Whether the database is reachable and migrated; throws or answers false otherwise. */
  readonly isReady: () => Promise<boolean>;
  /** What tells the database from others; nothing does unless given. */
  readonly nameDatabase?: () => Promise<string>;
  /** Called once with what is to be told of a database that nobody may use any more, whether or not requests come. */
  readonly watchDatabase?: (report: (error: Error) => void) => void;
  /** True from the moment the process is asked to stop. */
  readonly isDraining: () => boolean;
}

/** The whole HTTP side, in reading order: limits, failures, the keyed scope, the staff application, the open scope. */
export function buildServer(deps: ServerDeps): FastifyInstance {
  const document = newDocument(deps.publicUrl, "", aboutPublicApi(deps.version));
  const earlyAnswers = new EarlyAnswers();
  const limits = deps.limits ?? NO_LIMITS;
  const timeLimits = deps.timeLimits ?? CALLER_TIME_LIMITS;
  const uploads = new UploadLimiter(deps.uploads, new UploadQuota(deps.db, limits.uploadMegabytesPerDay));

  const app = fastify({
    // Requests are logged where they are answered; a child logger for each would cost more than the answer.
    logger: false,
    bodyLimit: BODY_LIMIT.bytes,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Slow callers are cut off in seconds; a kept-alive idle connection may stay a while.
    connectionTimeout: timeLimits.silence,
    keepAliveTimeout: 65_000,
    requestTimeout: timeLimits.request,
    http: {
      maxHeaderSize: HEAD_LIMIT.bytes,
      headersTimeout: timeLimits.headers,
      connectionsCheckingInterval: timeLimits.checkEvery,
      // Node would answer a missing Host by itself, and silently take the first of two Authorization headers.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    genReqId: (request) => chooseRequestId(request.headers["x-request-id"]),
    rewriteUrl: (request) => originForm(request.url ?? "/"),
    clientErrorHandler: (error, socket) => {
      // Node has one limit for all requests; that of a file is kept by its limiter.
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && uploads.isReceiving(socket)) return;
      refuseConnection(error, socket, earlyAnswers, document);
    },
    frameworkErrors: (error, request, reply) => {
      // No hook has seen this request.
      request.arrivedAt = performance.now();
      request.times = timesOf(request);
      request.loopBefore = performance.eventLoopUtilization();
      if (deps.hasApplication === false || !asksForConsole(request)) return refuse(error, request, reply);
      // A link that was cut in the middle of a letter: a person is led to the console instead of being shown JSON.
      reply.headers({
        "x-request-id": request.id,
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        vary: "accept",
      });
      reply.redirect("/console/", 302);
      sender.recordResponse(request, 302);
    },
    // No address that fits into the header limit has a longer parameter.
    routerOptions: { maxParamLength: HEAD_LIMIT.bytes },
  });
  answerRareRequests(app.server, document);

  const log = new RequestLog(deps);
  app.addHook("onClose", async () => log.close());
  deps.watchDatabase?.((error) => log.recordBackgroundFailure(error, "the database may not be used"));
  const watch = new ChangeWatch({
    db: deps.db,
    isDraining: deps.isDraining,
    onError: (error) => log.recordBackgroundFailure(error, "the change feed could not be looked at"),
  });
  app.addHook("preClose", async () => watch.stop());
  const recorder = new RequestRecorder(deps.db, (error) =>
    log.recordBackgroundFailure(error, "what came with keys could not be recorded; retrying"),
  );
  app.addHook("onClose", () => recorder.stop());
  const { tracing } = deps;
  const timesOf = ({ headers }: FastifyRequest): DatabaseTimes =>
    tracing?.begin(headers.traceparent) ?? { queueMs: 0, postgresMs: 0 };
  const trace = (request: FastifyRequest, times: DatabaseTimes, route: string, status: number) =>
    tracing?.end(times, {
      ...{ method: request.method, route, status, begunAt: request.arrivedAt, requestId: request.id },
      operationId: request.operationId ?? undefined,
      organizationId: request.identity?.organizationId || undefined,
    });
  const sender = new Sender({
    policy: deps.rate && `"default";q=${deps.rate.perMinute};w=60`,
    isDraining: deps.isDraining,
    recordResponse: (request, route, status, milliseconds) => {
      earlyAnswers.add(request.raw);
      const mayWrite = request.method !== "GET" && request.method !== "HEAD" && route !== MCP_READ;
      if (mayWrite && status < 300 && request.caller) watch.notice(request.caller.organizationId);
      deps.metrics.observeRequest({
        method: request.method,
        route,
        status,
        milliseconds,
        isLong: request.isLong,
      });
      if (status < 300 && mayWrite) deps.onWritten?.();
      log.recordResponse(request, route, status, milliseconds);
      recordKeyRequest(recorder, request, status, milliseconds);
      if (request.times?.steps) trace(request, request.times, route, status);
    },
    onError: (request, error) => log.recordCutOff(request, error),
  });
  const refuseAs = (refused: ApiDocument, error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const isCutOff = error === request.raw.errored;
    const known = isCutOff ? (earlyAnswers.refusalOf(request.raw) ?? callerLeft()) : toKnownError(error);
    log.recordRefusal(request, known);
    if (known.kind === "storage_full") deps.metrics.observeStorageFull();
    const language = chooseLanguage(request.headers["accept-language"]);
    const { challenge } = refused.about.security;
    const problem = problemReply(known, refused, {
      language,
      challenge,
      requestId: request.id,
      // The application is led nowhere: a browser would go there without a sign-in.
      path: refused === document ? request.url : undefined,
    });
    sender.refuse(request, reply, problem);
  };
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    refuseAs(document, error, request, reply);

  const addresses = new Addresses();
  app.addHook("onRoute", ({ url, method }) => addresses.add(url, method));

  app.decorateRequest("caller", null);
  app.decorateRequest("identity", null);
  app.decorateRequest("times", null);
  app.decorateRequest("loopBefore", null);
  app.decorateRequest("isLong", false);
  app.decorateRequest("faults", null);
  app.decorateRequest("refusal", null);
  app.decorateRequest("operationId", null);
  app.decorateRequest("rate", null);
  app.decorateRequest("answerType", "application/json");
  app.decorateRequest("arrivedAt", 0);
  app.decorateRequest("isRecorded", false);
  app.removeAllContentTypeParsers();
  // Bodies arrive as bytes; what they must be is decided where the operation is declared.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  // A connection is silent while its request is being worked on, too: whoever waits is told instead of being cut off.
  const latest = new WeakMap<Socket, FastifyReply>();
  app.server.on("timeout", (socket) => {
    const reply = latest.get(socket);
    if (reply?.request.raw.complete && !reply.raw.headersSent)
      refuse(refusal("answer_late", { retryAfterSeconds: 30 }), reply.request, reply);
    else socket.destroy();
  });
  app.addHook("onRequest", (request, reply, done) => {
    latest.set(request.raw.socket, reply);
    request.arrivedAt = performance.now();
    request.times = timesOf(request);
    request.loopBefore = performance.eventLoopUtilization();
    const fault = findProtocolFault(request.raw);
    if (fault) reply.header("connection", "close");
    // Before the body: Fastify has rules of its own for the bodies of some methods that no address here has.
    done(fault ?? (request.is404 ? findMissing(request, reply) : undefined));
  });
  const findMissing = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = addresses.allowedAt(request.url);
    if (allowed === undefined) return nothingHere();
    reply.header("allow", allowed);
    return methodMissing(allowed);
  };
  app.setErrorHandler(refuse);

  const dueChanges = new DueChanges(deps.db);
  const applyDue = (organizationId: string, instant: number) =>
    dueChanges.applyUntil(organizationId, instant);
  const keyPatienceMs = deps.keyPatienceMs ?? KEY_PATIENCE_MS;
  const cache = new ResponseCache(deps.cacheBytes);
  deps.metrics.watchCache(() => cache.state());
  const parts: SharedParts = {
    cache,
    sender,
    db: deps.db,
    downloads: new DownloadLimiter({
      limits: deps.downloads,
      today: ({ timezone, clock }) => dateIn(timezone, clock.now()),
    }),
    recordDownload: async ({ organizationId, actor }, requestId, { list: subject, ...details }) => {
      const taken = { action: "list.download", organizationId, subject, requestId, details } as const;
      await recordAudit(deps.db.for(organizationId), actor.name, taken);
    },
    uploads,
    longAnswers: new LongAnswers(),
    stalls: deps.stalls ?? new StallGuard(() => 0),
    release: [deps.version, tzdataVersion(), deps.publicUrl].join(),
  };
  const usage = new KeyUsage(deps.db, (error) =>
    log.recordBackgroundFailure(error, "the use of keys could not be stored; retrying"),
  );
  app.addHook("onClose", () => usage.stop());
  const calendar = new CalendarReader(deps.db);
  const key = cursorKey(deps.keySecret);
  const reader = new FeedReader(key);
  app.register(async (keyed) => {
    const gate = new Gate({
      db: deps.db,
      keySecret: deps.keySecret,
      credentials: API_KEYS,
      rate: deps.rate,
      limits,
      includesApi,
      applyDue,
      onBatch: (requests) => deps.metrics.observeGateBatch(requests),
      onUse: (caller, requests, refused) =>
        usage.count({ ...caller, now: caller.clock.now() }, requests, refused),
      onError: (error) => log.recordBackgroundFailure(error, "the gate could not finish its work"),
    });
    const admit: OperationScope<ApiCaller>["admit"] = (request, decide) =>
      gate.pass(readToken(request.headers.authorization), decide);
    const shared = {
      ...parts,
      idempotency: new Idempotency({
        isRequired: false,
        isPersonal: false,
        patienceMs: keyPatienceMs,
        answers: { claim: claimKey, store: storeAnswer, find: findAnswer },
        reused: () => invalid([KEY_REUSED]),
        observe: (outcome) => deps.metrics.observeKeyedWrite(outcome),
      }),
      feedCursor: ({ organizationId }: Caller) =>
        reader.currentCursor(deps.db.for(organizationId), organizationId),
    };
    const declareOperations = (scope: OperationScope<ApiCaller>) => {
      const { db } = scope;
      organizationRoutes(scope);
      locationRoutes(scope);
      planRoutes(scope, db);
      serviceTypeRoutes(scope, db);
      serviceGroupRoutes(scope);
      contractRoutes(scope, db);
      clientRoutes(scope, db);
      calendarRoutes(scope, calendar);
      resourceRoutes(scope);
      changeRoutes(scope, { reader, cursorKey: key, watch, recheck: (caller) => gate.recheck(caller) });
    };
    const requiresIfMatch = deps.requireIfMatch ?? false;
    declareOperations({ ...shared, app: keyed, admit, document, requiresIfMatch });
    if (deps.mcpOrigins !== false)
      registerMcp({
        app: keyed,
        admit,
        sender,
        version: deps.version,
        publicUrl: deps.publicUrl,
        origins: deps.mcpOrigins ?? [],
        newDocument: () => newDocument(deps.publicUrl, "", aboutPublicApi(deps.version)),
        declare: (calls, keepsNothing) =>
          declareOperations({
            ...shared,
            ...calls.scopeParts(),
            // A change there names its members, so nobody else's is lost.
            requiresIfMatch: false,
            ...(keepsNothing && { db: keepingNothing(deps.db) }),
          }),
        onAnswered: (caller, answered) => recordInnerCall(recorder, caller, answered),
        onDefect: (requestId, error) =>
          log.recordBackgroundFailure(error, `a tool failed in request ${requestId}`),
      });
  });
  app.register(async (links) => {
    const gate = new Gate({
      db: deps.db,
      keySecret: deps.keySecret,
      credentials: LINK_TOKENS,
      rate: deps.rate,
      includesApi,
      isSecretive: true,
      applyDue,
      onError: (error) =>
        log.recordBackgroundFailure(error, "the gate of calendars could not finish its work"),
    });
    registerCalendars({
      ...parts,
      app: links,
      calendar,
      admit: (token, decide) => gate.pass(token, decide),
      // Without the id of the request: what differs from one link to another would tell them apart.
      hide: (request, reply) => {
        const language = chooseLanguage(request.headers["accept-language"]);
        sender.refuse(request, reply, problemReply(refusal("nothing_here"), document, { language }));
      },
      onError: (error) => log.recordBackgroundFailure(error, "how much a calendar shows could not be stored"),
    });
  });
  const staffDocument =
    deps.hasApplication === false ? undefined : applicationDocument(deps.publicUrl, deps.version);
  deps.metrics.watchOperations(() => [...document.operations, ...(staffDocument?.operations ?? [])]);
  if (staffDocument)
    app.register(async (staff) => {
      staff.setErrorHandler((error, request, reply) => refuseAs(staffDocument, error, request, reply));
      serveApplication(staff, {
        parts,
        document: staffDocument,
        keySecret: deps.keySecret,
        limits,
        publicUrl: deps.publicUrl,
        callRules: deps.callRules ?? ONLY_PUBLIC,
        keyPatienceMs,
        passwords: deps.passwords,
        applyDue,
        observeKeyedWrite: (outcome) => deps.metrics.observeKeyedWrite(outcome),
        isDraining: deps.isDraining,
        onError: (error) => log.recordBackgroundFailure(error, "the application could not finish its work"),
      });
    });
  app.register(async (open) => {
    open.addHook("onRequest", (request, reply, done) => {
      reply.headers({ "x-request-id": request.id, "x-content-type-options": "nosniff" });
      if (deps.isDraining()) reply.header("connection", "close");
      done();
    });
    open.addHook("onResponse", (request, reply, done) => {
      sender.recordResponse(request, reply.statusCode);
      done();
    });
    const notReady = (error: unknown): [boolean] => {
      log.recordBackgroundFailure(error, "the database could not be looked at");
      return [false];
    };
    // Calendar programs that heed it must be let in; what no search engine shall list says so itself.
    open.get("/robots.txt", (_request, reply) =>
      reply.type("text/plain; charset=utf-8").send("User-agent: *\nDisallow:\n"),
    );
    open.get("/livez", (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok\n"));
    open.get("/readyz", async (_request, reply) => {
      const [ready, name] = deps.isDraining()
        ? [false]
        : await Promise.all([deps.isReady(), deps.nameDatabase?.()]).catch(notReady);
      return reply
        .code(ready ? 200 : 503)
        .headers({
          ...{ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
          // By which `org move` knows whose address it was given.
          ...(ready && name !== undefined && { [DATABASE_HEADER]: name }),
        })
        .send(ready ? "ready\n" : "not ready\n");
    });
    registerHomePage(open, {
      title: "Rollbook",
      publicUrl: deps.publicUrl,
      hasConsole: staffDocument !== undefined,
    });
    registerDocsPage(open, { publicUrl: deps.publicUrl });

    registerDocument(open, document);
    if (staffDocument) {
      registerDocument(open, staffDocument);
      registerConsole(open);
    }
  });
  return app;
}

/** The caller has gone, so this is only for logs and metrics. */
function callerLeft(): AppError {
  return refusal("caller_left");
}
