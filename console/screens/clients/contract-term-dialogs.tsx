import { useState } from "preact/hooks";
import { addDays } from "../../languages/days.ts";
import { fullDate } from "../../languages/format.ts";
import { ReasonField } from "../../parts/action-dialog.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { CheckField, ChoiceField } from "../../parts/field.tsx";
import {
  ContractActionDialog,
  type DialogProps,
  endLine,
  releaseLines,
  statusLine,
} from "./contract-action-dialog.tsx";
import { contractWords } from "./contract-words.ts";
import { endOfPeriod } from "./periods.ts";

/** What changes the days of a contract: pauses, its last day, cancelling it and taking that back. */

const later = (one: string, other: string) => (one > other ? one : other);
/** How long a pause is that nobody has said anything about. */
const PAUSE_DAYS = 14;

export function PauseDialog({ contract, today, onClose }: DialogProps) {
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
    <ContractActionDialog
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
          <DateField
            label={t.firstDay}
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
            <DateField
              label={t.lastDay}
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
    </ContractActionDialog>
  );
}

export function EndPauseDialog({
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
    <ContractActionDialog
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
          <DateField
            label={t.firstDayBack}
            value={firstDayBack}
            onInput={setFirstDayBack}
            fault={faultAt("firstDayBack")}
            hasFocus
          />
          <ReasonField isOptional value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ContractActionDialog>
  );
}

export function CancelDialog({ contract, today, onClose }: DialogProps) {
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
    <ContractActionDialog
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
            <DateField
              label={t.lastDay}
              min={later(today, contract.startDate)}
              value={lastDay}
              onInput={setLastDay}
              fault={faultAt("lastDay")}
            />
          )}
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ContractActionDialog>
  );
}

export function ReinstateDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [reason, setReason] = useState("");
  return (
    <ContractActionDialog
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
    </ContractActionDialog>
  );
}

export function SetEndDialog({ contract, today, onClose }: DialogProps) {
  const t = contractWords();
  const [kind, setKind] = useState<"day" | "none">("day");
  const [endDate, setEndDate] = useState(contract.endDate ?? endOfPeriod(contract, today));
  const [reason, setReason] = useState("");
  const isOpen = kind === "none";
  return (
    <ContractActionDialog
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
            <DateField
              label={t.lastDay}
              min={later(today, contract.startDate)}
              value={endDate}
              onInput={setEndDate}
              fault={faultAt("endDate")}
            />
          )}
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ContractActionDialog>
  );
}
