import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { daysAfter, formatWallClock } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import { startConsole, type TestConsole } from "../support/console.ts";

/**
 * A studio's day in thirty tasks, click by click: those that hang on days where the day begins long before or after that of
 * UTC, and where it is three quarters of an hour from it; the others once. The browser itself is in Tokyo. docs/console.md
 * has the table of the clicks.
 */

const console = await startConsole();

/** Each task by its row in docs/console.md, which says what it may take. */
const DAYS_TASKS = {
  bookKnown: "Book somebody whose page is open into a class of tomorrow",
  fixedPlace: "Give them a fixed place, two days a week for twelve weeks",
  settleCredits: "Say who used, returned and adjusted the credits of a contract",
  tell: "Tell somebody that a class is cancelled, and note it",
  courtesy: "Leave it as a courtesy",
  renew: "Renew a contract that ends",
  undoOwnSale: "Undo the sale of a moment ago",
  download: "Take the attendance of the last thirty days as a file",
};

const DESK_TASKS = {
  checkInTyped: "Check in somebody who is booked, by a name",
  checkInFromCard: "Check in somebody from their class on Today",
  checkInUnbooked: "Check in somebody who is not booked: booked and checked in",
  walkIn: "A walk-in whom nobody knows: added with a phone, sold a plan, booked, checked in",
  bookFromCard: "Book somebody from a class on Today",
  joinLine: "Put somebody on the waiting list of a full class",
  cancelBooking: "Cancel a booking",
  everybodyCame: "Say that everybody came",
  markRest: "Mark who did not come to a class of yesterday",
  cover: "Cover an uncovered booking",
  substitute: "Let another teacher stand in",
  moveSession: "Move a class to another hour",
  cancelSession: "Cancel a class with a reason",
  findByPhone: "Find somebody by some digits of a phone, from anywhere",
  correctPhone: "Correct a phone number",
  sellPaid: "Sell a plan that is paid at once",
  newClient: "Add a client, from another screen",
};

const OWNERS_TASKS = {
  pause: "Pause a contract for a week",
  recordPayment: "Record a payment of somebody who owes, from another screen",
  oneOff: "Add a session that takes place once, from another screen",
  weeklyClass: "Add a weekly class, from another screen",
  invite: "Invite a colleague, from another screen",
};

/** The rows of docs/console.md: what is done, what it took before, then the clicks and the words that it takes. */
const documented = new Map(
  [...readFileSync("docs/console.md", "utf8").matchAll(/^\| ([^|]+) \| [^|]+ \| (\d+) \| (\d+) \|$/gm)].map(
    ([, task = "", clicks, words]): [string, [clicks: number, words: number]] => [
      task,
      [Number(clicks), Number(words)],
    ],
  ),
);

/**
 * The clicks that each task takes, and the words that are typed. A key that chooses counts as a click, and so does a choice
 * from a list; what the browser shows by itself, and going from field to field, is none.
 */
const countsOf = (tasks: Record<string, string>) =>
  Object.fromEntries(Object.entries(tasks).map(([task, row]) => [task, documented.get(row)]));

/** Does what somebody does with pointer and keyboard, and counts it. */
class Hand {
  readonly taken: Record<string, [clicks: number, words: number]> = {};
  #counts: [clicks: number, words: number] = [0, 0];

  begin(task: string): void {
    this.#counts = [0, 0];
    this.taken[task] = this.#counts;
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.#counts[0]++;
  }

  async choose(target: Locator, label: string): Promise<void> {
    await target.selectOption({ label });
    this.#counts[0]++;
  }

  async press(page: Page, key: string): Promise<void> {
    await page.keyboard.press(key);
    this.#counts[0]++;
  }

  async type(target: Locator, text: string): Promise<void> {
    await target.fill(text);
    this.#counts[1] += text.split(" ").length;
  }
}

async function newStudio(opened: TestConsole, zone: string) {
  const studio = await newBookingStudio(opened.api, zone, zone);
  const staff = await opened.newStaff(studio.id);
  const write = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const plan = await write("addPlan", {
    name: "Ten visits",
    billingKind: "one_time",
    durationCount: 10,
    durationUnit: "day",
    priceCents: 12_000,
    entitlements: [{ type: "credits", creditQuantity: 10 }],
  });
  return { ...studio, write, planId: plan.id as string };
}

const toast = (page: Page, text: string | RegExp) => page.locator(".toast").filter({ hasText: text });
/** As a field of a date has it. */
const written = (date: string) => date.split("-").reverse().join("/");
const weekday = (date: string) =>
  new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(new Date(date));

