/** How an operation is told which session: by its slot, which it keeps for good, or by its id. */
export function nameOfSession({
  id,
  scheduleId,
  originalStart,
}: {
  readonly id?: string;
  readonly scheduleId?: string;
  readonly originalStart?: string;
}): { readonly sessionId: string } | { readonly scheduleId: string; readonly originalStart: string } {
  return scheduleId !== undefined && originalStart !== undefined
    ? { scheduleId, originalStart }
    : { sessionId: id ?? "" };
}
