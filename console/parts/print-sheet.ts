import { type ComponentChild, render } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Draw = () => ComponentChild;
/** What would be printed; the last one opened is on top. */
const sheets: Draw[] = [];

/** Whatever is printed while the caller is shown is this, instead of the screen. */
export function usePrintSheet(draw: Draw): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const own: Draw = () => latest.current();
    if (sheets.length === 0) {
      addEventListener("beforeprint", drawSheet);
      addEventListener("afterprint", clearSheet);
    }
    sheets.push(own);
    return () => {
      sheets.splice(sheets.indexOf(own), 1);
      if (sheets.length > 0) return;
      removeEventListener("beforeprint", drawSheet);
      removeEventListener("afterprint", clearSheet);
      clearSheet();
    };
  }, []);
}

let sheet: HTMLElement | undefined;

function drawSheet(): void {
  const draw = sheets.at(-1);
  if (!draw) return;
  sheet ??= Object.assign(document.createElement("div"), { className: "print-sheet" });
  document.body.append(sheet);
  render(draw(), sheet);
}

function clearSheet(): void {
  if (!sheet) return;
  render(null, sheet);
  sheet.remove();
}
