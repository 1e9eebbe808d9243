import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { changeOrganization } from "../../src/domain/settings/operations.ts";
import { numberChanges } from "../../src/sync/changes/numbering.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";
import { until } from "../support/poll.ts";
import type { TestStaff } from "../support/staff.ts";

const opened = await startConsole();

/** A test that needs the browser, in an organization of its own; it is skipped where there is none. */
function withConsole(
  name: string,
  run: (studio: NonNullable<typeof opened>, organizationId: string, reader: TestStaff) => Promise<void>,
): void {
  test(name, async (t: TestContext) => {
    if (!opened) return t.skip("no Chromium on this machine");
    const { id } = await opened.api.newOrganization({ name: "Studio of rules" });
    return run(opened, id, await opened.newStaff(id, { name: "Olga Owner" }));
  });
}

describe("staff", () => {
  withConsole(
    "a colleague is invited by a link that is shown once and lets them in",
    async (studio, id, owner) => {
      const open = await studio.open(id, "/console/settings", { expected: [409, 422] });
      const { page } = open;
      await page.getByRole("button", { name: "Invite somebody" }).click();
      await page.getByLabel("Name").fill("Bruno Lima");
      await page.getByLabel("E-mail").fill(owner.email);
      await page.getByLabel("Manager").check();
      await page.keyboard.press("Enter");
      await page.getByText("Somebody on the staff has this e-mail address.").waitFor();
      await page.getByLabel("E-mail").fill("bruno@example.com");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "The link for Bruno Lima" });
      const link = await dialog.getByLabel("Link").inputValue();
      assert.match(link, /\/console\/#link=[\w-]{43}$/);
      await keepPicture(page, "staff-link");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.keyboard.press("Escape");
      await dialog.waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("row", { name: /Bruno Lima Invited bruno@example\.com Manager/ }).waitFor();

      const inside = await studio.openOutside(link.slice(studio.origin.length), { expected: [401] });
      await inside.page.getByText("For Bruno Lima, at Studio of rules.").waitFor();
      await inside.page.getByText("bruno@example.com").waitFor();
      assert.deepEqual(await findAxeFaults(inside.page), []);
      await keepPicture(inside.page, "choose-password");
      await inside.page.getByLabel("New password").fill("a long sentence of his");
      await inside.page.keyboard.press("Enter");
      await inside.page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await inside.page.goto(`${studio.origin}/console/settings`);
      await inside.page.getByText("This is for owners").waitFor();
      await inside.close();
      await open.close();
    },
  );

  withConsole("open links are shown with who made them, and one is revoked", async (studio, id, owner) => {
    const bruno = { name: "Bruno Lima", email: "bruno@example.com", role: "manager", allLocations: true };
    const made = await owner.write("addStaff", bruno);
    const open = await studio.open(id, "/console/settings", { ...PHONE, theme: "dark" });
    const { page } = open;
    const links = page.getByRole("table", { name: "Open links" });
    await links.getByRole("row", { name: /Bruno Lima Olga Owner/ }).waitFor();
    await keepPicture(page, "open-links-phone");
    assert.deepEqual(await findAxeFaults(page), []);
    assert.ok(await fitsItsWidth(page));
    await links.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke the link for Bruno Lima?" });
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The link for Bruno Lima is revoked.").waitFor();
    await links.waitFor({ state: "detached" });
    const accepted = await studio.api.call("POST", "/app/v1/acceptLink", {
      body: { token: made.body.result.link.split("#link=")[1], password: "a long sentence of his" },
      headers: { origin: studio.origin },
    });
    assert.equal(accepted.body.reason, "link_used");
    await open.close();
  });

  withConsole(
    "an owner is offered no places of work, and removing one says what stays",
    async (studio, id, owner) => {
      for (const name of ["Centro", "Praia"])
        await owner.write("addLocation", { name, timezone: "America/Sao_Paulo" });
      const desk = await studio.newStaff(id, { role: "front_desk", name: "Dora Desk", locationIds: [] });
      const open = await studio.open(id, "/console/settings/staff");
      const { page } = open;
      await page.getByRole("button", { name: "Actions for Dora Desk" }).click();
      await page.getByRole("menuitem", { name: "Edit" }).click();
      await page.getByLabel("Centro").check();
      await page.getByRole("radio", { name: /^Owner/ }).check();
      await page.getByLabel("Centro").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Dora Desk is saved.").waitFor();
      const { data } = (await owner.read("staff")).body;
      const { role, allLocations } = data.find((person: { id: string }) => person.id === desk.id);
      assert.deepEqual([role, allLocations], ["owner", true]);
      await page.getByRole("button", { name: "Actions for Dora Desk" }).click();
      await page.getByRole("menuitem", { name: "Remove" }).click();
      await page.getByText("API keys that they made go on working").waitFor();
      await open.close();
    },
  );

  withConsole("roles change with a way back, and the last owner stays", async (studio, id, owner) => {
    const desk = await studio.newStaff(id, { role: "front_desk", name: "Dora Desk" });
    const open = await studio.open(id, "/console/settings/staff", {
      ...PHONE,
      theme: "dark",
      expected: [409],
    });
    const { page } = open;
    const roleOf = async (staffId: string) =>
      (await owner.read("staff")).body.data.find((person: { id: string }) => person.id === staffId)?.role;
    await page.getByRole("button", { name: "Actions for Dora Desk" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Manager").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Dora Desk is saved.").waitFor();
    assert.equal(await roleOf(desk.id), "manager");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row", { name: /Dora Desk.*Front desk/ }).waitFor();
    assert.equal(await roleOf(desk.id), "front_desk");

    // A colleague changes the role while the name is typed: both stay.
    await page.getByRole("button", { name: "Actions for Dora Desk" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Name").fill("Dora Dias");
    await owner.write("editStaff", { staffId: desk.id, changes: { role: "manager" } });
    await until("the role is shown", () => page.getByLabel("Manager").isChecked());
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Dora Dias is saved.").waitFor();
    assert.equal(await roleOf(desk.id), "manager");

    // Olga goes; then the person at the screen is the only owner, who cannot.
    await page.getByRole("button", { name: "Actions for Olga Owner" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("Olga Owner is removed.").waitFor();
    await page.getByRole("button", { name: "Actions for Carla Dias" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByText("This is you: you will be signed out.").waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("The organization needs an owner; make somebody else an owner first.").waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    assert.ok(await fitsItsWidth(page));
    await open.close();
  });
});

describe("keys", () => {
  withConsole(
    "a key is made, replaced and revoked; each secret is shown once and works",
    async (studio, id) => {
      const open = await studio.open(id, "/console/settings/keys");
      const { page } = open;
      const answers = async (key: string) =>
        (await studio.api.call("GET", "/v1/locations", { headers: { authorization: `Bearer ${key}` } }))
          .status;
      await page.getByRole("button", { name: "New key" }).first().click();
      await page.getByLabel("What it is for").fill("Website");
      await page.getByLabel("Works").selectOption({ label: "90 days" });
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Your new key" }).waitFor();
      const first = await page.getByRole("textbox", { name: "Key" }).inputValue();
      await keepPicture(page, "key");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByRole("button", { name: "Done" }).click();
      assert.equal(await answers(first), 200);

      await page.getByRole("button", { name: "Actions for Website" }).click();
      await page.getByRole("menuitem", { name: "Replace" }).click();
      await page.getByLabel("The old key works for another").selectOption({ label: "no time at all" });
      await page.getByRole("button", { name: "Make the new key" }).click();
      const second = await page.getByRole("textbox", { name: "Key" }).inputValue();
      await page.getByRole("button", { name: "Done" }).click();
      assert.notEqual(second, first);
      assert.deepEqual([await answers(first), await answers(second)], [401, 200]);

      await page.getByRole("button", { name: "Actions for Website" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      await page
        .getByRole("dialog", { name: "Revoke Website?" })
        .getByRole("button", { name: "Revoke" })
        .click();
      await page.getByText("Website is revoked.").waitFor();
      assert.equal(await answers(second), 401);
      await page.getByLabel("Show keys that have ended").check();
      await page.getByRole("row", { name: /Website Revoked/ }).waitFor();
      assert.match(page.url(), /show=ended/);
      await open.close();
    },
  );
});

describe("the organization", () => {
  withConsole("its owner gives it another name and clock, and takes that back", async (studio, id, owner) => {
    const open = await studio.open(id, "/console/settings/organization", { expected: [409] });
    const { page } = open;
    await page.getByLabel("Name of the organization").fill("Studio of sunshine");
    await page.getByRole("combobox", { name: "Time zone" }).fill("tokyo");
    await page.getByRole("option", { name: /Asia\/Tokyo/ }).click();
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "organization");
    await page.getByRole("button", { name: "Save organization" }).click();
    await page.getByText("The organization is saved.").waitFor();
    await page.getByRole("button", { name: /Studio of sunshine/ }).waitFor();
    const now = async () => (await owner.read("me")).body.organization;
    assert.equal((await now()).timezone, "Asia/Tokyo");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: /Studio of rules/ }).waitFor();
    assert.equal((await now()).name, "Studio of rules");
    await open.close();
  });

  withConsole(
    "an owner sees limits and use, and the desk is told before it is refused",
    async (studio, id, owner) => {
      const { db } = studio.api;
      await owner.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
      const plain = await studio.open(id, "/console/settings/organization");
      await plain.page.getByText("1, no limit").waitFor();
      await plain.page.getByText("0 MB, no limit").waitFor();
      await plain.close();
      await changeOrganization(db, "test", id, {
        ...{ maxRecords: 10, uploadMegabytesPerDay: 500, requestsPerMinute: 1_200 },
      });
      for (let n = 2; n <= 9; n++) await owner.write("addClient", { contactName: `Client ${n}` });
      await numberChanges(db, id);
      const open = await studio.open(id, "/console/settings/organization");
      const { page } = open;
      for (const text of [
        "9 of 10",
        "0 MB of 500 MB",
        "0, at most 1,200 a minute",
        "There is little room left.",
      ])
        await page.getByText(text, { exact: false }).waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, "limits-and-use");
      await open.close();

      const desk = await studio.open(id, "/console/?", {
        role: "front_desk",
        ...PHONE,
        language: "pt-BR",
        theme: "dark",
      });
      await desk.page.getByText("9 de 10 registros estão guardados", { exact: false }).waitFor();
      assert.deepEqual(await findAxeFaults(desk.page), []);
      assert.ok(await fitsItsWidth(desk.page));
      await keepPicture(desk.page, "little-room-phone");
      await desk.close();

      await owner.write("addClient", { contactName: "Client 10" });
      await numberChanges(db, id);
      const full = await studio.open(id, "/console/clients", { expected: [403] });
      await full.page.getByRole("link", { name: "New client" }).first().click();
      await full.page.getByLabel("Name").first().fill("Ana");
      await full.page.keyboard.press("Enter");
      await full.page.getByText("stores 10 of at most 10 records", { exact: false }).waitFor();
      await full.close();
    },
  );

  withConsole(
    "an only owner is told how they come in again, with the operator's command",
    async (studio, id) => {
      const two = await studio.open(id, "/console/settings");
      await two.page.getByText("Another owner makes it here", { exact: false }).waitFor();
      await two.close();
      const { id: alone } = await studio.api.newOrganization();
      const open = await studio.open(alone, "/console/settings", { ...PHONE, language: "es", theme: "dark" });
      const { page } = open;
      await page.getByText("Usted es el único propietario", { exact: false }).waitFor();
      const command = await page.getByLabel("Quien administra el servidor escribe esto").inputValue();
      assert.match(command, new RegExp(`^rollbook staff link --org ${alone} --email [\\w.@+-]+$`));
      assert.deepEqual(await findAxeFaults(page), []);
      assert.ok(await fitsItsWidth(page));
      await keepPicture(page, "lost-owner");
      await open.close();
    },
  );
});

describe("rules", () => {
  withConsole(
    "rules are saved with their examples, after the password, and undone",
    async (studio, id, owner) => {
      const open = await studio.open(id, "/console/settings/organization", {
        passwordAge: "1 hour",
        expected: [403, 422],
      });
      const { page } = open;
      await page
        .getByText("for a class on Wednesday 18:00, until Wednesday 15:00.", { exact: false })
        .waitFor();
      await page.getByLabel("A booking can be cancelled without loss until").fill("24");
      await page.getByText("until Tuesday 18:00.", { exact: false }).waitFor();
      await page.getByRole("button", { name: "Save rules" }).click();
      // Whoever does not give it loses nothing of what was typed.
      await page
        .getByRole("dialog", { name: "Your password, please" })
        .getByRole("button", { name: "Cancel" })
        .click();
      await page.getByRole("alert").getByText("Enter your password again to do this.").waitFor();
      assert.equal(await page.getByLabel("A booking can be cancelled without loss until").inputValue(), "24");
      assert.deepEqual(await findAxeFaults(page), []);
      await open.close();

      const fresh = await studio.open(id, "/console/settings/organization", {
        language: "pt-BR",
        expected: [422],
      });
      await fresh.page.getByLabel("Um agendamento pode ser cancelado sem perda até").fill("9999");
      await fresh.page.getByRole("button", { name: "Salvar regras" }).click();
      await fresh.page.locator(".field-fault").waitFor();
      await fresh.page.getByLabel("Um agendamento pode ser cancelado sem perda até").fill("12");
      await fresh.page.getByLabel("no domingo").check();
      await fresh.page.getByRole("button", { name: "Salvar regras" }).click();
      await fresh.page.getByText("As regras foram salvas.").waitFor();
      const settingsNow = async () => {
        const { $schema: _, ...settings } = (await owner.read("settings")).body;
        return settings;
      };
      assert.deepEqual(await settingsNow(), {
        cancelWindowMinutes: 720,
        checkInOpensMinutes: 60,
        weekStart: "sunday",
        paymentDays: 0,
      });
      await fresh.page.getByRole("button", { name: "Desfazer" }).click();
      await fresh.page.getByText("de segunda a domingo", { exact: false }).waitFor();
      assert.equal((await settingsNow()).cancelWindowMinutes, 180);
      await fresh.close();
    },
  );
});
