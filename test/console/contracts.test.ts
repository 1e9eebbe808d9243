import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const console = await startConsole();
const skipped = "there is no Chromium on this machine";
const today = dateIn(ZONE, Date.now());
/** As the console writes a date in English. */
const shown = (date: string) =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  }).format(new Date(date));

/** As a field of a date has it. */
const written = (date: string) => date.split("-").reverse().join("/");

async function newStudio() {
  assert.ok(console);
  const studio = await newBookingStudio(console.api);
  const staff = await console.newStaff(studio.id);
  const write = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const contractsOf = async (clientId: string) =>
    (await staff.read(`clients/${clientId}/contracts`)).body.data;
  const newPlan = (name: string, plan: object = {}) =>
    write("addPlan", {
      name,
      billingKind: "one_time",
      durationCount: 30,
      durationUnit: "day",
      priceCents: 12_000,
      entitlements: [{ type: "credits", creditQuantity: 10 }],
      ...plan,
    });
  return { ...studio, write, contractsOf, newPlan };
}

test("a plan is sold at another price, with its last day and what it covers shown before, and the sale is undone", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  await studio.newPlan("Ten visits", { terms: "Valid for thirty days." });
  await studio.newPlan("First time", { isTrial: true });
  const old = await studio.newPlan("Of last year");
  await studio.write("archivePlan", { planId: old.id });
  const clientId = await studio.newClient("Ana Souza");
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}/sell`);
  await page.getByRole("radio", { name: /First time.*Only for new clients/ }).waitFor();
  assert.equal(await page.getByRole("radio", { name: /Of last year/ }).count(), 0);
  await page.getByRole("radio", { name: /Ten visits/ }).check();
  const summary = page.getByRole("complementary", { name: "What is sold" });
  await summary.getByText(`Last day ${shown(daysAfter(today, 29))} (30 days)`).waitFor();
  await summary.getByText("10 credits · All services").waitFor();
  await page.getByLabel("First day").fill(daysAfter(today, 1));
  await page.getByLabel("Price (BRL)").fill("99,50");
  await summary.getByText(`Last day ${shown(daysAfter(today, 30))} (30 days)`).waitFor();
  await summary.getByText("R$99.50 once").waitFor();
  assert.equal(await page.getByLabel("Terms of this plan").inputValue(), "Valid for thirty days.");
  await page.getByRole("radio", { name: "Accepted", exact: true }).check();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "sell");
  await summary.getByRole("button", { name: "Sell" }).click();
  await page.getByText("“Ten visits” sold to Ana Souza.").waitFor();
  await page.getByText(`Begins on ${shown(daysAfter(today, 1))}`).waitFor();
  const [contract] = await studio.contractsOf(clientId);
  assert.deepEqual(
    [contract.priceCents, contract.startDate, contract.termsResponse],
    [9_950, daysAfter(today, 1), "accepted"],
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("No contracts yet").waitFor();
  assert.deepEqual(await studio.contractsOf(clientId), []);
  await close();
});

test("a trial is not offered to whoever had a contract, nor another price to the front desk", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  await studio.newPlan("First time", { isTrial: true });
  await studio.newPlan("Ten visits");
  const clientId = await studio.member("Ana Souza");
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}/sell`, {
    role: "front_desk",
    ...PHONE,
  });
  const trial = page.getByRole("radio", {
    name: /First time.*Only for somebody who has never had a contract/,
  });
  await trial.waitFor();
  assert.ok(await trial.isDisabled());
  await page.getByRole("radio", { name: /Ten visits/ }).check();
  assert.ok(await page.getByLabel("Price (BRL)").isDisabled());
  await page.getByText(`Last day ${shown(daysAfter(today, 29))}`).waitFor();
  assert.ok(await fitsItsWidth(page));
  assert.deepEqual(await findAxeFaults(page), []);
  await page.getByRole("button", { name: "Sell" }).click();
  await page.getByText("“Ten visits” sold to Ana Souza.").waitFor();
  // The front desk blocks and takes back what it has just sold, and neither pauses nor cancels.
  await page
    .getByRole("article")
    .filter({ hasText: "10 credits left" })
    .getByRole("button", { name: "What can be done" })
    .click();
  await page.getByRole("menuitem", { name: "Block access" }).waitFor();
  assert.deepEqual(await page.getByRole("menuitem").filter({ visible: true }).allTextContents(), [
    "Block access",
    "Undo the sale",
  ]);
  await close();
});

