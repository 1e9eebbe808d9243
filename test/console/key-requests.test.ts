import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { mintKey } from "../../src/domain/keys/operations.ts";
import { insertRequests, type PackedRequest } from "../../src/domain/keys/request-rows.ts";
import {
  DESK,
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
} from "../support/console.ts";

const opened = await startConsole();

test("an owner looks at what came with a key, at what failed alone, and at older pages", async (t: TestContext) => {
  if (!opened) return t.skip("no Chromium on this machine");
  const { api } = opened;
  const { id: organizationId } = await api.newOrganization({ name: "Studio of keys" });
  const { id: keyId } = await mintKey(api.db, api.keySecret, "test", { organizationId, name: "Newsletter" });
  const now = await api.db.now();
  const entry = (number: number): PackedRequest => [
    now - number * 60_000,
    "getOrganization",
    200,
    3,
    `request-${number}`,
  ];
  const failure: PackedRequest = [
    ...[now - 90_000, "createClient", 422, 1234, "e3f0c9a2-96f5-4c3e-9c5e-0f9a1c7a2b11"],
    ...[
      "invalid",
      "values_invalid",
      [
        ["body.contactEmail", "email_invalid"],
        ["body.locationIds", "location_required"],
        // Their names are not kept.
        ["body", "unknown_member"],
        ["body", "unknown_member"],
      ],
      14,
    ],
  ] as unknown as PackedRequest;
  const row = (place: number, failed: boolean, entries: readonly PackedRequest[], leftOut: number) => ({
    ...{ organizationId, keyId, failed, kept: entries.length, leftOut, entries },
    id: `0190000${place}-0000-7000-8000-000000000001`,
  });
  await insertRequests(
    api.db,
    [
      row(3, true, [failure], 0),
      row(
        2,
        false,
        Array.from({ length: 100 }, (_, number) => entry(number + 1)),
        1_247,
      ),
      row(1, false, [entry(200)], 0),
    ],
    now,
  );
  for (const [view, theme, language] of [
    [DESK, "light", "en"],
    [{ width: 1280, height: 900 }, "dark", "es"],
    [PHONE, "dark", "pt-BR"],
    [PHONE, "light", "en"],
  ] as const) {
    const words = {
      en: [
        "Actions for Newsletter",
        "Requests",
        "Only what failed",
        "Show older ones",
        /^1,247 more requests came/,
      ],
      es: [
        "Acciones de Newsletter",
        "Solicitudes",
        "Solo lo que falló",
        "Mostrar anteriores",
        /1[.,]?247 solicitudes más/,
      ],
      "pt-BR": [
        "Ações de Newsletter",
        "Requisições",
        "Só o que falhou",
        "Mostrar anteriores",
        /Mais 1[.,]?247 requisições/,
      ],
    } as const;
    const [actions, requests, failed, older, leftOut] = words[language];
    const { page, close } = await opened.open(organizationId, "/console/settings/keys", {
      ...view,
      theme,
      language,
    });
    await page.getByRole("button", { name: actions }).click();
    await page.getByRole("menuitem", { name: requests }).click();
    const panel = page.getByRole("dialog", { name: `${requests}: Newsletter` });
    await panel.getByText("email_invalid").waitFor();
    await keepPicture(page, `key-requests-${view.width}-${theme}-${language}`);
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    assert.deepEqual(await findSmallTargets(page), []);
    assert.ok(await fitsItsWidth(page));
    await panel.getByText(leftOut).waitFor();
    await panel.getByRole("button", { name: older }).click();
    await panel.getByText("request-200").waitFor();
    await panel.getByLabel(failed).check();
    await panel.getByText("request-1", { exact: false }).first().waitFor({ state: "detached" });
    await panel.getByText("createClient").waitFor();
    assert.equal(await panel.locator("li").count(), 1);
    assert.equal(await panel.getByText("unknown_member").count(), 2);
    await close();
  }
});
