import assert from "node:assert/strict";
import { test } from "node:test";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";
import { until } from "../support/poll.ts";

const opened = await startConsole();
const demo = opened && (await opened.newDemo());
const organizationId = demo?.organization.id ?? "";
const skip = opened ? false : "no Chromium on this machine";

test("the overview shows what the server adds up, each plot with its table", { skip }, async () => {
  if (!opened) return;
  const reader = await opened.newStaff(organizationId);
  const { page, close } = await opened.open(organizationId, "/console/overview");
  const section = (name: string) =>
    page.locator("section").filter({ has: page.getByRole("heading", { name }) });
  const members = section("Active members");
  await members.getByText("Show as a table").click();
  const cells = await members.getByRole("row").last().getByRole("cell").allTextContents();
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/Sao_Paulo" }).format(new Date());
  const { body } = await reader.read(`overview/members?from=${today.slice(0, 7)}-01&until=${today}`);
  assert.equal(cells[1], String(body.data[0].members));
  assert.equal(await members.getByRole("row").count(), 13, "a head and twelve months");
  await members.getByRole("img", { name: /members now/ }).waitFor();

  await page.getByLabel("Months").selectOption({ label: "Last 6 months" });
  await page.waitForURL(/months=6/);
  await members.getByRole("row").nth(7).waitFor({ state: "detached" });
  assert.equal(await members.getByRole("row").count(), 7);

  const full = section("How full the timetable is");
  await full.getByRole("columnheader", { name: "Mon" }).waitFor();
  const [location] = (await reader.read("locations")).body.data as { id: string; name: string }[];
  await full.getByLabel("Location").selectOption({ label: location?.name ?? "" });
  await page.waitForURL(/location=/);
  const weeksAgo = new Date(Date.parse(today) - 28 * 86_400_000).toISOString();
  const window = `from=${weeksAgo}&to=${today}T00:00:00.000Z&locationId=${location?.id}`;
  const hours = (await reader.read(`overview/timetable?${window}`)).body.data as Record<string, number>[];
  const sum = (member: string) => hours.reduce((all, hour) => all + (hour[member] ?? 0), 0);
  await full.getByText(`${Math.round((sum("booked") / sum("capacity")) * 100)}% of all seats`).waitFor();
  await section("No-shows and late cancellations")
    .getByText(/did not come and/)
    .first()
    .waitFor();
  await section("API requests").waitFor();

  const changes = section("Members gained and lost");
  await changes.getByRole("img", { name: /gained, .* after a break, and .* lost/ }).waitFor();
  const visits = section("Who came");
  await visits.getByLabel("By").selectOption({ label: "By teacher" });
  await page.waitForURL(/by=teacher/);
  await visits.getByRole("columnheader", { name: "Teacher" }).waitFor();
  const taught = section("Classes by teacher");
  await taught.getByRole("columnheader", { name: "Hours" }).waitFor();
  for (const [report, file] of [
    [changes, /^member-changes-.*\.csv$/],
    [visits, /^visits-.*\.csv$/],
    [taught, /^classes-.*\.csv$/],
  ] as const) {
    const download = page.waitForEvent("download");
    await report.getByRole("button", { name: "Download CSV" }).click();
    assert.match((await download).suggestedFilename(), file);
  }
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "overview");
  await close();
});

test("on a phone, in the dark and in Portuguese it fits; who is no owner sees no keys", {
  skip,
}, async () => {
  if (!opened) return;
  const { page, close } = await opened.open(organizationId, "/console/overview", {
    ...PHONE,
    theme: "dark",
    language: "pt-BR",
    role: "manager",
  });
  await page.getByText("Membros ativos").first().waitFor();
  await page.getByRole("table", { name: "Ocupação da grade" }).waitFor();
  assert.equal(await page.getByText("Chamadas à API").count(), 0);
  await page.getByRole("table", { name: "Aulas por professor" }).waitFor();
  await page.getByRole("table", { name: "Quem veio: Por serviço" }).waitFor();
  assert.ok(await fitsItsWidth(page));
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "overview-phone");
  await close();
});

test("the palette finds people from two letters on, sessions, screens and what can be begun, by keyboard alone", {
  skip,
}, async () => {
  if (!opened) return;
  const reader = await opened.newStaff(organizationId);
  const { page, close } = await opened.open(organizationId, "/console/overview");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const [client] = (await reader.read("clients?limit=1&status=active")).body.data;
  const open = async (text: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill(text);
  };
  await open(client.contactName);
  await page.getByRole("option", { name: client.contactName }).first().waitFor();
  await page.getByRole("combobox", { name: "Search" }).fill(client.contactName.slice(0, 2));
  await until("several people are offered", async () => (await page.getByRole("option").count()) > 1);
  await page.getByRole("combobox", { name: "Search" }).fill("new pl");
  await page.getByRole("option", { name: "New plan" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/catalog\/plans\/new/);

  const { body } = await reader.read("service-types?limit=1");
  const { name } = body.data[0];
  await open(name);
  const session = page.getByRole("option", { name: new RegExp(`^\\s*${name}, `) }).first();
  await session.waitFor();
  await session.click();
  await page.waitForURL(/calendar\?date=.*session=/);
  await close();
});
