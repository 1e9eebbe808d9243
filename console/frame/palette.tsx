import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { lazyDialog } from "../parts/lazy-dialog.tsx";

const isOpen = signal(false);
const [PaletteDialog, fetchPalette] = lazyDialog(
  async () => (await import("./palette-dialog.tsx")).PaletteDialog,
);
/** Fetched once the screen is there, so that the first keys are not lost, and neither is what forms need if the connection is. */
const FETCH_AFTER_MS = 1_000;

export function openPalette(): void {
  isOpen.value = true;
}

/** Ctrl/⌘ K from anywhere. */
export function Palette() {
  useLayoutEffect(() => {
    const timer = setTimeout(
      () => void Promise.all([fetchPalette(), import("../parts/typed-fields.ts")]).catch(() => {}),
      FETCH_AFTER_MS,
    );
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isOpen.value = !isOpen.value;
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", onKeyDown);
    };
  }, []);
  const close = () => {
    isOpen.value = false;
  };
  return isOpen.value ? <PaletteDialog onClose={close} /> : null;
}
