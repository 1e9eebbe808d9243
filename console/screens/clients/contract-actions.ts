import type { IconName } from "../../parts/icon.tsx";
import { isRunning, type ListedContract } from "./records.ts";

type Word =
  | "pause"
  | "endPause"
  | "cancel"
  | "recancel"
  | "reinstate"
  | "setEnd"
  | "credits"
  | "block"
  | "unblock"
  | "answer"
  | "voidSale";

/** Something that can be done with a contract: `word` is the key of its name. */
export interface ContractAction {
  readonly key: string;
  readonly word: Word;
  readonly icon: IconName;
  readonly isDangerous: boolean;
  /** Which pause is to end. */
  readonly pauseId?: string;
}

/** What can be done with a contract as it is, by somebody of a role. The server decides again. */
export function actionsOf(contract: ListedContract, today: string, isManager: boolean): ContractAction[] {
  const { cancelledAt, pauses, status, entitlements, accessBlocked, terms, termsResponse } = contract;
  const runs = isRunning(contract);
  const isCancelled = cancelledAt !== undefined;
  const ends = pauses.filter(({ lastDay }) => lastDay === undefined || lastDay >= today);
  const actions: (ContractAction | false)[] = [
    runs && terms !== undefined && termsResponse !== "accepted" && action("answer", "check"),
    ...(isManager && runs
      ? [
          !isCancelled && action("pause", "pause"),
          ...ends.map(({ id }) => ({ ...action("endPause", "play"), key: id, pauseId: id })),
          // Brought in as paused: there is no pause to name.
          status === "paused" && ends.length === 0 && action("endPause", "play"),
          !isCancelled && action("setEnd", "calendar"),
          entitlements.some(({ type }) => type === "credits") && action("credits", "ticket"),
        ]
      : []),
    runs && (accessBlocked ? action("unblock", "lock") : action("block", "block")),
    isManager && isCancelled && contract.cancelledHere && action("reinstate", "undo"),
    isManager && runs && action(isCancelled ? "recancel" : "cancel", "close", true),
    runs && contract.isSaleUndoable && action("voidSale", "undo", true),
  ];
  return actions.filter((each) => each !== false);
}

function action(word: Word, icon: IconName, isDangerous = false): ContractAction {
  return { key: word, word, icon, isDangerous };
}
