import { isDeepStrictEqual } from "node:util";
import { Caller } from "../crash/caller.ts";
import { drawer, pick } from "../crash/chance.ts";
import { Journal, keepWriting } from "../crash/journal.ts";
import { killNow, killServer } from "../crash/kills.ts";
import { pause } from "../crash/load.ts";
import { openExternalSite, type Site, workersOf } from "../crash/site.ts";
import { verifyJournal } from "../crash/verify-journal.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { FaultyReceiver } from "./faulty-receiver.ts";
import { FeedMirror, type RecordCopy } from "./mirror.ts";
import { type ReplicatedPair, startReplicatedPair } from "./replicated-pair.ts";

/** What is killed with SIGKILL: a node, one of its workers (each has a sender), PostgreSQL, or a node and PostgreSQL. */
export type FeedVictim = "node" | "worker" | "postgres" | "both";

export const FEED_VICTIMS: readonly FeedVictim[] = ["node", "worker", "postgres", "both"];

export interface FeedPlan {
  readonly seed: number;
  /** Killed one after the other before the promotion and after it. */
  readonly before: Iterable<FeedVictim>;
  readonly after: Iterable<FeedVictim>;
  /** How long there is peace between two kills. */
  readonly peaceMs: () => number;
  /** Of each of the sixteen writers, between two writes. */
  readonly pauseMs: number;
  /** Whether the time that senders wait for is made to pass: the lease of a killed one, and after a failure. */
  readonly hurries: boolean;
  readonly onKill?: (victim: FeedVictim | "primary") => void;
}

export interface FeedReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Changes in the feed. */
  readonly changes: number;
  readonly repeatedEvents: number;
  readonly receiverFailures: number;
  readonly faults: string[];
}

const WRITERS = 16;
/** More than are written while a sender is away: the receiver is to have each event. */
const FLOOD = 100_000;
const HURRY_MS = 250;
/** Longer than a lease and the pause after a second failure. */
const STANDS_STILL_MS = 120_000;

/**
 * Sixteen writers on two nodes, a mirror by the feed of each and a receiver of webhooks, while nodes, senders and PostgreSQL
 * are killed and, in the middle, a standby is promoted. At the end all three hold what the lists have, in one order.
 */
export async function followUnderKills(plan: FeedPlan): Promise<FeedReport> {
  const pair = await startReplicatedPair();
  const draw = drawer(plan.seed);
  const receiver = new FaultyReceiver(draw);
  const sites: Site[] = [];
  try {
    const url = await receiver.listen();
    const common = { databaseUrl: pair.url, connection: pair.connection() };
    const environment = { DRAIN_MS: "0", WEBHOOK_NETS: "127.0.0.0/8", WEBHOOK_HTTP: "1" };
    const first = await openExternalSite({ ...common, environment, workers: 2 });
    const { studio } = first;
    sites.push(first, await openExternalSite({ ...common, environment, workers: 1, studio }));
    await Promise.all(sites.map((site) => site.start()));
    receiver.trust(await addWebhook(first, url));
    return await follow(plan, { pair, sites, receiver, draw });
  } finally {
    await Promise.all(sites.map((site) => site.remove()));
    await Promise.all([receiver.close(), pair.remove()]);
  }
}

interface Stage {
  readonly pair: ReplicatedPair;
  readonly sites: readonly Site[];
  readonly receiver: FaultyReceiver;
  readonly draw: () => number;
}

async function follow(plan: FeedPlan, stage: Stage): Promise<FeedReport> {
  const { pair, sites, receiver, draw } = stage;
  const journal = new Journal();
  const [{ studio }] = sites as [Site];
  const mirrors = sites.map(({ port }) => new FeedMirror({ port, key: studio.key, draw }));
  let [isWriting, isHurrying] = [true, plan.hurries];
  const callers = sites.map(
    ({ port }) => new Caller({ port, key: studio.key, connections: WRITERS / sites.length }),
  );
  const writing = callers.flatMap((caller) =>
    Array.from({ length: WRITERS / sites.length }, () =>
      keepWriting(caller, journal, studio.locationIds, draw, () => isWriting, { pauseMs: plan.pauseMs }),
    ),
  );
  const hurrying = keepHurrying(pair, () => isHurrying);
  let kills = 0;
  const killEach = async (victims: Iterable<FeedVictim>) => {
    for (const victim of victims) {
      await pause(plan.peaceMs());
      await killOne(victim, stage);
      kills++;
      plan.onKill?.(victim);
    }
  };
  try {
    await killEach(plan.before);
    await pair.promote();
    kills++;
    plan.onKill?.("primary");
    await killEach(plan.after);
    await pause(plan.peaceMs());
  } finally {
    isWriting = false;
    await Promise.all(writing);
    for (const caller of callers) caller.close();
  }
  const copies = await Promise.all(mirrors.map((mirror) => mirror.finish()));
  const last = copies[0]?.last ?? 0;
  await catchUp(receiver, last);
  isHurrying = false;
  await hurrying;

  const verdict = await verifyJournal(pair.connection(), studio.organizationId, journal, studio);
  const lists = await readLists(sites[0] as Site);
  const named: [string, RecordCopy][] = [
    ["the mirror of the first node", copies[0] as RecordCopy],
    ["the mirror of the second node", copies[1] as RecordCopy],
    ["the receiver", receiver.copy],
  ];
  const faults = named.flatMap(([name, copy]) => [
    ...copy.faults.map((fault) => `${name}: ${fault}`),
    ...compareWith(lists, copy).map((fault) => `${name}: ${fault}`),
    ...(isDeepStrictEqual(copy.order, copies[0]?.order) ? [] : [`${name} was told in another order`]),
  ]);
  return {
    kills,
    acknowledged: journal.acknowledged,
    changes: last,
    repeatedEvents: receiver.repeated,
    receiverFailures: receiver.failures,
    faults: [...journal.faults, ...verdict.faults, ...faults],
  };
}

