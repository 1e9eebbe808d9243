import type { Repeat } from "../../recurrence/repeat.ts";

/** A schedule as its form has it. */
export interface MovableDraft<Session> {
  readonly session: Session;
  /** The day from which on it holds: the first day, or the day of the slot that it changes from. */
  readonly date: string;
  readonly time: string;
  /** Undefined while a rule that the choices cannot express stays as it is. */
  readonly repeat: Repeat | undefined;
  readonly exdates: readonly string[];
  readonly rdates: readonly string[];
}

/**
 * A draft that is to hold from another slot on, or of a schedule that somebody else has changed: what was typed stays, the rest
 * is as it is there. `before` is what it began with, `next` what a draft begins with now.
 */
export function moveDraft<Session extends object>(
  before: MovableDraft<Session>,
  typed: MovableDraft<Session>,
  next: MovableDraft<Session>,
): MovableDraft<Session> {
  const isAhead = (local: string) => local >= `${next.date}T`;
  // One by one: the dates of another slot on are others, and what nobody touched is not lost with what was added.
  const datesOf = (list: "exdates" | "rdates") => {
    const kept = next[list].filter((date) => typed[list].includes(date) || !before[list].includes(date));
    const added = typed[list].filter((date) => !before[list].includes(date) && isAhead(date));
    return [...new Set([...kept, ...added])].sort();
  };
  return {
    ...next,
    ...typedIn(before, typed),
    session: { ...next.session, ...typedIn(before.session, typed.session) },
    repeat:
      before.repeat && typed.repeat && next.repeat
        ? { ...next.repeat, ...typedIn(before.repeat, typed.repeat) }
        : typed.repeat,
    exdates: datesOf("exdates"),
    rdates: datesOf("rdates"),
  };
}

/** The members that somebody has changed. */
function typedIn<Content extends object>(before: Content, typed: Content): Partial<Content> {
  const isTyped = ([member, value]: [string, unknown]) => value !== before[member as keyof Content];
  return Object.fromEntries(Object.entries(typed).filter(isTyped)) as Partial<Content>;
}

/** A date that is left out goes with the class when that begins at another time. */
export function withTime(
  initial: Pick<MovableDraft<unknown>, "exdates" | "time">,
  time: string,
  exdate: string,
): string {
  const isOfClass = initial.exdates.includes(exdate) && exdate.slice(11) === initial.time;
  return isOfClass && time !== "" ? `${exdate.slice(0, 11)}${time}` : exdate;
}
