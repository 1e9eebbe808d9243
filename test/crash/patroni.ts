import { isDeepStrictEqual } from "node:util";
import { compareWith, readLists } from "../feed/follow-under-kills.ts";
import { FeedMirror } from "../feed/mirror.ts";
import { until } from "../support/poll.ts";
import { Caller } from "./caller.ts";
import { drawer } from "./chance.ts";
import { Journal, keepWriting } from "./journal.ts";
import { pause } from "./load.ts";
import { type BookedSessions, bookUntil, prepareSessions } from "./patroni-bookings.ts";
import { MEMBERS, type Member, type PatroniCluster, startCluster } from "./patroni-cluster.ts";
import { makeProbeTable, type Probe, startProbe } from "./patroni-probe.ts";
import { type CallerDoor, openRecords, useUntil } from "./patroni-records.ts";
import { newStudio, type Studio } from "./site.ts";
import { verifyJournal } from "./verify-journal.ts";

/** What happens to the one that leads. "machine" is Patroni and PostgreSQL together; what is stopped runs again later. */
export const LEADER_FAULTS = [
  "kill PostgreSQL",
  "kill the machine",
  "stop PostgreSQL",
  "stop Patroni",
  "stop the machine",
  "cut from etcd",
  "cut from everybody",
] as const;
/** What makes writes wait, and promotes nobody. */
export const OTHER_FAULTS = ["cut from the standby", "cut from the nodes"] as const;
export type Fault = (typeof LEADER_FAULTS)[number] | (typeof OTHER_FAULTS)[number];

export interface Failover {
  readonly fault: Fault;
  /** From the fault to the moment when the other takes writes. */
  readonly promotedMs: number;
  /** From there, or from the end of a fault without a promotion, until both nodes have acknowledged a write. */
  readonly writesMs: number;
}

export interface PatroniReport {
  readonly failovers: Failover[];
  readonly acknowledged: number;
  readonly lost: number;
  /** Answers that the checker of histories has found an order for. */
  readonly explained: number;
  readonly bookings: number;
  readonly changes: number;
  /** Commits of a caller that stays with one PostgreSQL, all of which the last leader has. */
  readonly probed: number;
  readonly faults: string[];
}

export interface PatroniPlan {
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly onFailover?: (failover: Failover) => void;
}

const WRITERS = 6;
const RECORD_CALLERS = 6;
const PAUSE_MS = 40;
/** How long all is well before a fault and after it. */
const PEACE_MS = 1_500;
/** How long it stays away after the other was promoted, as drawn. */
const AWAY_MS = 1_000;
const CUT_MS = 5_000;
const SETTINGS = {
  LOG_LEVEL: "error",
  RATE_LIMIT: "600000",
  RATE_BURST: "1000000",
  WORKERS: "1",
  SLOW_MS: "0",
};

/**
 * Writers, bookings and readers on two nodes and HAProxy, and a mirror by the feed on each node, while one leader after the
 * other is killed, stopped or cut off. After each fault every answer must have its place in one order, and at the end nothing
 * that was acknowledged is missing.
 */
export async function failOver(plan: PatroniPlan): Promise<PatroniReport> {
  const cluster = await startCluster(SETTINGS);
  const probes: Probe[] = [];
  let mirrors: FeedMirror[] = [];
  try {
    const leader = await cluster.leader();
    const { databaseUrl, keySecret } = cluster;
    const studio = await newStudio({ dataDir: "unused", databaseUrl, keySecret }, cluster.connection(leader));
    await makeProbeTable(cluster.connection(leader));
    for (const member of MEMBERS) probes.push(await startProbe(cluster.connection(member)));
    const draw = drawer(plan.seed);
    mirrors = cluster.ports.nodes.map((port) => new FeedMirror({ port, key: studio.key, draw }));
    return await failOverEach(plan, { cluster, studio, probes, mirrors, draw });
  } finally {
    for (const mirror of mirrors) mirror.stop();
    for (const probe of probes) probe.stop();
    await cluster.remove();
  }
}

interface Stage {
  readonly cluster: PatroniCluster;
  readonly studio: Studio;
  readonly probes: readonly Probe[];
  readonly mirrors: readonly FeedMirror[];
  readonly draw: () => number;
}

async function failOverEach(plan: PatroniPlan, stage: Stage): Promise<PatroniReport> {
  const { cluster, studio, probes, mirrors } = stage;
  const journal = new Journal();
  const sessions = await prepareSessions(cluster.connection(await cluster.leader()), studio);
  const failovers: Failover[] = [];
  const faults: string[] = [];
  let [explained, bookings] = [0, 0];
  for (const fault of plan.faults) {
    try {
      const round = await failOverOnce(fault, { ...stage, journal, sessions });
      failovers.push(round.failover);
      plan.onFailover?.(round.failover);
      explained += round.explained;
      bookings += round.bookings;
      faults.push(...round.faults.map((found) => `${fault}: ${found}`));
    } catch (error) {
      faults.push(`${fault}: ${error instanceof Error ? error.message : error}`);
    }
    if (faults.length > 0) break;
  }

  // Nothing of what follows would come to an end.
  if (faults.length > 0) return { ...nothing, failovers, faults: [...faults, ...journal.faults] };
  const copies = await Promise.all(mirrors.map((mirror) => mirror.finish()));
  const connection = cluster.connection(await cluster.leader());
  const verdict = await verifyJournal(connection, studio.organizationId, journal, studio);
  const lists = await readLists({ port: cluster.ports.nodes[0], studio });
  for (const [n, copy] of copies.entries()) {
    const found = [...copy.faults, ...compareWith(lists, copy)];
    if (!isDeepStrictEqual(copy.order, copies[0]?.order)) found.push("it was told in another order");
    faults.push(...found.map((fault) => `the mirror of node ${n + 1}: ${fault}`));
  }
  for (const probe of probes) faults.push(...(await probe.missingFrom(connection)));
  return {
    failovers,
    acknowledged: journal.acknowledged,
    lost: verdict.lost,
    explained,
    bookings,
    changes: copies[0]?.last ?? 0,
    probed: probes.reduce((sum, probe) => sum + probe.acknowledged, 0),
    faults: [...faults, ...journal.faults, ...verdict.faults],
  };
}

