import { signal } from "@preact/signals";

/** Whether the server answered when it was last asked. */
export const connection = signal<"there" | "lost">("there");

/** Waits for the next try: longer each time, shorter if the browser says that the network is back. */
export function untilNextTry(failures: number, signal?: AbortSignal): Promise<void> {
  const milliseconds = Math.min(500 * 2 ** Math.min(failures, 4), 5_000);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
    signal?.addEventListener("abort", done);
  });
}
