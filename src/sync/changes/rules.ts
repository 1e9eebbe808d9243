import { type Fault, invalid, refusal } from "../../core/errors.ts";
import { type ChangeCursor, type CursorPlace, lineageOf } from "./cursors.ts";
import { CHANGE_KINDS, type ChangeKind } from "./values.ts";

export const CURSOR_FAULT: Fault = { location: "query.after", code: "cursor_invalid" };

/** The kinds that a parameter names; undefined for all of them. */
export function readKinds(kinds: string | undefined): readonly ChangeKind[] | undefined {
  return kinds === undefined ? undefined : [...new Set(kinds.split(",") as ChangeKind[])];
}

export function checkKinds(kinds: unknown): Fault[] {
  if (typeof kinds !== "string" || kinds === "") return [];
  const isKnown = kinds.split(",").every((kind) => (CHANGE_KINDS as readonly string[]).includes(kind));
  return isKnown ? [] : [{ location: "query.kinds", code: "not_one_of", params: { allowed: CHANGE_KINDS } }];
}

/** What the feed knows at the moment, to judge a cursor by. */
export interface CursorFacts extends CursorPlace {
  /** The highest number that was given. */
  readonly sequence: number;
  /** The last number of the cursor's timeline that is still known, if it is not the present one. */
  readonly lastOfTimeline: number | undefined;
}

/**
 * Refuses a cursor that does not say where to go on. A standby that is promoted has a prefix of what its primary had, so a
 * cursor of a timeline before is good up to the last number that was given on it and is still there:
 *
 *     timeline a, numbers 1 to 90; the standby had 1 to 80 when it was promoted; timeline b, numbers 81 to 95
 *     cursor (a, 75): good      cursor (a, 85): gone, its reader has seen what was lost      cursor (b, 85): good
 */
export function checkPlace({ lineage, mark, sequence }: ChangeCursor, facts: CursorFacts): void {
  if (!lineage.equals(lineageOf(facts))) throw refusal("cursor_gone");
  const { lastOfTimeline } = facts;
  if (mark === facts.mark) {
    if (sequence > facts.sequence) throw invalid([CURSOR_FAULT]);
  } else if (lastOfTimeline === undefined || sequence > lastOfTimeline) throw refusal("cursor_gone");
}
