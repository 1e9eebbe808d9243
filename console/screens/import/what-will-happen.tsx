import { useState } from "preact/hooks";
import { UndoDialog } from "../../history/undo-dialog.tsx";
import { Button } from "../../parts/button.tsx";
import { CheckField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section, Skeleton } from "../../parts/page.tsx";
import { words } from "./words.ts";
import {
  answer,
  bringIn,
  type Counts,
  forget,
  markTakenBack,
  skipFaulty,
  takeAllBack,
  type Work,
} from "./work.ts";

/** The counts of the dry run in words, and the way in. */
export function WhatWillHappen({ work }: { readonly work: Work }) {
  const t = words();
  const { preview, leaveOut, isReading, isImporting, problem, answers, skipsFaulty, reading } = work;
  const isUpdating = answers.update === true;
  const canUpdate = isUpdating || (reading?.counts?.known ?? 0) > 0;
  return (
    <Section title={t.ready}>
      {preview ? (
        <Sentences counts={preview} leftOut={leaveOut.size} />
      ) : (
        isReading && !problem && <Skeleton lines={2} />
      )}
      {canUpdate && (
        <CheckField
          label={t.update}
          hint={t.updateHint}
          isChecked={isUpdating}
          isDisabled={isImporting}
          onChange={(update) => void answer({ update })}
        />
      )}
      <div class="actions">
        {preview && preview.created + preview.replaced > 0 && (
          <Button kind="main" isBusy={isImporting || isReading} onClick={() => void bringIn()}>
            {preview.replaced > 0 ? t.bringIn : t.add(preview.created)}
          </Button>
        )}
        {leaveOut.size > 0 && !isImporting && (
          <Button onClick={() => void takeAllBack()}>{t.takeAllBack}</Button>
        )}
        {skipsFaulty && !isImporting && (
          <Button onClick={() => void skipFaulty(false)}>{t.showFaulty}</Button>
        )}
      </div>
    </Section>
  );
}

function Sentences({ counts, leftOut }: { readonly counts: Counts; readonly leftOut: number }) {
  const t = words();
  const { created, replaced, unchanged, known, faulty } = counts;
  const stay = known + unchanged;
  const skipped = leftOut + faulty;
  return (
    <ul class="import-counts">
      {created > 0 && <li>{t.wouldAdd(created)}</li>}
      {replaced > 0 && <li>{t.wouldChange(replaced)}</li>}
      {created + replaced === 0 && <li>{t.nothing}</li>}
      {stay > 0 && <li>{t.wouldKeep(stay)}</li>}
      {skipped > 0 && <li>{t.skipped(skipped)}</li>}
    </ul>
  );
}

/** It is in. */
export function Outcome({
  work: { importId, isTakenBack = false },
  counts,
  leftOut,
}: {
  readonly work: Work;
  readonly counts: Counts;
  readonly leftOut: number;
}) {
  const t = words();
  const [isAsked, setAsked] = useState(false);
  const { created, replaced, unchanged, known, faulty } = counts;
  const skipped = leftOut + faulty;
  if (isTakenBack)
    return (
      <Section title={t.takenBack}>
        <div class="actions">
          <Button icon="upload" onClick={forget}>
            {t.another}
          </Button>
        </div>
      </Section>
    );
  return (
    <Section title={t.done}>
      <div role="status">
        <Notice tone="good">
          {created > 0 && <p>{t.added(created)}</p>}
          {replaced > 0 && <p>{t.changed(replaced)}</p>}
          {known + unchanged > 0 && <p>{t.kept(known + unchanged)}</p>}
          {skipped > 0 && <p>{t.wasSkipped(skipped)}</p>}
        </Notice>
      </div>
      <div class="actions">
        <Button kind="main" icon="users" href="/console/clients">
          {t.toClients}
        </Button>
        <Button icon="upload" onClick={forget}>
          {t.another}
        </Button>
        {importId !== undefined && created + replaced > 0 && (
          <Button kind="quiet" icon="undo" onClick={() => setAsked(true)}>
            {t.takeImportBack}
          </Button>
        )}
      </div>
      {isAsked && importId !== undefined && (
        <UndoDialog
          undo={{ operation: "undoImport", input: { importId } }}
          onUndone={markTakenBack}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}
