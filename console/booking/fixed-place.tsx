import { lazyDialog } from "../parts/lazy-dialog.tsx";

/** The same classes week after week, or others instead of them. */
export const [FixedPlaceDialog] = lazyDialog(
  async () => (await import("./fixed-place-dialog.tsx")).FixedPlaceDialog,
);
