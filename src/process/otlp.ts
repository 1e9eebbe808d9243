import type { Step } from "../core/steps.ts";

/** The JSON of OTLP 1.x (opentelemetry-proto), as far as this program has something to say by it. */

type OtlpAttributes = Readonly<Record<string, string | number>>;

/** A request that has been answered and is traced. */
export interface TracedRequest {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of whoever called. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly begunAt: number;
  readonly endedAt: number;
  readonly attributes: OtlpAttributes;
  readonly hasFailed: boolean;
  readonly steps: readonly Step[];
}

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const STATUS_ERROR = 2;
const CUMULATIVE = 2;
const SCOPE = { name: "rollbook" };

/** `originMs` is the wall clock at which `performance.now()` was 0. */
export function tracesBody(
  requests: readonly TracedRequest[],
  resource: OtlpAttributes,
  originMs: number,
  newSpanId: () => string,
): object {
  const time = (at: number) => nanoseconds(originMs + at);
  const spans = requests.flatMap((request) => {
    const { traceId, spanId, parentId, name, begunAt, endedAt, steps, hasFailed } = request;
    return [
      {
        ...{ traceId, spanId, ...(parentId !== undefined && { parentSpanId: parentId }) },
        ...{ name, kind: SERVER, startTimeUnixNano: time(begunAt), endTimeUnixNano: time(endedAt) },
        attributes: attributesOf(request.attributes),
        ...(hasFailed && { status: { code: STATUS_ERROR } }),
      },
      ...steps.map((step) => {
        const isStatement = step.name.startsWith("rollbook:");
        return {
          ...{ traceId, spanId: newSpanId(), parentSpanId: spanId },
          ...{ name: step.name, kind: isStatement ? CLIENT : INTERNAL },
          ...{ startTimeUnixNano: time(step.begunAt), endTimeUnixNano: time(step.endedAt) },
          ...(isStatement && { attributes: attributesOf({ "db.system.name": "postgresql" }) }),
          ...(step.hasFailed && { status: { code: STATUS_ERROR } }),
        };
      }),
    ];
  });
  return { resourceSpans: [{ ...resourceOf(resource), scopeSpans: [{ scope: SCOPE, spans }] }] };
}

/** A metric as prom-client tells it. */
export interface ToldMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

export function metricsBody(
  told: readonly ToldMetric[],
  resource: OtlpAttributes,
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): object {
  const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
  const metrics = told.flatMap((metric) => {
    const { name, help: description, values } = metric;
    const points = (of: ToldMetric["values"]) =>
      of.map(({ labels, value }) => ({ attributes: attributesOf(labels), ...times, asDouble: value }));
    if (values.length === 0) return [];
    if (metric.type === "histogram")
      return {
        name,
        description,
        histogram: { aggregationTemporality: CUMULATIVE, dataPoints: buckets(metric, times) },
      };
    if (metric.type === "counter")
      return {
        ...{ name, description },
        sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points(values) },
      };
    return { name, description, gauge: { dataPoints: points(values) } };
  });
  return { resourceMetrics: [{ ...resourceOf(resource), scopeMetrics: [{ scope: SCOPE, metrics }] }] };
}

/** prom-client adds buckets up; OTLP has each by itself. */
function buckets({ name, values }: ToldMetric, times: object): object[] {
  const series = new Map<
    string,
    { labels: OtlpAttributes; bounds: number[]; counts: number[]; sum: number; count: number }
  >();
  for (const { labels: all, value, metricName } of values) {
    const { le, ...labels } = all;
    const key = JSON.stringify(labels);
    const found = series.get(key) ?? { labels, bounds: [], counts: [], sum: 0, count: 0 };
    series.set(key, found);
    if (metricName === `${name}_sum`) found.sum = value;
    else if (metricName === `${name}_count`) found.count = value;
    else {
      if (le !== "+Inf") found.bounds.push(Number(le));
      found.counts.push(value);
    }
  }
  return Array.from(series.values(), ({ labels, bounds, counts, sum, count }) => ({
    attributes: attributesOf(labels),
    ...times,
    ...{ sum, count: String(count), explicitBounds: bounds },
    bucketCounts: counts.map((upTo, place) => String(upTo - (counts[place - 1] ?? 0))),
  }));
}

function resourceOf(resource: OtlpAttributes): object {
  return { resource: { attributes: attributesOf(resource) } };
}

function attributesOf(attributes: OtlpAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
