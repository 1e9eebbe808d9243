import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
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

/** The Monday of the week after next: nothing of it has begun. */
const MONDAY = dayAfter(new Date().toISOString().slice(0, 10), 15 - (new Date().getUTCDay() || 7));
const TUESDAY = dayAfter(MONDAY, 1);

function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** In New York clocks go forward on the second Sunday of March and back on the first of November. */
function sundayOf(month: number, which: number): string {
  const year = new Date().getUTCFullYear() + 1;
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  return new Date(Date.UTC(year, month - 1, 1 + ((7 - first) % 7) + 7 * (which - 1)))
    .toISOString()
    .slice(0, 10);
}

/** A studio in New York with another one in Berlin. */
async function newStudio(console: NonNullable<typeof opened>) {
  const { id } = await console.api.newOrganization({ timezone: "America/New_York" });
  const owner = await console.newStaff(id);
  const write = async (operation: string, body: object) => {
    const answer = await owner.write(operation, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.result;
  };
  const downtown = await write("addLocation", { name: "Downtown", timezone: "America/New_York" });
  const berlin = await write("addLocation", { name: "Mitte", timezone: "Europe/Berlin" });
  const pilates = await write("addServiceType", { name: "Pilates", holdsResource: false });
  const yoga = await write("addServiceType", { name: "Yoga", holdsResource: false });
  const carla = await write("addResource", { name: "Carla Dias", kind: "person" });
  const add = (start: string, more: object = {}) =>
    write("addSession", {
      serviceTypeId: pilates.id,
      locationId: downtown.id,
      start,
      durationMinutes: 60,
      capacity: 10,
      ...more,
    });
  const book = async (sessionId: string, name: string, operation = "book") => {
    const client = await write("addClient", { contactName: name, locationIds: [downtown.id] });
    const uncovered = operation === "book" && { uncovered: { reason: "a friend" } };
    return write(operation, { clientId: client.id, session: { sessionId }, ...uncovered });
  };
  const calendar = async (date: string): Promise<{ localStart: string; status: string; id: string }[]> => {
    const { body } = await owner.read(`calendar?from=${date}T00:00:00Z&to=${dayAfter(date, 2)}T12:00:00Z`);
    return body.data.filter(({ localStart }: { localStart: string }) => localStart.startsWith(date));
  };
  return { id, write, add, book, calendar, downtown, berlin, pilates, yoga, carla };
}

/** The others lie over the rest of it. */
const AT_NAME = { position: { x: 30, y: 8 } };

/** As the fields of dates have it. */
const written = (date: string) => date.split("-").reverse().join("/");

const block = (page: Page, name: RegExp) => page.locator("[data-key]").filter({ hasText: name });

withStudio(
  "the keyboard goes from session to session, opens one, and the browser's back closes it",
  async (console, { id, add, book }) => {
    const day = dayAfter(MONDAY, 2);
    const full = await add(`${day}T07:00`, { capacity: 1, durationMinutes: 50 });
    await book(full.id, "Ana Lima");
    await book(full.id, "Rui Costa", "joinWaiting");
    await add(`${day}T18:00`);
    await add(`${dayAfter(day, 2)}T17:00`);
    const open = await console.open(id, `/console/calendar?date=${day}`, { role: "front_desk" });
    const { page } = open;
    await block(page, /07:00/).focus();
    const focused = () => page.locator("[data-key]:focus");
    assert.match((await focused().textContent()) ?? "", /07:00.*1 of 1 seat taken Full.*Pilates.*1 waiting/);
    await page.keyboard.press("ArrowDown");
    assert.match((await focused().textContent()) ?? "", /18:00/);
    await page.keyboard.press("ArrowRight");
    assert.match((await focused().textContent()) ?? "", /17:00/);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.locator('[data-key][tabindex="0"]').count(), 1, "one stop for Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Pilates" }).waitFor();
    assert.match(page.url(), /session=/);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.doesNotMatch(page.url(), /session=/);
    assert.match((await focused().textContent()) ?? "", /18:00/, "the focus is where it was");

    await page.getByLabel("Service", { exact: true }).selectOption({ label: "Yoga" });
    await page.getByText("No sessions fit the filters in this week.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("button", { name: "Next week" }).click();
    await block(page, /07:00/).waitFor({ state: "hidden" });
    await page.goBack();
    await block(page, /07:00/).waitFor();
    await open.close();
  },
);

