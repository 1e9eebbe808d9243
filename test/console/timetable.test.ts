import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const opened = await startConsole();
const studio = opened && (await newStudio(opened));

/** A test that needs the browser; it is skipped where there is none. */
function withStudio(
  name: string,
  run: (console: NonNullable<typeof opened>, given: NonNullable<typeof studio>) => Promise<void>,
): void {
  test(name, async (t: TestContext) =>
    opened && studio ? run(opened, studio) : t.skip("no Chromium on this machine"),
  );
}

/** The Monday of the week after next. */
const MONDAY = dayAfter(new Date().toISOString().slice(0, 10), 15 - (new Date().getUTCDay() || 7));

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** A studio in New York. */
async function newStudio(console: NonNullable<typeof opened>) {
  const { id } = await console.api.newOrganization({ timezone: "America/New_York" });
  const owner = await console.newStaff(id);
  const write = async (operation: string, body: object) => {
    const answer = await owner.write(operation, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.result;
  };
  const location = await write("addLocation", { name: "Downtown", timezone: "America/New_York" });
  const types: Record<string, string> = {};
  for (const name of ["Pilates", "Yoga", "Physio", "Dance", "Stretching"])
    types[name] = (await write("addServiceType", { name, holdsResource: false })).id;
  await write("addResource", { name: "Carla Dias", kind: "person" });
  const add = (name: string, start: string, rrule: string) =>
    write("addSchedule", {
      serviceTypeId: types[name],
      locationId: location.id,
      start,
      durationMinutes: 50,
      capacity: 10,
      rrule,
    });
  const schedules = async (name: string) =>
    (await owner.read(`schedules?serviceTypeId=${types[name]}`)).body.data;
  const book = async (scheduleId: string, originalStart: string) => {
    const client = await write("addClient", { contactName: "Ana Lima", locationIds: [location.id] });
    await write("book", {
      clientId: client.id,
      session: { scheduleId, originalStart },
      uncovered: { reason: "a friend" },
    });
  };
  return { id, owner, write, add, schedules, book };
}

withStudio(
  "a class is written by choices: the sentence and ten dates follow, faults stand beside their fields",
  async (console, { id, schedules }) => {
    const open = await console.open(id, "/console/timetable", { role: "manager", expected: [422] });
    const { page } = open;
    await page.getByRole("link", { name: "Add a class" }).first().click();
    await page.getByLabel("Service").selectOption({ label: "Pilates" });
    await page.getByLabel("First day").fill(MONDAY);
    await page.getByLabel("Starts at").first().fill("07:00");
    await page.getByText("Every Monday at 07:00").waitFor();
    await page.getByLabel("Wednesday").check();
    await page.getByLabel("Ends").selectOption({ label: "On a date" });
    await page.getByLabel("Last day").fill(dayAfter(MONDAY, 16));
    await page.getByText(/^Every Monday and Wednesday at 07:00 until \d+ \w+/).waitFor();
    // Of the two days a week six dates are left until the Wednesday of the third week.
    await page.locator(".next-dates li:nth-child(6):last-child").waitFor();
    await page.getByLabel("Ends").selectOption({ label: "Never" });
    await page.locator(".next-dates li:nth-child(11):last-child", { hasText: "and so on" }).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "timetable-new");
    await page.getByLabel("Length in minutes").fill("999999");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field-fault").first().waitFor();
    assert.equal(await page.getByLabel("Length in minutes").getAttribute("aria-invalid"), "true");
    await page.getByLabel("Length in minutes").fill("50");
    await page.getByLabel("Carla Dias").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Pilates is on the timetable").waitFor();
    await page.getByRole("heading", { level: 1, name: "Pilates" }).waitFor();
    await page.getByText("Every Monday and Wednesday at 07:00").waitFor();
    const [stored] = await schedules("Pilates");
    assert.deepEqual(
      [stored.start, stored.rrule, stored.durationMinutes, stored.resourceIds.length],
      [`${MONDAY}T07:00`, "FREQ=WEEKLY;BYDAY=MO,WE", 50, 1],
    );
    await open.close();
  },
);

