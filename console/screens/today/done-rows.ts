import { useState } from "preact/hooks";

interface DoneRow<Row> {
  readonly row: Row;
  readonly isDone: boolean;
}

/**
 * The rows of a list of what is to do, in which what was done here stays where it was while the list is open. What somebody else
 * does goes, and what is taken back is to do again.
 */
export function useDoneRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { readonly rows: readonly DoneRow<Row>[]; readonly markDone: (row: Row) => void } {
  const [done, setDone] = useState<readonly { readonly row: Row; readonly place: number }[]>([]);
  const left = new Set(rows.map(keyOf));
  const shown: DoneRow<Row>[] = rows.map((row) => ({ row, isDone: false }));
  const gone = done.filter(({ row }) => !left.has(keyOf(row)));
  for (const { row, place } of [...gone].sort((one, other) => one.place - other.place))
    shown.splice(place, 0, { row, isDone: true });
  return {
    rows: shown,
    markDone: (row) => {
      const place = shown.findIndex((each) => keyOf(each.row) === keyOf(row));
      setDone([...done.filter((each) => keyOf(each.row) !== keyOf(row)), { row, place }]);
    },
  };
}