withStudio(
  "the focus stays on its session when a colleague adds and moves others, and goes on to one of the week that is turned to",
  async (console, { id, add, write }) => {
    const day = dayAfter(MONDAY, 72);
    const moved = await add(`${day}T07:00`);
    await add(`${day}T18:00`);
    await add(`${dayAfter(day, 6)}T10:15`);
    await add(`${dayAfter(day, 7)}T08:45`);
    const open = await console.open(id, `/console/calendar?date=${day}`, { role: "front_desk" });
    const { page } = open;
    const isOn = async (name: RegExp, why: string) => {
      assert.match((await page.locator("[data-key]:focus").textContent()) ?? "", name, why);
      const stops = await page.locator('[data-key][tabindex="0"]').allTextContents();
      assert.equal(stops.length, 1, "one stop for Tab");
      assert.match(stops[0] ?? "", name, why);
    };
    await block(page, /18:00/).focus();
    await add(`${day}T12:00`);
    await block(page, /12:00/).waitFor();
    await isOn(/18:00/, "another one came before it");
    const start = `${dayAfter(day, 1)}T07:30`;
    await write("editSession", { session: { sessionId: moved.id }, changes: { start } });
    await block(page, /07:30/).waitFor();
    await isOn(/18:00/, "one before it went to another day");
    await page.keyboard.press("PageDown");
    await block(page, /10:15/).waitFor();
    await isOn(/10:15/, "the first of the other week");
    await page.keyboard.press("ArrowRight");
    await isOn(/08:45/, "and on from there");
    await open.close();
  },
);

