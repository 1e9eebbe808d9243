import type { ComponentChildren } from "preact";
import { useDryRun } from "../api/dry-runs.ts";
import type { Problem } from "../api/problem.ts";
import { type DryRun, type Input, useWrite, type WriteAnswer, type WriteName } from "../api/writes.ts";
import { dictionary } from "../languages/words.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";
import { TextField } from "./field.tsx";
import { ProblemNotice } from "./notice.tsx";
import "./action-dialog.css";

const words = dictionary(
  {
    effects: "What will happen",
    checking: "Working it out …",
    back: "Back",
    reason: "Reason",
    reasonOptional: "Reason (optional)",
    reasonHint: "For the history.",
  },
  {
    effects: "O que vai acontecer",
    checking: "Calculando …",
    back: "Voltar",
    reason: "Motivo",
    reasonOptional: "Motivo (opcional)",
    reasonHint: "Para o histórico.",
  },
  {
    effects: "Qué va a pasar",
    checking: "Calculando …",
    back: "Volver",
    reason: "Motivo",
    reasonOptional: "Motivo (opcional)",
    reasonHint: "Para el historial.",
  },
);

interface ActionDialogProps<Name extends WriteName> {
  readonly title: string;
  readonly name: Name;
  /** What is sent; undefined while something is missing. */
  readonly input: Input<Name> | undefined;
  /** The members that have a field. */
  readonly shown?: readonly string[];
  /** Labels of members that the server's sentences name. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly effects: (run: DryRun<Name>) => readonly string[];
  readonly said: string;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  readonly onDone?: (answer: WriteAnswer<Name>) => void;
  readonly children?: (faultAt: (member: string) => string | undefined) => ComponentChildren;
}

/** What a write will do does not depend on its reason, so nothing is asked again while that is typed. */
const ANY_REASON = "–";

/** The form of something that is done to a record: it says what will happen, as the server works it out, before it is done. */
export function ActionDialog<Name extends WriteName>({
  title,
  name,
  input,
  shown = [],
  labels = {},
  effects,
  said,
  confirm,
  isDangerous = false,
  onClose,
  onDone = onClose,
  children,
}: ActionDialogProps<Name>) {
  const t = words();
  const writing = useWrite(name);
  const hasReason = input !== undefined && "reason" in input;
  const preview = useDryRun(
    name,
    writing.isBusy ? undefined : hasReason ? { ...input, reason: ANY_REASON } : input,
  );
  const problem = (input && (writing.problem ?? preview.problem))?.named(labels);
  const isBesideFields = problem?.status === 422 && problem.faultsBeside(shown).length === 0;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (input === undefined) return;
          void writing.run(input, { said }).then((answer) => answer && onDone(answer));
        }}
      >
        {children?.((member) => problem?.faultAt(member))}
        {!isBesideFields && <ProblemNotice problem={problem} shown={shown} />}
        <Effects
          isBusy={preview.isLoading}
          lines={input && preview.run ? effects(preview.run) : undefined}
          problem={problem}
        />
        <Actions>
          <Button
            kind={isDangerous ? "danger" : "main"}
            isSubmit
            isBusy={writing.isBusy}
            isDisabled={input === undefined || preview.problem !== undefined}
          >
            {confirm}
          </Button>
          <Button onClick={onClose}>{t.back}</Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function Effects({
  lines,
  isBusy,
  problem,
}: {
  readonly lines: readonly string[] | undefined;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
}) {
  const t = words();
  if (!lines && problem) return null;
  return (
    <section class="action-effects" aria-live="polite" aria-busy={isBusy}>
      <h3>{t.effects}</h3>
      {lines ? (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : (
        <p class="soft">{t.checking}</p>
      )}
    </section>
  );
}

export function ReasonField({
  value,
  onInput,
  fault,
  isOptional = false,
}: {
  readonly value: string;
  readonly onInput: (reason: string) => void;
  readonly fault: string | undefined;
  readonly isOptional?: boolean;
}) {
  const t = words();
  return (
    <TextField
      label={isOptional ? t.reasonOptional : t.reason}
      hint={t.reasonHint}
      value={value}
      onInput={onInput}
      fault={fault}
      maxLength={500}
    />
  );
}
