import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { daysAfter, daysBefore } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { findAxeFaults, fitsItsWidth, keepPicture, PHONE, startConsole } from "../support/console.ts";

const console = await startConsole();
const skipped = "there is no Chromium on this machine";

async function newStudio() {
  assert.ok(console);
  const studio = await newBookingStudio(console.api);
  const staff = await console.newStaff(studio.id);
  const write = async (operation: string, input: object) => {
    const { status, body } = await staff.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body.result;
  };
  const clientOf = async (id: string) => (await staff.read(`clients/${id}`)).body;
  return { ...studio, write, clientOf };
}

test("a client is found by a few letters, opened by Enter, and back shows the same search", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  await studio.write("addClient", { contactName: "Ana Souza", contactPhone: "+55 11 90765-4321" });
  const beatriz = await studio.write("addClient", {
    contactName: "Beatriz Nogueira",
    birthdate: "1990-02-01",
  });
  await studio.newContract(beatriz.id, {}, { planName: "Mensal" });
  const gone = await studio.write("addClient", { contactName: "Beatriz Silva" });
  await studio.write("archiveClient", { clientId: gone.id });
  const { page, close } = await console.open(studio.id, "/console/clients");
  await page.getByRole("link", { name: "Ana Souza" }).waitFor();
  // The field has the focus: whoever comes in types.
  await page.keyboard.type("be");
  await page.getByRole("link", { name: "Ana Souza" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Beatriz Nogueira" }).waitFor();
  await page.keyboard.type("atr");
  await page.getByText("Mensal").filter({ visible: true }).waitFor();
  const row = page.getByRole("row", { name: /Beatriz Nogueira/ });
  assert.match((await row.textContent()) ?? "", /Mensal/);
  assert.equal(await page.getByRole("row").count(), 2);
  await page.waitForURL(/query=beatr/);
  assert.equal(await page.getByText("These are the best matches").count(), 0);
  await page.getByLabel("Show").selectOption("All");
  await page.getByRole("row", { name: /Beatriz Silva/ }).waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await page.getByLabel("Show").selectOption("Active");
  await page.getByRole("row", { name: /Beatriz Silva/ }).waitFor({ state: "detached" });
  await page.getByLabel("Search clients").press("Enter");
  await page.getByRole("heading", { level: 1, name: "Beatriz Nogueira" }).waitFor();
  await page.getByText("1 Feb 1990").waitFor();
  await page.goBack();
  assert.equal(await page.getByLabel("Search clients").inputValue(), "beatr");
  await page.getByLabel("Search clients").fill("nobody of this name");
  await page.getByText("Nobody found for “nobody of this name”").waitFor();
  await page.getByRole("link", { name: "New client “nobody of this name”" }).click();
  assert.equal(await page.getByLabel("Name").inputValue(), "nobody of this name");
  await close();
});

test("of many matches the best are shown at once, and all of them in a list on demand", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  for (let n = 1; n <= 51; n++) await studio.write("addClient", { contactName: `Zoe Number${n}` });
  const { page, close } = await console.open(studio.id, "/console/clients");
  const field = page.getByLabel("Search clients");
  await field.fill("zoe");
  await page.getByText("These are the best matches.").waitFor();
  await keepPicture(page, "clients, best matches");
  assert.deepEqual(await findAxeFaults(page), []);
  await page.getByRole("button", { name: "List all matches" }).press("Enter");
  await page.getByText("1–50 of 51").waitFor();
  // The button is gone: the keyboard goes on from the heading of the list, and readers of screens hear how long it is.
  await page.getByRole("status").getByText("All 51 matches").waitFor();
  await page.keyboard.press("Tab");
  assert.match(String(await page.evaluate("document.activeElement.textContent")), /^Zoe Number/);
  // Another search begins with its best matches again.
  await field.fill("zoe number5");
  await page.getByRole("row", { name: /Zoe Number10/ }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("row").count(), 1 + 3);
  assert.equal(new URL(page.url()).searchParams.get("all"), null);
  await close();
});