withStudio(
  "a session is dragged to another day and time, after the people whom it concerns were counted, and back",
  async (console, { id, add, book, calendar }) => {
    const { id: sessionId } = await add(`${MONDAY}T09:00`);
    await book(sessionId, "Ana Lima");
    const open = await console.open(id, `/console/calendar?date=${MONDAY}`, { role: "front_desk" });
    const { page } = open;
    const drag = async (end?: string) => {
      const box = await block(page, /09:00/).boundingBox();
      const column = await page.locator(`[data-date="${TUESDAY}"]`).boundingBox();
      assert.ok(box && column);
      const hour = (await page.locator(".calendar-axis span").first().boundingBox())?.height ?? 0;
      await page.mouse.move(box.x + 20, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(column.x + 20, box.y + 10 + 1.5 * hour, { steps: 4 });
      await page.locator(".block-ghost").waitFor();
      if (end) await page.keyboard.press(end);
      await page.mouse.up();
    };
    await block(page, /09:00/).waitFor();
    await drag("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0, "Escape cancels, and opens nothing");
    await drag();
    const dialog = page.getByRole("dialog", { name: "Move Pilates?" });
    await dialog.getByText("1 person is booked: they keep their seat").waitFor();
    await keepPicture(page, "calendar-move");
    assert.equal((await calendar(MONDAY))[0]?.localStart, `${MONDAY} 09:00`, "nothing is done yet");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText(/Pilates moved to Tuesday/).waitFor();
    await block(page, /10:30/).waitFor();
    assert.equal((await calendar(TUESDAY))[0]?.localStart, `${TUESDAY} 10:30`);
    await page.getByRole("button", { name: "Undo" }).click();
    await block(page, /09:00/).waitFor();
    assert.equal((await calendar(MONDAY))[0]?.localStart, `${MONDAY} 09:00`);
    await open.close();
  },
);

withStudio(
  "an empty place is pressed to add a session; days are closed after their numbers, and what is cancelled is struck",
  async (console, { id, add, book, calendar }) => {
    const day = dayAfter(MONDAY, 5);
    const { id: sessionId } = await add(`${day}T08:00`);
    await book(sessionId, "Ana Lima");
    await add(`${day}T12:00`);
    const address = `/console/calendar?date=${day}&view=day`;
    const open = await console.open(id, address, { role: "manager", expected: [422] });
    const { page } = open;
    await block(page, /08:00/).waitFor();
    const column = await page.locator(`[data-date="${day}"]`).boundingBox();
    assert.ok(column);
    // From 08:00 to 13:00: half of it is 10:30.
    await page.mouse.click(column.x + 40, column.y + column.height / 2 + 4);
    const form = page.getByRole("dialog", { name: "A session that takes place once" });
    assert.equal(await form.getByLabel("Date").inputValue(), written(day));
    assert.equal(await form.getByLabel("Starts at").inputValue(), "10:30");
    await form.getByLabel("Service").selectOption({ label: "Yoga" });
    await form.getByLabel("Location").selectOption({ label: "Downtown" });
    await form.getByLabel("Length in minutes").fill("45");
    await form.getByLabel("Carla Dias").check();
    await form.getByRole("button", { name: "Add session" }).click();
    await block(page, /10:30.*Yoga.*Carla Dias/).waitFor();

    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Close days" }).click();
    const closing = page.getByRole("dialog", { name: "Close days" });
    await closing.getByLabel("Location").selectOption({ label: "Downtown" });
    await closing.getByLabel("Last day").fill(dayAfter(day, -1));
    await closing.getByText("must not be before “First day”").waitFor();
    await closing.getByLabel("Last day").fill(day);
    await closing.getByText("3 sessions are cancelled.").waitFor();
    await closing.getByText("1 booking ends, and the client is put on the list to tell.").waitFor();
    await closing.getByLabel("Reason").fill("The floor is polished");
    assert.deepEqual(await findAxeFaults(page), []);
    await closing.getByRole("button", { name: "Cancel 3 sessions" }).click();
    await page.getByText("3 sessions cancelled").waitFor();
    await block(page, /08:00.*Cancelled/).waitFor();
    const struck = await page.evaluate(
      "getComputedStyle(document.querySelector('.block-cancelled .block-name')).textDecorationLine",
    );
    assert.equal(struck, "line-through");
    assert.deepEqual(
      (await calendar(day)).map(({ status }) => status),
      ["cancelled", "cancelled", "cancelled"],
    );
    await open.close();
  },
);

withStudio(
  "nights in which the clocks change read as the clocks of the location, whose zone is named where it is another",
  async (console, { id, add, write, berlin, downtown, pilates }) => {
    const [forward, back] = [sundayOf(3, 2), sundayOf(11, 1)];
    const daily = { serviceTypeId: pilates.id, locationId: downtown.id, durationMinutes: 60, capacity: 10 };
    await write("addSchedule", { ...daily, start: `${forward}T02:30` });
    await add(`${forward}T01:00`, { durationMinutes: 90 });
    await add(`${back}T00:45`, { durationMinutes: 90 });
    await add(`${back}T01:30`, { durationMinutes: 30 });
    await add(`${back}T23:30`);
    await add(`${back}T06:00`, { locationId: berlin.id });
    const open = await console.open(id, `/console/calendar?date=${forward}&view=day`);
    const { page } = open;
    const shown = async () =>
      (await page.locator("[data-key] > .for-readers").allTextContents()).map((text) =>
        text.replace(/ 0 of 10.*until/, " until"),
      );
    await page.getByText("Clocks go forward 1 h").waitFor();
    await block(page, /^03:30/).waitFor();
    // 90 minutes from 01:00 end at 03:30; the slot of 02:30, a time that there is not, begins then.
    assert.deepEqual(await shown(), ["01:00 until 03:30", "03:30 until 04:30"]);

    await page.goto(`${console.origin}/console/calendar?date=${back}&view=day`);
    await page.getByText("Clocks go back 1 h").waitFor();
    await page.getByText(/Times at Mitte are on its own clock \(Europe\/Berlin, /).waitFor();
    await block(page, /06:00.*GMT\+1/).waitFor();
    // By instant: 06:00 in Berlin is midnight in New York. 90 minutes from 00:45 end when it is 01:15 for the second time;
    // 01:30 says which of the two it is, and ends as the clocks go back from 02:00 to 01:00.
    assert.deepEqual(await shown(), [
      "00:45 until 01:15",
      "06:00 GMT+1 until 07:00",
      "01:30 GMT-4 until 01:00",
      "23:30 until 00:30",
    ]);
    await page.goto(`${console.origin}/console/calendar?date=${dayAfter(back, 1)}&view=day`);
    await block(page, /23:30.*since the day before/).waitFor();
    await open.close();
  },
);

withStudio(
  "a phone shows a day, a swipe the next one, and nothing is wrong for readers of screens",
  async (console, { id, add }) => {
    const day = dayAfter(MONDAY, 9);
    await add(`${day}T09:00`);
    await add(`${dayAfter(day, 1)}T11:00`);
    const phone = await console.open(id, `/console/calendar?date=${day}`, {
      ...PHONE,
      theme: "dark",
      language: "pt-BR",
      role: "front_desk",
    });
    await block(phone.page, /09:00/).waitFor();
    assert.ok(await block(phone.page, /09:00/).isVisible());
    assert.ok(await fitsItsWidth(phone.page));
    assert.deepEqual(await findAxeFaults(phone.page), []);
    await keepPicture(phone.page, "calendar-phone");
    await phone.page.evaluate("document.querySelector('.calendar').scrollBy(innerWidth, 0)");
    await phone.page.waitForURL(new RegExp(`date=${dayAfter(day, 1)}`));
    await phone.close();
    const desk = await console.open(id, `/console/calendar?date=${day}`);
    await block(desk.page, /09:00/).waitFor();
    assert.deepEqual(await findAxeFaults(desk.page), []);
    await desk.close();
  },
);

withStudio(
  "eight classes at the same hour can be read in a week at 1280 pixels, and each says all beside itself to pointer and keyboard",
  async (console, { id, add, write, carla }) => {
    const sunday = dayAfter(MONDAY, 20);
    const names = ["Pilates", "Yoga", "Fisioterapia", "Spinning", "Ballet", "Aqua", "Boxing", "Mobility"];
    for (const name of names) {
      const { id: serviceTypeId } = await write("addServiceType", {
        name: `${name} 8`,
        holdsResource: false,
      });
      await add(`${sunday}T07:00`, { serviceTypeId, durationMinutes: 50 });
    }
    await add(`${sunday}T07:30`, { resourceIds: [carla.id], capacity: 4 });
    const width = { width: 1280, height: 800 };
    const open = await console.open(id, `/console/calendar?date=${sunday}`, { ...width, role: "front_desk" });
    const { page } = open;
    await block(page, /Mobility 8/).waitFor();
    const unreadable = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll("[data-key]")].filter((block) => {
      const name = block.querySelector(".block-name"), { x, y, width, height } = name.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return top?.closest("[data-key]") !== block || name.scrollWidth > name.clientWidth;
    }).map((block) => block.textContent)`);
    assert.deepEqual(unreadable, []);
    assert.equal(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.calendar'))",
      ),
      0,
      "Sunday is there whole",
    );
    const shown = page.locator(".block-open");
    await block(page, /Ballet 8/).hover(AT_NAME);
    await shown.getByText("0 of 10 seats taken").waitFor();
    assert.match((await shown.innerText()).replaceAll("\n", " "), /^07:00–07:50 Ballet 8 0 of 10/);
    await block(page, /Aqua 8/).hover(AT_NAME);
    await shown.getByText("Aqua 8").waitFor();
    const inside = await page.evaluate(`(() => {
      const [card, grid] = [".block-open", ".calendar"].map((name) => document.querySelector(name).getBoundingClientRect());
      return card.left >= grid.left && card.right <= grid.right && card.bottom <= grid.bottom;
    })()`);
    assert.ok(inside);
    await keepPicture(page, "calendar-eight");
    // What is beside it can be gone to, and Escape puts it away.
    await shown.hover();
    await shown.getByText("Aqua 8").waitFor();
    await page.mouse.move(0, 0);
    await shown.waitFor({ state: "hidden" });
    await block(page, /07:00.*Pilates 8/).focus();
    await page.keyboard.press("End");
    await shown.getByText("Carla Dias").waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Pilates" }).waitFor();
    await open.close();

    const phone = await console.open(id, `/console/calendar?date=${sunday}`, {
      ...PHONE,
      role: "front_desk",
    });
    await block(phone.page, /Mobility 8/).waitFor();
    const rows = await phone.page.evaluate<number[]>(`(() => {
      const tops = [...document.querySelectorAll('[data-date="${sunday}"] [data-key]')].map((block) => block.getBoundingClientRect().top);
      return tops.slice(1).map((top, place) => Math.round(top - tops[place]));
    })()`);
    assert.deepEqual(rows, Array(8).fill(44), "a finger hits each");
    await keepPicture(phone.page, "calendar-eight-phone");
    await phone.close();
  },
);

withStudio(
  "the owner chooses by what the calendar is coloured and each colour, for everybody, and takes it back",
  async (console, { id, add, carla, yoga }) => {
    const day = dayAfter(MONDAY, 27);
    await add(`${day}T09:00`, { resourceIds: [carla.id] });
    await add(`${day}T11:00`, { serviceTypeId: yoga.id });
    const desk = await console.open(id, `/console/calendar?date=${day}`, { role: "front_desk" });
    const hueOf = async (page: Page, name: RegExp) =>
      /hue-(\w+)/.exec((await block(page, name).getAttribute("class")) ?? "")?.[1];
    await desk.page.locator(".hue-teal[data-key]").waitFor();
    assert.deepEqual([await hueOf(desk.page, /Pilates/), await hueOf(desk.page, /Yoga/)], ["teal", "violet"]);
    await desk.page.getByRole("button", { name: "More", exact: true }).first().click();
    assert.equal(await desk.page.getByRole("menuitem", { name: "Colours" }).count(), 0);

    const open = await console.open(id, `/console/calendar?date=${day}`, { role: "owner" });
    const { page } = open;
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Colours" }).click();
    const dialog = page.getByRole("dialog", { name: "Colours of the calendar" });
    await dialog.getByLabel("Yoga", { exact: true }).selectOption({ label: "Red" });
    await keepPicture(page, "calendar-colours");
    assert.deepEqual(await findAxeFaults(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await desk.page.locator(".hue-red[data-key]").waitFor();
    assert.equal(await hueOf(desk.page, /Yoga/), "red");
    await page.getByRole("button", { name: "Undo" }).click();
    await desk.page.locator(".hue-violet[data-key]").waitFor();

    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Colours" }).click();
    await dialog.getByLabel("Teacher").check();
    await dialog.getByLabel("Carla Dias").selectOption({ label: "Blue" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await desk.page.locator(".hue-blue[data-key]").waitFor();
    assert.deepEqual([await hueOf(desk.page, /Pilates/), await hueOf(desk.page, /Yoga/)], ["blue", "none"]);
    await open.close();
    await desk.close();
  },
);

withStudio(
  "who stands in is chosen among the teachers, those who are free first, and rooms stand apart",
  async (console, { id, add, write, carla, yoga, calendar }) => {
    const day = dayAfter(MONDAY, 34);
    const bruno = await write("addResource", { name: "Bruno Alves", kind: "person" });
    await write("addResource", { name: "Dora Egito", kind: "person" });
    await write("addResource", { name: "Big room", kind: "room" });
    await add(`${day}T09:00`, { resourceIds: [carla.id] });
    await add(`${day}T09:30`, { resourceIds: [bruno.id], serviceTypeId: yoga.id });
    await add(`${day}T10:00`, { resourceIds: [carla.id], serviceTypeId: yoga.id });
    const open = await console.open(id, `/console/calendar?date=${day}`, { role: "front_desk" });
    const { page } = open;
    await block(page, /Pilates/).click();
    await page.getByRole("button", { name: "Change the session" }).click();
    await page.getByRole("menuitem", { name: "Substitute" }).click();
    const dialog = page.getByRole("dialog", { name: "Who and what runs the session" });
    const teachers = dialog.getByRole("group", { name: "Teachers" });
    await teachers.getByText("Has Yoga, 09:30–10:30").waitFor();
    const choices = await teachers.locator(".check-field").allInnerTexts();
    assert.deepEqual(
      choices.map((text) => text.split(/\n+/)),
      [
        ["Carla Dias", "Free"],
        ["Dora Egito", "Free"],
        ["Bruno Alves", "Has Yoga, 09:30–10:30"],
      ],
    );
    assert.deepEqual(await dialog.getByRole("group", { name: "Rooms" }).locator("label").allInnerTexts(), [
      "Big room",
    ]);
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "calendar-substitute");
    const chosen = () => dialog.getByRole("checkbox", { checked: true }).count();
    // Whoever stands in has the session alone, unless the one before is chosen again.
    await dialog.getByLabel("Dora Egito").check();
    assert.equal(await dialog.getByLabel("Carla Dias").isChecked(), false);
    await dialog.getByLabel("Carla Dias").check();
    assert.equal(await chosen(), 2);
    await dialog.getByLabel("Carla Dias").uncheck();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("The session has a substitute.").waitFor();
    const [first] = (await calendar(day)) as unknown as { resourceNames: string[] }[];
    assert.deepEqual(first?.resourceNames, ["Dora Egito"]);
    await open.close();
  },
);

withStudio(
  "a day and a time are written as people do, stepped by arrow keys and chosen from a month, by keyboard alone",
  async (console, { id }) => {
    const open = await console.open(id, `/console/calendar?date=${MONDAY}`, { role: "manager" });
    const { page } = open;
    await page.getByRole("button", { name: "Add a session" }).click();
    const form = page.getByRole("dialog", { name: "A session that takes place once" });
    const [date, time] = [form.getByLabel("Date"), form.getByLabel("Starts at")];
    await form.getByLabel("Location").selectOption({ label: "Downtown" });
    await date.fill("");
    await date.pressSequentially("3/2/2031");
    // Said as the browser's own field says it.
    await form.getByText("Monday 3 February 2031").waitFor();
    await page.keyboard.press("ArrowUp");
    assert.equal(await date.inputValue(), "03/02/2032", "the year has the caret");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.equal(await date.inputValue(), "02/02/2032");
    await page.keyboard.press("Alt+ArrowDown");
    const month = page.getByRole("dialog", { name: "Calendar" });
    await month.getByRole("button", { name: "Monday 2 February 2032" }).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "date-picker");
    await page.keyboard.press("PageDown");
    await month.getByText("March 2032").first().waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await month.waitFor({ state: "detached" });
    assert.equal(await date.inputValue(), "03/03/2032");
    const focused = await page.evaluate<string>("document.activeElement.placeholder");
    assert.equal(focused, "dd/mm/yyyy", "the focus is back in the field");
    await page.keyboard.press("Alt+ArrowDown");
    await month.waitFor();
    await page.keyboard.press("Escape");
    await month.waitFor({ state: "detached" });
    assert.ok(await form.isVisible(), "Escape closes the month alone");

    await date.fill("31/2");
    await time.fill("7h30");
    await form.getByText("Write a day such as 18/11/2026.").waitFor();
    assert.equal(await date.getAttribute("aria-invalid"), "true");
    await date.fill("1/12");
    await time.fill("1915");
    await time.blur();
    assert.equal(await time.inputValue(), "19:15");
    await page.keyboard.press("Escape");
    await open.close();
  },
);
