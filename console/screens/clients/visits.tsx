import { useState } from "preact/hooks";
import { type Answer, useRead } from "../../api/reads.ts";
import { SessionPanel } from "../../booking/session-panel.tsx";
import { useMe } from "../../frame/me.ts";
import { shortDate, timeOf, weekdayOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { Badge, Empty } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { type Column, offsetOf, PAGE_SIZE, Pager, Table } from "../../parts/table.tsx";
import { route } from "../../routing/router.ts";
import { words } from "./words.ts";

type Visit = Answer<"/app/v1/clients/{id}/visits">["data"][number];

const TONES = {
  booked: "accent",
  attended: "good",
  no_show: "bad",
  cancelled: "plain",
  late_cancelled: "warning",
} as const;

/** When the client came, comes, or did not come; each leads to its session. */
export function Visits({ clientId }: { readonly clientId: string }) {
  const t = words();
  const { timezone } = useMe().organization;
  const offset = offsetOf(route.value.query);
  const visits = useRead(
    "/app/v1/clients/{id}/visits",
    { params: { id: clientId }, query: { limit: PAGE_SIZE, offset } },
    { keepsLast: true },
  );
  const [sessionId, setSessionId] = useState<string>();
  const columns: readonly Column<Visit>[] = [
    {
      title: t.when,
      cell: (visit) => (
        <>
          {weekdayOf(visit.localStart)} {shortDate(visit.localStart)}, {timeOf(visit.localStart)}
          {visit.timezone !== timezone && <div class="soft">{t.zone(visit.timezone)}</div>}
        </>
      ),
    },
    {
      title: t.what,
      cell: (visit) => (
        <button type="button" class="client-session" onClick={() => setSessionId(visit.sessionId)}>
          {visit.serviceTypeName}
        </button>
      ),
    },
    { title: t.where, isExtra: true, cell: ({ locationName }) => locationName },
    {
      title: t.visitState,
      cell: ({ state, moved, toTell }) => (
        <div class="row">
          <Badge tone={TONES[state]}>{t.states[state]}</Badge>
          {moved && <Badge tone="warning">{t.moved}</Badge>}
          {toTell && <Badge tone="warning">{t.toTell}</Badge>}
        </div>
      ),
    },
    {
      title: t.drawnOn,
      isExtra: true,
      cell: ({ planName, uncoveredReason, isCourtesy }) =>
        planName ?? (
          <span>
            {isCourtesy ? <Badge>{t.courtesy}</Badge> : <Badge tone="warning">{t.uncovered}</Badge>}{" "}
            {uncoveredReason}
          </span>
        ),
    },
  ];
  return (
    <Shown reading={visits}>
      {({ data, total }) =>
        total === 0 ? (
          <Empty
            icon="calendar"
            title={t.noVisits}
            action={<Button href="/console/calendar">{t.toCalendar}</Button>}
          >
            {t.noVisitsText}
          </Empty>
        ) : (
          <>
            <Table caption={t.visits} columns={columns} rows={data} keyOf={({ id }) => id} />
            <Pager offset={offset} shown={data.length} total={total} />
            {sessionId !== undefined && (
              <SessionPanel session={{ sessionId }} onClose={() => setSessionId(undefined)} />
            )}
          </>
        )
      }
    </Shown>
  );
}
