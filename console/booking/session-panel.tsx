import "./booking.css";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionName } from "./session-name.ts";

interface SessionPanelProps {
  readonly session: SessionName;
  readonly onClose: () => void;
}

let loaded: ComponentType<SessionPanelProps> | undefined;

/** Has the panel ready before it is opened. */
export async function fetchSessionPanel(): Promise<void> {
  loaded ??= (await import("./session-dialog.tsx")).SessionDialog;
}

/** Everything about one session beside the screen; its script is fetched when it is first opened. */
export function SessionPanel(props: SessionPanelProps) {
  const [, setReady] = useState(loaded !== undefined);
  const { onClose } = props;
  useEffect(() => {
    if (!loaded) fetchSessionPanel().then(() => setReady(true), onClose);
  }, []);
  const Panel = loaded;
  return Panel ? <Panel {...props} /> : null;
}
