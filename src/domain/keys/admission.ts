import { type StoredVersions, storedVersions } from "../../db/data-version.ts";
import type { ShortReads } from "../../db/database.ts";
import { ELSEWHERE, type Elsewhere } from "../../db/elsewhere.ts";
import { HISTORY } from "../../db/history.ts";
import { read } from "../../db/statements.ts";
import { limitOf, NO_LIMITS, type OrganizationLimits } from "../organizations/organization-limits.ts";
import type { OrganizationStatus, Tier } from "../organizations/values.ts";

/**
 * What every keyed request must know, asked for a whole batch of requests at once: is the key good, is there
 * rate left, what state is the organization in, and which versions do its data have. The answers are true at
 * the time of the statement, on every node, and are never cached.
 */
export interface Admission extends StoredVersions {
  /** Which of the presented hashes it is the answer for, counted from 1. */
  readonly place: number;
  readonly keyId: string;
  readonly organizationId: string;
  readonly status: OrganizationStatus;
  readonly elsewhere?: Elsewhere;
  readonly tier: Tier;
  readonly timezone: string;
  /** Which past the database has. */
  readonly history: string;
  /** The status of a contract was to change by now, and nobody has looked since; otherwise absent. */
  readonly isDue?: true;
  /** The key has not been recorded as used within the last minute. */
  readonly lastUseIsStale: boolean;
  /** The time of PostgreSQL in milliseconds, without `CLOCK_OFFSET`. */
  readonly clockMs: number;
  /** Absent when the rate limit is off. */
  readonly rate?: Granted;
  /** How many requests a minute all keys of the organization may make together; absent if there is no such limit. */
  readonly requestsPerMinute?: number | undefined;
  /** How many records the organization may store; absent if it has no limit of its own. */
  readonly maxRecords?: number;
  /** What that limit gave to those requests of the key that its own has granted. */
  readonly shared?: Granted;
}

/** What the rate limit gave to the requests of one key. */
export interface Granted {
  /** How many of them are admitted: the first ones. */
  readonly granted: number;
  /** How many more would be admitted right after. */
  readonly remaining: number;
  /** Nanoseconds from now until the whole burst is there again. */
  readonly refillNs: number;
}

export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** Of an organization: what it may ask for at once is what it may ask for in ten seconds. */
export function organizationRate(requestsPerMinute: number): RateLimit {
  return { perMinute: requestsPerMinute, burst: Math.ceil(requestsPerMinute / 6) };
}

/** Nanoseconds that one request costs. Rounded up, so that what is admitted never exceeds the rate. */
export function emissionIntervalNs(rate: RateLimit): number {
  return Math.ceil(60e9 / rate.perMinute);
}

/**
 * A table of credentials that are looked up by their keyed hash before anybody knows whose they are. All have `id`,
 * `organization_id`, `hash`, `expires_at` and `revoked_at`.
 */
export interface CredentialTable {
  readonly table: string;
  /** The column that says when one was used last. */
  readonly lastUse: string;
  /** Further columns of it. */
  readonly columns: readonly string[];
  /** What else is told of a good one: an expression by each name, of its row `a` and its organization `o`. */
  readonly facts: Readonly<Record<string, string>>;
}

export const KEYS: CredentialTable = { table: "keys", lastUse: "last_used_at", columns: [], facts: {} };

const isGood = (key: string, time: string) =>
  `${key}.revoked_at is null and (${key}.expires_at is null or ${key}.expires_at > ${time})`;

const asked = ({ table, lastUse, columns }: CredentialTable, time: string) => `
  asked as (
    select a.place, a.requests, ${["id", "organization_id", lastUse, ...columns].map((name) => `k.${name}`).join(", ")}
    from unnest($1::bytea[], $2::int[]) with ordinality as a (hash, requests, place)
    join ${table} k on k.hash = a.hash
    where ${isGood("k", time)}
  )`;

