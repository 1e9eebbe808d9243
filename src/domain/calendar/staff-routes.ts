import { readableResource } from "../../core/actor.ts";
import { unboundedEffort } from "../../core/effort.ts";
import { invalid, refusal } from "../../core/errors.ts";
import type { RecordStream } from "../../core/record-stream.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import { ByteStream } from "../../http/streaming.ts";
import { type CalendarReader, checkWindow, readWindow } from "./operations.ts";
import { CalendarQuery, type Session, StaffCalendar } from "./schema.ts";
import { countWaiting, listResourceNames } from "./staff-calendar-queries.ts";

export function calendarStaffRoutes(scope: StaffScope, calendar: CalendarReader): void {
  operation(scope.forRole("teacher"), {
    operationId: "listSessions",
    method: "GET",
    path: "/app/v1/calendar",
    tag: "Timetable",
    summary: "Sessions in a window",
    description:
      "The sessions that start in the window, as the public API has them, with the names of what they are, where and with " +
      "whom, their times on the location's clock, and how many people wait. To a teacher, their own alone.",
    query: CalendarQuery,
    queryRules: checkWindow,
    answer: { status: 200, description: "The sessions of the window.", schema: StaffCalendar },
    errors: [invalid([{ location: "query.to", code: "window_reversed" }]), refusal("not_allowed")],
    // Not cached: who waits moves no version.
    handle: async ({ caller, db: own, query }) => {
      const { organizationId, history, versions, clock } = caller;
      const window = { ...readWindow(query), resourceId: readableResource(caller.actor, query.resourceId) };
      const reader = { organizationId, history, catalogVersion: versions.catalog };
      const [waiting, resources] = await Promise.all([
        countWaiting(own, organizationId, window, clock.now()),
        listResourceNames(own, organizationId),
      ]);
      const sessions = await calendar.readRecords(reader, window, { hasNames: true });
      const named = ({ resourceIds, ...session }: Session) => ({
        ...session,
        ...(resourceIds && {
          resourceIds,
          resourceNames: resourceIds.map((id) => resources.get(id) ?? id),
        }),
        waiting: waiting.get(session.id ?? "") ?? 0,
      });
      return new ByteStream((opening) => writeList(opening, sessions, named));
    },
  });
}

const PIECE_LENGTH = 1 << 14;

/** The list envelope as JSON, piece by piece. */
async function* writeList(
  opening: string,
  { batches, total }: RecordStream<Session>,
  shown: (session: Session) => object,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${opening}"data":[`);
  const effort = unboundedEffort();
  let text = "";
  let isFirst = true;
  for await (const batch of batches) {
    for (const session of batch) {
      text += (isFirst ? "" : ",") + JSON.stringify(shown(session));
      isFirst = false;
      // A session may have hundreds of resources, each with a long name.
      if (text.length < PIECE_LENGTH) continue;
      yield Buffer.from(text);
      text = "";
      if (effort.isDue) await effort.pause();
    }
  }
  yield Buffer.from(text);
  yield Buffer.from(`],"total":${total}}`);
}
