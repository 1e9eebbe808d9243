import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import jsqr from "jsqr";
import type { Page } from "playwright-core";
import {
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";
import type { TestStaff } from "../support/staff.ts";

const opened = await startConsole();

/** A test that needs the browser, in an organization of its own; it is skipped where there is none. */
function withConsole(
  name: string,
  run: (studio: NonNullable<typeof opened>, organizationId: string, owner: TestStaff) => Promise<void>,
): void {
  test(name, async (t: TestContext) => {
    if (!opened) return t.skip("no Chromium on this machine");
    const { id } = await opened.api.newOrganization({ name: "Studio of calendars" });
    return run(opened, id, await opened.newStaff(id, { name: "Olga Owner" }));
  });
}

const QR_PIXELS = 200;

/** What a camera reads. The picture comes as one text: a list of its numbers would hold the server, which is in this process. */
async function readQrCode(page: Page): Promise<string | undefined> {
  const brightness = await page.evaluate<string>(`(async () => {
    const size = ${QR_PIXELS};
    const svg = document.querySelector(".qr-code").cloneNode(true);
    svg.setAttribute("width", size);
    svg.setAttribute("height", size);
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(svg));
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
    const drawing = canvas.getContext("2d");
    drawing.drawImage(image, 0, 0);
    const { data } = drawing.getImageData(0, 0, size, size);
    return Array.from({ length: size * size }, (_, pixel) => data[4 * pixel] > 127 ? "1" : "0").join("");
  })()`);
  const pixels = [...brightness].flatMap((bit) => [...Array(3).fill(bit === "1" ? 255 : 0), 255]);
  return jsqr.default(Uint8ClampedArray.from(pixels), QR_PIXELS, QR_PIXELS)?.data;
}

describe("calendar links", () => {
  withConsole(
    "an owner makes a link, which is shown once, replaces it and ends it",
    async (studio, id, owner) => {
      const added = await owner.write("addLocation", {
        name: "Vila Madalena",
        timezone: "America/Sao_Paulo",
      });
      assert.equal(added.status, 200);
      const open = await studio.open(id, "/console/settings/calendars");
      const { page } = open;
      await page.getByText("No calendar link yet").waitFor();
      await page.getByRole("button", { name: "New link" }).click();
      await page.getByLabel("Name").fill("Website");
      await page.getByLabel("Location").selectOption({ label: "Vila Madalena" });
      await page.getByLabel("Show seats").check();
      assert.deepEqual(await findAxeFaults(page), []);
      await keepPicture(page, "calendar-link-form");
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Your calendar link" });
      const address = await dialog.getByLabel("For Google, Outlook and others").inputValue();
      assert.match(address, /\/ics\/rbc_\w{38}\.ics$/);
      assert.equal(
        await dialog.getByLabel("For phones (Apple)").inputValue(),
        address.replace(/^http:/, "webcal:"),
      );
      assert.equal(await readQrCode(page), address.replace(/^http:/, "webcal:"));
      assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
      await keepPicture(page, "calendar-link-made");
      await page.keyboard.press("Escape");
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("row", { name: /Website Not yet/ }).waitFor();
      assert.equal((await fetch(address)).status, 200);
      await page.reload();
      await page.getByRole("row", { name: /Website/ }).waitFor();
      await keepPicture(page, "calendar-links");
      assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);

      await page.getByRole("button", { name: "Actions for Website" }).click();
      await page.getByRole("menuitem", { name: "Replace" }).click();
      await page.getByLabel("The old link works for another").selectOption({ label: "no time at all" });
      await page.getByRole("button", { name: "Make the link" }).click();
      const next = await dialog.getByLabel("For Google, Outlook and others").inputValue();
      await dialog.getByRole("button", { name: "Done" }).click();
      assert.equal((await fetch(address)).status, 404);

      await page.getByRole("button", { name: "Actions for Website" }).click();
      await page.getByRole("menuitem", { name: "End" }).click();
      await page.getByRole("dialog", { name: "End this link?" }).getByRole("button", { name: "End" }).click();
      await page.getByText("The link has ended.").waitFor();
      assert.equal((await fetch(next)).status, 404);
      await open.close();
    },
  );

  withConsole(
    "the front desk gives a client a code to scan on the client's page, on a phone and in the dark",
    async (studio, id, owner) => {
      await owner.write("addLocation", { name: "Vila Madalena", timezone: "America/Sao_Paulo" });
      const added = await owner.write("addClient", { contactName: "Ana Prado" });
      const clientId: string = added.body.result.id;
      const open = await studio.open(id, `/console/clients/${clientId}`, {
        ...PHONE,
        theme: "dark",
        language: "pt-BR",
        role: "front_desk",
      });
      const { page } = open;
      await page.getByRole("main").getByRole("button", { name: "Mais" }).click();
      await page.getByRole("menuitem", { name: "Agenda no celular…" }).click();
      const asked = page.getByRole("dialog", { name: "Agenda de Ana Prado" });
      await asked.getByRole("button", { name: "Criar um link" }).click();
      const made = page.getByRole("dialog", { name: "Seu link de agenda" });
      await made.waitFor();
      const address = await readQrCode(page);
      assert.match(address ?? "", /^webcal:\/\/\S+\/ics\/rbc_\w{38}\.ics$/);
      assert.ok(await fitsItsWidth(page));
      assert.deepEqual(await findSmallTargets(page), []);
      assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
      await keepPicture(page, "calendar-link-client-phone");
      await made.getByRole("button", { name: "Pronto" }).click();
      const link = (address ?? "").replace("webcal:", "http:");
      assert.equal((await fetch(link)).status, 200);

      await page.getByRole("main").getByRole("button", { name: "Mais" }).click();
      await page.getByRole("menuitem", { name: "Agenda no celular…" }).click();
      await asked.getByText(/Criado em/).waitFor();
      await keepPicture(page, "calendar-link-client-list");
      assert.deepEqual(await findAxeFaults(page), []);
      await asked.getByRole("button", { name: "Encerrar" }).click();
      await page
        .getByRole("dialog", { name: "Encerrar este link?" })
        .getByRole("button", { name: "Encerrar" })
        .click();
      await page.getByText("O link foi encerrado.").waitFor();
      assert.equal((await fetch(link)).status, 404);
      await open.close();
    },
  );
});
