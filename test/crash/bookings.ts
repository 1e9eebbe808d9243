import { openDatabase } from "../../src/db/open-database.ts";
import { pooled } from "../../src/db/statements.ts";
import { addSession } from "../support/calendar.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addContract } from "../support/records.ts";
import { Caller } from "./caller.ts";
import { drawer, pick } from "./chance.ts";
import { kill, type Victim } from "./kills.ts";
import { pause } from "./load.ts";
import { openEmbeddedSite, readiness, type Site } from "./site.ts";

export interface BookingKillReport {
  readonly kills: number;
  /** Bookings and cancellations that were answered. */
  readonly acknowledged: number;
  /** Of these, the ones that were answered only when they were sent again. */
  readonly repeated: number;
  readonly faults: string[];
}

const WRITERS = 8;
const SESSIONS = 6;
export const CREDITS = 3;
/** Of the ten seats of each session, which are taken without a name. */
export const UNNAMED = 7;
export const CAPACITY = 10;

/**
 * Kills one victim after the other while a front desk books and cancels, and looks after each whether seats, draws and
 * balances agree with each other and with what was answered. Every write is sent again under its key until it is answered.
 */
export async function killUnderBookings(plan: {
  readonly seed: number;
  readonly workers: number;
  readonly victims: readonly Victim[];
}): Promise<BookingKillReport> {
  const draw = drawer(plan.seed);
  const site = await openEmbeddedSite({ workers: plan.workers, environment: { DRAIN_MS: "0" } });
  let isLost = false;
  const report = { kills: 0, acknowledged: 0, repeated: 0, faults: [] as string[] };
  try {
    await site.start();
    const { sessionIds, clientIds } = await prepareBookings(site);
    /** The live booking of each client in each session, as the answers say. */
    const booked = new Map<string, string>();
    const credentials = { cookie: site.studio.cookie, origin: `http://localhost:${site.port}` };
    for (const victim of plan.victims) {
      const caller = new Caller({ port: site.port, credentials, connections: WRITERS });
      let goesOn = true;
      const answeredBefore = report.acknowledged;
      const writing = clientIds.map((clientId) => keepBooking(caller, clientId));
      try {
        await until("something is booked", async () => report.acknowledged > answeredBefore + WRITERS);
        await pause(draw() * 300);
        await kill(site, victim, draw);
        report.kills++;
        await until("the server is ready", async () => (await readiness(site.port)) === "ready");
        const sinceKill = report.acknowledged;
        await until("bookings go on", async () => report.acknowledged > sinceKill + WRITERS);
      } catch (error) {
        // Then nothing is answered any more, and what was under way stays in doubt.
        isLost = true;
        report.faults.push(
          `after the kill of a ${victim}: ${error instanceof Error ? error.message : error}`,
        );
      }
      goesOn = false;
      await Promise.all(writing);
      caller.close();
      if (isLost) break;
      report.faults.push(...(await findDisagreements(site, new Set(booked.values()))));
      if (report.faults.length > 0) break;

      /** One client, so that nobody else decides what becomes of their bookings. */
      async function keepBooking(own: Caller, clientId: string): Promise<void> {
        while (goesOn) {
          const sessionId = pick(sessionIds, draw) ?? "";
          const place = `${clientId} ${sessionId}`;
          const bookingId = booked.get(place);
          const [operation, input] =
            bookingId === undefined
              ? ["book", { clientId, session: { sessionId } }]
              : ["cancelBooking", { bookingId }];
          const body = await sendUntilAnswered(own, `/app/v1/${operation}`, input);
          if (bookingId !== undefined) booked.delete(place);
          else if (body.result) booked.set(place, body.result.id);
        }
      }
    }
  } finally {
    await site.remove();
  }
  return report;

  async function sendUntilAnswered(caller: Caller, path: string, input: object) {
    const key = newId();
    for (let tries = 1; ; tries++) {
      const outcome = await caller.send("POST", path, input, key);
      if (outcome.kind === "answered" && outcome.status < 500) {
        report.acknowledged++;
        if (tries > 1) report.repeated++;
        const isRefused = outcome.status === 409 && /^(full|not_covered)$/.test(outcome.body?.reason);
        if (outcome.status !== 200 && !isRefused) report.faults.push(JSON.stringify(outcome.body));
        return outcome.body;
      }
      if (isLost) return {};
      await pause(20);
    }
  }
}

