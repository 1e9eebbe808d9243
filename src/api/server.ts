import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { applicationDocument, serveApplication } from "../app/application.ts";
import { asksForConsole, registerConsole } from "../app/console-files.ts";
import { calendarRoutes } from "../calendar/routes.ts";
import { dateIn, tzdataVersion } from "../calendar/zones.ts";
import { clientRoutes } from "../clients/routes.ts";
import { contractRoutes } from "../contracts/routes.ts";
import { Settling } from "../contracts/settling.ts";
import { AppError, invalid, refusal } from "../core/errors.ts";
import { BODY_LIMIT, HEAD_LIMIT } from "../core/limits.ts";
import type { SharedDatabase } from "../db/database.ts";
import { claimKey, findAnswer, storeAnswer } from "../db/stored-answers.ts";
import { Addresses } from "../http/addresses.ts";
import { ResponseCache } from "../http/cache.ts";
import type { ApiDocument, OperationScope } from "../http/declaration.ts";
import { DownloadDesk } from "../http/downloads.ts";
import { HttpError } from "../http/http-error.ts";
import { Idempotency, type KeyOutcome } from "../http/idempotency.ts";
import { KEY_REUSED } from "../http/idempotency-key.ts";
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
import { Sender, type StreamTimeLimits } from "../http/sending.ts";
import { UploadDesk, type UploadLimits } from "../http/uploads.ts";
import type { RateLimit } from "../keys/admission.ts";
import { KeyUsage } from "../keys/key-usage.ts";
import { chooseLanguage } from "../languages/accept-language.ts";
import { locationRoutes } from "../locations/routes.ts";
import { organizationRoutes } from "../organizations/routes.ts";
import { includesApi } from "../organizations/rules.ts";
import { planRoutes } from "../plans/routes.ts";
import { resourceRoutes } from "../resources/routes.ts";
import { serviceGroupRoutes } from "../service-groups/routes.ts";
import { serviceTypeRoutes } from "../service-types/routes.ts";
import type { Passwords } from "../staff/passwords.ts";
import { registerDocsPage } from "./docs-page.ts";
import { type ApiCaller, delayRefusal, Gate } from "./gate.ts";
import { registerHomePage } from "./home-page.ts";
import { aboutPublicApi } from "./public-document.ts";
import { RequestLog } from "./request-log.ts";

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

/** Where requests and batches are counted. */
export interface RequestMetrics {
  observeRequest(method: string, route: string, status: number, milliseconds: number): void;
  observeGateBatch(requests: number): void;
  observeKeyedWrite(outcome: KeyOutcome): void;
}

export interface ServerDeps {
  readonly db: SharedDatabase;
  readonly keySecret: string;
  readonly rate: RateLimit | undefined;
  readonly publicUrl: string;
  readonly version: string;
  /** Whether the staff application is there; it is unless this is false. */
  readonly hasApplication?: boolean;
  /** The process's own unless given. */
  readonly passwords?: Passwords | undefined;
  /** Whether changes must come with `If-Match`. */
  readonly requireIfMatch?: boolean;
  readonly cacheBytes: number;
  /** `CALLER_TIME_LIMITS` unless given. */
  readonly timeLimits?: CallerTimeLimits | undefined;
  /** In milliseconds, `KEY_PATIENCE_MS` unless given. */
  readonly keyPatienceMs?: number | undefined;
  readonly downloads: {
    readonly atOnce: number;
    /** `DOWNLOAD_TIME_LIMITS` unless given. */
    readonly timeLimits?: StreamTimeLimits | undefined;
  };
  /** `UPLOAD_LIMITS` unless given. */
  readonly uploads?: UploadLimits | undefined;
  readonly logger: Logger;
  /** Whether answered requests are logged as refused ones are. */
  readonly logsSuccesses?: boolean;
  readonly metrics: RequestMetrics;
  /** Whether the database is reachable and migrated; throws or answers false otherwise. */
  readonly isReady: () => Promise<boolean>;
  /** True from the moment the process is asked to stop. */
  readonly isDraining: () => boolean;
}

