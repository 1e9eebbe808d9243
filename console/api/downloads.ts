import { Problem } from "./problem.ts";
import { addressOf, type ReadOptions, type ReadPath } from "./reads.ts";
import { requestFile } from "./request.ts";
import { askToSignIn } from "./signing-in.ts";

/** The forms in which a list can be had as a file. */
const FORMS = {
  /** Opened by a double click where the comma is decimal. */
  excel: { accept: "text/csv", csv: "excel", ending: "csv" },
  csv: { accept: "text/csv", csv: undefined, ending: "csv" },
  ndjson: { accept: "application/x-ndjson", csv: undefined, ending: "ndjson" },
} as const;

export type FileForm = keyof typeof FORMS;

/** All records of a list that its filters match, saved as a file. Throws what a read throws. */
export async function downloadList<Path extends ReadPath>(
  path: Path,
  query: NonNullable<ReadOptions<Path>["query"]>,
  form: FileForm,
  name: string,
): Promise<void> {
  const { accept, csv, ending } = FORMS[form];
  const address = addressOf(path, { query: { ...query, csv } as NonNullable<ReadOptions<Path>["query"]> });
  for (;;) {
    try {
      saveAs(await requestFile(address, { accept }), `${name}.${ending}`);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.reason !== "signed_out") throw error;
      await askToSignIn();
    }
  }
}

/** Has the browser save what is there; nothing of it is kept here. */
export function saveAs(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