test("a pause says the new last day and what it releases before it is made, and ending it too", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const clientId = await studio.newClient("Ana Souza");
  const plan = await studio.newPlan("Ten visits");
  const contract = await studio.write("sellContract", { clientId, planId: plan.id });
  const sessionId = await studio.session(`${daysAfter(today, 3)}T07:00`);
  await studio.write("book", { clientId, session: { sessionId } });
  const { page, close } = await console.open(
    studio.id,
    `/console/clients/${clientId}/contracts/${contract.id}`,
    { theme: "dark", expected: [422] },
  );
  await page.getByText("9 credits left").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First day").fill(daysAfter(today, 2));
  await dialog.getByLabel("Last day", { exact: true }).fill(daysAfter(today, 1));
  await dialog.getByText("must not be before “First day”").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Pause" }).isDisabled());
  await dialog.getByLabel("Last day", { exact: true }).fill(daysAfter(today, 8));
  await dialog
    .getByText(
      `The last day becomes ${shown(daysAfter(today, 36))} instead of ${shown(daysAfter(today, 29))}.`,
    )
    .waitFor();
  await dialog.getByText("1 booking is cancelled.").waitFor();
  await dialog.getByText("1 credit goes back.").waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  assert.equal((await studio.contractsOf(clientId))[0].pauses.length, 0);
  await dialog.getByRole("button", { name: "Pause" }).click();
  await page.getByText("“Ten visits” is paused.").waitFor();
  await page.getByText("10 credits left").waitFor();
  const [paused] = await studio.contractsOf(clientId);
  assert.deepEqual([paused.endDate, paused.pauses.length], [daysAfter(today, 36), 1]);
  await page.getByRole("button", { name: "End pause" }).click();
  await dialog.getByLabel("First day back").fill(daysAfter(today, 4));
  await dialog.getByText(`The last day becomes ${shown(daysAfter(today, 31))}`).waitFor();
  await dialog.getByRole("button", { name: "End pause" }).click();
  await page.getByText("The pause is ended.").waitFor();
  assert.equal((await studio.contractsOf(clientId))[0].endDate, daysAfter(today, 31));
  await close();
});

test("a cancellation says how many bookings go and credits come back, and is undone", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const clientId = await studio.newClient("Ana Souza");
  const plan = await studio.newPlan("Ten visits");
  const contract = await studio.write("sellContract", { clientId, planId: plan.id });
  for (const days of [2, 4, 6]) {
    const sessionId = await studio.session(`${daysAfter(today, days)}T07:00`);
    await studio.write("book", { clientId, session: { sessionId } });
  }
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`, {
    language: "en",
    expected: [422],
  });
  await page.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Cancel contract" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("No booking is cancelled.").waitFor();
  await dialog.getByLabel("Last day", { exact: true }).fill(daysAfter(today, 4));
  await dialog.getByText("1 booking is cancelled.").waitFor();
  await dialog.getByText(`The contract runs until ${shown(daysAfter(today, 4))}`).waitFor();
  await dialog.getByRole("radio", { name: "Now" }).check();
  await dialog.getByText("3 bookings are cancelled.").waitFor();
  await dialog.getByText("3 credits go back.").waitFor();
  // It needs a reason, and says so at its field.
  await dialog.getByRole("button", { name: "Cancel contract" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await dialog.getByLabel("Reason").fill("Moves to another city");
  await dialog.getByRole("button", { name: "Cancel contract" }).click();
  await page.getByText("“Ten visits” is cancelled.").waitFor();
  assert.equal((await studio.contractsOf(clientId))[0].status, "cancelled");
  assert.equal(await studio.count("bookings where state = 'cancelled'"), 3);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("10 credits left").waitFor();
  await page.getByText("Active", { exact: true }).waitFor();
  const [running] = await studio.contractsOf(clientId);
  assert.deepEqual([running.id, running.status, running.endDate], [contract.id, "active", contract.endDate]);
  await close();
});

test("from the list to a sale, a credit and a block by keyboard alone", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  await studio.newPlan("Ten visits");
  const clientId = await studio.newClient("Ana Souza");
  await studio.newClient("Bia Reis");
  const { page, close } = await console.open(studio.id, "/console/clients");
  await page.getByRole("link", { name: "Ana Souza" }).waitFor();
  const focused = () =>
    page.evaluate<string>(`(({ activeElement: it }) =>
      (it.getAttribute("aria-label") ?? it.closest("label")?.textContent ?? it.textContent).trim())(document)`);
  /** Presses a key until the focus is on what has this name. */
  const focusOn = async (name: string, key = "Tab") => {
    for (let steps = 0; steps < 40; steps += 1) {
      if ((await focused()).startsWith(name)) return;
      await page.keyboard.press(key);
    }
    assert.fail(`the focus never came to “${name}”`);
  };
  await page.keyboard.type("ana so");
  await page.getByRole("link", { name: "Bia Reis" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Ana Souza" }).waitFor();
  await focusOn("Sell");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Sell to Ana Souza" }).waitFor();
  await page.getByRole("radio", { name: /Ten visits/ }).waitFor();
  await focusOn("Ten visits");
  await page.keyboard.press("Space");
  await page.getByText("Last day").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("“Ten visits” sold to Ana Souza.").waitFor();
  await focusOn("What can be done");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Adjust credits" }).waitFor();
  await focusOn("Adjust credits", "ArrowDown");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("10 → 11 credits.").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.type("A present");
  await page.keyboard.press("Enter");
  await page.getByText("The credits are adjusted.").waitFor();
  await dialog.waitFor({ state: "detached" });
  await focusOn("What can be done");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Block access" }).waitFor();
  await focusOn("Block access", "ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.getByText("No new booking and no check-in").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const [contract] = await studio.contractsOf(clientId);
  assert.deepEqual([contract.entitlements[0].remainingCredits, contract.accessBlocked], [11, false]);
  await close();
});

test("once a plan is chosen the others fold; over a running contract the day after its end is proposed and said", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const monthly = await studio.newPlan("Monthly");
  await studio.newPlan("Of ten", { entitlements: [{ type: "credits", creditQuantity: 10 }] });
  await studio.newPlan("For always", { durationCount: undefined, durationUnit: undefined });
  const clientId = await studio.newClient("Ana Souza");
  await studio.write("sellContract", { clientId, planId: monthly.id });
  const [last, next] = [shown(daysAfter(today, 29)), shown(daysAfter(today, 30))];
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}/sell`);
  const plans = page.getByRole("group", { name: "Plan" });
  // By the keyboard one goes through them; the list folds when it is left.
  await plans.getByRole("radio", { name: /Of ten/ }).focus();
  await page.keyboard.press("Space");
  await page.getByText(`“Monthly” runs until ${last}. This one begins the day after.`).waitFor();
  assert.equal(await plans.getByRole("radio").count(), 3);
  await page.getByLabel("Price (BRL)").focus();
  await plans.getByRole("button", { name: "Another plan" }).waitFor();
  assert.equal(await plans.getByRole("radio").count(), 1);
  assert.equal(await page.getByLabel("First day").inputValue(), written(daysAfter(today, 30)));
  await page.getByRole("complementary").getByText(`First day: ${next}`).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "sell-over-running");
  await page.getByRole("button", { name: "Begin today instead" }).click();
  await page.getByText("Both run at the same time until then.").waitFor();
  assert.equal(await page.getByLabel("First day").inputValue(), written(today));
  await page.getByRole("button", { name: `Begin on ${next} instead` }).click();
  // A click folds at once.
  await plans.getByRole("button", { name: "Another plan" }).click();
  await plans.getByRole("radio", { name: /Monthly/ }).check();
  assert.equal(await plans.getByRole("radio").count(), 1);
  await page.getByRole("button", { name: "Sell", exact: true }).click();
  await page.getByText(`Begins on ${next}`).waitFor();
  assert.deepEqual(
    (await studio.contractsOf(clientId)).map(({ startDate }: { startDate: string }) => startDate),
    [daysAfter(today, 30), today],
  );
  await close();
});

