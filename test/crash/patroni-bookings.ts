import type { ConnectionSettings } from "../../src/db/servers.ts";
import { newId } from "../support/ids.ts";
import { CAPACITY, CREDITS, findDisagreements, prepareBookings, UNNAMED } from "./bookings.ts";
import { Caller } from "./caller.ts";
import { pick } from "./chance.ts";
import { checkSeats, type SeatAction } from "./histories.ts";
import type { Operation } from "./linearizability.ts";
import { pause } from "./load.ts";
import type { RecordUse } from "./patroni-records.ts";
import type { Studio } from "./site.ts";

/** Sessions with fewer seats than people, people with fewer credits than sessions, and all that was answered. */
export interface BookedSessions {
  readonly clientIds: readonly string[];
  readonly sessionIds: readonly string[];
  /** Of all sessions, by the clock of their place. */
  readonly start: string;
  /** The live booking of each client in each session. */
  readonly booked: Map<string, string>;
  readonly operations: Map<string, Operation<SeatAction>[]>;
  readonly faults: string[];
  /** Of what was answered since the last time, while nothing is under way. */
  check(leader: ConnectionSettings): Promise<{ explained: number; bookings: number; faults: string[] }>;
}

const PAUSE_AFTER_FAILURE_MS = 40;
/** Long after all is well again. */
const GIVES_UP_MS = 90_000;

export async function prepareSessions(leader: ConnectionSettings, studio: Studio): Promise<BookedSessions> {
  const prepared = await prepareBookings({ connection: leader, studio });
  const operations = new Map<string, Operation<SeatAction>[]>();
  const booked = new Map<string, string>();
  const taken = new Map(prepared.sessionIds.map((id) => [id, 0]));
  const faults: string[] = [];
  return {
    ...prepared,
    booked,
    operations,
    faults,
    async check(connection) {
      const found = faults.splice(0);
      let [explained, bookings] = [0, 0];
      for (const sessionId of prepared.sessionIds) {
        const answered = operations.get(sessionId) ?? [];
        const seats = { capacity: CAPACITY - UNNAMED, taken: taken.get(sessionId) ?? 0 };
        found.push(...checkSeats(`session ${sessionId}`, seats, answered));
        explained += answered.length;
        bookings += answered.filter(({ action }) => action.kind === "book").length;
        taken.set(sessionId, [...booked.keys()].filter((place) => place.endsWith(sessionId)).length);
      }
      operations.clear();
      found.push(...(await findDisagreements({ connection, studio }, new Set(booked.values()))));
      return { explained, bookings, faults: found };
    },
  };
}

/** Half of the clients book and cancel through one node, each one call after the other, and one caller reads the timetable. */
export async function bookUntil(
  sessions: BookedSessions,
  half: number,
  use: RecordUse & { readonly port: number; readonly publicUrl: string },
): Promise<void> {
  const { port, publicUrl, studio, goesOn, pauseMs } = use;
  const credentials = { cookie: studio.cookie, origin: publicUrl };
  const clientIds = sessions.clientIds.filter((_, n) => n % 2 === half);
  const caller = new Caller({ port, credentials, connections: clientIds.length });
  const reader = new Caller({ port, key: studio.key, connections: 1 });
  const reading = async () => {
    while (goesOn()) {
      await readSeats(reader, sessions);
      await pause(pauseMs);
    }
  };
  try {
    await Promise.all([reading(), ...clientIds.map((clientId) => bookOne(caller, clientId, sessions, use))]);
  } finally {
    caller.close();
    reader.close();
  }
}

async function bookOne(
  caller: Caller,
  clientId: string,
  { sessionIds, booked, operations, faults }: BookedSessions,
  { draw, goesOn, pauseMs }: RecordUse,
): Promise<void> {
  const held = () => [...booked.keys()].filter((place) => place.startsWith(clientId)).length;
  while (goesOn()) {
    const sessionId = pick(sessionIds, draw) ?? "";
    const place = `${clientId} ${sessionId}`;
    const bookingId = booked.get(place);
    const calledAt = performance.now();
    const note = (kind: "book" | "cancel" | "full") =>
      add(operations, sessionId, { action: { kind }, calledAt, returnedAt: performance.now() });
    if (bookingId !== undefined) {
      await sendUntilAnswered(caller, "cancelBooking", { bookingId }, goesOn);
      booked.delete(place);
      note("cancel");
    } else {
      const { status, body } = await sendUntilAnswered(
        caller,
        "book",
        { clientId, session: { sessionId } },
        goesOn,
      );
      if (status === 200) {
        if (held() === CREDITS) faults.push(`client ${clientId} has booked more than the credits`);
        booked.set(place, body.result.id);
        note("book");
      } else if (body?.reason === "full") note("full");
      else if (body?.reason !== "not_covered" || held() < CREDITS)
        faults.push(`client ${clientId} with ${held()} bookings was refused: ${JSON.stringify(body)}`);
    }
    await pause(pauseMs);
  }
}

/** Under one key, so that it is carried out once. */
async function sendUntilAnswered(caller: Caller, operation: string, input: object, goesOn: () => boolean) {
  const key = newId();
  for (let giveUpAt = Infinity; ; ) {
    const outcome = await caller.send("POST", `/app/v1/${operation}`, input, key);
    const isAnswered = outcome.kind === "answered" && outcome.status < 500;
    if (isAnswered && outcome.body?.code !== "in_progress") return outcome;
    if (!goesOn()) giveUpAt = Math.min(giveUpAt, performance.now() + GIVES_UP_MS);
    if (performance.now() > giveUpAt)
      throw new Error(`${operation} was never answered: ${JSON.stringify(outcome)}`);
    await pause(PAUSE_AFTER_FAILURE_MS);
  }
}

async function readSeats(reader: Caller, { sessionIds, start, operations }: BookedSessions): Promise<void> {
  const calledAt = performance.now();
  const outcome = await reader.send("GET", `/v1/calendar?from=${start}:00-03:00&to=${start}:01-03:00`);
  const returnedAt = performance.now();
  if (outcome.kind !== "answered" || outcome.status !== 200) return;
  for (const { id, bookedCount } of outcome.body.data as { id: string; bookedCount: number }[]) {
    if (!sessionIds.includes(id)) continue;
    add(operations, id, { action: { kind: "seen", taken: bookedCount - UNNAMED }, calledAt, returnedAt });
  }
}

function add(
  operations: Map<string, Operation<SeatAction>[]>,
  sessionId: string,
  operation: Operation<SeatAction>,
): void {
  const known = operations.get(sessionId);
  if (known) known.push(operation);
  else operations.set(sessionId, [operation]);
}