test("the thirty tasks of docs/console.md are those that are done here", () => {
  const done = [DAYS_TASKS, DESK_TASKS, OWNERS_TASKS].flatMap((tasks) => Object.values(tasks));
  assert.equal(done.length, 30);
  assert.deepEqual(done.toSorted(), [...documented.keys()].toSorted());
});

for (const zone of ["Pacific/Auckland", "Asia/Kathmandu", "Pacific/Honolulu"])
  test(`what hangs on days takes no more clicks than it says, by the clocks of ${zone}`, async (t) => {
    if (!console) return t.skip("there is no Chromium on this machine");
    const today = dateIn(zone, Date.now());
    const inDays = (days: number) => daysAfter(today, days);
    const studio = await newStudio(console, zone);
    const ana = await studio.newClient("Ana Souza");
    const otto = await studio.newClient("Otto Braun");
    await studio.write("sellContract", { clientId: ana, planId: studio.planId });
    for (const [days, time] of [
      [1, "00:15"],
      [1, "18:00"],
      [3, "23:45"],
    ] as const)
      await studio.schedule({ start: `${inDays(days)}T${time}`, rrule: "FREQ=WEEKLY" });
    const off = await studio.session(`${inDays(2)}T12:00`);
    await studio.write("book", {
      clientId: otto,
      session: { sessionId: off },
      uncovered: { reason: "A guest" },
    });
    const guest = await studio.session(`${inDays(4)}T12:00`);
    await studio.write("book", {
      clientId: otto,
      session: { sessionId: guest },
      uncovered: { reason: "A guest" },
    });
    await studio.write("cancelSession", { session: { sessionId: off }, reason: "A holiday" });
    const { page, close } = await console.open(studio.id, `/console/clients/${ana}`, { role: "front_desk" });
    const hand = new Hand();
    const dialog = page.getByRole("dialog");

    hand.begin("bookKnown");
    await hand.click(page.getByRole("button", { name: "Book", exact: true }));
    assert.equal(await dialog.getByLabel("Day", { exact: true }).inputValue(), written(today));
    await hand.click(dialog.getByRole("button", { name: "The next day" }));
    // What begins a quarter of an hour after midnight is of that day, wherever UTC is.
    await dialog.getByRole("button", { name: /00:15/ }).waitFor();
    await hand.click(dialog.getByRole("button", { name: /18:00/ }));
    await hand.click(dialog.getByRole("button", { name: "Book", exact: true }));
    await toast(page, "Ana Souza is booked.").waitFor();
    const glance = page.getByRole("region", { name: "At a glance" });
    await glance.getByRole("button", { name: new RegExp(`${weekday(inDays(1))}.* 18:00`) }).waitFor();

    hand.begin("fixedPlace");
    await hand.click(page.getByRole("button", { name: "Book", exact: true }));
    await hand.click(dialog.getByRole("radio", { name: "Every week" }));
    for (const [days, time] of [
      [1, /00:15/],
      [3, /23:45/],
    ] as const) {
      const day = dialog.getByRole("group", { name: weekday(inDays(days)) });
      await hand.click(day.getByRole("checkbox", { name: time }));
    }
    await hand.click(dialog.getByRole("button", { name: /^Book [2-9] classes$/ }));
    await page
      .getByRole("region", { name: "Fixed places" })
      .getByText(/00:15 Pilates/)
      .waitFor();

    hand.begin("settleCredits");
    await hand.click(page.getByRole("button", { name: "Statement of credits" }));
    await dialog.getByRole("row", { name: /Granted with the sale.*\+10/ }).waitFor();
    await page.keyboard.press("Escape");

    await page.goto(`${console.origin}/console/`);
    const todo = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} \\d+$`) });
    hand.begin("tell");
    await hand.click(todo("To tell"));
    await dialog.getByText(new RegExp(`on ${weekday(inDays(2))} .* at 12:00 is cancelled`)).waitFor();
    await hand.click(dialog.getByRole("button", { name: "Told Otto Braun" }));
    await dialog.getByText("Done", { exact: true }).waitFor();
    await page.keyboard.press("Escape");

    hand.begin("courtesy");
    await hand.click(todo("Uncovered"));
    await hand.click(dialog.getByRole("button", { name: "Leave as courtesy Otto Braun" }));
    await dialog.getByText("Done", { exact: true }).waitFor();
    await page.keyboard.press("Escape");

    hand.begin("renew");
    await hand.click(todo("Contracts ending"));
    await hand.click(dialog.getByRole("link", { name: "Renew Ana Souza" }));
    assert.equal(await page.getByLabel("First day").inputValue(), written(inDays(10)));
    await hand.click(page.getByRole("button", { name: "Sell", exact: true }));
    const sold = toast(page, "“Ten visits” sold to Ana Souza.");
    await sold.waitFor();
    await page.getByText(/^Begins on /).waitFor();

    hand.begin("undoOwnSale");
    await hand.click(sold.getByRole("button", { name: "Undo" }));
    await page.getByText(/^Begins on /).waitFor({ state: "detached" });

    await page.goto(`${console.origin}/console/overview`);
    hand.begin("download");
    await hand.click(page.getByRole("button", { name: "Download…" }));
    assert.equal(await dialog.getByLabel("Until").inputValue(), written(today));
    const taking = page.waitForEvent("download");
    await hand.click(dialog.getByRole("button", { name: "Download" }));
    assert.match((await taking).suggestedFilename(), new RegExp(`^attendance-${today}`));

    assert.deepEqual(hand.taken, countsOf(DAYS_TASKS));
    await close();
  });

/** It is about noon there, so that whatever is hours away is still today. */
const NOON_OFFSET = 12 - new Date().getUTCHours();
const NOON_ZONE =
  NOON_OFFSET === 0 ? "Etc/GMT" : `Etc/GMT${NOON_OFFSET > 0 ? "-" : "+"}${Math.abs(NOON_OFFSET)}`;

/** A studio in the middle of its day, and who comes. */
async function newDay(opened: TestConsole) {
  const studio = await newStudio(opened, NOON_ZONE);
  const { write } = studio;
  const today = dateIn(NOON_ZONE, Date.now());
  await write("editSettings", { changes: { invoicesFrom: today } });
  const [carla] = [
    await write("addResource", { name: "Carla Dias", kind: "person" }),
    await write("addResource", { name: "Dora Egito", kind: "person" }),
  ];
  /** Opened by its time, as each begins at another. */
  const sessionIn = async (minutes: number, people: readonly string[] = [], more: object = {}) => {
    const start = formatWallClock(Date.now() + (NOON_OFFSET * 60 + minutes) * 60_000);
    const sessionId = await studio.session(start, more);
    for (const clientId of people) await write("book", { clientId, session: { sessionId } });
    return { sessionId, time: start.slice(11, 16) };
  };
  return { ...studio, carla, today, sessionIn };
}

test("what a front desk does from morning to evening takes no more clicks and words than it says", async (t) => {
  if (!console) return t.skip("there is no Chromium on this machine");
  const studio = await newDay(console);
  const { member, sessionIn, write } = studio;
  const [ana, bia, caio, duda] = [
    await member("Ana Lima"),
    await member("Bia Melo"),
    await member("Caio Reis"),
    await member("Duda Luz"),
  ];
  await member("Vera Nunes");
  const otto = await studio.newClient("Otto Braun");
  await write("editClient", { clientId: ana, changes: { contactPhone: "+55 11 98765-4321" } });
  await sessionIn(-1_440, [bia]);
  const over = await sessionIn(-120);
  await write("checkIn", {
    clientId: otto,
    session: { sessionId: over.sessionId },
    uncovered: { reason: "owed" },
  });
  await studio.newContract(otto, {}, { planName: "Monthly" });
  await sessionIn(10, [ana, bia]);
  const came = await sessionIn(-5, [caio, duda]);
  const roomy = await sessionIn(200);
  const full = await sessionIn(220, [caio], { capacity: 1 });
  const taught = await sessionIn(240, [ana], { resourceIds: [studio.carla.id] });
  const { page, close } = await console.open(studio.id, "/console/", { role: "front_desk" });
  const hand = new Hand();
  const dialog = page.getByRole("dialog");
  const checkIn = page.getByRole("combobox", { name: "Check somebody in" });
  const option = (name: string) => page.getByRole("option", { name: new RegExp(name) }).first();
  const head = ({ time }: { readonly time: string }) =>
    page.locator(".session-head").filter({ hasText: time });
  const openSession = (session: { readonly time: string }) =>
    hand.click(head(session).getByRole("button", { name: /^Pilates/ }));
  const change = async (action: string) => {
    await hand.click(dialog.getByRole("button", { name: "Change the session" }));
    await hand.click(page.getByRole("menuitem", { name: action }));
  };
  const leave = async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  };

  hand.begin("checkInTyped");
  await hand.type(checkIn, "ana");
  await option("Ana Lima").waitFor();
  await hand.press(page, "Enter");
  await toast(page, "Ana Lima is checked in").waitFor();

  hand.begin("checkInFromCard");
  await hand.click(page.getByRole("button", { name: "Check in Bia Melo" }));
  await toast(page, "Bia Melo is checked in").waitFor();

  hand.begin("checkInUnbooked");
  await hand.type(checkIn, "vera");
  await option("Vera Nunes").waitFor();
  await hand.press(page, "Enter");
  await dialog.getByRole("button", { name: "Book and check in" }).and(page.locator(":focus")).waitFor();
  await hand.press(page, "Enter");
  await toast(page, "Vera Nunes is checked in.").waitFor();

  hand.begin("walkIn");
  await hand.type(checkIn, "Nora Neu");
  await hand.click(option("New client “Nora Neu”"));
  await hand.type(dialog.getByLabel("Phone"), "+5511988887777");
  await hand.click(dialog.getByRole("button", { name: "Add and go on" }));
  await hand.click(dialog.getByRole("button", { name: "Sell a contract" }));
  await hand.choose(dialog.getByLabel("Plan", { exact: true }), "Ten visits · R$120.00");
  await hand.click(dialog.getByRole("button", { name: "Sell", exact: true }));
  await hand.click(dialog.getByRole("button", { name: "Book and check in" }));
  await toast(page, "Nora Neu is checked in.").waitFor();

  hand.begin("bookFromCard");
  await hand.click(head(roomy).getByRole("button", { name: /^Book/ }));
  await hand.type(dialog.getByRole("combobox"), "duda");
  await option("Duda Luz").waitFor();
  await hand.press(page, "Enter");
  await hand.click(dialog.getByRole("button", { name: "Book", exact: true }));
  await toast(page, "Duda Luz is booked.").waitFor();
  await leave();

  hand.begin("joinLine");
  await hand.click(head(full).getByRole("button", { name: /^Book/ }));
  await hand.type(dialog.getByRole("combobox"), "vera");
  await option("Vera Nunes").waitFor();
  await hand.press(page, "Enter");
  await hand.click(dialog.getByRole("button", { name: "Join the waiting list" }));
  await toast(page, "Vera Nunes is on the waiting list.").waitFor();
  await leave();

  hand.begin("cancelBooking");
  await openSession(roomy);
  await hand.click(dialog.getByRole("button", { name: "Actions for Duda Luz" }));
  await hand.click(page.getByRole("menuitem", { name: "Cancel the booking" }));
  await hand.click(dialog.last().getByRole("button", { name: "Cancel the booking" }));
  await toast(page, "The booking of Duda Luz is cancelled.").waitFor();
  await leave();

  hand.begin("everybodyCame");
  await openSession(came);
  await hand.click(dialog.getByRole("button", { name: /^All \d came$/ }));
  await toast(page, /people are checked in\./).waitFor();
  await leave();

  const todo = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} \\d+$`) });
  hand.begin("markRest");
  await hand.click(todo("Not marked"));
  await hand.click(dialog.getByRole("button", { name: "Mark the other 1 as no-show" }));
  await toast(page, "1 person is marked as no-show.").waitFor();
  await leave();

  hand.begin("cover");
  await hand.click(todo("Uncovered"));
  await hand.click(dialog.getByRole("button", { name: "Cover Otto Braun" }));
  await hand.click(dialog.last().getByRole("button", { name: "Cover it" }));
  await toast(page, "The booking of Otto Braun is covered.").waitFor();
  await leave();

  hand.begin("substitute");
  await openSession(taught);
  await change("Substitute");
  await hand.click(dialog.last().getByLabel("Dora Egito"));
  await hand.click(dialog.last().getByRole("button", { name: "Save" }));
  await toast(page, "The session has a substitute.").waitFor();
  await leave();

  hand.begin("moveSession");
  await openSession(taught);
  await change("Move");
  await hand.type(dialog.last().getByLabel("Time"), "23:00");
  await hand.click(dialog.last().getByRole("button", { name: "Move", exact: true }));
  await toast(page, "The session is moved.").waitFor();
  await leave();

  hand.begin("cancelSession");
  await openSession({ time: "23:00" });
  await change("Cancel the session");
  await hand.type(dialog.last().getByLabel("Why is it cancelled?"), "Power cut");
  await hand.click(dialog.last().getByRole("button", { name: "Cancel the session" }));
  await dialog.getByText("This session is cancelled.").waitFor();
  await leave();

  hand.begin("findByPhone");
  await hand.press(page, "Control+k");
  await hand.type(dialog.getByRole("combobox"), "98765");
  await option("Ana Lima").waitFor();
  await hand.press(page, "Enter");
  await page.getByRole("heading", { level: 1, name: "Ana Lima" }).waitFor();

  hand.begin("correctPhone");
  await hand.click(page.getByRole("link", { name: "Edit" }));
  await hand.type(page.getByLabel("Phone"), "+5511900001234");
  await hand.click(page.getByRole("button", { name: "Save" }));
  await page.getByRole("link", { name: /90000-?1234/ }).waitFor();

  hand.begin("sellPaid");
  await hand.click(page.getByRole("link", { name: "Sell" }));
  await hand.click(page.getByRole("radio", { name: /Ten visits/ }));
  await hand.click(page.getByLabel("Paid now"));
  await hand.click(page.getByRole("radio", { name: "Pix" }));
  await hand.click(page.getByRole("button", { name: "Sell", exact: true }));
  await toast(page, "“Ten visits” sold to Ana Lima.").waitFor();

  const menu = page.getByRole("navigation").first();
  hand.begin("newClient");
  await hand.click(menu.getByRole("link", { name: "Clients" }));
  await hand.click(page.getByRole("link", { name: "New client" }).first());
  await hand.type(page.getByLabel("Name"), "Rui Prado");
  await hand.click(page.getByRole("button", { name: "Save" }));
  await page.getByRole("heading", { level: 1, name: "Rui Prado" }).waitFor();

  assert.deepEqual(hand.taken, countsOf(DESK_TASKS));
  await close();
});

