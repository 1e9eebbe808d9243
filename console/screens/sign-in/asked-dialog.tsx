import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../api/problem.ts";
import { request } from "../../api/request.ts";
import { answerAsked, asked, askToSignIn } from "../../api/signing-in.ts";
import { useMe } from "../../frame/me.ts";
import { beginAgain, tellOtherTabs } from "../../frame/person.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { useHiddenTitle } from "../../parts/window-title.ts";
import { canUsePasskeys } from "../../passkeys/can-use.ts";
import { askedWords } from "./asked-words.ts";
import { enterByPasskey, SignInForm } from "./sign-in.tsx";
import { useDoor } from "./use-door.ts";

/** Opens over whatever is on the screen when a request needs the person again; what was typed stays below it. */
export function AskedDialog({ onClose }: { readonly onClose: () => void }) {
  return asked.value === "sign_in" ? <EndedDialog /> : <PasswordDialog onClose={onClose} />;
}

function EndedDialog() {
  const t = askedWords();
  const { staff } = useMe();
  useHiddenTitle();
  // A request that was under way while another tab got a new sign-in was refused for the old one.
  useEffect(() => {
    goOnAs(staff.id).catch(() => {});
  }, []);
  return (
    <Dialog title={t.endedTitle} canClose={false} onClose={() => {}}>
      <p class="soft">{t.endedText}</p>
      <SignInForm email={staff.email} hasTitle={false} onSignedIn={() => void goOnAs(staff.id)} />
    </Dialog>
  );
}

async function goOnAs(staffId: string): Promise<void> {
  const { staff } = await request<{ staff: { id: string } }>("/app/v1/me");
  // Somebody else's screens are not shown to the next person.
  if (staff.id === staffId) answerAsked(true);
  else {
    tellOtherTabs();
    beginAgain();
  }
}

function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const t = askedWords();
  const { staff } = useMe();
  const [password, setPassword] = useState("");
  const { isBusy, message, run } = useDoor();
  return (
    <Dialog title={t.confirmTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            try {
              await request("/app/v1/confirmPassword", { method: "POST", body: { password } });
              answerAsked(true);
            } catch (error) {
              if (!(error instanceof Problem) || error.reason !== "signed_out") throw error;
              void askToSignIn();
            }
          });
        }}
      >
        <p class="soft">{t.confirmText}</p>
        {message && <Notice tone="bad">{message}</Notice>}
        <TextField
          label={t.password}
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
          isRequired
          hasFocus
        />
        <Actions>
          <Button kind="main" isSubmit isBusy={isBusy}>
            {t.confirm}
          </Button>
          {canUsePasskeys() && (
            <Button icon="key" onClick={() => void run(() => enterByPasskey(() => void goOnAs(staff.id)))}>
              {t.passkeyInstead}
            </Button>
          )}
          <Button onClick={onClose}>{t.cancel}</Button>
        </Actions>
      </form>
    </Dialog>
  );
}
