import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { AUDIT_ACTIONS, recordAudit } from "../../src/audit/queries.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const opened = await startConsole();

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(name: string, run: (studio: NonNullable<typeof opened>) => Promise<void>): void {
  test(name, async (t: TestContext) => (opened ? run(opened) : t.skip("no Chromium on this machine")));
}

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
          role: "front_desk",
        });
        const { page } = open;
        await page.getByRole("button", { name: more[language] }).click();
        await page
          .getByRole("listitem")
          .nth(AUDIT_ACTIONS.length - 1)
          .waitFor();
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
