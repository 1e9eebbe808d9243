import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { writeOrTell } from "../api/writes.ts";
import { count } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { BookForm } from "./book-form.tsx";
import type { Roster } from "./roster-types.ts";
import { words } from "./words.ts";

type RosterWaiting = Schemas["RosterWaiting"];

/** Who waits for a seat, the first in line first. */
export function WaitingLine({
  roster,
  now,
  mayWrite,
}: {
  readonly roster: Roster;
  readonly now: number;
  readonly mayWrite: boolean;
}) {
  const t = words();
  const [promoted, setPromoted] = useState<RosterWaiting>();
  const { waiting, session } = roster;
  if (waiting.length === 0) return null;
  const isFree = session.bookedCount < session.capacity;
  const isAutomatic = now <= Date.parse(roster.freeUntil);
  return (
    <section class="stack">
      <h3>{t.line(waiting.length)}</h3>
      <p class="soft">{isAutomatic ? t.lineMoves : isFree ? t.lineAsk : t.lineStands}</p>
      <ol class="people">
        {waiting.map((entry, place) => (
          <li key={entry.id} class="person">
            <div class="person-name">
              <strong>
                {count(place + 1)}. <bdi>{entry.clientName}</bdi>
              </strong>
            </div>
            {mayWrite && (
              <div class="person-state">
                {isFree && (
                  <Button isSmall onClick={() => setPromoted(entry)}>
                    {t.promote}
                    <span class="for-readers"> {entry.clientName}</span>
                  </Button>
                )}
                <Button
                  isSmall
                  kind="quiet"
                  onClick={() =>
                    void writeOrTell(
                      "leaveWaiting",
                      { waitingId: entry.id },
                      { said: t.left(entry.clientName) },
                    )
                  }
                >
                  {t.leaveLine}
                  <span class="for-readers"> {entry.clientName}</span>
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {promoted && (
        <Dialog title={t.bookFromLine(promoted.clientName)} onClose={() => setPromoted(undefined)}>
          <BookForm
            roster={roster}
            now={now}
            client={{ id: promoted.clientId, contactName: promoted.clientName, status: "active" }}
            waitingId={promoted.id}
            onDone={() => setPromoted(undefined)}
          />
        </Dialog>
      )}
    </section>
  );
}
