import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { Notice, ProblemNotice } from "./notice.tsx";

const words = dictionary(
  {
    save: "Save",
    cancel: "Cancel",
    keep: "Keep it as it is",
    gone: "Somebody has deleted this. What you typed here can no longer be saved.",
  },
  {
    save: "Salvar",
    cancel: "Cancelar",
    keep: "Deixar como está",
    gone: "Alguém excluiu isto. O que você digitou aqui não pode mais ser salvo.",
  },
  {
    save: "Guardar",
    cancel: "Cancelar",
    keep: "Dejar como está",
    gone: "Alguien eliminó esto. Lo que escribió aquí ya no se puede guardar.",
  },
);

interface FormDialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly isBusy: boolean;
  /** What the write was refused with, and the members whose faults stand beside their fields. */
  readonly problem: Problem | undefined;
  readonly shown: readonly string[];
  /** Asked about before an address is left. */
  readonly isChanged?: boolean;
  /** Somebody has deleted what it is about. */
  readonly isGone?: boolean;
  readonly save?: string | undefined;
  /** It takes something away: the button is red, and the other one says what is kept. */
  readonly isDangerous?: boolean;
  readonly keep?: string | undefined;
}

/** A form over its screen: Enter saves, Escape leaves, what is wrong stands at its place. */
export function FormDialog({
  title,
  children,
  onSubmit,
  onClose,
  isBusy,
  problem,
  shown,
  isChanged = false,
  isGone = false,
  save,
  isDangerous = false,
  keep,
}: FormDialogProps) {
  const t = words();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {isGone ? <GoneNotice /> : <ProblemNotice problem={problem} shown={shown} />}
        {children}
        <Actions>
          <Button kind={isDangerous ? "danger" : "main"} isSubmit isBusy={isBusy} isDisabled={isGone}>
            {save ?? t.save}
          </Button>
          <Button onClick={onClose}>{isDangerous ? (keep ?? t.keep) : t.cancel}</Button>
        </Actions>
      </form>
      <LeaveGuard isChanged={isChanged} />
    </Dialog>
  );
}

/** In a form over what somebody else has deleted meanwhile. */
export function GoneNotice() {
  return <Notice tone="bad">{words().gone}</Notice>;
}

/** Asks before something is done, with what it will do. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  isDangerous = true,
  isBusy = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What the button says: what it does, not "OK". Without it there is nothing left to confirm. */
  readonly confirm: string | undefined;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const t = words();
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Actions>
        {confirm !== undefined && (
          <Button kind={isDangerous ? "danger" : "main"} isBusy={isBusy} onClick={onConfirm}>
            {confirm}
          </Button>
        )}
        <Button onClick={onClose}>{isDangerous && confirm !== undefined ? t.keep : t.cancel}</Button>
      </Actions>
    </Dialog>
  );
}
