import { useEffect, useRef } from "preact/hooks";

/** Gives something the focus when it appears, also inside of a dialog that is open already. */
export function useFocus<Target extends HTMLElement>(hasFocus: boolean | undefined) {
  const target = useRef<Target>(null);
  useEffect(() => {
    if (hasFocus) target.current?.focus();
  }, [hasFocus]);
  return target;
}
