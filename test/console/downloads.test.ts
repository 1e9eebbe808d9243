import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { newBookingStudio } from "../support/booking-studio.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const console = await startConsole();
const skipped = "there is no Chromium on this machine";

test("a list is taken as a file for the program that opens it, by days where it has them, and the history says so", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newBookingStudio(console.api);
  await studio.newClient("Ana Souza");
  const { page, close } = await console.open(studio.id, "/console/clients");
  await page.getByRole("link", { name: "Ana Souza" }).waitFor();
  await page.getByRole("button", { name: "Download…" }).click();
  const dialog = page.getByRole("dialog", { name: "Download" });
  assert.equal(await dialog.getByLabel("From").count(), 0);
  const taking = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const taken = await taking;
  assert.match(taken.suggestedFilename(), /^clients-\d{4}-\d\d-\d\d\.csv$/);
  assert.match(await readFile(await taken.path(), "utf8"), /Ana Souza/);
  await page.getByText("The file was saved.").waitFor();
  await page.getByRole("button", { name: "Download…" }).click();
  await dialog.getByLabel("What").selectOption("Visits");
  await dialog.getByLabel("From").fill("2026-02-02");
  await dialog.getByLabel("Until").fill("2026-02-01");
  await dialog.getByText("This is before the first day.").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Download" }).isDisabled());
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "download");
  await dialog.getByLabel("Until").fill("2026-02-03");
  const asking = page.waitForRequest(/reports\/visits\?from=2026-02-02&until=2026-02-03/);
  const next = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  await asking;
  assert.match((await next).suggestedFilename(), /^visits-/);
  await page.goto(`${console.origin}/console/audit`);
  await page.getByText("downloaded the visits as a file").waitFor();
  await page.getByText("downloaded the clients as a file").waitFor();
  await close();
});

test("the download fits a phone in the other languages, and says it when the connection is lost", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newBookingStudio(console.api);
  await studio.newClient("Ana Souza");
  for (const [language, open, take, lost] of [
    ["pt-BR", "Baixar…", "Baixar", "A conexão caiu"],
    ["es", "Descargar…", "Descargar", "Se perdió la conexión"],
  ] as const) {
    const { page, close } = await console.open(studio.id, "/console/clients", {
      ...PHONE,
      language,
      theme: "dark",
    });
    await page.getByRole("link", { name: "Ana Souza" }).waitFor();
    await page.getByRole("button", { name: open }).click();
    const dialog = page.getByRole("dialog");
    await page.route("**/app/v1/clients?csv=excel", (route) => route.abort());
    await dialog.getByRole("button", { name: take, exact: true }).click();
    await dialog.getByText(lost).waitFor();
    assert.ok(await fitsItsWidth(page));
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    await keepPicture(page, `download-${language}`);
    await close();
  }
});
