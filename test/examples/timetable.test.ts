import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startApi } from "../support/api.ts";
import { dayAfter, newLinkedStudio } from "../support/calendar-links.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, launchBrowser } from "../support/console.ts";

/** From dist/test/examples/ the checkout is three levels up. */
const FOLDER = new URL("../../../examples/timetable/", import.meta.url);
const fileOf = (name: string) => readFileSync(fileURLToPath(new URL(name, FOLDER)), "utf8");

const api = await startApi();
const browser = await launchBrowser();
after(() => browser?.close());

let address = "";
const site = createServer(({ url }, response) => {
  const isScript = url === "/timetable.js";
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
  const page = fileOf("index.html").replace("https://api.example.com/ics/rbc_….json", () => address);
  response.end(isScript ? fileOf("timetable.js") : page);
});
await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

test("the script of the timetable is small", () => {
  assert.ok(statSync(fileURLToPath(new URL("timetable.js", FOLDER))).size < 6_000);
});

test("another website shows the week on a narrow phone, in the visitor's language and on the location's clock", async (t: TestContext) => {
  if (!browser) return t.skip("no Chromium on this machine");
  const studio = await newLinkedStudio(api, "America/New_York");
  const { locationId, serviceTypeId } = studio;
  const { id: scheduleId } = await studio.done("addSchedule", {
    ...{ locationId, serviceTypeId, durationMinutes: 50, capacity: 12 },
    ...{ start: `${dayAfter(Date.now(), 0, "America/New_York")}T07:00`, rrule: "FREQ=DAILY" },
  });
  const cancelled = `${dayAfter(Date.now(), 2, "America/New_York")}T07:00`;
  await studio.done("cancelSession", {
    session: { scheduleId, originalStart: cancelled },
    reason: "Feriado",
  });
  const { path } = await studio.mint({ pastDays: 0, showSeats: true });
  address = `${api.url}${path.replace(/ics$/, "json")}`;
  for (const [locale, words] of [
    ["pt-BR", { left: "12 vagas", cancelled: "Cancelada", later: "Seguintes", clock: /^07:00 – 07:50$/ }],
    [
      "en-US",
      { left: "12 places left", cancelled: "Cancelled", later: "Later", clock: /^7:00\sAM – 7:50\sAM$/ },
    ],
    ["es-MX", { left: "12 plazas", cancelled: "Cancelada", later: "Siguientes", clock: /7:00/ }],
  ] as const) {
    const context = await browser.newContext({
      locale,
      timezoneId: "Europe/Lisbon",
      viewport: { width: 360, height: 740 },
    });
    const page = await context.newPage();
    const broken: string[] = [];
    page.on("pageerror", (error) => broken.push(error.message));
    page.on("console", (message) => message.type() === "error" && broken.push(message.text()));
    await page.goto(origin);
    await page.getByText(words.left).first().waitFor();
    assert.equal(await page.getByRole("listitem").count(), 7);
    assert.equal(await page.getByText(words.cancelled).count(), 1);
    assert.match((await page.locator("time").first().textContent()) ?? "", words.clock);
    await page.getByText("America/New York").waitFor();
    assert.ok(await fitsItsWidth(page));
    assert.deepEqual(await findAxeFaults(page), []);
    if (locale === "pt-BR") await keepPicture(page, "timetable");
    const first = await page.getByRole("heading", { level: 3 }).first().textContent();
    await page.getByRole("button", { name: words.later }).click();
    assert.notEqual(await page.getByRole("heading", { level: 3 }).first().textContent(), first);
    assert.equal(await page.getByRole("listitem").count(), 7);
    assert.deepEqual(
      broken.filter((text) => !text.includes("favicon")),
      [],
    );
    await context.close();
  }
  const { data } = (await studio.owner.read("calendar-links")).body;
  await studio.done("revokeCalendarLink", { calendarLinkId: data[0].id });
  const page = await browser.newPage({ locale: "en-US" });
  await page.goto(origin);
  await page.getByText("The timetable could not be loaded.").waitFor();
  await page.close();
});
