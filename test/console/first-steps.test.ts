import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { operator } from "../../src/domain/audit/queries.ts";
import { linkByEmail } from "../../src/domain/staff/operations.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const opened = await startConsole();

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(name: string, run: (studio: NonNullable<typeof opened>) => Promise<void>): void {
  test(name, async (t: TestContext) => (opened ? run(opened) : t.skip("no Chromium on this machine")));
}

describe("the first five minutes", () => {
  withConsole(
    "from an empty organization and a link to the first class with people booked in it",
    async (studio) => {
      const organization = await studio.api.newOrganization({ name: "Studio Novo" });
      const { api, origin } = studio;
      const { result } = await linkByEmail(
        {
          db: api.db,
          actor: operator(),
          organizationId: organization.id,
          ...{ keySecret: api.keySecret, publicUrl: origin },
        },
        { email: "olga@example.com", name: "Olga" },
      );
      const open = await studio.openOutside((result.link ?? "").slice(origin.length), {
        expected: [401, 409],
      });
      const { page } = open;
      await page.getByLabel("New password").fill("a long sentence of mine");
      await page.keyboard.press("Enter");

      await page.getByRole("heading", { level: 1, name: "Welcome to Studio Novo" }).waitFor();
      await keepPicture(page, "first-steps");
      assert.deepEqual(await findAxeFaults(page), []);
      assert.equal(await page.getByLabel("Name of the place").inputValue(), "Studio Novo");
      await page.getByLabel("Name of the place").fill("Centro");
      await page.getByRole("button", { name: "Add", exact: true }).click();

      await page.getByLabel("Name of the service").fill("Pilates");
      await page.keyboard.press("Enter");

      await page.getByLabel("Begins at").waitFor();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Choose at least one day.").waitFor();
      await page.getByLabel("Monday").check();
      await page.getByLabel("Wednesday").check();
      await page.getByLabel("Begins at").fill("07:30");
      await page.getByText("Every Monday and Wednesday at 07:30").waitFor();
      await keepPicture(page, "first-class");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("The class is on the timetable.").waitFor();

      await page.getByRole("link", { name: "Bring a spreadsheet" }).click();
      await page.locator('input[type="file"]').setInputFiles({
        name: "clients.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("Name,E-mail\nAna Prado,ana@example.com\nBia Reis,bia@example.com\n"),
      });
      await page.getByRole("button", { name: "Add 2 clients" }).click();
      await page.getByText("2 clients were added.").waitFor();
      await page.getByRole("link", { name: "Today" }).first().click();

      await page.getByRole("heading", { name: "5. Who owes what?" }).waitFor();
      await page.getByLabel("Days to pay").fill("5");
      await keepPicture(page, "first-money");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByRole("button", { name: "Invoice from this day" }).click();

      await page.getByRole("heading", { name: "You are ready" }).waitFor();
      await keepPicture(page, "first-steps-ready");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByRole("button", { name: "Put people into it" }).click();
      const panel = page.getByRole("dialog").first();
      await panel.getByRole("button", { name: "Book somebody" }).click();
      for (const [typed, name] of [
        ["ana", "Ana Prado"],
        ["bia", "Bia Reis"],
      ] as const) {
        await panel.getByRole("combobox", { name: "Who's coming?" }).fill(typed);
        await page.getByRole("option", { name: new RegExp(name) }).waitFor();
        await page.keyboard.press("Enter");
        await panel.getByRole("button", { name: "Courtesy" }).click();
        await panel.getByRole("button", { name: "Book uncovered" }).click();
        await page.getByText(`${name} is booked.`).waitFor();
      }
      const { body } = await organization.get(
        `/v1/calendar?from=${new Date().toISOString()}&to=${new Date(Date.now() + 8 * 86_400_000).toISOString()}`,
      );
      const [first] = body.data as { startAt: string; bookedCount: number; capacity: number }[];
      assert.equal(first?.bookedCount, 2);
      assert.equal(first?.capacity, 12);
      // It is over: Today is Today, also after the page is loaded again.
      await page.goto(`${origin}/console/`);
      await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await open.close();
    },
  );

  withConsole(
    "each step can be skipped and come back to; names can be typed; it is remembered",
    async (studio) => {
      const { id } = await studio.api.newOrganization({ name: "Studio Salto" });
      const open = await studio.open(id, "/console/", {
        ...PHONE,
        theme: "dark",
        language: "pt-BR",
        expected: [422],
      });
      const { page } = open;
      await page.getByRole("heading", { level: 1, name: "Boas-vindas a Studio Salto" }).waitFor();
      const skip = page.getByRole("button", { name: "Pular por enquanto" });
      await page.getByLabel("Nome do lugar").waitFor();
      await skip.click();
      await page.getByLabel("Nome do serviço").waitFor();
      await skip.click();
      await page.getByText("Antes disso, falta outro passo:").waitFor();
      await skip.click();
      assert.deepEqual(await findAxeFaults(page), []);
      assert.ok(await fitsItsWidth(page));
      // What was skipped is remembered, and still there.
      await page.reload();
      await page.getByRole("heading", { name: "4. Quem vem?" }).waitFor();
      await page.getByRole("button", { name: "Onde você trabalha?", exact: true }).click();
      await page.getByLabel("Nome do lugar").fill("Centro");
      await page.getByRole("button", { name: "Adicionar", exact: true }).click();
      const names = page.getByLabel("Nomes, um por linha");
      await names.fill("Ana Prado ana@exemplo.com\nBia Reis bia@");
      await page.getByRole("button", { name: "Adicionar pessoas" }).click();
      await page.getByText("1 pessoa cadastrada.").waitFor();
      // What was refused stays to be corrected.
      await page.getByText("Bia Reis bia@:", { exact: false }).waitFor();
      assert.equal(await names.inputValue(), "Bia Reis bia@");
      await names.fill("Bia Reis");
      await page.getByRole("button", { name: "Adicionar pessoas" }).click();
      await page.getByRole("heading", { name: "5. Quem deve o quê?" }).waitFor();
      await skip.click();
      await page.getByRole("heading", { name: "Tudo pronto" }).waitFor();
      await page.getByRole("button", { name: "Ir para Hoje" }).click();
      await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
      await open.close();
    },
  );
});
