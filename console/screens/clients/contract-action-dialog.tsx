import type { DryRun, WriteName } from "../../api/writes.ts";
import { fullDate } from "../../languages/format.ts";
import { ActionDialog } from "../../parts/action-dialog.tsx";
import { contractWords } from "./contract-words.ts";
import type { ListedContract } from "./records.ts";

/** What the dialogs of all actions on a contract have in common: they say what will happen before it is done. */

/** The contract that an action is about. */
export interface DialogProps {
  readonly contract: ListedContract;
  readonly today: string;
  readonly onClose: () => void;
}

type ContractActionProps<Name extends WriteName> = Omit<Parameters<typeof ActionDialog<Name>>[0], "labels">;

/** The server's sentences may name the days of a contract. */
export function ContractActionDialog<Name extends WriteName>(props: ContractActionProps<Name>) {
  const t = contractWords();
  const labels = { firstDay: t.firstDay, startDate: t.contractStart, endDate: t.contractEnd };
  return <ActionDialog {...props} labels={labels} />;
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
