import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { recordAudit } from "../../src/domain/audit/queries.ts";
import { AUDIT_ACTIONS } from "../../src/domain/audit/values.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const opened = await startConsole();

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(name: string, run: (studio: NonNullable<typeof opened>) => Promise<void>): void {
  test(name, async (t: TestContext) => (opened ? run(opened) : t.skip("no Chromium on this machine")));
}

const items = (page: Page) => page.getByRole("listitem").count();

describe("the history", () => {
  withConsole("tells in words who did what, and undoes it after saying what that does", async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of deeds" });
    const carla = await studio.newStaff(id, { name: "Nina Nunes" });
    const done = async (operation: string, input: object) => {
      const { status, body, text } = await carla.write(operation, input);
      assert.equal(status, 200, text);
      return body.result;
    };
    await done("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
    const { id: clientId } = await done("addClient", { contactName: "Ana Prado" });
    const { id: planId } = await done("addPlan", {
      name: "Mensal",
      billingKind: "one_time",
      priceCents: 28_900,
      entitlements: [{ type: "credits", creditQuantity: 10 }],
    });
    const contract = await done("sellContract", { clientId, planId });
    const [grant] = contract.entitlements;
    await done("adjustCredits", { entitlementId: grant.id, by: -3, reason: "counted wrong" });
    await done("addClient", { contactName: "Bia Reis" });

    const open = await studio.open(id, "/console/audit", { expected: [409] });
    const { page } = open;
    await page.getByText("Nina Nunes sold Mensal to Ana Prado").waitFor();
    const line = page.getByRole("listitem").filter({ hasText: "changed the credits of Ana Prado in Mensal" });
    await line.getByText("10 → 7 · “counted wrong”").waitFor();
    await keepPicture(page, "history");
    assert.deepEqual(await findAxeFaults(page), []);
    await line.getByRole("button", { name: "Undo" }).click();
    const dialog = page.getByRole("dialog", { name: "Undo this?" });
    await dialog.getByText("This also concerns 1 contract.").waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await dialog.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "7 → 10" }).waitFor();
    const { body } = await carla.read(`contracts/${contract.id}`);
    assert.equal(body.entitlements[0].remainingCredits, 10);

    // Once: the entry says so, and only what undid it can be undone in turn.
    await line.last().getByText("10 → 7 · “counted wrong” · undone since").waitFor();
    assert.equal(await line.last().getByRole("button", { name: "Undo" }).count(), 0);

    // What cannot be undone any more says so before anything is tried.
    await page.getByRole("listitem").filter({ hasText: "added the plan Mensal" }).waitFor();
    await done("cancelContract", { contractId: contract.id, now: true, reason: "moved" });
    await line.first().getByRole("button", { name: "Undo" }).click();
    await dialog.getByRole("alert").waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Undo" }).count(), 0);
    await page.keyboard.press("Escape");

    // Narrowed to one client, in the address; back shows everything again.
    await page.getByRole("combobox", { name: "About a client" }).fill("bia");
    await page.getByRole("option", { name: /Bia Reis/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Client: Bia Reis").waitFor();
    await page.getByText("sold Mensal").waitFor({ state: "detached" });
    assert.match(page.url(), /clientId=/);
    await page.goBack();
    await page.getByText("Nina Nunes sold Mensal to Ana Prado").waitFor();
    await open.close();
  });

  withConsole(
    "tells what an API key changed, also on the page of its client, in three languages",
    async (studio) => {
      const { id, call } = await studio.api.newOrganization({ name: "Studio of programs" });
      const owner = await studio.newStaff(id, { name: "Nina Nunes" });
      await owner.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
      const minted = await owner.write("mintKey", { name: "Website" });
      const headers = { authorization: `Bearer ${minted.body.result.key}` };
      const client = await call("POST", "/v1/clients", { headers, body: { contactName: "Ana Prado" } });
      const path = `/v1/clients/${client.body.id}`;
      const changes = { contactPhone: "+55 11 90765-4321", contactEmail: "ana@example.com" };
      assert.equal((await call("PATCH", path, { headers, body: changes })).status, 200);
      assert.equal((await call("DELETE", path, { headers })).status, 204);
      await call("GET", "/v1/clients?status=archived", { headers: { ...headers, accept: "text/csv" } });

      const told = {
        en: ["API key Website changed the data of Ana Prado", /(phone and e-mail|e-mail and phone)/],
        "pt-BR": [
          "A chave de API Website alterou os dados de Ana Prado",
          /(telefone e e-mail|e-mail e telefone)/,
        ],
        es: ["La clave de API Website cambió los datos de Ana Prado", /correo electrónico/],
      } as const;
      for (const language of ["en", "pt-BR", "es"] as const) {
        const [sentence, members] = told[language];
        const open = await studio.open(id, "/console/audit", { language, ...(language === "es" && PHONE) });
        const { page } = open;
        const line = page.getByRole("listitem").filter({ hasText: sentence });
        await line.getByText(members).waitFor();
        await keepPicture(page, `history-of-keys-${language}`);
        assert.ok(await fitsItsWidth(page));
        if (language === "en") {
          assert.deepEqual(await findAxeFaults(page), []);
          await page.getByText("API key Website downloaded the clients as a file").waitFor();
          await page.getByLabel("By or about").selectOption({ label: "API key Website" });
          await page.getByText("Nina Nunes added the location Centro").waitFor({ state: "detached" });
          assert.match(page.url(), /actor=key/);
          const archived = page
            .getByRole("listitem")
            .filter({ hasText: "API key Website archived Ana Prado" });
          await archived.getByRole("button", { name: "Undo" }).click();
          await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
          await page.getByText("Undone.").waitFor();
        }
        await open.close();
      }
      const open = await studio.open(id, `/console/audit?clientId=${client.body.id}`, { role: "front_desk" });
      await open.page.getByText("API key Website added the client Ana Prado").waitFor();
      assert.equal(await open.page.getByText("made the API key").count(), 0);
      await open.close();
    },
  );

  withConsole(
    "has a sentence for every action in three languages, and goes back page by page",
    async (studio) => {
      const { id } = await studio.api.newOrganization({ name: "Studio of sentences" });
      for (const action of AUDIT_ACTIONS)
        await recordAudit(studio.api.db, "operator:test", { action, organizationId: id });
      const untold = { en: /did “/, "pt-BR": /fez “/, es: /hizo “/ } as const;
      const more = {
        en: "Show earlier entries",
        "pt-BR": "Mostrar registros anteriores",
        es: "Mostrar registros anteriores",
      } as const;
      for (const language of ["en", "pt-BR", "es"] as const) {
        const open = await studio.open(id, "/console/audit", {
          language,
          ...PHONE,
          theme: "dark",
          role: "manager",
        });
        const { page } = open;
        const earlier = page.getByRole("button", { name: more[language] });
        await earlier.waitFor();
        for (let shown = await items(page); shown < AUDIT_ACTIONS.length; shown = await items(page)) {
          await earlier.click();
          await page.getByRole("listitem").nth(shown).waitFor();
        }
        const lines = await page.getByRole("listitem").allInnerTexts();
        assert.ok(lines.length >= AUDIT_ACTIONS.length);
        assert.deepEqual(
          lines.filter((text) => untold[language].test(text) || /[{}]/.test(text)),
          [],
        );
        assert.ok(await fitsItsWidth(page));
        if (language === "pt-BR") assert.deepEqual(await findAxeFaults(page), []);
        await open.close();
      }
    },
  );
});
