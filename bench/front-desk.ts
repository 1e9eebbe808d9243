/** The front desk at work: what a booking takes, what it does to callers of the public API, and what coverage costs. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { daysAfter, MS_PER_DAY, parseWallClock } from "../src/core/dates.ts";
import { searchText } from "../src/core/search.ts";
import {
  type CoveringContract,
  type CoveringEntitlement,
  findCoverage,
} from "../src/domain/bookings/coverage.ts";
import { findZone, wallToInstant } from "../src/domain/recurrence/zones.ts";
import { Caller, quantile } from "../test/support/caller.ts";
import { newId } from "../test/support/ids.ts";
import { signInOwner } from "../test/support/staff.ts";
import {
  addOrganization,
  type BenchOrganization,
  copy,
  type OpenDataset,
  spelled,
  TIMEZONE,
} from "./data.ts";
import { median, medianOf, ratios, type Slice, type Workload } from "./measure.ts";
import { cpuUs } from "./parts.ts";
import type { Program } from "./program.ts";
import type { Row } from "./row.ts";

/** Data of its own: the bookings of a run stay, and must not change what other rows measure. */
const CLIENTS_BESIDE = 2_000;
const SESSIONS = 2_000;
const SESSIONS_A_DAY = 72;
const VISITORS = 1_000;
const BOOKINGS_A_MINUTE = 500;
const PEOPLE_AT_THE_DESK = 4;
const MOST_ROUNDS = 5;
const READERS = 4;
const READ_PAUSE_MS = 30;
export const PUBLIC_URL = "http://localhost:8080";

const COVERED_CONTRACTS = 50;
const COVERAGE_TIMES = 500;
const COVERAGE_ROUNDS = 15;
const COMPILING_ROUNDS = 5;

export interface Desk extends BenchOrganization {
  /** Of somebody who is signed in. */
  readonly cookie: string;
  readonly sessionIds: readonly string[];
  readonly visitorIds: readonly string[];
}

/** What was booked while a round was measured: how long each took, from when it was due. */
interface Shift {
  readonly milliseconds: readonly number[];
}

/** Bookings of a run so far; none is made twice. */
let booked = 0;

