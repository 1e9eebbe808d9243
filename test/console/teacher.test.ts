import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatWallClock } from "../../src/core/dates.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import {
  DESK,
  findAxeFaults,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
  type TestConsole,
} from "../support/console.ts";
import { newId } from "../support/ids.ts";

const opened = await startConsole();

function withConsole(name: string, run: (console: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

/** It is about noon there, so that whatever is hours away is still today. */
const NOON_OFFSET = 12 - new Date().getUTCHours();
const NOON_ZONE =
  NOON_OFFSET === 0 ? "Etc/GMT" : `Etc/GMT${NOON_OFFSET > 0 ? "-" : "+"}${Math.abs(NOON_OFFSET)}`;

/** A teacher's class in some minutes with somebody in it, and a colleague's. */
async function newTeaching(console: TestConsole) {
  const studio = await newBookingStudio(console.api, NOON_ZONE, NOON_ZONE);
  const owner = await console.newStaff(studio.id);
  const made = async (operation: string, input: object) => {
    const { status, body } = await owner.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const start = formatWallClock(Date.now() + (NOON_OFFSET * 60 + 20) * 60_000);
  const { id: resourceId } = await made("addResource", { name: "Carla Dias", kind: "person" });
  const own = await studio.session(start, { resourceIds: [resourceId] });
  await studio.session(start, { resourceIds: [newId()] });
  const { id: clientId } = await made("addClient", {
    contactName: "Ana Souza",
    contactPhone: "+55 11 91234-5678",
    notes: "Left knee: no jumps",
    locationIds: [studio.place.locationId],
  });
  const session = { sessionId: own };
  await made("book", { clientId, session, uncovered: { reason: "A guest" } });
  return { studio, owner, resourceId, own };
}

for (const [language, theme, size, words] of [
  ["en", "light", PHONE, { checkIn: /^Check in/, here: /^Here since/ }],
  ["pt-BR", "dark", DESK, { checkIn: /^Check-in|^Registrar/, here: /^Chegou às/ }],
] as const)
  withConsole(
    `a teacher has a day of their own: ${language}, ${theme}, ${size.width} px`,
    async (console) => {
      const { studio, owner, resourceId, own } = await newTeaching(console);
      const open = await console.open(studio.id, "/console/", {
        role: "teacher",
        resourceId,
        language,
        theme,
        ...size,
      });
      const { page } = open;
      const classes = page.locator("button.session-link");
      await classes.first().waitFor();
      assert.equal(await classes.count(), 1);
      await page.locator(".card-name").getByText("Ana Souza").waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      assert.ok(await fitsItsWidth(page));
      await keepPicture(page, `teacher-today-${language}`);
      await classes.click();
      const panel = page.getByRole("dialog");
      await panel.getByText("Left knee: no jumps").waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, `teacher-roster-${language}`);
      await panel.getByRole("button", { name: words.checkIn }).first().click();
      await panel.getByText(words.here).waitFor();
      const { body } = await owner.read(`roster?sessionId=${own}`);
      assert.equal(body.bookings[0].state, "attended");
      await page.keyboard.press("Escape");
      // Nothing leads to what is not theirs.
      assert.equal(
        await page.locator('a[href*="/clients"], a[href*="/timetable"], .search-button').count(),
        0,
      );
      await page.goto(`${console.origin}/console/clients`);
      await page.locator("main a[href='/console/']").waitFor();
      await page.goto(`${console.origin}/console/calendar`);
      await page.locator("main [data-key]").first().waitFor();
      assert.equal(await page.locator("main [data-key]").count(), 1);
      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, `teacher-calendar-${language}`);
      await open.close();
    },
  );

withConsole("an owner invites a teacher, who is one of the people of the timetable", async (console) => {
  const { studio, owner, resourceId } = await newTeaching(console);
  const open = await console.open(studio.id, "/console/settings/staff", { expected: [422] });
  const { page } = open;
  await page.getByRole("button", { name: "Invite somebody" }).click();
  const dialog = page.getByRole("dialog").first();
  await dialog.getByLabel("Name").fill("Carla Dias");
  await dialog.getByLabel("E-mail").fill("carla@example.com");
  await dialog.getByLabel("Teacher").check();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await dialog.locator(".field-fault").waitFor();
  await dialog.getByLabel("In the timetable").selectOption({ label: "Carla Dias" });
  await keepPicture(page, "staff-teacher");
  assert.deepEqual(await findAxeFaults(page), []);
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await page.getByText("The link for Carla Dias").first().waitFor();
  const { body } = await owner.read("staff");
  const teacher = body.data.find(({ role }: { role: string }) => role === "teacher");
  assert.equal(teacher.resourceId, resourceId);
  await open.close();
});
