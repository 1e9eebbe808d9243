import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { daysAfter, daysBefore } from "../../src/core/dates.ts";
import {
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";
import { MONTHLY, newInvoicingStudio, TODAY } from "../support/invoicing-studio.ts";

const console = await startConsole();
const skipped = "there is no Chromium on this machine";

/** The figures of a screen, each by its name. */
async function figuresOf(page: Page, label: string): Promise<Record<string, string>> {
  const texts = await page.getByLabel(label, { exact: true }).locator(".figure").allInnerTexts();
  return Object.fromEntries(texts.map((text) => text.split("\n").slice(0, 2)));
}

test("what is owed stands by client, what is due longest first, and a payment is recorded there and undone", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const [ana, bia, caio] = [
    await studio.newClient("Ana Souza", { contactPhone: "+55 11 91234-5678" }),
    await studio.newClient("Bia Reis"),
    await studio.newClient("Caio Lima"),
  ];
  await studio.sell(bia, 5);
  await studio.sell(ana, 12);
  await studio.done("addInvoice", {
    ...{ clientId: caio, description: "Água", amountCents: 600 },
    dueOn: daysAfter(TODAY, 3),
  });
  const { page, close } = await console.open(studio.id, "/console/money");
  const names = page.getByRole("table", { name: "Owed" }).locator(".money-client");
  await names.first().waitFor();
  assert.deepEqual(await names.allInnerTexts(), ["Ana Souza", "Bia Reis", "Caio Lima"]);
  assert.deepEqual(await figuresOf(page, "Owed"), {
    Overdue: "R$578.00",
    Open: "R$584.00",
    "Clients who owe": "3",
  });
  await page.getByRole("link", { name: "+55 11 91234-5678" }).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "money-owed");

  await page.getByRole("button", { name: "Record a payment of Ana Souza" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Amount (BRL)").inputValue(), "289.00");
  const record = dialog.getByRole("button", { name: "Record", exact: true });
  assert.ok(await record.isDisabled(), "nobody knows yet how it was paid");
  await dialog.getByRole("radio", { name: "Pix" }).check();
  await dialog.getByText("Invoice 2 (Mensal) is paid.").waitFor();
  await dialog.getByLabel("Amount (BRL)").fill("300");
  await dialog.getByText("R$11.00 becomes balance and pays what is invoiced next.").waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "record-payment");
  await record.click();
  await page.getByText("R$300.00 of Ana Souza recorded.").waitFor();
  await page.getByText("Clients who owe").waitFor();
  await names.filter({ hasText: "Ana Souza" }).waitFor({ state: "detached" });
  assert.equal((await studio.account(ana)).balanceCents, 1_100);
  await page.getByRole("button", { name: "Undo" }).click();
  await names.filter({ hasText: "Ana Souza" }).waitFor();
  const { openCents, balanceCents } = await studio.account(ana);
  assert.deepEqual([openCents, balanceCents], [MONTHLY, 0]);

  await names.filter({ hasText: "Bia Reis" }).click();
  await page.getByRole("link", { name: "Account", exact: true, includeHidden: false }).waitFor();
  assert.match(page.url(), new RegExp(`/console/clients/${bia}/account$`));
  await close();
});

test("the payments of a day are added up with the cash to count, and the lists are saved as files", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana, 12);
  const pay = (amountCents: number, method: string, more: object = {}) =>
    studio.done("recordPayment", { clientId: ana, amountCents, method, ...more });
  await pay(20_000, "cash");
  await pay(15_000, "pix");
  await pay(700, "cash", { paidOn: daysBefore(TODAY, 1) });
  const wrong = await pay(99_900, "cash");
  await studio.done("voidPayment", { paymentId: wrong.id, reason: "typed twice" });
  await studio.done("refund", { clientId: ana, amountCents: 1_000, method: "cash", reason: "too much" });
  const { page, close } = await console.open(studio.id, "/console/money/payments");
  const rows = page.getByRole("table", { name: "Payments" }).locator("tbody tr");
  await rows.nth(3).waitFor();
  assert.equal(await rows.count(), 4, "those of today, the void one and the refund among them");
  await page.getByText("Cash to count").waitFor();
  assert.deepEqual(await figuresOf(page, "Received"), {
    "Cash to count": "R$190.00",
    Pix: "R$150.00",
    "Received in all": "R$340.00",
  });
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "money-payments");

  const save = async (form: string) => {
    await page.getByRole("button", { name: "Download" }).click();
    const arrived = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: form, exact: true }).click();
    const download = await arrived;
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  };
  const csv = await save("CSV");
  assert.equal(csv.name, `Payments ${TODAY} ${TODAY}.csv`);
  assert.equal(csv.text.trim().split(/\r?\n/).length, 5);
  assert.match(csv.text, /^id,number,/);
  const excel = await save("CSV for Excel");
  assert.match(excel.text, /^\uFEFF?"?id"?;/);
  const lines = (await save("NDJSON, for programs")).text.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).type),
    ["refund", "payment", "payment", "payment"],
  );

  await page.getByLabel("Days").selectOption({ label: "Yesterday" });
  await rows.filter({ hasText: "R$7.00" }).waitFor();
  assert.match(page.url(), new RegExp(`from=${daysBefore(TODAY, 1)}&to=${daysBefore(TODAY, 1)}`));
  await page.getByLabel("Method").selectOption({ label: "Pix" });
  await page.getByText("No payments on these days").waitFor();
  await page.goBack();
  await close();
});

