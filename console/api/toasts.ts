import { signal } from "@preact/signals";

/** What somebody is told about what was done: `parts/toast.tsx` shows it. */

type ToastKind = "done" | "problem";
interface Toast {
  readonly id: number;
  readonly kind: ToastKind;
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | undefined;
}

export const toasts = signal<readonly Toast[]>([]);
/** How long one stays; what can be undone or went wrong stays longer. */
const SECONDS = { plain: 5, undo: 10, problem: 12 };
const MOST = 3;
let lastId = 0;

/** Says that something is done, or was refused, with a way back where there is one. */
export function showToast(text: string, undo?: () => Promise<unknown>, kind: ToastKind = "done"): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value.slice(1 - MOST), { id, kind, text, undo }];
  const seconds = kind === "problem" ? SECONDS.problem : undo ? SECONDS.undo : SECONDS.plain;
  setTimeout(() => drop(id), seconds * 1_000);
}

function drop(id: number): void {
  // Somebody is about to press it: it stays until they leave it.
  if (document.querySelector(`[data-toast="${id}"]:hover, [data-toast="${id}"]:focus-within`))
    setTimeout(() => drop(id), 2_000);
  else dropToast(id);
}

export function dropToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