export const insertClients = pooled(
  "crash_insert_visitors",
  `with made as (
     insert into clients (organization_id, id, status, contact_name, search)
     select $1, id, 'active', 'Visitor', 'visitor' from unnest($2::uuid[]) as c (id)
   )
   update organization_counters set clients_active = clients_active + cardinality($2::uuid[])
   where organization_id = $1 and slot = 0`,
);

/** Sessions with fewer seats than people, and people with fewer credits than sessions. */
export async function prepareBookings(site: Pick<Site, "connection" | "studio">) {
  const db = openDatabase({ connection: site.connection, applicationName: "crash test", poolSize: 1 });
  try {
    const { organizationId, serviceTypeId, locationIds } = site.studio;
    const clientIds = Array.from({ length: WRITERS }, () => newId());
    await db.query(insertClients, [organizationId, clientIds]);
    for (const clientId of clientIds) {
      const entitlements = [{ id: newId(), type: "credits", remainingCredits: CREDITS }];
      await addContract(db, organizationId, { clientId, entitlements });
    }
    const start = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 16);
    const place = { serviceTypeId, locationId: locationIds[0] ?? "", timezone: "America/Sao_Paulo" };
    const sessionIds: string[] = [];
    for (let n = 0; n < SESSIONS; n++)
      sessionIds.push(await addSession(db, organizationId, { ...place, start, bookedCount: UNNAMED }));
    return { clientIds, sessionIds, start };
  } finally {
    await db.close();
  }
}

const looking = pooled(
  "crash_look_at_bookings",
  `select 'session ' || s.id || ' has ' || s.booked_count || ' seats taken, ' || count(b.id) || ' of them named' as it
   from sessions s
   left join bookings b on b.organization_id = $1 and b.session_id = s.id and b.state = 'booked'
   where s.organization_id = $1 and s.schedule_id is null
   group by s.id, s.booked_count having s.booked_count <> ${UNNAMED} + count(b.id) or s.booked_count > ${CAPACITY}
   union all
   select 'entitlement ' || e.id || ' has ' || e.remaining_credits || ' credits, drawn ' || count(b.id)
   from contract_entitlements e
   left join bookings b on b.organization_id = $1 and b.entitlement_id = e.id and b.state = 'booked'
   where e.organization_id = $1
   group by e.id, e.remaining_credits having e.remaining_credits + count(b.id) <> $2
   union all
   select 'audit entry ' || a.id || ' of a booking that is not there' from audit a
   where a.organization_id = $1 and a.action = 'book'
     and not exists (select from bookings b where b.organization_id = $1 and b.id::text = a.subject)`,
);
const standing = pooled(
  "crash_list_bookings",
  "select id from bookings where organization_id = $1 and state = 'booked'",
);

/** What does not agree, with each other or with the answers. */
export async function findDisagreements(
  site: Pick<Site, "connection" | "studio">,
  answered: ReadonlySet<string>,
): Promise<string[]> {
  const db = openDatabase({ connection: site.connection, applicationName: "crash test", poolSize: 1 });
  try {
    const { organizationId } = site.studio;
    const rows = await db.query<{ it: string }>(looking, [organizationId, CREDITS]);
    const stored = new Set((await db.query<{ id: string }>(standing, [organizationId])).map(({ id }) => id));
    return [
      ...rows.map(({ it }) => it),
      ...[...answered].filter((id) => !stored.has(id)).map((id) => `booking ${id} was answered and is gone`),
      ...[...stored].filter((id) => !answered.has(id)).map((id) => `booking ${id} was never answered`),
    ];
  } finally {
    await db.close();
  }
}
