import { useState } from "preact/hooks";
import { Problem } from "../api/problem.ts";
import { request } from "../api/request.ts";
import { askToSignIn } from "../api/signing-in.ts";
import { showToast } from "../api/toasts.ts";
import { useMay, useMe } from "../frame/me.ts";
import { TextField } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Notice } from "../parts/notice.tsx";
import { words } from "./words.ts";

/** Another password for whoever is signed in. It is sent once: a second time, the old one would be wrong. */
export function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const t = words();
  const { staff } = useMe();
  const isOwner = useMay("owner");
  const [password, setPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Problem | "lost">();
  const problem = failure === "lost" ? undefined : failure;
  const isWrong = problem?.reason === "wrong_sign_in";
  const save = async () => {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await request("/app/v1/changePassword", { method: "POST", body: { password, newPassword } });
      showToast(t.changed);
      onClose();
    } catch (error) {
      setBusy(false);
      if (!(error instanceof Problem)) setFailure("lost");
      else if (error.reason === "signed_out") void askToSignIn();
      else setFailure(error);
    }
  };
  return (
    <FormDialog
      title={t.password}
      save={t.save}
      isBusy={isBusy}
      problem={isWrong ? undefined : problem}
      shown={["newPassword"]}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      {failure === "lost" && <Notice tone="bad">{t.lost}</Notice>}
      {/* For the program that keeps passwords: whose it is. */}
      <input hidden autocomplete="username" value={staff.email} readOnly />
      <TextField
        label={t.old}
        type="password"
        autocomplete="current-password"
        value={password}
        onInput={setPassword}
        fault={isWrong ? t.wrong : undefined}
        isRequired
        hasFocus
      />
      <TextField
        label={t.new}
        type="password"
        autocomplete="new-password"
        hint={t.hint}
        value={newPassword}
        onInput={setNewPassword}
        fault={problem?.faultAt("newPassword")}
        isRequired
      />
      <p class="soft">{t.text}</p>
      {isOwner && <p class="soft">{t.ownersText}</p>}
    </FormDialog>
  );
}