withStudio(
  "a night in which clocks go forward is marked among the dates, and monthly choices have their words",
  async (console, { id }) => {
    const year = new Date().getUTCFullYear() + 1;
    const march = new Date(Date.UTC(year, 2, 1)).getUTCDay();
    const sunday = `${year}-03-${String(8 + ((7 - march) % 7)).padStart(2, "0")}`;
    const open = await console.open(id, "/console/timetable/new", { role: "manager" });
    const { page } = open;
    await page.getByLabel("First day").fill(sunday);
    await page.getByLabel("Starts at").first().fill("02:30");
    await page.getByLabel("Repeats").selectOption({ label: "Monthly" });
    await page.getByText(/^Every month on the \d+\w+ at 02:30/).waitFor();
    await page.getByText("Clocks go forward: begins at 03:30").waitFor();
    await page.getByLabel("On a weekday of the month").check();
    await page.getByText("Every month on the second Sunday at 02:30").waitFor();
    await page.getByLabel("last", { exact: true }).check();
    await page.getByText("Every month on the second and last Sunday at 02:30").waitFor();
    // What was typed is not thrown away by a click.
    await page.getByRole("link", { name: "Cancel" }).click();
    await page
      .getByRole("dialog", { name: "Leave without saving?" })
      .getByRole("button", { name: "Leave" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Timetable" }).waitFor();
    await open.close();
  },
);

withStudio(
  "every other week is counted in weeks as the organization has them, also if that is known late",
  async (console) => {
    const { id } = await console.api.newOrganization({ timezone: "UTC" });
    const owner = await console.newStaff(id);
    const write = async (operation: string, body: object) =>
      assert.equal((await owner.write(operation, body)).status, 200);
    await write("editSettings", { changes: { weekStart: "sunday" } });
    await write("addLocation", { name: "Downtown", timezone: "UTC" });
    await write("addServiceType", { name: "Pilates", holdsResource: false });
    const open = await console.open(id, "/console/timetable");
    const { page } = open;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/app/v1/settings", async (route) => {
      await released;
      await route.continue();
    });
    const others = ["locations", "service-types", "resources"].map((name) =>
      page.waitForResponse((response) => response.url().includes(`/app/v1/${name}`)),
    );
    await page.goto(`${console.origin}/console/timetable/new`);
    await Promise.all(others);
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
    release();
    await page.getByLabel("Service").selectOption({ label: "Pilates" });
    await page.getByLabel("Every how many weeks").fill("2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Pilates" }).waitFor();
    const [stored] = (await owner.read("schedules")).body.data;
    assert.match(stored.rrule, /INTERVAL=2;.*WKST=SU/);
    await open.close();
  },
);