/** The whole HTTP side, in reading order: limits, failures, the keyed scope, the staff application, the open scope. */
export function buildServer(deps: ServerDeps): FastifyInstance {
  const document = newDocument(deps.publicUrl, "", aboutPublicApi(deps.version));
  const problemUrl = document.schemaUrl("Problem");
  const earlyAnswers = new EarlyAnswers();
  const timeLimits = deps.timeLimits ?? CALLER_TIME_LIMITS;
  const uploads = new UploadDesk(deps.uploads);

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
      // Node has one limit for all requests; that of a file is kept by the desk.
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && uploads.isReceiving(socket)) return;
      refuseConnection(error, socket, earlyAnswers, problemUrl);
    },
    frameworkErrors: (error, request, reply) => {
      // No hook has seen this request.
      request.arrivedAt = performance.now();
      if (deps.hasApplication === false || !asksForConsole(request)) return refuse(error, request, reply);
      // A link that was cut in the middle of a letter: a person is led to the console instead of being shown JSON.
      reply.headers({ "x-request-id": request.id, "cache-control": "no-store", vary: "accept" });
      reply.redirect("/console/", 302);
      sender.recordResponse(request, 302);
    },
    // No address that fits into the header limit has a longer parameter.
    routerOptions: { maxParamLength: HEAD_LIMIT.bytes },
  });
  answerRareRequests(app.server, problemUrl);

  const log = new RequestLog(deps);
  app.addHook("onClose", async () => log.close());
  const sender = new Sender({
    policy: deps.rate && `"default";q=${deps.rate.perMinute};w=60`,
    isDraining: deps.isDraining,
    recordResponse: (request, route, status, milliseconds) => {
      earlyAnswers.add(request.raw);
      deps.metrics.observeRequest(request.method, route, status, milliseconds);
      log.recordResponse(request, route, status, milliseconds);
    },
    onError: (request, error) => log.recordCutOff(request, error),
  });
  const refuseAs = (
    { schemaUrl, about }: ApiDocument,
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const isCutOff = error === request.raw.errored;
    const known = isCutOff ? (earlyAnswers.refusalOf(request.raw) ?? callerLeft()) : toKnownError(error);
    log.recordRefusal(request, known);
    const language = chooseLanguage(request.headers["accept-language"]);
    const { challenge } = about.security;
    sender.refuse(request, reply, problemReply(known, schemaUrl("Problem"), { language, challenge }));
  };
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    refuseAs(document, error, request, reply);

  const addresses = new Addresses();
  app.addHook("onRoute", ({ url, method }) => addresses.add(url, method));

  app.decorateRequest("caller", null);
  app.decorateRequest("identity", null);
  app.decorateRequest("faults", null);
  app.decorateRequest("rate", null);
  app.decorateRequest("answerType", "application/json");
  app.decorateRequest("arrivedAt", 0);
  app.decorateRequest("isRecorded", false);
  app.removeAllContentTypeParsers();
  // Bodies arrive as bytes; what they must be is decided where the operation is declared.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.addHook("onRequest", (request, reply, done) => {
    request.arrivedAt = performance.now();
    const fault = findProtocolFault(request.raw);
    if (fault) reply.header("connection", "close");
    done(fault);
  });
  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    const allowed = addresses.allowedAt(request.url);
    if (allowed === undefined) throw nothingHere();
    reply.header("allow", allowed);
    throw new HttpError("method_missing");
  });

  const settling = new Settling(deps.db);
  const settle = (organizationId: string, instant: number) => settling.settle(organizationId, instant);
  const keyPatienceMs = deps.keyPatienceMs ?? KEY_PATIENCE_MS;
  const parts = {
    cache: new ResponseCache(deps.cacheBytes),
    sender,
    db: deps.db,
    downloads: new DownloadDesk({
      ...deps.downloads,
      today: ({ timezone, clock }) => dateIn(timezone, clock.now()),
    }),
    uploads,
    release: [deps.version, tzdataVersion(), deps.publicUrl].join(),
  };
  const usage = new KeyUsage(deps.db, (error) =>
    log.recordBackgroundFailure(error, "the use of keys could not be stored; it is tried again"),
  );
  app.addHook("onClose", () => usage.stop());
  app.register(async (keyed) => {
    const gate = new Gate({
      db: deps.db,
      keySecret: deps.keySecret,
      rate: deps.rate,
      includesApi,
      settle,
      onBatch: (requests) => deps.metrics.observeGateBatch(requests),
      onUse: (caller, requests, refused) =>
        usage.count({ ...caller, now: caller.clock.now() }, requests, refused),
      onError: (error) => log.recordBackgroundFailure(error, "the gate could not finish its work"),
    });
    const scope: OperationScope<ApiCaller> = {
      ...parts,
      app: keyed,
      admit: (request, decide) =>
        gate.pass(request.headers.authorization, (verdict) => {
          const { refusal } = verdict;
          if (refusal instanceof AppError && refusal.kind === "unauthorized") {
            delayRefusal(request.arrivedAt, () => decide(verdict));
          } else decide(verdict);
        }),
      document,
      idempotency: new Idempotency({
        isRequired: false,
        patienceMs: keyPatienceMs,
        answers: { claim: claimKey, store: storeAnswer, find: findAnswer },
        reused: () => invalid([KEY_REUSED]),
        observe: (outcome) => deps.metrics.observeKeyedWrite(outcome),
      }),
      requiresIfMatch: deps.requireIfMatch ?? false,
    };
    organizationRoutes(scope);
    locationRoutes(scope);
    planRoutes(scope, deps.db);
    serviceTypeRoutes(scope, deps.db);
    serviceGroupRoutes(scope);
    contractRoutes(scope, deps.db);
    clientRoutes(scope, deps.db);
    calendarRoutes(scope, deps.db);
    resourceRoutes(scope);
  });
  const staffDocument =
    deps.hasApplication === false ? undefined : applicationDocument(deps.publicUrl, deps.version);
  if (staffDocument)
    app.register(async (staff) => {
      staff.setErrorHandler((error, request, reply) => refuseAs(staffDocument, error, request, reply));
      serveApplication(staff, {
        parts,
        document: staffDocument,
        keySecret: deps.keySecret,
        publicUrl: deps.publicUrl,
        keyPatienceMs,
        passwords: deps.passwords,
        settle,
        observeKeyedWrite: (outcome) => deps.metrics.observeKeyedWrite(outcome),
        isDraining: deps.isDraining,
        onError: (error) => log.recordBackgroundFailure(error, "the application could not finish its work"),
      });
    });
  app.register(async (open) => {
    open.addHook("onRequest", (request, reply, done) => {
      reply.header("x-request-id", request.id);
      if (deps.isDraining()) reply.header("connection", "close");
      done();
    });
    open.addHook("onResponse", (request, reply, done) => {
      sender.recordResponse(request, reply.statusCode);
      done();
    });
    const notReady = (error: unknown) => {
      log.recordBackgroundFailure(error, "the database could not be looked at");
      return false;
    };
    open.get("/livez", (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok\n"));
    open.get("/readyz", async (_request, reply) => {
      const ready = !deps.isDraining() && (await deps.isReady().catch(notReady));
      return reply
        .code(ready ? 200 : 503)
        .headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
        .send(ready ? "ready\n" : "not ready\n");
    });
    registerHomePage(open, {
      title: "Rollbook",
      publicUrl: deps.publicUrl,
      hasConsole: staffDocument !== undefined,
    });
    registerDocsPage(open, { title: "Rollbook" });

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
