import { type Signal, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Where a session is being dragged to. */
export interface Drag {
  readonly key: string;
  readonly date: string;
  /** Minutes since midnight at which it would begin. */
  readonly from: number;
}

export interface GridPointer {
  /** Which sessions can be taken, and when they begin. */
  readonly canMove: (key: string) => boolean;
  readonly beginOf: (key: string) => number;
  /** Which minute of the day is that far down the grid: 0 is its top, 1 its foot. */
  readonly minuteAt: (share: number) => number;
  readonly onDrop: (drag: Drag) => void;
  /** An empty place was pressed. */
  readonly onEmpty: (date: string, minute: number) => void;
}

const STEP_MINUTES = 15;
const EMPTY_STEP_MINUTES = 30;
/** Nearer than this is a click. */
const LEAST_PIXELS = 5;
const LAST_MINUTE = 1_440 - STEP_MINUTES;

export const drag: Signal<Drag | undefined> = signal(undefined);

/**
 * What a mouse or a pen does on the grid: drags a session, or presses an empty place. A finger scrolls; it opens the
 * session and moves it there, as the keyboard does. Days are the elements with `data-date`, sessions those with
 * `data-key`.
 */
export function useGridPointer(grid: { readonly current: HTMLElement | null }, pointer: GridPointer): void {
  // What the grid shows may change while somebody drags.
  const latest = useRef(pointer);
  latest.current = pointer;
  useLayoutEffect(() => {
    const element = grid.current;
    return element ? followPointer(element, () => latest.current) : undefined;
  }, []);
}

function followPointer(grid: HTMLElement, pointer: () => GridPointer): () => void {
  let held: { key: string; x: number; y: number; grabbed: number } | undefined;
  let isDragged = false;
  let isClickIgnored = false;

  const minuteAt = (day: Element, y: number) => {
    const box = day.getBoundingClientRect();
    return pointer().minuteAt((y - box.top) / box.height);
  };
  const dayAt = (x: number) =>
    [...grid.querySelectorAll("[data-date]")].find((day) => {
      const box = day.getBoundingClientRect();
      return x >= box.left && x < box.right;
    });
  const release = () => {
    held = undefined;
    drag.value = undefined;
    removeEventListener("pointermove", onMove);
    removeEventListener("pointerup", onUp);
    removeEventListener("pointercancel", release);
    removeEventListener("keydown", onKey, true);
  };
  const onMove = (event: PointerEvent) => {
    if (!held) return;
    const moved = Math.hypot(event.clientX - held.x, event.clientY - held.y);
    const day = dayAt(event.clientX);
    if ((!isDragged && moved < LEAST_PIXELS) || !day) return;
    isDragged = true;
    const minute = minuteAt(day, event.clientY) - held.grabbed;
    const from = Math.round(minute / STEP_MINUTES) * STEP_MINUTES;
    drag.value = {
      key: held.key,
      date: day.getAttribute("data-date") ?? "",
      from: Math.min(LAST_MINUTE, Math.max(0, from)),
    };
  };
  const onUp = () => {
    const dropped = drag.value;
    release();
    if (!isDragged) return;
    // The click that follows is not one on whatever is below.
    isClickIgnored = true;
    setTimeout(() => {
      isClickIgnored = false;
    });
    if (dropped) pointer().onDrop(dropped);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isDragged) return;
    event.preventDefault();
    event.stopPropagation();
    held = undefined;
    drag.value = undefined;
  };
  const onDown = (event: PointerEvent) => {
    const block = event.target instanceof Element ? event.target.closest("[data-key]") : null;
    const key = block?.getAttribute("data-key") ?? "";
    const day = dayAt(event.clientX);
    if (event.button !== 0 || event.pointerType === "touch" || !day || !pointer().canMove(key)) return;
    isDragged = false;
    held = {
      key,
      x: event.clientX,
      y: event.clientY,
      grabbed: minuteAt(day, event.clientY) - pointer().beginOf(key),
    };
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onUp);
    addEventListener("pointercancel", release);
    addEventListener("keydown", onKey, true);
  };
  const onClick = (event: MouseEvent) => {
    if (isClickIgnored) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const target = event.target instanceof Element ? event.target : undefined;
    const day = target?.closest("[data-date]");
    if (!day || target?.closest("button, a")) return;
    const minute = Math.floor(minuteAt(day, event.clientY) / EMPTY_STEP_MINUTES) * EMPTY_STEP_MINUTES;
    pointer().onEmpty(day.getAttribute("data-date") ?? "", Math.max(0, minute));
  };
  grid.addEventListener("pointerdown", onDown);
  grid.addEventListener("click", onClick, true);
  return () => {
    release();
    grid.removeEventListener("pointerdown", onDown);
    grid.removeEventListener("click", onClick, true);
  };
}