withStudio(
  "this and following: who is booked on a date that goes is decided about, and a split is announced",
  async (console, { id, owner, add, schedules, book }) => {
    const { id: scheduleId } = await add("Yoga", `${MONDAY}T09:00`, "FREQ=WEEKLY;BYDAY=MO");
    const from = `${dayAfter(MONDAY, 7)}T09:00`;
    await book(scheduleId, from);
    const open = await console.open(id, `/console/timetable/${scheduleId}`, {
      role: "manager",
      expected: [409],
    });
    const { page } = open;
    const row = page.getByRole("row", { name: /1 of 10/ });
    await row.waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "schedule");
    await row.getByRole("link", { name: "Change this and following" }).click();
    await page.getByRole("heading", { level: 1, name: "Change Yoga" }).waitFor();
    assert.equal(await page.getByLabel("From when on").inputValue(), from);
    await page.getByText("Nothing is changed yet.").waitFor();
    await page.getByLabel("Monday", { exact: true }).uncheck();
    await page.getByLabel("Tuesday", { exact: true }).check();
    await page.getByText("Every Tuesday at 09:00").waitFor();
    // Another slot to begin with takes nothing of what was typed.
    await page.getByLabel("Seats", { exact: true }).fill("7");
    await page.getByLabel("From when on").selectOption(`${dayAfter(MONDAY, 14)}T09:00`);
    await page.waitForURL(new RegExp(`from=${dayAfter(MONDAY, 14)}`));
    await page.getByText("Every Tuesday at 09:00").waitFor();
    assert.equal(await page.getByLabel("Seats", { exact: true }).inputValue(), "7");
    await page.getByLabel("From when on").selectOption(from);
    await page.waitForURL(new RegExp(`from=${dayAfter(MONDAY, 7)}`));
    await page.getByRole("button", { name: "Look at what changes" }).click();
    const dialog = page.getByRole("dialog", { name: "What this changes" });
    await dialog.getByText("This cannot be undone").waitFor();
    await dialog.getByLabel("These sessions take place as booked").check();
    await dialog.getByRole("button", { name: "Change it" }).click();
    await page.getByText("Yoga changed").waitFor();
    await page.getByText("Every Tuesday at 09:00").waitFor();
    const [later, earlier] = await schedules("Yoga");
    assert.deepEqual(
      [later.start, later.rrule, later.continuesId],
      [`${dayAfter(MONDAY, 8)}T09:00`, "FREQ=WEEKLY;BYDAY=TU", earlier.id],
    );
    const window = `from=${from.slice(0, 10)}T00:00:00Z&to=${dayAfter(MONDAY, 8)}T12:00:00Z`;
    const { body } = await owner.read(`calendar?${window}&serviceTypeId=${later.serviceTypeId}`);
    assert.deepEqual([body.data[0].localStart, body.data[0].bookedCount], [from.replace("T", " "), 1]);

    await page.getByRole("button", { name: "Change this one" }).first().click();
    await page.getByRole("dialog", { name: "Yoga" }).waitFor();
    await open.close();
  },
);

withStudio(
  "a rule that the choices cannot express is said in a sentence and stays, whatever else is changed",
  async (console, { id, add, schedules }) => {
    const rule = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8,9;BYMINUTE=0";
    const { id: scheduleId } = await add("Physio", `${MONDAY}T08:00`, rule);
    const open = await console.open(id, `/console/timetable/${scheduleId}/edit`, { role: "manager" });
    const { page } = open;
    await page.getByText("It stays as it is.").waitFor();
    await page.getByText("Every week on Monday at 08:00 and 09:00").waitFor();
    assert.doesNotMatch(await page.innerText("main"), /FREQ|BYDAY/);
    await page.getByLabel("Seats").fill("3");
    await page.getByRole("button", { name: "Look at what changes" }).click();
    await page.getByText("No bookings are affected.").waitFor();
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByText("Physio changed").waitFor();
    const stored = await schedules("Physio");
    assert.deepEqual(
      stored.map(({ capacity, rrule }: { capacity: number; rrule: string }) => [capacity, rrule]),
      [[3, rule]],
    );
    await open.close();
  },
);

withStudio(
  "a class is ended after its numbers, a mistake deleted, and the front desk reads what is left",
  async (console, { id, add, schedules, book }) => {
    const { id: dance } = await add("Dance", `${MONDAY}T18:00`, "FREQ=DAILY");
    await book(dance, `${dayAfter(MONDAY, 5)}T18:00`);
    const { id: mistake } = await add("Stretching", `${MONDAY}T12:00`, "FREQ=WEEKLY");
    const open = await console.open(id, `/console/timetable/${dance}`, {
      role: "manager",
      // The page of what was deleted asks once more before it is left.
      expected: [404],
    });
    const { page } = open;
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "End" }).click();
    const dialog = page.getByRole("dialog", { name: "End Dance?" });
    await dialog.getByLabel("Last day with sessions").fill(dayAfter(MONDAY, 2));
    await dialog.getByText("1 booked or changed session after it is cancelled.").waitFor();
    await dialog.getByText("1 booking ends").waitFor();
    await dialog.getByRole("button", { name: "End it" }).click();
    await page.getByText(/Dance ends on/).waitFor();
    await page.getByText(/^Every day at 18:00 until/).waitFor();
    assert.equal((await schedules("Dance"))[0].lastSlot.slice(0, 10) >= dayAfter(MONDAY, 2), true);

    await page.goto(`${console.origin}/console/timetable/${mistake}`);
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Stretching deleted").waitFor();
    await page.getByRole("heading", { level: 1, name: "Timetable" }).waitFor();
    assert.deepEqual(await schedules("Stretching"), []);
    assert.deepEqual(await findAxeFaults(page), []);
    await open.close();

    const phone = await console.open(id, "/console/timetable", {
      ...PHONE,
      theme: "dark",
      language: "es",
      role: "front_desk",
    });
    await phone.page.getByRole("heading", { name: "Downtown" }).waitFor();
    assert.equal(await phone.page.getByText("Añadir clase").count(), 0, "the front desk reads it");
    assert.ok(await fitsItsWidth(phone.page));
    assert.deepEqual(await findAxeFaults(phone.page), []);
    await phone.close();
  },
);

