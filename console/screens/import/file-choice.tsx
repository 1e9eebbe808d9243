import { useId, useLayoutEffect, useState } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { words } from "./words.ts";
import { begin, MAX_BYTES } from "./work.ts";

/** Where a file is dropped or chosen. */
export function FileChoice({
  staffId,
  onRefused,
}: {
  readonly staffId: string;
  readonly onRefused: (sentence: string | undefined) => void;
}) {
  const t = words();
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const take = async (file: File | undefined) => {
    setIsOver(false);
    if (!file) return;
    onRefused(file.size > MAX_BYTES ? t.tooLarge : undefined);
    if (file.size > MAX_BYTES) return;
    await begin(file, staffId).catch((error: unknown) => {
      // A file that was moved, or a folder.
      if (!(error instanceof DOMException)) throw error;
      onRefused(t.unreadable);
    });
  };
  useLayoutEffect(() => {
    // Anywhere on the page: what is dropped beside the frame would make the browser leave it.
    const over = (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    };
    const out = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", out);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", out);
      removeEventListener("drop", drop);
    };
  });
  return (
    <div class={isOver ? "drop drop-over" : "drop"}>
      <Icon name="upload" size={28} />
      <p class="drop-title">{t.drop}</p>
      <input
        id={id}
        class="drop-input"
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <label for={id} class="button button-main">
        {t.choose}
      </label>
      <p class="drop-hint">{t.formats}</p>
    </div>
  );
}
