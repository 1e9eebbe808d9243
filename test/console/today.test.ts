import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { formatWallClock } from "../../src/core/dates.ts";
import { pooled } from "../../src/db/statements.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
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
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";

const opened = await startConsole();

function withConsole(name: string, run: (console: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

/** It is about noon there, so that whatever is hours away is still today. */
const NOON_OFFSET = 12 - new Date().getUTCHours();
const NOON_ZONE =
  NOON_OFFSET === 0 ? "Etc/GMT" : `Etc/GMT${NOON_OFFSET > 0 ? "-" : "+"}${Math.abs(NOON_OFFSET)}`;

interface RosterBooking {
  readonly clientName: string;
  readonly state: string;
  readonly uncoveredReason?: string;
}

/** A studio with sessions some minutes from now, and its front desk. */
async function newDesk(console: TestConsole) {
  const studio = await newBookingStudio(console.api, NOON_ZONE, NOON_ZONE);
  const desk = await console.newStaff(studio.id, { role: "front_desk" });
  const write = async (operation: string, body: object) => {
    const answer = await desk.write(operation, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.result;
  };
  const roster = async (sessionId: string) => (await desk.read(`roster?sessionId=${sessionId}`)).body;
  return {
    ...studio,
    write,
    roster,
    sessionIn: (minutes: number, capacity = 10, more: object = {}) =>
      studio.session(formatWallClock(Date.now() + (NOON_OFFSET * 60 + minutes) * 60_000), {
        capacity,
        ...more,
      }),
    async book(sessionId: string, ...clientIds: string[]) {
      for (const clientId of clientIds) await write("book", { clientId, session: { sessionId } });
    },
    /** What is known of the people of a session, by name. */
    async states(sessionId: string): Promise<Record<string, string>> {
      const { bookings } = await roster(sessionId);
      return Object.fromEntries(
        (bookings as RosterBooking[]).map(({ clientName, state }) => [clientName, state]),
      );
    },
  };
}

const field = (page: Page) => page.getByRole("combobox", { name: "Check somebody in" });
const panel = (page: Page) => page.getByRole("dialog").first();
const toast = (page: Page, text: string) =>
  page.getByRole("region", { name: "Messages" }).getByText(text, { exact: true });

/** From the button that opens a person's actions. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

withConsole("a queue is checked in by keyboard alone, also who is not booked", async (console) => {
  const studio = await newDesk(console);
  const soon = await studio.sessionIn(20);
  const later = await studio.sessionIn(180);
  const [angela, ana, vera] = [
    await studio.member("Ângela Souza"),
    await studio.member("Ana Lima"),
    await studio.member("Vera Dias"),
  ];
  await studio.member("Bruno Reis");
  await studio.book(soon, angela, ana);
  await studio.book(later, vera);
  const desk = await console.open(studio.id, "/console/", { role: "front_desk" });
  const { page } = desk;
  await page.getByRole("heading", { name: "Next" }).waitFor();
  await field(page).and(page.locator(":focus")).waitFor();

  await page.keyboard.type("ang");
  await page.getByRole("option", { name: /Ângela Souza/ }).waitFor();
  await page.keyboard.press("Enter");
  await toast(page, `Ângela Souza is checked in: Pilates ${await timeOf(page, "Ângela Souza")}.`).waitFor();

  // The second option is taken with the arrow.
  await page.keyboard.type("an");
  const options = page.getByRole("option");
  await options.filter({ hasText: "Ângela Souza" }).filter({ hasText: "here" }).waitFor();
  await page.keyboard.press("Enter");
  await toast(page, `Ana Lima is checked in: Pilates ${await timeOf(page, "Ana Lima")}.`).waitFor();

  await page.keyboard.type("br");
  await page.getByRole("option", { name: /Bruno Reis/ }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Bruno Reis" });
  await dialog.getByText("Covered by Unlimited monthly.").waitFor();
  await dialog.getByRole("button", { name: "Book and check in" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await toast(page, "Bruno Reis is checked in.").waitFor();

  await field(page).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("ve");
  await page.getByRole("option", { name: /Vera Dias.*from/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(/Check-in for Pilates .* opens at/).waitFor();

  assert.deepEqual(await studio.states(soon), {
    "Ana Lima": "attended",
    "Bruno Reis": "attended",
    "Ângela Souza": "attended",
  });
  assert.deepEqual(await studio.states(later), { "Vera Dias": "booked" });
  await desk.close();
});

withConsole(
  "a phone number leads to the booking, and who has none is offered a session with a seat instead of a full one",
  async (console) => {
    const studio = await newDesk(console);
    const full = await studio.sessionIn(5, 1);
    const [soon, roomy] = [await studio.sessionIn(20), await studio.sessionIn(25)];
    const ids: string[] = [];
    for (const [contactName, contactPhone] of [
      ["Ana Lima", "+55 11 98765-4321"],
      ["Ana Lima", "+55 11 90000-1234"],
      ["Otto Braun", "+55 11 97777-0000"],
    ]) {
      const { id } = await studio.write("addClient", { contactName, contactPhone });
      await studio.newContract(id, { type: "access" });
      ids.push(id);
    }
    await studio.book(full, ids[0] ?? "");
    const desk = await console.open(studio.id, "/console/", { role: "front_desk" });
    const { page } = desk;
    await page.getByRole("heading", { name: "Next" }).waitFor();
    await field(page).fill("ana l");
    await page.getByRole("option", { name: /Ana Lima …1234.*not booked today/ }).waitFor();
    await keepPicture(page, "check-in-namesakes");
    assert.deepEqual(await findAxeFaults(page), []);
    await field(page).fill("98765-4321");
    await page.getByRole("option", { name: /Ana Lima/ }).waitFor();
    await page.keyboard.press("Enter");
    await toast(page, `Ana Lima is checked in: Pilates ${await timeOf(page, "Ana Lima")}.`).waitFor();
    assert.deepEqual(await studio.states(full), { "Ana Lima": "attended" });

    await field(page).fill("97777");
    await page.getByRole("option", { name: /Otto Braun/ }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Otto Braun" });
    await dialog.getByRole("button", { name: "Book and check in" }).click();
    await toast(page, "Otto Braun is checked in.").waitFor();
    assert.deepEqual(
      [await studio.states(soon), await studio.states(roomy)],
      [{ "Otto Braun": "attended" }, {}],
    );
    await desk.close();
  },
);

withConsole(
  "whoever walks in unknown is added, sold a plan, booked and checked in within six clicks and one name",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(10);
    const owner = await console.newStaff(studio.id);
    const { status } = await owner.write("addPlan", {
      name: "Ten visits",
      billingKind: "one_time",
      durationCount: 30,
      durationUnit: "day",
      priceCents: 40_000,
      entitlements: [{ type: "credits", creditQuantity: 10 }],
    });
    assert.equal(status, 200);
    const desk = await console.open(studio.id, "/console/", { role: "front_desk" });
    const { page } = desk;
    await studio.newClient("Nora Neumann");
    await page.getByRole("heading", { name: "Next" }).waitFor();
    await field(page).fill("Nora Neu");
    // Somebody whose name begins so is known.
    await page.getByRole("option", { name: /Nora Neumann/ }).waitFor();
    await page.getByRole("option", { name: "New client “Nora Neu”" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Nora Neu");
    await dialog.getByLabel("Phone").fill("+55 11 98888-7777");
    await dialog.getByRole("button", { name: "Add and go on" }).click();
    await dialog.getByRole("button", { name: "Sell a contract" }).click();
    await dialog.getByLabel("Plan", { exact: true }).selectOption({ index: 1 });
    await dialog.getByText(/400\.00, from .* to /).waitFor();
    await keepPicture(page, "walk-in-sale");
    assert.deepEqual(await findAxeFaults(page), []);
    await dialog.getByRole("button", { name: "Sell", exact: true }).click();
    await dialog.getByText("Draws one credit of Ten visits; 9 are left then", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Book and check in" }).click();
    await toast(page, "Nora Neu is checked in.").waitFor();
    assert.deepEqual(await studio.states(session), { "Nora Neu": "attended" });
    await desk.close();
  },
);

withConsole("a check-in without a connection waits on its row until it is sent", async (console) => {
  const studio = await newDesk(console);
  const session = await studio.sessionIn(20);
  await studio.book(session, await studio.member("Ana Lima"));
  const desk = await console.open(studio.id, "/console/", { role: "front_desk" });
  const { page } = desk;
  const checkIn = page.getByRole("button", { name: "Check in Ana Lima" });
  await checkIn.waitFor();
  await page.context().setOffline(true);
  await checkIn.click();
  await page.getByText("Waiting to be sent").waitFor();
  assert.equal(await checkIn.count(), 0);
  await page.context().setOffline(false);
  await page.getByText(/^Here since/).waitFor();
  assert.equal(await page.getByText("Waiting to be sent").count(), 0);
  assert.deepEqual(await studio.states(session), { "Ana Lima": "attended" });
  await desk.close();
});

withConsole("what the desk opens is there before the connection is lost", async (console) => {
  const studio = await newDesk(console);
  await studio.sessionIn(20);
  const desk = await console.open(studio.id, "/console/", { role: "front_desk" });
  const { page } = desk;
  const book = page.getByRole("button", { name: /^Book/ });
  await book.waitFor();
  for (const script of ["session-dialog", "walk-in-dialog"])
    await until(`${script} is fetched`, () =>
      page.evaluate<boolean>(
        `performance.getEntriesByType("resource").some(({ name, responseEnd }) => responseEnd > 0 && name.includes("/${script}"))`,
      ),
    );
  await page.context().setOffline(true);
  await book.click();
  await panel(page).waitFor();
  await page.getByText("No connection. Retrying automatically.").waitFor();
  await page.context().setOffline(false);
  await panel(page).getByRole("combobox", { name: "Who's coming?" }).waitFor();
  await desk.close();
});

/** The time of the session in whose card somebody stands. */
async function timeOf(page: Page, name: string): Promise<string> {
  const card = page.getByRole("article").filter({ hasText: name });
  return ((await card.locator(".session-time").textContent()) ?? "").slice(0, 5);
}

withConsole(
  "a booking says first what it draws on; uncovered it needs a reason; full it is a line",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(300, 2);
    const pack = await studio.newClient("Paula Costa");
    await studio.newContract(pack, { type: "credits", remainingCredits: 3 }, { planName: "Pack of ten" });
    await studio.newClient("Otto Braun");
    await studio.member("Lia Prado");
    const desk = await console.open(studio.id, `/console/?session=${session}`, { role: "front_desk" });
    const { page } = desk;
    const pick = async (letters: string, name: string) => {
      await page.getByRole("combobox", { name: "Who's coming?" }).fill(letters);
      await page.getByRole("option", { name: new RegExp(name) }).click();
    };
    await panel(page).getByRole("button", { name: "Book somebody" }).click();
    await pick("pa", "Paula Costa");
    await page.getByText("Draws one credit of Pack of ten; 2 are left then.").waitFor();
    await page.getByRole("button", { name: "Book", exact: true }).click();
    await toast(page, "Paula Costa is booked.").waitFor();

    await pick("ot", "Otto Braun");
    await page.getByText("This client has no contract.").waitFor();
    await page.getByRole("button", { name: "Book uncovered" }).click();
    await page.getByText("Say why.").waitFor();
    await page.getByRole("button", { name: "Make-up class" }).click();
    await keepPicture(page, "book-uncovered");
    assert.deepEqual(await findAxeFaults(page), []);
    await page.getByRole("button", { name: "Book uncovered" }).click();
    await toast(page, "Otto Braun is booked.").waitFor();

    await pick("li", "Lia Prado");
    await page.getByText("All 2 seats are taken.").waitFor();
    await page.getByRole("button", { name: "Join the waiting list" }).click();
    await page.getByRole("heading", { name: "Waiting list (1)" }).waitFor();

    const { bookings, waiting } = await studio.roster(session);
    const uncovered = (bookings as RosterBooking[]).map(({ clientName, uncoveredReason }) => [
      clientName,
      uncoveredReason,
    ]);
    assert.deepEqual(uncovered, [
      ["Otto Braun", "Make-up class"],
      ["Paula Costa", undefined],
    ]);
    assert.deepEqual(waiting[0].clientName, "Lia Prado");

    // One seat comes free in time: who waits has it.
    await page.getByRole("button", { name: "Stop booking" }).click();
    await choose(page, "Otto Braun", "Cancel the booking");
    await page.getByText("Nothing was charged, so nothing is returned.").waitFor();
    await page.getByText(/1 person from the waiting list will be booked/).waitFor();
    await page.getByRole("dialog").last().getByRole("button", { name: "Cancel the booking" }).click();
    await toast(page, "The booking of Otto Braun is cancelled.").waitFor();
    await panel(page).getByText("To tell", { exact: true }).waitFor();
    assert.deepEqual(await studio.states(session), {
      "Lia Prado": "booked",
      "Otto Braun": "cancelled",
      "Paula Costa": "booked",
    });
    await desk.close();
  },
);

withConsole(
  "a late cancellation says so, can be waived with a reason, and is undone by the toast",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(60);
    const client = await studio.newClient("Nina Alves");
    const contractId = await studio.newContract(
      client,
      { type: "credits", remainingCredits: 5 },
      { planName: "Pack of five" },
    );
    await studio.book(session, client);
    const credits = async () => (await studio.shownContract(contractId)).credits;
    const desk = await console.open(studio.id, `/console/?session=${session}`, { role: "front_desk" });
    const { page } = desk;
    const cancelIt = () =>
      page.getByRole("dialog").last().getByRole("button", { name: "Cancel the booking" }).click();
    // Whoever presses twice means it once.
    await page.getByRole("button", { name: "Actions for Nina Alves" }).click();
    await page.getByRole("menuitem", { name: "Cancel the booking", exact: true }).dblclick();
    await page.getByText(/This is late: it was free until/).waitFor();
    await page.getByText("What it drew on Pack of five is kept.").waitFor();
    await cancelIt();
    await toast(page, "The booking of Nina Alves is cancelled late.").waitFor();
    assert.deepEqual(
      [await studio.states(session), await credits()],
      [{ "Nina Alves": "late_cancelled" }, 4],
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "1 person" }).waitFor();
    assert.deepEqual([await studio.states(session), await credits()], [{ "Nina Alves": "booked" }, 4]);

    await choose(page, "Nina Alves", "Cancel the booking");
    await page.getByLabel("Let it count as in time").check();
    await page.getByText("The credit goes back to Pack of five.").waitFor();
    await page.getByLabel("Reason").fill("Was ill");
    await cancelIt();
    await toast(page, "The booking of Nina Alves is cancelled.").waitFor();
    assert.deepEqual([await studio.states(session), await credits()], [{ "Nina Alves": "cancelled" }, 5]);
    await desk.close();
  },
);

