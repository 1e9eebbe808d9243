import { useState } from "preact/hooks";
import { useMe } from "../frame/me.ts";
import { signOut } from "../frame/person.ts";
import { chooseLanguage, chooseTheme, THEMES, theme } from "../frame/preferences.ts";
import { frameWords } from "../frame/words.ts";
import { LANGUAGES, language } from "../languages/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField } from "../parts/field.tsx";
import { lazyDialog } from "../parts/lazy-dialog.tsx";
import { Notice } from "../parts/notice.tsx";

const LANGUAGE_NAMES = { en: "English", "pt-BR": "Português (Brasil)", es: "Español" };

const [PasskeysDialog, fetchPasskeys] = lazyDialog(
  async () => (await import("../passkeys/passkeys-dialog.tsx")).PasskeysDialog,
);
const [PasswordDialog, fetchPassword] = lazyDialog(
  async () => (await import("./password-dialog.tsx")).PasswordDialog,
);
const [SignInsDialog, fetchSignIns] = lazyDialog(
  async () => (await import("./sign-ins-dialog.tsx")).SignInsDialog,
);

/** How it looks to whoever is signed in, their own password and sign-ins, and the way out. */
export function AccountDialog({ onClose }: { readonly onClose: () => void }) {
  const t = frameWords();
  const { staff } = useMe();
  const [open, setOpen] = useState<"passkeys" | "password" | "signIns">();
  const [leaving, setLeaving] = useState<"busy" | "failed">();
  const leave = async () => {
    setLeaving("busy");
    if (!(await signOut())) setLeaving("failed");
  };
  if (open === "passkeys") return <PasskeysDialog onClose={onClose} />;
  if (open === "password") return <PasswordDialog onClose={onClose} />;
  if (open === "signIns") return <SignInsDialog onClose={onClose} />;
  return (
    <Dialog title={t.you} onClose={onClose}>
      <p>
        <strong>{staff.name}</strong>
        <br />
        <span class="soft">{staff.email}</span>
      </p>
      <ChoiceField
        label={t.language}
        value={language.value}
        choices={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChoose={chooseLanguage}
      />
      <ChoiceField
        label={t.theme}
        value={theme.value}
        choices={THEMES.map((value) => ({ value, label: t.themes[value] }))}
        onChoose={chooseTheme}
      />
      <Button icon="lock" onClick={() => void fetchPassword().then(() => setOpen("password"), onClose)}>
        {t.password}
      </Button>
      <Button icon="key" onClick={() => void fetchPasskeys().then(() => setOpen("passkeys"), onClose)}>
        {t.passkeys}
      </Button>
      <Button icon="user" onClick={() => void fetchSignIns().then(() => setOpen("signIns"), onClose)}>
        {t.signIns}
      </Button>
      {leaving === "failed" && <Notice tone="bad">{t.signOutFailed}</Notice>}
      <Button icon="signout" isBusy={leaving === "busy"} onClick={() => void leave()}>
        {t.signOut}
      </Button>
    </Dialog>
  );
}
