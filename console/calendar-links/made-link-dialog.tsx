import type { Schemas } from "../api/operations.ts";
import { Button } from "../parts/button.tsx";
import { CopyField } from "../parts/copy-field.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import "./calendar-links.css";
import { QrCode } from "./qr-code.tsx";
import { words } from "./words.ts";

/** A link as the server answers it once. */
export type MadeCalendarLink = Schemas["NewCalendarLink"];

/** Shows a link, once. It stays until it is said to be done: there is no second look. */
export function MadeLinkDialog({
  link: { url = "", webcalUrl = "", jsonUrl = "", clientId },
  onClose,
}: {
  readonly link: MadeCalendarLink;
  readonly onClose: () => void;
}) {
  const t = words();
  return (
    <Dialog title={t.madeTitle} canClose={false} onClose={onClose}>
      <p>{clientId === undefined ? t.madeText : t.phoneText}</p>
      <QrCode label={t.scanLabel} text={webcalUrl} />
      <p class="soft">{t.scan}</p>
      <CopyField label={t.forPhones} value={webcalUrl} />
      <CopyField label={t.forPrograms} value={url} />
      {clientId === undefined && <CopyField label={t.forWebsite} value={jsonUrl} />}
      <p class="soft">{t.late}</p>
      <Actions>
        <Button kind="main" onClick={onClose}>
          {t.done}
        </Button>
      </Actions>
    </Dialog>
  );
}
