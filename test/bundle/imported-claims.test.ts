import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { importLines, type Line, smallStudio } from "./support.ts";

const api = await startApi({ clockOffsetMs: Date.parse("2026-11-16T12:00:00.000Z") - Date.now() });

const claims = read(
  "test_imported_claims",
  `select session_id as "sessionId", resource_id as "resourceId" from resource_claims
   where organization_id = $1 order by lower(during), resource_id`,
);

function studio() {
  const { ids, lines } = smallStudio();
  const appointment = (start: string, more: Line = {}): Line & { id: string } => ({
    kind: "session",
    id: newId(),
    serviceTypeId: ids.massage,
    locationId: ids.centro,
    resourceIds: ["carla"],
    start,
    durationMinutes: 50,
    capacity: 1,
    bookedCount: 1,
    status: "scheduled",
    ...more,
  });
  const given = lines
    .filter(({ kind }) => kind !== "session" && kind !== "schedule")
    .map((line) => (line.id === ids.massage ? { ...line, holdsResource: true, status: "active" } : line));
  return {
    ids,
    lines: given,
    appointment,
    async claimed() {
      return (await api.db.query<{ sessionId: string }>(claims, [ids.organization])).map(
        ({ sessionId }) => sessionId,
      );
    },
  };
}

test("claims are made for what an import brings where they fit; the others stand without, and are told", async () => {
  const { ids, lines, appointment, claimed } = studio();
  const first = appointment("2026-11-20T10:00");
  const meeting = appointment("2026-11-20T10:30");
  const next = appointment("2026-11-20T10:50");
  const [past, empty, cancelled] = [
    appointment("2026-11-10T10:00"),
    appointment("2026-11-21T10:00", { bookedCount: 0 }),
    appointment("2026-11-22T10:00", { status: "cancelled", bookedCount: 0 }),
  ];
  // Classes with her, one of a schedule and one by itself.
  const weekly = {
    kind: "schedule",
    id: newId(),
    serviceTypeId: ids.pilates,
    locationId: ids.centro,
    resourceIds: ["carla"],
    start: "2026-11-02T18:00",
    durationMinutes: 60,
    rrule: "FREQ=WEEKLY",
    capacity: 8,
  };
  const lesson = appointment("2026-11-24T10:00", { serviceTypeId: ids.pilates });
  const [inWeekly, inLesson] = [appointment("2026-11-23T18:30"), appointment("2026-11-24T10:10")];
  const sessions = [first, meeting, next, past, empty, cancelled, lesson, inWeekly, inLesson];
  const summary = await importLines(api.db, [...lines, weekly, ...sessions]);
  assert.deepEqual(await claimed(), [first.id, next.id]);
  assert.deepEqual(
    [...(summary.withoutResource ?? [])].sort(),
    [meeting.id, inWeekly.id, inLesson.id].sort(),
  );
  // Moved away, its place is free for the other one; and what is brought a second time changes nothing.
  const moved = { ...first, start: "2026-11-25T10:00" };
  const again = await importLines(api.db, [moved, { ...next, bookedCount: 0 }], {
    organizationId: ids.organization,
  });
  assert.deepEqual(await claimed(), [meeting.id, first.id]);
  assert.deepEqual([...(again.withoutResource ?? [])].sort(), [inWeekly.id, inLesson.id].sort());
  const same = await importLines(api.db, [moved], { organizationId: ids.organization });
  assert.equal(same.withoutResource, undefined);
});

test("a type that no longer holds its resources has no claims", async () => {
  const { ids, lines, appointment, claimed } = studio();
  const session = appointment("2026-11-20T10:00");
  await importLines(api.db, [...lines, session]);
  assert.deepEqual(await claimed(), [session.id]);
  const type = lines.find(({ id }) => id === ids.massage);
  await importLines(api.db, [{ ...type, holdsResource: false }], { organizationId: ids.organization });
  assert.deepEqual(await claimed(), []);
});
