import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { MS_PER_DAY } from "../../src/core/dates.ts";
import { exportBundle } from "../../src/data/bundle/export.ts";
import { importBundle } from "../../src/data/bundle/import.ts";
import { KINDS, type RecordOf } from "../../src/data/bundle/schema.ts";
import type { DemoContract } from "../../src/data/demo/agreements.ts";
import { createDemo, type Demo } from "../../src/data/demo/operations.ts";
import { DEMO_TIMEZONE, type DemoRecord, demoStudio } from "../../src/data/demo/studio.ts";
import type { Database } from "../../src/db/database.ts";
import { readToday, readTodo } from "../../src/domain/bookings/desk.ts";
import { CalendarReader } from "../../src/domain/calendar/operations.ts";
import { readCpf } from "../../src/domain/clients/cpf.ts";
import type { Client } from "../../src/domain/clients/schema.ts";
import { statusOn } from "../../src/domain/contract-status/status-timeline.ts";
import type { Contract } from "../../src/domain/contracts/schema.ts";
import { listOrganizations } from "../../src/domain/organizations/queries.ts";
import type { Plan } from "../../src/domain/plans/schema.ts";
import { listStaff } from "../../src/domain/staff/queries.ts";
import { openStore } from "../../src/process/store.ts";
import { startApi } from "../support/api.ts";
import { findContradictions } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { findMoneyDeviations } from "../support/money-deviations.ts";
import { until } from "../support/poll.ts";
import { later, newDirectory, type Running, rollbook, startProgram } from "../support/processes.ts";

const api = await startApi();

const DAYS = ["2026-11-15", "2026-01-01", "2028-02-29", "2027-07-31"];

