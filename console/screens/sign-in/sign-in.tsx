import { useState } from "preact/hooks";
import type { Writes } from "../../api/operations.ts";
import { request } from "../../api/request.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { useWindowTitle } from "../../parts/window-title.ts";
import { canUsePasskeys } from "../../passkeys/can-use.ts";
import { useDoor } from "./use-door.ts";
import { words } from "./words.ts";

/** Most people see it once in their lives. */
const [LinkForm] = lazyDialog(async () => (await import("./link-form.tsx")).LinkForm);

type SignedIn = Writes["signIn"]["result"];
interface NamedOrganization {
  readonly id: string;
  readonly name: string;
}

/** The token of a link, which stands after `#link=` where no server sees it. */
export function linkToken(): string | undefined {
  return /^#link=([\w-]+)$/.exec(location.hash)?.[1];
}

/** The page of somebody who is not signed in: address and password, or a link that sets one. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [token, setToken] = useState(linkToken);
  return (
    <main class="door">
      <p class="brand">
        <img src="/docs/icon.svg" alt="" width="32" height="32" /> Rollbook
      </p>
      {token ? (
        <LinkForm token={token} onSignedIn={onSignedIn} onClose={() => setToken(undefined)} />
      ) : (
        <SignInFirst onSignedIn={onSignedIn} />
      )}
    </main>
  );
}

function SignInFirst({ onSignedIn }: { readonly onSignedIn: () => void }) {
  useWindowTitle(words().title);
  return <SignInForm onSignedIn={onSignedIn} />;
}

/** Address and password; also which organization, if the person works for several. */
export function SignInForm({
  onSignedIn,
  email: known,
  hasTitle = true,
}: {
  readonly onSignedIn: () => void;
  readonly email?: string;
  readonly hasTitle?: boolean;
}) {
  const t = words();
  const [email, setEmail] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [organizations, setOrganizations] = useState<readonly NamedOrganization[]>([]);
  const { isBusy, message, run } = useDoor();
  const signIn = (organizationId?: string) =>
    run(async () => {
      const answer = await request<SignedIn>("/app/v1/signIn", {
        method: "POST",
        body: { email: email.trim(), password, ...(organizationId && { organizationId }) },
      });
      if ("organizations" in answer && answer.organizations)
        setOrganizations(answer.organizations as readonly NamedOrganization[]);
      else onSignedIn();
    });
  if (organizations.length > 0)
    return (
      <section class="stack">
        <h1>{t.which}</h1>
        {organizations.map(({ id, name }) => (
          <Button key={id} isBusy={isBusy} onClick={() => signIn(id)}>
            {name}
          </Button>
        ))}
      </section>
    );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      {hasTitle && <h1>{t.title}</h1>}
      {message && <Notice tone="bad">{message}</Notice>}
      <TextField
        label={t.email}
        type="email"
        name="email"
        autocomplete="username"
        value={email}
        onInput={setEmail}
        isRequired
        hasFocus={known === undefined}
      />
      <TextField
        label={t.password}
        type="password"
        name="password"
        autocomplete="current-password"
        value={password}
        onInput={setPassword}
        isRequired
        hasFocus={known !== undefined}
      />
      <Button kind="main" isSubmit isBusy={isBusy}>
        {t.signIn}
      </Button>
      {canUsePasskeys() && (
        <Button icon="key" onClick={() => void run(() => enterByPasskey(onSignedIn))}>
          {t.byPasskey}
        </Button>
      )}
      <p class="soft">{t.forgot}</p>
    </form>
  );
}

/** What to say if nobody was signed in. The script is fetched when it is needed. */
export async function enterByPasskey(onSignedIn: () => void): Promise<string | undefined> {
  const { signInByPasskey } = await import("../../passkeys/ceremonies.ts");
  const message = await signInByPasskey();
  if (message === undefined) onSignedIn();
  return message;
}
