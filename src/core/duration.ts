const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `90d`, `24h`, `15m` or `30s`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,12})([smhd])$/.exec(text) ?? [];
  const seconds = UNIT_SECONDS[unit];
  return seconds === undefined ? undefined : Number(count) * seconds;
}

/** The text that `parseDuration` reads, in the largest unit that is exact. */
export function formatDuration(seconds: number): string {
  const [unit, size] =
    Object.entries(UNIT_SECONDS).findLast(([, each]) => seconds % each === 0) ?? (["s", 1] as const);
  return `${seconds / size}${unit}`;
}
