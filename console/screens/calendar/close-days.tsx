import { useState } from "preact/hooks";
import { useFreshDryRun } from "../../api/dry-runs.ts";
import { useWrite } from "../../api/writes.ts";
import { isDate } from "../../languages/days.ts";
import { Button } from "../../parts/button.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { type Catalog, choicesOf, useOwnLocations } from "../../sessions/catalog.ts";
import { Effects } from "../../sessions/effects.tsx";
import { words as sessionWords } from "../../sessions/words.ts";
import { closeWords } from "./close-words.ts";
import { words } from "./words.ts";

const SHOWN = ["locationId", "firstDay", "lastDay", "reason"];

/** Cancels everything at a location on some days. How much that is stands there before it is done. */
export function CloseDays({
  catalog,
  locationId: chosen,
  date,
  onClose,
}: {
  readonly catalog: Catalog;
  readonly locationId: string | undefined;
  readonly date: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const c = closeWords();
  const own = useOwnLocations(catalog.locations);
  const [locationId, setLocationId] = useState(own.find(({ id }) => id === chosen)?.id ?? own[0]?.id ?? "");
  const [firstDay, setFirstDay] = useState(date);
  const [lastDay, setLastDay] = useState(date);
  const [reason, setReason] = useState("");
  const closing = useWrite("closeDays");
  const labels = { firstDay: t.firstDay };
  const refused = closing.problem?.named(labels);
  const input = { locationId, firstDay, lastDay, cancelBooked: true };
  const isReady = isDate(firstDay) && isDate(lastDay);
  // The reason changes nothing about the numbers.
  const preview = useFreshDryRun("closeDays", isReady ? { ...input, reason: "-" } : undefined);
  const { run } = preview;
  const problem = preview.problem?.named(labels);
  const sessions = run?.changes.sessions;
  const fault = (member: string) => refused?.faultAt(member) ?? problem?.faultAt(member);
  const submit = async () => {
    if (!sessions) return;
    const done = await closing.run({ ...input, reason }, { said: t.closed(sessions) });
    if (done) onClose();
  };
  return (
    <Dialog title={t.closeTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>{t.closeLead}</p>
        <SelectField
          label={sessionWords().location}
          value={locationId}
          choices={choicesOf(own)}
          onChoose={setLocationId}
          fault={fault("locationId")}
        />
        <div class="columns">
          <DateField
            label={t.firstDay}
            value={firstDay}
            onInput={(value) => {
              setFirstDay(value);
              if (lastDay < value) setLastDay(value);
            }}
            isRequired
            fault={fault("firstDay")}
          />
          <DateField
            label={t.lastDay}
            value={lastDay}
            min={firstDay}
            onInput={setLastDay}
            isRequired
            fault={fault("lastDay")}
          />
        </div>
        <TextField
          label={t.reason}
          value={reason}
          onInput={setReason}
          maxLength={500}
          isRequired
          hint={t.reasonHint}
          fault={refused?.faultAt("reason")}
        />
        {isReady && (
          <Effects
            changes={run?.changes}
            problem={problem}
            shown={SHOWN}
            sentences={({ sessions: number, bookings }) => [
              number > 0 ? c.sessions(number) : undefined,
              bookings > 0 ? c.bookings(bookings) : undefined,
            ]}
            nothing={t.closeNothing}
          />
        )}
        <ProblemNotice problem={refused} shown={SHOWN} />
        <Actions>
          {sessions !== undefined && sessions > 0 && (
            <Button kind="danger" isSubmit isBusy={closing.isBusy}>
              {t.closeSave(sessions)}
            </Button>
          )}
          <Button onClick={onClose}>{c.leave}</Button>
        </Actions>
      </form>
    </Dialog>
  );
}
