import { useState } from "preact/hooks";
import type { FileForm } from "../../api/downloads.ts";
import { ConnectionLost } from "../../api/problem.ts";
import type { ReadOptions, ReadPath } from "../../api/reads.ts";
import { showToast } from "../../api/toasts.ts";
import { toProblem } from "../../api/unexpected.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { words } from "./words.ts";

const FORMS: readonly FileForm[] = ["excel", "csv", "ndjson"];

/** The whole list as a file, for the accountant. */
export function DownloadMenu<Path extends ReadPath>({
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
  const take = async (form: FileForm) => {
    if (isBusy) return;
    setBusy(true);
    try {
      const { downloadList } = await import("../../api/downloads.ts");
      await downloadList(path, query, form, name);
      showToast(t.downloaded);
    } catch (error) {
      const said = error instanceof ConnectionLost ? t.downloadLost : toProblem(error).message;
      showToast(said, undefined, "problem");
    }
    setBusy(false);
  };
  return (
    <Menu
      label={t.download}
      items={FORMS.map((form) => ({
        label: t.forms[form],
        icon: "sheet",
        onChoose: () => void take(form),
      }))}
    >
      <Icon name="download" /> {isBusy ? t.downloading : t.download}
    </Menu>
  );
}