describe("the demo studio", () => {
  test("the same day and seed give the same studio, another seed another one", () => {
    const studio = JSON.stringify(demoStudio({ today: "2026-11-15", seed: "one" }));
    assert.equal(JSON.stringify(demoStudio({ today: "2026-11-15", seed: "one" })), studio);
    assert.notEqual(JSON.stringify(demoStudio({ today: "2026-11-15", seed: "two" })), studio);
  });

  for (const today of DAYS) {
    const records = demoStudio({ today });

    test(`on ${today} it has what was promised, in the order of an export`, () => {
      const count = Object.fromEntries(KINDS.map((kind) => [kind, of(records, kind).length]));
      assert.deepEqual(
        {
          ...count,
          contract: undefined,
          session: undefined,
          booking: undefined,
          invoice: undefined,
          payment: undefined,
        },
        {
          organization: 1,
          location: 3,
          resource: 17,
          serviceGroup: 6,
          serviceType: 12,
          plan: 10,
          client: 500,
          contract: undefined,
          schedule: 40,
          session: undefined,
          booking: undefined,
          // Three in a line, and one who has a seat by now.
          waiting: 4,
          invoice: undefined,
          payment: undefined,
        },
      );
      assert.ok(
        Number(count.invoice) > 300 && Number(count.payment) > 250,
        `${count.invoice} ${count.payment}`,
      );
      assert.ok(Number(count.contract) > 800 && Number(count.session) > 200 && Number(count.booking) > 700);
      // From ten on, so that all have two digits.
      const order = records.map(({ kind, id }) => `${KINDS.indexOf(kind) + 10} ${id}`);
      assert.deepEqual(order, [...new Set(order)].sort());
    });

    test(`on ${today} ids sort by the time of creation, and nothing is of the future`, () => {
      // A draw of this morning changed its contract; everything else is of yesterday or before.
      const midnight = `${today}T03:00:00.000Z`;
      const noon = `${today}T15:00:00.000Z`;
      for (const kind of KINDS) {
        const times = of<{ createdAt?: string; updatedAt?: string }>(records, kind);
        const created = times.flatMap(({ createdAt }) => createdAt ?? []);
        assert.deepEqual(created, [...created].sort(), kind);
        for (const { createdAt = "", updatedAt = createdAt } of times) {
          const latest = kind === "contract" ? noon : midnight;
          assert.ok(createdAt <= updatedAt && updatedAt < latest, `${kind} ${createdAt} ${updatedAt}`);
        }
      }
    });

    test(`on ${today} there is every status and every form of an entitlement, a document for most, none twice`, () => {
      const statuses = (kind: (typeof KINDS)[number]) =>
        [...new Set(of<{ status: string }>(records, kind).map(({ status }) => status))].sort();
      assert.deepEqual(statuses("contract"), ["active", "cancelled", "expired", "paused"]);
      assert.deepEqual(statuses("client"), ["active", "archived"]);
      assert.deepEqual(statuses("plan"), ["active", "archived"]);
      assert.deepEqual(statuses("serviceType"), ["active", "archived"]);
      assert.deepEqual(statuses("session"), ["cancelled", "scheduled"]);
      assert.equal(new Set(of<{ timezone: string }>(records, "location").map((l) => l.timezone)).size, 2);

      const granted = of<Contract>(records, "contract").flatMap(({ entitlements }) => entitlements);
      const some = (what: string, is: (grant: (typeof granted)[number]) => boolean) =>
        assert.ok(granted.some(is), what);
      some("access to everything", (g) => g.type === "access" && !g.period && !g.serviceGroupId);
      for (const period of ["day", "week", "month"])
        some(`capped by ${period}`, (g) => g.period === period && (g.maxVisitsPerPeriod ?? 0) > 0);
      some("credits left", (g) => g.type === "credits" && (g.remainingCredits ?? 0) > 0);
      some("credits used up", (g) => g.remainingCredits === 0);
      some("for a type", (g) => g.serviceTypeId !== undefined);
      some("for a group", (g) => g.serviceGroupId !== undefined);
      some("revoked", (g) => g.revokedAt !== undefined);
      assert.ok(of<Contract>(records, "contract").some(({ planId }) => planId === undefined));
      assert.ok(of<Plan>(records, "plan").some(({ isTrial }) => isTrial));

      const documents = of<Client>(records, "client").flatMap(({ idDocument }) => idDocument ?? []);
      const cpfs = documents.filter(({ type }) => type === "cpf").map(({ value }) => value);
      assert.ok(cpfs.length > 350 && documents.length > cpfs.length + 10 && documents.length < 500);
      assert.deepEqual(cpfs.map(readCpf), cpfs);
      assert.equal(new Set(documents.map(({ value }) => value)).size, documents.length);
    });

    test(`on ${today} contracts are in every state, with pauses that are over, run, are open and are to come`, () => {
      const contracts = of<DemoContract>(records, "contract");
      const plans = new Map(of<Plan>(records, "plan").map((plan) => [plan.id, plan]));
      const some = (what: string, is: (contract: DemoContract) => boolean) =>
        assert.ok(contracts.some(is), what);
      const paused =
        (is: (pause: NonNullable<DemoContract["pauses"]>[number]) => boolean) =>
        ({ pauses = [] }: DemoContract) =>
          pauses.some(is);
      some(
        "a pause that is over",
        paused(({ lastDay = "9999" }) => lastDay < today),
      );
      some(
        "one that runs",
        paused(({ firstDay, lastDay = "" }) => firstDay <= today && today <= lastDay),
      );
      some(
        "one that is open",
        paused(({ lastDay }) => lastDay === undefined),
      );
      some(
        "one to come",
        paused(({ firstDay }) => firstDay > today),
      );
      some(
        "one that does not extend the term",
        paused(({ extendsTerm }) => !extendsTerm),
      );
      some("a trial that runs", ({ isTrial, status }) => isTrial && status === "active");
      some("blocked", ({ accessBlocked, status }) => accessBlocked && status === "active");
      some("cancelled, and still running", ({ cancelledAt, status }) => !!cancelledAt && status === "active");
      for (const response of ["accepted", "declined", undefined])
        some(`terms ${response}`, ({ terms, termsResponse }) => !!terms && termsResponse === response);
      for (const contract of contracts) {
        const { status, pauses = [], planId = "", terms, termsResponse, startDate, endDate } = contract;
        // Nothing is due, and who is paused has a pause.
        assert.equal(
          statusOn({ ...contract, endDate, pauses: pauses.map(named) }, today),
          status,
          contract.id,
        );
        assert.equal(
          status === "paused",
          pauses.some(({ firstDay, lastDay = today }) => firstDay <= today && today <= lastDay),
        );
        assert.equal(terms ?? "", plans.get(planId)?.terms ?? (termsResponse ? terms : ""));
        for (const { firstDay, lastDay = firstDay } of pauses)
          assert.ok(startDate <= firstDay && lastDay <= (endDate ?? "9999"), contract.id);
      }
      const resources = of<RecordOf<"resource"> & { id: string }>(records, "resource");
      assert.deepEqual([...new Set(resources.map(({ type }) => type))].sort(), [
        "equipment",
        "person",
        "room",
      ]);
      assert.ok(resources.every(({ id, name }) => name !== id));
      const known = new Set(resources.map(({ id }) => id));
      for (const { resourceIds = [] } of [
        ...of<RecordOf<"schedule">>(records, "schedule"),
        ...of<RecordOf<"session">>(records, "session"),
      ])
        assert.ok(resourceIds.every((id) => known.has(id)));
    });

    test(`on ${today} the days around it have booked, cancelled and moved sessions, and ones of no schedule`, () => {
      const near = of<RecordOf<"session">>(records, "session").filter(
        ({ start }) => Math.abs(Date.parse(`${start}Z`) - Date.parse(today)) < 8 * MS_PER_DAY,
      );
      const isMoved = (session: RecordOf<"session">) =>
        session.originalStart !== undefined && session.originalStart !== session.start;
      assert.ok(near.filter(({ bookedCount }) => bookedCount > 0).length > 80);
      assert.ok(near.filter(({ status }) => status === "cancelled").length > 3);
      assert.ok(near.filter(isMoved).length > 3);
      assert.ok(near.filter(({ scheduleId }) => scheduleId === undefined).length >= 3);
      const schedules = of<RecordOf<"schedule">>(records, "schedule");
      const texts = JSON.stringify(schedules);
      for (const part of ["DAILY", "WEEKLY", "MONTHLY", "COUNT=", "UNTIL=", '"exdates"', '"rdates"'])
        assert.ok(texts.includes(part), part);
    });
  }
});

