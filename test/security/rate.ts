import { Caller, requestText } from "../support/caller.ts";

export interface RateReport {
  readonly seconds: number;
  readonly asked: number;
  readonly admitted: number;
  /** By how much more than burst + rate × time were admitted, at the moment when it was most. */
  readonly excess: number;
  /** Burst + rate × time: what may be admitted at most. */
  readonly most: number;
  /** The same for the time from the first answer on in which there was always someone asking. */
  readonly due: number;
  readonly statuses: readonly number[];
  /** Whether a refused caller that waits for `Retry-After` is then admitted. */
  readonly retryHonoured: boolean;
}

/** Many callers ask with one key, without a pause, at every address given; then one waits for `Retry-After`. */
export async function measureRate(options: {
  readonly urls: readonly string[];
  readonly key: string;
  readonly callers: number;
  readonly seconds: number;
  readonly rate: { readonly perMinute: number; readonly burst: number };
  /** Lets as much time pass as the last refusal named. */
  readonly wait: (seconds: number) => Promise<unknown>;
}): Promise<RateReport> {
  const { urls, key, rate } = options;
  const callers = await Promise.all(
    Array.from({ length: options.callers }, (_, i) => Caller.open(urls[i % urls.length] as string)),
  );
  const request = requestText({ path: "/v1/organization", key });
  const statuses = new Set<number>();
  let asked = 0;
  let admitted = 0;
  let excess = Number.NEGATIVE_INFINITY;
  let retryAfter = 1;
  let firstMs = Number.POSITIVE_INFINITY;
  const begun = performance.now();
  await Promise.all(
    callers.map(async (caller) => {
      while (performance.now() - begun < options.seconds * 1000) {
        const { status, head } = await caller.ask(request);
        asked++;
        firstMs = Math.min(firstMs, performance.now() - begun);
        statuses.add(status);
        if (status === 200) {
          admitted++;
          const elapsed = (performance.now() - begun) / 1000;
          excess = Math.max(excess, admitted - (rate.burst + (rate.perMinute / 60) * elapsed));
        } else retryAfter = Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1]);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  await options.wait(retryAfter);
  const retried = await callers[0]?.ask(request);
  for (const caller of callers) caller.close();
  const most = rate.burst + (rate.perMinute / 60) * seconds;
  return {
    seconds,
    asked,
    admitted,
    excess,
    most,
    due: rate.burst + (rate.perMinute / 60) * Math.max(0, options.seconds - firstMs / 1000),
    statuses: [...statuses].sort(),
    retryHonoured: retried?.status === 200,
  };
}
