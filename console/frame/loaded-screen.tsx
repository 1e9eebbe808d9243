import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connection } from "../api/connection.ts";
import { refreshReads } from "../api/reads.ts";
import { Button } from "../parts/button.tsx";
import { fetchFurtherIcons } from "../parts/icon.tsx";
import { MissingPage, Skeleton } from "../parts/page.tsx";
import type { ScreenLoaders, ScreenName } from "./screens.ts";
import { loadStyles } from "./styles.ts";
import { frameWords } from "./words.ts";

const loaded = new Map<ScreenName, ComponentType>();
let loaders: ScreenLoaders;

/** The screens import the frame, so that the frame is given them before it draws anything. */
export function provideScreens(provided: ScreenLoaders): void {
  loaders = provided;
}

/** A screen, which is fetched when it is first opened. */
export function LoadedScreen({ name }: { readonly name: ScreenName }) {
  const t = frameWords();
  const [state, setState] = useState<{ failed?: ScreenName; tries: number }>({ tries: 0 });
  const Loaded = loaded.get(name);
  const isLoaded = Loaded !== undefined;
  useEffect(() => {
    // Asked of what was drawn: it may have come since, and then has to be drawn again.
    if (isLoaded) return;
    fetchScreen(name).then(
      () => setState(({ tries }) => ({ tries: tries + 1 })),
      () => {
        setState(({ tries }) => ({ failed: name, tries }));
        // Whoever asks the server finds out that it cannot be reached, and when it can again.
        refreshReads();
      },
    );
  }, [name, state.tries, isLoaded]);
  const isThere = connection.value === "there";
  useEffect(() => {
    if (isThere) setState((before) => (before.failed ? { tries: before.tries + 1 } : before));
  }, [isThere]);
  if (Loaded) return <Loaded />;
  if (state.failed === name)
    return (
      <MissingPage title={t.failed}>
        <Button onClick={() => setState(({ tries }) => ({ tries: tries + 1 }))}>{t.again}</Button>
      </MissingPage>
    );
  return <Skeleton lines={6} />;
}

/** Has a screen ready before it is opened; with `isOpening`, also what it will read. */
export async function fetchScreen(name: ScreenName, { isOpening = false } = {}): Promise<void> {
  if (loaded.has(name)) return;
  const loading = loaders[name]();
  if (name !== "today") fetchFurtherIcons();
  if (isOpening)
    loading.then(
      ({ preload }) => preload?.(),
      () => {},
    );
  const [{ default: Shown }] = await Promise.all([loading, loadStyles(name)]);
  loaded.set(name, Shown);
}
