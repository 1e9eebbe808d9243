import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { dryRunUndo, type Undo, undoWrite } from "../api/writes.ts";
import { listOf } from "../languages/format.ts";
import { ConfirmDialog } from "../parts/form-dialog.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { EntrySentence } from "./entry.tsx";
import { countsOf } from "./facts.ts";
import { historyWords } from "./words.ts";

/** Asks before something of the history is undone, with what that would do, or why it cannot be done any more. */
export function UndoDialog({
  entry,
  undo,
  onClose,
}: {
  readonly entry: Schemas["RecordedWrite"];
  readonly undo: Undo;
  readonly onClose: () => void;
}) {
  const t = historyWords();
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState<{
    readonly counts?: Schemas["ChangeCounts"];
    readonly problem?: Problem;
  }>();
  useEffect(() => {
    let isOpen = true;
    dryRunUndo(undo).then(
      ({ changes }) => isOpen && setFound({ counts: changes }),
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
  return (
    <ConfirmDialog
      title={t.undoTitle}
      confirm={found?.counts && t.undo}
      isDangerous={false}
      isBusy={isBusy}
      onConfirm={async () => {
        if (isBusy) return;
        setBusy(true);
        await undoWrite(undo, t.undone);
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        <EntrySentence entry={entry} />
      </p>
      <ProblemNotice problem={found?.problem} />
      {found === undefined && <p class="soft">{t.undoing}</p>}
      {found?.counts && <p class="soft">{also.length > 0 ? t.undoAlso(listOf(also)) : t.undoNothing}</p>}
    </ConfirmDialog>
  );
}
