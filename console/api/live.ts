import { connection, untilNextTry } from "./connection.ts";
import { ConnectionLost, Problem } from "./problem.ts";
import { readOnce, refreshReads } from "./reads.ts";
import { askToSignIn } from "./signing-in.ts";

/** How long the server waits for a change before it answers all the same. */
const WAIT_SECONDS = 30;
/** Each answer may come at once: while others write without end, or when the server keeps nobody waiting. */
const ASK_EVERY_MS = 1_000;

/** Asks for changes as long as the page is open: what others write is shown within a second or two. */
export async function followChanges(abort: AbortSignal): Promise<void> {
  let known: string | undefined;
  for (let failures = 0; !abort.aborted; ) {
    const pause = untilLater(known === undefined ? 0 : ASK_EVERY_MS, abort);
    try {
      const query = known === undefined ? {} : { after: known, wait: WAIT_SECONDS };
      const { versions } = await readOnce("/app/v1/versions", { query }, abort);
      connection.value = "there";
      failures = 0;
      if (known !== undefined && versions !== known) refreshReads();
      known = versions;
      await pause;
    } catch (error) {
      if (abort.aborted) return;
      if (error instanceof Problem && error.reason === "signed_out") await askToSignIn();
      else {
        if (error instanceof ConnectionLost) connection.value = "lost";
        failures += 1;
        await untilNextTry(failures, abort);
      }
    }
  }
}

function untilLater(milliseconds: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      abort.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    abort.addEventListener("abort", done);
  });
}
