import type { ServerResponse } from "node:http";

/** So that an answer at the last moment is on its way before the connection counts as silent. */
const GRACE_MS = 5_000;

/**
 * Lets a caller wait for an answer longer than its connection may otherwise be silent. The work is told when the caller
 * leaves, and should then end: its answer is read by nobody.
 */
export async function whileWaiting<Result>(
  raw: ServerResponse,
  longestMs: number,
  work: (left: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { socket } = raw;
  const before = socket?.timeout ?? 0;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  if (raw.destroyed) leave();
  raw.once("close", leave);
  socket?.setTimeout(longestMs + GRACE_MS);
  try {
    return await work(leaving.signal);
  } finally {
    raw.off("close", leave);
    socket?.setTimeout(before);
  }
}
