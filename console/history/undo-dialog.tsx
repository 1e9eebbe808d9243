import { useEffect, useState } from "preact/hooks";
import type { Schemas, Writes } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { dryRunUndo, type Undo, undoWrite } from "../api/writes.ts";
import { ReturningNotice } from "../booking/returning.tsx";
import { listOf } from "../languages/format.ts";
import { ConfirmDialog } from "../parts/form-dialog.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import type { SessionName } from "../routing/session-name.ts";
import { EntrySentence } from "./entry.tsx";
import { countsOf, takenBackOf } from "./facts.ts";
import { historyWords } from "./words.ts";

/** Asks before something of the history is undone, with what that would do, or why it cannot be done any more. */
export function UndoDialog({
  entry,
  undo,
  onUndone,
  onClose,
}: {
  /** Absent where it is clear what is undone. */
  readonly entry?: Schemas["RecordedWrite"] | undefined;
  readonly undo: Undo;
  readonly onUndone?: (() => void) | undefined;
  readonly onClose: () => void;
}) {
  const t = historyWords();
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<{
    readonly counts?: Schemas["ChangeCounts"];
    readonly result?: unknown;
    readonly problem?: Problem;
  }>();
  useEffect(() => {
    let isOpen = true;
    dryRunUndo(undo).then(
      ({ changes, result }) => isOpen && setFound({ counts: changes, result }),
      (error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        if (isOpen) setFound({ problem: error });
      },
    );
    return () => {
      isOpen = false;
    };
  }, [undo]);
  const also = found?.counts ? countsOf({ ...found.counts }) : [];
  const takenBack = undo.operation === "undoImport" ? takenBackOf(found?.result) : undefined;
  return (
    <ConfirmDialog
      title={t.undoTitle}
      confirm={found?.counts && t.undo}
      isDangerous={false}
      isBusy={isBusy}
      onConfirm={async () => {
        if (isBusy) return;
        setBusy(true);
        if (await undoWrite(undo, () => t.undone)) onUndone?.();
        onClose();
      }}
      onClose={onClose}
    >
      {entry && (
        <p>
          <EntrySentence entry={entry} />
        </p>
      )}
      <ProblemNotice problem={found?.problem} />
      {found === undefined && <p class="soft">{t.undoing}</p>}
      {takenBack?.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {found?.counts && !takenBack && (
        <p class="soft">{also.length > 0 ? t.undoAlso(listOf(also)) : t.undoNothing}</p>
      )}
      {undo.operation === "reinstateSession" && found?.result !== undefined && (
        <ReturningNotice
          session={(undo.input as { session: SessionName }).session}
          bookings={(found.result as Writes["reinstateSession"]["result"]).bookings ?? []}
        />
      )}
    </ConfirmDialog>
  );
}
