import { useState } from "preact/hooks";
import { useFreshDryRun } from "../../api/dry-runs.ts";
import { useWrite } from "../../api/writes.ts";
import { isDate } from "../../languages/days.ts";
import { fullDate } from "../../languages/format.ts";
import { DateField } from "../../parts/date-field.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { Effects } from "../../sessions/effects.tsx";
import type { Schedule } from "./schedule.ts";
import { words } from "./words.ts";

/** Ends an entry with a day, after saying what is cancelled by that. */
export function EndSchedule({
  schedule,
  name,
  today,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly name: string;
  readonly today: string;
  readonly onClose: () => void;
}) {
  const t = words();
  // One that has not begun ends with its first day at the earliest.
  const begin = schedule.start.slice(0, 10);
  const [lastDay, setLastDay] = useState(begin > today ? begin : today);
  const end = useWrite("endSchedule");
  const input = { scheduleId: schedule.id, lastDay, cancelBooked: true };
  const preview = useFreshDryRun("endSchedule", isDate(lastDay) ? input : undefined);
  const { run } = preview;
  const [problem, refused] = [preview.problem, end.problem].map((found) =>
    found?.named({ start: t.startDate }),
  );
  const confirm = async () => {
    if (run && (await end.run(input, { said: t.endDone(name, fullDate(lastDay)) }))) onClose();
  };
  return (
    <ConfirmDialog
      title={t.endTitle(name)}
      confirm={problem ? undefined : t.endConfirm}
      isBusy={end.isBusy || !run}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <DateField
        label={t.endLastDay}
        min={today}
        value={lastDay}
        onInput={setLastDay}
        fault={problem?.faultAt("lastDay") ?? refused?.faultAt("lastDay")}
      />
      <Effects
        changes={run?.changes}
        problem={problem}
        shown={["lastDay"]}
        sentences={({ sessions, bookings }) => [
          sessions > 0 ? t.endSessions(sessions) : undefined,
          bookings > 0 ? t.endBookings(bookings) : undefined,
        ]}
        nothing={t.endNone}
      />
      <ProblemNotice problem={refused} shown={["lastDay"]} />
    </ConfirmDialog>
  );
}
