import assert from "node:assert/strict";
import { test } from "node:test";
import { fitsName, rankOfName } from "../../console/booking/name-search.ts";
import { phoneEnds } from "../../console/booking/namesakes.ts";
import { chooseWalkIn, withoutSeatOf } from "../../console/booking/walk-in-choice.ts";
import { checkInOptions } from "../../console/screens/today/check-in-choice.ts";
import { orderForCheckIn, type RosterOfToday } from "../../console/screens/today/day.ts";

type Booking = RosterOfToday["bookings"][number];

test("each word that is typed begins a word of the name, one of its own, and the order of the words ranks", () => {
  for (const [name, typed, rank] of [
    ["Ana Souza", "ana", 0],
    ["Ana Souza", "ana s", 0],
    ["Ana Paula Souza", "ana s", 1],
    ["Sara Ana", "ana s", 2],
    ["Ana Lima", "ana s", undefined],
    ["Ana Lima", "ana a", undefined],
    ["Ana Alves", "ana a", 0],
    ["Anabel Ana", "ana anab", 1],
    ["Ângela  Souza", " ANGELA so ", 0],
    ["Mariana Souza", "ana", undefined],
    ["Souza", "ana", undefined],
  ] as const)
    assert.equal(rankOfName(name, typed), rank, `${name}: ${typed}`);
  assert.equal(fitsName("Ana Lima", "li"), true);
});

test("namesakes show the last digits of their phones, and nobody else does", () => {
  const people = [
    { id: "1", name: "Ana Lima", phone: "+55 (11) 98765-4321" },
    { id: "2", name: "ana  líma", phone: "11 90000 1234" },
    { id: "3", name: "Ana Limão", phone: "11 1" },
    { id: "4", name: "Bia", phone: "77" },
    { id: "4", name: "Bia", phone: "77" },
    { id: "5", name: "Caio" },
    { id: "6", name: "Caio", phone: "9" },
  ];
  assert.deepEqual(
    [...phoneEnds(people)],
    [
      ["1", "…4321"],
      ["2", "…1234"],
      ["6", "…9"],
    ],
  );
});

const NOW = Date.parse("2026-11-16T10:00:00Z");
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();

/** A session that begins so many minutes from now, with people given as `name` or `name:state`. */
function roster(id: string, minutes: number, people: readonly string[], more: object = {}): RosterOfToday {
  const bookings = people.map((text) => {
    const [clientName = "", state = "booked"] = text.split(":");
    return { id: `${id}-${clientName}`, clientId: clientName, clientName, state };
  });
  return {
    session: {
      id,
      status: "scheduled",
      startAt: at(minutes),
      endAt: at(minutes + 60),
      capacity: 10,
      bookedCount: people.length,
      ...more,
    },
    bookings: bookings as unknown as Booking[],
    waiting: [],
    unnamed: 0,
    checkInFrom: at(minutes - 60),
    freeUntil: at(minutes - 180),
    recordClosesAt: at(10_000),
  } as unknown as RosterOfToday;
}

const person = (id: string, more: object = {}) => ({
  id,
  contactName: id,
  status: "active" as const,
  ...more,
});

/** What is offered, as `session: name`, or `+name` and `*name` for whoever is booked first. */
function offers(
  rosters: readonly RosterOfToday[],
  found: ReturnType<typeof person>[],
  typed: string,
  isOld = false,
): string[] {
  return checkInOptions(orderForCheckIn(rosters, NOW), { people: found, isOld }, typed).map((option) =>
    "client" in option
      ? `${option.isBookedToday ? "*" : "+"}${option.client.id}`
      : `${option.roster.session.id}: ${option.booking.clientName}`,
  );
}

test("whatever was typed, the client who is found decides: a phone leads to the booking as the name does", () => {
  const rosters = [roster("eight", 10, ["Ana Lima"]), roster("full", -5, [], { capacity: 0 })];
  const found = [person("Ana Lima"), person("Rui Reis")];
  for (const typed of ["11 98765", "ana@example.com", "529.982", "ana"])
    assert.deepEqual(offers(rosters, found, typed), ["eight: Ana Lima", "+Rui Reis"], typed);
  // Known before the answer is there, by name; by anything else the answer to another text decides nothing.
  assert.deepEqual(offers(rosters, [], "li", true), ["eight: Ana Lima"]);
  assert.deepEqual(offers(rosters, found, "98765", true), []);
});

test("who can be checked in now comes first, then who comes later, who was forgotten, and who is here", () => {
  const rosters = [
    roster("over", -90, ["Ana Over"]),
    roster("open", 10, ["Ana Here:attended", "Ana Zita", "Ana Gone:cancelled", "Ana:late_cancelled"]),
    roster("later", 300, ["Ana Later"]),
    roster("cancelled", 20, ["Ana Nowhere"], { status: "cancelled" }),
  ];
  assert.deepEqual(offers(rosters, [], "ana"), [
    "open: Ana Zita",
    "later: Ana Later",
    "over: Ana Over",
    "open: Ana Here",
  ]);
});

test("another session is offered only to who cannot be checked in to their own now, and after everybody else", () => {
  const rosters = [roster("open", 10, ["Ana One"]), roster("later", 300, ["Ana Two"])];
  const found = [
    person("Ana Two"),
    person("Ana One"),
    person("Ana New"),
    person("Ana Old", { status: "archived" }),
  ];
  assert.deepEqual(offers(rosters, found, "ana"), [
    "open: Ana One",
    "later: Ana Two",
    "+Ana New",
    "*Ana Two",
  ]);
});

test("a name that is typed further ranks before one that fits otherwise", () => {
  const rosters = [roster("open", 10, ["Ana Paula Souza", "Ana Souza", "Sara Ana"])];
  assert.deepEqual(offers(rosters, [], "ana s"), [
    "open: Ana Souza",
    "open: Ana Paula Souza",
    "open: Sara Ana",
  ]);
});

test("who comes without a booking is offered a covered session with a seat, and never a full one", () => {
  const full = roster("full", 5, [], { capacity: 1, bookedCount: 1 });
  const [free, covered] = [roster("free", 10, []), roster("covered", 20, [])];
  const unnamed = { ...roster("unnamed", 15, [], { capacity: 1, bookedCount: 1 }), unnamed: 1 };
  const chosen = (open: readonly RosterOfToday[], ...isCovered: [string, boolean][]) =>
    chooseWalkIn(open, new Map(isCovered))?.session.id;
  assert.equal(chosen([full, free, covered], ["full", true], ["free", false], ["covered", true]), "covered");
  assert.equal(chosen([full, free, covered], ["free", false], ["covered", false]), "free");
  assert.equal(chosen([full, unnamed], ["unnamed", true]), "unnamed");
  assert.equal(chosen([full], ["full", true]), undefined);
  assert.equal(chosen([]), undefined);
});

test("who is booked in a session is not offered it again, and who cancelled is", () => {
  const rosters = [
    roster("here", 5, ["Ana"]),
    roster("left", 5, ["Ana:cancelled"]),
    roster("other", 5, ["Bia"]),
  ];
  assert.deepEqual(
    withoutSeatOf(rosters, "Ana").map(({ session }) => session.id),
    ["left", "other"],
  );
});
