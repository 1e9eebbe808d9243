import { useFreshDryRun } from "../../api/dry-runs.ts";
import { useWrite } from "../../api/writes.ts";
import { longDate, timeOf } from "../../languages/format.ts";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { nameOf } from "../../routing/session-name.ts";
import { Effects } from "../../sessions/effects.tsx";
import { moveWords } from "./move-words.ts";
import type { CalendarSession } from "./placement.ts";
import { words } from "./words.ts";

/** Asks before a session is moved, with how many people it concerns. */
export function MoveSession({
  session,
  start,
  onClose,
}: {
  readonly session: CalendarSession;
  readonly start: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const m = moveWords();
  const input = { session: nameOf(session), changes: { start } };
  const { run, problem } = useFreshDryRun("editSession", input);
  const edit = useWrite("editSession");
  const before = (session.localStart ?? "").replace(" ", "T");
  const name = session.serviceTypeName ?? "";
  const move = async () => {
    const done = await edit.run(input, {
      said: t.moved(name, shown(start)),
      undo: { operation: "editSession", input: { session: input.session, changes: { start: before } } },
    });
    if (done) onClose();
  };
  return (
    <ConfirmDialog
      title={t.moveTitle(name)}
      confirm={problem ? undefined : t.move}
      isDangerous={false}
      isBusy={edit.isBusy || !run}
      onConfirm={() => run && void move()}
      onClose={onClose}
    >
      <p>{t.moveFrom(shown(before), shown(start))}</p>
      <Effects
        changes={run?.changes}
        problem={problem}
        sentences={({ bookings }) => [bookings > 0 ? m.booked(bookings) : undefined]}
        nothing={m.nobody}
      />
      <ProblemNotice problem={edit.problem} />
    </ConfirmDialog>
  );
}

function shown(local: string): string {
  return `${longDate(local)}, ${timeOf(local)}`;
}
