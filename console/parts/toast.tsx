import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { dictionary } from "../languages/words.ts";
import { Icon } from "./icon.tsx";

type ToastKind = "done" | "problem";
interface Toast {
  readonly id: number;
  readonly kind: ToastKind;
  readonly text: string;
  readonly undo: (() => Promise<void>) | undefined;
}

const words = dictionary(
  { undo: "Undo", close: "Close", region: "Messages" },
  { undo: "Desfazer", close: "Fechar", region: "Mensagens" },
  { undo: "Deshacer", close: "Cerrar", region: "Mensajes" },
);

const toasts = signal<readonly Toast[]>([]);
/** How long one stays; what can be undone or went wrong stays longer. */
const SECONDS = { plain: 5, undo: 10, problem: 12 };
const MOST = 3;
let lastId = 0;

/** Says that something is done, or was refused, with a way back where there is one. */
export function showToast(text: string, undo?: () => Promise<void>, kind: ToastKind = "done"): void {
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
  else toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

const host = document.createElement("div");

/** What is outside of an open dialog cannot be pressed: messages are shown inside of the one on top, or of the page. */
export function placeToasts(place: Element): void {
  place.append(host);
}

/** Draws the messages. They move between dialogs, so they are a tree of their own. */
export function Toasts() {
  useEffect(() => {
    if (!host.isConnected) placeToasts(document.body);
    render(<ToastList />, host);
    return () => {
      render(null, host);
      host.remove();
    };
  }, []);
  return null;
}

function ToastList() {
  const t = words();
  const remove = (id: number) => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  };
  return (
    <section class="toasts" aria-label={t.region} aria-live="polite">
      {toasts.value.map(({ id, kind, text, undo }) => (
        <div
          key={id}
          class={`toast toast-${kind}`}
          data-toast={id}
          role={kind === "problem" ? "alert" : undefined}
        >
          <Icon name={kind === "problem" ? "warning" : "check"} />
          <p>{text}</p>
          {undo && (
            <button
              type="button"
              class="toast-undo"
              onClick={() => {
                remove(id);
                void undo();
              }}
            >
              <Icon name="undo" size={16} /> {t.undo}
            </button>
          )}
          <button type="button" class="icon-button" aria-label={t.close} onClick={() => remove(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </section>
  );
}