test("what an owner does beside it takes no more clicks and words than it says", async (t) => {
  if (!console) return t.skip("there is no Chromium on this machine");
  const studio = await newDay(console);
  const ana = await studio.newClient("Ana Lima");
  await studio.write("sellContract", { clientId: ana, planId: studio.planId });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana}`);
  const hand = new Hand();
  const dialog = page.getByRole("dialog");
  const menu = page.getByRole("navigation").first();
  const go = (screen: string) => hand.click(menu.getByRole("link", { name: screen }));

  hand.begin("pause");
  await hand.click(page.getByRole("button", { name: "What can be done" }));
  await hand.click(page.getByRole("menuitem", { name: "Pause" }));
  await hand.type(dialog.getByLabel("Last day", { exact: true }), written(daysAfter(studio.today, 6)));
  await hand.click(dialog.getByRole("button", { name: "Pause" }));
  await toast(page, "“Ten visits” is paused.").waitFor();

  hand.begin("recordPayment");
  await go("Money");
  await hand.click(page.getByRole("button", { name: "Record a payment of Ana Lima" }));
  await hand.click(dialog.getByRole("radio", { name: "Pix" }));
  await hand.click(dialog.getByRole("button", { name: "Record", exact: true }));
  await toast(page, /of Ana Lima recorded\./).waitFor();

  hand.begin("oneOff");
  await go("Calendar");
  await hand.click(page.getByRole("button", { name: "Add a session" }));
  await hand.choose(dialog.getByLabel("Service"), "Pilates");
  await hand.type(dialog.getByLabel("Starts at"), "9h30");
  await hand.click(dialog.getByRole("button", { name: "Add session" }));
  await toast(page, /Pilates/).waitFor();

  hand.begin("weeklyClass");
  await go("Timetable");
  await hand.click(page.getByRole("link", { name: "Add a class" }).first());
  await hand.choose(page.getByLabel("Service"), "Pilates");
  await hand.type(page.getByLabel("Starts at").first(), "7h30");
  await hand.click(page.getByRole("button", { name: "Save" }));
  await toast(page, "Pilates is on the timetable").waitFor();

  hand.begin("invite");
  await go("Staff and settings");
  await hand.click(page.getByRole("button", { name: "Invite somebody" }));
  await hand.type(dialog.getByLabel("Name"), "Bruno Lima");
  await hand.type(dialog.getByLabel("E-mail"), "bruno@example.com");
  assert.ok(await dialog.getByLabel("Front desk").isChecked());
  await hand.click(dialog.getByRole("button", { name: "Make the link" }));
  await hand.click(
    page.getByRole("dialog", { name: "The link for Bruno Lima" }).getByRole("button", { name: "Done" }),
  );
  await page.getByRole("row", { name: /Bruno Lima Invited/ }).waitFor();

  assert.deepEqual(hand.taken, countsOf(OWNERS_TASKS));
  await close();
});
