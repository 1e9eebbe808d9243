import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";
import { until } from "../support/poll.ts";
import type { TestStaff } from "../support/staff.ts";

const opened = await startConsole();
const demo = opened && (await opened.newDemo());
const organizationId = demo?.organization.id ?? "";
const owner: TestStaff | undefined = opened && (await opened.newStaff(organizationId));

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(
  name: string,
  run: (studio: NonNullable<typeof opened>, reader: TestStaff) => Promise<void>,
): void {
  test(name, async (t: TestContext) =>
    opened && owner ? run(opened, owner) : t.skip("no Chromium on this machine"),
  );
}

const CONTESTED = "Somebody else has changed this while you were typing.";
const PLAN = {
  name: "Before",
  billingKind: "recurring",
  billingInterval: "month",
  priceCents: 10_000,
  isTrial: false,
  allLocations: true,
  locationIds: [],
  entitlements: [{ type: "access" }],
};

const listed = async (reader: TestStaff, path: string) => (await reader.read(path)).body.data;

/** Asks for a staff write that must succeed. */
async function done(reader: TestStaff, operation: string, body: object) {
  const { status, body: answer } = await reader.write(operation, body);
  assert.equal(status, 200, JSON.stringify(answer));
  return answer.result;
}

/**
 * A series that begins next week, with somebody booked on its first day. The demo's own will not do: somebody may be
 * checked in for its next class, and then nothing is cancelled.
 */
async function addBookedSeries(reader: TestStaff, locationId: string, serviceTypeId: string): Promise<void> {
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const start = `${day}T10:00`;
  const [client] = await listed(reader, "clients?status=active&limit=1");
  const series = await done(reader, "addSchedule", {
    serviceTypeId,
    locationId,
    start,
    durationMinutes: 60,
    capacity: 8,
    rrule: "FREQ=DAILY;COUNT=3",
  });
  await done(reader, "book", {
    clientId: client.id,
    session: { scheduleId: series.id, originalStart: start },
    uncovered: { reason: "A guest" },
  });
}

describe("plans", () => {
  withConsole(
    "a plan is made with visits and credits, its faults beside their fields",
    async (studio, reader) => {
      const open = await studio.open(organizationId, "/console/catalog", { expected: [422] });
      const { page } = open;
      await page.getByRole("link", { name: "New plan" }).click();
      await page.getByLabel("Name of the plan").fill("Morning pass");
      await page.getByLabel("Price in BRL").fill("a lot");
      await page.getByRole("button", { name: "Save plan" }).click();
      await page.getByText("Enter an amount, such as 289.00.").waitFor();
      await page.getByLabel("Price in BRL").fill("1,289.50");
      await page.getByRole("group", { name: "Part 1" }).getByLabel("For").selectOption({ label: "Yoga" });
      await page.getByRole("button", { name: "Add a part" }).click();
      const second = page.getByRole("group", { name: "Part 2" });
      await second.getByLabel("It gives").selectOption({ label: "Credits" });
      await second.getByLabel("How many credits").fill("");
      await page.getByRole("button", { name: "Save plan" }).click();
      const quantity = second.getByLabel("How many credits");
      await second.locator(".field-fault").waitFor();
      assert.equal(await quantity.getAttribute("aria-invalid"), "true");
      await quantity.fill("5");
      await page.getByLabel("In words").getByText("5 credits · All services").waitFor();
      await keepPicture(page, "plan-form");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.keyboard.press("Enter");
      await page.getByText("Morning pass is added.").waitFor();
      await page.getByRole("row", { name: /Morning pass.*2 visits a week · Yoga.*1,289\.50/ }).waitFor();

      const [plan] = await listed(reader, "plans?query=Morning");
      assert.equal(plan.priceCents, 128_950);
      assert.deepEqual(
        plan.entitlements.map(({ type }: { type: string }) => type),
        ["access", "credits"],
      );
      await open.close();
    },
  );

  withConsole(
    "an edit asks whether running contracts follow, with their number, and is undone",
    async (studio, reader) => {
      const [plan] = await listed(reader, "plans?query=Mensal%202x");
      assert.ok(plan);
      const numbers = (await reader.read("plan-contracts")).body.data as {
        planId: string;
        running: number;
      }[];
      const running = numbers.find(({ planId }) => planId === plan.id)?.running ?? 0;
      const capsOf = async () =>
        ((await reader.read(`plans/${plan.id}`)).body.entitlements as { maxVisitsPerPeriod: number }[]).map(
          ({ maxVisitsPerPeriod }) => maxVisitsPerPeriod,
        );
      const open = await studio.open(organizationId, `/console/catalog/plans/${plan.id}`);
      const { page } = open;
      // What no contract follows is not asked about.
      await page.getByLabel("Price in BRL").fill("299");
      await page.getByRole("button", { name: "Save plan" }).click();
      await page.getByText(`${plan.name} is saved.`).waitFor();
      await page.goBack();
      await page.getByLabel("Visits at most").fill("3");
      await page.getByRole("button", { name: "Save plan" }).click();
      const dialog = page.getByRole("dialog", { name: "For whom is this change?" });
      await dialog
        .getByText(`${running} running contracts were sold with this plan.`, { exact: false })
        .waitFor();
      await keepPicture(page, "plan-follow");
      assert.deepEqual(await findAxeFaults(page), []);
      await dialog.getByLabel(`Also ${running} running contracts`).check();
      await dialog.getByRole("button", { name: "Save plan" }).click();
      await page.getByText(`${plan.name} is saved, with ${running} contracts.`).waitFor();
      assert.deepEqual(await capsOf(), [3]);
      await page.getByRole("button", { name: "Undo" }).last().click();
      await until("the plan is as before", async () => (await capsOf())[0] === 2);
      await open.close();
    },
  );

  withConsole("a changed form asks before it is left", async (studio) => {
    const open = await studio.open(organizationId, "/console/catalog/plans/new");
    const { page } = open;
    await page.getByLabel("Name of the plan").fill("Half a thought");
    await page.getByRole("link", { name: "Calendar" }).first().click();
    await page.getByRole("button", { name: "Stay" }).click();
    assert.equal(await page.getByLabel("Name of the plan").inputValue(), "Half a thought");
    await open.close();
  });
});

