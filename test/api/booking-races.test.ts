import assert from "node:assert/strict";
import { test } from "node:test";
import * as contracts from "../../src/domain/contracts/operations.ts";
import type { TestApi } from "../support/api.ts";
import { startApi } from "../support/api.ts";
import { atInstant, BY, MONDAY, newBookingStudio, refused } from "../support/booking-studio.ts";
import { addPlan, addServiceType } from "../support/records.ts";

/** Many at once, on two nodes: never one too many, never one too few. */

const nodes: readonly TestApi[] = await twoNodes();
const [api] = nodes as [TestApi];
const EVENING = "2026-11-16T18:00";
const CALLERS = 40;

async function twoNodes(): Promise<TestApi[]> {
  const first = await startApi();
  return [first, await startApi({ beside: first })];
}

/** What became of each of many calls at once, counted. */
async function outcomes(
  calls: readonly ((node: TestApi) => Promise<unknown>)[],
): Promise<Record<string, number>> {
  const words = await Promise.all(calls.map((call, index) => refused(call(nodes[index % 2] as TestApi))));
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

const times = <Item>(count: number, make: (index: number) => Promise<Item>): Promise<Item[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

test("of 40 who book the last 5 seats, 5 are booked; a name for a seat without one takes none", async () => {
  const studio = await newBookingStudio(api);
  const sessionId = await studio.session(EVENING, { capacity: 12, bookedCount: 2 });
  const session = { sessionId };
  const members = await times(CALLERS + 6, () => studio.member());
  for (const clientId of members.splice(0, 5)) await studio.book({ clientId, session });
  const last = members.pop() ?? "";
  const booking = members.map(
    (clientId) => (node: TestApi) => studio.book({ clientId, session }, MONDAY, { node }),
  );
  assert.deepEqual(await outcomes(booking), { done: 5, full: 35 });
  await studio.book({ clientId: last, session, takeUnnamed: true });
  assert.equal((await studio.shownSession(sessionId, "2026-11-16"))?.bookedCount, 12);
  assert.equal(await studio.count("bookings where state = 'booked'"), 11);
  assert.deepEqual(await studio.contradictions(), []);
});

test("of 40 sessions booked at once with one credit, one is booked", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(1);
  const sessions = await times(CALLERS, () => studio.session(EVENING));
  const booking = sessions.map(
    (sessionId) => (node: TestApi) => studio.book({ clientId, session: { sessionId } }, MONDAY, { node }),
  );
  assert.deepEqual(await outcomes(booking), { done: 1, "not_covered no_credits": 39 });
  assert.equal((await studio.shownContract(contractId)).credits, 0);
  assert.equal(await studio.count("sessions where booked_count > 0"), 1);
});

test("of 40 sessions booked at once with three visits a week, three are booked", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  await studio.newContract(clientId, { period: "week", maxVisitsPerPeriod: 3 });
  const sessions = await times(CALLERS, () => studio.session(EVENING));
  const booking = sessions.map(
    (sessionId) => (node: TestApi) => studio.book({ clientId, session: { sessionId } }, MONDAY, { node }),
  );
  assert.deepEqual(await outcomes(booking), { done: 3, "not_covered cap_reached": 37 });
  assert.deepEqual(await studio.contradictions(), []);
});

test("the same booking sent 40 times at once is one booking and one draw, also of a slot that was not stored", async () => {
  const studio = await newBookingStudio(api);
  const { clientId, contractId } = await studio.packHolder(5);
  const scheduleId = await studio.schedule({ start: EVENING, rrule: "FREQ=DAILY" });
  const session = { scheduleId, originalStart: EVENING };
  const ids = await times(CALLERS, async (n) => {
    const node = nodes[n % 2] as TestApi;
    return (await studio.book({ clientId, session }, MONDAY, { node })).result.id;
  });
  assert.equal(new Set(ids).size, 1);
  assert.equal((await studio.shownContract(contractId)).credits, 4);
  assert.equal(await studio.count("sessions where booked_count = 1"), 1);
});

test("of 40 who want one resource at the same time, one gets it", async () => {
  const studio = await newBookingStudio(api);
  const serviceTypeId = await addServiceType(api.db, studio.id, { name: "Physio", holdsResource: true });
  const sessions = await times(CALLERS, () =>
    studio.session(EVENING, { serviceTypeId, resourceIds: ["carla"] }),
  );
  const members = await times(CALLERS, () => studio.member());
  const booking = sessions.map(
    (sessionId, n) => (node: TestApi) =>
      studio.book({ clientId: members[n] ?? "", session: { sessionId } }, MONDAY, { node }),
  );
  assert.deepEqual(await outcomes(booking), { done: 1, resource_busy: 39 });
  assert.equal(await studio.count("sessions where booked_count > 0"), 1);
});

test("of 40 trials sold to one client at once, one is sold", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  const planId = await addPlan(api.db, studio.id, { isTrial: true, entitlements: [{ type: "access" }] });
  const selling = Array.from(
    { length: CALLERS },
    () => (node: TestApi) =>
      contracts.sellContract(
        { db: atInstant(node.served, MONDAY), actor: BY, organizationId: studio.id },
        { clientId, planId },
      ),
  );
  assert.deepEqual(await outcomes(selling), { done: 1, trial_used: 39 });
});

test("20 seats that come free at once go to 20 in line, while 20 others book: every seat once, nobody twice", async () => {
  const studio = await newBookingStudio(api);
  const sessionId = await studio.session(EVENING, { capacity: 20 });
  const session = { sessionId };
  const booked = await times(
    20,
    async () => (await studio.book({ clientId: await studio.member(), session })).result.id,
  );
  // One after the other, because they stand in line.
  const line: string[] = [];
  for (let n = 0; n < 20; n++) {
    const { clientId } = await studio.packHolder(1);
    line.push(clientId);
    await studio.joinWaiting({ clientId, session });
  }
  const others = await times(20, () => studio.member());
  const calls = booked.flatMap((bookingId, n) => [
    (node: TestApi) => studio.cancelBooking({ bookingId }, MONDAY, { node }),
    (node: TestApi) => studio.book({ clientId: others[n] ?? "", session }, MONDAY, { node }),
  ]);
  // A seat that comes free is taken in the same transaction, so the others find none.
  assert.deepEqual(await outcomes(calls), { done: 20, full: 20 });
  assert.equal(await studio.count("bookings where state = 'booked' and to_tell"), 20);
  assert.equal(await studio.count("waiting where left_at is null"), 0);
  assert.equal(
    await studio.count("contract_entitlements where type = 'credits' and remaining_credits = 0"),
    20,
  );
  assert.equal((await studio.shownSession(sessionId, "2026-11-16"))?.bookedCount, 20);
  assert.deepEqual(await studio.contradictions(), []);
});