describe("a server with the demo studio", () => {
  let demo: Demo;

  before(async () => {
    demo = await createDemo(api.db, api.keySecret, "test");
  });

  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${demo.key.key}` };
    const answer = await api.call("GET", path, { headers });
    assert.equal(answer.status, 200, path);
    return answer.body;
  };
  const listAll = async (path: string): Promise<{ id: string }[]> => {
    const all: { id: string }[] = [];
    for (;;) {
      const { data, total } = await get(`${path}?limit=200&offset=${all.length}`);
      all.push(...data);
      if (all.length >= total) return all;
    }
  };

  test("exports what was made, and its export passes import and export again without the change of a byte", async () => {
    const exported = await bundleOf(api.db, demo.organization.id);
    const [organization, ...records] = exported
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [made, ...others] = demoStudio({ today: demo.today, now: demo.now });
    assert.deepEqual({ ...organization, id: "" }, { ...made, id: "" });
    assert.deepEqual(records, JSON.parse(JSON.stringify(others)));

    // Beside the first one, so under another id.
    const id = newId();
    const moved = exported.replace(demo.organization.id, id);
    const summary = await importBundle(api.db, bytesOf(moved), { actor: "test" });
    assert.deepEqual([summary.organizationId, summary.records], [id, records.length + 1]);
    assert.ok((await bundleOf(api.db, id)) === moved);

    const again = await importBundle(api.db, bytesOf(moved), { actor: "test" });
    for (const [kind, { created, replaced }] of Object.entries(again.kinds))
      assert.deepEqual([created, replaced], [0, 0], kind);
  });

  test("its seats, draws, lines and claims agree, and the front desk sees a day with people", async () => {
    assert.deepEqual(await findContradictions(api.db, demo.organization.id), []);
    const organizationId = demo.organization.id;
    const settings = { cancelWindowMinutes: 180, checkInOpensMinutes: 60, weekStart: "monday" as const };
    const actor = { name: "staff:test", role: "front_desk" as const, locationIds: undefined };
    const desk = { actor, db: api.db, organizationId, timezone: DEMO_TIMEZONE, now: demo.now, settings };
    const calendar = new CalendarReader(api.db);
    const reader = { organizationId, history: "", catalogVersion: Number.NaN };
    const { sessions } = await readToday(desk, (window) => calendar.listRecords(reader, window), undefined);
    assert.ok(sessions.filter(({ bookings }) => bookings.length > 0).length >= 8);
    assert.deepEqual(await findMoneyDeviations(api, organizationId), []);
    const todo = await readTodo(desk, undefined);
    assert.deepEqual([todo.toTell.total, todo.uncovered.total > 0], [3, true]);
    assert.ok(todo.unmarked.total >= 2 && todo.ending.total > 0);
  });

  test("it has an owner, a manager and front desks, who are invited and have no password", async () => {
    const staff = await listStaff(api.db, demo.organization.id);
    assert.deepEqual(staff.map(({ role }) => role).sort(), ["front_desk", "front_desk", "manager", "owner"]);
    assert.ok(staff.every(({ status }) => status === "invited"));
    assert.equal(staff.find(({ role }) => role === "owner")?.email, demo.owner.email);
    const { data } = await get("/v1/locations");
    const limited = staff.find(({ allLocations }) => !allLocations);
    assert.deepEqual(
      limited?.locationIds,
      (data as { id: string; name: string }[]).flatMap(({ id, name }) => (name === "Moema" ? [id] : [])),
    );
  });

  test("every record that callers can reach keeps the contract", async () => {
    // Each answer is held against the published document by the call itself.
    assert.equal((await get("/v1/organization")).name, "Estúdio Aurora");
    assert.equal((await get("/v1/locations")).total, 3);
    for (const [path, least] of [
      ["/v1/plans", 10],
      ["/v1/service-types", 12],
      ["/v1/clients", 500],
      ["/v1/contracts", 800],
    ] as const) {
      const ids = (await listAll(path)).map(({ id }) => id);
      assert.ok(ids.length >= least, path);
      assert.deepEqual(ids, [...ids].sort().reverse(), "newest first");
      // Locations and entitlements show only when one record is read; every eighth will do.
      const chosen = ids.filter((_, index) => ids.length < 20 || index % 8 === 0);
      for (let i = 0; i < chosen.length; i += 25)
        await Promise.all(chosen.slice(i, i + 25).map((id) => get(`${path}/${id}`)));
    }
  });

  test("the calendar around today is full, at every location and on two clocks", async () => {
    const now = Date.now();
    const [from, to] = [now - 7 * MS_PER_DAY, now + 7 * MS_PER_DAY].map((ms) => new Date(ms).toISOString());
    const { data } = await get(`/v1/calendar?from=${from}&to=${to}`);
    const sessions = data as { id?: string; locationId: string; status: string }[];
    assert.equal(new Set(sessions.map(({ locationId }) => locationId)).size, 3);
    assert.ok(sessions.length > 150);
    assert.ok(
      sessions.some(({ id }) => id === undefined),
      "some are not touched yet",
    );
    assert.ok(sessions.some(({ status }) => status === "cancelled"));
  });
});

describe("the first start", { skip: process.platform === "win32" && "there is no sh" }, () => {
  test("with --no-demo an empty database stays empty; then one of two starts makes the demo, and no later one", async (t) => {
    const environment = { DATA_DIR: await newDirectory(t), DRAIN_MS: "0" };
    const serve = async (...flags: string[]): Promise<Running> => {
      const running = startProgram(["serve", "--port", "0", ...flags], environment);
      later(t, () => stop(running));
      await says(running, /"msg":"serving/);
      return running;
    };

    const quiet = await serve("--no-demo");
    await stop(quiet);
    assert.doesNotMatch(quiet.output(), /rbk_|curl/);

    const two = await Promise.all([serve(), serve("--workers", "2")]);
    const maker = await Promise.any(
      two.map((running) => says(running, / http:\S+\/docs$/m).then(() => running)),
    );
    const lines = maker.output().match(/^curl .*$/gm) ?? [];
    assert.equal(lines.length, 3);
    const [organization, calendar, client] = await Promise.all(lines.map(paste));
    assert.equal(organization?.name, "Estúdio Aurora");
    assert.ok(Number(calendar?.total) > 50);
    assert.equal(client?.contactName, "Ana Souza");
    const key = /^ {2}(rbk_\w+)$/m.exec(maker.output())?.[1];
    assert.ok(key && lines.every((line) => line.includes(`"Authorization: Bearer ${key}"`)));
    const docs = / (http:\S+\/docs)$/m.exec(maker.output())?.[1] ?? "";
    assert.equal((await fetch(docs)).status, 200);
    const [, origin, token] =
      /^ {2}(http:\/\/localhost:\d+)\/console\/#link=([\w-]{43})$/m.exec(maker.output()) ?? [];
    const accepted = await fetch(`${origin}/app/v1/acceptLink`, {
      method: "POST",
      headers: { origin: origin ?? "", "content-type": "application/json" },
      body: JSON.stringify({ token, password: "correct horse battery" }),
    });
    assert.equal(accepted.status, 200, "the owner's link lets the owner in");
    const { staff } = (await accepted.json()) as { staff: { role: string; email: string } };
    assert.equal(staff.role, "owner");
    assert.ok(maker.output().includes(staff.email));
    await Promise.all(two.map(stop));
    const announcing = two.filter((running) => /rbk_|curl/.test(running.output()));
    assert.deepEqual(announcing, [maker]);
    const ended = await maker.ended;
    assert.match(ended.stderr, /rbk_/);
    assert.doesNotMatch(ended.stdout, /rbk_|#link=/, "what is collected as the log has no secret");
    for (const line of ended.stdout.trimEnd().split("\n"))
      assert.equal(typeof JSON.parse(line), "object", line);

    const again = await serve();
    const { stdout, stderr } = await rollbook(["demo"], environment);
    assert.match(stdout, /^rbk_\w{38}\n$/);
    assert.match(stderr, /Estúdio Aurora \([0-9a-f-]{36}\)/);
    assert.doesNotMatch(stderr, /rbk_/);
    const address = /"address":"([^"]+)"/.exec(again.output())?.[1];
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    assert.equal((await fetch(`${address}/v1/organization`, { headers })).status, 200);
    const store = await openStore({
      dataDir: environment.DATA_DIR,
      databaseUrl: undefined,
      keySecret: undefined,
    });
    const { total } = await listOrganizations(store.open({ applicationName: "rollbook test" }), { limit: 1 });
    await store.close();
    assert.equal(total, 2, "the first one, and the one that was asked for");
    await stop(again);
    assert.doesNotMatch(again.output(), /rbk_|curl/);
  });
});

async function says({ child, output }: Running, what: RegExp): Promise<void> {
  const hasSaid = async () => {
    if (what.test(output())) return true;
    if (child.exitCode !== null) throw new Error(`the program ended: ${output()}`);
    return false;
  };
  await until(`the program says ${what}`, hasSaid);
}

async function stop({ child, ended }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  await ended;
}

function named<Pause extends { id?: string }>(pause: Pause) {
  return { ...pause, id: pause.id ?? "" };
}

function of<Kept>(records: readonly DemoRecord[], kind: DemoRecord["kind"]): Kept[] {
  return records.filter((record) => record.kind === kind) as unknown as Kept[];
}

async function bundleOf(db: Database, organizationId: string): Promise<string> {
  const parts: string[] = [];
  await exportBundle(db, organizationId, async (text) => {
    parts.push(text);
  });
  return parts.join("");
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Runs a line as a shell does. Where there is no curl, the shell says what it would have been called with. */
async function paste(line: string): Promise<Record<string, unknown>> {
  const shell = async (script: string) => (await promisify(execFile)("sh", ["-c", script])).stdout;
  if ((await shell("command -v curl || true")) !== "") return JSON.parse(await shell(line));
  const words = (await shell(`curl() { printf '%s\\n' "$@"; }; ${line}`)).trimEnd().split("\n");
  const after = (flag: string) => words.filter((_, index) => words[index - 1] === flag);
  const headers = after("-H").map((header) => header.split(": ", 2) as [string, string]);
  const [body] = after("-d");
  const response = await fetch(words.at(-1) ?? "", { headers, ...(body && { method: "POST", body }) });
  return (await response.json()) as Record<string, unknown>;
}