describe("services, groups, locations, people and rooms", () => {
  withConsole(
    "a service in use is archived with what it cancels said first; deleting says what uses it",
    async (studio, reader) => {
      const used = await done(reader, "addServiceType", { name: "Barre", holdsResource: false });
      const places = await listed(reader, "locations");
      const place = places.find(({ status }: { status: string }) => status === "active");
      await addBookedSeries(reader, place.id, used.id);
      const open = await studio.open(organizationId, "/console/catalog/services", { expected: [409] });
      const { page } = open;
      const actionsOf = (name: string) =>
        page.getByRole("button", { name: `Actions for ${name}`, exact: true });
      await actionsOf("Barre").click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete Barre?" });
      await dialog.getByRole("button", { name: "Delete" }).click();
      await dialog.getByText("It is in use and cannot be deleted:").waitFor();
      await dialog.getByRole("link", { name: /1 series in the timetable/ }).waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      await dialog.getByRole("button", { name: "Archive it instead" }).click();
      const asked = page.getByRole("dialog", { name: "Archive Barre?" });
      await asked.getByText("This cancels 1 session to come with 1 booking.").waitFor();
      await keepPicture(page, "archive-service");
      await asked.getByRole("button", { name: "Keep it as it is" }).click();
      assert.equal((await listed(reader, "service-types?query=Barre"))[0]?.status, "active");
      await open.close();
    },
  );

  withConsole(
    "a service, a group and a room are made, changed and taken back, each at its address",
    async (studio, reader) => {
      const open = await studio.open(organizationId, "/console/catalog/services");
      const { page } = open;
      await page.getByRole("button", { name: "New service" }).click();
      assert.equal(new URL(page.url()).pathname, "/console/catalog/services/new");
      await page.getByLabel("Name").fill("Sound bath");
      await page.getByLabel("Appointment").check();
      await page.keyboard.press("Enter");
      await page.getByText("Sound bath is added.").waitFor();
      const [made] = await listed(reader, "service-types?query=Sound");
      assert.equal(made?.holdsResource, true);

      await page.getByRole("button", { name: "Actions for Sound bath" }).click();
      await page.getByRole("menuitem", { name: "Archive" }).click();
      await page.getByText("Sound bath is archived.").waitFor();
      await page.getByRole("link", { name: "Archived" }).click();
      await page.getByRole("link", { name: "Sound bath" }).waitFor();
      await page.goBack();
      await page.getByRole("button", { name: "Undo" }).last().click();
      await page.getByRole("link", { name: "Sound bath" }).waitFor();

      await page.getByRole("link", { name: "Groups" }).click();
      await page.getByRole("button", { name: "New group" }).click();
      await page.getByLabel("Name").fill("Quiet");
      await page.getByLabel("Sound bath").check();
      await page.keyboard.press("Enter");
      await page.getByRole("row", { name: /Quiet Sound bath/ }).waitFor();

      await page.getByRole("link", { name: "Teachers and rooms" }).click();
      await page.getByRole("button", { name: "New entry" }).click();
      await page.getByLabel("Name").fill("Gong");
      await page.getByLabel("Equipment").check();
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Gong" }).click();
      await page.getByLabel("Name").fill("Big gong");
      await page.keyboard.press("Enter");
      await page.getByText("Big gong is saved.").waitFor();
      await page.getByRole("button", { name: "Undo" }).last().click();
      await page.getByRole("link", { name: "Gong", exact: true }).waitFor();
      await open.close();
    },
  );

  withConsole(
    "a location is added with its time zone, and closed with what that cancels said first",
    async (studio, reader) => {
      const open = await studio.open(organizationId, "/console/catalog/locations", {
        ...PHONE,
        theme: "dark",
      });
      const { page } = open;
      await page.getByRole("button", { name: "New location" }).click();
      await page.getByLabel("Name").fill("Lisboa");
      await page.getByRole("combobox", { name: "Time zone" }).fill("lisb");
      await page.getByRole("option", { name: /Europe\/Lisbon/ }).waitFor();
      await page.keyboard.press("Enter");
      await keepPicture(page, "location-form");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Lisboa is added.").waitFor();
      const made = (await listed(reader, "locations")).find(
        ({ name }: { name: string }) => name === "Lisboa",
      );
      assert.equal(made?.timezone, "Europe/Lisbon");
      const [yoga] = await listed(reader, "service-types?query=Yoga&status=active");
      await addBookedSeries(reader, made.id, yoga.id);
      await page.getByRole("button", { name: "Actions for Lisboa" }).click();
      await page.getByRole("menuitem", { name: "Close" }).click();
      await page.getByText("This cancels 1 session to come with 1 booking.").waitFor();
      await page.getByRole("button", { name: "Close and cancel them" }).click();
      await page.getByText("Lisboa is closed.").waitFor();
      assert.equal(
        (await listed(reader, "locations")).find(({ name }: { name: string }) => name === "Lisboa")?.status,
        "closed",
      );
      assert.ok(await fitsItsWidth(page));
      assert.deepEqual(await findAxeFaults(page), []);
      await open.close();
    },
  );

  withConsole(
    "the front desk sees the catalog and is offered nothing but people and rooms to change",
    async (studio) => {
      const open = await studio.open(organizationId, "/console/catalog", { role: "front_desk" });
      const { page } = open;
      await page.getByText("Mensal livre").waitFor();
      assert.equal(await page.getByRole("link", { name: "New plan" }).count(), 0);
      assert.equal(await page.getByRole("button", { name: /Actions for/ }).count(), 0);
      await page.getByRole("link", { name: "Teachers and rooms" }).click();
      await page.getByRole("button", { name: "New entry" }).waitFor();
      await open.close();
    },
  );
});

