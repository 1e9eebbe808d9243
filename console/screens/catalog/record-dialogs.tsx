import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { Problem } from "../../api/problem.ts";
import { showToast } from "../../api/toasts.ts";
import { dryRun, type Input, useWrite, type WriteName, writeOrTell } from "../../api/writes.ts";
import { count } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { words } from "./words.ts";

type Deletion = Extract<
  WriteName,
  "deletePlan" | "deleteServiceType" | "deleteServiceGroup" | "deleteLocation"
>;
type Use = NonNullable<Schemas["Problem"]["uses"]>[number];

/** Where what uses a record can be looked at. */
const PLACES: Partial<Record<Use["kind"], string>> = {
  clients: "/console/clients",
  plans: "/console/catalog/plans",
  schedules: "/console/timetable",
  sessions: "/console/calendar",
  serviceGroups: "/console/catalog/groups",
  serviceTypes: "/console/catalog/services",
  staff: "/console/settings",
};

/** Asks before a record is deleted for good; what uses it is said with the refusal, and what can be done instead. */
export function DeleteDialog<Name extends Deletion>({
  name,
  operation,
  input,
  text,
  instead,
  onClose,
}: {
  readonly name: string;
  readonly operation: Name;
  readonly input: Input<Name>;
  readonly text?: string | undefined;
  /** What can be done rather than deleting it. */
  readonly instead?: { readonly label: string; readonly onChoose: () => void } | false;
  readonly onClose: () => void;
}) {
  const t = words();
  const deletion = useWrite(operation);
  const uses = (deletion.problem?.body.uses ?? []) as readonly Use[];
  const isInUse = deletion.problem?.reason === "in_use";
  return (
    <ConfirmDialog
      title={t.deleteTitle(name)}
      confirm={isInUse ? undefined : t.remove}
      isBusy={deletion.isBusy}
      onConfirm={async () => {
        if (await deletion.run(input, { said: t.deleted(name) })) onClose();
      }}
      onClose={onClose}
    >
      {isInUse ? (
        <Notice tone="bad">
          <p>{t.inUse}</p>
          <ul>
            {uses.map(({ kind, count: number }) => (
              <li key={kind}>
                <UseInWords kind={kind} number={number} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <>
          <ProblemNotice problem={deletion.problem} />
          {text && <p>{text}</p>}
          <p>{t.deleteForGood}</p>
        </>
      )}
      {instead && (
        <div>
          <Button
            kind="quiet"
            icon="archive"
            onClick={() => {
              onClose();
              instead.onChoose();
            }}
          >
            {instead.label}
          </Button>
        </div>
      )}
    </ConfirmDialog>
  );
}

function UseInWords({ kind, number }: { readonly kind: Use["kind"]; readonly number: number }) {
  const t = words();
  const text = `${count(number)} ${t.uses[kind]}`;
  const place = PLACES[kind];
  return place === undefined ? <span>{text}</span> : <a href={place}>{text}</a>;
}

/** Taking a location or a service type out of use, which cancels its sessions to come. */
export interface Withdrawal {
  readonly name: string;
  readonly operation: "closeLocation" | "archiveServiceType";
  readonly id: string;
}

/**
 * Asks what a withdrawal would cancel. If that is nothing it is done at once, and can be undone; otherwise `ask` shows
 * the numbers first.
 */
export async function withdraw(
  withdrawal: Withdrawal,
  said: string,
  ask: (changes: Schemas["ChangeCounts"]) => void,
): Promise<void> {
  const input = inputOf(withdrawal);
  try {
    const { changes } = await dryRun(withdrawal.operation, { ...input, cancelBooked: true });
    if (changes.sessions > 0 || changes.bookings > 0) ask(changes);
    else await writeOrTell(withdrawal.operation, input, { said });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    showToast(error.message, undefined, "problem");
  }
}

function WithdrawDialog({
  withdrawal,
  changes,
  said,
  onClose,
}: {
  readonly withdrawal: Withdrawal;
  readonly changes: Schemas["ChangeCounts"];
  readonly said: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite(withdrawal.operation);
  const isClosing = withdrawal.operation === "closeLocation";
  return (
    <ConfirmDialog
      title={isClosing ? t.closeTitle(withdrawal.name) : t.archiveTitle(withdrawal.name)}
      confirm={isClosing ? t.closeAndCancel : t.archiveAndCancel}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ ...inputOf(withdrawal), cancelBooked: true }, { said })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>
        <strong>
          {t.willCancel(
            t.sessions(changes.sessions, count(changes.sessions)),
            t.bookings(changes.bookings, count(changes.bookings)),
          )}
        </strong>
      </p>
      {changes.creditsReturned > 0 && (
        <p>{t.creditsBack(changes.creditsReturned, count(changes.creditsReturned))}</p>
      )}
      {changes.bookings > 0 && <p>{t.toTell}</p>}
      <p>{isClosing ? t.notReopened : t.notRestored}</p>
    </ConfirmDialog>
  );
}

/** Both operations name their record in their own way. */
function inputOf({ operation, id }: Withdrawal): Input<Withdrawal["operation"]> {
  return operation === "closeLocation" ? { locationId: id } : { serviceTypeId: id };
}

/** A withdrawal that is asked about, with what it would do. */
export function useWithdrawal() {
  const [asked, setAsked] = useState<{
    readonly withdrawal: Withdrawal;
    readonly changes: Schemas["ChangeCounts"];
    readonly said: string;
  }>();
  return {
    begin: (withdrawal: Withdrawal, said: string) =>
      void withdraw(withdrawal, said, (changes) => setAsked({ withdrawal, changes, said })),
    dialog: asked && <WithdrawDialog {...asked} onClose={() => setAsked(undefined)} />,
  };
}
