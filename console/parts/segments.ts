import { useLayoutEffect, useRef } from "preact/hooks";

/** The numbers of a text such as `18/11/2026`, each with where it begins and ends. */
function segmentsOf(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(/\d+/g)].map(({ index, 0: digits }) => ({
    start: index,
    end: index + digits.length,
  }));
}

/**
 * Arrow keys in a text of numbers: the one with the caret is stepped, and is selected afterwards, as the browser's own fields
 * for dates and times do it.
 */
export function useSegments(step: (part: number, by: 1 | -1) => void) {
  const input = useRef<HTMLInputElement>(null);
  const stepped = useRef<number>(undefined);
  useLayoutEffect(() => {
    const segment =
      stepped.current === undefined ? undefined : segmentsOf(input.current?.value ?? "")[stepped.current];
    stepped.current = undefined;
    if (segment) input.current?.setSelectionRange(segment.start, segment.end);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : undefined;
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const caret = input.current?.selectionStart ?? 0;
    const segments = segmentsOf(input.current?.value ?? "");
    const part = Math.max(
      0,
      segments.findIndex(({ end }) => caret <= end),
    );
    stepped.current = part;
    step(part, by);
  };
  return { input, onKeyDown };
}
