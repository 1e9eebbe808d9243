import { Snapshot } from "../../core/data-snapshot.ts";
import { invalid } from "../../core/errors.ts";
import type { Caller } from "../../http/caller.ts";
import type { OperationScope } from "../../http/declaration.ts";
import { operation } from "../../http/operation.ts";
import { ByteStream } from "../../http/streaming.ts";
import { type CalendarReader, checkWindow, readWindow } from "./operations.ts";
import { CALENDAR_CSV_COLUMNS, Calendar, CalendarSession, NamedCalendarQuery } from "./schema.ts";

export function calendarRoutes(scope: OperationScope, calendar: CalendarReader): void {
  operation(scope, {
    operationId: "listSessions",
    method: "GET",
    path: "/v1/calendar",
    tag: "Calendar",
    summary: "Sessions in a window",
    description:
      "The sessions that start in the window, in order, made by expanding each schedule's recurrence rule at its " +
      "location's clock. Cancelled sessions are shown as such. Who is booked is not reported. The list is returned " +
      "whole; the window is its bound.",
    query: NamedCalendarQuery,
    queryRules: checkWindow,
    answer: { status: 200, description: "The sessions of the window.", schema: Calendar },
    errors: [invalid([{ location: "query.to", code: "window_reversed" }])],
    reads: ["catalog", "sessions"],
    etag: "answer",
    download: {
      name: "calendar",
      record: CalendarSession,
      columns: CALENDAR_CSV_COLUMNS,
      csvExample: {
        serviceTypeName: "Pilates solo",
        locationName: "Vila Madalena",
        localStart: "2026-11-16 07:00",
        localEnd: "2026-11-16 07:50",
        timezone: "America/Sao_Paulo",
      },
      read: async ({ caller, query, type }, take) =>
        take(
          await calendar.readRecords(readerOf(caller), readWindow(query), {
            hasNames: type === "text/csv" || query.include === "names",
          }),
        ),
    },
    handle: async ({ caller, query }) => {
      const window = readWindow(query);
      if (query.include === "names") {
        const { content: named, version } = await calendar.readNamed(readerOf(caller), window);
        return new Snapshot(
          new ByteStream((opening) => calendar.writeNamed(named, window, opening)),
          version,
        );
      }
      const { content: agenda, version } = await calendar.read(readerOf(caller), window);
      return new Snapshot(new ByteStream((opening) => calendar.write(agenda, window, opening)), version);
    },
  });
}

function readerOf({ organizationId, history, versions }: Caller) {
  return { organizationId, history, catalogVersion: versions.catalog };
}
