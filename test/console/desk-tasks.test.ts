import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import { startConsole, type TestConsole } from "../support/console.ts";

/**
 * What a front desk does daily, click by click, where the day begins long before or after that of UTC, and where it is three
 * quarters of an hour from it. The browser itself is in Tokyo. docs/console.md has the table of the clicks.
 */

const console = await startConsole();

/** The clicks that a task takes: what is typed, and what the browser shows by itself, is none. */
const CLICKS = {
  bookKnown: 4,
  fixedPlace: 5,
  settleCredits: 1,
  tell: 2,
  courtesy: 2,
  renew: 3,
  undoOwnSale: 1,
  download: 2,
};
type Task = keyof typeof CLICKS;

/** Does what somebody does with the pointer, and counts it. */
class Hand {
  readonly taken = new Map<Task, number>();
  #task: Task = "bookKnown";

  begin(task: Task): void {
    this.#task = task;
    this.taken.set(task, 0);
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.taken.set(this.#task, (this.taken.get(this.#task) ?? 0) + 1);
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

const toast = (page: Page, text: string) => page.locator(".toast").filter({ hasText: text });
/** As a field of a date has it. */
const written = (date: string) => date.split("-").reverse().join("/");
const weekday = (date: string) =>
  new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(new Date(date));

for (const zone of ["Pacific/Auckland", "Asia/Kathmandu", "Pacific/Honolulu"])
  test(`a day at the front desk takes no more clicks than it says, by the clocks of ${zone}`, async (t) => {
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

    assert.deepEqual(Object.fromEntries(hand.taken), CLICKS);
    await close();
  });