describe("two people at once", () => {
  /** What one person types into the name while another changes something else, and then the name too. */
  const cases = [
    {
      part: "services",
      add: ["addServiceType", { name: "Before", holdsResource: false }],
      edit: (id: string, changes: object) => ["editServiceType", { serviceTypeId: id, changes }],
      theirs: { description: "Of theirs" },
      shows: (page: Page) => shows(page.getByLabel("Description"), "Of theirs"),
      read: (id: string) => `service-types/${id}`,
    },
    {
      part: "groups",
      add: ["addServiceGroup", { name: "Before", serviceTypeIds: [] }],
      edit: (id: string, changes: object) => ["editServiceGroup", { serviceGroupId: id, changes }],
      theirs: { serviceTypeIds: ["ID_OF_A_TYPE"] },
      shows: (page: Page) =>
        until("it is checked", () => page.getByRole("checkbox", { checked: true }).isVisible()),
      read: () => "service-groups",
    },
    {
      part: "locations",
      add: ["addLocation", { name: "Before", timezone: "America/Sao_Paulo" }],
      edit: (id: string, changes: object) => ["editLocation", { locationId: id, changes }],
      theirs: { address: "Rua das Flores 1" },
      shows: (page: Page) => shows(page.getByLabel("Address"), "Rua das Flores 1"),
      read: () => "locations",
    },
    {
      part: "resources",
      add: ["addResource", { name: "Before", kind: "room" }],
      edit: (id: string, changes: object) => ["editResource", { resourceId: id, changes }],
      theirs: { kind: "equipment" },
      shows: (page: Page) => until("it is chosen", () => page.getByLabel("Equipment").isChecked()),
      read: () => "resources",
    },
    {
      part: "plans",
      add: ["addPlan", PLAN],
      edit: (id: string, changes: object) => ["editPlan", { planId: id, changes }],
      theirs: { priceCents: 12_300 },
      shows: (page: Page) => shows(page.getByLabel("Price in BRL"), "123.00"),
      read: (id: string) => `plans/${id}`,
    },
  ] as const;

  for (const { part, add, edit, theirs, shows: isShown, read } of cases)
    withConsole(
      `in the form of ${part} what a colleague saves shows and stays; where both wrote, that is said`,
      async (studio, reader) => {
        const write = async (operation: string, body: object) => {
          const answer = await reader.write(operation, body);
          assert.equal(answer.status, 200, answer.text);
          return answer.body.result;
        };
        const [type] = await listed(reader, "service-types");
        const changes = JSON.parse(JSON.stringify(theirs).replace("ID_OF_A_TYPE", type.id));
        const [adding, content] = add;
        const { id } = await write(adding, content);
        const change = async (changed: object) => {
          const [operation, body] = edit(id, changed);
          await write(operation as string, body as object);
        };
        const open = await studio.open(organizationId, `/console/catalog/${part}/${id}`);
        const { page } = open;
        const name = page.getByLabel("Name").first();
        await name.fill("Mine");
        await change(changes);
        await isShown(page);
        assert.equal(await page.getByText(CONTESTED).count(), 0);
        await change({ name: "Also theirs" });
        await page.getByText(CONTESTED).waitFor();
        await page.getByRole("listitem").filter({ hasText: "Also theirs" }).waitFor();
        assert.equal(await name.inputValue(), "Mine");
        await keepPicture(page, `contested-${part}`);
        await page.getByRole("button", { name: "Take theirs" }).click();
        await shows(name, "Also theirs");
        await page.getByRole("button", { name: /^Save/ }).click();
        await page.getByText("Also theirs is saved.").waitFor();
        await page.goBack();
        await name.fill("Mine after all");
        await page.getByRole("button", { name: /^Save/ }).click();
        await page.getByText("Mine after all is saved.").waitFor();
        const { body } = await reader.read(read(id));
        const stored = body.data?.find((record: { id: string }) => record.id === id) ?? body;
        assert.deepEqual({ ...stored, ...changes, name: "Mine after all" }, stored);
        await open.close();
      },
    );

  withConsole(
    "a form over what a colleague deletes says so, and keeps what was typed",
    async (studio, reader) => {
      const deleted = [
        [
          "services",
          "addServiceType",
          { name: "Before", holdsResource: false },
          "deleteServiceType",
          "serviceTypeId",
        ],
        [
          "groups",
          "addServiceGroup",
          { name: "Before", serviceTypeIds: [] },
          "deleteServiceGroup",
          "serviceGroupId",
        ],
        ["locations", "addLocation", { name: "Before", timezone: "UTC" }, "deleteLocation", "locationId"],
        ["plans", "addPlan", PLAN, "deletePlan", "planId"],
      ] as const;
      const open = await studio.open(organizationId, "/console/catalog", { expected: [404] });
      const { page } = open;
      for (const [part, add, content, remove, member] of deleted) {
        const { id } = (await reader.write(add, content)).body.result;
        await page.goto(`${studio.origin}/console/catalog/${part}/${id}`);
        const name = page.getByLabel("Name").first();
        await name.fill("Mine");
        const gone = await reader.write(remove, { [member]: id });
        assert.equal(gone.status, 200, gone.text);
        await page.getByText("Somebody has deleted this.").waitFor();
        assert.equal(await name.inputValue(), "Mine");
        assert.ok(await page.getByRole("button", { name: /^Save/ }).isDisabled());
        await keepPicture(page, `gone-${part}`);
        // A page is left by a link, without being asked: nothing can be saved. A dialog is closed by less.
        if (part === "plans") await page.getByRole("link", { name: "Plans", exact: true }).first().click();
        else {
          await page.keyboard.press("Escape");
          await page.getByRole("button", { name: "Leave", exact: true }).click();
        }
        await name.waitFor({ state: "detached" });
      }
      await open.close();
    },
  );
});

function shows(field: Locator, text: string): Promise<boolean> {
  return until(`the field has ${text}`, async () => (await field.inputValue()) === text);
}
