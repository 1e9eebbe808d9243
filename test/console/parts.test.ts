import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import {
  DESK,
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  PHONE,
  startConsole,
} from "../support/console.ts";

const opened = await startConsole();
const FOLDER = fileURLToPath(new URL("../../../test/data/parts/", import.meta.url));
/** Of all pixels, how many may differ from the picture: smoothing of edges is not the same on every machine. */
const TOLERANCE = 0.002;
const PICTURES = [
  ["desk-light", { ...DESK, theme: "light" }],
  ["desk-dark", { ...DESK, theme: "dark" }],
  ["phone-dark", { ...PHONE, theme: "dark" }],
  ["phone-light", { ...PHONE, theme: "light" }],
] as const;

/** The browser and the fonts by which a picture was made: with others, all pixels differ and nothing is wrong. */
function fingerprint(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = "100px " + getComputedStyle(document.body).fontFamily;
    return navigator.userAgent.match(/Chrome\\/\\d+/) + " " + context.measureText("Rollbook 0123 ãé").width.toFixed(2);
  })()`);
}

// Both widths and both themes in each run.
for (const [name, options] of PICTURES)
  test(`the parts look as they did: ${name}`, async (t) => {
    if (!opened) return t.skip("no Chromium on this machine");
    const { page, close } = await opened.openOutside("/console/#parts", options);
    await page.getByRole("heading", { name: "Icons" }).waitFor();
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    assert.deepEqual(await findSmallTargets(page), []);
    assert.ok(await fitsItsWidth(page));
    const picture = (await page.screenshot({ fullPage: true, type: "jpeg", quality: 50 })).toString("base64");
    const made = await fingerprint(page);
    const [file, source] = [`${FOLDER}${name}.jpg`, `${FOLDER}${name}.txt`];
    if (process.env.UPDATE_PICTURES) {
      writeFileSync(file, Buffer.from(picture, "base64"));
      writeFileSync(source, `${made}\n`);
    }
    const isSameBrowser = existsSync(source) && readFileSync(source, "utf8").trim() === made;
    if (isSameBrowser) {
      const share = await differingShare(page, picture, readFileSync(file).toString("base64"));
      assert.ok(
        share <= TOLERANCE,
        `${(share * 100).toFixed(2)} % of the pixels differ from ${file}: look at it, and if it is meant, UPDATE_PICTURES=1`,
      );
    } else
      t.diagnostic(`no comparison: the picture was made with another browser or other fonts than ${made}`);
    await close();
  });

/** The share of pixels that differ noticeably between two pictures, counted by the browser itself; 1 if the sizes differ. */
function differingShare(page: Page, one: string, other: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const read = async (data) => {
      const image = new Image();
      image.src = "data:image/jpeg;base64," + data;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [a, b] = [await read("${one}"), await read("${other}")];
    if (a.width !== b.width || a.height !== b.height) return 1;
    let differing = 0;
    for (let at = 0; at < a.data.length; at += 4)
      if (Math.max(Math.abs(a.data[at] - b.data[at]), Math.abs(a.data[at + 1] - b.data[at + 1]), Math.abs(a.data[at + 2] - b.data[at + 2])) > 48) differing += 1;
    return differing / (a.data.length / 4);
  })()`);
}
