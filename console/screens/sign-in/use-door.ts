import { useState } from "preact/hooks";
import { Problem } from "../../api/problem.ts";
import { words } from "./words.ts";

/** One try at a time, and the sentence of the last one that failed: the server's, or what the attempt returns. */
export function useDoor() {
  const t = words();
  const [state, setState] = useState<{ isBusy: boolean; message: string | undefined }>({
    isBusy: false,
    message: undefined,
  });
  return {
    ...state,
    async run(attempt: () => Promise<string | undefined>): Promise<void> {
      if (state.isBusy) return;
      setState({ isBusy: true, message: undefined });
      try {
        setState({ isBusy: false, message: await attempt() });
      } catch (error) {
        const fault = error instanceof Problem ? (error.body.errors?.[0]?.message ?? error.message) : t.lost;
        setState({ isBusy: false, message: fault });
      }
    },
  };
}
