import { SessionPanel } from "../booking/session-panel.tsx";
import { route, setQuery } from "../routing/router.ts";
import { nameFromText } from "../routing/session-name.ts";

/** The session that the address names, beside the screen; the browser's back closes it. */
export function OpenedSession() {
  const key = route.value.query.get("session");
  const session = nameFromText(key);
  if (!session) return null;
  return <SessionPanel key={key} session={session} onClose={() => setQuery({ session: undefined })} />;
}
