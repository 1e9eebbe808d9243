import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { calendarRoutes } from "./calendar/routes.ts";
import { clientRoutes } from "./clients/routes.ts";
import { contractRoutes } from "./contracts/routes.ts";
import type { Database } from "./db/database.ts";
import { AppError, notFound } from "./errors.ts";
import { Addresses } from "./http/addresses.ts";
import { registerDocsPage } from "./http/docs-page.ts";
import { Gate } from "./http/gate.ts";
import { registerContract } from "./http/openapi.ts";
import type { Operation, OperationScope } from "./http/operation.ts";
import { problemReply, toAppError } from "./http/problem.ts";
import {
  answerRareRequests,
  chooseRequestId,
  faultOfHost,
  originForm,
  refuseConnection,
} from "./http/protocol.ts";
import { ReusableBodies } from "./http/reuse.ts";
import type { RateLimit } from "./keys/admission.ts";
import { locationRoutes } from "./locations/routes.ts";
import type { Metrics } from "./metrics.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { includesApi } from "./organizations/rules.ts";
import { planRoutes } from "./plans/routes.ts";
import { serviceTypeRoutes } from "./service-types/routes.ts";

export interface ServerDeps {
  readonly db: Database;
  readonly keySecret: string;
  readonly rate: RateLimit | undefined;
  readonly publicUrl: string;
  readonly version: string;
  readonly reuseBytes: number;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Whether the database is reachable and migrated; throws or answers false otherwise. */
  readonly isReady: () => Promise<boolean>;
  /** True from the moment the process is asked to stop. */
  readonly isDraining: () => boolean;
}

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADER_LIMIT_BYTES = 16 * 1024;

/** The whole HTTP side, in reading order: limits, failures, the open scope, the keyed scope. */
export function buildServer(deps: ServerDeps): FastifyInstance {
  const schemaUrl = (name: string) => `${deps.publicUrl}/schemas/${name}.json`;
  const problemUrl = schemaUrl("Problem");

  const app = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Slow callers are cut off in seconds; a kept-alive idle connection may stay a while.
    connectionTimeout: 15_000,
    keepAliveTimeout: 65_000,
    requestTimeout: 8_000,
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      // Node would answer a missing Host by itself, and silently take the first of two Authorization headers.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
    },
    genReqId: (request) => chooseRequestId(request.headers["x-request-id"]),
    rewriteUrl: (request) => originForm(request.url ?? "/"),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, problemUrl),
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      refuse(error, request, reply);
    },
    // No address that fits into the header limit has a longer parameter.
    routerOptions: { maxParamLength: HEADER_LIMIT_BYTES },
  });
  answerRareRequests(app.server, problemUrl);

  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = toAppError(error);
    if (known.kind === "internal") request.log.error({ err: known.cause ?? known }, "request failed");
    if (known.kind === "unavailable") request.log.warn({ err: known }, "database not available");
    const { status, headers, body } = problemReply(known, problemUrl);
    return reply.code(status).headers(headers).send(Buffer.from(body));
  };

  const addresses = new Addresses();
  app.addHook("onRoute", ({ url, method }) => addresses.add(url, method));

  app.decorateRequest("caller", null);
  app.removeAllContentTypeParsers();
  // Bodies arrive as bytes; what they must be is decided where the operation is declared.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    if (deps.isDraining()) reply.header("connection", "close");
    done(faultOfHost(request.raw));
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    deps.metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime);
    // The gate's refusals and callers' mistakes are worth a line; successes only when someone is looking.
    const fields = {
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 400) request.log.info(fields, "request refused");
    else request.log.debug(fields, "request");
    done();
  });

  app.setErrorHandler(refuse);
  app.setNotFoundHandler((request, reply) => {
    const allowed = addresses.allowedAt(request.url);
    if (allowed === undefined) throw nothingHere();
    reply.header("allow", allowed);
    throw new AppError("method_not_allowed", "This address does not have this method.");
  });

  app.get("/livez", (_request, reply) => reply.type("text/plain; charset=utf-8").send("ok\n"));
  app.get("/readyz", async (_request, reply) => {
    const ready = !deps.isDraining() && (await deps.isReady().catch(() => false));
    return reply
      .code(ready ? 200 : 503)
      .headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
      .send(ready ? "ready\n" : "not ready\n");
  });
  registerDocsPage(app, { title: "Rollbook" });

  const operations: Operation[] = [];
  app.register(async (keyed) => {
    const gate = new Gate({
      db: deps.db,
      keySecret: deps.keySecret,
      rate: deps.rate,
      includesApi,
      onBatch: (requests) => deps.metrics.observeGateBatch(requests),
      onError: (err) => deps.logger.warn({ err }, "the gate could not finish its work"),
    });
    const policy = deps.rate && `"default";q=${deps.rate.perMinute};w=60`;
    keyed.addHook("onRequest", (request, reply, done) => {
      // The router takes `/v1/clients/` for a client whose id is empty.
      if (Object.values(request.params as object).includes("")) return done(nothingHere());
      gate.pass(request.headers.authorization, ({ caller, refusal, rate }) => {
        if (policy && rate) {
          reply.header("ratelimit-policy", policy);
          reply.header("ratelimit", `"default";r=${rate.remaining};t=${rate.resetSeconds}`);
          if (rate.retryAfterSeconds !== undefined)
            reply.header("retry-after", String(rate.retryAfterSeconds));
        }
        request.caller = caller ?? null;
        done(refusal);
      });
    });

    const scope: OperationScope = {
      app: keyed,
      schemaUrl,
      reusable: new ReusableBodies(deps.reuseBytes),
      operations,
    };
    organizationRoutes(scope, deps.db);
    locationRoutes(scope, deps.db);
    planRoutes(scope, deps.db);
    serviceTypeRoutes(scope, deps.db);
    contractRoutes(scope, deps.db);
    clientRoutes(scope, deps.db);
    calendarRoutes(scope, deps.db);
  });
  app.register(async (open) => {
    registerContract(open, operations, { version: deps.version, publicUrl: deps.publicUrl });
  });
  return app;
}

function nothingHere(): AppError {
  return notFound("There is nothing at this address.");
}
