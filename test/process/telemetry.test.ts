import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { pino } from "pino";
import { loadConfig } from "../../src/process/config.ts";
import { createMetrics } from "../../src/process/metrics.ts";
import { Telemetry, type TelemetrySettings } from "../../src/process/telemetry.ts";
import { openApi } from "../support/api.ts";
import { type Collector, type ReceivedSpan, startCollector } from "../support/collector.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { databaseUrl, serve } from "../support/processes.ts";
import { addLocation } from "../support/records.ts";
import { openTestStore } from "../support/store.ts";

const DAY_MS = 86_400_000;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

function telemetryOptions(endpoint: string, settings: Partial<TelemetrySettings> = {}, lines: string[] = []) {
  return {
    settings: {
      ...{ endpoint, headers: { "x-tenant": "studio" }, serviceName: undefined, resource: { zone: "a b" } },
      ...{ sampler: "parentbased_always_on" as const, ratio: 1, everyMs: DAY_MS },
      ...{ sendsTraces: true, sendsMetrics: true },
      ...settings,
    },
    version: "1.2.3",
    logger: pino({}, { write: (line: string) => lines.push(line) }),
  };
}

async function open(t: TestContext, settings: Partial<TelemetrySettings> = {}, collector?: Collector) {
  const found = collector ?? (await startCollector(t as never));
  const lines: string[] = [];
  const metrics = createMetrics({ version: "0.0.0" });
  const telemetry = new Telemetry({
    ...telemetryOptions(found.url, settings, lines),
    readMetrics: async () => (await metrics.registry.getMetricsAsJSON()) as never,
  });
  const api = await openApi({ metrics, tracing: telemetry });
  t.after(() => api.close());
  return { api, telemetry, collector: found, lines };
}

