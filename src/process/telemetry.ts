import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import type { Logger } from "pino";
import type { AnsweredRequest, RequestTracing } from "../api/server.ts";
import type { Step } from "../core/steps.ts";
import type { DatabaseTimes } from "../db/database.ts";
import { isSampled, readTraceparent, type SamplerName } from "../http/trace-context.ts";
import { metricsBody, type ToldMetric, type TracedRequest, tracesBody } from "./otlp.ts";
import { OtlpExporter, type Post } from "./otlp-exporter.ts";

export interface TelemetrySettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string | undefined;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly sendsTraces: boolean;
  readonly sendsMetrics: boolean;
  /** How often metrics are sent. */
  readonly everyMs: number;
}

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly version: string;
  readonly logger: Logger;
  readonly readMetrics: () => Promise<readonly ToldMetric[]>;
}

/** How often what was traced is sent. */
const TRACES_EVERY_MS = 5_000;
/** Requests that wait to be sent; further ones are not traced. */
const MOST_WAITING = 2_048;
const MOST_AT_ONCE = 512;

/** What a request that is traced carries along. */
interface Trace extends DatabaseTimes {
  readonly steps: Step[];
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
}

/**
 * Sends traces and metrics by OTLP over HTTP, as JSON. A request adds its steps to an array; everything else happens when what was
 * gathered is sent. A collector that is away costs what waits for it, never a request.
 */
export class Telemetry implements RequestTracing {
  readonly #options: TelemetryOptions;
  readonly #resource: Readonly<Record<string, string>>;
  readonly #startMs = Date.now();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #traces: OtlpExporter;
  readonly #metrics: OtlpExporter;
  #waiting: TracedRequest[] = [];
  #dropped = 0;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const { settings, version, logger } = options;
    this.#resource = {
      "service.name": "rollbook",
      "service.version": version,
      "service.instance.id": `${hostname()}-${process.pid}`,
      ...settings.resource,
      ...(settings.serviceName !== undefined && { "service.name": settings.serviceName }),
    };
    this.#traces = new OtlpExporter({
      ...{ kind: "traces", settings, logger },
      send: (post) => this.#sendTraces(post),
      takeDropped: () => this.#takeDropped(),
    });
    this.#metrics = new OtlpExporter({
      ...{ kind: "metrics", settings, logger },
      send: (post, signal) => this.#sendMetrics(post, signal),
    });
    if (settings.sendsTraces) this.#every(TRACES_EVERY_MS, this.#traces);
    if (settings.sendsMetrics) this.#every(settings.everyMs, this.#metrics);
  }

  begin(traceparent: unknown): Trace | undefined {
    const { sendsTraces, sampler, ratio } = this.#options.settings;
    if (!sendsTraces) return undefined;
    const parent = readTraceparent(traceparent);
    const traceId = parent?.traceId ?? randomId(16);
    if (!isSampled(sampler, ratio, traceId, parent)) return undefined;
    return { queueMs: 0, postgresMs: 0, steps: [], traceId, spanId: randomId(8), parentId: parent?.parentId };
  }

  end(times: DatabaseTimes, request: AnsweredRequest): void {
    const { traceId, spanId, parentId, steps } = times as Trace;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    const { begunAt, method, route, status, operationId, organizationId, requestId } = request;
    this.#waiting.push({
      ...{ traceId, spanId, parentId, steps, begunAt, endedAt: performance.now() },
      name: operationId ?? `${method} ${route}`,
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        "rollbook.request.id": requestId,
        ...(operationId !== undefined && { "rollbook.operation": operationId }),
        ...(organizationId !== undefined && { "rollbook.organization.id": organizationId }),
      },
      hasFailed: status >= 500,
    });
    if (this.#waiting.length >= MOST_AT_ONCE && !this.#traces.isFailing) this.#traces.send();
  }

  /** Sends what is left, if the collector answers soon. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { sendsTraces, sendsMetrics } = this.#options.settings;
    await Promise.all([sendsTraces && this.#traces.stop(), sendsMetrics && this.#metrics.stop()]);
  }

  #every(ms: number, exporter: OtlpExporter): void {
    this.#timers.push(setInterval(() => exporter.send(), ms).unref());
  }

  async #sendTraces(post: Post): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, MOST_AT_ONCE);
      const originMs = Date.now() - performance.now();
      const outcome = await post(tracesBody(some, this.#resource, originMs, () => randomId(8)));
      if (outcome === "failed") return;
      if (outcome === "refused") this.#dropped += some.length;
      this.#waiting = this.#waiting.slice(some.length);
    }
  }

  #takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  async #sendMetrics(post: Post, signal: AbortSignal): Promise<void> {
    // Some of them ask the database, which may be away.
    const told = await Promise.race([this.#options.readMetrics(), aborted(signal)]);
    if (told) await post(metricsBody(told, this.#resource, { startMs: this.#startMs, nowMs: Date.now() }));
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, "abort");
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
