import { signal } from "@preact/signals";
import { h } from "preact";
import type { FURTHER_ICON_SHAPES } from "./further-icon-shapes.ts";
import { ICON_SHAPES, type IconShapes } from "./icon-shapes.ts";

export type IconName = keyof typeof ICON_SHAPES | keyof typeof FURTHER_ICON_SHAPES;

/** Half of the icons are on the first page; the others come after it, so that it is lighter. */
const shapes = signal<Partial<Record<IconName, IconShapes>>>(ICON_SHAPES);
let isFetching = false;

export function fetchFurtherIcons(): void {
  if (isFetching) return;
  isFetching = true;
  import("./further-icon-shapes.ts").then(
    ({ FURTHER_ICON_SHAPES: further }) => {
      shapes.value = { ...ICON_SHAPES, ...further };
    },
    () => {
      isFetching = false;
    },
  );
}

/** A drawing beside a text; readers of screens do not hear of it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  const drawn = shapes.value[name];
  if (!drawn) fetchFurtherIcons();
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {drawn?.map(([element, attributes]) => h(element, attributes))}
    </svg>
  );
}
