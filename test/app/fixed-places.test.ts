import assert from "node:assert/strict";
import { test } from "node:test";
import { daysAfter } from "../../src/core/dates.ts";
import { dateIn } from "../../src/domain/recurrence/zones.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio, ZONE } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const today = dateIn(ZONE, Date.now());
/** The Monday after this week. */
const monday = nextMonday();

function nextMonday(): string {
  for (let days = 1; ; days++) {
    const day = daysAfter(today, days);
    if (new Date(day).getUTCDay() === 1 && days > 1) return day;
  }
}
const after = (days: number) => daysAfter(monday, days);

interface Slot {
  readonly originalStart: string;
  readonly bookingId?: string;
  readonly reason?: string;
  readonly whyNot?: string;
  readonly wasBooked?: boolean;
}

async function newDesk() {
  const studio = await newBookingStudio(api);
  const desk = await newStaff(api, studio.id, { role: "front_desk" });
  const write = async (operation: string, input: object) => {
    const { status, body } = await desk.write(operation, input);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const read = async (path: string) => (await desk.read(path)).body;
  const placesOf = async (clientId: string) => (await read(`clients/${clientId}/fixed-places`)).data;
  const booked = async (clientId: string): Promise<string[]> =>
    (await read(`clients/${clientId}/visits?limit=200`)).data
      .filter(({ state }: { state: string }) => state === "booked")
      .map(({ localStart }: { localStart: string }) => localStart.slice(0, 16).replace(" ", "T"))
      .sort();
  const early = await studio.schedule({
    start: `${monday}T07:00`,
    rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
  });
  const late = await studio.schedule({ start: `${after(1)}T18:00`, rrule: "FREQ=WEEKLY;BYDAY=TU,TH" });
  return { studio, desk, write, read, placesOf, booked, early, late };
}

const said = (slots: readonly Slot[]) =>
  slots.map(({ originalStart, bookingId, reason, whyNot, wasBooked }) =>
    [originalStart, bookingId ? "booked" : reason, whyNot, wasBooked && "before"].filter(Boolean).join(" "),
  );

test("every Tuesday in one schedule and every Thursday in another are one fixed place, told before they are booked", async () => {
  const { studio, write, placesOf, booked, early, late } = await newDesk();
  const { clientId } = await studio.packHolder(4, { endDate: after(11) });
  const full = await studio.member("Bia");
  const once = { scheduleId: late, originalStart: `${after(3)}T18:00` };
  // A seat that was booked before, one that nobody can have, and a class that does not take place.
  const first = { scheduleId: early, originalStart: `${after(1)}T07:00` };
  await write("book", { clientId, session: first });
  await write("book", { clientId: full, session: once });
  await write("editSession", { session: once, changes: { capacity: 1 } });
  await write("cancelSession", {
    session: { scheduleId: early, originalStart: `${after(8)}T07:00` },
    reason: "A holiday",
  });
  const input = {
    clientId,
    places: [
      { scheduleId: late, weekdays: ["thursday"] },
      { scheduleId: early, weekdays: ["tuesday"] },
    ],
    fromDay: monday,
    untilDay: after(15),
  };
  const expected = [
    `${after(1)}T07:00 booked before`,
    `${after(3)}T18:00 full`,
    `${after(8)}T07:00 session_cancelled`,
    `${after(10)}T18:00 booked`,
    `${after(15)}T07:00 not_covered ended`,
  ];
  const dry = await write("bookMany", { ...input, dryRun: true });
  assert.deepEqual(said(dry.result), expected);
  assert.equal(dry.changes.bookings, 1);
  assert.deepEqual(await placesOf(clientId), [], "a dry run books nothing");
  const made = await write("bookMany", input);
  assert.deepEqual(said(made.result), expected);
  assert.deepEqual(await booked(clientId), [`${after(1)}T07:00`, `${after(10)}T18:00`]);
  const [place] = await placesOf(clientId);
  assert.deepEqual(
    [place.id, place.firstDay, place.lastDay, place.visits],
    [made.auditId, after(1), after(10), 2],
  );
  assert.deepEqual(
    place.places.map(({ scheduleId, weekday, time }: Record<string, string>) => [scheduleId, weekday, time]),
    [
      [early, "tuesday", "07:00"],
      [late, "thursday", "18:00"],
    ],
  );
  // The seat from before would go with it, so that is not offered.
  assert.equal(made.undo, undefined);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a fixed place is ended as one from a day on, each visit as if it were cancelled by itself; a new one is undone whole", async () => {
  const { studio, desk, write, placesOf, booked, early } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(10);
  const input = { clientId, scheduleId: early, fromDay: monday, untilDay: after(9) };
  const credits = async () => (await studio.shownContract(contractId)).credits;
  const made = await write("bookMany", input);
  assert.deepEqual([made.result.length, await credits()], [8, 2]);
  const undone = await write(made.undo.operation, made.undo.input);
  assert.equal(undone.result.length, 8);
  assert.deepEqual([await booked(clientId), await credits(), await placesOf(clientId)], [[], 10, []]);

  const { auditId: fixedPlaceId } = await write("bookMany", input);
  const given = { fixedPlaceId, fromDay: after(7) };
  const dry = await write("endFixedPlace", { ...given, dryRun: true });
  assert.deepEqual([dry.changes.bookings, dry.changes.creditsReturned, await credits()], [3, 3, 2]);
  const { result } = await write("endFixedPlace", given);
  assert.deepEqual(
    result.map(({ localStart, state }: Record<string, string>) => `${localStart} ${state}`),
    [0, 1, 2].map((days) => `${after(7 + days)}T07:00 cancelled`),
  );
  assert.deepEqual([(await booked(clientId)).length, await credits()], [5, 5]);
  assert.equal((await placesOf(clientId))[0].lastDay, after(4));
  const again = await write("endFixedPlace", given);
  assert.deepEqual(again.result, [], "what was ended is ended");
  assert.equal((await desk.write("endFixedPlace", { fixedPlaceId: newId() })).body.reason, "no_fixed_place");
  const fault = (await desk.write("endFixedPlace", { ...given, waive: true })).body.errors[0];
  assert.deepEqual([fault.location, fault.code], ["body.reason", "required_with"]);
  const stranger = await newStaff(api, (await newBookingStudio(api)).id);
  assert.equal((await stranger.write("endFixedPlace", given)).body.reason, "no_fixed_place");
  assert.deepEqual(await studio.contradictions(), []);
});

test("where it is too late the draw is kept, unless that is waived; whoever waits moves up", async () => {
  const { studio, write } = await newDesk();
  const manager = await newStaff(api, studio.id);
  const { clientId, contractId } = await studio.packHolder(10);
  const credits = async () => (await studio.shownContract(contractId)).credits;
  const rule = { start: `${today}T23:59`, rrule: "FREQ=DAILY", capacity: 1 };
  const scheduleId = await studio.schedule(rule);
  const input = { clientId, scheduleId, fromDay: daysAfter(today, 1), untilDay: daysAfter(today, 2) };
  // Everything within a week is late.
  await manager.write("editSettings", { changes: { cancelWindowMinutes: 10_080 } });
  const { auditId: late } = await write("bookMany", input);
  const { result } = await write("endFixedPlace", { fixedPlaceId: late });
  assert.deepEqual(
    [result.map(({ state }: { state: string }) => state), await credits()],
    [["late_cancelled", "late_cancelled"], 8],
  );
  const { auditId: waived } = await write("bookMany", input);
  const other = await studio.member("Bia");
  const session = { scheduleId, originalStart: `${daysAfter(today, 1)}T23:59` };
  await write("joinWaiting", { clientId: other, session });
  await manager.write("editSettings", { changes: { cancelWindowMinutes: 0 } });
  const given = { fixedPlaceId: waived, waive: true, reason: "Moved away" };
  const { changes } = await write("endFixedPlace", { ...given, dryRun: true });
  assert.deepEqual([changes.creditsReturned, changes.promoted], [2, 1]);
  await write("endFixedPlace", given);
  assert.equal(await credits(), 8);
  assert.deepEqual(await studio.contradictions(), []);
});

test("a fixed place is moved as one: what is in both stays, the rest is given up and the new slots are booked", async () => {
  const { studio, desk, write, placesOf, booked, early, late } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(4);
  const credits = async () => (await studio.shownContract(contractId)).credits;
  const places = [{ scheduleId: early, weekdays: ["tuesday", "wednesday"] }];
  const { auditId: fixedPlaceId, result } = await write("bookMany", {
    clientId,
    places,
    fromDay: monday,
    untilDay: after(9),
  });
  const [kept] = result.slice(2);
  const move = {
    fixedPlaceId,
    places: [
      { scheduleId: early, weekdays: ["tuesday"] },
      { scheduleId: late, weekdays: ["thursday"] },
    ],
    fromDay: after(7),
  };
  assert.equal(
    await credits(),
    0,
    "there is a credit for the new slots only if those given up return theirs",
  );
  // Until the last day of what it was.
  const short = await write("moveFixedPlace", { ...move, dryRun: true });
  assert.deepEqual(said(short.result.booked), [`${after(8)}T07:00 booked before`]);
  const moved = await write("moveFixedPlace", { ...move, untilDay: after(10) });
  assert.deepEqual(said(moved.result.booked), [
    `${after(8)}T07:00 booked before`,
    `${after(10)}T18:00 booked`,
  ]);
  assert.equal(moved.result.booked[0].bookingId, kept.bookingId);
  assert.deepEqual(
    moved.result.ended.map(({ localStart }: Record<string, string>) => localStart),
    [`${after(9)}T07:00`],
  );
  assert.deepEqual(await booked(clientId), [
    `${after(1)}T07:00`,
    `${after(2)}T07:00`,
    `${after(8)}T07:00`,
    `${after(10)}T18:00`,
  ]);
  const [place, ...others] = await placesOf(clientId);
  assert.deepEqual([place.id, place.visits, others], [fixedPlaceId, 4, []]);
  assert.equal(await credits(), 0);
  const refusedTo = async (input: object) => (await desk.write("moveFixedPlace", input)).body;
  assert.equal((await refusedTo({ ...move, fixedPlaceId: newId() })).reason, "no_fixed_place");
  assert.equal((await refusedTo({ ...move, places: [{ scheduleId: newId() }] })).reason, "no_schedule");
  assert.equal((await refusedTo({ ...move, untilDay: monday })).errors[0].code, "before_member");
  assert.deepEqual(await studio.contradictions(), []);
});

test("what is booked many times is one schedule or some places, and of them not too much", async () => {
  const { studio, desk, early } = await newDesk();
  const clientId = await studio.member("Ana");
  const faultOf = async (input: object) => {
    const { body } = await desk.write("bookMany", {
      clientId,
      fromDay: monday,
      untilDay: after(7),
      ...input,
    });
    return body.errors?.map(({ location, code }: Record<string, string>) => `${location} ${code}`)[0];
  };
  assert.equal(await faultOf({}), "body.scheduleId required");
  assert.equal(
    await faultOf({ scheduleId: early, places: [{ scheduleId: early }] }),
    "body.scheduleId not_together_with",
  );
  assert.equal(await faultOf({ places: [] }), "body.places too_few");
  assert.equal(
    await faultOf({ places: [{ scheduleId: early, weekdays: ["someday"] }] }),
    "body.places[0].weekdays[0] not_one_of",
  );
  assert.equal(await faultOf({ scheduleId: early, untilDay: after(91) }), "body.untilDay too_many_slots");
  // Twice the same is once.
  const { body } = await desk.write("bookMany", {
    clientId,
    places: [{ scheduleId: early, weekdays: ["monday"] }, { scheduleId: early }],
    fromDay: monday,
    untilDay: after(1),
  });
  assert.equal(body.result.length, 2);
});

test("a fixed place survives a move of one class, and ten colleagues who end it at once end it once", async () => {
  const { studio, desk, write, placesOf, early } = await newDesk();
  const { clientId, contractId } = await studio.packHolder(10);
  const { auditId: fixedPlaceId } = await write("bookMany", {
    clientId,
    places: [{ scheduleId: early, weekdays: ["wednesday"] }],
    fromDay: monday,
    untilDay: after(20),
  });
  await write("editSession", {
    session: { scheduleId: early, originalStart: `${after(2)}T07:00` },
    changes: { start: `${after(3)}T11:30` },
  });
  const [place] = await placesOf(clientId);
  assert.deepEqual(
    [place.visits, place.places.map(({ weekday, time }: Record<string, string>) => `${weekday} ${time}`)],
    [3, ["wednesday 07:00"]],
  );
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => desk.write("endFixedPlace", { fixedPlaceId })),
  );
  const ended = answers.map(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    return body.result.length as number;
  });
  assert.equal(
    ended.reduce((sum, number) => sum + number, 0),
    3,
  );
  assert.equal((await studio.shownContract(contractId)).credits, 10);
  assert.deepEqual(await studio.contradictions(), []);
});