const answer = ({ lastUse, facts }: CredentialTable, time: string) => `
  a.id as "keyId", a.organization_id as "organizationId", o.status, ${ELSEWHERE} as elsewhere, o.tier, o.timezone,
  o.requests_per_minute as "requestsPerMinute", o.max_records as "maxRecords",
  ${HISTORY} as history, ${storedVersions("a.organization_id")}, nullif(o.due_at <= ${time}, false) as "isDue",
  (a.${lastUse} is null or a.${lastUse} < ${time} - interval '1 minute') as "lastUseIsStale"
  ${Object.entries(facts)
    .map(([name, expression]) => `, ${expression} as "${name}"`)
    .join("")}`;

const sourcesOf = (credentials: string) => `
  ${credentials} a
  join organizations o on o.id = a.organization_id`;

// GCRA for several requests at once: of those asked for, as many are granted as fit between the theoretical arrival
// time (tat) and now + burst. statement_timestamp() lies before the lock on the row, which can only make the limit
// stricter. Nanoseconds, of whole microseconds, which float8 gives exactly until the year 2106.
//
// The tat may lie far ahead of what this limit could have made of it: RATE_LIMIT or RATE_BURST were changed, or the
// clock was set back. It is not simply cut to now + burst: while two processes run with different limits, one would
// give back on every request what the other has just spent. It is cut a minute after the last grant instead, to what
// leaves one request. With one limit that changes nothing, since no interval is longer than a minute:
// tat <= granted_at + burst * interval <= granted_at + minute + (burst - 1) * interval.
//
// RATE_LIMIT 1, RATE_BURST 100, all spent at 09:00: tat = 10:40. At 09:00:30 RATE_LIMIT is 600 (interval 0.1 s):
// the tat counts as 09:01 + 9.9 s, so the next request is granted at 09:01 instead of 10:39.
const clock = "select (date_part('epoch', statement_timestamp()) * 1000000)::bigint * 1000 as now offset 0";
const [interval, burst] = ["$3::bigint", "$4::int"];
const MINUTE = "60000000000";
/** The column checked_at holds the time of the last grant; a minute ahead of now, the clock was set back since. */
const arrival = (now: string) =>
  `least(r.tat, case when r.checked_at > ${now} + ${MINUTE} then ${now} else r.checked_at + ${MINUTE} end
     + (${burst} - 1) * ${interval})`;
const spend = (requests: string, now: string) => {
  const tat = `greatest(${arrival(now)}, ${now})`;
  const granted = `least(${requests}, greatest(0, ${now} + ${burst} * ${interval} - ${tat}) / ${interval})`;
  return `granted = ${granted},
    tat = case when ${granted} > 0 then ${tat} + ${interval} * ${granted} else r.tat end,
    checked_at = case when ${granted} > 0 then ${now} else r.checked_at end`;
};
/** The arrival time after requests that cost `$2`. */
const whole = "greatest(r.tat, clock.now) + $2::bigint";
// A year of nanoseconds is beyond exact integers; nobody counts those.
const rateLeft = (now: string) => {
  const refill = `greatest(0, ${arrival(now)} - ${now})`;
  return `greatest(0, ${burst} * ${interval} - ${refill}) / ${interval} as remaining, (${refill})::float8 as "refillNs"`;
};

/**
 * The statements, for a clock that is moved and for one that is not. They run on every request, so the offset is a
 * parameter only where there is one. The rate limit measures time that passes and has no offset.
 */