test("three faults of a new client stand beside their fields at once; put right, the client is added", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const { page, close } = await console.open(studio.id, "/console/clients/new", { expected: [422] });
  await page.getByLabel("E-mail").fill("carla@");
  await page.getByLabel("Identity document").selectOption("CPF");
  await page.getByLabel("Number", { exact: true }).fill("111.111.111-11");
  await page.getByRole("button", { name: "Save" }).click();
  const faulty = page.locator("[aria-invalid=true]");
  await faulty.nth(2).waitFor();
  assert.equal(await faulty.count(), 3);
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "client-faults");
  await page.getByLabel("Name").fill("Carla Dias");
  await page.getByLabel("E-mail").fill("carla@example.com");
  await page.getByLabel("Number", { exact: true }).fill("529.982.247-25");
  await page.getByLabel("City").fill("São Paulo");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Carla Dias" }).waitFor();
  await page.getByText("529.982.247-25").waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const stored = await studio.clientOf(id);
  assert.deepEqual([stored.contactEmail, stored.address.city], ["carla@example.com", "São Paulo"]);
  await close();
});

test("an id document that somebody has leads to them, and what was typed is not lost unasked", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const idDocument = { type: "cpf", value: "52998224725" };
  await studio.write("addClient", { contactName: "Ana Souza", idDocument });
  const other = await studio.write("addClient", { contactName: "Davi Reis" });
  const { page, close } = await console.open(studio.id, `/console/clients/${other.id}/edit`, {
    expected: [409],
    theme: "dark",
  });
  await page.getByLabel("Identity document").selectOption("CPF");
  await page.getByLabel("Number", { exact: true }).fill("529.982.247-25");
  await page.getByRole("button", { name: "Save" }).click();
  const alert = page.getByRole("alert");
  await alert.getByRole("link", { name: "Ana Souza" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { level: 1, name: "Ana Souza" }).waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await close();
});

test("an edit changes what was changed and nothing else, and is undone from its message", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const before = await studio.write("addClient", {
    contactName: "Ana Souza",
    contactPhone: "+55 11 90765-4321",
    notes: "Left knee.",
    address: { city: "Santos", country: "BR" },
  });
  const { page, close } = await console.open(studio.id, `/console/clients/${before.id}/edit`);
  await page.getByLabel("Phone").fill("");
  await page.getByLabel("City").fill("São Paulo");
  // Somebody else writes meanwhile; their change stays.
  await studio.write("editClient", { clientId: before.id, changes: { notes: "Right knee." } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  const edited = await studio.clientOf(before.id);
  assert.deepEqual(
    [edited.contactPhone, edited.address, edited.notes],
    [undefined, { city: "São Paulo", country: "BR" }, "Right knee."],
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("+55 11 90765-4321").waitFor();
  const undone = await studio.clientOf(before.id);
  assert.deepEqual(
    [undone.contactPhone, undone.address, undone.notes],
    [before.contactPhone, before.address, "Right knee."],
  );
  await close();
});

test("what a colleague saves meanwhile shows in an open form; where both wrote, nothing is replaced unsaid", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const ana = await studio.write("addClient", {
    contactName: "Ana Souza",
    contactPhone: "+55 11 90765-4321",
  });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana.id}/edit`);
  await page.getByLabel("Phone").fill("+55 11 91111-1111");
  const changes = { contactPhone: "+55 11 92222-2222", contactEmail: "ana@example.com", notes: "Knee" };
  await studio.write("editClient", { clientId: ana.id, changes });
  await page.getByText("Somebody else has changed this while you were typing").waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), "ana@example.com");
  assert.equal(await page.getByLabel("Phone").inputValue(), "+55 11 91111-1111");
  assert.deepEqual(
    await page.getByRole("listitem").filter({ hasText: "Phone: +55 11 92222-2222" }).count(),
    1,
  );
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "client-contested");
  await page.getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("Somebody else has changed this while you were typing").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Phone").inputValue(), "+55 11 92222-2222");
  await page.getByLabel("Notes").fill("Knee, left");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Ana Souza" }).waitFor();
  const stored = await studio.clientOf(ana.id);
  assert.deepEqual(
    [stored.contactPhone, stored.contactEmail, stored.notes],
    [changes.contactPhone, changes.contactEmail, "Knee, left"],
  );
  await close();
});

test("a form says that its client was erased meanwhile; what is left has a name in the language of who looks", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const clientId = await studio.newClient("Ana Souza");
  const sessionId = await studio.session(`${daysBefore(dateIn(ZONE, Date.now()), 1)}T07:00`);
  await studio.write("checkIn", { clientId, session: { sessionId }, uncovered: { reason: "A guest" } });
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}/edit`, {
    language: "pt-BR",
  });
  await page.getByLabel("Telefone").fill("+55 11 91111-1111");
  await studio.write("eraseClient", { clientId, basis: "Asked by e-mail" });
  await page.getByRole("alert").getByText("Os dados desta pessoa foram apagados").waitFor();
  assert.equal(await page.getByLabel("Telefone").inputValue(), "+55 11 91111-1111");
  assert.ok(await page.getByRole("button", { name: "Salvar" }).isDisabled());
  assert.equal(await page.getByText("Outra pessoa alterou este cliente").count(), 0);
  assert.deepEqual(await findAxeFaults(page), []);
  // There is nothing to save, so nobody is asked.
  await page.getByRole("link", { name: "Cliente apagado" }).click();
  await page.getByRole("heading", { level: 1, name: "Cliente apagado" }).waitFor();
  await page.getByRole("link", { name: "Visitas" }).click();
  await page.getByRole("row", { name: /07:00/ }).getByRole("button").click();
  await page.getByRole("dialog").getByText("Cliente apagado", { exact: true }).waitFor();
  await page.goto(`${console.origin}/console/clients?status=all`);
  await page.getByRole("row", { name: /Cliente apagado/ }).waitFor();
  await close();
});

