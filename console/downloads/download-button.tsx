import { useState } from "preact/hooks";
import { useMe } from "../frame/me.ts";
import { localIn } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "../parts/button.tsx";
import { lazyDialog } from "../parts/lazy-dialog.tsx";
import type { DownloadName } from "./download-dialog.tsx";

const words = dictionary({ take: "Download…" }, { take: "Baixar…" }, { take: "Descargar…" });

const [DownloadDialog] = lazyDialog(async () => (await import("./download-dialog.tsx")).DownloadDialog);

/** Opens the lists that can be taken as files. */
export function DownloadButton({ first }: { readonly first: DownloadName }) {
  const [isOpen, setOpen] = useState(false);
  const { timezone } = useMe().organization;
  return (
    <>
      <Button icon="download" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words().take}
      </Button>
      {isOpen && (
        <DownloadDialog
          first={first}
          today={localIn(Date.now(), timezone).slice(0, 10)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
