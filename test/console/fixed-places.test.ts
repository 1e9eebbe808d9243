import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import {
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";

const console = await startConsole();
const skipped = "there is no Chromium on this machine";
const today = dateIn(ZONE, Date.now());
/** A day of the next week: what is booked from today on has then not begun, whatever the hour. */
const inDays = (days: number) => daysAfter(today, days);
const weekday = (date: string) =>
  new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(new Date(date));

async function newStudio() {
  assert.ok(console);
  const studio = await newBookingStudio(console.api);
  const staff = await console.newStaff(studio.id);
  const write = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const booked = async (clientId: string): Promise<string[]> =>
    (await staff.read(`clients/${clientId}/visits?limit=200`)).body.data
      .filter(({ state }: { state: string }) => state === "booked")
      .map(({ localStart }: { localStart: string }) => localStart.slice(0, 16).replace(" ", "T"))
      .sort();
  // From tomorrow on, so that nothing of today can have begun.
  const schedule = (days: number, time: string) =>
    studio.schedule({ start: `${inDays(days)}T${time}`, rrule: "FREQ=WEEKLY" });
  return { ...studio, write, booked, weekly: schedule };
}

test("a fixed place is booked from the client's page by two ticks, said before, and moved and ended as one", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const [one, other] = [await studio.weekly(1, "18:00"), await studio.weekly(3, "18:00")];
  await studio.weekly(2, "07:00");
  const clientId = await studio.newClient("Ana Souza");
  await studio.newContract(clientId, { type: "credits", remainingCredits: 5 }, { planName: "Five" });
  await studio.write("cancelSession", {
    session: { scheduleId: other, originalStart: `${inDays(10)}T18:00` },
    reason: "A holiday",
  });
  assert.ok(one);
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`, {
    role: "front_desk",
  });
  await page.getByRole("button", { name: "Book", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Book Ana Souza" });
  await dialog.getByRole("radio", { name: "Every week" }).check();
  await dialog
    .getByRole("group", { name: weekday(inDays(1)) })
    .getByRole("checkbox", { name: /18:00/ })
    .check();
  await dialog
    .getByRole("group", { name: weekday(inDays(3)) })
    .getByRole("checkbox", { name: /18:00/ })
    .check();
  await dialog.getByLabel("Until").fill(inDays(22));
  await dialog.getByText("5 of 7 classes can be booked.").waitFor();
  await dialog.getByRole("listitem").filter({ hasText: "does not take place" }).waitFor();
  await dialog.getByRole("listitem").filter({ hasText: "not covered, no credits left" }).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "fixed-place");
  await dialog.getByRole("button", { name: "Book 5 classes" }).click();
  await page.getByText("Ana Souza is booked into 5 classes.").waitFor();
  assert.equal((await studio.booked(clientId)).length, 5);

  const places = page.getByRole("region", { name: "Fixed places" });
  await places.getByText(/18:00 Pilates/).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "fixed-place-client");
  await places.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Move…" }).click();
  const move = page.getByRole("dialog", { name: "Move the fixed place of Ana Souza" });
  // It begins with what it is.
  const [first, second] = [1, 3].map((days) =>
    move.getByRole("group", { name: weekday(inDays(days)) }).getByRole("checkbox", { name: /18:00/ }),
  );
  await move.getByText("5 of them were booked before.").waitFor();
  await first?.uncheck();
  await second?.uncheck();
  await move.getByRole("checkbox", { name: /07:00/ }).check();
  await move.getByText(/bookings are given up without loss\./).waitFor();
  await keepPicture(page, "fixed-place-move");
  await move.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByText("The fixed place of Ana Souza is moved.").waitFor();
  await places.getByText(/07:00 Pilates/).waitFor();
  assert.ok((await studio.booked(clientId)).every((start) => start.endsWith("07:00")));

  await places.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "End…" }).click();
  const end = page.getByRole("dialog", { name: /^End “/ });
  await end.getByText(/bookings are cancelled\./).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "fixed-place-end");
  await end.getByRole("button", { name: "End the fixed place" }).click();
  await page.getByText("The fixed place is ended.").waitFor();
  await places.waitFor({ state: "detached" });
  assert.deepEqual(await studio.booked(clientId), []);
  await close();
});

test("whoever books somebody into a class makes it their fixed place from there, and undoes it", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const scheduleId = await studio.weekly(1, "18:00");
  const clientId = await studio.member("Ana Souza");
  const session = `${scheduleId}@${inDays(1)}T18:00`;
  const address = `/console/calendar?date=${inDays(1)}&session=${encodeURIComponent(session)}`;
  const { page, close } = await console.open(studio.id, address, { role: "front_desk" });
  await page.getByRole("button", { name: "Book somebody" }).click();
  await page.getByRole("combobox", { name: "Who's coming?" }).fill("ana");
  await page.getByRole("option", { name: /Ana Souza/ }).click();
  await page.getByRole("button", { name: "Every week…" }).click();
  const dialog = page.getByRole("dialog", { name: "A fixed place for Ana Souza" });
  await dialog.getByRole("button", { name: "Book 12 classes" }).click();
  const toast = page.locator(".toast").filter({ hasText: "Ana Souza is booked into 12 classes." });
  await toast.waitFor();
  assert.equal((await studio.booked(clientId)).length, 12);
  await toast.getByRole("button", { name: "Undo" }).click();
  await toast.waitFor({ state: "detached" });
  await page.getByText("Nobody is booked yet.").waitFor();
  assert.deepEqual(await studio.booked(clientId), []);
  await close();
});

test("the fixed place fits a phone, in the dark and in the other languages", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  for (const [days, time] of [
    [1, "07:00"],
    [1, "18:00"],
    [2, "12:30"],
    [4, "19:15"],
  ] as const)
    await studio.weekly(days, time);
  const clientId = await studio.newClient("Maria Aparecida de Albuquerque Montenegro");
  await studio.newContract(clientId, { type: "credits", remainingCredits: 2 }, { planName: "Pacote" });
  for (const [language, book, weekly, theme] of [
    ["pt-BR", "Agendar", "Toda semana", "dark"],
    ["es", "Reservar", "Cada semana", "light"],
  ] as const) {
    const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`, {
      ...PHONE,
      language,
      theme,
    });
    await page.getByRole("button", { name: book, exact: true }).click();
    await page.getByRole("radio", { name: weekly }).check();
    await page.getByRole("checkbox", { name: /18:00/ }).check();
    await page.getByRole("dialog").getByRole("listitem").first().waitFor();
    assert.ok(await fitsItsWidth(page));
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    assert.deepEqual(await findSmallTargets(page), []);
    await keepPicture(page, `fixed-place-${language}`);
    await close();
  }
});
