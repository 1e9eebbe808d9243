import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import {
  DESK,
  findAxeFaults,
  findSmallTargets,
  fitsItsWidth,
  keepPicture,
  PHONE,
  startConsole,
  type TestConsole,
} from "../support/console.ts";
import { addLocation } from "../support/records.ts";

const opened = await startConsole();

/** A test that needs the browser; it is skipped where there is none. */
function withConsole(name: string, run: (studio: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

async function newStudio({ api }: TestConsole, locations: readonly string[] = ["Centro"]) {
  const studio = await api.newOrganization({ name: "Estúdio Aurora" });
  for (const name of locations) await addLocation(api.db, studio.id, { name });
  const names = async () => {
    const { body } = await studio.get("/v1/clients?limit=200");
    return (body.data as { contactName: string }[]).map(({ contactName }) => contactName).sort();
  };
  return { ...studio, names };
}

const sheet = (text: string, name = "clientes.csv") => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text, "latin1"),
});

/** Semicolons, accents in Windows-1252, a date of no month, a CPF with a wrong digit, a cell too many. */
const FAULTY = sheet(
  [
    "Nome;E-mail;Nascimento;CPF;Observações",
    "João Conceição;joao@example.com;23/04/1990;529.982.247-25;",
    "Márcia Antônia;marcia@example.com;31/02/1988;;",
    "Álvaro Muñoz;alvaro@example.com;;111.444.777-36;",
    "Inês Brandão;ines@example.com;01/12/1975;;prefere manhã; joelho",
    "Rui;rui;;;",
  ].join("\r\n"),
);

const choose = (page: Page, file: ReturnType<typeof sheet>) =>
  page.locator('input[type="file"]').setInputFiles(file);
