import type { RequestUnderWay, Suspension } from "../http/stalls.ts";
import type { StallReport } from "./watchdog.ts";

/** How long an operation that held the event loop up is refused to the caller who called it. */
const SUSPENDED_MS = 60_000;
/** So many of the other requests are named in the log. */
const MOST_NAMED = 10;

/**
 * Judges which request held an event loop up, and remembers whom what is refused for that: the process that it happened
 * in is gone. A request that was alone is the one. Of several, none is refused on a guess: the one that came last is
 * named, and the others with it.
 */
export class Suspects {
  #suspensions: Suspension[] = [];

  judge(
    { requests, isAll }: StallReport,
    now: number,
  ): { fields: Readonly<Record<string, unknown>>; suspension: Suspension | undefined } {
    const working = requests.filter(({ waits }) => !waits);
    const [suspect, ...others] = working.length > 0 ? working : requests;
    if (!suspect) return { fields: {}, suspension: undefined };
    const { operation, organizationId, callerId, requestId: reqId } = suspect;
    const fields = {
      operation,
      reqId,
      ...(organizationId !== "" && { organizationId }),
      ...(others.length > 0 && { underWay: others.slice(0, MOST_NAMED).map(describe) }),
    };
    const isSure = others.length === 0 && isAll && callerId !== "";
    const suspension = isSure ? { operation, callerId, until: now + SUSPENDED_MS } : undefined;
    if (suspension) this.#suspensions.push(suspension);
    return { fields, suspension };
  }

  /** Those that still hold. */
  suspensions(now = Date.now()): readonly Suspension[] {
    this.#suspensions = this.#suspensions.filter(({ until }) => until > now);
    return this.#suspensions;
  }
}

/** `listClients 019a8f2e-… 5b0c7d1e-…` */
function describe({ operation, organizationId, requestId }: RequestUnderWay): string {
  return `${operation} ${organizationId} ${requestId}`;
}