function statementsFor(credentials: CredentialTable, isMoved: boolean) {
  const { table } = credentials;
  const name = (verb: string) =>
    `${verb}${table === KEYS.table ? "" : `_${table}`}${isMoved ? "_moved" : ""}`;
  const time = (offset: string) =>
    isMoved ? `(statement_timestamp() + ${offset}::interval)` : "statement_timestamp()";
  const [alone, limited] = [time("$3"), time("$5")];
  return {
    unlimited: read(
      name("admit"),
      inOneLine(`with ${asked(credentials, alone)}
      select a.place, ${answer(credentials, alone)},
        floor(date_part('epoch', statement_timestamp()) * 1000)::bigint as "clockMs"
      from ${sourcesOf("asked")}`),
    ),
    // Rows are locked in one order, so that batches of two nodes cannot deadlock.
    limited: read(
      name("admit_limited"),
      inOneLine(`with ${asked(credentials, limited)}, clock as materialized (${clock}), spent as (
        insert into key_rates as r (key_id, granted, tat, checked_at)
        select id, least(requests, ${burst}), clock.now + least(requests, ${burst}) * ${interval}, clock.now
        from asked, clock order by id
        on conflict (key_id) do update set ${spend("excluded.granted", "excluded.checked_at")}
        returning key_id, granted, tat, checked_at
      )
      select a.place, ${answer(credentials, limited)}, clock.now / 1000000 as "clockMs", r.granted, ${rateLeft("clock.now")}
      from ${sourcesOf("asked")} join spent r on r.key_id = a.id cross join clock`),
    ),
    // For a batch of one key that was used before and has rate for all of it, as most have. What is within the limit
    // needs no cut; what such a statement costs is mostly the preparing of its expressions, and these are few.
    whole: read(
      name("admit_whole"),
      inOneLine(`update key_rates r set tat = ${whole}, checked_at = clock.now
      from ${sourcesOf(table)} cross join (${clock}) clock
      where a.hash = $1 and ${isGood("a", limited)} and r.key_id = a.id and ${whole} <= clock.now + $4::bigint
      returning ${answer(credentials, limited)}, clock.now / 1000000 as "clockMs",
        (clock.now + $4::bigint - r.tat) / $3::bigint as remaining, (r.tat - clock.now)::float8 as "refillNs"`),
    ),
  };
}

/**
 * Grants requests of an organization that has a limit, in a row beside those of its keys. Asked for after the keys, with what
 * those have granted: a key that is over its own limit uses nothing up of what it shares. Organizations without a limit, which
 * are nearly all, cost nothing.
 */
const sharedStatement = read(
  "admit_organization",
  inOneLine(`with clock as materialized (${clock}), spent as (
    insert into key_rates as r (key_id, granted, tat, checked_at)
    select $1::uuid, least($2::int, ${burst}), clock.now + least($2::int, ${burst}) * ${interval}, clock.now from clock
    on conflict (key_id) do update set ${spend("excluded.granted", "excluded.checked_at")}
    returning granted, tat, checked_at
  )
  select r.granted, ${rateLeft("clock.now")} from spent r cross join clock`),
);

/** Asks the questions of {@link Admission}, and what its table tells beside, for batches of requests. */
export class Admissions<Facts extends object = object> {
  readonly #db: ShortReads;
  readonly #rate: RateLimit | undefined;
  readonly #offset: readonly string[];
  readonly #sharesRate: boolean;
  readonly #requestsPerMinute: number;
  readonly #statements: ReturnType<typeof statementsFor>;

  constructor(
    db: ShortReads,
    rate: RateLimit | undefined,
    credentials: CredentialTable = KEYS,
    { requestsPerMinute }: OrganizationLimits = NO_LIMITS,
  ) {
    this.#db = db;
    this.#rate = rate;
    const { clockOffsetMs } = db;
    this.#offset = clockOffsetMs === 0 ? [] : [`${clockOffsetMs / 1000} seconds`];
    // Calendar programs ask as often as they like.
    this.#sharesRate = credentials === KEYS;
    this.#requestsPerMinute = requestsPerMinute;
    this.#statements = statementsFor(credentials, clockOffsetMs !== 0);
  }

