import { useState } from "preact/hooks";
import { request } from "../api/request.ts";
import { LANGUAGES, language } from "../languages/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { lazyDialog } from "../parts/lazy-dialog.tsx";
import { useMe } from "./me.ts";
import { chooseLanguage, chooseTheme, THEMES, theme } from "./preferences.ts";
import { frameWords } from "./words.ts";

const LANGUAGE_NAMES = { en: "English", "pt-BR": "Português (Brasil)", es: "Español" };

const [PasskeysDialog, fetchPasskeys] = lazyDialog(
  async () => (await import("../passkeys/passkeys-dialog.tsx")).PasskeysDialog,
);

/** Who is signed in, how it looks to them, and the way out. */
export function AccountMenu() {
  const t = frameWords();
  const { staff, organization } = useMe();
  const [open, setOpen] = useState<"account" | "passkeys">();
  const close = () => setOpen(undefined);
  return (
    <>
      <button type="button" class="account" aria-haspopup="dialog" onClick={() => setOpen("account")}>
        <Icon name="user" />
        <span>
          <strong>{staff.name}</strong>
          <small>{organization.name}</small>
        </span>
      </button>
      {open === "account" && (
        <Dialog title={t.you} onClose={close}>
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
          <Button icon="key" onClick={() => void fetchPasskeys().then(() => setOpen("passkeys"), close)}>
            {t.passkeys}
          </Button>
          <Button icon="signout" onClick={signOut}>
            {t.signOut}
          </Button>
        </Dialog>
      )}
      {open === "passkeys" && <PasskeysDialog onClose={close} />}
    </>
  );
}

async function signOut(): Promise<void> {
  await request("/app/v1/signOut", { method: "POST", body: {} }).catch(() => {});
  // Nothing of the organization stays in memory.
  location.assign("/console/");
}
