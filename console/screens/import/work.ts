import { signal } from "@preact/signals";
import type { Problem } from "../../api/problem.ts";
import { toProblem } from "../../api/unexpected.ts";
import { sendFile, type UploadAnswer, type UploadInput, writeFile } from "../../api/uploads.ts";

export type Reading = UploadAnswer<"readSheet">;
export type Counts = UploadAnswer<"importClients">["result"];
export type FaultyRow = Reading["faultyRows"][number];
type SheetInput = UploadInput<"readSheet">;
export type Meaning = NonNullable<SheetInput["columns"]>[number]["as"];
/** What is said about the file as a whole. */
export type Answers = Omit<SheetInput, "columns" | "fixes" | "leaveOut">;

/** A file that is being brought in, with everything that was answered and corrected. Only this page has it. */
export interface Work {
  /** Whose it is: somebody else who signs in here does not see it. */
  readonly staffId: string;
  readonly name: string;
  readonly file: Blob;
  readonly answers: Answers;
  readonly columns: ReadonlyMap<number, Meaning>;
  /** By row and column. */
  readonly fixes: ReadonlyMap<number, ReadonlyMap<number, string>>;
  readonly leaveOut: ReadonlySet<number>;
  /** Whether all rows that are still faulty are left out. */
  readonly skipsFaulty: boolean;
  readonly reading?: Reading | undefined;
  readonly isReading: boolean;
  /** Rows, and of those the cells, that were changed since it was read. */
  readonly unchecked: ReadonlyMap<number, ReadonlySet<number>>;
  readonly problem?: Problem | undefined;
  /** What the import would do. */
  readonly preview?: Counts | undefined;
  readonly isImporting: boolean;
  readonly done?: Counts | undefined;
  /** The audit entry of the import, by which it can be taken back. */
  readonly importId?: string | undefined;
  readonly isTakenBack?: boolean;
}

/** The server takes no more. */
export const MAX_BYTES = 20 * 1024 * 1024;

/** Kept while the page is open: whoever looks at another screen finds everything as it was. */
export const work = signal<Work | undefined>(undefined);

/** Begins with a file. It is read into memory: what somebody does to it on the disk meanwhile does not matter. */
export async function begin(file: File, staffId: string): Promise<void> {
  const bytes = await file.arrayBuffer();
  work.value = {
    staffId,
    name: file.name,
    file: new Blob([bytes]),
    answers: {},
    columns: new Map(),
    fixes: new Map(),
    leaveOut: new Set(),
    skipsFaulty: false,
    isReading: false,
    unchecked: new Map(),
    isImporting: false,
  };
  await check();
}

export function forget(): void {
  work.value = undefined;
}

/** Whether something would be lost if the page were left. */
export function hasCorrections({ done, columns, fixes, leaveOut }: Work): boolean {
  return !done && columns.size + fixes.size + leaveOut.size > 0;
}

export function answer(answers: Answers): Promise<void> {
  change(({ answers: before }) => ({ answers: { ...before, ...answers } }));
  return check();
}

/** Which row names the columns: what was said of columns below another one no longer holds. */
export function chooseHeaderRow(headerRow: number): Promise<void> {
  change(({ answers }) => ({ answers: { ...answers, headerRow }, columns: new Map() }));
  return check();
}

export function chooseColumns(chosen: readonly (readonly [column: number, as: Meaning])[]): Promise<void> {
  change(({ columns }) => ({ columns: new Map([...columns, ...chosen]) }));
  return check();
}

export function fixCell(row: number, column: number, value: string): void {
  change(({ fixes, unchecked }) => ({
    fixes: new Map(fixes).set(row, new Map(fixes.get(row)).set(column, value)),
    unchecked: new Map(unchecked).set(row, new Set(unchecked.get(row)).add(column)),
  }));
}

export function leaveOutRow(row: number): void {
  change(({ leaveOut, unchecked }) => ({
    leaveOut: new Set(leaveOut).add(row),
    unchecked: touched(unchecked, row),
  }));
}

export function takeBackRow(row: number): void {
  change(({ leaveOut, unchecked }) => {
    const left = new Set(leaveOut);
    left.delete(row);
    return { leaveOut: left, unchecked: touched(unchecked, row) };
  });
}

