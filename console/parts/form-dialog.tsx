import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { ProblemNotice } from "./notice.tsx";

const words = dictionary(
  { save: "Save", cancel: "Cancel" },
  { save: "Salvar", cancel: "Cancelar" },
  { save: "Guardar", cancel: "Cancelar" },
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
  readonly save?: string | undefined;
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
  save,
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
        <ProblemNotice problem={problem} shown={shown} />
        {children}
        <Actions>
          <Button kind="main" isSubmit isBusy={isBusy}>
            {save ?? t.save}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </Actions>
      </form>
      <LeaveGuard isChanged={isChanged} />
    </Dialog>
  );
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
        <Button onClick={onClose}>{t.cancel}</Button>
      </Actions>
    </Dialog>
  );
}
