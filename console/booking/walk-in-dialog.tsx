import { useState } from "preact/hooks";
import type { Answer } from "../api/reads.ts";
import { timeOf } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { Notice } from "../parts/notice.tsx";
import { keyOfSession } from "../routing/session-name.ts";
import { BookForm } from "./book-form.tsx";
import type { PickedClient } from "./client-picker.tsx";
import { words } from "./words.ts";

type RosterOfToday = Answer<"/app/v1/today">["sessions"][number];

/** Somebody came without a booking: into which session, on what, and in. */
export function WalkInDialog({
  client,
  rosters,
  now,
  onClose,
}: {
  readonly client: PickedClient;
  /** The sessions that are open for it, the likeliest first. */
  readonly rosters: readonly RosterOfToday[];
  readonly now: number;
  readonly onClose: () => void;
}) {
  const t = words();
  const [chosen, setChosen] = useState<string>();
  const roster = rosters.find(({ session }) => keyOfSession(session) === chosen) ?? rosters[0];
  const hasPlaces = new Set(rosters.map(({ session }) => session.locationId)).size > 1;
  return (
    <Dialog title={client.contactName} onClose={onClose}>
      {roster ? (
        <>
          <SelectField
            label={t.session}
            value={keyOfSession(roster.session)}
            choices={rosters.map(({ session }) => ({
              value: keyOfSession(session),
              label: [
                `${timeOf(session.localStart)} ${isolate(session.serviceTypeName)}`,
                ...(hasPlaces ? [session.locationName] : []),
                `${session.bookedCount}/${session.capacity}`,
              ].join(" · "),
            }))}
            onChoose={setChosen}
          />
          <BookForm
            key={keyOfSession(roster.session)}
            roster={roster}
            now={now}
            client={client}
            prefersCheckIn
            onDone={onClose}
          />
        </>
      ) : (
        <Notice>{t.noneOpen}</Notice>
      )}
    </Dialog>
  );
}
