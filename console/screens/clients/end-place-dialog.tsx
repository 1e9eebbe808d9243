import { useState } from "preact/hooks";
import { placesText } from "../../booking/fixed-place-words.ts";
import { isDate } from "../../languages/days.ts";
import { count } from "../../languages/format.ts";
import { dictionary, plural } from "../../languages/words.ts";
import { ActionDialog, ReasonField } from "../../parts/action-dialog.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { CheckField } from "../../parts/field.tsx";
import type { FixedPlace } from "./records.ts";

const words = dictionary(
  {
    title: (place: string) => `End “${place}”`,
    fromDay: "First day without it",
    ends: (number: number) => `${count(number)} ${plural(number, "booking is", "bookings are")} cancelled.`,
    endsNone: "Nothing is booked from that day on.",
    returns: (number: number) => `${count(number)} ${plural(number, "credit goes", "credits go")} back.`,
    late: (number: number) =>
      `${count(number)} of them ${plural(number, "is", "are")} too late: what was drawn is kept.`,
    promotes: (number: number) =>
      `${count(number)} ${plural(number, "person moves", "people move")} up from the waiting list.`,
    waive: "Without loss, also where it is too late",
    confirm: "End the fixed place",
    ended: "The fixed place is ended.",
  },
  {
    title: (place: string) => `Encerrar “${place}”`,
    fromDay: "Primeiro dia sem ele",
    ends: (number: number) =>
      `${count(number)} ${plural(number, "agendamento é cancelado", "agendamentos são cancelados")}.`,
    endsNone: "Nada está agendado a partir desse dia.",
    returns: (number: number) => `${count(number)} ${plural(number, "crédito volta", "créditos voltam")}.`,
    late: (number: number) =>
      `${count(number)} ${plural(number, "deles está", "deles estão")} fora do prazo: o que foi descontado não volta.`,
    promotes: (number: number) =>
      `${count(number)} ${plural(number, "pessoa sobe", "pessoas sobem")} da lista de espera.`,
    waive: "Sem perda, mesmo fora do prazo",
    confirm: "Encerrar o horário fixo",
    ended: "O horário fixo foi encerrado.",
  },
  {
    title: (place: string) => `Terminar «${place}»`,
    fromDay: "Primer día sin él",
    ends: (number: number) =>
      `Se ${plural(number, "cancela", "cancelan")} ${count(number)} ${plural(number, "reserva", "reservas")}.`,
    endsNone: "No hay nada reservado desde ese día.",
    returns: (number: number) =>
      `${plural(number, "Vuelve", "Vuelven")} ${count(number)} ${plural(number, "crédito", "créditos")}.`,
    late: (number: number) =>
      `${count(number)} de ellas ${plural(number, "está", "están")} fuera de plazo: lo descontado no vuelve.`,
    promotes: (number: number) =>
      `${count(number)} ${plural(number, "persona sube", "personas suben")} de la lista de espera.`,
    waive: "Sin pérdida, también fuera de plazo",
    confirm: "Terminar el horario fijo",
    ended: "El horario fijo ha terminado.",
  },
);

/** Gives a fixed place up from a day on: how many bookings go, and what comes back, is said before. */
export function EndPlaceDialog({
  place,
  today,
  onClose,
}: {
  readonly place: FixedPlace;
  readonly today: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const [fromDay, setFromDay] = useState(today);
  const [waive, setWaive] = useState(false);
  const [reason, setReason] = useState("");
  const isReady = isDate(fromDay) && (!waive || reason.trim() !== "");
  return (
    <ActionDialog
      title={t.title(placesText(place.places))}
      name="endFixedPlace"
      input={
        isReady
          ? { fixedPlaceId: place.id, fromDay, ...(waive && { waive, reason: reason.trim() }) }
          : undefined
      }
      shown={["fromDay", "reason"]}
      effects={({ changes, result = [] }) => {
        const late = result.filter(({ state }) => state === "late_cancelled").length;
        return [
          result.length > 0 ? t.ends(result.length) : t.endsNone,
          ...(changes.creditsReturned > 0 ? [t.returns(changes.creditsReturned)] : []),
          ...(late > 0 ? [t.late(late)] : []),
          ...(changes.promoted > 0 ? [t.promotes(changes.promoted)] : []),
        ];
      }}
      said={t.ended}
      confirm={t.confirm}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          <DateField
            label={t.fromDay}
            min={today}
            value={fromDay}
            onInput={setFromDay}
            fault={faultAt("fromDay")}
          />
          <CheckField label={t.waive} isChecked={waive} onChange={setWaive} />
          {waive && <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />}
        </>
      )}
    </ActionDialog>
  );
}