async function killOne(victim: FeedVictim, { pair, sites, draw }: Stage): Promise<void> {
  const site = pick(sites, draw) as Site;
  if (victim === "postgres") return pair.killAndStart();
  if (victim === "worker") {
    const [worker] = await workersOf((sites[0] as Site).running().child.pid ?? 0);
    return killNow(worker);
  }
  await killServer(site.running());
  if (victim === "both") await pair.killAndStart();
  await site.start();
}

/** After many kills a receiver may lag behind for long, but not without moving on. */
async function catchUp({ copy }: FaultyReceiver, last: number): Promise<void> {
  while (copy.last < last && copy.faults.length === 0) {
    const before = copy.last;
    await until(
      "the receiver gets the next event",
      async () => copy.last > before || copy.faults.length > 0,
      STANDS_STILL_MS,
    );
  }
}

/** As if the time had passed after which a killed sender is replaced and a failed attempt repeated. */
async function keepHurrying(pair: ReplicatedPair, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await pair
      .query(
        `update webhook_endpoints
         set next_attempt_at = least(next_attempt_at, now()),
           leased_until = case when leased_until < now() + interval '25 seconds' then now() else leased_until end`,
      )
      .catch(() => {});
    await pause(HURRY_MS);
  }
}

/** From the beginning of the feed, with records. Gives the secret. */
async function addWebhook({ port, studio }: Site, url: string): Promise<string> {
  const credentials = { cookie: studio.cookie, origin: `http://localhost:${port}` };
  const caller = new Caller({ port, credentials, connections: 1 });
  const body = { url, from: "start", flood: FLOOD, include: "record" };
  const outcome = await caller.send("POST", "/app/v1/addWebhook", body, newId());
  caller.close();
  if (outcome.kind !== "answered" || outcome.status !== 200)
    throw new Error(`no webhook was added: ${JSON.stringify(outcome)}`);
  return outcome.body.result.secret;
}

const LISTS = [
  ["client", "clients"],
  ["contract", "contracts"],
  ["plan", "plans"],
  ["serviceType", "service-types"],
  ["serviceGroup", "service-groups"],
  ["location", "locations"],
  ["resource", "resources"],
] as const;

/** All that the lists have now, by name. */
export async function readLists({
  port,
  studio,
}: Pick<Site, "port" | "studio">): Promise<Map<string, object>> {
  const lists = new Map<string, object>();
  for (const [kind, path] of LISTS) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      headers: { authorization: `Bearer ${studio.key}`, accept: "application/x-ndjson" },
    });
    if (response.status !== 200) throw new Error(`${path} is ${response.status}`);
    for (const line of (await response.text()).split("\n").filter(Boolean)) {
      const record = JSON.parse(line);
      lists.set(`${kind} ${record.id}`, record);
    }
  }
  return lists;
}

/** One sentence for each record that a copy has otherwise. */
export function compareWith(lists: ReadonlyMap<string, object>, { records }: RecordCopy): string[] {
  const listed = LISTS.map(([kind]) => kind as string);
  const own = [...records].filter(([name]) => listed.includes(name.split(" ")[0] ?? ""));
  return [
    ...[...lists].flatMap(([name, record]) =>
      isDeepStrictEqual(records.get(name), record)
        ? []
        : [`${name} is ${JSON.stringify(records.get(name))}, listed is ${JSON.stringify(record)}`],
    ),
    ...own.flatMap(([name]) => (lists.has(name) ? [] : [`${name} is listed nowhere`])),
  ];
}
