import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/notice.tsx";
import { Skeleton } from "../parts/page.tsx";
import { SCREENS, type ScreenName } from "./screens.ts";
import { loadStyles } from "./styles.ts";
import { frameWords } from "./words.ts";

const loaded = new Map<ScreenName, ComponentType>();

/** A screen, which is fetched when it is first opened. */
export function LoadedScreen({ name }: { readonly name: ScreenName }) {
  const t = frameWords();
  const [state, setState] = useState<{ failed?: ScreenName; tries: number }>({ tries: 0 });
  useEffect(() => {
    if (loaded.has(name)) return;
    fetchScreen(name).then(
      () => setState(({ tries }) => ({ tries: tries + 1 })),
      () => setState(({ tries }) => ({ failed: name, tries })),
    );
  }, [name, state.tries]);
  const Screen = loaded.get(name);
  if (Screen) return <Screen />;
  if (state.failed === name)
    return (
      <Empty
        icon="offline"
        title={t.failed}
        action={<Button onClick={() => setState(({ tries }) => ({ tries: tries + 1 }))}>{t.again}</Button>}
      />
    );
  return <Skeleton lines={6} />;
}

/** Has a screen ready before it is opened. */
export async function fetchScreen(name: ScreenName): Promise<void> {
  if (loaded.has(name)) return;
  const [{ default: Screen }] = await Promise.all([SCREENS[name].load(), loadStyles(name)]);
  loaded.set(name, Screen);
}
