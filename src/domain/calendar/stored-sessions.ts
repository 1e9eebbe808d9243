import { MS_PER_MINUTE } from "../../core/dates.ts";
import {
  ALIKE_MEMBERS,
  type CalendarWindow,
  type NumberedSessionRow,
  type SessionKindRow,
  type SessionRow,
  type StoredSessionRow,
} from "./calendar-rows.ts";
import {
  compare,
  compareTemplates,
  passes,
  type SessionTemplate,
  sessionTemplate,
  type TimelessSession,
} from "./session-text.ts";

/** How many sessions a block holds. */
const BLOCK = 1024;
/** How long an id is. */
const ID_BYTES = 36;

/** Ids as bytes one after the other, starts, slots and templates of up to `BLOCK` sessions. */
interface Block {
  readonly ids: Buffer;
  readonly startsMs: Float64Array;
  /** The wall clocks of their slots; nothing of sessions without a schedule. */
  readonly slotsMs: Float64Array;
  readonly templates: SessionTemplate[];
}

/**
 * The stored sessions of a window, in order. Of each only its id, its times and the template it shares with sessions
 * that are alike are held: some 60 bytes, nearly all of them outside of the heap, where the garbage collector does not
 * move them. Its pauses are the longest that are left, and no turn of the event loop keeps them short.
 */
export class StoredSessions {
  readonly #blocks: Block[] = [];
  #count = 0;

  /** Adds the one that comes next in the order of the answer. */
  add({ id, startMs, slotMinute = 0 }: StoredSessionRow, template: SessionTemplate): void {
    const place = this.#count++ % BLOCK;
    if (place === 0) this.#blocks.push(newBlock());
    const block = this.#blocks[this.#blocks.length - 1] as Block;
    block.ids.write(id, place * ID_BYTES, "latin1");
    block.startsMs[place] = startMs;
    block.slotsMs[place] = slotMinute * MS_PER_MINUTE;
    block.templates.push(template);
  }

  /** The start of the session at this place of the order; infinity after the last. */
  startMs(index: number): number {
    return index < this.#count
      ? (this.#blockOf(index).startsMs[index % BLOCK] as number)
      : Number.POSITIVE_INFINITY;
  }

  /** The wall clock of the slot that it stands for, if it has a schedule. */
  slotMs(index: number): number {
    return this.#blockOf(index).slotsMs[index % BLOCK] as number;
  }

  template(index: number): SessionTemplate {
    return this.#blockOf(index).templates[index % BLOCK] as SessionTemplate;
  }

  id(index: number): string {
    const from = (index % BLOCK) * ID_BYTES;
    return this.#blockOf(index).ids.toString("latin1", from, from + ID_BYTES);
  }

  #blockOf(index: number): Block {
    return this.#blocks[Math.floor(index / BLOCK)] as Block;
  }
}

function newBlock(): Block {
  return {
    ids: Buffer.alloc(BLOCK * ID_BYTES),
    startsMs: new Float64Array(BLOCK),
    slotsMs: new Float64Array(BLOCK),
    templates: [],
  };
}

/** The templates of stored sessions; those that are alike share one. */
export class AlikeSessions {
  readonly #known = new Map<string, SessionTemplate>();

  templateOf(alike: string): SessionTemplate {
    const known = this.#known.get(alike);
    if (known) return known;
    const template = readTemplate(alike);
    this.#known.set(alike, template);
    return template;
  }
}

function readTemplate(alike: string): SessionTemplate {
  const values = JSON.parse(alike) as readonly unknown[];
  const members = Object.fromEntries(ALIKE_MEMBERS.map((name, i) => [name, values[i] ?? undefined]));
  const { durationMinutes, ...session } = members as TimelessSession & { durationMinutes: number };
  // Each session has its own id; the template only needs to know that there is one.
  return sessionTemplate({ ...session, id: "" }, durationMinutes);
}

/** The kinds of many stored sessions, by their numbers. */
export class SessionKinds {
  readonly #known = new Map<number, SessionKind>();

  /** False if another kind has the number. */
  add({ kind, alike }: SessionKindRow, taken: TakenSlots): boolean {
    if (this.#known.has(kind)) return false;
    const template = readTemplate(alike);
    this.#known.set(kind, { template, minutes: taken.minutesOf(template.scheduleId) });
    return true;
  }

  of({ kind }: NumberedSessionRow): SessionKind {
    const known = this.#known.get(kind);
    if (!known) throw new Error("a stored session is of no kind");
    return known;
  }
}

interface SessionKind {
  readonly template: SessionTemplate;
  /** Of the slots that are taken of its schedule. */
  readonly minutes: Set<number>;
}

/** The slots that stored sessions stand for: by schedule, the minutes of their wall clocks. */
export class TakenSlots {
  readonly #minutes = new Map<string, Set<number>>();

  /** The minutes of a schedule, to add to. */
  minutesOf(scheduleId: string): Set<number> {
    const known = this.#minutes.get(scheduleId);
    if (known) return known;
    const minutes = new Set<number>();
    this.#minutes.set(scheduleId, minutes);
    return minutes;
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
    const template = alike.templateOf(row.alike);
    if (row.slotMinute !== undefined) taken.minutesOf(template.scheduleId).add(row.slotMinute);
    if (belongs(row, template, window)) found.push({ row, template });
  }
  found.sort(
    (a, b) =>
      a.row.startMs - b.row.startMs ||
      compareTemplates(a.template, b.template) ||
      compare(a.row.id, b.row.id),
  );
  const stored = new StoredSessions();
  for (const { row, template } of found) stored.add(row, template);
  return { stored, taken };
}

/** A stored session is shown at its current time and place, wherever its slot lies. */
function belongs({ startMs }: SessionRow, template: SessionTemplate, window: CalendarWindow): boolean {
  return startMs >= window.fromMs && startMs < window.toMs && passes(template, window);
}
