import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { MONDAY, newBookingStudio } from "../support/booking-studio.ts";
import { newId } from "../support/ids.ts";
import { exportText, importLines, type Line, toldOf } from "./support.ts";

const api = await startApi();

async function exportLines(organizationId: string): Promise<Line[]> {
  const text = await exportText(api.db, organizationId);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** A studio with people in it, as lines. */
async function bookedStudio() {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const owing = await studio.newClient("Bia");
  const late = await studio.member("Caio");
  const sessionId = await studio.session("2026-11-16T18:00", { capacity: 2 });
  const session = { sessionId };
  await studio.book({ clientId, session });
  await studio.book({ clientId: owing, session, uncovered: { reason: "owed" } });
  const { id: waitingId } = (await studio.joinWaiting({ clientId: late, session })).result;
  const other = await studio.session("2026-11-17T18:00");
  const { id: bookingId } = (await studio.book({ clientId: late, session: { sessionId: other } })).result;
  await studio.cancelBooking({ bookingId }, "2026-11-17T20:00:00.000Z");
  await studio.checkIn({ clientId, session }, "2026-11-16T21:00:00.000Z");
  const lines = await exportLines(studio.id);
  const line = (kind: string, id: string) => {
    const found = lines.find((each) => each.kind === kind && each.id === id);
    assert.ok(found, `${kind} ${id}`);
    return found;
  };
  return { studio, clientId, contractId, owing, late, sessionId, other, waitingId, bookingId, lines, line };
}

const organizationOf = (lines: readonly Line[]) => lines.filter(({ kind }) => kind === "organization");

test("bookings and the line are exported last, and come back as they were", async () => {
  const { studio, lines } = await bookedStudio();
  assert.deepEqual(
    lines.slice(-5).map(({ kind, state }) => [kind, state]),
    [
      ["session", undefined],
      ["booking", "attended"],
      ["booking", "booked"],
      ["booking", "late_cancelled"],
      ["waiting", undefined],
    ],
  );
  const again = lines.map((line) => {
    const text = JSON.stringify(line);
    // Under other ids, as on another server.
    return JSON.parse(
      text.replaceAll(/"([0-9a-f]{8}-[0-9a-f-]{27})"/g, (_, id: string) => `"${swapped(id)}"`),
    ) as Line;
  });
  await importLines(api.served, again);
  const shown = (all: readonly Line[]) =>
    all.filter(({ kind }) => ["session", "booking", "waiting"].includes(String(kind)));
  assert.deepEqual(shown(await exportLines(swapped(studio.id))), shown(again));
  const twice = await importLines(api.served, again);
  for (const counts of Object.values(twice.kinds)) assert.equal(counts?.replaced, 0);
});

/** Ids that are in the same order. */
const swapped = (id: string) => `f${id.slice(1)}`;

test("a session counts at least the seats that have a name, whatever a file says, and its bookings follow its day", async () => {
  const { studio, lines, line, sessionId } = await bookedStudio();
  const session = { ...line("session", sessionId), bookedCount: 0, start: "2026-11-18T18:00" };
  await importLines(api.served, [...organizationOf(lines), session]);
  assert.equal(await studio.count(`sessions where id = '${sessionId}' and booked_count = 2`), 1);
  assert.equal(
    await studio.count(`bookings where session_id = '${sessionId}' and visit_date = '2026-11-18'`),
    2,
  );
  const clientId = await studio.newClient();
  const booking = {
    kind: "booking",
    id: newId(),
    sessionId,
    clientId,
    state: "booked",
    uncoveredReason: "owed",
    bookedAt: MONDAY,
  };
  await importLines(api.served, [...organizationOf(lines), booking]);
  assert.equal(await studio.count(`sessions where id = '${sessionId}' and booked_count = 3`), 1);
  assert.equal(await studio.count(`bookings where id = '${booking.id}' and visit_date = '2026-11-18'`), 1);
});

test("what would take a seat or a draw from somebody is a fault of its line", async () => {
  const { lines, line, sessionId, contractId, clientId, owing, late, other, waitingId, bookingId, studio } =
    await bookedStudio();
  const faults = async (...given: Line[]) => {
    const told = await toldOf(importLines(api.served, [...organizationOf(lines), ...given]));
    return told.map(({ location, code }) => `${location} ${code}`);
  };
  const session = line("session", sessionId);
  assert.deepEqual(await faults({ ...session, status: "cancelled", bookedCount: 0 }), [
    "line 2: session: status session_booked",
  ]);
  const contract = line("contract", contractId);
  assert.deepEqual(await faults({ ...contract, clientId: owing }), [
    "line 2: contract: clientId contract_booked",
  ]);
  assert.deepEqual(await faults({ ...contract, entitlements: [] }), [
    "line 2: contract: entitlements entitlement_drawn",
  ]);

  const booking = lines.find(({ kind, clientId: who }) => kind === "booking" && who === clientId) ?? {};
  const cases: readonly [Line, string][] = [
    [{ ...booking, id: newId() }, "line 2: booking: clientId seat_repeated"],
    [{ ...booking, clientId: late }, "line 2: booking: entitlementId entitlement_unknown"],
    [{ ...booking, sessionId: newId() }, "line 2: booking: sessionId session_unknown"],
    [{ ...booking, checkedInAt: undefined }, "line 2: booking: checkedInAt required_with"],
    [{ ...booking, entitlementId: undefined }, "line 2: booking: entitlementId required_with"],
    [{ ...booking, uncoveredReason: "owed" }, "line 2: booking: uncoveredReason not_together_with"],
    [{ ...line("booking", bookingId), endedAt: undefined }, "line 2: booking: endedAt required_with"],
    [{ ...line("waiting", waitingId), id: newId() }, "line 2: waiting: clientId seat_repeated"],
    [{ ...line("waiting", waitingId), bookingId: newId() }, "line 2: waiting: bookingId booking_unknown"],
  ];
  for (const [given, expected] of cases) assert.deepEqual(await faults(given), [expected]);
  const cancelled = { ...line("session", other), status: "cancelled" };
  const seat = { ...booking, id: newId(), sessionId: other };
  assert.deepEqual(await faults(cancelled, seat), ["line 3: booking: sessionId seat_in_cancelled"]);
  assert.deepEqual(await studio.contradictions(), []);
});
