import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AccountMenu } from "./account/account-menu.tsx";
import { Problem } from "./api/problem.ts";
import { keepAnswer, readOnce, useRead } from "./api/reads.ts";
import { answerAsked, asked } from "./api/signing-in.ts";
import { fetchScreen, provideScreens } from "./frame/loaded-screen.tsx";
import { beginAgain, followPerson, tellOtherTabs } from "./frame/person.ts";
import { isScreenName } from "./frame/screens.ts";
import { Shell } from "./frame/shell.tsx";
import { lazyDialog } from "./parts/lazy-dialog.tsx";
import { Shown, Skeleton } from "./parts/page.tsx";
import { Toasts } from "./parts/toast.tsx";
import { followLinks, route } from "./routing/router.ts";
import { SCREEN_LOADERS } from "./screens/all-screens.ts";
import { linkToken, SignInPage } from "./screens/sign-in/sign-in.tsx";

/** Whether somebody is signed in; unknown until the server has said so. */
const door = signal<"unknown" | "outside" | "inside">(linkToken() ? "outside" : "unknown");
const [AskedDialog, fetchAskedDialog] = lazyDialog(
  async () => (await import("./screens/sign-in/asked-dialog.tsx")).AskedDialog,
);
/** Fetched once the screen is there, so that a sign-in that ends can be renewed at once. */
const FETCH_AFTER_MS = 1_000;

function Console() {
  if (door.value === "outside") return <SignInPage onSignedIn={enter} />;
  return door.value === "inside" ? <Inside /> : <Skeleton />;
}

function Inside() {
  const me = useRead("/app/v1/me");
  const { data } = me;
  const person = useRef<string>(undefined);
  person.current ??= data?.staff.id;
  // Signed in in another tab: what is open here is of the one before, and what is saved here would be the other's.
  const isSomebodyElse = data !== undefined && data.staff.id !== person.current;
  useEffect(() => {
    if (isSomebodyElse) beginAgain();
  }, [isSomebodyElse]);
  useEffect(followPerson, []);
  useEffect(() => {
    const timer = setTimeout(() => void fetchAskedDialog().catch(() => {}), FETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const isKnown = data !== undefined && !isSomebodyElse;
  return (
    <>
      {isSomebodyElse ? (
        <Skeleton />
      ) : (
        <Shown reading={me}>
          {() => <Shell isAway={asked.value === "sign_in"} account={<AccountMenu />} />}
        </Shown>
      )}
      {isKnown && asked.value && <AskedDialog onClose={giveUp} />}
      <Toasts />
    </>
  );
}

/** Nothing can be seen without a sign-in, so that what was typed goes if the dialog that asks for it cannot be fetched. */
function giveUp(): void {
  if (asked.value === "sign_in") beginAgain(location.pathname + location.search);
  else answerAsked(false);
}

function enter(): void {
  tellOtherTabs();
  beginAgain(location.pathname + location.search);
}

async function begin(): Promise<void> {
  if (location.hash === "#parts") {
    const { default: PartsPage } = await import("./screens/parts/parts.tsx");
    render(<PartsPage />, document.body);
    return;
  }
  followLinks();
  // A link that is pasted into a tab of the console changes nothing but what is after the #.
  addEventListener("hashchange", () => {
    if (linkToken()) location.reload();
  });
  const { screen } = route.value;
  // Fetched while the server says who it is, and read if the browser has a sign-in, good or not.
  const isOpening = "inside" in document.documentElement.dataset;
  if (isScreenName(screen)) void fetchScreen(screen, { isOpening }).catch(() => {});
  render(<Console />, document.body);
  if (door.value === "outside") return;
  try {
    keepAnswer("/app/v1/me", await readOnce("/app/v1/me"));
    door.value = "inside";
    return;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      door.value = "outside";
      return;
    }
    // Anything else is told, and retried, by what is inside.
  }
  door.value = "inside";
}

provideScreens(SCREEN_LOADERS);
void begin();
