import { render } from "preact";
import { useEffect } from "preact/hooks";
import { dropToast, toasts } from "../api/toasts.ts";
import { dictionary } from "../languages/words.ts";
import { Icon } from "./icon.tsx";

const words = dictionary(
  { undo: "Undo", close: "Close", region: "Messages" },
  { undo: "Desfazer", close: "Fechar", region: "Mensagens" },
  { undo: "Deshacer", close: "Cerrar", region: "Mensajes" },
);

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
              onClick={({ detail }) => {
                // The second click of two is on the toast that has moved into the place of the first.
                if (detail > 1) return;
                dropToast(id);
                void undo();
              }}
            >
              <Icon name="undo" size={16} /> {t.undo}
            </button>
          )}
          <button type="button" class="icon-button" aria-label={t.close} onClick={() => dropToast(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </section>
  );
}
