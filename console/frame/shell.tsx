import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connection } from "../api/connection.ts";
import { followChanges } from "../api/live.ts";
import { showToast } from "../api/toasts.ts";
import { unsent } from "../api/writes.ts";
import { homeZone } from "../languages/home-zone.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { MissingPage } from "../parts/page.tsx";
import { guardLeaving, route } from "../routing/router.ts";
import { Boundary } from "./boundary.tsx";
import { fetchScreen, LoadedScreen } from "./loaded-screen.tsx";
import { isAtLeast, useMe } from "./me.ts";
import { openPalette, Palette } from "./palette.tsx";
import { addressOfScreen, isScreenName, SCREENS, type ScreenName } from "./screens.ts";
import { frameWords } from "./words.ts";

/** On a phone these are at the foot; the others are behind "More". */
const AT_THE_FOOT: readonly ScreenName[] = ["today", "calendar", "clients"];

interface ShellProps {
  readonly isAway: boolean;
  /** The menu of whoever is signed in. */
  readonly account: ComponentChildren;
}

/**
 * What is around every screen of somebody who is signed in. While `isAway`, as after a sign-in that has ended, nothing of it can
 * be seen: whoever stands at the screen may be a stranger. It is not taken away, so that what was typed stays.
 */
export function Shell({ isAway, account }: ShellProps) {
  const t = frameWords();
  const { screen, rest } = route.value;
  const { staff, organization } = useMe();
  const { role } = staff;
  homeZone.value = organization.timezone;
  const isDesk = isAtLeast(role, "front_desk");
  const mayOpen = (name: ScreenName) => isAtLeast(role, SCREENS[name].role);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    void followChanges(abort.signal);
    return () => abort.abort();
  }, []);
  useEffect(() => {
    // Nobody waits for what was rejected: it is said at least.
    const tell = () => showToast(frameWords().unexpected, undefined, "problem");
    addEventListener("unhandledrejection", tell);
    addEventListener("error", tell);
    return () => {
      removeEventListener("unhandledrejection", tell);
      removeEventListener("error", tell);
    };
  }, []);
  useEffect(() => {
    if (unsent.value > 0 && connection.value === "lost") return guardLeaving();
    return undefined;
  }, [unsent.value, connection.value]);
  // A change of screen closes the menu.
  useEffect(() => setMenuOpen(false), [screen]);
  return (
    <div class={isAway ? "shell shell-away" : "shell"}>
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <aside class={isMenuOpen ? "side side-open" : "side"}>
        <a class="brand" href="/console/">
          <img src="/docs/icon.svg" alt="" width="24" height="24" /> Rollbook
        </a>
        {isDesk && (
          <button type="button" class="search-button" onClick={openPalette}>
            <Icon name="search" /> <span>{t.search}</span> <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
          </button>
        )}
        <nav class="main-menu" aria-label={t.menu}>
          {(Object.keys(SCREENS) as ScreenName[]).filter(mayOpen).map((name) => (
            <MenuLink key={name} name={name} current={screen} />
          ))}
        </nav>
        {account}
      </aside>
      <div class="main-column">
        <header class="top">
          <a class="brand" href="/console/">
            <img src="/docs/icon.svg" alt="" width="24" height="24" /> Rollbook
          </a>
          {isDesk && <IconButton icon="search" label={t.search} onClick={openPalette} />}
        </header>
        <ConnectionBar />
        <main id="content" tabIndex={-1}>
          {/* At the desk, a screen itself says whom it is for. */}
          {isScreenName(screen) && (isDesk || mayOpen(screen)) ? (
            <Boundary key={[screen, ...rest].join("/")}>
              <LoadedScreen name={screen} />
            </Boundary>
          ) : (
            <MissingPage key={screen} title={t.noScreen}>
              <Button href="/console/">{t.toToday}</Button>
            </MissingPage>
          )}
        </main>
      </div>
      <nav class="foot-menu" aria-label={t.menu}>
        {AT_THE_FOOT.filter(mayOpen).map((name) => (
          <a key={name} href={addressOfScreen(name)} aria-current={name === screen ? "page" : undefined}>
            <Icon name={SCREENS[name].icon} size={22} />
            <span>{t.screens[name]}</span>
          </a>
        ))}
        <button type="button" aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
          <Icon name="menu" size={22} />
          <span>{t.more}</span>
        </button>
      </nav>
      {isDesk && <Palette />}
    </div>
  );
}

function MenuLink({ name, current }: { readonly name: ScreenName; readonly current: string }) {
  const t = frameWords();
  return (
    <a
      href={addressOfScreen(name)}
      aria-current={name === current ? "page" : undefined}
      onPointerEnter={() => void fetchScreen(name).catch(() => {})}
    >
      <Icon name={SCREENS[name].icon} />
      <span>{t.screens[name]}</span>
    </a>
  );
}

/** Says that the server cannot be reached, and what becomes of what was saved. */
function ConnectionBar() {
  const t = frameWords();
  return (
    <div class="connection" role="status">
      {connection.value === "lost" && (
        <p>
          <Icon name="offline" /> {unsent.value > 0 ? t.lostUnsent : t.lost}
        </p>
      )}
    </div>
  );
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
