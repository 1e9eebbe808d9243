import { h } from "preact";
import { ICON_SHAPES } from "./icon-shapes.ts";

export type IconName = keyof typeof ICON_SHAPES;

/** A drawing beside a text; readers of screens do not hear of it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {ICON_SHAPES[name].map(([element, attributes]) => h(element, attributes))}
    </svg>
  );
}