/** Drops a file anywhere on the page. */
const dropFile = (page: Page, text: string) =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], "clientes.csv"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }`);
const rowOf = (page: Page, row: string) => page.locator(".faulty-row").filter({ hasText: row });

withConsole("a faulty Windows-1252 sheet is fixed in place and brought in", async (console) => {
  const studio = await newStudio(console);
  const open = await console.open(studio.id, "/console/import", { language: "pt-BR" });
  const { page } = open;
  await page.getByRole("heading", { level: 1, name: "Importar" }).waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "import-empty");
  await choose(page, FAULTY);
  await page.getByRole("heading", { name: "1 linha precisa de correção" }).waitFor();
  await page.getByText("3 linhas entram sem algum dado").click();
  await page.getByText("O arquivo foi lido como Windows-1252.").waitFor();
  assert.equal(await page.getByLabel("Nascimento", { exact: true }).first().inputValue(), "birthdate");
  await page.getByText("João Conceição · Márcia Antônia · Álvaro Muñoz").waitFor();
  await keepPicture(page, "import-faulty");
  assert.deepEqual(await findAxeFaults(page), []);
  assert.deepEqual(await findSmallTargets(page), []);

  await page.setViewportSize(PHONE);
  assert.ok(await fitsItsWidth(page));
  await keepPicture(page, "import-faulty-phone");
  assert.deepEqual(await findAxeFaults(page), []);
  await page.setViewportSize(DESK);

  const date = rowOf(page, "Linha 3").getByLabel("Nascimento");
  await rowOf(page, "Linha 3").getByText("não é uma data; escreva DD/MM/AAAA ou AAAA-MM-DD").waitFor();
  assert.equal(await date.getAttribute("aria-invalid"), "true");
  await date.fill("28/02/1988");
  await rowOf(page, "Linha 4").getByLabel("CPF").fill("111.444.777-35");
  const divided = rowOf(page, "Linha 5");
  await divided.getByRole("button", { name: "Juntar com a próxima célula" }).last().click();
  assert.equal(await divided.getByLabel("Observações").inputValue(), "prefere manhã; joelho");
  await rowOf(page, "Linha 6").getByRole("button", { name: "Deixar esta linha de fora" }).click();
  await keepPicture(page, "import-fixed");
  await page.getByRole("button", { name: "Verificar de novo" }).first().click();

  await page.getByText("4 clientes serão adicionados.").waitFor();
  await page.getByText("1 linha fica de fora.").waitFor();
  await keepPicture(page, "import-ready");
  assert.deepEqual(await findAxeFaults(page), []);
  assert.deepEqual(await studio.names(), [], "nothing is written before it is confirmed");
  await page.getByRole("button", { name: "Adicionar 4 clientes" }).click();
  await page.getByText("4 clientes adicionados.").waitFor();
  await keepPicture(page, "import-done");
  assert.deepEqual(await findAxeFaults(page), []);
  assert.deepEqual(await studio.names(), [
    "Inês Brandão",
    "João Conceição",
    "Márcia Antônia",
    "Álvaro Muñoz",
  ]);
  await page.getByRole("button", { name: "Desfazer esta importação" }).click();
  await page.getByText("4 clientes que ela adicionou são removidos.").waitFor();
  await keepPicture(page, "import-undo");
  assert.deepEqual(await findAxeFaults(page), []);
  await page.getByRole("button", { name: "Desfazer", exact: true }).click();
  await page.getByRole("heading", { name: "A importação foi desfeita" }).waitFor();
  assert.deepEqual(await studio.names(), []);
  await open.close();
});

withConsole(
  "what is not certain is asked in place, and people who are there are left or changed",
  async (console) => {
    const studio = await newStudio(console, ["Centro", "Norte"]);
    const open = await console.open(studio.id, "/console/import", { ...PHONE, theme: "dark" });
    const { page } = open;
    await choose(
      page,
      sheet("ID;Nome;Obs;Notas;Nascimento;RG\n1;Ana;a;b;04/23/1990;12.345\n2;Bia;;;05/06/1991;\n"),
    );
    await page.getByRole("heading", { name: "Please answer first" }).waitFor();
    await keepPicture(page, "import-questions-phone-dark");
    assert.deepEqual(await findAxeFaults(page), []);
    assert.ok(await fitsItsWidth(page));
    await page.getByRole("button", { name: "A number of my list" }).click();
    await page.getByLabel("Location of rows that name none").first().selectOption({ label: "Norte" });
    await page.getByText("Choose which comes first in all dates").waitFor();
    await page.getByLabel("Dates").first().selectOption({ label: "Month first: 04/23/1990" });
    await page.getByText("2 clients will be added.").waitFor();
    await keepPicture(page, "import-ready-phone-dark");
    assert.ok(await fitsItsWidth(page));
    await page.getByRole("button", { name: "Add 2 clients" }).click();
    await page.getByText("2 clients were added.").waitFor();
    await page.getByRole("button", { name: "Another file" }).click();
    await choose(page, sheet("Nome;RG;Telefone;Unidade\nAna;12.345;11 90000-0000;Norte\n"));
    await page.getByText("There is nothing to bring in.").waitFor();
    await page.getByText("1 client is there already and stays as is.").waitFor();
    await page.getByLabel("Change those who are there already to what the sheet says").check();
    await page.getByText("1 client will be changed.").waitFor();
    await page.getByRole("button", { name: "Bring in" }).click();
    await page.getByText("1 client was changed.").waitFor();
    assert.deepEqual(await studio.names(), ["Ana", "Bia"]);
    await open.close();
  },
);

withConsole(
  "corrections survive a lost connection and another screen, and leaving asks first",
  async (console) => {
    const studio = await newStudio(console);
    const open = await console.open(studio.id, "/console/import", DESK);
    const { page } = open;
    await page.getByText("Drop a spreadsheet here").waitFor();
    await dropFile(page, "Nome;CPF\n;529.982.247-25\n");
    await rowOf(page, "Row 2").getByLabel("Nome").fill("Ana");
    await page.getByRole("link", { name: "Clients" }).first().click();
    await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Stay" }).click();
    assert.equal(await rowOf(page, "Row 2").getByLabel("Nome").inputValue(), "Ana");
    await page.getByRole("link", { name: "Clients" }).first().click();
    await page.getByRole("button", { name: "Leave", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
    await page.goBack();
    assert.equal(await rowOf(page, "Row 2").getByLabel("Nome").inputValue(), "Ana");

    await page.getByRole("button", { name: "Another file" }).click();
    await page.getByRole("heading", { name: "Begin again with another file?" }).waitFor();
    await page.getByRole("button", { name: "Stay" }).click();

    let isLost = true;
    await page.route("**/app/v1/readSheet", (route) => (isLost ? route.abort() : route.continue()));
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("Reading the file").waitFor();
    isLost = false;
    await page.getByText("1 client will be added.").waitFor();
    // The answer to the import itself is lost: it was carried out, and is not carried out again.
    let sent = 0;
    await page.route("**/app/v1/importClients", async (route) => {
      if (sent++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole("button", { name: "Add 1 client" }).click();
    await page.getByText("1 client was added.").waitFor();
    assert.equal(sent, 2);
    assert.deepEqual(await studio.names(), ["Ana"]);
    await open.close();
  },
);

withConsole(
  "the keyboard alone brings a sheet in, and rows that nobody corrects are left out together",
  async (console) => {
    const studio = await newStudio(console);
    const open = await console.open(studio.id, "/console/import", { language: "es", theme: "dark", ...DESK });
    const { page } = open;
    // Focus and key in one step: a screen that has just been drawn takes the focus to its heading.
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.locator('input[type="file"]').press("Space"),
    ]);
    const faulty = Array.from({ length: 30 }, (_, i) => `;${i}\n`);
    await chooser.setFiles(sheet(`Nombre;Documento\n${"Ana;\n".repeat(2)}${faulty.join("")}`));
    await page.getByRole("heading", { name: "30 filas necesitan corrección" }).waitFor();
    await keepPicture(page, "import-faulty-es-dark");
    assert.deepEqual(await findAxeFaults(page), []);
    await page.getByRole("button", { name: "Dejar fuera las 30" }).press("Enter");
    await page.getByText("Se agregarán 2 clientes.").waitFor();
    await page.getByText("30 filas quedan fuera.").waitFor();
    await page.getByRole("button", { name: "Agregar 2 clientes" }).press("Enter");
    await page.getByText("Se agregaron 2 clientes.").waitFor();
    assert.deepEqual(await studio.names(), ["Ana", "Ana"]);
    await open.close();
  },
);

/** Letters in the wrong encoding, short years, a postal code without its zero, a birthdate of no day, sums. */
const MESSY = {
  name: "alunos.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(
    [
      "Nome;Nascimento;Estado;Código postal;Tel/Whats",
      "JoÃ£o;23/04/90;Ativo;28001;(11) 98765-4321",
      "Ana;31/02/88;SP;8001;",
      "Bia;01/02/05;Inativo;28002;não tem",
      "Caio;;;28003;11 98765-0000",
      "TOTAL;4;;;",
    ].join("\n"),
  ),
};

for (const [language, size, answers, added, incomplete, takeBack] of [
  [
    "en",
    DESK,
    ["Status", "Put the letters right", "90 is 1990, 05 is 2005", "Put zeros in front"],
    "4 clients will be added.",
    "2 rows come in without something",
    "Take this import back",
  ],
  [
    "pt-BR",
    PHONE,
    ["Situação", "Corrigir as letras", "90 é 1990, 05 é 2005", "Pôr zeros à esquerda"],
    "4 clientes serão adicionados.",
    "2 linhas entram sem algum dado",
    "Desfazer esta importação",
  ],
  [
    "es",
    PHONE,
    ["Situación", "Corregir las letras", "90 es 1990, 05 es 2005", "Poner ceros a la izquierda"],
    "Se agregarán 4 clientes.",
    "2 filas entran sin algún dato",
    "Deshacer esta importación",
  ],
] as const)
  withConsole(`one answer settles a question for the whole sheet, in ${language}`, async (console) => {
    const studio = await newStudio(console);
    const open = await console.open(studio.id, "/console/import", { ...size, language });
    const { page } = open;
    await choose(page, MESSY);
    for (const [i, name] of answers.entries()) {
      const button = page.getByRole("button", { name, exact: true });
      await button.waitFor();
      await keepPicture(page, `import-messy-${language}-${i}`);
      assert.deepEqual(await findAxeFaults(page), []);
      assert.ok(await fitsItsWidth(page));
      await button.click();
      await button.waitFor({ state: "detached" });
    }
    // What neither says who is active nor is a status has to be corrected.
    await page.locator(".faulty-row").first().getByRole("textbox").last().fill("");
    await page
      .getByRole("button", { name: /Check again|Verificar de novo|Comprobar de nuevo/ })
      .first()
      .click();
    await page.getByText(added).waitFor();
    await page.getByText(incomplete).click();
    await keepPicture(page, `import-messy-${language}-ready`);
    assert.deepEqual(await findAxeFaults(page), []);
    assert.deepEqual(await findSmallTargets(page), []);
    assert.ok(await fitsItsWidth(page));
    await page.getByRole("button", { name: /^(Add|Adicionar|Agregar) 4/ }).click();
    await page.getByRole("button", { name: takeBack }).click();
    await page.getByRole("dialog").waitFor();
    await keepPicture(page, `import-messy-${language}-undo`);
    assert.deepEqual(await studio.names(), ["Ana", "Bia", "Caio", "João"]);
    await open.close();
  });