test("invoices are listed by their days and status, changed and voided there", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana);
  await studio.done("addInvoice", { clientId: ana, description: "Água", amountCents: 600 });
  const { page, close } = await console.open(studio.id, `/console/money/invoices?from=${TODAY}&to=${TODAY}`, {
    theme: "dark",
    language: "es",
  });
  const rows = page.getByRole("table", { name: "Facturas" }).locator("tbody tr");
  await rows.nth(1).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "money-invoices");
  await page.getByRole("button", { name: "Acciones: Factura 2" }).click();
  await page.getByRole("menuitem", { name: "Cambiar" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Importe (BRL)").fill("4,50");
  await dialog.getByText(/El importe pasa a .*4,50.* en vez de .*6,00/).waitFor();
  await dialog.getByLabel("Motivo").fill("era media botella");
  await dialog.getByRole("button", { name: "Guardar" }).click();
  await rows.filter({ hasText: "4,50" }).waitFor();
  await page.getByRole("button", { name: "Acciones: Factura 2" }).click();
  await page.getByRole("menuitem", { name: "Anular" }).click();
  await dialog.getByText("Ya no se debe nada por ella. Su número queda usado.").waitFor();
  await dialog.getByLabel("Motivo").fill("se devolvió");
  await dialog.getByRole("button", { name: "Anular" }).click();
  await rows.filter({ hasText: "Anulada" }).waitFor();
  await page.getByLabel("Estado").selectOption({ label: "Pendientes" });
  await rows.filter({ hasText: "Anulada" }).waitFor({ state: "detached" });
  assert.equal(await rows.count(), 1);
  await close();
});

test("income is a picture with its table, by month, method and plan", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana, 0, { payment: { method: "pix", amountCents: 20_000 } });
  await studio.done("addInvoice", { clientId: ana, description: "Água", amountCents: 600 });
  const { page, close } = await console.open(studio.id, "/console/money/income");
  await page.getByText("Show as a table").click();
  const months = page.getByRole("table", { name: "By month" });
  assert.deepEqual((await months.getByRole("row").last().getByRole("cell").allInnerTexts()).slice(1), [
    "R$200.00",
    "R$295.00",
    "R$95.00",
  ]);
  assert.equal(await months.getByRole("row").count(), 7, "a head and six months");
  const plans = page.getByRole("table", { name: "By plan" });
  assert.deepEqual(await plans.getByRole("row").nth(1).getByRole("cell").allInnerTexts(), [
    "Mensal",
    "R$289.00",
    "R$200.00",
    "R$89.00",
  ]);
  await plans.getByText("Added by hand").waitFor();
  await page.getByRole("img", { name: "R$200.00 received and R$295.00 invoiced" }).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "money-income");
  await page.getByLabel("Months").selectOption({ label: "Last 3 months" });
  await page.waitForURL(/months=3/);
  await months.getByRole("row").nth(4).waitFor({ state: "detached" });
  await close();
});

test("on a phone, in the dark and in Portuguese every part fits; the front desk changes and voids no invoice", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Beatriz Figueiredo de Albuquerque Souza", {
    contactPhone: "+55 11 91234-5678",
  });
  await studio.sell(ana, 12, { payment: { method: "transfer", amountCents: 20_000 } });
  const { page, close } = await console.open(studio.id, "/console/money", {
    ...PHONE,
    theme: "dark",
    language: "pt-BR",
    role: "front_desk",
  });
  for (const [tab, seen] of [
    ["A receber", "Clientes em débito"],
    ["Pagamentos", "Dinheiro em caixa"],
    ["Faturas", "Fatura 1"],
    ["Receita", "Por plano"],
  ] as const) {
    await page.getByRole("link", { name: tab, exact: true }).click();
    // The invoice may be of the month before.
    if (tab === "Faturas") await page.getByLabel("De", { exact: true }).fill(daysBefore(TODAY, 21));
    await page.getByText(seen).first().waitFor();
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), [], tab);
    assert.deepEqual(await findSmallTargets(page), [], tab);
    assert.ok(await fitsItsWidth(page), tab);
    await keepPicture(page, `money-phone ${tab}`);
    if (tab !== "Faturas") continue;
    await page.getByRole("button", { name: "Ações: Fatura 1" }).click();
    assert.deepEqual(await page.getByRole("menuitem").filter({ visible: true }).allInnerTexts(), [
      "Imprimir",
    ]);
    await page.keyboard.press("Escape");
  }
  await close();
});

test("a studio that does not invoice is told how it begins, and its owner led there", async (t) => {
  if (!console) return t.skip(skipped);
  const { id } = await console.api.newOrganization();
  const { page, close } = await console.open(id, "/console/money", { passwordAge: "1 minute" });
  await page.getByText("Nothing is invoiced yet").waitFor();
  await page.getByRole("link", { name: "Set the first day" }).click();
  const from = page.getByLabel("Invoice from this day on");
  await from.fill(daysBefore(TODAY, 10));
  await page.getByText(/What all contracts owe since .* is invoiced at once/).waitFor();
  await page.getByLabel("Days to pay").fill("5");
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByText("The rules are saved.").waitFor();
  const reader = await console.newStaff(id);
  const { invoicesFrom, paymentDays } = (await reader.read("settings")).body;
  assert.deepEqual([invoicesFrom, paymentDays], [daysBefore(TODAY, 10), 5]);
  await from.fill("");
  await page.getByText("Nothing is invoiced any more.", { exact: false }).waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByText("Contracts with a price are invoiced automatically", { exact: false }).waitFor();
  assert.equal("invoicesFrom" in (await reader.read("settings")).body, false);
  await close();
});