test("the front desk undoes its own sale on the client's page, and nobody else's", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const plan = await studio.newPlan("Monthly");
  const clientId = await studio.newClient("Ana Souza");
  await studio.write("sellContract", { clientId, planId: plan.id });
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}/sell?renew=nothing`, {
    role: "front_desk",
  });
  await page.getByRole("radio", { name: /Monthly/ }).check();
  await page.getByRole("button", { name: "Sell", exact: true }).click();
  const cards = page.getByRole("article");
  await cards.nth(1).waitFor();
  const [own, others] = [cards.filter({ hasText: "Begins on" }), cards.filter({ hasNotText: "Begins on" })];
  await others.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Block access" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Undo the sale" }).count(), 0);
  await page.keyboard.press("Escape");
  await own.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Undo the sale" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo the sale" }).click();
  await page.getByText("The sale is undone.").waitFor();
  await own.waitFor({ state: "detached" });
  assert.equal((await studio.contractsOf(clientId)).length, 1);
  await close();
});

test("what ends is sold again from there: the plan is chosen, and begins the day after", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const plan = await studio.newPlan("Two weeks", { durationCount: 10 });
  const clientId = await studio.newClient("Ana Souza");
  const contract = await studio.write("sellContract", { clientId, planId: plan.id });
  const address = `/console/clients/${clientId}/sell?renew=${contract.id}`;
  const { page, close } = await console.open(studio.id, address);
  await page.getByRole("radio", { name: /Two weeks/ }).waitFor();
  assert.ok(await page.getByRole("radio", { name: /Two weeks/ }).isChecked());
  assert.equal(await page.getByLabel("First day").inputValue(), written(daysAfter(today, 10)));
  await studio.write("archivePlan", { planId: plan.id });
  await page.goto(`${console.origin}${address}&again`);
  await page.getByText(/No plans yet|is not sold any more/).waitFor();
  await close();
});
