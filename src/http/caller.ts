/** Who calls, as far as the operations need to know. */
export interface Caller {
  readonly organizationId: string;
  readonly timezone: string;
  readonly catalogVersion: number;
  readonly clientsVersion: number;
}

/** How much of the rate limit is left after this request. */
export interface RateState {
  /** Requests that would be admitted right now. */
  readonly remaining: number;
  /** Seconds until the whole burst is there again. */
  readonly resetSeconds: number;
  /** Only for a refused request: waiting this many seconds succeeds. */
  readonly retryAfterSeconds: number | undefined;
}
