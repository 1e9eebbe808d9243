import { type ComponentChildren, createContext } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { dictionary } from "../languages/words.ts";
import { guardSteps } from "../routing/router.ts";
import { Button, IconButton } from "./button.tsx";
import { placeToasts } from "./toast.tsx";
import { useTypedValues } from "./typed-values.ts";

const words = dictionary(
  {
    close: "Close",
    title: "Leave without saving?",
    text: "What you changed here is not saved.",
    leave: "Leave",
    stay: "Stay",
  },
  {
    close: "Fechar",
    title: "Sair sem salvar?",
    text: "O que você mudou aqui não está salvo.",
    leave: "Sair",
    stay: "Ficar",
  },
  {
    close: "Cerrar",
    title: "¿Salir sin guardar?",
    text: "Lo que cambió aquí no está guardado.",
    leave: "Salir",
    stay: "Quedarse",
  },
);

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /**
   * `side` is a panel at the edge, for something that stays open beside its screen; `top` stays where it is while what is in
   * it grows and shrinks.
   */
  readonly kind?: "box" | "side" | "top";
  /** False while it must be answered. */
  readonly canClose?: boolean;
}

/** What a form says to the dialog that it is in: whether it asks itself before it is left. */
export const AsksItself = createContext<{ current: boolean }>({ current: false });

/** The one on top last. */
const openDialogs: HTMLDialogElement[] = [];

/**
 * The browser's own dialog: it keeps the focus inside, closes on Escape, and gives the focus back. What was typed into a form
 * in it is not lost by Escape, a click beside it, or the browser's back and reload: then it asks first.
 */
export function Dialog({ title, children, onClose, kind = "box", canClose = true }: DialogProps) {
  const t = words();
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  const { remember, isChanged } = useTypedValues();
  const asksItself = useRef(false);
  const [answer, setAnswer] = useState<{ give: (mayLeave: boolean) => void }>();
  const isNeeded = () => isChanged() && !asksItself.current;
  const ask = () => new Promise<boolean>((give) => setAnswer({ give }));
  const close = async () => {
    if (!isNeeded() || (await ask())) onClose();
  };
  useLayoutEffect(() => guardSteps({ isNeeded, ask }), []);
  // With the drawing: keys that are pressed at once are the dialog's.
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
        if (canClose) void close();
      }}
      onMouseDown={(event) => {
        // The second click of two is for what was there before the dialog.
        if (canClose && event.detail < 2 && event.target === element.current) void close();
      }}
      onFocusIn={remember}
    >
      <div class="dialog-content">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          {canClose && <IconButton icon="close" label={t.close} onClick={() => void close()} />}
        </header>
        <AsksItself.Provider value={asksItself}>{children}</AsksItself.Provider>
      </div>
      {answer && (
        <LeaveQuestion
          onAnswer={(mayLeave) => {
            setAnswer(undefined);
            answer.give(mayLeave);
          }}
        />
      )}
    </dialog>
  );
}

/** Asked before what was changed and not saved is left. */
export function LeaveQuestion({ onAnswer }: { readonly onAnswer: (mayLeave: boolean) => void }) {
  const t = words();
  return (
    <Dialog title={t.title} onClose={() => onAnswer(false)}>
      <p>{t.text}</p>
      <Actions>
        <Button kind="danger" onClick={() => onAnswer(true)}>
          {t.leave}
        </Button>
        <Button onClick={() => onAnswer(false)}>{t.stay}</Button>
      </Actions>
    </Dialog>
  );
}

/** The buttons at the foot of a dialog or a form, the main one first. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}
