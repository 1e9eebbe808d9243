import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Database } from "./db/database.ts";
import { AppError } from "./errors.ts";
import { registerDocsPage } from "./http/docs-page.ts";
import { Gate } from "./http/gate.ts";
import { registerContract } from "./http/openapi.ts";
import type { Operation, OperationScope } from "./http/operation.ts";
import { problemReply, toAppError } from "./http/problem.ts";
import { ReusableBodies } from "./http/reuse.ts";
import type { RateLimit } from "./keys/admission.ts";
import type { Metrics } from "./metrics.ts";
import { organizationRoutes } from "./organizations/routes.ts";

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
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

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
    connectionTimeout: 10_000,
    keepAliveTimeout: 65_000,
    requestTimeout: 8_000,
    http: { maxHeaderSize: HEADER_LIMIT_BYTES, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    rewriteUrl: (request) => originForm(request.url ?? "/"),
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, problemUrl),
    routerOptions: { maxParamLength: 500 },
  });

  const addresses = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = addresses.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    addresses.set(url, methods);
  });

  app.decorateRequest("caller", null);
  app.removeAllContentTypeParsers();
  // Bodies arrive as bytes; what they must be is decided where the operation is declared.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    if (deps.isDraining()) reply.header("connection", "close");
    done();
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

  app.setErrorHandler((error, request, reply) => {
    const known = toAppError(error);
    if (known.kind === "internal") request.log.error({ err: known.cause ?? known }, "request failed");
    if (known.kind === "unavailable") request.log.warn({ err: known }, "database not available");
    const { status, headers, body } = problemReply(known, problemUrl);
    return reply.code(status).headers(headers).send(Buffer.from(body));
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(addresses, request.url);
    if (!allowed) throw new AppError("not_found", "There is nothing at this address.");
    reply.header("allow", [...allowed].sort().join(", "));
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
      onBatch: (requests) => deps.metrics.observeGateBatch(requests),
      onError: (err) => deps.logger.warn({ err }, "could not note that keys were used"),
    });
    const policy = deps.rate && `"default";q=${deps.rate.perMinute};w=60`;
    keyed.addHook("onRequest", (request, reply, done) => {
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
  });
  app.register(async (open) => {
    registerContract(open, operations, { version: deps.version, publicUrl: deps.publicUrl });
  });
  return app;
}

function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

/** `GET http://host/path` is a valid request line too; routes know only the path. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  return target.replace(/^https?:\/\/[^/?#]*/i, "") || "/";
}

function methodsAt(addresses: ReadonlyMap<string, Set<string>>, url: string): Set<string> | undefined {
  const path = url.split("?", 1)[0] ?? "";
  for (const [template, methods] of addresses) {
    const pattern = template.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/]+");
    if (new RegExp(`^${pattern}$`).test(path)) return methods;
  }
  return undefined;
}

/** Answers what never became a request: malformed HTTP, too large headers, a request that did not arrive. */
function refuseConnection(error: Error, socket: Socket, problemUrl: string): void {
  if (!socket.writable || ("code" in error && error.code === "ECONNRESET")) {
    socket.destroy();
    return;
  }
  const known = toAppError(error);
  const { status, headers, body } = problemReply(
    known.kind === "internal" ? new AppError("malformed", "The HTTP request is malformed.") : known,
    problemUrl,
  );
  const title = (JSON.parse(body) as { title: string }).title;
  const lines = Object.entries({
    ...headers,
    "x-request-id": randomUUID(),
    date: new Date().toUTCString(),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
