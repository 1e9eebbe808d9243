import { useState } from "preact/hooks";
import { useDryRun } from "../../api/dry-runs.ts";
import { useWrite } from "../../api/writes.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { eraseWords } from "./erase-words.ts";
import type { Client } from "./records.ts";

/** Says first what cannot be undone, and whether it is possible at all; then wants the reason and the name. */
export function EraseDialog({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const t = eraseWords();
  const { id: clientId, contactName } = client;
  const [basis, setBasis] = useState("");
  const [typed, setTyped] = useState("");
  const [isTried, setTried] = useState(false);
  const { problem: refusal, isLoading } = useDryRun("eraseClient", { clientId, basis: "–" });
  const erasing = useWrite("eraseClient");
  const isName = typed.trim() === contactName;
  const submit = async () => {
    setTried(true);
    if (!isName) return;
    if (await erasing.run({ clientId, basis }, { said: t.eraseDone })) onClose();
  };
  return (
    <Dialog title={t.eraseTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Notice tone="warning">
          <p>
            <strong>{t.eraseFirst}</strong> {t.eraseGoes}
          </p>
          <p>{t.eraseStays}</p>
        </Notice>
        {refusal ? (
          <ProblemNotice problem={refusal} />
        ) : (
          <>
            <ProblemNotice problem={erasing.problem} shown={["basis"]} />
            <TextField
              label={t.basis}
              hint={t.basisHint}
              value={basis}
              onInput={setBasis}
              maxLength={500}
              hasFocus
              fault={erasing.problem?.faultAt("basis")}
            />
            <TextField
              label={t.typeName(contactName)}
              value={typed}
              onInput={setTyped}
              fault={isTried && !isName ? t.nameDiffers : undefined}
            />
          </>
        )}
        <Actions>
          {!refusal && (
            <Button kind="danger" icon="delete" isSubmit isBusy={erasing.isBusy} isDisabled={isLoading}>
              {t.eraseNow}
            </Button>
          )}
          <Button onClick={onClose}>{t.cancel}</Button>
        </Actions>
      </form>
    </Dialog>
  );
}
