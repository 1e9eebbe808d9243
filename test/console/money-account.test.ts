import assert from "node:assert/strict";
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

const rowsOf = (page: Page, name = "Account") => page.getByRole("table", { name }).locator("tbody tr");

/** What each line changes and what is owed after it, the newest first. */
async function amountsOf(page: Page): Promise<string[][]> {
  const rows = await rowsOf(page).all();
  return Promise.all(rows.map((row) => row.locator("td.number").allInnerTexts()));
}

/** Opens one of the actions of a line. */
async function choose(page: Page, line: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${line}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

test("the account has every invoice and payment with what was owed after it; a payment pays what is chosen, and is voided", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana, 12);
  await studio.done("addInvoice", { clientId: ana, description: "Água 500 ml", amountCents: 600 });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana}/account`);
  await rowsOf(page).nth(1).waitFor();
  assert.deepEqual(await amountsOf(page), [
    ["R$6.00", "R$295.00"],
    ["R$289.00", "R$289.00"],
  ]);
  await page.getByText(/R\$289\.00 of it overdue since/).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "account");

  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog");
  assert.equal(await dialog.getByLabel("Amount (BRL)").inputValue(), "295.00");
  await dialog.getByRole("radio", { name: "Cash" }).check();
  await dialog.getByText("Invoice 1 (Mensal) is paid.").waitFor();
  await dialog.getByText("Invoice 2 (Água 500 ml) is paid.").waitFor();
  await dialog.getByRole("radio", { name: "Only these invoices" }).check();
  await dialog.getByText("Choose at least one invoice.").waitFor();
  await dialog.getByLabel(/Invoice 2 · Água 500 ml/).check();
  await dialog.getByLabel("Amount (BRL)").fill("4");
  await dialog.getByText("R$4.00 of Invoice 2 (Água 500 ml) is paid, R$2.00 stays open.").waitFor();
  await dialog.getByLabel("Note (optional)").fill("the rest tomorrow");
  await dialog.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByText("R$4.00 of Ana Souza recorded.").waitFor();
  await rowsOf(page).nth(2).waitFor();
  assert.deepEqual((await amountsOf(page))[0], ["-R$4.00", "R$291.00"]);
  await rowsOf(page).first().getByText("the rest tomorrow").waitFor();

  await choose(page, "Payment 1", "Void");
  await dialog.getByText("R$4.00 of Invoice 2 is open again.").waitFor();
  await dialog.getByLabel("Reason").fill("typed twice");
  assert.deepEqual(await findAxeFaults(page), []);
  await dialog.getByRole("button", { name: "Void", exact: true }).click();
  await rowsOf(page).first().locator(".badge", { hasText: "Void" }).waitFor();
  assert.deepEqual((await amountsOf(page))[0], ["-R$4.00", "R$295.00"], "what is void counts for nothing");
  const { openCents, balanceCents } = await studio.account(ana);
  assert.equal(openCents - balanceCents, 29_500, "what the last line says");

  await page.goto(`${console.origin}/console/audit?clientId=${ana}`);
  await page.getByText("voided a payment of").waitFor();
  await page.getByText("recorded a payment of").waitFor();
  await close();
});

test("what is paid beyond an invoice is balance, which pays what comes next and is given back", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  const { page, close } = await console.open(studio.id, `/console/clients/${ana}/account`);
  await page.getByText("No invoices and no payments yet").waitFor();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Record payment" }).click();
  await dialog.getByLabel("Amount (BRL)").fill("50");
  await dialog.getByRole("radio", { name: "Card" }).check();
  await dialog.getByText("R$50.00 becomes balance", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Record", exact: true }).click();
  await rowsOf(page).first().waitFor();

  await page.getByRole("button", { name: "Add invoice" }).click();
  await dialog.getByLabel("What for").fill("Late fee");
  await dialog.getByLabel("Amount (BRL)").fill("20");
  await dialog.getByText("The balance pays it.").waitFor();
  await dialog.getByRole("button", { name: "Add the invoice" }).click();
  await page.getByText("“Late fee” for R$20.00 invoiced.").waitFor();
  assert.equal((await studio.account(ana)).balanceCents, 3_000);

  await choose(page, "Invoice 1", "Void");
  await dialog.getByText("R$20.00 that was paid becomes balance.").waitFor();
  await dialog.getByLabel("Reason").fill("waived");
  await dialog.getByRole("button", { name: "Void", exact: true }).click();
  await page.getByText("Invoice 1 is void.").waitFor();

  await page.getByRole("button", { name: "More for this account" }).click();
  await page.getByRole("menuitem", { name: "Refund" }).click();
  assert.equal(await dialog.getByLabel("Amount (BRL)").inputValue(), "50.00");
  await dialog.getByRole("radio", { name: "Card" }).check();
  await dialog.getByLabel("Reason").fill("moves away");
  await dialog.getByLabel("Amount (BRL)").fill("50.01");
  // In the currency, not in its smallest units as the server has it.
  await dialog.locator(".field-fault", { hasText: "At most the balance of R$50.00." }).waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Record the refund" }).isDisabled());
  await dialog.getByLabel("Amount (BRL)").fill("50.00");
  await dialog.getByText("The balance is then R$0.00 instead of R$50.00.").waitFor();
  await dialog.getByRole("button", { name: "Record the refund" }).click();
  await page.getByText("R$50.00 given back.").waitFor();
  await rowsOf(page).nth(2).waitFor();
  assert.equal((await studio.account(ana)).balanceCents, 0);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByText("R$50.00", { exact: true }).first().waitFor();
  assert.equal((await studio.account(ana)).balanceCents, 5_000);

  // What a void invoice leaves pays another that is open, when somebody says so.
  const bia = await studio.newClient("Bia Reis");
  const bill = (description: string, amountCents: number) =>
    studio.done("addInvoice", { clientId: bia, description, amountCents });
  const { id: invoiceId } = await bill("Meia", 2_000);
  await studio.done("recordPayment", { clientId: bia, amountCents: 2_000, method: "cash" });
  await bill("Aula avulsa", 3_000);
  await studio.done("voidInvoice", { invoiceId, reason: "brought back" });
  await page.goto(`${console.origin}/console/clients/${bia}/account`);
  await page.getByRole("button", { name: "More for this account" }).click();
  await page.getByRole("menuitem", { name: "Pay from the balance" }).click();
  await dialog.getByText("Open is then R$10.00 instead of R$30.00.").waitFor();
  await dialog.getByRole("button", { name: "Pay", exact: true }).click();
  await page.getByText("Paid from the balance.").waitFor();
  const left = await studio.account(bia);
  assert.deepEqual([left.openCents, left.balanceCents], [1_000, 0]);
  await close();
});

test("invoices and receipts are printed with number, organization, client and lines", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana, 3, { payment: { method: "pix", amountCents: 30_000 } });
  for (const [language, invoice, receipt, expected] of [
    [
      "en",
      "Invoice 1",
      "Print receipt",
      /Estúdio Aurora[\s\S]*Receipt 1[\s\S]*Ana Souza[\s\S]*Pix[\s\S]*Invoice 1[\s\S]*R\$289\.00[\s\S]*R\$11\.00[\s\S]*R\$300\.00/,
    ],
    [
      "pt-BR",
      "Fatura 1",
      "Imprimir recibo",
      /Recibo 1[\s\S]*Fatura 1[\s\S]*289,00[\s\S]*Saldo para as próximas faturas[\s\S]*não tem valor fiscal/,
    ],
    [
      "es",
      "Factura 1",
      "Imprimir recibo",
      /Recibo 1[\s\S]*Factura 1[\s\S]*289,00[\s\S]*no tiene valor fiscal/,
    ],
  ] as const) {
    const { page, close } = await console.open(studio.id, `/console/clients/${ana}/account`, {
      language,
      ...(language === "es" && { ...PHONE, theme: "dark" as const }),
    });
    const paper = page.locator(".print-sheet");
    const print = async (name: string) => {
      await page.getByRole("dialog").locator(".paper").waitFor();
      assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
      assert.ok(await fitsItsWidth(page));
      await keepPicture(page, `${name} ${language}`);
      await page.emulateMedia({ media: "print" });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const text = await paper.innerText();
      assert.equal(await page.getByRole("dialog").isVisible(), false);
      await keepPicture(page, `${name} printed ${language}`);
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      await page.emulateMedia({ media: null });
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      return text;
    };
    const menus = rowsOf(page, { en: "Account", "pt-BR": "Conta", es: "Cuenta" }[language]).getByRole(
      "button",
    );
    await menus.nth(1).click();
    await page.getByRole("menuitem").filter({ visible: true }).first().click();
    const bill = await print("invoice");
    assert.match(bill, new RegExp(`${invoice}[\\s\\S]*Ana Souza[\\s\\S]*Mensal[\\s\\S]*289[.,]00`));
    await menus.nth(0).click();
    await page.getByRole("menuitem", { name: receipt }).click();
    assert.match(await print("receipt"), expected);
    await close();
  }
});

test("a plan is sold and paid at once; undoing the sale asks what becomes of the payment", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  const { page, close } = await console.open(studio.id, `/console/clients/${ana}/sell`);
  await page.getByRole("radio", { name: /Mensal/ }).check();
  const sell = page.getByRole("complementary").getByRole("button", { name: "Sell" });
  await page.getByLabel("Paid now").check();
  assert.equal(await page.getByLabel("Amount (BRL)").inputValue(), "289.00");
  assert.ok(await sell.isDisabled(), "nobody knows yet how it was paid");
  await page.getByRole("radio", { name: "Pix" }).check();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "paid-now");
  await sell.click();
  await page.getByText("“Mensal” sold to Ana Souza.").waitFor();
  const { openCents, balanceCents, lines } = await studio.account(ana);
  assert.deepEqual([openCents, balanceCents, lines.length], [0, 0, 2]);
  assert.equal(lines[1].payment.method, "pix");

  await page.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Undo the sale" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("R$289.00 is paid already").waitFor();
  await dialog.getByText("What paid it is void, R$289.00 in all", { exact: false }).waitFor();
  await dialog.getByLabel(/Keep it as balance/).check();
  await dialog.getByText("R$289.00 that was paid becomes the client's balance.").waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "undo-paid-sale");
  await dialog.getByRole("button", { name: "Undo the sale" }).click();
  await page.getByText("No contracts yet").waitFor();
  assert.equal((await studio.account(ana)).balanceCents, MONTHLY);

  // Paid before it is invoiced, it is asked about too.
  const bia = await studio.newClient("Bia Lima");
  await studio.sell(bia, -20, { payment: { method: "pix" } });
  await page.goto(new URL(`/console/clients/${bia}`, page.url()).href);
  await page.getByRole("button", { name: "What can be done" }).click();
  await page.getByRole("menuitem", { name: "Undo the sale" }).click();
  await dialog.getByText("R$289.00 is paid already").waitFor();
  await dialog.getByText("What paid it is void, R$289.00 in all", { exact: false }).waitFor();
  await keepPicture(page, "undo-sale-ahead");
  await dialog.getByRole("button", { name: "Undo the sale" }).click();
  await page.getByText("No contracts yet").waitFor();
  assert.equal((await studio.account(bia)).balanceCents, 0);

  // The balance pays the next one.
  await page.goto(new URL(`/console/clients/${ana}`, page.url()).href);
  await page.getByRole("link", { name: "Sell", exact: false }).first().click();
  await page.getByRole("radio", { name: /Mensal/ }).check();
  await page.getByText("The balance of R$289.00 pays it.").waitFor();
  assert.equal(await page.getByLabel("Paid now").count(), 0);
  await close();
});

test("on a phone the account fits, and the front desk is told why it cannot take back what it did not record", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newInvoicingStudio(console);
  const ana = await studio.newClient("Ana Souza");
  await studio.sell(ana, 12, { payment: { method: "transfer", amountCents: 20_000 } });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana}/account`, {
    ...PHONE,
    theme: "dark",
    role: "front_desk",
    expected: [403, 422],
  });
  await rowsOf(page).nth(1).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  assert.deepEqual(await findSmallTargets(page), []);
  assert.ok(await fitsItsWidth(page));
  await keepPicture(page, "account-phone");
  assert.equal(await page.getByRole("button", { name: "More for this account" }).count(), 0);
  await choose(page, "Payment 1", "Void");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("alert").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Void", exact: true }).isDisabled());
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Record payment" }).click();
  assert.ok(await dialog.getByRole("radio", { name: "Transfer" }).isChecked(), "as it was paid last");
  await dialog.getByLabel("Paid on").fill(daysAfter(TODAY, 1));
  await dialog.locator(".field-fault").waitFor();
  await dialog.getByLabel("Paid on").fill(daysBefore(TODAY, 1));
  await dialog.getByText("Invoice 1 (Mensal) is paid.").waitFor();
  assert.ok(await fitsItsWidth(page));
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "record-payment-phone");
  await dialog.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByText("R$89.00 of Ana Souza recorded.").waitFor();
  // Its own it takes back.
  await page.getByRole("button", { name: "Undo" }).click();
  await rowsOf(page).locator(".badge", { hasText: "Void" }).waitFor();
  assert.equal((await studio.account(ana)).openCents, 8_900);
  await close();
});
