import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { dictionary } from "../languages/words.ts";
import { IconButton } from "./button.tsx";
import { placeToasts } from "./toast.tsx";

const words = dictionary({ close: "Close" }, { close: "Fechar" }, { close: "Cerrar" });

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** `side` is a panel at the edge, for something that stays open beside its screen. */
  readonly kind?: "box" | "side";
  /** False while it must be answered. */
  readonly canClose?: boolean;
}

/** The one on top last. */
const openDialogs: HTMLDialogElement[] = [];

/** The browser's own dialog: it keeps the focus inside, closes on Escape, and gives the focus back. */
export function Dialog({ title, children, onClose, kind = "box", canClose = true }: DialogProps) {
  const t = words();
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Before the effects of what is inside: a field that takes the focus needs the dialog to be open.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (!dialog) return undefined;
    dialog.showModal();
    openDialogs.push(dialog);
    placeToasts(dialog);
    return () => {
      openDialogs.splice(openDialogs.indexOf(dialog), 1);
      placeToasts(openDialogs.at(-1) ?? document.body);
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog dialog-${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (canClose) onClose();
      }}
      onMouseDown={(event) => {
        if (canClose && event.target === element.current) onClose();
      }}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          {canClose && <IconButton icon="close" label={t.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The buttons at the foot of a dialog or a form, the main one first. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}
