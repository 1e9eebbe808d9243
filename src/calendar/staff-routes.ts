import { invalid } from "../core/errors.ts";
import type { RecordStream } from "../core/record-stream.ts";
import type { SharedDatabase } from "../db/database.ts";
import { operation } from "../http/operation.ts";
import type { StaffScope } from "../http/staff-scope.ts";
import { ByteStream } from "../http/streaming.ts";
import { CalendarReader, checkWindow, readWindow } from "./operations.ts";
import { CalendarQuery, type Session, StaffCalendar } from "./schema.ts";
import { countWaiting, listResourceNames } from "./staff-calendar-queries.ts";

export function calendarStaffRoutes(scope: StaffScope, db: SharedDatabase): void {
  const calendar = new CalendarReader(db);
  operation(scope, {
    operationId: "listSessions",
    method: "GET",
    path: "/app/v1/calendar",
    tag: "Timetable",
    summary: "Sessions in a window",
    description:
      "The sessions that start in the window, as the public API has them, with the names of what they are, where and with " +
      "whom, their times on the location's clock, and how many people wait.",
    query: CalendarQuery,
    queryRules: checkWindow,
    answer: { status: 200, description: "The sessions of the window.", schema: StaffCalendar },
    errors: [invalid([{ location: "query.to", code: "window_reversed" }])],
    // Not cached: who waits moves no version.
    handle: async ({ caller, db: own, query }) => {
      const { organizationId, history, versions, clock } = caller;
      const window = readWindow(query);
      const reader = { organizationId, history, catalogVersion: versions.catalog };
      const [waiting, resources] = await Promise.all([
        countWaiting(own, organizationId, window, clock.now()),
        listResourceNames(own, organizationId),
      ]);
      const sessions = await calendar.readRecords(reader, window, { isForPeople: true });
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

/** The list envelope as JSON, piece by piece. */
async function* writeList(
  opening: string,
  { batches, total }: RecordStream<Session>,
  shown: (session: Session) => object,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${opening}"data":[`);
  let isFirst = true;
  for await (const batch of batches) {
    const text = batch.map((session) => JSON.stringify(shown(session))).join(",");
    yield Buffer.from(isFirst ? text : `,${text}`);
    isFirst = false;
  }
  yield Buffer.from(`],"total":${total}}`);
}
