import { newId as newIdAt } from "../../src/core/ids.ts";

/** An id of something made now, or of nothing at all. */
export function newId(): string {
  return newIdAt(Date.now());
}
