import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl } from "../support/processes.ts";
import { CHEAP } from "../support/staff.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const api = await startApi({ passwords: new Passwords(CHEAP) });
const environment = {
  DATABASE_URL: databaseUrl(api.store.connection),
  KEY_SECRET: api.keySecret,
  PUBLIC_URL,
};
const run = (...args: string[]) => runIn(environment, ...args);
const json = (...args: string[]) => jsonIn(environment, ...args);

const PLAN = {
  name: "Mensal",
  billingKind: "recurring",
  billingInterval: "month",
  priceCents: 25_000,
  entitlements: [{ type: "access" }],
};

test("the operator's link stands alone on standard output, and lets the owner in", async () => {
  const { id } = await api.newOrganization();
  const email = `${newId()}@example.com`;
  const { code, stdout, stderr } = await run("staff", "link", "--org", id, "--email", email, "--name", "Ana");
  assert.equal(code, 0, stderr);
  const [, token] = /^https:\/\/api\.rollbook\.test\/console\/#link=([\w-]{43})\n$/.exec(stdout) ?? [];
  assert.ok(token, stdout);
  assert.ok(!stderr.includes(token));
  assert.doesNotMatch(stderr, /PUBLIC_URL/);
  const again = await json("staff", "link", "--org", id, "--email", email.toUpperCase());
  assert.deepEqual(Object.keys(again), ["staffId", "link", "expiresAt"]);
  const accept = (given: string) =>
    api.call("POST", "/app/v1/acceptLink", {
      body: { token: given, password: "correct horse battery" },
      headers: { origin: PUBLIC_URL },
    });
  assert.equal((await accept(token)).body.reason, "link_used", "the second link voids the first");
  const links = await json("staff", "links", "--org", id);
  assert.deepEqual(
    [links.total, links.data[0].staffName, links.data[0].expiresAt],
    [1, "Ana", again.expiresAt],
  );
  assert.match(links.data[0].madeBy, /^operator:/);
  assert.equal((await accept(again.link.split("#link=")[1])).status, 200);
  assert.match((await run("staff", "links", "--org", id)).stdout, /No link is open/);
  const { data } = await json("staff", "list", "--org", id);
  assert.deepEqual(data, [
    {
      id: again.staffId,
      name: "Ana",
      email,
      role: "owner",
      allLocations: true,
      locationIds: [],
      status: "active",
    },
  ]);
  const audit = await json("audit", "--org", id, "--limit", "3");
  assert.deepEqual(
    audit.data.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
    [
      ["acceptLink", again.staffId],
      ["linkStaff", again.staffId],
      ["addStaff", again.staffId],
    ],
  );
  assert.match(audit.data[1].actor, /^operator:/);
  assert.ok(!JSON.stringify(audit).includes(email), "the trail has no address");
  const { PUBLIC_URL: _, ...unaddressed } = environment;
  const local = await runIn({ ...unaddressed, PORT: "9090" }, "staff", "link", "--org", id, "--email", email);
  assert.match(local.stdout, /^http:\/\/localhost:9090\/console\/#link=/);
  assert.match(local.stderr, /for a server at http:\/\/localhost:9090\. .*PUBLIC_URL/);
});

test("a link for somebody who is on the staff leaves name and role as they are, and says so", async () => {
  const { id } = await api.newOrganization();
  const link = (...more: string[]) =>
    run("staff", "link", "--org", id, "--email", "ana@example.com", "--name", "Ana", ...more);
  assert.doesNotMatch((await link()).stderr, /changed nothing/);
  assert.doesNotMatch((await link("--role", "owner")).stderr, /changed nothing/);
  const { code, stderr } = await link("--role", "front_desk");
  assert.equal(code, 0);
  assert.match(stderr, /\(owner\)[\s\S]*--name and --role changed nothing/);
});

test("a link for a wrong address, role or organization is refused in one sentence", async () => {
  const { id } = await api.newOrganization();
  assertEnded(await run("staff", "link", "--org", id, "--email", "nobody"), 2, /--email must be/);
  assertEnded(
    await run("staff", "link", "--org", id, "--email", "a@example.com", "--role", "boss"),
    2,
    /front_desk, manager, owner/,
  );
  assertEnded(await run("staff", "link", "--org", newId(), "--email", "a@example.com"), 1, /no organization/);
  assertEnded(await run("staff", "list", "--org", newId()), 1, /no organization/);
});

test("rollbook do carries out what the staff can, as the operator and without a role", async () => {
  const { id, get } = await api.newOrganization();
  const done = await json("do", "addPlan", "--org", id, "--data", JSON.stringify(PLAN));
  const { $schema, ...shown } = (await get(`/v1/plans/${done.result.id}`)).body;
  assert.deepEqual(done.result, shown);
  const [entry] = (await json("audit", "--org", id, "--limit", "1")).data;
  assert.equal(entry.id, done.auditId);
  assert.match(entry.actor, /^operator:/);
  // Deleting needs an owner with a fresh password, and the operator is asked for neither.
  const dry = await json(
    "do",
    "deletePlan",
    "--org",
    id,
    "--data",
    `{"planId":"${done.result.id}"}`,
    "--dry-run",
  );
  assert.equal(dry.dryRun, true);
  assert.equal(dry.changes.contracts, 0);
  assert.equal((await get("/v1/plans")).body.total, 1);
  await json("do", "deletePlan", "--org", id, "--data", `{"planId":"${done.result.id}"}`);
  assert.equal((await get("/v1/plans")).body.total, 0);
});

test("rollbook do reads its input from a file", async () => {
  const { id } = await api.newOrganization();
  const folder = await mkdtemp(join(tmpdir(), "rollbook-do-"));
  try {
    const file = join(folder, "plan.json");
    await writeFile(file, JSON.stringify(PLAN));
    assert.equal((await json("do", "addPlan", "--org", id, "--data", `@${file}`)).result.name, "Mensal");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("rollbook do tells what is wrong: the usage, every fault of the input, the refusal", async () => {
  const { id } = await api.newOrganization();
  const perform = (operation: string, data: string, ...more: string[]) =>
    run("do", operation, "--org", id, "--data", data, ...more);
  assertEnded(await perform("sellEverything", "{}"), 2, /There are: .*addPlan/);
  assertEnded(await perform("addPlan", "{"), 2, /--data must be JSON/);
  const repeated = await perform("addPlan", '{"name":"A","name":"B"}');
  assert.equal(repeated.code, 1);
  assert.match(repeated.stderr, /^ {2}data\.name: is given twice$/m);
  const faulty = await perform(
    "addPlan",
    JSON.stringify({ ...PLAN, priceCents: -1, currency: "USD", more: 1 }),
  );
  assert.equal(faulty.code, 1);
  assert.match(faulty.stderr, /^ {2}data\.priceCents: /m);
  assert.match(faulty.stderr, /^ {2}data\.more: /m);
  assertEnded(await perform("deletePlan", `{"planId":"${newId()}"}`), 1, /no plan/);
});
