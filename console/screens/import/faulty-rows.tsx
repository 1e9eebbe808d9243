import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { words } from "./words.ts";
import {
  cellsOf,
  check,
  type FaultyRow,
  fixCell,
  joinCells,
  leaveOutRow,
  type Reading,
  skipFaulty,
  takeBackRow,
  type Work,
} from "./work.ts";

/** How many are drawn at a time: each has a field for every cell. */
const DRAWN_ROWS = 20;

/** Rows with faults, their cells to be corrected in place. */
export function FaultyRows({ work }: { readonly work: Work }) {
  const t = words();
  const { reading, isReading } = work;
  const total = reading?.counts?.faulty ?? 0;
  if (!reading) return null;
  return (
    <Section title={t.faulty(total)}>
      <Rows rows={reading.faultyRows} total={total} hint={t.faultyHint} work={work} reading={reading}>
        <Button isBusy={isReading} onClick={() => void skipFaulty(true)}>
          {t.skipAll(total)}
        </Button>
      </Rows>
    </Section>
  );
}

/** Rows that come in without a cell that could not be read: nothing has to be done, but can be. */
export function IncompleteRows({ work }: { readonly work: Work }) {
  const t = words();
  const { reading } = work;
  const total = reading?.counts?.incomplete ?? 0;
  if (!reading || total === 0) return null;
  return (
    <details class="import-options import-incomplete">
      <summary>{t.incomplete(total)}</summary>
      <Rows
        rows={reading.incompleteRows}
        total={total}
        hint={t.incompleteHint}
        work={work}
        reading={reading}
      />
    </details>
  );
}

function Rows({
  rows,
  total,
  hint,
  work,
  reading,
  children,
}: {
  readonly rows: readonly FaultyRow[];
  readonly total: number;
  readonly hint: string;
  readonly work: Work;
  readonly reading: Reading;
  readonly children?: ComponentChildren;
}) {
  const t = words();
  const [drawn, setDrawn] = useState(DRAWN_ROWS);
  const isTouched = rows.some(({ row }) => work.unchecked.has(row));
  return (
    <>
      <p class="import-hint">
        {hint} {rows.length < total && t.firstShown(rows.length)}
      </p>
      <ul class="faulty-rows">
        {rows.slice(0, drawn).map((row) => (
          <li key={row.row} class="card faulty-row">
            <RowCard row={row} work={work} reading={reading} />
          </li>
        ))}
      </ul>
      {rows.length > drawn && <Button onClick={() => setDrawn(drawn + DRAWN_ROWS)}>{t.more}</Button>}
      <div class="actions import-actions">
        <Button kind="main" isDisabled={!isTouched} isBusy={work.isReading} onClick={() => void check()}>
          {t.checkAgain}
        </Button>
        {children}
      </div>
    </>
  );
}

function RowCard({
  row,
  work,
  reading,
}: {
  readonly row: FaultyRow;
  readonly work: Work;
  readonly reading: Reading;
}) {
  const t = words();
  const isLeftOut = work.leaveOut.has(row.row);
  // What was corrected is not checked yet.
  const isCorrected = (work.unchecked.get(row.row)?.size ?? 0) > 0;
  const ofRow = row.faults.filter(({ column }) => column === undefined && !isCorrected);
  return (
    <>
      <header class="faulty-row-head">
        <h3>{t.row(row.row)}</h3>
        {isLeftOut ? (
          <Button isSmall icon="undo" onClick={() => takeBackRow(row.row)}>
            {t.takeBack}
          </Button>
        ) : (
          <Button isSmall kind="quiet" onClick={() => leaveOutRow(row.row)}>
            {t.leaveOut}
          </Button>
        )}
      </header>
      {isLeftOut && <p>{t.isLeftOut}</p>}
      {!isLeftOut &&
        ofRow.map(({ code, message }) => (
          <p key={code} class="field-fault">
            {message}
          </p>
        ))}
      {!isLeftOut &&
        (row.isCut ? (
          <Notice tone="warning">{t.cut}</Notice>
        ) : (
          <Cells row={row} work={work} reading={reading} />
        ))}
    </>
  );
}

/** The name and the cells with faults; all cells if the person wants them, if there is no name, or if they are divided wrongly. */
function Cells({
  row,
  work,
  reading,
}: {
  readonly row: FaultyRow;
  readonly work: Work;
  readonly reading: Reading;
}) {
  const t = words();
  const [isWhole, setIsWhole] = useState(false);
  const cells = cellsOf(row, work);
  const isDivided = row.faults.some(({ code }) => code === "cells_beyond_header");
  const last = cells.findLastIndex((cell) => cell !== "");
  const isFaulty = (i: number) => row.faults.some(({ column }) => column === i);
  const isBeyond = (i: number) => (reading.columns[i]?.name ?? "") === "" && (cells[i] ?? "") !== "";
  const known = Array.from({ length: Math.max(reading.columns.length, last + 1) }, (_, i) => i).filter(
    (i) => reading.columns[i]?.as !== undefined || isFaulty(i) || isBeyond(i),
  );
  const isNameless = known.some((i) => isFaulty(i) && isName(reading, i) && row.cells[i] === "");
  const isShown = (i: number) => isFaulty(i) || isName(reading, i);
  const shown = isWhole || isDivided || isNameless ? known : known.filter(isShown);
  return (
    <>
      <div class="faulty-cells">
        {shown.map((i) => {
          const value = cells[i] ?? "";
          const isCorrected = work.unchecked.get(row.row)?.has(i) ?? false;
          const fault = row.faults.find(({ column }) => column === i)?.message;
          const field = {
            label: reading.columns[i]?.name || t.beyond(i + 1),
            value,
            fault: isCorrected ? undefined : fault,
            onInput: (text: string) => fixCell(row.row, i, text),
          };
          return (
            <div key={i} class="faulty-cell">
              {value.includes("\n") ? <TextArea {...field} /> : <TextField {...field} />}
              {isDivided && value !== "" && (cells[i + 1] ?? "") !== "" && (
                <Button isSmall kind="quiet" onClick={() => joinCells(row, i, delimiterOf(reading))}>
                  {t.join}
                </Button>
              )}
            </div>
          );
        })}
      </div>
      {shown.length < known.length && (
        <div>
          <Button isSmall kind="quiet" onClick={() => setIsWhole(true)}>
            {t.whole}
          </Button>
        </div>
      )}
    </>
  );
}

/** By these one knows whose row it is. */
const NAMES: ReadonlySet<string> = new Set(["contactName", "fullName", "firstName", "lastName"]);

function isName({ columns }: Reading, column: number): boolean {
  return NAMES.has(columns[column]?.as ?? "");
}

/** What stood between two cells; in a workbook, and where it was a tab, a space will do. */
function delimiterOf({ format }: Reading): string {
  const { delimiter } = format ?? {};
  return delimiter === "," || delimiter === ";" || delimiter === "|" ? delimiter : " ";
}
