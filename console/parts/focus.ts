import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Gives something the focus when it appears inside of a dialog that is open already; one that opens with it has it by
 * `autofocus`. With the drawing, not after it: the next key would still go where the focus was.
 */
export function useFocus<Target extends HTMLElement>(hasFocus: boolean | undefined) {
  const target = useRef<Target>(null);
  useLayoutEffect(() => {
    if (hasFocus) target.current?.focus();
  }, [hasFocus]);
  return target;
}
