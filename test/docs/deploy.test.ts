import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { SETTINGS } from "../../src/process/config.ts";
import { createMetrics } from "../../src/process/metrics.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

test("alert rules and dashboard ask only for metrics and labels that the server has", async () => {
  const metrics = createMetrics({ version: "0.0.0", tzdata: "2026a" });
  metrics.watchPool(() => ({ total: 1, idle: 1, waiting: 0 }));
  metrics.observeRequest({
    method: "GET",
    route: "/v1/clients",
    status: 200,
    milliseconds: 5,
    isLong: false,
  });
  metrics.observeRequest({
    method: "GET",
    route: "/v1/clients",
    status: 429,
    milliseconds: 5,
    isLong: false,
  });
  metrics.observeRequest({ method: "GET", route: "/v1/clients", status: 200, milliseconds: 5, isLong: true });
  metrics.watchCache(() => ({ maxBytes: 1, bytes: 1, hits: 1, misses: 1, droppedBytes: 1 }));
  metrics.watchDatabase(async () => ({ schemaVersion: 1, backupAgeSeconds: 1 }));
  const instant = new Date().toISOString();
  const archiving = { folder: "/mnt", archive: "one", seconds: 60, since: instant };
  metrics.watchArchive(async () => ({ archiving, reachedAt: instant, baseAt: instant, waitingBytes: 0 }));
  metrics.observeGateBatch(1);
  const published = await metrics.registry.metrics();
  const names = new Set([...published.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name));
  const labels = new Set([...published.matchAll(/(\w+)="/g)].map(([, name]) => name));
  // Given by Prometheus itself.
  for (const label of ["job", "instance"]) labels.add(label);

  const rules = parse(read("deploy/prometheus/alerts.yaml")) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const board = JSON.parse(read("deploy/grafana/rollbook.json")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const expressions = [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...board.panels.flatMap((panel) => panel.targets.map(({ expr }) => expr)),
  ];
  assert.ok(expressions.length > 15);
  for (const expression of expressions) {
    for (const [name] of expression.matchAll(/\brollbook_\w+/g))
      assert.ok(names.has(name), `${name} is no metric: ${expression}`);
    const used = [
      ...[...expression.matchAll(/(\w+)=~?"/g)].map(([, label]) => label),
      ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
    ];
    for (const label of used) assert.ok(labels.has(label ?? ""), `${label} is no label: ${expression}`);
  }
});

test("promtool finds nothing wrong with the alert rules", {
  skip: !has("promtool", "--version") && "promtool is not installed",
}, () => {
  execFileSync("promtool", ["check", "rules", join(ROOT, "deploy/prometheus/alerts.yaml")], {
    stdio: "pipe",
  });
});

test("the image copies what is there, and what .dockerignore lets pass", () => {
  const passed = new Set(read(".dockerignore").match(/(?<=^!).+$/gm));
  const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = ""]) =>
    list.split(" "),
  );
  assert.ok(copied.length > 5);
  for (const path of copied) {
    assert.ok(existsSync(join(ROOT, path)), `${path} does not exist`);
    assert.ok(passed.has(path), `${path} is left out by .dockerignore`);
  }
});

test("compose.yaml and the units of systemd set only settings that the program has", () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  const compose = parse(read("compose.yaml")) as { services: Record<string, { environment: object }> };
  const given = [
    ...Object.keys(compose.services.server?.environment ?? {}),
    ...[...read("Dockerfile").matchAll(/^ENV (.+)$/gm)].flatMap(([, list = ""]) =>
      list.split(" ").map((pair) => pair.split("=")[0] ?? ""),
    ),
    ...["rollbook.service", "rollbook-backup.service"].flatMap((unit) =>
      [...read(`deploy/systemd/${unit}`).matchAll(/^Environment=(\w+)=/gm)].map(([, name = ""]) => name),
    ),
  ];
  assert.ok(given.length > 8);
  for (const name of given) assert.ok(name === "NODE_ENV" || known.has(name), `${name} is no setting`);
});
