import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import {
  findAxeFaults,
  fitsItsWidth,
  keepPicture,
  launchBrowser,
  openConsole,
  PHONE,
  startConsole,
  type TestConsole,
} from "../support/console.ts";
import { until } from "../support/poll.ts";
import { CHEAP, type TestStaff } from "../support/staff.ts";

const PASSWORD = "a long sentence of mine";
const stored = await new Passwords(CHEAP).hash(PASSWORD, Buffer.alloc(16));
const opened = await startConsole();

/** A test that needs the browser, in an organization of its own; it is skipped where there is none. */
function withConsole(
  name: string,
  run: (studio: TestConsole, organizationId: string) => Promise<void>,
): void {
  test(name, async (t: TestContext) => {
    if (!opened) return t.skip("no Chromium on this machine");
    const { id } = await opened.api.newOrganization({ name: "Studio of accounts" });
    return run(opened, id);
  });
}

/** A client, whose name is on the list of clients. */
async function addRosa(staff: TestStaff): Promise<void> {
  await staff.write("addLocation", { name: "Centro", timezone: "America/Sao_Paulo" });
  assert.equal((await staff.write("addClient", { contactName: "Rosa Prado" })).status, 200);
}

const endAll = pooled("test_end_sign_ins", "update sign_ins set ended_at = now() where organization_id = $1");

describe("an account", () => {
  withConsole(
    "has another password: the wrong old one and an easy new one are told at their fields",
    async (studio, id) => {
      const open = await studio.open(id, "/console/", { password: stored, expected: [401, 422] });
      const { page } = open;
      await page.getByRole("button", { name: /Studio of accounts/ }).click();
      await page.getByRole("button", { name: "Change password" }).click();
      const dialog = page.getByRole("dialog", { name: "Change your password" });
      const fill = async (before: string, after: string) => {
        await dialog.getByLabel("Current password").fill(before);
        await dialog.getByLabel("New password").fill(after);
        await page.keyboard.press("Enter");
      };
      await fill("not my password", "quite another sentence");
      await dialog.getByText("This is not your password.").waitFor();
      await fill(PASSWORD, "Studio of accounts");
      await dialog.getByText(/harder to guess/).waitFor();
      await keepPicture(page, "change-password");
      assert.deepEqual(await findAxeFaults(page), []);
      await fill(PASSWORD, "quite another sentence");
      await page.getByText("Your password is changed.").waitFor();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Clients" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0, "this browser goes on");
      await open.close();
    },
  );

  withConsole("shows where one is signed in, and ends the others", async (studio, id) => {
    const open = await studio.open(id, "/console/", { ...PHONE, theme: "dark", password: stored });
    const { page } = open;
    const me = (await (await page.request.get(`${studio.origin}/app/v1/me`)).json()) as {
      staff: { email: string };
    };
    const signIn = (userAgent: string) =>
      studio.api.call("POST", "/app/v1/signIn", {
        body: { email: me.staff.email, password: PASSWORD },
        headers: { origin: studio.origin, "user-agent": userAgent },
      });
    await signIn("Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/142.0");
    await signIn(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
    );
    await signIn("Mozilla/5.0 (Linux; Android 10; K) Chrome/142.0.0.0 Mobile Safari/537.36");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: /Studio of accounts/ }).click();
    await page.getByRole("button", { name: "Your sign-ins" }).click();
    const dialog = page.getByRole("dialog", { name: "Your sign-ins" });
    await dialog.getByRole("row", { name: /This one/ }).waitFor();
    await keepPicture(page, "sign-ins-phone");
    assert.deepEqual(await findAxeFaults(page), []);
    assert.ok(await fitsItsWidth(page));
    await dialog
      .getByRole("row", { name: /Firefox, Windows/ })
      .getByRole("button", { name: "End" })
      .click();
    await page.getByText("One sign-in has ended.").waitFor();
    await dialog.getByRole("row", { name: /Firefox/ }).waitFor({ state: "detached" });
    await dialog.getByRole("row", { name: /Safari, iPhone/ }).waitFor();
    await dialog.getByRole("button", { name: "End all others" }).click();
    await page.getByText("2 sign-ins have ended.").waitFor();
    await dialog
      .getByRole("row", { name: /iPhone|Android/ })
      .first()
      .waitFor({ state: "detached" });
    assert.equal(await dialog.getByRole("row").count(), 2, "the heading and this one");
    await keepPicture(page, "sign-ins-alone-phone");
    await dialog.getByRole("button", { name: "End all others" }).click();
    await page.getByText("No other sign-in was open.").waitFor();
    await open.close();
  });

  withConsole(
    "is used by what somebody does, not by what the open page reads by itself",
    async (studio, id) => {
      const colleague = await studio.newStaff(id);
      const open = await studio.open(id, "/console/clients");
      const { page } = open;
      await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
      const asked: { readonly path: string; readonly isAttended: boolean }[] = [];
      page.on("request", (request) => {
        const isAttended = request.headers()["rollbook-attended"] !== undefined;
        asked.push({ path: new URL(request.url()).pathname, isAttended });
      });
      await addRosa(colleague);
      await page.getByText("Rosa Prado").waitFor();
      assert.ok(asked.some(({ path }) => path.startsWith("/app/v1/clients")));
      assert.deepEqual(
        asked.filter(({ isAttended }) => isAttended),
        [],
      );
      await page.getByText("Rosa Prado").click();
      await until("it is told", async () => asked.some(({ isAttended }) => isAttended));
      await open.close();
    },
  );

  withConsole(
    "a sign-in that ends under the password dialog offers to sign in, and goes on with what was asked",
    async (studio, id) => {
      const open = await studio.open(id, "/console/settings/keys", {
        password: stored,
        passwordAge: "16 minutes",
        expected: [401, 403],
      });
      const { page } = open;
      await page.getByRole("button", { name: "New key" }).first().click();
      await page.getByLabel("What it is for").fill("Website");
      await page.keyboard.press("Enter");
      const password = page.getByRole("dialog", { name: "Your password, please" });
      await password.getByLabel("Password").fill(PASSWORD);
      await studio.api.db.query(endAll, [id]);
      await password.getByRole("button", { name: "Continue" }).click();
      const ended = page.getByRole("dialog", { name: "Please sign in again" });
      await ended.getByLabel("Password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Your new key" }).waitFor();
      await open.close();
    },
  );
});

