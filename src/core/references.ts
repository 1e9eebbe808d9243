import { refusal } from "./errors.ts";
import type { Use, UseKind } from "./refusals.ts";

/** Refuses to delete what others refer to, and says how many of each kind do. */
export function refuseIfUsed(counts: Partial<Readonly<Record<UseKind, number>>>): void {
  const uses = Object.entries(counts).flatMap(([kind, count]): Use[] =>
    count > 0 ? [{ kind: kind as UseKind, count }] : [],
  );
  if (uses.length > 0) throw refusal("in_use", { params: { uses }, facts: { uses } });
}
