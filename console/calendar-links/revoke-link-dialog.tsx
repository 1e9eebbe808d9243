import { useWrite } from "../api/writes.ts";
import { ConfirmDialog } from "../parts/form-dialog.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { words } from "./words.ts";

export function RevokeLinkDialog({
  calendarLinkId,
  onClose,
}: {
  readonly calendarLinkId: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite("revokeCalendarLink");
  return (
    <ConfirmDialog
      title={t.revokeTitle}
      confirm={t.revoke}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ calendarLinkId }, { said: t.revoked })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.revokeText}</p>
    </ConfirmDialog>
  );
}
