import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import {
  DESK,
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";
import { newId } from "../support/ids.ts";

const opened = await startConsole();
/** Nobody sends here, so nobody calls it. */
const ADDRESS = "https://8.8.8.8/hooks/rollbook";

const failStatement = pooled(
  "test_fail_webhook",
  `update webhook_endpoints set tries = 9, failing_since = now() - interval '5 hours', pending_to = position + 1,
     next_attempt_at = now() + interval '3 hours' where organization_id = $1 and id = $2`,
);
const attemptStatement = pooled(
  "test_insert_webhook_attempt",
  `insert into webhook_attempts (organization_id, webhook_id, id, at, event, sequence, try, status, failure, milliseconds, excerpt)
   values ($1, $2, $3, now() - $4::interval, $5, $6, $7, $8, $9, $10, $11)`,
);

test("an owner adds a webhook and sees its secret once; what fails is on the to-do list, with its attempts, and is passed over", async (t: TestContext) => {
  if (!opened) return t.skip("no Chromium on this machine");
  const { api } = opened;
  const { id } = await api.newOrganization({ name: "Studio of hooks" });
  const owner = await opened.newStaff(id, { name: "Olga Owner" });
  const place = await owner.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  const open = await opened.open(id, "/console/settings/webhooks", { ...DESK, expected: [409] });
  const { page } = open;
  await page.getByText("No webhook yet").waitFor();
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Address").fill("https://10.0.0.1/hooks");
  await page.getByLabel("What it is for").fill("Newsletter");
  await page.getByLabel("Clients").check();
  await page.keyboard.press("Enter");
  await page
    .getByText("This address leads to a network that is not public, and may not be called.")
    .waitFor();
  await page.getByLabel("Address").fill(ADDRESS);
  await keepPicture(page, "webhook-form");
  assert.deepEqual(await findAxeFaults(page), []);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "The secret" });
  assert.match(await dialog.getByLabel("Secret").inputValue(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  await keepPicture(page, "webhook-secret");
  assert.deepEqual(await findAxeFaults(page), []);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /Newsletter Working/ }).waitFor();

  const { body } = await owner.read("webhooks");
  const [webhook] = body.data;
  assert.deepEqual(webhook.events, ["client.*"]);
  const locationIds = [place.body.result.id];
  await owner.write("addClient", { contactName: "Ana Prado", locationIds });
  await api.db.query(failStatement, [id, webhook.id]);
  for (const [number, ago, result] of [
    [1, "5 hours", { status: 200, failure: null, excerpt: null }],
    [2, "4 hours", { status: null, failure: "timeout", excerpt: null }],
    [3, "1 minute", { status: 503, failure: null, excerpt: "<h1>We will be back soon</h1>" }],
  ] as const)
    await api.db.query(attemptStatement, [
      ...[id, webhook.id, newId(), ago, "client.updated", 41 + Math.min(number, 2), Math.max(number - 1, 1)],
      ...[result.status, result.failure, 412, result.excerpt],
    ]);
  // Without a name it is called by its address.
  const long = `${ADDRESS}/${"a-long-name-without-a-space".repeat(4)}`;
  assert.equal((await owner.write("addWebhook", { url: long })).status, 200);
  await open.close();

  for (const [view, theme] of [
    [DESK, "light"],
    [{ width: 1280, height: 900 }, "dark"],
    [PHONE, "dark"],
    [PHONE, "light"],
  ] as const) {
    const shown = await opened.open(id, "/console/settings/webhooks", { ...view, theme });
    await shown.page.getByRole("row", { name: /Newsletter Failing/ }).waitFor();
    await keepPicture(shown.page, `webhooks-${view.width}-${theme}`);
    assert.deepEqual(await findAxeFaults(shown.page, { hasContrast: true }), []);
    assert.deepEqual(await findSmallTargets(shown.page), []);
    assert.ok(await fitsItsWidth(shown.page));
    await shown.page.getByRole("button", { name: "Actions for Newsletter" }).click();
    await keepPicture(shown.page, `webhooks-menu-${view.width}-${theme}`);
    await shown.page.getByRole("menuitem", { name: "Last attempts" }).click();
    const panel = shown.page.getByRole("dialog", { name: "Attempts: Newsletter" });
    await panel.getByText("No answer in time").waitFor();
    await keepPicture(shown.page, `webhooks-attempts-${view.width}-${theme}`);
    assert.deepEqual(await findAxeFaults(shown.page, { hasContrast: true }), []);
    assert.ok(await fitsItsWidth(shown.page));
    await shown.close();
  }

  // Past its first steps, so that Today is shown: in an organization without a class they are.
  const locationId = place.body.result.id;
  const service = await owner.write("addServiceType", { name: "Yoga", holdsResource: false });
  const schedule = { serviceTypeId: service.body.result.id, locationId, start: "2030-01-07T18:00" };
  await owner.write("addSchedule", { ...schedule, durationMinutes: 60, capacity: 5, rrule: "FREQ=WEEKLY" });
  const last = await opened.open(id, "/console/", DESK);
  await last.page.getByRole("link", { name: /Webhooks that need a look/ }).click();
  await last.page.getByRole("button", { name: "Actions for Newsletter" }).click();
  await last.page.getByRole("menuitem", { name: "Pass over one event" }).click();
  const skip = last.page.getByRole("dialog", { name: "Pass over the event that fails?" });
  await skip.getByRole("button", { name: "Pass over one event" }).click();
  await last.page.getByText("The event is passed over.").waitFor();
  await last.page.getByRole("row", { name: /Newsletter Working/ }).waitFor();
  await last.close();
});
