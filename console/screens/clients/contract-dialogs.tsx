import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDryRun } from "../../api/dry-runs.ts";
import type { Problem } from "../../api/problem.ts";
import { type DryRun, type Input, useWrite, type WriteName } from "../../api/writes.ts";
import { go } from "../../frame/router.ts";
import { addDays } from "../../languages/days.ts";
import { count, fullDate } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { Actions, Dialog } from "../../parts/dialog.tsx";
import { CheckField, ChoiceField, SelectField, TextField } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import type { ContractAction } from "./contract-actions.ts";
import { contractWords } from "./contract-words.ts";
import { creditsText } from "./grant-names.ts";
import { endOfPeriod } from "./periods.ts";
import { addressOfClient, type ListedContract } from "./records.ts";
import { TermsText } from "./terms-text.tsx";

interface DialogProps {
  readonly contract: ListedContract;
  readonly today: string;
  readonly onClose: () => void;
}

/** The form of an action. Each says what it will do, as the server works it out, before it is done. */
export function ContractDialog({ action, ...props }: DialogProps & { readonly action: ContractAction }) {
  switch (action.word) {
    case "pause":
      return <PauseDialog {...props} />;
    case "endPause":
      return <EndPauseDialog {...props} pauseId={action.pauseId} />;
    case "cancel":
    case "recancel":
      return <CancelDialog {...props} />;
    case "reinstate":
      return <ReinstateDialog {...props} />;
    case "setEnd":
      return <SetEndDialog {...props} />;
    case "credits":
      return <CreditsDialog {...props} />;
    case "block":
      return <BlockDialog {...props} />;
    case "unblock":
      return <UnblockDialog {...props} />;
    case "answer":
      return <AnswerDialog {...props} />;
    case "voidSale":
      return <VoidDialog {...props} />;
  }
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

function ActionDialog<Name extends WriteName>({
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
  const problem = input && (writing.problem ?? preview.problem);
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

type Changes = DryRun<"pauseContract">["changes"];

/** What becomes of bookings. */
function releaseLines({ bookings, creditsReturned, promoted }: Changes): string[] {
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
function endLine({ endDate: before }: ListedContract, after: string | undefined): string {
  const t = contractWords();
  if (after === undefined) return before === undefined ? t.stillOpen : t.noLastDay;
  if (after === before) return t.sameLastDay(fullDate(after));
  return before === undefined
    ? t.newLastDay(fullDate(after))
    : t.newLastDayWas(fullDate(after), fullDate(before));
}

function statusLine(
  { status: before }: ListedContract,
  after: ListedContract["status"] | undefined,
): string[] {
  return after === undefined || after === before ? [] : [contractWords().statusBecomes[after]];
}

function ReasonField({
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

const later = (one: string, other: string) => (one > other ? one : other);
/** How long a pause is that nobody has said anything about. */
const PAUSE_DAYS = 14;

function PauseDialog({ contract, today, onClose }: DialogProps) {
  const t = contractWords();
  const [firstDay, setFirstDay] = useState(later(today, contract.startDate));
  const [kind, setKind] = useState<"until" | "open">("until");
  const [lastDay, setLastDay] = useState(addDays(firstDay, PAUSE_DAYS - 1));
  const [extendsTerm, setExtends] = useState(true);
  const [reason, setReason] = useState("");
  const isOpen = kind === "open";
  const input =
    firstDay === "" || (!isOpen && lastDay === "")
      ? undefined
      : {
          contractId: contract.id,
          firstDay,
          ...(!isOpen && { lastDay }),
          extendsTerm,
          ...(reason !== "" && { reason }),
        };
  return (
    <ActionDialog
      title={t.pauseTitle(contract.planName)}
      name="pauseContract"
      input={input}
      shown={["firstDay", "lastDay", "reason"]}
      effects={({ result, changes }) => [
        ...statusLine(contract, result?.status),
        isOpen && extendsTerm && contract.endDate !== undefined
          ? t.openPauseAdds
          : endLine(contract, result?.endDate),
        ...releaseLines(changes),
      ]}
      said={t.paused(contract.planName)}
      confirm={t.does.pause}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <TextField
            label={t.firstDay}
            type="date"
            value={firstDay}
            onInput={setFirstDay}
            fault={faultAt("firstDay")}
            hasFocus
          />
          <ChoiceField
            label={t.howLong}
            value={kind}
            choices={[
              { value: "until", label: t.untilDay },
              { value: "open", label: t.openEnd, hint: t.openEndHint },
            ]}
            onChoose={setKind}
          />
          {!isOpen && (
            <TextField
              label={t.lastDay}
              type="date"
              min={firstDay}
              value={lastDay}
              onInput={setLastDay}
              fault={faultAt("lastDay")}
            />
          )}
          <CheckField label={t.extends} isChecked={extendsTerm} onChange={setExtends} />
          <ReasonField isOptional value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function EndPauseDialog({
  contract,
  today,
  onClose,
  pauseId,
}: DialogProps & { readonly pauseId: string | undefined }) {
  const t = contractWords();
  const pause = contract.pauses.find(({ id }) => id === pauseId);
  const [firstDayBack, setFirstDayBack] = useState(later(today, pause?.firstDay ?? today));
  const [reason, setReason] = useState("");
  return (
    <ActionDialog
      title={t.endPauseTitle}
      name="endPause"
      input={
        firstDayBack === ""
          ? undefined
          : {
              contractId: contract.id,
              ...(pauseId !== undefined && { pauseId }),
              firstDayBack,
              ...(reason !== "" && { reason }),
            }
      }
      shown={["firstDayBack", "reason"]}
      effects={({ result }) => [
        ...(pause
          ? [
              firstDayBack === pause.firstDay
                ? t.pauseRemoved
                : t.pauseEnds(fullDate(addDays(firstDayBack, -1))),
            ]
          : []),
        ...statusLine(contract, result?.status),
        endLine(contract, result?.endDate),
      ]}
      said={t.pauseEnded}
      confirm={t.does.endPause}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <TextField
            label={t.firstDayBack}
            type="date"
            value={firstDayBack}
            onInput={setFirstDayBack}
            fault={faultAt("firstDayBack")}
            hasFocus
          />
          <ReasonField isOptional value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function CancelDialog({ contract, today, onClose }: DialogProps) {
  const t = contractWords();
  const [kind, setKind] = useState<"lastDay" | "now">("lastDay");
  const [lastDay, setLastDay] = useState(contract.endDate ?? endOfPeriod(contract, today));
  const [reason, setReason] = useState("");
  const isNow = kind === "now";
  const input =
    !isNow && lastDay === ""
      ? undefined
      : { contractId: contract.id, ...(isNow ? { now: true } : { lastDay }), reason };
  return (
    <ActionDialog
      title={t.cancelTitle(contract.planName)}
      name="cancelContract"
      input={input}
      shown={["lastDay", "reason"]}
      effects={({ result, changes }) => [
        isNow ? t.statusBecomes.cancelled : t.runsUntil(fullDate(result?.endDate ?? lastDay)),
        ...releaseLines(changes),
      ]}
      said={t.cancelled(contract.planName)}
      confirm={t.does.cancel}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <ChoiceField
            label={t.when}
            value={kind}
            choices={[
              { value: "lastDay", label: t.withLastDay },
              { value: "now", label: t.atOnce, hint: t.atOnceHint },
            ]}
            onChoose={setKind}
          />
          {!isNow && (
            <TextField
              label={t.lastDay}
              type="date"
              min={later(today, contract.startDate)}
              value={lastDay}
              onInput={setLastDay}
              fault={faultAt("lastDay")}
            />
          )}
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function ReinstateDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [reason, setReason] = useState("");
  return (
    <ActionDialog
      title={t.reinstateTitle}
      name="reinstateContract"
      input={{ contractId: contract.id, ...(reason !== "" && { reason }) }}
      shown={["reason"]}
      effects={({ result }) => [
        ...statusLine(contract, result?.status),
        endLine(contract, result?.endDate),
        t.reinstates,
      ]}
      said={t.reinstated(contract.planName)}
      confirm={t.does.reinstate}
      onClose={onClose}
    >
      {(faultAt) => <ReasonField isOptional value={reason} onInput={setReason} fault={faultAt("reason")} />}
    </ActionDialog>
  );
}

function SetEndDialog({ contract, today, onClose }: DialogProps) {
  const t = contractWords();
  const [kind, setKind] = useState<"day" | "none">("day");
  const [endDate, setEndDate] = useState(contract.endDate ?? endOfPeriod(contract, today));
  const [reason, setReason] = useState("");
  const isOpen = kind === "none";
  return (
    <ActionDialog
      title={t.setEndTitle}
      name="setEndDate"
      input={
        !isOpen && endDate === ""
          ? undefined
          : { contractId: contract.id, endDate: isOpen ? null : endDate, reason }
      }
      shown={["endDate", "reason"]}
      effects={({ result, changes }) => [
        ...statusLine(contract, result?.status),
        endLine(contract, result?.endDate),
        ...releaseLines(changes),
      ]}
      said={t.endSet}
      confirm={t.does.setEnd}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <ChoiceField
            label={t.endKind}
            value={kind}
            choices={[
              { value: "day", label: t.withLastDay },
              { value: "none", label: t.noEnd },
            ]}
            onChoose={setKind}
          />
          {!isOpen && (
            <TextField
              label={t.lastDay}
              type="date"
              min={later(today, contract.startDate)}
              value={endDate}
              onInput={setEndDate}
              fault={faultAt("endDate")}
            />
          )}
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function CreditsDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const packs = contract.entitlements.filter(({ type }) => type === "credits");
  const [entitlementId, setEntitlementId] = useState(packs[0]?.id ?? "");
  const [by, setBy] = useState("1");
  const [reason, setReason] = useState("");
  const balance = packs.find(({ id }) => id === entitlementId)?.remainingCredits ?? 0;
  const number = Number(by);
  return (
    <ActionDialog
      title={t.creditsTitle}
      name="adjustCredits"
      input={
        by === "" || !Number.isInteger(number) || number === 0
          ? undefined
          : { entitlementId, by: number, reason }
      }
      shown={["by", "reason", "entitlementId"]}
      effects={({ result }) => {
        const after = result?.entitlements.find(({ id }) => id === entitlementId)?.remainingCredits ?? 0;
        return [t.balance(count(balance), count(after))];
      }}
      said={t.adjusted}
      confirm={t.does.credits}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          {packs.length > 1 && (
            <SelectField
              label={t.entitlement}
              value={entitlementId}
              choices={packs.map((pack) => ({ value: pack.id, label: creditsText(pack) }))}
              onChoose={setEntitlementId}
              fault={faultAt("entitlementId")}
            />
          )}
          <TextField
            label={t.by}
            hint={t.byHint}
            type="number"
            step={1}
            value={by}
            onInput={setBy}
            fault={faultAt("by")}
            hasFocus
          />
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ActionDialog>
  );
}

function BlockDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [reason, setReason] = useState("");
  return (
    <ActionDialog
      title={t.blockTitle}
      name="blockAccess"
      input={{ contractId: contract.id, reason }}
      shown={["reason"]}
      effects={() => [t.blocks]}
      said={t.blockedDone}
      confirm={t.does.block}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />}
    </ActionDialog>
  );
}

function UnblockDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  return (
    <ActionDialog
      title={t.unblockTitle}
      name="unblockAccess"
      input={{ contractId: contract.id }}
      effects={() => [t.unblocks]}
      said={t.unblockedDone}
      confirm={t.does.unblock}
      onClose={onClose}
    />
  );
}

function AnswerDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [termsResponse, setResponse] = useState<"accepted" | "declined">("accepted");
  return (
    <ActionDialog
      title={t.answerTitle}
      name="answerTerms"
      input={{ contractId: contract.id, termsResponse }}
      effects={() => [t.accepts]}
      said={t.answered}
      confirm={t.does.answer}
      onClose={onClose}
    >
      {() => (
        <>
          <TermsText label={t.terms} text={contract.terms ?? ""} />
          <ChoiceField
            label={t.termsAnswer}
            value={termsResponse}
            choices={[
              { value: "accepted", label: t.acceptedChoice, hint: t.acceptedHint },
              { value: "declined", label: t.declinedChoice, hint: t.declinedHint },
            ]}
            onChoose={setResponse}
          />
        </>
      )}
    </ActionDialog>
  );
}

function VoidDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  return (
    <ActionDialog
      title={t.voidTitle}
      name="voidSale"
      input={{ contractId: contract.id }}
      effects={() => [t.voids]}
      said={t.voided}
      confirm={t.does.voidSale}
      isDangerous
      onClose={onClose}
      onDone={() => {
        onClose();
        // Its page is gone with it.
        void go(addressOfClient(contract.clientId), { replace: true });
      }}
    />
  );
}
