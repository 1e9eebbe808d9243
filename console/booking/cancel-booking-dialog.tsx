import { useState } from "preact/hooks";
import { useFreshDryRun } from "../api/dry-runs.ts";
import { useWrite } from "../api/writes.ts";
import { instantIn } from "../languages/format.ts";
import { CheckField, TextField } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { Skeleton } from "../parts/page.tsx";
import type { Roster, RosterBooking } from "./roster-types.ts";
import { words } from "./words.ts";

/** Says whether it is in time, and what becomes of what was drawn, before a booking is cancelled. */
export function CancelBookingDialog({
  booking,
  roster,
  onClose,
}: {
  readonly booking: RosterBooking;
  readonly roster: Roster;
  readonly onClose: () => void;
}) {
  const t = words();
  const { id: bookingId, clientName: name } = booking;
  // Whoever did not come can only be let off.
  const [isWaived, setWaived] = useState(booking.state === "no_show");
  const [reason, setReason] = useState("");
  const [isReasonMissing, setReasonMissing] = useState(false);
  const cancel = useWrite("cancelBooking");
  const asked = useFreshDryRun("cancelBooking", {
    bookingId,
    ...(isWaived && { waive: true, reason: "…" }),
  });
  const isLate = asked.run?.result?.state === "late_cancelled";
  const submit = async () => {
    if (isWaived && reason.trim() === "") return setReasonMissing(true);
    const input = {
      bookingId,
      ...(isWaived && { waive: true }),
      ...(reason.trim() !== "" && { reason: reason.trim() }),
    };
    if (await cancel.run(input, { said: isLate ? t.cancelledLate(name) : t.cancelledInTime(name) }))
      onClose();
  };
  const deadline = instantIn(roster.freeUntil, roster.session.timezone);
  const credits = asked.run?.changes.creditsReturned ?? 0;
  return (
    <FormDialog
      title={t.cancelTitle(name)}
      save={t.cancelIt}
      isDangerous
      keep={t.keepBooking}
      isBusy={cancel.isBusy}
      problem={cancel.problem}
      shown={["reason"]}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <ProblemNotice problem={asked.problem} />
      {!asked.run && !asked.problem && <Skeleton lines={2} />}
      {asked.run && (
        <Notice tone={isLate ? "warning" : "good"}>
          <p>{isLate ? t.isLate(deadline) : isWaived ? t.isWaived : t.isInTime}</p>
          <p>
            {booking.contractId === undefined
              ? t.drewNothing
              : isLate
                ? t.drawKept(booking.planName ?? "")
                : credits > 0
                  ? t.creditBack(booking.planName ?? "")
                  : t.visitBack(booking.planName ?? "")}
          </p>
          {asked.run.changes.promoted > 0 && <p>{t.promotes(asked.run.changes.promoted)}</p>}
        </Notice>
      )}
      {booking.state === "booked" && (isLate || isWaived) && (
        <CheckField label={t.waive} hint={t.waiveHint} isChecked={isWaived} onChange={setWaived} />
      )}
      {isWaived && (
        <TextField
          label={t.waiveReason}
          value={reason}
          onInput={(text) => {
            setReason(text);
            setReasonMissing(false);
          }}
          maxLength={500}
          fault={isReasonMissing ? t.reasonMissing : cancel.problem?.faultAt("reason")}
          hasFocus
        />
      )}
    </FormDialog>
  );
}
