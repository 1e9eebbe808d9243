import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { Problem } from "../../api/problem.ts";
import { request } from "../../api/request.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { useWindowTitle } from "../../parts/window-title.ts";
import { linkWords } from "./link-words.ts";
import { useDoor } from "./use-door.ts";

type LinkFor = Schemas["LinkFor"];

/** Sets a password by a link of an owner or of the operator, and signs in. */
export function LinkForm({
  token,
  onSignedIn,
  onClose,
}: {
  readonly token: string;
  readonly onSignedIn: () => void;
  /** The link is of no use: the form of the sign-in takes its place. */
  readonly onClose: () => void;
}) {
  const t = linkWords();
  const [password, setPassword] = useState("");
  const [holder, setHolder] = useState<LinkFor>();
  const [isUsed, setUsed] = useState(false);
  const { isBusy, message, run } = useDoor();
  useWindowTitle(t.welcome);
  useEffect(() => {
    // Whose it is and of which studio is seen before anything is typed. If that cannot be read, the form says why once it is sent.
    request<LinkFor>("/app/v1/readLink", { method: "POST", body: { token } }).then(setHolder, (error) => {
      if (error instanceof Problem && error.reason === "link_used") setUsed(true);
    });
  }, [token]);
  const leaveLink = () => history.replaceState(null, "", location.pathname);
  if (isUsed)
    return (
      <section class="stack">
        <Notice tone="warning">{t.linkUsed}</Notice>
        <Button
          onClick={() => {
            leaveLink();
            onClose();
          }}
        >
          {t.signIn}
        </Button>
      </section>
    );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          try {
            await request("/app/v1/acceptLink", { method: "POST", body: { token, password } });
          } catch (error) {
            if (!(error instanceof Problem) || error.reason !== "link_used") throw error;
            setUsed(true);
            return;
          }
          leaveLink();
          onSignedIn();
        });
      }}
    >
      <h1>{t.welcome}</h1>
      {holder && (
        <p role="status">
          {t.holder(holder.name, holder.organizationName)}
          <br />
          <span class="soft">{holder.email}</span>
        </p>
      )}
      <p class="soft">{t.welcomeText}</p>
      {/* For the program that keeps passwords: whose it is. */}
      <input hidden autocomplete="username" value={holder?.email ?? ""} readOnly />
      {message && <Notice tone="bad">{message}</Notice>}
      <TextField
        label={t.newPassword}
        type="password"
        name="new-password"
        autocomplete="new-password"
        hint={t.passwordHint}
        value={password}
        onInput={setPassword}
        isRequired
        hasFocus
      />
      <Button kind="main" isSubmit isBusy={isBusy}>
        {t.enter}
      </Button>
    </form>
  );
}