withStudio(
  "a timetable of more classes than a page of the list has shows them all, and those that are over when unfolded",
  async (console, { id, add }) => {
    const { id: weekly, serviceTypeId } = await add("Physio", `${MONDAY}T09:00`, "FREQ=WEEKLY;BYDAY=MO");
    const more = `insert into schedules select (jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'last_slot', $3::timestamp))).*
      from schedules s, generate_series(1, $2) where s.id = $1`;
    await console.api.db.query(pooled("", more), [weekly, 202, null]);
    await console.api.db.query(pooled("", more), [weekly, 203, "2020-01-06 09:00"]);
    const { page, close } = await console.open(id, `/console/timetable?service=${serviceTypeId}`);
    const ended = page.locator(".timetable-over");
    await ended.getByText("Ended (203)").click();
    await ended.locator("li").nth(202).waitFor();
    assert.equal(await ended.locator("li").count(), 203);
    assert.equal(await page.locator(".timetable-day .timetable-card").count(), 203);
    await close();
  },
);

withStudio(
  "a form says that its class was split, ended or deleted meanwhile, and keeps what was typed",
  async (console, { id, add, write }) => {
    const today = new Date().toISOString().slice(0, 10);
    const { id: scheduleId } = await add("Stretching", `${dayAfter(today, 3 - 28)}T08:00`, "FREQ=WEEKLY");
    const { id: mistake } = await add("Stretching", `${MONDAY}T12:00`, "FREQ=WEEKLY");
    const open = await console.open(id, `/console/timetable/${scheduleId}/edit`, {
      role: "manager",
      // The dates that are left are asked for once more with a rule that has just ended.
      expected: [404, 422],
    });
    const { page } = open;
    const seats = page.getByLabel("Seats", { exact: true });
    const save = page.getByRole("button", { name: "Look at what changes" });
    await seats.fill("7");
    await write("editSchedule", {
      scheduleId,
      from: `${dayAfter(today, 3 + 14)}T08:00`,
      changes: { durationMinutes: 40 },
    });
    const notice = page.getByRole("status").filter({ hasText: "Somebody else has changed this class" });
    await notice.getByText(/It is now: Every \w+day at 08:00 until/).waitFor();
    assert.equal(await seats.inputValue(), "7");
    // What is saved now ends where the colleague has ended it.
    assert.equal(await page.getByLabel("Ends", { exact: true }).inputValue(), "on");
    assert.ok(await save.isEnabled());
    assert.deepEqual(await findAxeFaults(page), []);
    await write("endSchedule", { scheduleId, lastDay: dayAfter(today, 1) });
    await notice.getByText("This class has no upcoming sessions").waitFor();
    assert.equal(await seats.inputValue(), "7");
    assert.ok(await save.isDisabled());

    await page.goto(`${console.origin}/console/timetable/${mistake}/edit`);
    await seats.fill("8");
    await write("deleteSchedule", { scheduleId: mistake });
    await page.getByRole("alert").getByText("Somebody has deleted this class.").waitFor();
    assert.equal(await seats.inputValue(), "8");
    assert.ok(await save.isDisabled());
    assert.deepEqual(await findAxeFaults(page), []);
    // There is nothing to save, so nobody is asked.
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("heading", { level: 1, name: "There is no such class." }).waitFor();
    await open.close();
  },
);