export const frontDeskRows: readonly Row[] = [
  {
    name: "front-desk",
    title: `public reads beside ${BOOKINGS_A_MINUTE} bookings a minute, p99 against the reads alone`,
    target: "p99 ≤ 1.5 ×",
    workload: async ({ studio }, round) => publicReads(studio.key, round),
    measure: async (bench, row) => {
      const dataset = await bench.dataset(CLIENTS_BESIDE);
      const desk = await openDesk(dataset);
      const server = await bench.program(dataset, { env: { PUBLIC_URL } });
      const side = { server, dataset, workload: async (round: number) => publicReads(desk.key, round) };
      const seconds = bench.plan.quick ? 10 : 20;
      await bench.warmUp(side);
      await atWork(server, desk, () => bench.slice(side, -1, seconds / 2));
      const alone: Slice[] = [];
      const beside: Slice[] = [];
      const shifts: Shift[] = [];
      for (let round = 0; round < Math.min(bench.plan.rounds, MOST_ROUNDS); round++) {
        alone.push(await bench.slice(side, 2 * round, seconds));
        const { result, shift } = await atWork(server, desk, () => bench.slice(side, 2 * round + 1, seconds));
        beside.push(result);
        shifts.push(shift);
      }
      const values = ratios(beside, alone, (slice) => slice.p99Ms);
      const times = shifts.flatMap(({ milliseconds }) => milliseconds);
      const cost = (part: "serverUs" | "postgresUs") =>
        median(shifts.map((shift, round) => costOfBooking(alone[round], beside[round], shift, part)));
      const p99 = (slices: readonly Slice[]) => medianOf(slices, ({ p99Ms }) => p99Ms).toFixed(1);
      return [
        {
          title: row.title,
          values,
          unit: "×",
          target: row.target,
          reached: median(values) <= 1.5,
          ours: beside,
          ceiling: alone,
          note: [
            `p99 of the reads ${p99(beside)} ms against ${p99(alone)} ms`,
            `${times.length} bookings: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
            `CPU of a booking ${cost("serverUs").toFixed(1)} ms of the server and ${cost("postgresUs").toFixed(1)} ms of PostgreSQL`,
          ].join("; "),
        },
      ];
    },
  },
  {
    name: "coverage",
    title: `coverage of a client with ${COVERED_CONTRACTS} contracts`,
    target: "< 1 ms CPU",
    // No profile is taken of the function alone.
    workload: async ({ studio }, round) => publicReads(studio.key, round),
    measure: async (_, { title, target }) => {
      const work = coverageWork();
      const rounds = Array.from({ length: COVERAGE_ROUNDS }, () => cpuUs(work, COVERAGE_TIMES) / 1000);
      const values = rounds.slice(COMPILING_ROUNDS);
      const note = `the first round, hardly compiled: ${(rounds[0] ?? 0).toFixed(3)} ms`;
      return [{ title, values, unit: "ms", target, reached: median(values) < 1, note }];
    },
  },
];

/** Calendar and contracts in turn. No address comes twice, so that with and without the desk each answer is computed. */
function publicReads(key: string, round: number): Workload {
  const begun = Date.now() + round * MS_PER_DAY;
  const targets = Array.from({ length: 10_000 }, (_, n) => {
    if (n % 2 === 1)
      return spelled(`GET /v1/contracts?limit=50&offset=${(n * 7) % (VISITORS - 50)}`, round * 10_000 + n);
    const from = begun + n * 1_000;
    const day = (ms: number) => new Date(ms).toISOString();
    return `GET /v1/calendar?from=${day(from)}&to=${day(from + MS_PER_DAY)}`;
  });
  return { key, targets, connections: READERS, pauseMs: READ_PAUSE_MS };
}

/** Books at an even pace for as long as something else is measured. */
async function atWork<Result>(
  { port }: Program,
  desk: Desk,
  measured: () => Promise<Result>,
): Promise<{ result: Result; shift: Shift }> {
  const callers = await Promise.all(
    Array.from({ length: PEOPLE_AT_THE_DESK }, () => Caller.open(`http://127.0.0.1:${port}`)),
  );
  const milliseconds: number[] = [];
  const paceMs = 60_000 / BOOKINGS_A_MINUTE;
  const begun = performance.now();
  let isOver = false;
  const working = Promise.all(
    callers.map(async (caller, place) => {
      for (let due = begun + place * paceMs; ; due += callers.length * paceMs) {
        await delay(Math.max(0, due - performance.now()));
        if (isOver) return;
        const { status, content } = await caller.ask(bookRequest(desk, booked++));
        // Who has to wait for the one before waits from when it was due.
        milliseconds.push(performance.now() - due);
        if (status !== 200) throw new Error(`a booking was answered ${status}: ${content}`);
      }
    }),
  );
  try {
    const [result] = await Promise.all([
      measured().finally(() => {
        isOver = true;
      }),
      working,
    ]);
    return { result, shift: { milliseconds } };
  } finally {
    for (const caller of callers) caller.close();
  }
}

/** The booking that is made as the nth: none is made twice. */
export function nthBooking({ sessionIds, visitorIds }: Desk, n: number): object {
  // Each time round the sessions another visitor comes to each.
  const visitor = (n + Math.floor(n / SESSIONS)) % VISITORS;
  return { clientId: visitorIds[visitor], session: { sessionId: sessionIds[n % SESSIONS] } };
}

function bookRequest(desk: Desk, n: number): string {
  const body = JSON.stringify(nthBooking(desk, n));
  return [
    "POST /app/v1/book HTTP/1.1",
    "host: localhost:8080",
    `origin: ${PUBLIC_URL}`,
    `cookie: ${desk.cookie}`,
    `idempotency-key: ${randomUUID()}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

/** Milliseconds of CPU: what the round with the desk needed beyond the cost of its reads alone, for each booking. */
function costOfBooking(
  alone: Slice | undefined,
  beside: Slice | undefined,
  { milliseconds }: Shift,
  part: "serverUs" | "postgresUs",
): number {
  if (!alone || !beside) return Number.NaN;
  return ((beside[part] - alone[part]) * beside.requests) / milliseconds.length / 1000;
}

/** A new studio with sessions in the next four weeks and people who may come to all of them. */
export async function openDesk({ store, connect }: Pick<OpenDataset, "store" | "connect">): Promise<Desk> {
  const db = store.open({ applicationName: "rollbook bench", poolSize: 2 });
  const client = await connect();
  try {
    const secret = await store.keySecret();
    const studio = await addOrganization(client, db, secret, "Front desk", 1);
    const { id } = studio;
    const [locationId] = studio.locationIds;
    const serviceTypeId = newId();
    await copy(client, "service_types (organization_id, id, name, holds_resource, status, search)", [
      [id, serviceTypeId, "Pilates", false, "active", searchText(["Pilates"])],
    ]);
    const sessionIds = Array.from({ length: SESSIONS }, newId);
    await copy(
      client,
      `sessions (organization_id, id, service_type_id, location_id, resource_ids, start, start_at, duration_minutes,
         capacity, booked_count, status)`,
      sessionIds.map((sessionId, n) => {
        const { wall, at } = startOf(n);
        return [id, sessionId, serviceTypeId, locationId, "{}", wall, at, 60, 20, 0, "scheduled"];
      }),
    );
    const visitorIds = Array.from({ length: VISITORS }, newId);
    await copy(
      client,
      "clients (organization_id, id, status, contact_name, search)",
      visitorIds.map((visitorId, n) => [
        id,
        visitorId,
        "active",
        `Visitor ${n}`,
        searchText([`Visitor ${n}`]),
      ]),
    );
    const planId = newId();
    await copy(
      client,
      `plans (organization_id, id, name, status, billing_kind, billing_interval, price_cents, currency, is_trial,
         all_locations, search)`,
      [
        [
          ...[id, planId, "Plan", "active", "recurring", "month", 9900, "BRL", false, true],
          searchText(["Plan"]),
        ],
      ],
    );
    const contracts = visitorIds.map((clientId) => ({ contractId: newId(), clientId }));
    await copy(
      client,
      `contracts (organization_id, id, client_id, plan_id, plan_name, price_cents, currency, is_trial, billing_kind,
         billing_interval, start_date, status, access_blocked, all_locations)`,
      contracts.map(({ contractId, clientId }) => [
        ...[id, contractId, clientId, planId, "Plan", 9900, "BRL", false, "recurring", "month"],
        ...["2025-03-01", "active", false, true],
      ]),
    );
    await copy(
      client,
      `contract_entitlements (organization_id, contract_id, position, id, type, period, max_visits_per_period,
         remaining_credits)`,
      contracts.map(({ contractId }, n) => [id, contractId, 0, newId(), ...termsOf(n)]),
    );
    await client.query(
      `update organization_counters set clients_active = $2, contracts_active = $2, plans_active = 1,
         service_types_active = 1
       where organization_id = $1 and slot = 0`,
      [id, VISITORS],
    );
    await client.query("analyze");
    // Over plain HTTP on the own machine the cookie has this name.
    const cookie = `rollbook=${await signInOwner(db, id, secret)}`;
    return { ...studio, cookie, sessionIds, visitorIds };
  } finally {
    await client.end();
    await db.close();
  }
}

/** Type, period, most visits and credits: without a cap, with one, and a pack in turn. */
function termsOf(n: number): (string | number | undefined)[] {
  if (n % 3 === 0) return ["access", undefined, undefined, undefined];
  if (n % 3 === 1) return ["access", "day", 50, undefined];
  return ["credits", undefined, undefined, 1_000];
}

function startOf(n: number): { wall: string; at: string } {
  const zone = findZone(TIMEZONE);
  const day = daysAfter(new Date().toISOString().slice(0, 10), 2 + Math.floor(n / SESSIONS_A_DAY));
  const hour = String(6 + (n % 15)).padStart(2, "0");
  const wall = `${day}T${hour}:00`;
  const wallMs = parseWallClock(wall);
  if (!zone || wallMs === undefined) throw new Error(`no session at ${wall} in ${TIMEZONE}`);
  return { wall, at: new Date(wallToInstant(zone, wallMs)).toISOString() };
}

/** Contracts in every condition, each with three entitlements, the capped ones with a year of visits behind them. */
function coverageWork(): (times: number) => void {
  const [locationId, serviceTypeId, serviceGroupId] = [newId(), newId(), newId()];
  const held = new Map<string, string[]>();
  const contracts = Array.from({ length: COVERED_CONTRACTS }, (_, n): CoveringContract => {
    const capped: CoveringEntitlement = {
      id: newId(),
      type: "access",
      period: n % 2 === 0 ? "week" : "month",
      maxVisitsPerPeriod: 3,
      serviceGroupId,
    };
    const credits: CoveringEntitlement = {
      id: newId(),
      type: "credits",
      remainingCredits: n % 4,
      serviceTypeId,
    };
    const other: CoveringEntitlement = { id: newId(), type: "access", serviceTypeId: newId() };
    held.set(
      capped.id,
      Array.from({ length: 150 }, (_, visit) => daysAfter("2025-11-16", 2 * visit)),
    );
    return {
      id: newId(),
      status: "active",
      startDate: "2025-01-01",
      ...(n % 3 === 0 && { endDate: daysAfter("2026-12-01", n) }),
      accessBlocked: n % 10 === 9,
      allLocations: n % 2 === 0,
      locationIds: n % 2 === 0 ? [] : [newId(), locationId],
      hasLastDay: false,
      pauses:
        n % 7 === 0
          ? [{ id: newId(), extendsTerm: false, firstDay: "2026-11-01", lastDay: "2026-11-30" }]
          : [],
      entitlements: [capped, credits, other],
    };
  });
  const visit = { day: "2026-11-18", locationId, serviceTypeId, serviceGroupIds: [serviceGroupId] };
  return (times) => {
    for (let n = 0; n < times; n++) {
      const { draws } = findCoverage(contracts, held, visit, 1);
      if (draws.length === 0) throw new Error("nothing covers the visit");
    }
  };
}