  /** `requests` says how many there are with each of the hashes. */
  async admit(
    hashes: readonly Buffer[],
    requests: readonly number[],
  ): Promise<readonly (Admission & Facts)[]> {
    const admissions = await this.#admitEach(hashes, requests);
    if (!this.#sharesRate) return admissions;
    const isLimited = admissions.some((one) => limitOf(one.requestsPerMinute, this.#requestsPerMinute));
    return isLimited ? this.#admitShared(admissions, requests) : admissions;
  }

  /** By the limits of organizations, too: those keys come first that stand first. */
  async #admitShared(
    admissions: readonly (Admission & Facts)[],
    requests: readonly number[],
  ): Promise<readonly (Admission & Facts)[]> {
    const wanted = ({ place, rate }: Admission) => rate?.granted ?? requests[place - 1] ?? 0;
    const ordered = admissions
      .map((one) => ({ ...one, requestsPerMinute: limitOf(one.requestsPerMinute, this.#requestsPerMinute) }))
      .sort((a, b) => a.place - b.place);
    const limits = new Map(
      ordered.flatMap(({ organizationId, requestsPerMinute: perMinute }) =>
        perMinute === undefined ? [] : [[organizationId, organizationRate(perMinute)] as const],
      ),
    );
    const shares = await Promise.all(
      [...limits].map(async ([organizationId, limit]) => {
        const ofIt = ordered.filter((one) => one.organizationId === organizationId);
        const asked = ofIt.reduce((sum, one) => sum + wanted(one), 0);
        const values = [organizationId, asked, emissionIntervalNs(limit), limit.burst];
        const [granted] = await this.#db.query<Granted>(sharedStatement, values);
        if (!granted) throw new Error("an organization that was asked about got no answer");
        return { organizationId, limit, granted };
      }),
    );
    for (const { organizationId, limit, granted } of shares) {
      let left = granted.granted;
      for (const [index, admission] of ordered.entries()) {
        if (admission.organizationId !== organizationId) continue;
        const mine = Math.min(wanted(admission), left);
        left -= mine;
        // As if the keys after it had not come yet.
        const remaining = granted.remaining + left;
        const refillNs = Math.max(0, granted.refillNs - left * emissionIntervalNs(limit));
        ordered[index] = { ...admission, shared: { granted: mine, remaining, refillNs } };
      }
    }
    return ordered;
  }

  async #admitEach(
    hashes: readonly Buffer[],
    requests: readonly number[],
  ): Promise<readonly (Admission & Facts)[]> {
    const rate = this.#rate;
    if (!rate)
      return this.#db.query<Admission & Facts>(this.#statements.unlimited, [
        hashes,
        requests,
        ...this.#offset,
      ]);
    const [hash, count] = [hashes[0], requests[0]];
    const isOfOneKey = hashes.length === 1 && hash !== undefined && count !== undefined;
    const admission = isOfOneKey ? await this.#admitWhole(rate, hash, count) : undefined;
    return admission ? [admission] : this.#admitLimited(rate, hashes, requests);
  }

  /** Nothing if the key is not good, has no rate for all of the requests, or is used for the first time. */
  async #admitWhole(
    rate: RateLimit,
    hash: Buffer,
    requests: number,
  ): Promise<(Admission & Facts) | undefined> {
    const interval = emissionIntervalNs(rate);
    const [row] = await this.#db.query<LimitedRow & Facts>(this.#statements.whole, [
      hash,
      requests * interval,
      interval,
      BigInt(rate.burst) * BigInt(interval),
      ...this.#offset,
    ]);
    if (!row) return undefined;
    const { remaining, refillNs } = row;
    return { ...row, place: 1, rate: { granted: requests, remaining, refillNs } };
  }

  async #admitLimited(
    rate: RateLimit,
    hashes: readonly Buffer[],
    requests: readonly number[],
  ): Promise<readonly (Admission & Facts)[]> {
    const values = [hashes, requests, emissionIntervalNs(rate), rate.burst, ...this.#offset];
    const rows = await this.#db.query<LimitedRow & Facts>(this.#statements.limited, values);
    return rows.map((row) => {
      const { granted, remaining, refillNs } = row;
      return { ...row, rate: { granted, remaining, refillNs } };
    });
  }
}

type LimitedRow = Omit<Admission, "rate" | "shared"> & Granted;

/** PostgreSQL copies the text of a statement on each run. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
