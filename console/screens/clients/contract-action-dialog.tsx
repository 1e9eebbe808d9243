import type { ComponentChildren } from "preact";
import { useDryRun } from "../../api/dry-runs.ts";
import type { Problem } from "../../api/problem.ts";
import { type DryRun, type Input, useWrite, type WriteName } from "../../api/writes.ts";
import { fullDate } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { contractWords } from "./contract-words.ts";
import type { ListedContract } from "./records.ts";

/** What the dialogs of all actions on a contract have in common: they say what will happen before it is done. */

/** The contract that an action is about. */
export interface DialogProps {
  readonly contract: ListedContract;
  readonly today: string;
  readonly onClose: () => void;
}

interface ActionDialogProps<Name extends WriteName> {
  readonly title: string;
  readonly name: Name;
  /** What is sent; undefined while something is missing. */
  readonly input: Input<Name> | undefined;
  /** The members that have a field. */
  readonly shown?: readonly string[];
  readonly effects: (run: DryRun<Name>) => readonly string[];
  readonly said: string;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  readonly onDone?: () => void;
  readonly children?: (faultAt: (member: string) => string | undefined) => ComponentChildren;
}

/** What a write will do does not depend on its reason, so nothing is asked again while that is typed. */
const ANY_REASON = "–";

export function ActionDialog<Name extends WriteName>({
  title,
  name,
  input,
  shown = [],
  effects,
  said,
  confirm,
  isDangerous = false,
  onClose,
  onDone = onClose,
  children,
}: ActionDialogProps<Name>) {
  const t = contractWords();
  const writing = useWrite(name);
  const hasReason = input !== undefined && "reason" in input;
  const preview = useDryRun(
    name,
    writing.isBusy ? undefined : hasReason ? { ...input, reason: ANY_REASON } : input,
  );
  const refused = input && (writing.problem ?? preview.problem);
  const problem = refused?.named({
    firstDay: t.firstDay,
    startDate: t.contractStart,
    endDate: t.contractEnd,
  });
  const isBesideFields = problem?.status === 422 && problem.faultsBeside(shown).length === 0;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (input === undefined) return;
          void writing.run(input, { said }).then((answer) => answer && onDone());
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
          <Button onClick={onClose}>{t.close}</Button>
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
  const t = contractWords();
  if (!lines && problem) return null;
  return (
    <section class="contract-effects" aria-live="polite" aria-busy={isBusy}>
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
  const t = contractWords();
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

type Changes = DryRun<"pauseContract">["changes"];

/** What becomes of bookings. */
export function releaseLines({ bookings, creditsReturned, promoted }: Changes): string[] {
  const t = contractWords();
  // Those who move up are booked, and counted too.
  const released = bookings - promoted;
  return [
    released > 0 ? t.releases(released) : t.releasesNone,
    ...(creditsReturned > 0 ? [t.returns(creditsReturned)] : []),
    ...(promoted > 0 ? [t.promotes(promoted)] : []),
  ];
}

/** What becomes of the last day. */
export function endLine({ endDate: before }: ListedContract, after: string | undefined): string {
  const t = contractWords();
  if (after === undefined) return before === undefined ? t.stillOpen : t.noLastDay;
  if (after === before) return t.sameLastDay(fullDate(after));
  return before === undefined
    ? t.newLastDay(fullDate(after))
    : t.newLastDayWas(fullDate(after), fullDate(before));
}

export function statusLine(
  { status: before }: ListedContract,
  after: ListedContract["status"] | undefined,
): string[] {
  return after === undefined || after === before ? [] : [contractWords().statusBecomes[after]];
}