test("what is typed while an edit is saved stays in the form, and a document is one thing for two people", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const ana = await studio.write("addClient", {
    contactName: "Ana Souza",
    idDocument: { type: "cpf", value: "111.444.777-35" },
  });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana.id}/edit`);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/app/v1/editClient", async (route) => {
    await held;
    await route.continue();
  });
  const sending = page.waitForRequest("**/app/v1/editClient");
  await page.getByLabel("Notes").fill("Knee");
  await page.getByRole("button", { name: "Save" }).click();
  await sending;
  await page.getByLabel("Notes").fill("Knee, left");
  await page.getByLabel("Phone").fill("+55 11 91111-1111");
  letGo();
  await page.getByText("Saved.").waitFor();
  assert.match(page.url(), /\/edit$/);
  assert.equal(await page.getByLabel("Phone").inputValue(), "+55 11 91111-1111");
  assert.equal((await studio.clientOf(ana.id)).notes, "Knee");
  assert.equal(await page.getByText("Somebody else has changed").count(), 0);

  await page.getByLabel("Number", { exact: true }).fill("529.982.247-25");
  await studio.write("editClient", {
    clientId: ana.id,
    changes: { idDocument: { type: "other", value: "PASS-1" } },
  });
  await page.getByText("Identity document: Other PASS-1").waitFor();
  assert.deepEqual(
    [
      await page.getByLabel("Identity document").inputValue(),
      await page.getByLabel("Number", { exact: true }).inputValue(),
    ],
    ["cpf", "529.982.247-25"],
  );
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Ana Souza" }).waitFor();
  const { notes, contactPhone, idDocument } = await studio.clientOf(ana.id);
  assert.deepEqual([notes, contactPhone, idDocument.type], ["Knee, left", "+55 11 91111-1111", "cpf"]);
  await close();
});

test("a person is erased with a reason and the name typed, after what goes was said, and exported before", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const ana = await studio.write("addClient", { contactName: "Ana Souza", notes: "Left knee." });
  const contractId = await studio.newContract(ana.id, {});
  const { page, close } = await console.open(studio.id, `/console/clients/${ana.id}`, {
    ...PHONE,
    expected: [409, 422],
  });
  const choose = async (name: string) => {
    await page.getByRole("main").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const downloading = page.waitForEvent("download");
  await choose("Export everything stored");
  const file = await (await downloading).path();
  assert.equal(JSON.parse(readFileSync(file, "utf8")).client.notes, "Left knee.");
  // While a contract runs it is refused, and that is said before anything is typed.
  await choose("Erase…");
  await page.getByText("still has a contract or a booking to come").waitFor();
  assert.equal(await page.getByRole("button", { name: "Erase for good" }).count(), 0);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await studio.write("cancelContract", { contractId, now: true, reason: "moves" });
  await choose("Erase…");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This cannot be undone.").waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await dialog.getByLabel("Type “Ana Souza” to confirm").fill("Ana");
  await dialog.getByRole("button", { name: "Erase for good" }).click();
  await dialog.getByText("This is not the name.").waitFor();
  await dialog.getByLabel("Type “Ana Souza” to confirm").fill("Ana Souza");
  await dialog.getByRole("button", { name: "Erase for good" }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await dialog.getByLabel("Reason").fill("Asked by e-mail");
  await dialog.getByRole("button", { name: "Erase for good" }).click();
  await page.getByRole("heading", { level: 1, name: "Erased client" }).waitFor();
  await page.getByText("This person was erased on").waitFor();
  assert.equal((await studio.clientOf(ana.id)).notes, undefined);
  assert.ok(await fitsItsWidth(page));
  await close();
});

test("the front desk archives and brings back, and is offered neither export nor erasing", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const ana = await studio.write("addClient", { contactName: "Ana Souza" });
  const { page, close } = await console.open(studio.id, `/console/clients/${ana.id}`, { role: "front_desk" });
  await page.getByRole("main").getByRole("button", { name: "More" }).click();
  assert.deepEqual(await page.getByRole("menuitem").allTextContents(), [
    "Calendar on their phone…",
    "Archive",
  ]);
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByText("This client is archived: nothing can be sold or booked.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Sell" }).count(), 0);
  // Whoever was about to sell finds the way back.
  await page.goto(`${console.origin}/console/clients/${ana.id}/sell`);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("main").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Bring back" }).click();
  await page.getByRole("link", { name: "Sell", exact: true }).waitFor();
  assert.equal((await studio.clientOf(ana.id)).status, "active");
  // Whoever presses twice takes one thing back, and not the one before it as well.
  const undo = page.locator(".toast").getByRole("button", { name: "Undo" });
  await page.getByRole("main").getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await undo.nth(1).dblclick();
  await page.getByRole("link", { name: "Sell", exact: true }).waitFor();
  assert.equal(await undo.count(), 1);
  assert.equal((await studio.clientOf(ana.id)).status, "active");
  await close();
});

test("visits say when on the clock of their location, what, and by what they are covered", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newBookingStudio(console.api, "America/Manaus");
  const clientId = await studio.member("Bia Reis");
  const staff = await console.newStaff(studio.id);
  const { body: today } = await staff.read("today");
  const sessionId = await studio.session(`${today.date}T23:30`);
  await staff.write("book", { clientId, session: { sessionId } });
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`, {
    language: "pt-BR",
    theme: "dark",
  });
  await page.getByRole("link", { name: "Visitas" }).click();
  const row = page.getByRole("row", { name: /23:30/ });
  await row.waitFor();
  assert.match((await row.textContent()) ?? "", /America\/Manaus.*Agendada/);
  assert.deepEqual(await findAxeFaults(page), []);
  // A visit leads to its session, where it can be changed.
  await row.getByRole("button").click();
  await page.getByRole("dialog").getByRole("strong").getByText("Bia Reis").waitFor();
  await close();
});

