import { useEffect, useState } from "preact/hooks";
import { useFreshDryRun } from "../../api/dry-runs.ts";
import type { Problem } from "../../api/problem.ts";
import { type Input, useWrite } from "../../api/writes.ts";
import { fullDate, timeOf } from "../../languages/format.ts";
import { ChoiceField } from "../../parts/field.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Effects } from "../../sessions/effects.tsx";
import type { Schedule } from "./schedule.ts";
import { words } from "./words.ts";

type Decision = "keepBooked" | "cancelBooked";

/** What an edit does, before it is done; for people booked on dates that go, somebody has to decide. */
export function EditEffects({
  schedule,
  from,
  changes,
  name,
  onDone,
  onRefused,
  onClose,
}: {
  readonly schedule: Schedule;
  readonly from: string;
  readonly changes: Input<"editSchedule">["changes"];
  readonly name: string;
  readonly onDone: (scheduleId: string) => void;
  /** Something is wrong with what was typed: it is shown beside its field. */
  readonly onRefused: (problem: Problem) => void;
  readonly onClose: () => void;
}) {
  const t = words();
  const [decision, setDecision] = useState<Decision>();
  const [isAsked, setAsked] = useState(false);
  const input = { scheduleId: schedule.id, from, changes, ...(decision && { [decision]: true }) };
  const { run, problem } = useFreshDryRun("editSchedule", input);
  const edit = useWrite("editSchedule");
  const isUndecided = problem?.reason === "has_bookings";
  useEffect(() => {
    if (isUndecided) setAsked(true);
    else if (problem?.status === 422) onRefused(problem);
  }, [problem]);
  const confirm = async () => {
    if (!run) return;
    const done = await edit.run(input, { said: t.changed(name) });
    if (done) onDone(done.result?.id ?? schedule.id);
  };
  return (
    <ConfirmDialog
      title={t.effectTitle}
      confirm={run ? t.confirm : undefined}
      isDangerous={decision === "cancelBooked"}
      isBusy={edit.isBusy}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.effectFrom(`${fullDate(from)}, ${timeOf(from)}`)}</p>
      {isAsked && (
        <ChoiceField
          label={t.withoutDate}
          value={decision}
          choices={[
            { value: "keepBooked", label: t.keepBooked },
            { value: "cancelBooked", label: t.cancelBooked },
          ]}
          onChoose={setDecision}
        />
      )}
      {!isUndecided && (
        <Effects
          changes={run?.changes}
          problem={problem}
          sentences={({ sessions, bookings }) => [
            sessions > 0 ? t.effectSessions(sessions) : undefined,
            bookings > 0 ? t.effectBookings(bookings) : undefined,
          ]}
          nothing={t.effectNone}
        />
      )}
      {from !== schedule.start && <Notice tone="warning">{t.splits}</Notice>}
      <ProblemNotice problem={edit.problem} />
    </ConfirmDialog>
  );
}
