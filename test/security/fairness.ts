import { replanned } from "../../src/db/statements.ts";
import { Caller, quantile, requestText } from "../support/caller.ts";
import { type Crowd, loadCrowd, settleCrowd } from "../support/crowd.ts";
import type { Studio, Target } from "../support/target.ts";

export interface FairnessReport {
  readonly figures: readonly FairnessFigure[];
  /** How the attacker's requests were answered, by status. */
  readonly attack: Readonly<Record<string, number>>;
}

/** What the victim saw of one kind of request. */
export interface FairnessFigure {
  readonly kind: string;
  readonly baselineP50Ms: number;
  readonly attackedP50Ms: number;
  readonly baselineP99Ms: number;
  readonly attackedP99Ms: number;
  readonly requests: number;
  /** Answers that were no success, in either part. */
  readonly failures: number;
}

export interface FairnessOrder {
  /** How many clients the attacker has. */
  readonly clients: number;
  readonly callers: number;
  readonly rounds: number;
  /** Of each part of a round. */
  readonly seconds: number;
}

const VICTIM_CLIENTS = 2_000;

/**
 * How an organization fares alone and while another one asks for what costs most. Both by turns, so that whatever else
 * the machine does falls on both.
 */
export async function measureFairness(target: Target, order: FairnessOrder): Promise<FairnessReport> {
  const db = target.store.open({ applicationName: "rollbook test" });
  const attacker = await target.newStudio();
  // Filled faster without, and then built as a restore would build it.
  await db.query(replanned("drop index clients_search"));
  const locationIds = [attacker.locationId];
  await loadCrowd(db, attacker.organizationId, { clients: order.clients, contracts: 0, locationIds });
  const people = await loadCrowd(db, target.organizationId, {
    clients: VICTIM_CLIENTS,
    contracts: 0,
    locationIds: [target.locationId],
  });
  await db.query(
    replanned("create index clients_search on clients using gin (organization_id, search gin_trgm_ops)"),
  );
  await settleCrowd(db);

  const kinds = victimRequests(target, people);
  const times = kinds.map(() => ({ baseline: [] as number[], attacked: [] as number[], failures: 0 }));
  const attack: Record<string, number> = {};
  const measure = async (part: "baseline" | "attacked") => {
    const until = performance.now() + order.seconds * 1000;
    await Promise.all(
      kinds.map(async ({ next }, index) => {
        const seen = times[index];
        const caller = await Caller.open(target.url);
        while (performance.now() < until) {
          const { status, milliseconds } = await caller.ask(next());
          seen?.[part].push(milliseconds);
          if (seen && status >= 300) seen.failures++;
        }
        caller.close();
      }),
    );
  };
  // The first requests of all open connections and prepare statements.
  await measure("baseline");
  for (const seen of times) seen.baseline.length = 0;
  for (let round = 0; round < order.rounds; round++) {
    await measure("baseline");
    const stop = startAttack(target, attacker, order, attack);
    await measure("attacked");
    await stop();
  }
  return {
    attack,
    figures: kinds.map(({ kind }, index) => {
      const { baseline = [], attacked = [], failures = 0 } = times[index] ?? {};
      return {
        kind,
        baselineP50Ms: quantile(baseline, 0.5),
        attackedP50Ms: quantile(attacked, 0.5),
        baselineP99Ms: quantile(baseline, 0.99),
        attackedP99Ms: quantile(attacked, 0.99),
        requests: baseline.length + attacked.length,
        failures,
      };
    }),
  };
}

/** One request after the other of each kind, no two alike, so that none is answered from the cache. */
function victimRequests(
  { key, locationId }: Studio,
  people: Crowd,
): { readonly kind: string; readonly next: () => string }[] {
  const turn = () => {
    let n = 0;
    return () => n++;
  };
  const get = (path: string) => requestText({ path, key });
  const [read, list, search, create] = [turn(), turn(), turn(), turn()];
  const names = ["silva", "santos", "maria souza", "ana lima", "jo", "costa"];
  return [
    { kind: "GET one client", next: () => get(`/v1/clients/${people.clientIds[read() % VICTIM_CLIENTS]}`) },
    { kind: "GET a page", next: () => get(`/v1/clients?limit=20&offset=${list() % 900}`) },
    {
      kind: "search",
      next: () => {
        const n = search();
        return get(`/v1/clients?limit=20&offset=${n % 100}&query=${encodeURIComponent(names[n % 6] ?? "")}`);
      },
    },
    {
      kind: "POST a client",
      next: () =>
        requestText({
          method: "POST",
          path: "/v1/clients",
          key,
          body: { contactName: `Made ${create()}`, locationIds: [locationId] },
        }),
    },
  ];
}

/** The most expensive things that can be asked for, without a pause. */
function startAttack(
  { url }: Target,
  { key, locationId }: Studio,
  { callers, clients }: FairnessOrder,
  answers: Record<string, number>,
): () => Promise<void> {
  const query = (text: string) => `query=${encodeURIComponent(text)}`;
  const letters = [..."aeiorsmnlctdupgbvfhz"];
  const many = Array.from({ length: 44 }, (_, n) => `${letters[n % 20]}${letters[(n * 7 + 3) % 20]}`).join(
    " ",
  );
  const asked = [
    (n: number) => query([...letters.slice(n % 10), ...letters].slice(0, 10).join(" ")),
    () => query(many),
    (n: number) => query(letters[n % 20] ?? "a"),
    (n: number) => query(`${letters[n % 20]}${letters[(n + 7) % 20]}`),
    () => query("example.com"),
    () => query("(1"),
    (n: number) => `locationId=${locationId}&offset=${n}`,
    (n: number) => `offset=${Math.floor(clients * 0.75) + n}`,
    (n: number) => `status=active&${query("a o")}&offset=${n}`,
  ];
  let isOver = false;
  let n = 0;
  const running = Array.from({ length: callers }, async () => {
    const caller = await Caller.open(url);
    while (!isOver) {
      const ask = asked[n % asked.length];
      const { status } = await caller.ask(requestText({ path: `/v1/clients?${ask?.(n++)}&limit=50`, key }));
      answers[status] = (answers[status] ?? 0) + 1;
    }
    caller.close();
  });
  return async () => {
    isOver = true;
    await Promise.all(running);
  };
}
