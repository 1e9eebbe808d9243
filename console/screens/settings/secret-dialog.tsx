import type { ComponentChildren } from "preact";
import { Button } from "../../parts/button.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { words } from "./words.ts";

/** Shows a secret, once. It stays until it is said to be done: there is no second look. */
export function SecretDialog({
  title,
  label,
  warning,
  secret,
  children,
  onClose,
}: {
  readonly title: string;
  readonly label: string;
  readonly warning: string;
  readonly secret: string;
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} canClose={false} onClose={onClose}>
      <Notice tone="warning">{warning}</Notice>
      <CopyField label={label} value={secret} />
      {children}
      <Actions>
        <Button kind="main" onClick={onClose}>
          {words().done}
        </Button>
      </Actions>
    </Dialog>
  );
}