describe("signing out", () => {
  withConsole("says so if it failed, and then does it", async (studio, id) => {
    const open = await studio.open(id, "/console/", { expected: [401] });
    const { page } = open;
    await page.getByRole("button", { name: /Studio of accounts/ }).click();
    await page.route("**/app/v1/signOut", (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are still signed in").waitFor();
    await keepPicture(page, "sign-out-failed");
    assert.deepEqual(await findAxeFaults(page), []);
    await page.unroute("**/app/v1/signOut");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await open.close();
  });

  withConsole("empties the other tabs too, whatever is typed there", async (studio, id) => {
    const colleague = await studio.newStaff(id);
    await addRosa(colleague);
    const open = await studio.open(id, "/console/clients", { expected: [401] });
    const { page } = open;
    await page.getByText("Rosa Prado").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${studio.origin}/console/clients/new`);
    await other.getByLabel("Name").fill("Somebody else");
    await page.getByRole("button", { name: /Studio of accounts/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [page, other]) await tab.getByRole("heading", { name: "Sign in" }).waitFor();
    await open.close();
  });

  test("leaves nothing to the back button, also of pages that the browser keeps as they were", async (t) => {
    const browser = await launchBrowser({ keepsPages: true });
    if (!browser) return t.skip("no Chromium on this machine");
    const studio = await openConsole(browser);
    try {
      const { id } = await studio.api.newOrganization({ name: "Studio of accounts" });
      const colleague = await studio.newStaff(id);
      await addRosa(colleague);
      const open = await studio.open(id, "/console/clients", { expected: [401] });
      const { page } = open;
      await page.getByText("Rosa Prado").waitFor();

      // Left for another page of this server and come back to: where the browser keeps pages, it is the same page, and is shown.
      await page.evaluate("window.isKept = true");
      await page.goto(`${studio.origin}/livez`);
      await page.goBack({ waitUntil: "commit" });
      await page.getByText("Rosa Prado").waitFor();
      const isKept = (await page.evaluate("window.isKept")) === true;
      const leave = () =>
        isKept ? page.goto(`${studio.origin}/livez`) : page.evaluate(pageTransition("pagehide"));
      const comeBack = () =>
        isKept ? page.goBack({ waitUntil: "commit" }) : page.evaluate(pageTransition("pageshow"));
      await leave();
      await comeBack();
      await page.getByText("Rosa Prado").waitFor();

      // The same, but signed out in another tab meanwhile.
      await leave();
      const other = await page.context().newPage();
      await other.goto(`${studio.origin}/console/clients`);
      await other.getByText("Rosa Prado").waitFor();
      await other.getByRole("link", { name: "History" }).first().click();
      await other.getByRole("heading", { level: 1, name: "History" }).waitFor();
      await other.getByRole("button", { name: /Studio of accounts/ }).click();
      await other.getByRole("button", { name: "Sign out" }).click();
      await other.getByRole("heading", { name: "Sign in" }).waitFor();
      await comeBack();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await page.getByText("Rosa Prado").count(), 0);

      // And the tab that was signed out itself.
      await other.goBack({ waitUntil: "commit" });
      await other.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await other.getByText("Rosa Prado").count(), 0);
      await open.close();
    } finally {
      await studio.close();
      await browser.close();
    }
  });
});

/** What a kept page is told, for a browser that keeps none (Chromium's headless shell). */
function pageTransition(type: "pagehide" | "pageshow"): string {
  return `dispatchEvent(new PageTransitionEvent("${type}", { persisted: true }))`;
}
