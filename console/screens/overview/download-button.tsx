import { useState } from "preact/hooks";
import type { ReadOptions, ReadPath } from "../../api/reads.ts";
import { showToast } from "../../api/toasts.ts";
import { toProblem } from "../../api/unexpected.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { words } from "./words.ts";

/** Takes what a report is made of as a file. */
export function DownloadButton<Path extends ReadPath>({
  path,
  query,
  name,
}: {
  readonly path: Path;
  readonly query: NonNullable<ReadOptions<Path>["query"]>;
  /** Of the file, without its ending. */
  readonly name: string;
}) {
  const t = words();
  const [isBusy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    try {
      // Fetched when it is asked for, so that the screen needs fewer files.
      const { downloadList } = await import("../../api/downloads.ts");
      await downloadList(path, query, language.value === "en" ? "csv" : "excel", name);
    } catch (error) {
      showToast(toProblem(error).message, undefined, "problem");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon="download" isSmall isBusy={isBusy} onClick={() => void take()}>
      {t.download}
    </Button>
  );
}