withConsole(
  "a session is moved and cancelled with the numbers first, and cancelling is undone",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(300);
    await studio.book(session, await studio.member("Ana Lima"), await studio.member("Bia Melo"));
    const desk = await console.open(studio.id, `/console/?session=${session}`, { role: "front_desk" });
    const { page } = desk;
    const act = async (action: string) => {
      await page.getByRole("button", { name: "Change the session" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Move");
    const move = page.getByRole("dialog", { name: "Move the session" });
    await move.getByLabel("Minutes").fill("45");
    await move.getByLabel("Time").fill("23:00");
    await move.getByText(/2 people booked: they keep their seat/).waitFor();
    await move.getByRole("button", { name: "Move", exact: true }).click();
    await toast(page, "The session is moved.").waitFor();
    await page
      .getByText(/23:00–23:45/)
      .first()
      .waitFor();
    assert.equal((await studio.roster(session)).session.localStart.slice(11), "23:00");

    await act("Cancel the session");
    const cancel = page.getByRole("dialog", { name: "Cancel this session" });
    await cancel.getByText(/2 bookings will be cancelled without loss/).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    await cancel.getByLabel("Why is it cancelled?").fill("Power cut");
    await cancel.getByRole("button", { name: "Cancel the session" }).click();
    await panel(page).getByText("This session is cancelled.").waitFor();
    assert.equal((await studio.roster(session)).session.bookedCount, 0);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await panel(page).getByText("This session is cancelled.").waitFor({ state: "detached" });
    assert.equal((await studio.roster(session)).session.bookedCount, 2);
    await desk.close();
  },
);

withConsole(
  "who comes back with a session, who uncovered and who not, is said by name first",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(300);
    const [ana, bia, caio, duda] = [
      await studio.member("Ana Lima"),
      await studio.newClient("Bia Melo"),
      await studio.member("Caio Reis"),
      await studio.member("Duda Luz"),
    ];
    const contractId = await studio.newContract(bia, {}, { planName: "Monthly" });
    for (const client of [ana, bia, caio, duda]) await studio.book(session, client);
    await studio.write("cancelSession", { session: { sessionId: session }, reason: "Power cut" });
    await studio.write("blockAccess", { contractId, reason: "owes" });
    await studio.write("archiveClient", { clientId: caio });
    const shrink = "update sessions set capacity = 2 where organization_id = $1 and id = $2";
    await console.api.db.query(pooled("test_shrink_session", shrink), [studio.id, session]);

    const desk = await console.open(studio.id, `/console/?session=${session}`, { role: "front_desk" });
    const { page } = desk;
    await page.getByRole("button", { name: "Change the session" }).click();
    await page.getByRole("menuitem", { name: "Let it take place after all" }).click();
    const dialog = page.getByRole("dialog", { name: "Let the session take place after all" });
    for (const sentence of [
      "Booked again: Ana Lima.",
      "Booked again, but no longer covered: Bia Melo.",
      "Not booked again, because they are archived: Caio Reis.",
      "Not booked again, because there is no seat: Duda Luz.",
      "Everybody must be told.",
    ])
      await dialog.getByText(sentence, { exact: true }).waitFor();
    assert.deepEqual(await findAxeFaults(page), []);
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      await fitsItsWidth(page);
      await keepPicture(page, `reinstate-${size.width}`);
    }
    await dialog.getByRole("button", { name: "Let it take place after all" }).click();
    await toast(page, "The session takes place again.").waitFor();
    assert.deepEqual(await studio.states(session), {
      "Ana Lima": "booked",
      "Bia Melo": "booked",
      "Caio Reis": "cancelled",
      "Duda Luz": "cancelled",
    });
    await desk.close();
  },
);