test("a name turns nothing around in the window's title, and a telephone without a number is no link", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const { id } = await studio.write("addClient", {
    contactName: "\u202egnp.exe",
    contactPhone: "javascript:alert(1)",
  });
  const { page, close } = await console.open(studio.id, `/console/clients/${id}`);
  await page.getByText("javascript:alert(1)").waitFor();
  assert.equal(await page.title(), "\u2068gnp.exe\u2069 · Rollbook");
  assert.equal(await page.getByRole("main").locator('[href^="tel:"]').count(), 0);
  assert.deepEqual(await findAxeFaults(page), []);
  await close();
});

test("an address of nothing says so in its heading and leads on", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const ana = await studio.write("addClient", { contactName: "Ana Souza" });
  const nobody = "0190a8d4-d000-7680-9dbe-90c1088fe4dc";
  const { page, close } = await console.open(studio.id, "/console/nowhere", { expected: [404, 422] });
  const shows = async (title: string, way: string) => {
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await page.getByRole("main").getByRole("link", { name: way }).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    assert.equal(await page.title(), `${title} · Rollbook`);
  };
  await shows("There is nothing at this address.", "Go to Today");
  for (const [path, title, way] of [
    [`clients/${nobody}`, "There is no such client.", "Clients"],
    [`clients/${ana.id}/contracts/${nobody}`, "There is no such contract.", "Ana Souza"],
    [`timetable/${nobody}`, "There is no such class.", "Timetable"],
    ["timetable/nothing/edit", "There is no such class.", "Timetable"],
  ] as const) {
    await page.goto(`${console.origin}/console/${path}`);
    await shows(title, way);
  }
  await close();
});

