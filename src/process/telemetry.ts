import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { AnsweredRequest, RequestTracing } from "../api/server.ts";
import type { Step } from "../core/steps.ts";
import type { DatabaseTimes } from "../db/database.ts";
import { isSampled, readTraceparent, type SamplerName } from "../http/trace-context.ts";
import { metricsBody, type ToldMetric, type TracedRequest, tracesBody } from "./otlp.ts";

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
/** How long a collector has for an answer, and for the last one when the process stops. */
const ANSWER_MS = 10_000;
const LAST_ANSWER_MS = 2_000;

/** Statuses after which the same is sent again, by the specification of OTLP. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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
  #waiting: TracedRequest[] = [];
  #dropped = 0;
  #isFailing = false;
  #isSending = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const { settings, version } = options;
    this.#resource = {
      "service.name": "rollbook",
      "service.version": version,
      "service.instance.id": `${hostname()}-${process.pid}`,
      ...settings.resource,
      ...(settings.serviceName !== undefined && { "service.name": settings.serviceName }),
    };
    if (settings.sendsTraces) this.#every(TRACES_EVERY_MS, () => this.#sendTraces(ANSWER_MS));
    if (settings.sendsMetrics) this.#every(settings.everyMs, () => this.#sendMetrics(ANSWER_MS));
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
    if (this.#waiting.length >= MOST_AT_ONCE && !this.#isSending && !this.#isFailing)
      void this.#sendTraces(ANSWER_MS);
  }

  /** Sends what is left, if the collector answers soon. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { sendsTraces, sendsMetrics } = this.#options.settings;
    await Promise.all([
      sendsTraces && this.#sendTraces(LAST_ANSWER_MS),
      sendsMetrics && this.#sendMetrics(LAST_ANSWER_MS),
    ]);
  }

  #every(ms: number, work: () => Promise<void>): void {
    this.#timers.push(setInterval(work, ms).unref());
  }

  async #sendTraces(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    // One after the other: a collector that hangs is not asked again meanwhile.
    this.#sending = this.#sending.then(async () => {
      this.#isSending = true;
      while (this.#waiting.length > 0 && !signal.aborted) {
        const some = this.#waiting.slice(0, MOST_AT_ONCE);
        const originMs = Date.now() - performance.now();
        const body = tracesBody(some, this.#resource, originMs, () => randomId(8));
        if (!(await this.#post("traces", body, signal))) break;
        this.#waiting = this.#waiting.slice(some.length);
      }
      this.#isSending = false;
    });
    await this.#sending;
  }

  async #sendMetrics(withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      // Some of them ask the database, which may be away.
      const told = await Promise.race([
        this.#options.readMetrics(),
        delay(withinMs, undefined, { ref: false }),
      ]);
      if (!told) return;
      const times = { startMs: this.#startMs, nowMs: Date.now() };
      await this.#post("metrics", metricsBody(told, this.#resource, times), signal);
    } catch (err) {
      this.#options.logger.warn({ err }, "the metrics could not be read");
    }
  }

  /** Whether it is done with: what a collector does not want is not sent again. */
  async #post(kind: "traces" | "metrics", body: object, signal: AbortSignal): Promise<boolean> {
    const { settings, logger } = this.#options;
    let isRefused = false;
    try {
      const answer = await fetch(`${settings.endpoint}/v1/${kind}`, {
        method: "POST",
        headers: { ...settings.headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        signal,
      });
      await answer.arrayBuffer();
      isRefused = answer.status >= 400 && !RETRIED.has(answer.status);
      if (!answer.ok) throw new Error(`it answered ${answer.status} to ${kind}`);
      if (this.#isFailing)
        logger.info(`the collector takes ${kind} again; ${this.#dropped} requests were left out`);
      this.#isFailing = false;
      this.#dropped = 0;
      return true;
    } catch (err) {
      if (!this.#isFailing)
        logger.warn({ err }, "the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes nothing; retrying");
      this.#isFailing = true;
      return isRefused;
    }
  }
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
