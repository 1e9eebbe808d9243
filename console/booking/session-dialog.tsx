import { useState } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { useMay, useMe } from "../frame/me.ts";
import { longDate, timeOf } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { usePrintSheet } from "../parts/print-sheet.ts";
import type { SessionName } from "../routing/session-name.ts";
import { BookSomebody } from "./book-somebody.tsx";
import { useNow } from "./now.ts";
import { RosterLists } from "./roster.tsx";
import { RosterSheet } from "./roster-sheet.tsx";
import type { Roster } from "./roster-types.ts";
import { SeatNotes, Seats } from "./seats.tsx";
import { SessionActions } from "./session-actions.tsx";
import { words } from "./words.ts";

/** One session: what, when, where, with whom; who comes; what can be done about it. */
export function SessionDialog({
  session,
  isBooking = false,
  onClose,
}: {
  readonly session: SessionName;
  /** Whether it begins with booking somebody. */
  readonly isBooking?: boolean;
  readonly onClose: () => void;
}) {
  const t = words();
  const roster = useRead("/app/v1/roster", { query: session }, { keepsLast: true });
  const title = roster.data?.session.serviceTypeName ?? t.session;
  return (
    <Dialog kind="side" title={title} onClose={onClose}>
      <Shown reading={roster} lines={8}>
        {(data) => <RosterOf roster={data} beginsBooking={isBooking} />}
      </Shown>
    </Dialog>
  );
}

function RosterOf({ roster, beginsBooking }: { readonly roster: Roster; readonly beginsBooking: boolean }) {
  const t = words();
  const now = useNow(roster);
  const { session } = roster;
  const mayWork = useMayWorkAt(session.locationId);
  const isOpen = now < Date.parse(roster.recordClosesAt);
  const mayMark = mayWork && isOpen;
  const isDesk = useMay("front_desk");
  const mayWrite = mayMark && isDesk;
  const [isBooking, setBooking] = useState(beginsBooking);
  usePrintSheet(() => <RosterSheet roster={roster} />);
  return (
    <div class="stack session-panel">
      <SessionFacts roster={roster} />
      {!mayWork && <Notice>{t.notYours}</Notice>}
      {!isOpen && <Notice>{t.closed}</Notice>}
      {session.status === "cancelled" && <Notice tone="warning">{t.sessionCancelled}</Notice>}
      {mayWrite && session.status === "scheduled" && isBooking ? (
        <BookSomebody roster={roster} now={now} onDone={() => setBooking(false)} />
      ) : (
        <div class="row no-print">
          {mayWrite && session.status === "scheduled" && (
            <Button kind="main" icon="plus" onClick={() => setBooking(true)}>
              {t.book}
            </Button>
          )}
          <Button icon="print" onClick={() => print()}>
            {t.print}
          </Button>
          {mayWrite && <SessionActions roster={roster} now={now} />}
        </div>
      )}
      <RosterLists
        roster={roster}
        now={now}
        mayMark={mayMark}
        mayWrite={mayWrite}
        mayCover={mayWork && isDesk}
      />
    </div>
  );
}

function SessionFacts({ roster }: { readonly roster: Roster }) {
  const t = words();
  const { session } = roster;
  const { organization } = useMe();
  return (
    <div class="session-facts">
      <p>
        <Icon name="clock" />
        <span>
          {longDate(session.localStart)}, {timeOf(session.localStart)}–{timeOf(session.localEnd)}
          {session.timezone !== organization.timezone && (
            <span class="soft"> ({t.zone(session.timezone)})</span>
          )}
        </span>
      </p>
      <p>
        <Icon name="place" />
        <span>{session.locationName}</span>
      </p>
      {session.resourceNames && (
        <p>
          <Icon name="user" />
          <span>{session.resourceNames.join(", ")}</span>
        </p>
      )}
      <p>
        <Icon name="users" />
        <span class="seats-line">
          <Seats session={session} />
          <SeatNotes {...roster} />
        </span>
      </p>
    </div>
  );
}

/** Whether the person works at a location. */
function useMayWorkAt(locationId: string): boolean {
  const { allLocations, locationIds } = useMe().staff;
  return allLocations || locationIds.includes(locationId);
}
