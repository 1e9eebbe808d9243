import { useMe } from "../../frame/me.ts";
import { instantIn } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { words } from "./words.ts";

/** A link as the server answers it once. */
export interface MadeLink {
  readonly name: string;
  readonly link?: string;
  readonly expiresAt?: string;
}

/** Shows a link, once, and what to do with it. It stays until it is said to be done: there is no second look. */
export function LinkDialog({
  link: { name, link = "", expiresAt },
  onClose,
}: {
  readonly link: MadeLink;
  readonly onClose: () => void;
}) {
  const t = words();
  const { organization } = useMe();
  return (
    <Dialog title={t.linkTitle(name)} canClose={false} onClose={onClose}>
      <p>{t.linkText(name)}</p>
      <CopyField label={t.linkLabel} value={link} />
      {expiresAt && <p class="soft">{t.linkOnce(instantIn(expiresAt, organization.timezone))}</p>}
      <Actions>
        <Button kind="main" onClick={onClose}>
          {t.done}
        </Button>
      </Actions>
    </Dialog>
  );
}
