/** A session as the server is told of it: a stored one by its id, a slot by its schedule and start. */
export type SessionName =
  | { readonly sessionId: string }
  | { readonly scheduleId: string; readonly originalStart: string };

interface Nameable {
  readonly id?: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
}

export function nameOf({ id, scheduleId = "", originalStart = "" }: Nameable): SessionName {
  return id === undefined ? { scheduleId, originalStart } : { sessionId: id };
}

/** The same as one text, which can stand in an address: `ID`, or `SCHEDULE_ID@2026-11-16T07:00`. */
export function textOfName(name: SessionName): string {
  return "sessionId" in name ? name.sessionId : `${name.scheduleId}@${name.originalStart}`;
}

export function nameFromText(text: string | null | undefined): SessionName | undefined {
  if (!text) return undefined;
  const [id = "", originalStart] = text.split("@");
  return originalStart === undefined ? { sessionId: id } : { scheduleId: id, originalStart };
}

/** A slot keeps its place in lists when it becomes a stored session. */
export function keyOfSession({ id, scheduleId, originalStart }: Nameable): string {
  return scheduleId && originalStart ? `${scheduleId}@${originalStart}` : (id ?? "");
}