describe("OpenTelemetry", () => {
  test("a request is a span with its operation and organization, and its gate, waits and statements are spans below it", async (t) => {
    const { api, telemetry, collector } = await open(t);
    const studio = await api.newOrganization();
    const locationId = await addLocation(api.db, studio.id);
    const secret = "joao.secreto@example.com";
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const body = { contactName: "João Secreto", contactEmail: secret, locationIds: [locationId] };
    const idempotencyKey = { "idempotency-key": newId() };
    const created = await studio.call("POST", "/v1/clients", {
      body,
      headers: { ...headers, ...idempotencyKey },
    });
    assert.equal(created.status, 201);
    const replaced = await studio.call("PUT", `/v1/clients/${created.body.id}`, { body, headers });
    assert.equal(replaced.status, 200);
    await studio.call("GET", `/v1/clients?query=${secret}`, { headers });
    await studio.get("/v1/organization");
    await telemetry.stop();

    const servers = collector.spans.filter(({ kind, name }) => kind === 2 && name !== "GET /openapi.json");
    const named = (name: string) => servers.find((span) => span.name === name) as ReceivedSpan;
    assert.deepEqual(servers.map(({ name }) => name).sort(), [
      "createClient",
      "getOrganization",
      "listClients",
      "replaceClient",
    ]);
    for (const name of ["createClient", "replaceClient", "listClients"])
      assert.deepEqual([named(name).traceId, named(name).parentSpanId], [TRACE, PARENT]);
    assert.notEqual(named("getOrganization").traceId, TRACE);
    assert.equal(named("getOrganization").parentSpanId, undefined);
    const { "rollbook.request.id": requestId, ...attributes } = named("replaceClient").attributes;
    assert.equal(requestId, replaced.headers.get("x-request-id"));
    assert.deepEqual(attributes, {
      "http.request.method": "PUT",
      "http.route": "/v1/clients/:id",
      "http.response.status_code": 200,
      "rollbook.operation": "replaceClient",
      "rollbook.organization.id": studio.id,
    });
    for (const server of servers) {
      const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === server.spanId);
      const names = children.map(({ name }) => name);
      assert.ok(names.includes("gate"), `${server.name}: ${names}`);
      for (const child of children) {
        assert.equal(child.traceId, server.traceId);
        assert.ok(
          child.startNs >= server.startNs && child.endNs <= server.endNs && child.startNs <= child.endNs,
        );
        assert.equal(child.kind, child.name.startsWith("rollbook:") ? 3 : 1);
      }
      if (server.name !== "createClient")
        assert.ok(
          names.some((name) => name.startsWith("rollbook:")),
          `${server.name}: ${names}`,
        );
    }
    const put = collector.spans.filter(({ parentSpanId }) => parentSpanId === named("replaceClient").spanId);
    assert.ok(put.some(({ name }) => name === "wait for a connection"));
    assert.doesNotMatch(collector.text(), new RegExp(`secret|João|${created.body.id}|${studio.key}`, "i"));
    const now = BigInt(Date.now()) * 1_000_000n;
    assert.ok(
      named("listClients").endNs > now - 600_000_000_000n &&
        named("listClients").endNs < now + 1_000_000_000n,
    );
    assert.equal(collector.resources[0]?.["service.name"], "rollbook");
    assert.equal(collector.resources[0]?.["service.version"], "1.2.3");
    assert.equal(collector.resources[0]?.zone, "a b");
    assert.equal(collector.headers[0]?.["x-tenant"], "studio");
  });

  test("a 404 is a span by its route alone, a 500 has failed, and a caller who does not record is not recorded", async (t) => {
    const { api, telemetry, collector } = await open(t);
    const studio = await api.newOrganization();
    await studio.get(`/v1/nothing/joao@example.com`);
    await studio.call("GET", "/v1/organization", { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
    for (const wrong of [
      "",
      "00",
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01-more`,
    ])
      await studio.call("GET", "/v1/organization", { headers: { traceparent: wrong } });
    await telemetry.stop();
    const servers = collector.spans.filter(({ kind }) => kind === 2);
    assert.deepEqual(
      servers.map(({ name, attributes }) => [name, attributes["http.response.status_code"]]).sort(),
      [["GET unknown", 404], ...Array.from({ length: 5 }, () => ["getOrganization", 200])],
    );
    assert.ok(servers.every(({ traceId, hasFailed }) => traceId !== TRACE && !hasFailed));
    assert.doesNotMatch(collector.text(), /joao/);
  });

  test("the sampler decides by the id of the trace, and asks the caller only if it is to", async (t) => {
    const half = await open(t, { sampler: "traceidratio", ratio: 0.5 });
    const studio = await half.api.newOrganization();
    const ids = Array.from(
      { length: 16 },
      (_, place) => `4bf92f3577b34da6a3${place.toString(16)}e929d0e0e4736`,
    );
    for (const id of ids)
      await studio.call("GET", "/v1/organization", { headers: { traceparent: `00-${id}-${PARENT}-00` } });
    await half.telemetry.stop();
    const traces = half.collector.spans.filter(({ kind }) => kind === 2).map(({ traceId }) => traceId);
    assert.deepEqual(traces.sort(), ids.slice(8));
  });

  test("metrics are those of /metrics: durations by operation with their buckets, counters and gauges", async (t) => {
    const { api, telemetry, collector } = await open(t, { sampler: "always_off" });
    const studio = await api.newOrganization();
    for (let number = 0; number < 3; number++) await studio.get("/v1/organization");
    await telemetry.stop();
    const durations = collector.metrics.get("rollbook_request_duration_seconds");
    assert.equal(durations?.kind, "histogram");
    const point = durations?.points.find(({ attributes }) => attributes.operation === "getOrganization");
    assert.equal(point?.count, 3);
    assert.equal(
      point?.bucketCounts?.reduce((sum, one) => sum + one, 0),
      3,
    );
    assert.equal(point?.bucketCounts?.length, (point?.bounds?.length ?? 0) + 1);
    assert.equal(point?.attributes.le, undefined);
    assert.equal(collector.metrics.get("rollbook_rate_limited_requests_total")?.kind, "sum");
    assert.equal(collector.metrics.get("rollbook_cache_limit_bytes")?.kind, "gauge");
    assert.equal(collector.spans.length, 0);
  });

  test("a collector that fails or says nothing changes no answer and is told of once; what waits is bounded and sent later", async (t) => {
    const { api, telemetry, collector, lines } = await open(t, { sendsMetrics: false });
    const studio = await api.newOrganization();
    collector.answerWith(503);
    const ask = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async () =>
          assert.equal((await studio.get("/v1/organization")).status, 200),
        ),
      );
    for (let round = 0; round < 30; round++) await ask(90);
    await until("it is asked", async () => collector.asked() > 0);
    await until("it is told of", async () => lines.length > 0);
    await ask(90);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no traces/);
    collector.answerWith(200);
    await telemetry.stop();
    assert.equal(collector.spans.filter(({ kind }) => kind === 2).length, 2_048);
    assert.match(lines[1] ?? "", /the collector takes traces again; 742 requests were left out/);

    const silent = await open(t, {}, collector);
    collector.answerWith("nothing");
    const other = await silent.api.newOrganization();
    assert.equal((await other.get("/v1/organization")).status, 200);
    const begun = performance.now();
    await silent.telemetry.stop();
    assert.ok(performance.now() - begun < 4_000, "a stop waits for it for two seconds");
  });

  test("a collector that hangs has one request at a time, which ends when the process stops: what waits is sent then", async (t) => {
    const { api, telemetry, collector, lines } = await open(t, { everyMs: 20 });
    const studio = await api.newOrganization();
    collector.answerWith("nothing");
    // Enough that they are sent without waiting for the timer.
    for (let round = 0; round < 6; round++)
      await Promise.all(Array.from({ length: 90 }, () => studio.get("/v1/organization")));
    await until("traces and metrics hang", async () => collector.hanging() === 2);
    for (let number = 0; number < 50; number++) await studio.get("/v1/organization");
    assert.equal(collector.hanging(), 2, "the timer asks nobody who hangs");
    collector.answerWith(200);
    const begun = performance.now();
    await telemetry.stop();
    assert.ok(performance.now() - begun < 1_500, "what hangs ends at once");
    assert.equal(collector.spans.filter(({ kind }) => kind === 2).length, 590);
    assert.ok(collector.metrics.has("rollbook_info"));
    assert.deepEqual(lines, [], "that it was ended is no failure of the collector");
  });

  test("a stop takes two seconds at most, however a collector and the metrics hang", async (t) => {
    const { api, telemetry, collector } = await open(t, { everyMs: 20 });
    const studio = await api.newOrganization();
    collector.answerWith("nothing");
    for (let round = 0; round < 6; round++)
      await Promise.all(Array.from({ length: 90 }, () => studio.get("/v1/organization")));
    await until("traces and metrics hang", async () => collector.hanging() === 2);
    const begun = performance.now();
    await telemetry.stop();
    assert.ok(performance.now() - begun < 3_000);
    const slow = new Telemetry({
      ...telemetryOptions(collector.url),
      readMetrics: () => new Promise(() => {}),
    });
    const began = performance.now();
    await slow.stop();
    assert.ok(performance.now() - began < 3_000);
  });

  test("a collector whose answer has no end fills no memory and holds nobody up", async (t) => {
    const { api, telemetry, collector } = await open(t, { everyMs: 20 });
    const studio = await api.newOrganization();
    collector.answerWith("no end");
    const before = collector.asked();
    await until("it is asked again and again", async () => {
      await studio.get("/v1/organization");
      return collector.asked() > before + 5;
    });
    const begun = performance.now();
    await telemetry.stop();
    assert.ok(performance.now() - begun < 2_000);
  });

  test("headers that no request could have are refused when the server starts", () => {
    const read = (headers: string) => () => loadConfig({}, { OTEL_EXPORTER_OTLP_HEADERS: headers });
    assert.doesNotThrow(read("api-key=a%2Cb,x=a b"));
    for (const wrong of ["api-key=a%0Ab", "api-key=%E2%82%ACuro"])
      assert.throws(
        read(wrong),
        /^(?!.*uro).*OTEL_EXPORTER_OTLP_HEADERS must have letters, .* in the value of api-key\./,
      );
    assert.throws(read("Content-Length=5"), /must not name Content-Length/);
  });

  test("a collector that takes one kind alone is told of once, and what it refuses counts as left out", async (t) => {
    const { api, telemetry, collector, lines } = await open(t, { everyMs: 20 });
    const studio = await api.newOrganization();
    const ask = async (count: number) => {
      for (let left = count; left > 0; left -= 90)
        await Promise.all(Array.from({ length: Math.min(90, left) }, () => studio.get("/v1/organization")));
    };
    const told = () => lines.map((line) => JSON.parse(line).msg);
    collector.answerWith(404, "metrics");
    await until("metrics are refused", async () => lines.length > 0);
    await ask(512);
    await until("traces come all the same", async () => collector.spans.length > 0);
    const asked = collector.asked();
    await until("metrics are refused again", async () => collector.asked() > asked + 2);
    const noMetrics = "the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no metrics; retrying";
    assert.deepEqual(told(), [noMetrics]);
    collector.answerWith(400, "traces");
    await ask(512);
    await until("traces are refused", async () => lines.length > 1);
    await ask(30);
    collector.answerWith(200);
    await telemetry.stop();
    assert.deepEqual(
      told().toSorted(),
      [
        noMetrics,
        "the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no traces; retrying",
        "the collector takes metrics again",
        "the collector takes traces again; 512 requests were left out",
      ].toSorted(),
    );
  });

  test("a server that OTEL_EXPORTER_OTLP_ENDPOINT names a collector for sends what is left when it stops", async (t) => {
    const collector = await startCollector(t as never);
    const store = await openTestStore();
    t.after(() => store.close());
    const server = await serve(t, {
      ...{ DATABASE_URL: databaseUrl(store.connection), KEY_SECRET: await store.keySecret(), DRAIN_MS: "0" },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%2Cb",
      OTEL_SERVICE_NAME: "studios",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=test",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
    });
    await until("metrics came", async () => collector.metrics.has("rollbook_info"));
    const headers = { connection: "close", authorization: "Bearer rbk_nobody" };
    assert.equal((await fetch(`${server.url}/v1/organization`, { headers })).status, 401);
    server.child.kill("SIGTERM");
    assert.equal((await server.ended).code, 0);
    const [span] = collector.spans.filter(({ name }) => name === "getOrganization");
    assert.equal(span?.attributes["http.response.status_code"], 401);
    assert.equal(span?.attributes["rollbook.organization.id"], undefined);
    assert.ok(
      collector.spans.some(({ name, parentSpanId }) => name === "gate" && parentSpanId === span?.spanId),
    );
    assert.equal(collector.headers[0]?.["api-key"], "a,b");
    assert.equal(collector.resources[0]?.["service.name"], "studios");
    assert.equal(collector.resources[0]?.["deployment.environment.name"], "test");
  });
});