withConsole("two people at once see each other's changes, and one types on meanwhile", async (console) => {
  const studio = await newDesk(console);
  const session = await studio.sessionIn(20);
  await studio.book(session, await studio.member("Ana Lima"), await studio.member("Bia Melo"));
  const [one, other] = await Promise.all([
    console.open(studio.id, "/console/", { role: "front_desk" }),
    console.open(studio.id, "/console/", { role: "manager" }),
  ]);
  await field(other.page).fill("bi");
  await other.page.getByRole("option", { name: /Bia Melo/ }).waitFor();
  await one.page.getByRole("button", { name: "Check in Ana Lima" }).click();
  await other.page
    .getByRole("listitem")
    .filter({ hasText: "Ana Lima" })
    .getByText(/Here since/)
    .waitFor();
  assert.equal(await field(other.page).inputValue(), "bi");
  await other.page.keyboard.press("Enter");
  await one.page
    .getByRole("listitem")
    .filter({ hasText: "Bia Melo" })
    .getByText(/Here since/)
    .waitFor();
  await one.close();
  await other.close();
});

withConsole("what is to do opens lists with the action at hand, for one location or all", async (console) => {
  const studio = await newDesk(console);
  await addLocation(console.api.db, studio.id, { name: "Moema", timezone: NOON_ZONE });
  const yesterday = await studio.sessionIn(-1_440);
  const [ana, bia] = [await studio.member("Ana Lima"), await studio.member("Bia Melo")];
  const contact = { contactPhone: "+55 11 98765-4321", contactEmail: "ana@example.com" };
  const changes = { ...contact, locationIds: [studio.place.locationId] };
  await studio.write("editClient", { clientId: ana, changes });
  await studio.book(yesterday, ana, bia);
  const otto = await studio.newClient("Otto Braun");
  const ended = { sessionId: await studio.sessionIn(-120) };
  await studio.write("checkIn", { clientId: otto, session: ended, uncovered: { reason: "owed" } });
  await studio.newContract(otto, {}, { planName: "Monthly" });
  const cancelled = { sessionId: await studio.sessionIn(300) };
  await studio.book(cancelled.sessionId, ana, bia);
  await studio.write("cancelSession", { session: cancelled, reason: "Power cut" });

  const desk = await console.open(studio.id, "/console/", { role: "manager" });
  const { page } = desk;
  const todo = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} \\d+$`) });
  await todo("To tell").click();
  const list = page.getByRole("dialog", { name: "To tell" });
  await list
    .getByText(/^Cancelled: Pilates/)
    .first()
    .waitFor();
  // The text is ready, with the reason, in the language that is chosen for it.
  const ofAna = list.getByRole("listitem").filter({ hasText: "Ana Lima" });
  await ofAna
    .getByText(/^Hello Ana, your booking for Pilates on .* is cancelled\.\s+Reason: Power cut/)
    .waitFor();
  await list.getByLabel("Language of the texts").selectOption("Português");
  await ofAna
    .getByText(/^Olá, Ana! Seu agendamento de Pilates .* foi cancelado\.\s+Motivo: Power cut/)
    .waitFor();
  const link = new URL((await ofAna.getByRole("link", { name: "WhatsApp" }).getAttribute("href")) ?? "");
  assert.equal(link.pathname, "/5511987654321");
  assert.match(link.searchParams.get("text") ?? "", /^Olá, Ana!/);
  const mail = new URL(
    (await ofAna.getByRole("link", { name: "ana@example.com" }).getAttribute("href")) ?? "",
  );
  assert.deepEqual(
    [mail.pathname, mail.searchParams.get("subject")],
    ["ana@example.com", "Pilates: cancelado"],
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await list.getByRole("button", { name: "Copy all" }).click();
  await list.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.match(copied, /Ana Lima · \+55 11 98765-4321 · ana@example\.com\nOlá, Ana!/);
  assert.match(copied, /Bia Melo\nOlá, Bia!/);
  await page.context().clearPermissions();
  assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
  await keepPicture(page, "to-tell");
  await list.getByRole("button", { name: "Told Ana Lima" }).click();
  await ofAna.getByText("Done").waitFor();
  await page.goBack();
  await list.waitFor({ state: "detached" });
  assert.equal(await todo("To tell").textContent(), "To tell1");

  await todo("Uncovered").click();
  await page.getByRole("button", { name: "Cover Otto Braun" }).click();
  await page.getByText("Covered by Monthly.").waitFor();
  await page.getByRole("button", { name: "Cover it" }).click();
  await toast(page, "The booking of Otto Braun is covered.").waitFor();
  await page.keyboard.press("Escape");
  await todo("Uncovered").waitFor({ state: "detached" });

  await todo("Not marked").click();
  await page.getByRole("button", { name: "Mark the other 2 as no-show" }).click();
  await toast(page, "2 people are marked as no-show.").waitFor();
  assert.deepEqual(await studio.states(yesterday), { "Ana Lima": "no_show", "Bia Melo": "no_show" });
  const marked = page.locator(".toast").filter({ hasText: "2 people are marked as no-show." });
  await marked.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Mark the other 2 as no-show" }).waitFor();
  assert.deepEqual(await studio.states(yesterday), { "Ana Lima": "booked", "Bia Melo": "booked" });
  // What is done keeps its row, so that nothing slides under the pointer.
  await page.getByRole("button", { name: "All 2 came" }).click();
  await page.getByRole("dialog").getByText("Done", { exact: true }).waitFor();
  assert.deepEqual(await studio.states(yesterday), { "Ana Lima": "attended", "Bia Melo": "attended" });
  await keepPicture(page, "todo-done-row");
  const came = page.locator(".toast").filter({ hasText: "2 people are checked in." });
  await came.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "All 2 came" }).waitFor();
  assert.deepEqual(await studio.states(yesterday), { "Ana Lima": "booked", "Bia Melo": "booked" });
  await page.keyboard.press("Escape");

  const location = page.getByLabel("Location");
  await location.selectOption({ label: "Moema" });
  await page.waitForURL(/location=/);
  await page.getByText("Nothing left to do.").waitFor();
  await page.getByText("No sessions today").waitFor();
  await page.goto(`${console.origin}/console/`);
  await page.getByText("No sessions today").waitFor();
  assert.equal(await location.locator("option:checked").textContent(), "Moema", "it is remembered");
  await desk.close();
});

withConsole(
  "a courtesy is left as one and taken back; what ends is renewed from its row",
  async (console) => {
    const studio = await newDesk(console);
    const otto = await studio.newClient("Otto Braun");
    const session = { sessionId: await studio.sessionIn(120) };
    await studio.write("book", { clientId: otto, session, uncovered: { reason: "A guest of Ana" } });
    const manager = await console.newStaff(studio.id, { role: "manager" });
    const { body } = await manager.write("addPlan", {
      name: "Ten days",
      billingKind: "one_time",
      durationCount: 10,
      durationUnit: "day",
      priceCents: 12_000,
      entitlements: [{ type: "access" }],
    });
    const ana = await studio.newClient("Ana Lima");
    await studio.write("sellContract", { clientId: ana, planId: body.result.id });
    const { page, close } = await console.open(studio.id, "/console/?todo=uncovered", { role: "front_desk" });
    const list = page.getByRole("dialog");
    await list.getByRole("button", { name: "Leave as courtesy Otto Braun" }).click();
    await list.getByText("Done", { exact: true }).waitFor();
    await toast(page, "The booking of Otto Braun stays a courtesy.").waitFor();
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await list.getByRole("button", { name: "Leave as courtesy Otto Braun" }).click();
    await list.getByText("Done", { exact: true }).waitFor();
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    await keepPicture(page, "todo-courtesy");
    await page.goto(`${console.origin}/console/?todo=ending`);
    await list.getByRole("link", { name: "Renew Ana Lima" }).waitFor();
    await keepPicture(page, "todo-ending");
    await list.getByRole("link", { name: "Renew Ana Lima" }).click();
    await page.getByRole("heading", { name: "Sell to Ana Lima" }).waitFor();
    await page.getByText(/“Ten days” runs until/).waitFor();
    await close();
  },
);

withConsole("the texts to be sent fit a phone, in every language", async (console) => {
  const studio = await newDesk(console);
  const client = await studio.member("Maximiliana Wolfeschlegelsteinhausenbergerdorff");
  await studio.write("editClient", {
    clientId: client,
    changes: {
      contactPhone: "+55 11 98765-4321",
      contactEmail: "a.very.long.address.of.maximiliana@example.com",
    },
  });
  const session = { sessionId: await studio.sessionIn(300) };
  await studio.book(session.sessionId, client);
  await studio.write("cancelSession", { session, reason: "A pipe has burst above the big room." });
  for (const [language, theme] of [
    ["pt-BR", "dark"],
    ["es", "light"],
  ] as const) {
    const { page, close } = await console.open(studio.id, "/console/?todo=toTell", {
      ...PHONE,
      role: "front_desk",
      language,
      theme,
    });
    await page.getByRole("dialog").getByRole("link", { name: "WhatsApp" }).waitFor();
    assert.ok(await fitsItsWidth(page));
    assert.deepEqual(await findAxeFaults(page, { hasContrast: true }), []);
    assert.deepEqual(await findSmallTargets(page), []);
    await keepPicture(page, `to-tell-${language}`);
    await close();
  }
});

withConsole(
  "the day and the panel are readable for everybody, narrow and wide, light and dark, and on paper",
  async (console) => {
    const studio = await newDesk(console);
    const session = await studio.sessionIn(20, 3, { bookedCount: 1 });
    await studio.sessionIn(-120);
    const client = await studio.newClient("Otto Braun");
    await studio.write("book", {
      clientId: client,
      session: { sessionId: session },
      uncovered: { reason: "owed" },
    });
    await studio.book(session, await studio.member("Ana Lima"));
    for (const [language, theme, size] of [
      ["en", "light", PHONE],
      ["pt-BR", "dark", DESK],
    ] as const) {
      const desk = await console.open(studio.id, "/console/", { role: "manager", language, theme, ...size });
      const { page } = desk;
      await page.getByRole("article").getByText("Otto Braun").first().waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      await page
        .getByRole("button", { name: /^Pilates/ })
        .first()
        .click();
      await panel(page).getByText("Otto Braun").first().waitFor();
      assert.deepEqual(await findAxeFaults(page), []);
      assert.deepEqual([await findSmallTargets(page), await fitsItsWidth(page)], [[], true]);
      await keepPicture(page, `session-panel-${theme}`);
      await page.emulateMedia({ media: "print" });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const paper = page.locator(".print-sheet");
      assert.match((await paper.innerText()) ?? "", /Otto Braun/);
      // Whatever the screen looks like, paper is white.
      const text = await page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--text')",
      );
      assert.equal(text, "#17211f");
      assert.equal(await page.getByRole("dialog").isVisible(), false);
      await page.evaluate("dispatchEvent(new Event('afterprint'))");
      await desk.close();
    }
  },
);

withConsole("a card opens by its whole head, and books somebody in one click", async (console) => {
  const desk = await newDesk(console);
  await desk.sessionIn(-10);
  const open = await console.open(desk.id, "/console/", { ...PHONE, role: "front_desk" });
  const { page } = open;
  const head = page.locator(".session-head").first();
  await head.waitFor();
  const box = await head.boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 4, box.y + 4);
  const panel = page.getByRole("dialog");
  await panel.getByRole("button", { name: "Book somebody" }).waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
  assert.doesNotMatch(page.url(), /session=/);
  await head.getByRole("button", { name: /^Book/ }).click();
  await panel.getByRole("combobox").waitFor();
  assert.deepEqual(await findAxeFaults(page), []);
  await keepPicture(page, "today-book-phone");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
  assert.doesNotMatch(page.url(), /book=/);
  await open.close();
});