test("the head of a client's page says what is next, what was last and what is left, and books from there", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const today = dateIn(ZONE, Date.now());
  const plan = await studio.write("addPlan", {
    name: "Ten visits",
    billingKind: "one_time",
    priceCents: 12_000,
    entitlements: [{ type: "credits", creditQuantity: 10 }],
  });
  const clientId = await studio.newClient("Ana Souza");
  await studio.write("sellContract", { clientId, planId: plan.id, startDate: daysBefore(today, 1) });
  const yesterday = await studio.session(`${daysBefore(today, 1)}T07:00`);
  await studio.write("checkIn", { clientId, session: { sessionId: yesterday } });
  await studio.schedule({ start: `${daysAfter(today, 1)}T18:00`, rrule: "FREQ=DAILY" });
  const manaus = await studio.write("addLocation", { name: "Manaus", timezone: "America/Manaus" });
  await studio.schedule({ start: `${daysAfter(today, 1)}T17:30`, locationId: manaus.id });
  const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`);
  const head = page.getByRole("region", { name: "At a glance" });
  await head.getByText("Nothing booked").waitFor();
  await head.getByText("9 credits left").waitFor();
  await head.getByRole("button", { name: /07:00/ }).waitFor();
  await page.getByRole("button", { name: "Book", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Book Ana Souza" });
  await dialog.getByRole("button", { name: "The next day" }).click();
  // It begins half an hour later than the class above it, and says by whose clock.
  assert.match(await dialog.getByRole("listitem").nth(1).innerText(), /^17:30\s.*Manaus · GMT-4/s);
  await dialog.getByRole("button", { name: /18:00/ }).waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "client-book");
  await dialog.getByRole("button", { name: /18:00/ }).click();
  await dialog.getByRole("button", { name: "Book", exact: true }).click();
  await page.getByText("Ana Souza is booked.").waitFor();
  await head.getByRole("button", { name: /18:00/ }).waitFor();
  await head.getByText("8 credits left").waitFor();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "client-head");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("manaus");
  await page.getByRole("option", { name: /17:30.*Manaus · GMT-4/ }).waitFor();
  // First the list, then the dialog.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Statement of credits" }).click();
  const statement = page.getByRole("dialog", { name: "Credits of “Ten visits”" });
  await statement.getByRole("row", { name: /Granted with the sale.*\+10/ }).waitFor();
  assert.equal(await statement.getByRole("row", { name: /Used: .*−1/ }).count(), 2);
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "client-statement");
  await close();
});

test("a client's page, its booking and its statement fit a phone, in the dark and in the other languages", async (t) => {
  if (!console) return t.skip(skipped);
  const studio = await newStudio();
  const today = dateIn(ZONE, Date.now());
  const clientId = await studio.newClient("Maria Aparecida de Albuquerque Montenegro");
  await studio.newContract(
    clientId,
    { type: "credits", remainingCredits: 4 },
    { planName: "Pacote de aulas" },
  );
  await studio.newContract(clientId, { period: "week", maxVisitsPerPeriod: 2 }, { planName: "Mensal" });
  await studio.schedule({ start: `${daysAfter(today, 1)}T18:00`, rrule: "FREQ=DAILY" });
  for (const [language, book, next, statementOf] of [
    ["pt-BR", "Agendar", "O dia seguinte", "Extrato de créditos"],
    ["es", "Reservar", "El día siguiente", "Extracto de créditos"],
  ] as const) {
    const { page, close } = await console.open(studio.id, `/console/clients/${clientId}`, {
      ...PHONE,
      language,
      theme: "dark",
    });
    await page.getByRole("button", { name: book, exact: true }).click();
    await page.getByRole("button", { name: next }).click();
    await page.getByRole("button", { name: /18:00/ }).waitFor();
    assert.ok(await fitsItsWidth(page));
    await keepPicture(page, `client-book-${language}`);
    await page.keyboard.press("Escape");
    await keepPicture(page, `client-head-${language}`);
    assert.ok(await fitsItsWidth(page));
    await page.getByRole("button", { name: statementOf }).click();
    await page.getByRole("dialog").getByRole("row").nth(1).waitFor();
    assert.ok(await fitsItsWidth(page));
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    await keepPicture(page, `client-statement-${language}`);
    await close();
  }
});
