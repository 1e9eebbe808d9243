import { MS_PER_MINUTE } from "./dates.ts";

/** What undoes a write: another operation of the application, or the same one, with its input. */
export interface Undo {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the audit trail holds of a write. How it is undone is decided by that alone, however long ago it was. */
export interface UndoFacts {
  /** Of the entry. */
  readonly auditId: string;
  readonly subjectId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly details: AuditDetails;
  /** The date now in the organization's timezone. */
  readonly today: string;
}

/** An audit entry with what decides whether its undo is offered. */
export interface UndoableEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subjectId?: string;
  readonly sessionId?: string;
  readonly details: AuditDetails;
  /** The entry that took it back. */
  readonly undoneBy?: string;
  /** Where what it is about takes place or can be used; absent: of no location, or of all. */
  readonly placeIds?: readonly string[];
  /** Whether the client whom it concerns was erased since. */
  readonly isErased: boolean;
}

export type AuditDetails = Readonly<Record<string, unknown>>;

/** How to undo the write of an audit entry; undefined if nothing does. */
export type FindUndo = (facts: UndoFacts) => Undo | undefined;

/** For how long somebody may take back what they did themselves, where it otherwise needs a higher role. */
export const OWN_WRITE_MS = 15 * MS_PER_MINUTE;

/** Whether a write is somebody's own and so recent that they may take it back. */
export function isOwnAndRecent(
  { actor, at }: { readonly actor: string; readonly at: string },
  name: string,
  now: number,
): boolean {
  return actor === name && now - Date.parse(at) <= OWN_WRITE_MS;
}

/** What is given as the reason where one is needed to undo something. */
export const UNDO_REASON = "undone";

/** Undone by an operation that is told nothing but the record, if the write has changed it. */
export function undoneBy(
  operation: string,
  member: string,
  isUndoable: (facts: UndoFacts) => boolean = ({ details }) => isChanged(details),
): FindUndo {
  return (facts) =>
    facts.subjectId !== undefined && isUndoable(facts)
      ? { operation, input: { [member]: facts.subjectId } }
      : undefined;
}

/** Undone by the same edit with what was there before, if the entry has all of that. */
export function undoneByEdit(
  operation: string,
  { member, changes }: { readonly member: string; readonly changes: readonly string[] },
  more: (facts: UndoFacts) => AuditDetails = () => ({}),
): FindUndo {
  return (facts) => {
    const back = changesBack(facts.details, changes);
    if (back === undefined || facts.subjectId === undefined) return undefined;
    return { operation, input: { [member]: facts.subjectId, changes: back, ...more(facts) } };
  };
}

/** The members that differ as they were before, and `null` for those that were not there. */
export function changesBack(
  { before, after }: AuditDetails,
  allowed: readonly string[],
): AuditDetails | undefined {
  const was = detailsOf(before);
  const names = [...new Set([...Object.keys(was), ...Object.keys(detailsOf(after))])];
  if (names.length === 0 || names.some((name) => !allowed.includes(name))) return undefined;
  return Object.fromEntries(names.map((name) => [name, was[name] ?? null]));
}

export function isChanged({ before, after }: AuditDetails): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** Sessions that were cancelled with a write do not come back with its opposite: then there is no undoing it. */
export function withoutSessions({ details }: UndoFacts): boolean {
  return isChanged(details) && details.sessions === undefined;
}

/** A part of an entry that has members of its own. */
export function detailsOf(value: unknown): AuditDetails {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AuditDetails) : {};
}
