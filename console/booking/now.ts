import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** How far the server's clock is ahead of this computer's, in milliseconds. */
let aheadMs = 0;
const tick = signal(0);
const seen = new WeakSet<object>();
const TICK_MS = 15_000;

/** The server's time, in milliseconds, as of an answer that has it; drawn again every few seconds. */
export function useNow(answer: { readonly now: string } | undefined): number {
  // An answer that is shown again later says nothing about the time then.
  if (answer && !seen.has(answer)) {
    seen.add(answer);
    aheadMs = Date.parse(answer.now) - Date.now();
  }
  useEffect(() => {
    const timer = setInterval(() => {
      tick.value += 1;
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  void tick.value;
  return Date.now() + aheadMs;
}
