import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { linkByEmail } from "../../src/domain/staff/operations.ts";
import { findAxeFaults, keepPicture, startConsole, type TestConsole } from "../support/console.ts";
import { newId } from "../support/ids.ts";

const opened = await startConsole();
const PASSWORD = "a long sentence of mine";
const ageFreshness = pooled(
  "test_age_freshness",
  "update sign_ins set fresh_at = fresh_at - interval '16 minutes' where organization_id = $1",
);

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(name: string, run: (studio: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

async function newLink(
  { api, origin }: TestConsole,
  organizationId: string,
  email = `${newId()}@example.com`,
) {
  const { result } = await linkByEmail(
    {
      db: api.db,
      actor: operator(),
      organizationId,
      ...{
        keySecret: api.keySecret,
        publicUrl: origin,
      },
    },
    { email, name: "Nina", role: "manager" },
  );
  const link = result.link ?? "";
  return { email, address: link.slice(origin.length) };
}

describe("coming in", () => {
  withConsole(
    "a link sets the password and is in; used again it says so; the password then does",
    async (studio) => {
      const { id } = await studio.api.newOrganization({ name: "Studio of links" });
      const { email, address } = await newLink(studio, id);
      const first = await studio.openOutside(address, { expected: [401, 404, 422] });
      const { page } = first;
      await page.getByLabel("New password").fill("short");
      await page.getByRole("button", { name: "Save and sign in" }).click();
      await page.getByRole("alert").waitFor();
      await keepPicture(page, "link");
      assert.deepEqual(await findAxeFaults(page), []);
      await page.getByLabel("New password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      assert.equal(new URL(page.url()).hash, "", "the secret is gone from the address");
      await first.close();

      const second = await studio.openOutside(address, { expected: [401, 404] });
      // Said before anything is typed.
      await second.page.getByText("This link has been used or has expired.").waitFor();
      await second.page.getByRole("button", { name: "Sign in" }).click();
      await second.page.getByLabel("E-mail").fill(email);
      await second.page.getByLabel("Password").fill("a wrong sentence of mine");
      await second.page.keyboard.press("Enter");
      await second.page.getByRole("alert").waitFor();
      await second.page.getByLabel("Password").fill(PASSWORD);
      await second.page.keyboard.press("Enter");
      await second.page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await second.close();
    },
  );

  withConsole(
    "whoever comes in by a link while somebody else is signed in has every tab to themselves",
    async (studio) => {
      const before = await studio.api.newOrganization({ name: "Studio of the first" });
      const after = await studio.api.newOrganization({ name: "Studio of the second" });
      const { address } = await newLink(studio, after.id);
      const open = await studio.open(before.id, "/console/clients/new");
      const { page } = open;
      // What is typed there is no reason to stay.
      await page.getByLabel("Name").fill("Rosa Prado");
      const other = await page.context().newPage();
      await other.goto(studio.origin + address);
      await other.getByLabel("New password").fill(PASSWORD);
      await other.keyboard.press("Enter");
      for (const tab of [other, page]) {
        await tab.getByRole("button", { name: /Nina.*Studio of the second/ }).waitFor();
        assert.equal(await tab.getByText("Studio of the first").count(), 0);
        assert.equal(tab.url(), `${studio.origin}/console/`);
      }
      await open.close();
    },
  );

  withConsole("a link that is pasted into an open tab is followed", async (studio) => {
    const before = await studio.api.newOrganization({ name: "Studio of the first" });
    const after = await studio.api.newOrganization({ name: "Studio of the second" });
    const { address } = await newLink(studio, after.id);
    const open = await studio.open(before.id, "/console/");
    const { page } = open;
    await page.getByRole("button", { name: /Studio of the first/ }).waitFor();
    // As the browser does when only what is after the # differs.
    await page.evaluate(`location.assign(${JSON.stringify(address)})`);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Nina.*Studio of the second/ }).waitFor();
    assert.equal(page.url(), `${studio.origin}/console/`, "the secret is gone from the address");
    await open.close();
  });

  withConsole(
    "a deep address opens after signing in, and the way out leaves nothing behind",
    async (studio) => {
      const { id } = await studio.api.newOrganization({ name: "Studio of doors" });
      const open = await studio.open(id, "/console/clients?query=silva", { expected: [401] });
      const { page } = open;
      await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
      assert.equal(new URL(page.url()).search, "?query=silva");
      await page.getByRole("button", { name: /Studio of doors/ }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      const { cookies } = await page.context().storageState();
      assert.deepEqual(
        cookies.filter(({ name }) => name === "rollbook"),
        [],
      );
      await open.close();
    },
  );

  withConsole(
    "a passkey is made, signs in, stands for the password, and opens nothing once it is removed",
    async (studio) => {
      const { id } = await studio.api.newOrganization({ name: "Studio of passkeys" });
      const open = await studio.open(id, "/console/", {
        role: "front_desk",
        expected: [401, 403],
        isAlone: true,
      });
      const { page } = open;
      const authenticator = await page.context().newCDPSession(page);
      await authenticator.send("WebAuthn.enable");
      await authenticator.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const openPasskeys = async () => {
        await page.getByRole("button", { name: /Studio of passkeys/ }).click();
        await page.getByRole("button", { name: "Your passkeys" }).click();
      };
      const signOut = async () => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: /Studio of passkeys/ }).click();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in" }).waitFor();
      };
      await openPasskeys();
      await page.getByText("You have no passkey yet.").waitFor();
      const add = async () => {
        await page.getByRole("button", { name: "Add a passkey" }).click();
        await page.getByLabel("Name").fill("Front desk");
        await page.keyboard.press("Enter");
      };
      await add();
      await page.getByRole("row", { name: /Front desk never/ }).waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, "passkeys");
      await add();
      await page.getByText("There is a passkey of yours at this place already.").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await signOut();

      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, "sign-in");
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await openPasskeys();
      await page.getByRole("row", { name: /Front desk (now|\d+ seconds? ago)/ }).waitFor();

      await studio.api.db.query(ageFreshness, [id]);
      await page.getByRole("button", { name: "Remove" }).click();
      await page
        .getByRole("dialog", { name: /^Remove/ })
        .getByRole("button", { name: "Remove" })
        .click();
      await page.getByRole("heading", { name: "Your password, please" }).waitFor();
      await keepPicture(page, "password-or-passkey");
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByText("You have no passkey yet.").waitFor();
      await signOut();
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.getByText("This passkey no longer works here.").waitFor();
      await open.close();
    },
  );

  withConsole("language and theme are chosen once and are there from the first frame on", async (studio) => {
    const { id } = await studio.api.newOrganization({ name: "Studio of looks" });
    const open = await studio.open(id, "/console/", { role: "manager" });
    const { page } = open;
    await page.getByRole("button", { name: /Studio of looks/ }).click();
    await page.getByLabel("Português (Brasil)").check();
    await page.getByLabel("Escura").check();
    await page.getByRole("button", { name: "Fechar" }).click();
    await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
    const answer = await page.request.get(`${studio.origin}/console/`);
    assert.match(await answer.text(), /<html lang="pt-BR" data-theme="dark"/);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Hoje" }).waitFor();
    await open.close();
  });
});

