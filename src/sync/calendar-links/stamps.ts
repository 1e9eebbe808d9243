import { nextTurn } from "../../core/event-loop-turns.ts";
import type { Database } from "../../db/database.ts";
import { expensive, pooled } from "../../db/statements.ts";
import type { ChangeKind } from "../changes/values.ts";

/** The last change of something, by its number in the change feed. */
export interface ChangeStamp {
  readonly sequence: number;
  readonly changedMs: number;
}

/** A session, and the records that its event and those like it are made of. */
export interface StampedSession {
  readonly id: string | undefined;
  readonly kind: StampedKind;
}

interface StampedKind {
  readonly scheduleId: string;
  readonly serviceTypeId: string;
  readonly locationId: string;
}

/**
 * The last changes of records. An event has that of whichever of its records changed last: calendars take an event that they
 * know already only if its number has risen.
 */
export class ChangeStamps {
  readonly #stamps: ReadonlyMap<string, ChangeStamp>;
  readonly #leastSequence: number;
  readonly #ofKinds = new Map<StampedKind, ChangeStamp>();

  /** After a restore no number is below `leastSequence`, so that none is below what a calendar has seen before. */
  constructor(stamps: ReadonlyMap<string, ChangeStamp>, leastSequence: number) {
    this.#stamps = stamps;
    this.#leastSequence = leastSequence;
  }

  of({ id, kind }: StampedSession): ChangeStamp {
    const known = this.#ofKinds.get(kind) ?? this.#lastOf(kind);
    this.#ofKinds.set(kind, known);
    const own = id === undefined ? undefined : this.#stamps.get(id);
    const last = own && own.sequence >= known.sequence ? own : known;
    return last.sequence < this.#leastSequence ? { ...last, sequence: this.#leastSequence } : last;
  }

  #lastOf({ scheduleId, serviceTypeId, locationId }: StampedKind): ChangeStamp {
    let last: ChangeStamp = { sequence: 0, changedMs: 0 };
    for (const record of [scheduleId, serviceTypeId, locationId]) {
      const stamp = this.#stamps.get(record);
      if (stamp && stamp.sequence > last.sequence) last = stamp;
    }
    return last;
  }
}

const KINDS: readonly ChangeKind[] = ["session", "schedule", "serviceType", "location"];

const headStatement = pooled(
  "find_stamp_head",
  `select
     coalesce((select h.restored_sequence from change_heads h where h.organization_id = $1), 0) as "leastSequence",
     exists (select from change_log l where l.organization_id = $1 and l.kind = any ($2::text[])) as "isBehind"`,
);

/** Where the feed is in the snapshot of a transaction, and whether it holds changes of sessions without a number. */
export interface StampHead {
  readonly leastSequence: number;
  readonly isBehind: boolean;
}

export async function findStampHead(tx: Database, organizationId: string): Promise<StampHead> {
  const [head] = await tx.query<StampHead>(headStatement, [organizationId, KINDS]);
  return head ?? { leastSequence: 0, isBehind: false };
}

const stampsStatement = expensive(
  "list_stamps",
  `select r.id, c.sequence, c."changedMs"
   from unnest($2::text[], $3::text[]) as r (kind, id)
   cross join lateral (
     select c.sequence, (extract(epoch from c.at) * 1000)::bigint as "changedMs" from changes c
     where c.organization_id = $1 and c.kind = r.kind and c.record_id = r.id
     order by c.sequence desc limit 1
   ) c`,
);

/** As many rows as the driver may take apart in one turn of the event loop. */
const STAMPS_AT_ONCE = 500;

/** The last changes of everything that these sessions are made of. */
export async function readStamps(
  tx: Database,
  organizationId: string,
  sessions: readonly StampedSession[],
  { leastSequence }: StampHead,
): Promise<ChangeStamps> {
  const kinds = new Map<string, ChangeKind>();
  for (const { id } of sessions) if (id !== undefined) kinds.set(id, "session");
  for (const { scheduleId, serviceTypeId, locationId } of new Set(sessions.map(({ kind }) => kind))) {
    if (scheduleId !== "") kinds.set(scheduleId, "schedule");
    kinds.set(serviceTypeId, "serviceType");
    kinds.set(locationId, "location");
  }
  const records = [...kinds];
  const stamps = new Map<string, ChangeStamp>();
  for (let from = 0; from < records.length; from += STAMPS_AT_ONCE) {
    const some = records.slice(from, from + STAMPS_AT_ONCE);
    const values = [organizationId, some.map(([, kind]) => kind), some.map(([id]) => id)];
    for (const { id, ...stamp } of await tx.query<ChangeStamp & { id: string }>(stampsStatement, values))
      stamps.set(id, stamp);
    await nextTurn();
  }
  return new ChangeStamps(stamps, leastSequence);
}
