import "./booking.css";
import { lazyDialog } from "../parts/lazy-dialog.tsx";

/** Everything about one session beside the screen: `session` names it, `onClose` is called when it is left. */
export const [SessionPanel, fetchSessionPanel] = lazyDialog(
  async () => (await import("./session-dialog.tsx")).SessionDialog,
);

/** Books a client into one of several sessions and checks them in. */
export const [CheckInDialog, fetchCheckInDialog] = lazyDialog(
  async () => (await import("./walk-in-dialog.tsx")).WalkInDialog,
);

/** Books somebody who is known into a class of a day. */
export const [BookClientDialog] = lazyDialog(
  async () => (await import("./book-client-dialog.tsx")).BookClientDialog,
);