describe("going about", () => {
  withConsole("by keyboard alone: the palette, and back", async (studio) => {
    const { organization } = await studio.newDemo();
    const open = await studio.open(organization.id, "/console/");
    const { page } = open;
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search" });
    await field.waitFor();
    await page.keyboard.type("Histo");
    await page.getByRole("option", { name: /History/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
    assert.equal(await page.title(), "History · Rollbook");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await open.close();
  });

  withConsole("the palette stays where it is, and begins with whom and what one had last", async (studio) => {
    const { id } = await studio.api.newOrganization();
    const owner = await studio.newStaff(id);
    const place = (await owner.write("addLocation", { name: "Downtown", timezone: "Etc/UTC" })).body.result;
    const client = { contactName: "Zuleica Prado", locationIds: [place.id] };
    const { result } = (await owner.write("addClient", client)).body;
    const open = await studio.open(id, `/console/clients/${result.id}`, { role: "manager" });
    const { page } = open;
    await page.getByRole("heading", { level: 1, name: "Zuleica Prado" }).waitFor();
    const top = async () => (await page.getByRole("dialog", { name: "Search" }).boundingBox())?.y;
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Zuleica Prado Recent" }).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await keepPicture(page, "palette-recent");
    const before = await top();
    await page.keyboard.type("New pl");
    await page.getByRole("option", { name: "New plan" }).waitFor();
    await page.getByRole("option", { name: /Zuleica/ }).waitFor({ state: "detached" });
    assert.equal(await top(), before);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /plan/i }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "New plan Recent" }).waitFor();
    assert.equal(await page.getByRole("option", { name: /^New plan/ }).count(), 1);
    await page.getByRole("option", { name: "Zuleica Prado Recent" }).click();
    await page.getByRole("heading", { level: 1, name: "Zuleica Prado" }).waitFor();
    await open.close();
  });

  withConsole("an address that is none says so and leads on", async (studio) => {
    const { id } = await studio.api.newOrganization();
    const open = await studio.open(id, "/console/nothing/here", { role: "manager" });
    await open.page.getByText("There is nothing at this address.").waitFor();
    await open.page.getByRole("link", { name: "Go to Today" }).click();
    await open.page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await open.close();
  });

  withConsole("the front desk has no menu entries that are the owner's", async (studio) => {
    const { id } = await studio.api.newOrganization();
    const open = await studio.open(id, "/console/", { role: "front_desk" });
    const menu = open.page.getByRole("navigation", { name: "Menu" }).first();
    await menu.getByRole("link", { name: "Calendar" }).waitFor();
    assert.equal(await menu.getByRole("link", { name: "Staff and settings" }).count(), 0);
    await open.close();
  });
});
