import { ALIKE_MEMBERS, type CalendarWindow, type SessionRow } from "./calendar-rows.ts";
import {
  compare,
  compareTemplates,
  type SessionTemplate,
  sessionTemplate,
  type TimelessSession,
} from "./session-text.ts";

/**
 * The stored sessions of a window, in order. Of each only its id, its start and the template it shares with sessions
 * that are alike are held: some 100 bytes, where a row as an object takes many times as much.
 */
export class StoredSessions {
  readonly ids: string[] = [];
  readonly startsMs: number[] = [];
  readonly templates: SessionTemplate[] = [];

  /** Adds the one that comes next in the order of the answer. */
  add(id: string, startMs: number, template: SessionTemplate): void {
    this.ids.push(id);
    this.startsMs.push(startMs);
    this.templates.push(template);
  }
}

/** The templates of stored sessions; those that are alike share one. */
export class AlikeSessions {
  readonly #known = new Map<string, SessionTemplate>();

  templateOf({ alike }: SessionRow): SessionTemplate {
    const known = this.#known.get(alike);
    if (known) return known;
    const values = JSON.parse(alike) as readonly unknown[];
    const members = Object.fromEntries(ALIKE_MEMBERS.map((name, i) => [name, values[i] ?? undefined]));
    const { durationMinutes, ...session } = members as TimelessSession & { durationMinutes: number };
    // Each session has its own id; the template only needs to know that there is one.
    const template = sessionTemplate({ ...session, id: "" }, durationMinutes);
    this.#known.set(alike, template);
    return template;
  }
}

/** The slots that stored sessions stand for: by schedule, the minutes of their wall clocks. */
export class TakenSlots {
  readonly #minutes = new Map<string, Set<number>>();

  add(scheduleId: string, minute: number): void {
    const minutes = this.#minutes.get(scheduleId);
    if (minutes) minutes.add(minute);
    else this.#minutes.set(scheduleId, new Set([minute]));
  }

  of(scheduleId: string): ReadonlySet<number> | undefined {
    return this.#minutes.get(scheduleId);
  }
}

/** Puts a few rows in order that lie in the window or stand for a slot that may. */
export function orderSessions(
  rows: readonly SessionRow[],
  window: CalendarWindow,
): { stored: StoredSessions; taken: TakenSlots } {
  const alike = new AlikeSessions();
  const taken = new TakenSlots();
  const found: { readonly row: SessionRow; readonly template: SessionTemplate }[] = [];
  for (const row of rows) {
    const template = alike.templateOf(row);
    if (row.slotMinute !== undefined) taken.add(template.scheduleId, row.slotMinute);
    if (belongs(row, template, window)) found.push({ row, template });
  }
  found.sort(
    (a, b) =>
      a.row.startMs - b.row.startMs ||
      compareTemplates(a.template, b.template) ||
      compare(a.row.id, b.row.id),
  );
  const stored = new StoredSessions();
  for (const { row, template } of found) stored.add(row.id, row.startMs, template);
  return { stored, taken };
}

/** A stored session is shown at its current time and place, wherever its slot lies. */
function belongs({ startMs }: SessionRow, template: SessionTemplate, window: CalendarWindow): boolean {
  return (
    startMs >= window.fromMs &&
    startMs < window.toMs &&
    (window.locationId === undefined || window.locationId === template.locationId) &&
    (window.serviceTypeId === undefined || window.serviceTypeId === template.serviceTypeId)
  );
}
