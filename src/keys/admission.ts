import { type Database, read } from "../db/database.ts";
import type { OrganizationStatus, Tier } from "../organizations/values.ts";

/**
 * What every keyed request must know, asked for a whole batch of requests at once: is the key good, is there
 * rate left, what state is the organization in, and which versions do its data have. The answers are true at
 * the time of the statement, on every node, and are kept by nobody.
 */
export interface Admission {
  /** Which of the presented hashes it is the answer for, counted from 1. */
  readonly place: number;
  readonly keyId: string;
  readonly organizationId: string;
  readonly status: OrganizationStatus;
  readonly tier: Tier;
  readonly timezone: string;
  readonly catalogVersion: number;
  readonly clientsVersion: number;
  /** The key has not been noted as used within the last minute. */
  readonly unnoted: boolean;
  /** Absent when the rate limit is off. */
  readonly rate?: Granted;
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

/** Nanoseconds that one request costs. Rounded up, so that what is admitted never exceeds the rate. */
export function emissionIntervalNs(rate: RateLimit): number {
  return Math.ceil(60e9 / rate.perMinute);
}

const asked = `
  asked as (
    select a.place, a.requests, k.id, k.organization_id, k.last_used_at
    from unnest($1::bytea[], $2::int[]) with ordinality as a (hash, requests, place)
    join keys k on k.hash = a.hash
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())
  )`;

const answer = `
  a.place, a.id as "keyId", a.organization_id as "organizationId", o.status, o.tier, o.timezone,
  v.catalog as "catalogVersion", v.clients as "clientsVersion",
  (a.last_used_at is null or a.last_used_at < statement_timestamp() - interval '1 minute') as unnoted`;

const sources = `
  asked a
  join organizations o on o.id = a.organization_id
  cross join lateral (
    select sum(c.catalog_version)::bigint as catalog, sum(c.clients_version)::bigint as clients
    from organization_counters c where c.organization_id = a.organization_id
  ) v`;

const unlimited = read("admit", `with ${asked} select ${answer} from ${sources}`);

// GCRA for several requests at once: of `requests` asked, as many are granted as fit between the theoretical
// arrival time (tat) and now + burst. Rows are locked in one order, so that batches of two nodes cannot
// deadlock; statement_timestamp() lies before the lock, which can only make the limit stricter.
const limited = read(
  "admit_limited",
  `with ${asked}, clock as (
    select (extract(epoch from statement_timestamp()) * 1000000000)::bigint as now
  ), spent as (
    insert into key_rates as r (key_id, granted, tat, checked_at)
    select id, least(requests, $4::int), clock.now + least(requests, $4::int) * $3::bigint, clock.now
    from asked, clock order by id
    on conflict (key_id) do update set
      granted = least(
        excluded.granted,
        greatest(0, excluded.checked_at + $4::int * $3::bigint - greatest(r.tat, excluded.checked_at)) / $3::bigint
      ),
      tat = greatest(r.tat, excluded.checked_at) + $3::bigint * least(
        excluded.granted,
        greatest(0, excluded.checked_at + $4::int * $3::bigint - greatest(r.tat, excluded.checked_at)) / $3::bigint
      ),
      checked_at = excluded.checked_at
    returning key_id, granted, tat - checked_at as refill
  )
  select ${answer}, s.granted, greatest(0, $4::int * $3::bigint - s.refill) / $3::bigint as remaining,
    -- A year of nanoseconds is beyond exact integers; nobody counts those.
    s.refill::float8 as "refillNs"
  from ${sources} join spent s on s.key_id = a.id`,
);

export async function admit(
  db: Database,
  rate: RateLimit | undefined,
  hashes: readonly Buffer[],
  requests: readonly number[],
): Promise<Admission[]> {
  if (!rate) return db.query<Admission>(unlimited, [hashes, requests]);
  const values = [hashes, requests, emissionIntervalNs(rate), rate.burst];
  const rows = await db.query<Omit<Admission, "rate"> & Granted>(limited, values);
  return rows.map(({ granted, remaining, refillNs, ...admission }) => ({
    ...admission,
    rate: { granted, remaining, refillNs },
  }));
}
