import { useLayoutEffect } from "preact/hooks";
import { isolate } from "../languages/given-text.ts";

const PROGRAM = "Rollbook";

let screen = PROGRAM;
let hidings = 0;

/** The title of the window says which screen it is. */
export function useWindowTitle(title: string): void {
  // Before the screen is painted, as below.
  useLayoutEffect(() => {
    screen = `${isolate(title)} · ${PROGRAM}`;
    write();
  }, [title]);
}

/** Says nothing of the screen below while the caller is shown: its title can be a client's name. */
export function useHiddenTitle(): void {
  useLayoutEffect(() => {
    hidings += 1;
    write();
    return () => {
      hidings -= 1;
      write();
    };
  }, []);
}

function write(): void {
  document.title = hidings > 0 ? PROGRAM : screen;
}
