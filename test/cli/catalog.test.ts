import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApi } from "../support/api.ts";
import { addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { databaseUrl } from "../support/processes.ts";
import { addContract, addLocation } from "../support/records.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const api = await startApi();
const environment = { DATABASE_URL: databaseUrl(api.store.connection), KEY_SECRET: api.keySecret };
const run = (...args: string[]) => runIn(environment, ...args);
const json = (...args: string[]) => jsonIn(environment, ...args);

describe("the catalog on the command line", { concurrency: 2 }, () => {
  test("service types and groups are added, changed, listed and taken away, as the API shows at once", async () => {
    const studio = await api.newOrganization();
    const org = ["--org", studio.id];
    const yoga = await json("service-type", "add", ...org, "--name", "Yoga", "--description", "Mat");
    assert.deepEqual([yoga.name, yoga.holdsResource, yoga.status], ["Yoga", false, "active"]);
    const edited = await json(
      ...["service-type", "edit", yoga.id, ...org, "--holds-resource", "yes", "--description", ""],
    );
    assert.deepEqual([edited.holdsResource, edited.description, edited.name], [true, undefined, "Yoga"]);
    assert.deepEqual((await json("service-type", "list", ...org)).data, [edited]);
    const group = await json("service-group", "add", ...org, "--name", "Mat", "--service-types", yoga.id);
    assert.deepEqual((await studio.get("/v1/service-groups")).body.data, [group]);
    assertEnded(
      await run("service-type", "delete", yoga.id, ...org),
      1,
      /This is in use \(1 service group\) and cannot be deleted\./,
    );
    const emptied = await json("service-group", "edit", group.id, ...org, "--service-types", "");
    assert.deepEqual([emptied.name, emptied.serviceTypeIds], ["Mat", []]);
    assert.equal((await json("service-type", "archive", yoga.id, ...org)).status, "archived");
    assert.equal((await json("service-type", "restore", yoga.id, ...org)).status, "active");
    assert.deepEqual(await json("service-group", "delete", group.id, ...org), { id: group.id });
    assert.deepEqual(await json("service-type", "delete", yoga.id, ...org), { id: yoga.id });
    assert.equal((await run("service-type", "list", ...org)).stdout, "No service types yet.\n");
    const { data } = await json("audit", ...org);
    assert.ok(data[0].actor.startsWith("operator:"));
    assert.equal(data[0].action, "deleteServiceType");
  });

  test("archiving a service type that is booked is refused, tried out and then done", async () => {
    const studio = await api.newOrganization();
    const org = ["--org", studio.id];
    const { id: serviceTypeId } = await json("service-type", "add", ...org, "--name", "Yoga");
    const locationId = await addLocation(api.db, studio.id);
    const start = `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T09:00`;
    await addSession(api.db, studio.id, {
      serviceTypeId,
      locationId,
      timezone: "UTC",
      start,
      bookedCount: 2,
    });
    const archive = ["service-type", "archive", serviceTypeId, ...org];
    assertEnded(await run(...archive), 1, /2 people are booked/);
    const dry = await json(...archive, "--cancel-booked", "--dry-run");
    assert.deepEqual([dry.dryRun, dry.changes.sessions], [true, 1]);
    assert.equal((await json("service-type", "list", ...org)).data[0].status, "active");
    assert.equal((await json(...archive, "--cancel-booked")).status, "archived");
  });

  test("a resource is added, renamed, archived and brought back", async () => {
    const studio = await api.newOrganization();
    const org = ["--org", studio.id];
    const room = await json("resource", "add", ...org, "--name", "Sala 2", "--kind", "room");
    const edited = await json("resource", "edit", room.id, ...org, "--name", "Sala 3");
    assert.deepEqual(edited, { ...room, name: "Sala 3" });
    assert.equal((await json("resource", "archive", room.id, ...org)).status, "archived");
    assert.deepEqual(await json("resource", "restore", room.id, ...org), edited);
    const { stdout } = await run("resource", "list", ...org);
    assert.match(stdout, new RegExp(`^ID .*NAME .*KIND .*STATUS\\n${room.id}  Sala 3  room  active\\n$`));
  });

  test("a plan comes as JSON, and its edit reaches contracts only if that is said", async () => {
    const studio = await api.newOrganization();
    const org = ["--org", studio.id];
    const content = {
      name: "Mensal",
      billingKind: "recurring",
      billingInterval: "month",
      priceCents: 25_000,
      entitlements: [{ type: "access" }],
    };
    const plan = await json("plan", "add", ...org, "--data", JSON.stringify(content));
    assert.deepEqual([plan.name, plan.currency, plan.allLocations], ["Mensal", "BRL", true]);
    await addLocation(api.db, studio.id);
    const { body: client } = await studio.call("POST", "/v1/clients", { body: { contactName: "Ana" } });
    const entitlements = [{ id: newId(), type: "access" }];
    const contractId = await addContract(api.db, studio.id, {
      clientId: client.id,
      planId: plan.id,
      entitlements,
    });
    const capped = [{ type: "access", period: "week", maxVisitsPerPeriod: 2 }];
    const edit = ["plan", "edit", plan.id, ...org, "--data", JSON.stringify({ entitlements: capped })];
    const dry = await json(...edit, "--apply-to", "all", "--dry-run");
    assert.equal(dry.changes.contracts, 1);
    const grant = async () => (await studio.get(`/v1/contracts/${contractId}`)).body.entitlements[0];
    assert.equal((await grant()).maxVisitsPerPeriod, undefined);
    await json(...edit, "--apply-to", "all");
    assert.equal((await grant()).maxVisitsPerPeriod, 2);
    assert.equal((await json("plan", "archive", plan.id, ...org)).status, "archived");
    assert.equal((await json("plan", "restore", plan.id, ...org)).status, "active");
    assert.equal((await json("plan", "list", ...org)).total, 1);
    assert.deepEqual(await json("plan", "delete", plan.id, ...org), { id: plan.id });
    const { code, stderr } = await run("plan", "add", ...org, "--data", '{"name":"","priceCents":-1}');
    assert.equal(code, 1);
    assert.match(stderr, /^rollbook: The request has 4 invalid values\.\n/);
    assert.match(stderr, /^ {2}name: must not be empty$/m);
    assert.match(stderr, /^ {2}entitlements: is required$/m);
  });

  test("wrong usage ends with 2, what is wrong or missing with 1, each with a sentence", async () => {
    const studio = await api.newOrganization();
    const org = ["--org", studio.id];
    const id = newId();
    const mistakes: [RegExp, string[]][] = [
      [/--org, --name must be given/, ["service-type", "add"]],
      [/--org must be a UUID/, ["resource", "list", "--org", "1"]],
      [/Give at least one of --name, --service-types\./, ["service-group", "edit", id, ...org]],
      [
        /--holds-resource must be one of: yes, no/,
        ["service-type", "edit", id, ...org, "--holds-resource", "1"],
      ],
      [
        /--apply-to must be one of: new, all/,
        ["plan", "edit", id, ...org, "--data", "{}", "--apply-to", "old"],
      ],
      [/--data must be JSON/, ["plan", "add", ...org, "--data", "{"]],
    ];
    for (const [sentence, args] of mistakes) assertEnded(await run(...args), 2, sentence);
    const missing: [RegExp, string[]][] = [
      [/There is no organization with this id/, ["plan", "list", "--org", id]],
      [
        /There is no organization with this id/,
        ["resource", "add", "--org", id, "--name", "A", "--kind", "room"],
      ],
      [/There is no service type with this id/, ["service-type", "restore", id, ...org]],
      [/There is no service group with this id/, ["service-group", "delete", id, ...org]],
      [/There is no resource with this id/, ["resource", "archive", "nobody", ...org]],
      [/There is no plan with this id/, ["plan", "archive", id, ...org]],
    ];
    for (const [sentence, args] of missing) assertEnded(await run(...args), 1, sentence);
    const { code, stderr } = await run("resource", "add", ...org, "--name", " ", "--kind", "robot");
    assert.equal(code, 1);
    assert.match(stderr, /^ {2}name: must not be empty$/m);
    assert.match(stderr, /^ {2}kind: must be one of: person, room, equipment$/m);
  });
});
