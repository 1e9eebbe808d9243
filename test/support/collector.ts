import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Scope } from "./processes.ts";

/** A span as a collector reads it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly hasFailed: boolean;
}

/** A metric as a collector reads it: each point with its labels. */
export interface ReceivedMetric {
  readonly name: string;
  readonly kind: "sum" | "gauge" | "histogram";
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, string | number>>;
    readonly value?: number;
    readonly count?: number;
    readonly bucketCounts?: readonly number[];
    readonly bounds?: readonly number[];
  }[];
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: Map<string, ReceivedMetric>;
  readonly resources: Readonly<Record<string, string | number>>[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Everything that was sent, as it came. */
  text(): string;
  /** How many requests came, answered or not. */
  asked(): number;
  /** How many requests wait for an answer that does not come. */
  hanging(): number;
  /** To all that comes, or to one kind. */
  answerWith(status: number | "nothing" | "no end", kind?: "traces" | "metrics"): void;
}

// biome-ignore lint/suspicious/noExplicitAny: what came is read as a collector reads it, and asserted on
type Json = any;

/** Stands where a collector of OpenTelemetry would, and reads OTLP as JSON. What it cannot read is answered with 400. */
export async function startCollector(scope: Scope): Promise<Collector> {
  const bodies: string[] = [];
  const [spans, metrics] = [[] as ReceivedSpan[], new Map<string, ReceivedMetric>()];
  const resources: Record<string, string | number>[] = [];
  const headers: Record<string, unknown>[] = [];
  const statuses = new Map<string, number | "nothing" | "no end">();
  let [asked, hanging] = [0, 0];
  const server = createServer(async (request, response) => {
    asked++;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const status = statuses.get(request.url ?? "") ?? 200;
    if (status === "nothing") {
      hanging++;
      response.once("close", () => hanging--);
      return;
    }
    if (status === "no end") {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024, " ");
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      return more();
    }
    if (status !== 200) return void response.writeHead(status).end("{}");
    const text = Buffer.concat(pieces).toString();
    try {
      const body = JSON.parse(text) as Json;
      if (request.headers["content-type"] !== "application/json") throw new Error("it is no JSON");
      if (request.url === "/v1/traces") for (const one of body.resourceSpans) readSpans(one);
      else if (request.url === "/v1/metrics") for (const one of body.resourceMetrics) readMetrics(one);
      else throw new Error(`nobody sends to ${request.url}`);
      bodies.push(text);
      headers.push(request.headers);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  const readSpans = ({ resource, scopeSpans }: Json) => {
    resources.push(plain(resource.attributes));
    for (const span of scopeSpans.flatMap((one: Json) => one.spans)) {
      if (!/^[0-9a-f]{32}$/.test(span.traceId) || !/^[0-9a-f]{16}$/.test(span.spanId))
        throw new Error("an id is wrong");
      spans.push({
        ...span,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: plain(span.attributes ?? []),
        hasFailed: span.status?.code === 2,
      });
    }
  };
  const readMetrics = ({ resource, scopeMetrics }: Json) => {
    resources.push(plain(resource.attributes));
    for (const metric of scopeMetrics.flatMap((one: Json) => one.metrics)) {
      const kind = (["sum", "gauge", "histogram"] as const).find((name) => name in metric);
      if (!kind) throw new Error(`${metric.name} is nothing`);
      const points = metric[kind].dataPoints.map((point: Json) => ({
        attributes: plain(point.attributes),
        ...(point.asDouble !== undefined && { value: Number(point.asDouble) }),
        ...(point.count !== undefined && { count: Number(point.count) }),
        ...(point.bucketCounts && {
          bucketCounts: point.bucketCounts.map(Number),
          bounds: point.explicitBounds,
        }),
      }));
      metrics.set(metric.name, { name: metric.name, kind, points });
    }
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, metrics, resources, headers },
    text: () => bodies.join("\n"),
    asked: () => asked,
    hanging: () => hanging,
    answerWith(status, kind) {
      for (const one of kind ? [kind] : ["traces", "metrics"]) statuses.set(`/v1/${one}`, status);
    },
  };
}

function plain(attributes: Json[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