const nothing = { acknowledged: 0, lost: 0, explained: 0, bookings: 0, changes: 0, probed: 0 };

interface Round extends Stage {
  readonly journal: Journal;
  readonly sessions: BookedSessions;
}

/** Everybody works from before the fault until after it, then stops so that all answers can be judged. */
async function failOverOnce(fault: Fault, round: Round) {
  const { cluster, studio, journal, sessions, draw } = round;
  const leader = await cluster.leader();
  const { nodes, balancer } = cluster.ports;
  const records = await openRecords(nodes[0], studio, draw);
  const callers = nodes.map((port) => new Caller({ port, key: studio.key, connections: WRITERS + 4 }));
  let goesOn = true;
  const isOn = () => goesOn;
  const doors: CallerDoor[] = [...nodes, balancer].map((port) => ({ port, acknowledgedAt: [] }));
  const working = [
    ...callers.flatMap((caller) =>
      Array.from({ length: WRITERS / nodes.length }, () =>
        keepWriting(caller, journal, studio.locationIds, draw, isOn, { pauseMs: PAUSE_MS }),
      ),
    ),
    ...Array.from({ length: RECORD_CALLERS }, (_, n) =>
      useUntil(records, doors[n % doors.length] as CallerDoor, {
        studio,
        draw,
        goesOn: isOn,
        pauseMs: PAUSE_MS,
      }),
    ),
    ...nodes.map((port, n) =>
      bookUntil(sessions, n, {
        port,
        publicUrl: `http://localhost:${balancer}`,
        studio,
        draw,
        goesOn: isOn,
        pauseMs: PAUSE_MS,
      }),
    ),
  ];
  let failover: Failover;
  try {
    await bothWrite(doors, performance.now());
    await pause(PEACE_MS + draw() * PEACE_MS);
    failover = await cause(fault, leader, { ...round, doors });
    await pause(PEACE_MS);
  } finally {
    goesOn = false;
    await Promise.all(working);
    for (const caller of callers) caller.close();
  }
  await cluster.leader();
  const checked = records.check();
  const booked = await sessions.check(cluster.connection(await cluster.leader()));
  return {
    failover,
    explained: checked.explained + booked.explained,
    bookings: booked.bookings,
    faults: [...checked.faults, ...booked.faults, ...round.probes.flatMap((probe) => probe.faults)],
  };
}

async function cause(
  fault: Fault,
  leader: Member,
  { cluster, probes, draw, doors }: Round & { readonly doors: readonly CallerDoor[] },
): Promise<Failover> {
  const other = MEMBERS.find((member) => member !== leader) as Member;
  const begun = performance.now();
  const end = await begin(fault, leader, cluster);
  if ((OTHER_FAULTS as readonly string[]).includes(fault)) {
    await pause(CUT_MS);
    const mendedAt = performance.now();
    await end();
    return { fault, promotedMs: 0, writesMs: (await bothWrite(doors, mendedAt)) - mendedAt };
  }
  await cluster.promoted(other);
  const promotedAt = performance.now();
  // Whatever the old one acknowledges from here on is lost with it.
  probes[MEMBERS.indexOf(leader)]?.forbid(promotedAt);
  await pause(draw() * AWAY_MS);
  await end();
  const writesMs = (await bothWrite(doors, promotedAt)) - promotedAt;
  return { fault, promotedMs: promotedAt - begun, writesMs };
}

/** Does it, and says how it ends. */
async function begin(fault: Fault, leader: Member, cluster: PatroniCluster): Promise<() => Promise<void>> {
  const signal = (name: NodeJS.Signals, part: Parameters<PatroniCluster["signal"]>[2]) =>
    cluster.signal(name, leader, part);
  const cut = (...names: Parameters<PatroniCluster["line"]>[1][]) => {
    for (const name of names) cluster.line(leader, name).cut();
    return async () => {
      for (const name of names) cluster.line(leader, name).mend();
    };
  };
  switch (fault) {
    case "kill PostgreSQL":
      // Its Patroni starts it again.
      await signal("SIGKILL", "postgres");
      return async () => {};
    case "kill the machine":
      await signal("SIGKILL", "both");
      return () => cluster.start(leader);
    case "stop PostgreSQL":
      await signal("SIGSTOP", "postgres");
      return () => signal("SIGCONT", "postgres");
    case "stop Patroni":
      await signal("SIGSTOP", "patroni");
      return () => signal("SIGCONT", "patroni");
    case "stop the machine":
      await signal("SIGSTOP", "both");
      return () => signal("SIGCONT", "both");
    case "cut from etcd":
      return cut("etcd");
    case "cut from everybody":
      return cut("etcd", "standby", "rest", "nodes");
    case "cut from the standby":
      return cut("standby");
    case "cut from the nodes":
      return cut("nodes");
  }
}

/** When both nodes have acknowledged a write since. */
async function bothWrite(doors: readonly CallerDoor[], since: number): Promise<number> {
  const firstSince = ({ acknowledgedAt }: CallerDoor) => acknowledgedAt.find((at) => at > since);
  await until("both nodes acknowledge writes", async () =>
    doors.every((door) => firstSince(door) !== undefined),
  );
  return Math.max(...doors.map((door) => firstSince(door) ?? since));
}