function touched(unchecked: Work["unchecked"], row: number): Work["unchecked"] {
  return new Map(unchecked).set(row, unchecked.get(row) ?? new Set());
}

export function takeAllBack(): Promise<void> {
  change(() => ({ leaveOut: new Set() }));
  return check();
}

export function skipFaulty(skipsFaulty: boolean): Promise<void> {
  change(() => ({ skipsFaulty }));
  return check();
}

/** The cells of a faulty row as they are corrected now. */
export function cellsOf({ row, cells }: FaultyRow, { fixes }: Work): readonly string[] {
  const fixed = [...cells];
  for (const [column, value] of fixes.get(row) ?? []) {
    while (fixed.length < column) fixed.push("");
    fixed[column] = value;
  }
  return fixed;
}

/** Puts a cell that was divided together with the next one; those after it move up. */
export function joinCells(row: FaultyRow, column: number, delimiter: string): void {
  if (!work.value) return;
  const cells = cellsOf(row, work.value);
  const joined = [...cells.slice(0, column), `${cells[column]}${delimiter}${cells[column + 1]}`];
  const moved = [...joined, ...cells.slice(column + 2), ""];
  for (let i = column; i < moved.length; i += 1) fixCell(row.row, i, moved[i] ?? "");
}

let isRunning = false;
let isWanted = false;

/** Reads the file by everything that was said, one request at a time. */
export async function check(): Promise<void> {
  isWanted = true;
  change(() => ({ isReading: true, problem: undefined, preview: undefined }));
  if (isRunning) return;
  isRunning = true;
  try {
    while (isWanted) {
      isWanted = false;
      await readOnce();
    }
  } finally {
    isRunning = false;
  }
}

async function readOnce(): Promise<void> {
  const before = work.value;
  if (!before) return;
  try {
    change(() => ({ unchecked: new Map() }));
    const reading = await sendFile("readSheet", before.file, inputOf(before));
    if (isWanted || !isOpen(before)) return;
    change(() => ({ reading }));
    const isReady = reading.counts && (reading.counts.faulty === 0 || before.skipsFaulty);
    if (isReady) await previewImport(before);
    if (!isWanted && isOpen(before)) change(() => ({ isReading: false }));
  } catch (error) {
    tell(before, error);
  }
}

async function previewImport(before: Work): Promise<void> {
  const { result } = await sendFile("importClients", before.file, {
    ...inputOf(before),
    skipFaulty: before.skipsFaulty,
    dryRun: true,
  });
  if (!isWanted && isOpen(before)) change(() => ({ preview: result }));
}

/** Brings it in. */
export async function bringIn(): Promise<void> {
  const before = work.value;
  if (!before || before.isImporting) return;
  change(() => ({ isImporting: true, problem: undefined }));
  try {
    const { result, auditId } = await writeFile("importClients", before.file, {
      ...inputOf(before),
      skipFaulty: before.skipsFaulty,
    });
    if (isOpen(before)) change(() => ({ isImporting: false, done: result, importId: auditId }));
  } catch (error) {
    tell(before, error);
  }
}

/** Everything is as it was before the import. */
export function markTakenBack(): void {
  change(() => ({ isTakenBack: true }));
}

/** Whether the file is still the one that is being brought in: another may have been chosen while the server was at it. */
function isOpen({ file }: Work): boolean {
  return work.value?.file === file;
}

/** Of a file that was left nobody is told: what is wrong with it is not wrong with the next one. */
function tell(before: Work, error: unknown): void {
  const problem = toProblem(error);
  if (isOpen(before) && !isWanted) change(() => ({ isReading: false, isImporting: false, problem }));
}

function inputOf({ answers, columns, fixes, leaveOut }: Work): SheetInput {
  return {
    ...answers,
    ...(columns.size > 0 && { columns: [...columns].map(([column, as]) => ({ column, as })) }),
    ...(fixes.size > 0 && {
      fixes: [...fixes].flatMap(([row, cells]) =>
        [...cells].map(([column, value]) => ({ row, column, value })),
      ),
    }),
    ...(leaveOut.size > 0 && { leaveOut: [...leaveOut] }),
  };
}

function change(changes: (before: Work) => Partial<Work>): void {
  if (work.value) work.value = { ...work.value, ...changes(work.value) };
}
